//! Which loops run under which schedule: `OMPCHUNK_SCHEDULE`.
//!
//! # The rules of safety, in one place
//!
//! All threads of a team decide alike, or iterations run twice or never. So a choice is made of nothing but
//!
//! - the table, which is read once, when a runtime that has no team yet looks for a tool, and before any loop has asked: what
//!   is not ordered by then is not ordered for as long as the process lives;
//! - the loop's record, a constant of the program;
//! - for schedules in turn, the number of the parallel region, fixed before its threads begin (`alternation`).
//!
//! And a loop that may have begun as compiled before this library had its image ask is left so, unless its runtime is the one that
//! looks for a tool just then (`connect`).
//!
//! The choice does not depend on whether a tool listens, on thread-local state, or on which runtime the shim serves: these may differ
//! between the threads of a team. (Dispatching needs only the runtime that the loop calls itself.) A cached choice repeats the computation.
//!
//! A schedule that does not name the loop cuts no chunk of the source (`source_schedule`): the record says how long its chunks are, and a loop of
//! which it does not stays as compiled.
//!
//! Where `OMP_CANCELLATION` is on, nothing is changed: after a cancelled loop whose chunks they deal, today's runtimes hang or
//! abort in a later one, and a team that is cancelled leaves loops behind that not all of its threads came to. What becomes of a loop
//! whose iterations' threads are relied on, `verdict` says.
//!
//! All loops of a group decide alike, too, or a thread reads what another has not written yet. What `verdict` finds is the same for
//! all of them, and so is the schedule in turn. Where the program finds out itself how they run, what is known is kept for the group
//! (`group`, `balance`), and their records differ in nothing that is asked besides: the plugin makes groups of `static` loops without a
//! chunk size alone, which the program steps through.

pub(crate) mod alternation;
pub(crate) mod chosen_schedule;
pub(crate) mod group;
pub(crate) mod override_entry;
pub(crate) mod override_messages;
pub(crate) mod source_schedule;
pub(crate) mod verdict;

use core::ffi::{CStr, c_char};
use core::sync::atomic::{AtomicBool, Ordering};
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use ompchunk_abi::overrides::{Entry, Order, Pattern, Schedule, Table, VARIABLE, file, shown};
use ompchunk_abi::{LoopRecord, SCHEDULES_SYMBOL};

use crate::consensus::{kept, parted};
use crate::decision::Once;
use crate::images::object::symbol_in_program;
use crate::overrides::chosen_schedule::Chosen;
use crate::overrides::group::{Key, place_of};
use crate::overrides::verdict::{Facts, Verdict};
use crate::primitive::OnceLock;
use crate::registered_callbacks::CALLBACKS;
use crate::thread::numbers::{ALONE, Numbers};
use crate::{balance, start::environment, start::report, thread::numbers};

/// [`SCHEDULES_SYMBOL`], as the dynamic linker wants it.
const INSIDE: &CStr = c"__ompchunk_schedules";
const _: () = assert!(INSIDE.count_bytes() == SCHEDULES_SYMBOL.len());

/// Most lines about entries that met no loop: a program that says more is not read.
const MOST_LINES: usize = 20;

struct Overrides {
    table: Table,
    met: Vec<AtomicBool>,
    /// The process that reads the table: a child says nothing at its end.
    process: libc::pid_t,
}

impl Overrides {
    fn new(table: Table) -> Self {
        let entries = table.entries().iter();
        Self {
            met: entries.map(|_| AtomicBool::new(false)).collect(),
            table,
            // SAFETY: has no preconditions.
            process: unsafe { libc::getpid() },
        }
    }

    fn summarise(&self) {
        // Loops that came late may have been meant.
        let is_late = IS_LATE.load(Ordering::Relaxed);
        let entries = self.table.entries().iter().zip(&self.met);
        let mut useless =
            entries.filter(|(entry, met)| !is_late && !met.load(Ordering::Relaxed) && entry.pattern != Pattern::All);
        for (entry, _) in useless.by_ref().take(MOST_LINES) {
            report::complain(format_args!(
                "{VARIABLE}: no loop that ran is meant by '{}'. `ompchunk loops PROGRAM` prints the loops there are; \
                 one that is not among them was not compiled with the plugin",
                shown(&entry.text)
            ));
        }
        let more = useless.count();
        if more > 0 {
            report::complain(format_args!("{VARIABLE}: nor by {more} more entries"));
        }
        override_messages::of_left_out();
    }
}

static OVERRIDES: Once<Overrides> = Once(OnceLock::new());

fn overrides() -> Option<&'static Overrides> {
    OVERRIDES.get()
}

/// A runtime without a team yet looks for a tool: from now on loops may change, and the word that they test says so.
pub(crate) fn begin() {
    OVERRIDES.decide(&CALLBACKS, read);
}

/// An image connects, so its loops run: orders come too late from now on, since teams may be in the middle of loops.
pub(crate) fn settle() {
    OVERRIDES.settle(|| {
        if override_text().is_some_and(|value| !value.is_empty()) {
            report::complain(format_args!(
                "{VARIABLE}: no OpenMP runtime had asked this library for a tool when the first loop ran: OMP_TOOL=disabled, a \
                 runtime without a tools interface, or a library that was loaded too late. The program runs as compiled. \
                 Attach it by LD_PRELOAD or OMP_TOOL_LIBRARIES"
            ));
        }
    });
}

/// Some loops of an image began before there were overrides, and its runtime may have a team in one of them.
static IS_LATE: AtomicBool = AtomicBool::new(false);

pub(crate) fn say_late(path: impl FnOnce() -> String) {
    if !IS_LATE.swap(true, Ordering::Relaxed) {
        report::complain(format_args!(
            "{VARIABLE}: loops of {} ran before this library was loaded, by another OpenMP runtime than the one that now looks for a \
             tool, or it is not known by which: they run as compiled. Attach the library by LD_PRELOAD",
            path()
        ));
    }
}

/// Does libomp take the value of a variable for true? (`__kmp_str_match_true` of `kmp_str.cpp`: a beginning of a word is enough, of
/// so many letters, and so is a longer word that begins with it.)
fn is_true(value: &str) -> bool {
    const WORDS: [(&str, usize); 7] =
        [("true", 1), ("on", 2), ("1", 1), (".true.", 2), (".t.", 2), ("yes", 1), ("enabled", 1)];
    let value = value.trim().as_bytes();
    WORDS.iter().any(|(word, least)| {
        let letters = value.len().min(word.len());
        letters >= *least && value[..letters].eq_ignore_ascii_case(&word.as_bytes()[..letters])
    })
}

pub(crate) fn cancels() -> bool {
    let value = environment::variable("OMP_CANCELLATION");
    value.is_some_and(|value| value.to_str().is_none_or(is_true))
}

#[inline]
pub(crate) fn any() -> bool {
    overrides().is_some()
}

/// Does it count when regions end, as for schedules in turn and for `balanced`?
pub(crate) fn count_regions() -> bool {
    overrides().is_some_and(|overrides| overrides.table.alternates() || overrides.table.learns())
}

/// Is it found out in the run how a loop runs?
pub(crate) fn learns() -> bool {
    overrides().is_some_and(|overrides| overrides.table.learns())
}

/// What the user says, else what the program has inside.
fn override_text() -> Option<OsString> {
    if let Some(value) = environment::variable(VARIABLE) {
        return Some(value);
    }
    let inside = symbol_in_program(INSIDE).cast::<c_char>();
    // SAFETY: null, or the text that the program was linked with, which a zero ends.
    (!inside.is_null()).then(|| OsStr::from_bytes(unsafe { CStr::from_ptr(inside) }.to_bytes()).to_owned())
}

fn read() -> Option<Overrides> {
    let value = override_text()?;
    match parse(&value) {
        Ok(table) if table.entries().is_empty() => None,
        Ok(table) => {
            balance::begin();
            Some(Overrides::new(table))
        }
        Err(why) => {
            report::complain(format_args!("{VARIABLE}: {why}. The program runs as compiled"));
            None
        }
    }
}

/// The table that the user's value is, or names a file of; else why the program runs as compiled.
fn parse(value: &OsStr) -> Result<Table, String> {
    let value = value.to_str().ok_or("the value is not UTF-8")?.trim();
    let path = value.strip_prefix('@');
    let text = match path {
        None => value.to_owned(),
        Some(path) => file::read(Path::new(path)).map_err(|error| format!("cannot read {}: {error}", shown(path)))?,
    };
    let table = Table::parse(&text).map_err(|mistake| match path {
        None => mistake.to_string(),
        Some(path) => format!("line {} of {}, {mistake}", mistake.line, shown(path)),
    })?;
    if !table.entries().is_empty() && cancels() {
        return Err(
            "OMP_CANCELLATION is on, and OpenMP runtimes do not survive that a loop is cancelled whose chunks they deal"
                .to_owned(),
        );
    }
    Ok(table)
}

/// The schedule under which this execution runs, if it is not the loop's own. Every thread of a team gets the same. Of
/// schedules in turn the first, unless its runtime `is_served` and says which region it is.
#[inline]
pub(crate) fn choose(record: &'static LoopRecord, is_served: bool) -> Option<Chosen> {
    let overrides = overrides()?;
    let number = remembered(overrides, record);
    if let Some(chosen) = Chosen::in_a_word(number) {
        return Some(chosen);
    }
    let number = (number as usize).checked_sub(FIRST_ENTRY)?;
    let entry = overrides.table.entries().get(number)?;
    let schedule = match &entry.schedules[..] {
        several if several.len() > 1 && is_served => several[alternation::which(several.len())],
        several => *several.first()?,
    };
    let order = order(entry, record);
    match schedule.learned() {
        Some(learned) => {
            let key = key_under(entry, record);
            let chosen = chosen_schedule::choose(record, key, learned, order, is_served);
            if let Some(chosen) = chosen {
                chosen.keep(record);
            }
            chosen
        }
        None => Chosen::from_order(record, in_force(entry, record, schedule)?, order),
    }
}

/// By what `balance` keeps what it knows of a loop.
pub(crate) fn key(record: &'static LoopRecord) -> Key {
    let entry = overrides().and_then(|overrides| {
        let number = (remembered(overrides, record) as usize).checked_sub(FIRST_ENTRY)?;
        overrides.table.entries().get(number)
    });
    entry.map_or_else(|| Key::alone(record), |entry| key_under(entry, record))
}

/// The same of a loop that runs under an entry: who insists changes one loop of a group alone.
fn key_under(entry: &Entry, record: &'static LoopRecord) -> Key {
    let is_alone = entry.insists || group::members(record).is_empty();
    let learned = entry.schedules.iter().find_map(|schedule| schedule.learned());
    let of_group = learned.filter(|_| !is_alone).map(|learned| Key::of_group(record, learned));
    of_group.unwrap_or_else(|| Key::alone(record))
}

/// The loop runs as compiled. 0: nothing is remembered. More: the word of its schedule, or the number of its entry.
pub(crate) const STAYS: u32 = 1;
/// For the entry that is number 0.
const FIRST_ENTRY: usize = 2;

/// What was found of the record at an address, and how many images were met by then: with more, it may be another loop's.
static DECISIONS: Numbers<{ 1 << 14 }> = Numbers::empty();

/// What is at hand of a loop; else 0, and [`choose`] finds out. Loops that always run alike pay no more than this.
#[inline(always)]
pub(crate) fn known(record: *const LoopRecord) -> u32 {
    let place = DECISIONS.alone_at_first(record.addr());
    match place.map(|place| parted(place.load(Ordering::Relaxed))) {
        Some((met, number)) if met == numbers::images_met() as u32 => number,
        _ => 0,
    }
}

#[inline]
fn remembered(overrides: &Overrides, record: &'static LoopRecord) -> u32 {
    let met = numbers::images_met() as u32;
    let find = || decide(overrides, record);
    match DECISIONS.number_for(core::ptr::from_ref(record).addr(), ALONE) {
        Some(place) => kept(place, met, find),
        // There are more loops than places: it is found anew each time.
        None => find(),
    }
}

#[cold]
fn decide(overrides: &Overrides, record: &'static LoopRecord) -> u32 {
    let facts = Facts {
        place: place_of(record),
        flags: record.flags,
        schedule: record.schedule,
        fixed: record.fixed,
        bound: record.bound,
        chunk: source_schedule::chunk(record),
        group: group::members(record),
    };
    if let Some(number) = overrides.table.find(facts.place) {
        overrides.met[number].store(true, Ordering::Relaxed);
    }
    let verdict = verdict::verdict(&overrides.table, facts);
    override_messages::of_verdict(&overrides.table, facts, &verdict);
    match verdict {
        Verdict::Source | Verdict::LeftOut | Verdict::LeftWhole | Verdict::Stays(..) => STAYS,
        Verdict::Changes(number) | Verdict::Follows(number) | Verdict::Breaks(number, _) => {
            always(&overrides.table.entries()[number], record).unwrap_or((number + FIRST_ENTRY) as u32)
        }
    }
}

/// What there is to remember of a loop that runs alike in all executions under the entry, if a word holds that.
fn always(entry: &Entry, record: &LoopRecord) -> Option<u32> {
    let [schedule] = &entry.schedules[..] else { return None };
    if schedule.learned().is_some() {
        return None;
    }
    let schedule = in_force(entry, record, *schedule);
    let chosen = schedule.and_then(|schedule| Chosen::from_order(record, schedule, order(entry, record)));
    chosen.map_or(Some(STAYS), Chosen::word)
}

/// What the loop gets of a schedule of the entry: by `*` one that cuts no chunk of the source. `None`: there is none.
fn in_force(entry: &Entry, record: &LoopRecord, schedule: Schedule) -> Option<Schedule> {
    if entry.pattern == Pattern::All { schedule.keeping(source_schedule::chunk(record)?) } else { Some(schedule) }
}

fn order(entry: &Entry, record: &LoopRecord) -> Order {
    verdict::order(record.flags, record.schedule, entry.pattern == Pattern::All)
}

extern "C" fn at_exit() {
    let _ = std::panic::catch_unwind(|| {
        // SAFETY: has no preconditions.
        let process = unsafe { libc::getpid() };
        if let Some(overrides) = overrides().filter(|overrides| overrides.process == process) {
            overrides.summarise();
            balance::end();
        }
    });
}

#[used]
#[unsafe(link_section = ".fini_array")]
static AT_EXIT: extern "C" fn() = at_exit;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_libomp_takes_for_true() {
        for value in ["true", "T", "1", " on ", "yes", "y", "Enabled", ".t.", "trueish"] {
            assert!(is_true(value), "{value}");
        }
        for value in ["false", "0", "off", "o", "no", "disabled", "", "."] {
            assert!(!is_true(value), "{value}");
        }
    }
}
