//! The account of a run, in seconds: what is in each place, less what of it has another cause.

use crate::account::{PLACES, Place, Sums};
use crate::context::Context;
use crate::model::{Account, AccountEntry};

/// `ompt_mutex_t`
const CRITICAL: u32 = 5;
const ATOMIC: u32 = 6;
const ORDERED: u32 = 7;

/// `ompt_set_sometimes`: from here on a runtime tells of an event.
const SET_SOMETIMES: i32 = 3;

/// What thread time went to, with the name that it has in JSON.
const ENTRIES: [&str; 22] = [
    "loops",
    "bookkeeping",
    "sections",
    "single",
    "worksharing",
    "reduction",
    "region",
    "tasks",
    "serial",
    "idle",
    "wait-after-loop",
    "wait-after-single",
    "wait-after-sections",
    "wait-in-region",
    "taskwait",
    "wait-in-tasks",
    "lock",
    "critical",
    "atomic",
    "ordered",
    "off-core",
    "recorder",
];

/// Threads × elapsed time, and where it went; `None` where something of it is not told.
pub(crate) fn account(context: &Context<'_>, bookkeeping: f64) -> Option<Account> {
    let is_told = |at: usize| {
        let (head, meta) = (context.parts[at].head(), context.parts[at].meta());
        let mode = &meta.mode;
        let all = !mode.aggregate && mode.sample <= 1 && mode.loops.is_empty() && mode.skip == 0;
        // Older recorders did not ask for it, and took waits for locks for work.
        let answer = meta.events.get("mutex_acquired").copied().unwrap_or(0);
        all && head.lost_events == 0 && answer >= SET_SOMETIMES
    };
    if context.parts.is_empty() || !(0..context.parts.len()).all(is_told) {
        return None;
    }
    let mut ledger = Ledger::default();
    for at in 0..context.parts.len() {
        ledger.add_part(context, at);
    }
    ledger.take("loops", "bookkeeping", bookkeeping);
    Some(ledger.close())
}

/// Seconds by entry.
#[derive(Default)]
struct Ledger {
    threads: u64,
    all: f64,
    unknown: f64,
    seconds: [f64; ENTRIES.len()],
}

impl Ledger {
    fn add(&mut self, entry: &str, seconds: f64) {
        if let Some(at) = ENTRIES.iter().position(|name| *name == entry) {
            self.seconds[at] += seconds;
        }
    }

    /// What was counted for one is another's, as far as it is there.
    fn take(&mut self, from: &str, to: &str, seconds: f64) {
        let place = |entry: &str| ENTRIES.iter().position(|name| *name == entry);
        if let (Some(from), Some(to)) = (place(from), place(to)) {
            let moved = seconds.min(self.seconds[from]).max(0.0);
            self.seconds[from] -= moved;
            self.seconds[to] += moved;
        }
    }

    fn add_part(&mut self, context: &Context<'_>, at: usize) {
        let part = &context.sums[at];
        let sums = &part.account;
        let seconds = |ticks: u64| context.seconds(at, ticks as f64);
        let threads = sums.most_threads();
        let before = context.before(at).unwrap_or(0.0);
        let elapsed = part.clock.since_start(part.last) / 1e9 + before;
        self.threads += threads;
        self.all += elapsed * threads as f64;
        let mut rest = Rest::of(sums);
        for (from, to) in MUTEXES {
            for (entry, ticks) in by_kind(context, at, sums, from) {
                self.add(entry, seconds(rest.take(to, ticks)));
            }
        }
        self.add(
            "tasks",
            seconds(rest.take(&[Place::Single], sums.tasks.in_single)),
        );
        let region = [
            Place::Region,
            Place::Sections,
            Place::OtherWork,
            Place::Serial,
        ];
        self.add("tasks", seconds(rest.take(&region, sums.tasks.in_region)));
        for place in Place::WAITS {
            let inside = sums.inside(place);
            self.add("tasks", seconds(rest.take(&[place], inside.tasks)));
            self.add("wait-in-tasks", seconds(rest.take(&[place], inside.waits)));
        }
        self.take("tasks", "lock", seconds(sums.mutex_in_tasks));
        for place in Place::ALL {
            let spent = sums.of(place);
            self.add("recorder", seconds(rest.take(&[place], spent.recorder)));
            self.add("off-core", seconds(rest.take(&[place], spent.off_core)));
        }
        let lived: u64 = Place::ALL.iter().map(|place| sums.of(*place).ticks).sum();
        // Threads that were not there yet, or no more.
        let absent = elapsed * threads as f64 - before - seconds(lived);
        self.add("idle", absent.max(0.0));
        self.add("serial", before);
        self.unknown += seconds(rest.0[Place::Paused as usize]);
        for place in Place::ALL {
            self.add(entry_of(place), seconds(rest.0[place as usize]));
        }
    }

    fn close(self) -> Account {
        let known: f64 = self.seconds.iter().sum();
        let unknown = self.unknown + (self.all - known - self.unknown).max(0.0);
        let named = ENTRIES.iter().zip(self.seconds);
        let entries = named.map(|(code, seconds)| AccountEntry { code, seconds });
        Account {
            threads: self.threads,
            thread_seconds: self.all,
            entries: entries.filter(|entry| entry.seconds > 0.0).collect(),
            unknown_seconds: unknown,
        }
    }
}

/// Ticks of each place that no other entry has yet.
pub(super) struct Rest(pub(super) [u64; PLACES]);

impl Rest {
    fn of(sums: &Sums) -> Rest {
        Rest(Place::ALL.map(|place| sums.of(place).ticks))
    }

    /// From the first of the places that has some.
    pub(super) fn take(&mut self, places: &[Place], ticks: u64) -> u64 {
        let mut left = ticks;
        for place in places {
            let have = &mut self.0[*place as usize];
            let taken = left.min(*have);
            *have -= taken;
            left -= taken;
        }
        ticks - left
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Within {
    Loops,
    Single,
    Elsewhere,
}

/// Where threads asked for locks, and the places that their waiting is taken from.
pub(super) const MUTEXES: [(Within, &[Place]); 3] = [
    (Within::Loops, &[Place::Loop]),
    (Within::Single, &[Place::Single]),
    (
        Within::Elsewhere,
        &[
            Place::Region,
            Place::OtherWork,
            Place::Sections,
            Place::Reduction,
            Place::Serial,
        ],
    ),
];

/// Ticks of waiting for each kind, in proportion to all waits of that kind.
pub(super) fn by_kind(
    context: &Context<'_>,
    at: usize,
    sums: &Sums,
    within: Within,
) -> [(&'static str, u64); 4] {
    let read = context.parts[at].meta().clock.read;
    let all: u64 = sums.mutexes.values().map(|waited| waited.ticks).sum();
    let there = match within {
        Within::Loops => sums.mutex_in_loops,
        Within::Single => sums.mutex_in_single,
        Within::Elsewhere => sums.mutex_elsewhere,
    };
    let share = if all == 0 {
        0.0
    } else {
        there as f64 / all as f64
    };
    [CRITICAL, ATOMIC, ORDERED, 0].map(|kind| {
        let is_meant = |of: u32| match kind {
            0 => !matches!(of, CRITICAL | ATOMIC | ORDERED),
            kind => of == kind,
        };
        let waits = sums.mutexes.iter().filter(|(key, _)| is_meant(key.kind));
        // Each time the clock was read twice, and one reading lies in between.
        let ticks = waits.map(|(_, waited)| waited.ticks as f64 - waited.count as f64 * read);
        (
            entry_of_kind(kind),
            (ticks.sum::<f64>().max(0.0) * share) as u64,
        )
    })
}

pub(super) fn entry_of_kind(kind: u32) -> &'static str {
    match kind {
        CRITICAL => "critical",
        ATOMIC => "atomic",
        ORDERED => "ordered",
        _ => "lock",
    }
}

pub(super) fn entry_of(place: Place) -> &'static str {
    match place {
        // Of what was not recorded.
        Place::Paused => "",
        Place::WaitAfterLoop => "wait-after-loop",
        Place::WaitAfterSingle => "wait-after-single",
        Place::WaitAfterSections => "wait-after-sections",
        Place::WaitAfterRegion => "wait-in-region",
        Place::WaitForTasks => "taskwait",
        Place::Loop => "loops",
        Place::Reduction => "reduction",
        Place::Single => "single",
        Place::Sections => "sections",
        Place::OtherWork => "worksharing",
        Place::Region => "region",
        Place::Idle => "idle",
        Place::Serial => "serial",
    }
}
