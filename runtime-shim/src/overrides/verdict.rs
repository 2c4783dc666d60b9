//! What becomes of a loop under the orders there are, given what the program may rely on: of facts alone.
//!
//! OpenMP 5.2, section 11.5.3, promises which thread runs which iteration of static loops. The plugin says of each loop whether
//! anything may rely on that (`ompt::raw::bound`), and which loops are mapped alike, so that only all of them may change. All
//! threads of a team, and all loops of a group, find the same, as it depends on the table and on their records alone: those of
//! a group name the same loops.
//!
//! A group may get any schedule that maps loops with as many iterations alike: `static` ones, and those that the program finds out
//! itself (`balance` finds them out of the group, and never deals it). `*` gives it none but the latter: they change what is slow.

use ompchunk_abi::overrides::{Entry, Order, Pattern, Place, Schedule, Table};
use ompchunk_abi::sched_type::{DYNAMIC, GUIDED, MONOTONIC, NONMONOTONIC};
use ompchunk_abi::{
    GroupLoop, LOOP_CHANGEABLE, LOOP_CHUNKED, LOOP_DEALT, LOOP_FREE, LOOP_LAST_READ, LOOP_STOCK, bound, fixed,
};

#[derive(Clone, Copy)]
pub(crate) struct Facts<'a> {
    pub(crate) place: Place<'a>,
    pub(crate) flags: u32,
    /// `enum sched_type` with modifier bits.
    pub(crate) schedule: u32,
    pub(crate) fixed: u8,
    pub(crate) bound: u8,
    /// Iterations of a chunk of the source, as `source_schedule::chunk` has it.
    pub(crate) chunk: Option<u32>,
    /// The loops that are mapped as it is, itself included.
    pub(crate) group: &'a [GroupLoop],
}

/// What becomes of it. Entries are numbers in the table.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// No entry means it, or one that says `source`.
    Source,
    /// It runs under the schedules of that entry.
    Changes(usize),
    /// Likewise, since another loop of its group was named.
    Follows(usize),
    /// Likewise, and a promise may be broken.
    Breaks(usize, &'static str),
    /// `*` leaves it out.
    LeftOut,
    /// Likewise, or chunks of the source would be cut.
    LeftWhole,
    /// It is named, and stays as compiled.
    Stays(usize, Why),
}

/// Why a loop stays as compiled that was named.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Why {
    /// It cannot be changed, or only if the user insists.
    Says(&'static str),
    /// The loop at that line of its group cannot be changed.
    Member(u32),
    /// Nobody knows where its chunks end, which the schedule cuts for nobody.
    Chunks,
    /// Its group can have no dealt schedule.
    Dealt,
    /// Loops of its group shall have different schedules.
    Differ,
    /// It was compiled without the plugin, and has no chunks but the one that it begins with.
    Once,
    /// It was compiled without the plugin, and steps from chunk to chunk.
    Steps,
}

pub(crate) fn verdict(table: &Table, facts: Facts<'_>) -> Verdict {
    let own = table.find(facts.place);
    if let Some(number) = own.filter(|&number| entry(table, number).insists) {
        return of_insisted(number, table, facts);
    }
    if !facts.group.is_empty() {
        return of_group(table, facts, own);
    }
    let Some(number) = own.filter(|&number| !is_source(entry(table, number))) else { return Verdict::Source };
    let by_all = entry(table, number).pattern == Pattern::All;
    if facts.flags & LOOP_CHANGEABLE == 0 {
        return if by_all { Verdict::Source } else { Verdict::Stays(number, Why::Says(of_fixed(facts.fixed))) };
    }
    let is_free = facts.flags & LOOP_FREE != 0;
    let limit = limit(entry(table, number), facts.flags);
    match (limit, facts.bound) {
        _ if by_all && !is_free => Verdict::LeftOut,
        _ if by_all && cuts(entry(table, number), facts) => Verdict::LeftWhole,
        (Some(_), _) if by_all => Verdict::LeftOut,
        (Some(why), _) => Verdict::Stays(number, why),
        _ if never_runs(entry(table, number), facts) => Verdict::Stays(number, Why::Chunks),
        _ if is_free => Verdict::Changes(number),
        (None, bound @ (bound::PAIR | bound::INLINE)) => Verdict::Stays(number, Why::Says(bound::sentence(bound))),
        (None, bound) => Verdict::Breaks(number, bound::sentence(bound)),
    }
}

fn entry(table: &Table, number: usize) -> &Entry {
    &table.entries()[number]
}

/// Would chunks of the source be cut under one of the entry's schedules, or may they be, though it became one that cuts none?
fn cuts(entry: &Entry, facts: Facts<'_>) -> bool {
    let kept = |schedule: &Schedule| facts.chunk.and_then(|chunk| schedule.keeping(chunk));
    entry.schedules.iter().any(|schedule| kept(schedule).is_none())
}

/// Are chunks of the source cut by an entry that names the loop, or may they be? Whoever names it may do that.
pub(crate) fn cuts_by_name(entry: &Entry, facts: Facts<'_>) -> bool {
    let is_kept = |schedule: &Schedule| match facts.chunk {
        Some(chunk) => schedule.keeping(chunk) == Some(*schedule),
        None => *schedule == Schedule::Source,
    };
    entry.pattern != Pattern::All && !entry.schedules.iter().all(is_kept)
}

/// What the program finds out itself cuts no chunk for anybody, so their size must be known.
fn never_runs(entry: &Entry, facts: Facts<'_>) -> bool {
    let learns = |schedule: &Schedule| schedule.learned().is_some();
    facts.chunk.is_none() && entry.schedules.iter().any(learns)
}

/// What keeps a loop without the plugin from a schedule: without chunks a thread runs the one block that it begins with.
fn limit(entry: &Entry, flags: u32) -> Option<Why> {
    let is_chunked = flags & LOOP_CHUNKED != 0;
    let can = |schedule: &Schedule| if is_chunked { schedule.maps_alike() } else { schedule.learned().is_some() };
    let is_limited = flags & LOOP_STOCK != 0
        && !entry.schedules.iter().all(|schedule| *schedule == Schedule::Source || can(schedule));
    is_limited.then_some(if is_chunked { Why::Steps } else { Why::Once })
}

fn is_source(entry: &Entry) -> bool {
    entry.schedules == [Schedule::Source]
}

fn of_fixed(fixed: u8) -> &'static str {
    fixed::sentence(fixed).unwrap_or("its form is not known")
}

fn of_insisted(number: usize, table: &Table, facts: Facts<'_>) -> Verdict {
    if is_source(entry(table, number)) {
        return Verdict::Source;
    }
    match limit(entry(table, number), facts.flags) {
        _ if facts.flags & LOOP_CHANGEABLE == 0 => Verdict::Stays(number, Why::Says(of_fixed(facts.fixed))),
        Some(why) => Verdict::Stays(number, why),
        None if never_runs(entry(table, number), facts) => Verdict::Stays(number, Why::Chunks),
        None if facts.flags & LOOP_FREE != 0 => Verdict::Changes(number),
        None => Verdict::Breaks(number, bound::sentence(facts.bound)),
    }
}

/// One of loops that change together. Those that are named decide for all.
fn of_group(table: &Table, facts: Facts<'_>, own: Option<usize>) -> Verdict {
    let of_member = |member: &GroupLoop| table.find(Place { line: member.line, column: member.column, ..facts.place });
    let is_name = |&number: &usize| {
        let entry = entry(table, number);
        entry.pattern != Pattern::All && !entry.insists
    };
    let names = facts.group.iter().filter_map(of_member).filter(is_name);
    let Some(number) = names.clone().max_by_key(|&number| (entry(table, number).pattern.weight(), number)) else {
        return match own {
            Some(number) if !is_source(entry(table, number)) => of_group_by_all(table, facts, number, of_member),
            _ => Verdict::Source,
        };
    };
    let schedules = &entry(table, number).schedules;
    let differ = names.clone().any(|named| entry(table, named).schedules != *schedules);
    if is_source(entry(table, number)) && !differ {
        return Verdict::Source;
    }
    let cannot = facts.group.iter().find(|member| member.changeable == 0);
    let insisted = |member: &GroupLoop| of_member(member).is_some_and(|number| entry(table, number).insists);
    if let Some(member) = cannot {
        Verdict::Stays(number, Why::Member(member.line))
    } else if differ || facts.group.iter().any(insisted) {
        Verdict::Stays(number, Why::Differ)
    } else if !schedules.iter().all(|schedule| *schedule == Schedule::Source || keeps_groups(*schedule)) {
        Verdict::Stays(number, Why::Dealt)
    } else if own.is_some_and(|own| is_name(&own)) {
        Verdict::Changes(number)
    } else {
        Verdict::Follows(number)
    }
}

/// Do loops of a group with as many iterations give a thread the same ones under it? What is found out in the run is found out of the group.
fn keeps_groups(schedule: Schedule) -> bool {
    schedule.maps_alike() || schedule.learned().is_some()
}

/// One of loops that change together, of which none is named. What the program finds out itself is taken for all of them.
fn of_group_by_all(
    table: &Table,
    facts: Facts<'_>,
    number: usize,
    of_member: impl Fn(&GroupLoop) -> Option<usize>,
) -> Verdict {
    let [schedule] = entry(table, number).schedules[..] else { return Verdict::LeftOut };
    let can = |member: &GroupLoop| member.changeable != 0 && of_member(member) == Some(number);
    if schedule.learned().is_some() && facts.group.iter().all(can) {
        Verdict::Changes(number)
    } else {
        Verdict::LeftOut
    }
}

/// In which order a thread must run the loop's iterations.
pub(crate) fn order(flags: u32, schedule: u32, by_all: bool) -> Order {
    if flags & LOOP_LAST_READ == 0 && !is_monotonic(flags, schedule) {
        return Order::Any;
    }
    if by_all { Order::Kept } else { Order::Usual }
}

/// Does the source say `monotonic`? Before OpenMP 5.0 all schedules were, and compilers then gave no modifier.
fn is_monotonic(flags: u32, schedule: u32) -> bool {
    let is_old = flags & LOOP_DEALT != 0 && matches!(schedule, DYNAMIC | GUIDED);
    schedule & MONOTONIC != 0 && schedule & NONMONOTONIC == 0 || is_old
}

#[cfg(test)]
mod tests;
