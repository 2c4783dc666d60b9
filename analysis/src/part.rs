//! What one part tells: its loops with their sums, and what it does not hold.

use std::collections::HashMap;

use ompchunk_trace_format::{Clock, Ending, Error, Part, Variable, schedule};

use crate::account;
use crate::counted::{Counted, LoopCounted};
use crate::course::{Course, Times};
use crate::definition::{Definition, Identity, Place};
use crate::extremes::widest;
use crate::histogram::Durations;
use crate::join::{Executions, Join};
use crate::lane::Lane;
use crate::loss::Loss;
use crate::openacc::Operations;
use crate::promise::Promise;
use crate::scan::{Visit, scan};
use crate::share::Sums;
use crate::tasks::TaskSums;
use crate::told::Told;
use crate::worst::Worst;

/// So much is joined of each lane in its turn.
const IN_TURN: usize = 64;

/// A part, read.
#[derive(Debug)]
pub(crate) struct PartSums {
    pub(crate) loops: Vec<LoopSums>,
    pub(crate) threads: u64,
    pub(crate) chunks: u64,
    pub(crate) stray: u64,
    /// Other records than chunks.
    pub(crate) events: u64,
    /// All of the recorder's own time, where it is told.
    pub(crate) recorder: Option<u64>,
    /// It is known when threads were not on a core.
    pub(crate) knows_cores: bool,
    pub(crate) lost_elsewhere: Loss,
    /// What was only added up.
    pub(crate) counted: Counted,
    pub(crate) openacc: Operations,
    /// Explicit tasks.
    pub(crate) tasks: TaskSums,
    /// Where thread time went.
    pub(crate) account: account::Sums,
    /// Of that, outside of regions, by the thread of which `times` are.
    pub(crate) serial: account::Spent,
    /// Where it went in each region.
    pub(crate) regions: account::Regions,
    /// What is at the addresses that it names.
    pub(crate) codes: HashMap<u64, Place>,
    pub(crate) clock: Clock,
    /// Regions, and what was not recorded.
    pub(crate) times: Times,
    /// The last moment that is told.
    pub(crate) last: u64,
}

/// A loop in one part. Times are in ticks of the part's clock.
#[derive(Debug)]
pub(crate) struct LoopSums {
    /// The part's own numbers of it: inlined copies of one loop have several.
    pub(crate) numbers: Vec<u32>,
    pub(crate) identity: Identity,
    pub(crate) variable: Variable,
    pub(crate) promise: Promise,
    pub(crate) executions: Executions,
    pub(crate) durations: Durations,
    pub(crate) extremes: Option<(u64, u64)>,
    pub(crate) worst: Worst,
    pub(crate) threads: Vec<(u32, Sums)>,
    pub(crate) lost: Loss,
    pub(crate) untold: u64,
    pub(crate) left_out: [u64; 2],
    pub(crate) counted: LoopCounted,
}

impl Visit for Lane {
    #[inline]
    fn see(&mut self, at: ompchunk_trace_format::At, event: &ompchunk_trace_format::Event<'_>) {
        Lane::see(self, at, event);
    }
}

#[derive(Default)]
struct Names {
    definitions: HashMap<u32, Definition>,
    places: HashMap<u64, Place>,
}

impl Names {
    fn take(&mut self, lane: &mut Lane) {
        for (address, place) in lane.out.places.drain(..) {
            self.places.entry(address).or_insert(place);
        }
        for definition in lane.out.definitions.drain(..) {
            // Of a lane that lost something there may be half of it.
            let known = self.definitions.get(&definition.the_loop);
            if known.is_none_or(|it| !it.has_place() && definition.has_place()) {
                self.definitions.insert(definition.the_loop, definition);
            }
        }
    }
}

/// Reads a part; `progress` is told of bytes that were read.
pub(crate) fn read(part: &Part, progress: &(dyn Fn(u64) + Sync)) -> Result<PartSums, Error> {
    let lost = part.head().lost_chunks + part.head().lost_events > 0;
    let mut join = Join::new(lost || part.ending() != Ending::Clean);
    let mut names = Names::default();
    let mut regions = account::Regions::default();
    let mut hand_over = |lanes: &mut [Lane], join: &mut Join| {
        lanes.iter_mut().for_each(|lane| {
            names.take(lane);
            regions.take(&mut lane.regions);
        });
        // In turn, so that what one thread tells need not wait long for the others.
        let all = lanes.iter_mut().map(|lane| lane.out.told.drain(..));
        let mut all: Vec<_> = all.collect();
        while !all.is_empty() {
            for told in &mut all {
                told.by_ref().take(IN_TURN).for_each(|told| match told {
                    Told::Share(share) => join.add(&share),
                    Told::Leave(leave) => join.leave(leave),
                });
            }
            all.retain(|told| told.len() > 0);
        }
    };
    let mut lanes = scan(part, Lane::default, |lanes, bytes| {
        hand_over(lanes, &mut join);
        progress(bytes);
    })?;
    lanes.iter_mut().for_each(Lane::finish);
    hand_over(&mut lanes, &mut join);
    join.finish();
    let mut threads: Vec<u32> = lanes.iter().flat_map(|lane| lane.threads.clone()).collect();
    threads.sort_unstable();
    threads.dedup();
    let last_of = |lane: &Lane| lane.last.max(lane.counted.last);
    let last = match part.head().ended {
        true => part.head().end.0,
        false => lanes.iter().map(last_of).max().unwrap_or(0),
    };
    let whole = part.head().lost_events == 0;
    let mode = &part.meta().mode;
    let told = !mode.aggregate && mode.sample <= 1;
    let mut counted = Counted::default();
    lanes.iter().for_each(|lane| counted.add(&lane.counted));
    let mut openacc = Operations::default();
    lanes.iter().for_each(|lane| openacc.add(&lane.openacc));
    let mut tasks = TaskSums::default();
    lanes.iter().for_each(|lane| tasks.merge(&lane.added_tasks));
    let mut account = account::Sums::default();
    for lane in &mut lanes {
        lane.account.finish(last);
        account.merge(&lane.account.sums);
        lane.regions.finish(last);
        regions.take(&mut lane.regions);
    }
    regions.finish();
    let courses = lanes.iter().map(|lane| lane.course);
    let times = Course::of_process(courses, last, whole, told, &counted);
    let clock = &part.meta().clock;
    let mut sums = PartSums {
        serial: serial_of(&lanes, &times),
        times,
        loops: Vec::new(),
        threads: threads.len() as u64,
        chunks: lanes.iter().map(|lane| lane.chunks).sum(),
        stray: lanes.iter().map(|lane| lane.stray).sum(),
        events: lanes.iter().map(|lane| lane.events).sum(),
        recorder: (clock.own_least.is_some()).then(|| {
            lanes
                .iter()
                .fold(0, |all: u64, lane| all.saturating_add(lane.recorder))
        }),
        knows_cores: clock.cpu_read.is_some() && !lanes.iter().any(|lane| lane.lost_sight),
        lost_elsewhere: Loss::default(),
        clock: part.clock(),
        last,
        counted,
        openacc,
        codes: codes_of(&account, &regions, &tasks, &names),
        tasks,
        regions,
        account,
    };
    // Before anything is taken out of the join: lanes name the same loops.
    let all = lanes.iter().flat_map(|lane| &lane.loops);
    let known: HashMap<u32, Known> = all
        .map(|the_loop| (the_loop.number, identify(&names, &join, the_loop.number)))
        .collect();
    let mut numbers: HashMap<Identity, usize> = HashMap::new();
    for lane in lanes {
        sums.lost_elsewhere.add(&lane.lost);
        for the_loop in lane.loops {
            let number = the_loop.number;
            let it = &known[&number];
            let slot = *numbers.entry(it.identity.clone()).or_insert_with(|| {
                sums.loops.push(LoopSums::new(it));
                sums.loops.len() - 1
            });
            let to = &mut sums.loops[slot];
            // Inlined copies may stand where less is known of what follows.
            to.promise = std::mem::take(&mut to.promise).or_stricter(&it.promise);
            if !to.numbers.contains(&number) {
                to.numbers.push(number);
                if let Some(counted) = sums.counted.loops.get(&number) {
                    to.counted.add(counted);
                }
                to.executions
                    .add(&join.loops.remove(&number).unwrap_or_default());
            }
            to.durations.merge(&the_loop.durations, 1.0);
            to.extremes = widest(to.extremes, the_loop.extremes);
            for long in the_loop.worst.kept() {
                if to.worst.wants(long.duration) {
                    to.worst.add(*long);
                }
            }
            for (thread, sums) in the_loop.threads {
                match to.threads.iter_mut().find(|(it, _)| *it == thread) {
                    Some((_, all)) => all.add(&sums),
                    None => to.threads.push((thread, sums)),
                }
            }
            to.lost.add(&the_loop.lost);
            to.untold += the_loop.untold;
            for (to, one) in to.left_out.iter_mut().zip(the_loop.left_out) {
                *to = one.max(*to);
            }
        }
    }
    for the_loop in &mut sums.loops {
        the_loop.threads.sort_unstable_by_key(|(thread, _)| *thread);
    }
    Ok(sums)
}

/// What the process's first thread spends outside of regions.
fn serial_of(lanes: &[Lane], times: &Times) -> account::Spent {
    let first = times
        .thread
        .and_then(|first| lanes.iter().find(|lane| lane.course.is_of(first)));
    first.map_or_else(account::Spent::default, |lane| {
        lane.account.sums.of(account::Place::Serial)
    })
}

/// Of what is at all addresses what the account needs.
fn codes_of(
    account: &account::Sums,
    regions: &account::Regions,
    tasks: &TaskSums,
    names: &Names,
) -> HashMap<u64, Place> {
    let codes = account.mutexes.keys().map(|key| key.code);
    let codes = codes.chain(regions.codes()).chain(tasks.codes());
    let named = codes.filter_map(|code| Some((code, names.places.get(&code)?.clone())));
    named.collect()
}

/// What is known of one of a part's loops.
#[derive(Default)]
struct Known {
    identity: Identity,
    variable: Variable,
    promise: Promise,
}

fn identify(names: &Names, join: &Join, number: u32) -> Known {
    let Some(definition) = names.definitions.get(&number) else {
        // Only in a part of which the definition was lost.
        let identity = Identity {
            offset: Some(number.into()),
            construct: "unknown".to_owned(),
            ..Identity::default()
        };
        return Known {
            identity,
            ..Known::default()
        };
    };
    let mut identity = definition.identity(names.places.get(&definition.code));
    if !definition.instrumented {
        let work = join.loops.get(&number).map_or(0, |the_loop| the_loop.work);
        identity.schedule = schedule::of_work(work).map(str::to_owned);
    }
    Known {
        identity,
        variable: definition.variable,
        promise: definition.promise.clone(),
    }
}

impl LoopSums {
    /// Nothing of it is told, as it was asked for.
    pub(crate) fn is_left_out(&self) -> bool {
        let nothing = self.threads.is_empty() && self.executions == Executions::default();
        nothing && self.lost.chunks == 0 && self.left_out != [0; 2]
    }

    fn new(of: &Known) -> LoopSums {
        LoopSums {
            numbers: Vec::new(),
            identity: of.identity.clone(),
            variable: of.variable,
            promise: of.promise.clone(),
            executions: Executions::default(),
            durations: Durations::default(),
            extremes: None,
            worst: Worst::default(),
            threads: Vec::new(),
            lost: Loss::default(),
            untold: 0,
            left_out: [0; 2],
            counted: LoopCounted::default(),
        }
    }
}

impl Sums {
    pub(crate) fn add(&mut self, other: &Sums) {
        self.executions += other.executions;
        self.chunks += other.chunks;
        self.iterations = self.iterations.saturating_add(other.iterations);
        self.busy = self.busy.saturating_add(other.busy);
        self.off.add(&other.off);
        self.bookkeeping = self.bookkeeping.saturating_add(other.bookkeeping);
        self.timed += other.timed;
        self.counted_executions += other.counted_executions;
        self.counted_chunks += other.counted_chunks;
    }
}
