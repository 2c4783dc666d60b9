//! What becomes of a loop under the orders there are, given what the program may rely on: of facts alone.
//!
//! OpenMP 5.2, section 11.5.3, promises which thread runs which iteration of static loops. The plugin says of each loop whether
//! anything may rely on that (`ompt::raw::bound`), and which loops are mapped alike, so that only all of them may change. All
//! threads of a team, and all loops of a group, find the same, as it depends on the table and on their records alone: those of
//! a group name the same loops.
//!
//! A group may get any schedule that maps loops with as many iterations alike: `static` ones, and those that the program finds out
//! itself (`balance` finds them out of the group, and never deals it). `*` gives it none but the latter: they change what is slow.

use ompchunk_abi::{
    GroupLoop, LOOP_CHANGEABLE, LOOP_DEALT, LOOP_FREE, LOOP_LAST_READ, bound, fixed,
};
use ompchunk_schedules::{Entry, Order, Pattern, Place, Schedule, Table};

/// What a record says of a loop.
#[derive(Clone, Copy)]
pub(crate) struct Facts<'a> {
    pub(crate) place: Place<'a>,
    /// `LOOP_*`
    pub(crate) flags: u32,
    /// `enum sched_type` with modifier bits.
    pub(crate) schedule: u32,
    /// One of `ompchunk_abi::fixed`.
    pub(crate) fixed: u8,
    /// One of `ompchunk_abi::bound`.
    pub(crate) bound: u8,
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
    /// Its group can have no dealt schedule.
    Dealt,
    /// Loops of its group shall have different schedules.
    Differ,
}

/// Decides.
pub(crate) fn verdict(table: &Table, facts: Facts<'_>) -> Verdict {
    let own = table.find(facts.place);
    if let Some(number) = own.filter(|&number| entry(table, number).insists) {
        return of_insisted(number, table, facts);
    }
    if !facts.group.is_empty() {
        return of_group(table, facts, own);
    }
    let Some(number) = own.filter(|&number| !is_source(entry(table, number))) else {
        return Verdict::Source;
    };
    let by_all = entry(table, number).pattern == Pattern::All;
    if facts.flags & LOOP_CHANGEABLE == 0 {
        return match by_all {
            true => Verdict::Source,
            false => Verdict::Stays(number, Why::Says(of_fixed(facts.fixed))),
        };
    }
    let is_free = facts.flags & LOOP_FREE != 0;
    match facts.bound {
        _ if is_free => Verdict::Changes(number),
        _ if by_all => Verdict::LeftOut,
        bound @ (bound::PAIR | bound::INLINE) => {
            Verdict::Stays(number, Why::Says(bound::sentence(bound)))
        }
        bound => Verdict::Breaks(number, bound::sentence(bound)),
    }
}

fn entry(table: &Table, number: usize) -> &Entry {
    &table.entries()[number]
}

fn is_source(entry: &Entry) -> bool {
    entry.schedules == [Schedule::Source]
}

fn of_fixed(fixed: u8) -> &'static str {
    fixed::sentence(fixed).unwrap_or("its form is not known")
}

/// The user wants it, alone.
fn of_insisted(number: usize, table: &Table, facts: Facts<'_>) -> Verdict {
    if is_source(entry(table, number)) {
        return Verdict::Source;
    }
    match facts.flags {
        flags if flags & LOOP_CHANGEABLE == 0 => {
            Verdict::Stays(number, Why::Says(of_fixed(facts.fixed)))
        }
        flags if flags & LOOP_FREE != 0 => Verdict::Changes(number),
        _ => Verdict::Breaks(number, bound::sentence(facts.bound)),
    }
}

/// One of loops that change together. Those that are named decide for all.
fn of_group(table: &Table, facts: Facts<'_>, own: Option<usize>) -> Verdict {
    let of_member = |member: &GroupLoop| {
        table.find(Place {
            line: member.line,
            column: member.column,
            ..facts.place
        })
    };
    let is_name = |&number: &usize| {
        let entry = entry(table, number);
        entry.pattern != Pattern::All && !entry.insists
    };
    let names = facts.group.iter().filter_map(of_member).filter(is_name);
    let Some(number) = names
        .clone()
        .max_by_key(|&number| (entry(table, number).pattern.weight(), number))
    else {
        return match own {
            Some(number) if !is_source(entry(table, number)) => {
                of_group_by_all(table, facts, number, of_member)
            }
            _ => Verdict::Source,
        };
    };
    let schedules = &entry(table, number).schedules;
    let differ = names
        .clone()
        .any(|named| entry(table, named).schedules != *schedules);
    if is_source(entry(table, number)) && !differ {
        return Verdict::Source;
    }
    let cannot = facts.group.iter().find(|member| member.changeable == 0);
    let insisted =
        |member: &GroupLoop| of_member(member).is_some_and(|number| entry(table, number).insists);
    if let Some(member) = cannot {
        Verdict::Stays(number, Why::Member(member.line))
    } else if differ || facts.group.iter().any(insisted) {
        Verdict::Stays(number, Why::Differ)
    } else if !schedules
        .iter()
        .all(|schedule| *schedule == Schedule::Source || keeps_groups(*schedule))
    {
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
    let [schedule] = entry(table, number).schedules[..] else {
        return Verdict::LeftOut;
    };
    let can = |member: &GroupLoop| member.changeable != 0 && of_member(member) == Some(number);
    match schedule.learned().is_some() && facts.group.iter().all(can) {
        true => Verdict::Changes(number),
        false => Verdict::LeftOut,
    }
}

/// In which order a thread must run the loop's iterations.
pub(crate) fn order(flags: u32, schedule: u32, by_all: bool) -> Order {
    if flags & LOOP_LAST_READ == 0 && !is_monotonic(flags, schedule) {
        return Order::Any;
    }
    match by_all {
        true => Order::Kept,
        false => Order::Usual,
    }
}

/// `enum sched_type` of libomp's `kmp.h`
const DYNAMIC: u32 = 35;
const GUIDED: u32 = 36;
const MONOTONIC: u32 = 1 << 29;
const NONMONOTONIC: u32 = 1 << 30;

/// Does the source say `monotonic`? Before OpenMP 5.0 all schedules were, and compilers then gave no modifier.
fn is_monotonic(flags: u32, schedule: u32) -> bool {
    let is_old = flags & LOOP_DEALT != 0 && matches!(schedule, DYNAMIC | GUIDED);
    schedule & MONOTONIC != 0 && schedule & NONMONOTONIC == 0 || is_old
}

#[cfg(test)]
mod tests {
    use super::*;

    const FREE: u32 = LOOP_CHANGEABLE | LOOP_FREE;

    fn place(line: u32) -> Place<'static> {
        Place {
            file: "a.c",
            line,
            column: 1,
            function: "f",
        }
    }

    fn of(text: &str, flags: u32, bound: u8) -> Verdict {
        let facts = Facts {
            place: place(3),
            flags,
            schedule: 34,
            fixed: if flags & LOOP_CHANGEABLE == 0 {
                fixed::ORDERED
            } else {
                0
            },
            bound,
            group: &[],
        };
        verdict(&Table::parse(text).unwrap(), facts)
    }

    #[test]
    fn all_takes_what_is_free() {
        assert_eq!(of("*=dynamic", FREE, 0), Verdict::Changes(0));
        assert_eq!(
            of("*=dynamic", LOOP_CHANGEABLE, bound::NOWAIT),
            Verdict::LeftOut
        );
        assert_eq!(
            of("*=dynamic", LOOP_CHANGEABLE, bound::UNKNOWN),
            Verdict::LeftOut
        );
        assert_eq!(of("*=dynamic", 0, bound::NOWAIT), Verdict::Source);
        assert_eq!(of("*=source", FREE, 0), Verdict::Source);
        assert_eq!(of("g=dynamic", FREE, 0), Verdict::Source);
    }

    #[test]
    fn a_name_says_what_it_breaks() {
        let nowait = bound::sentence(bound::NOWAIT);
        assert_eq!(of("f=dynamic", FREE, 0), Verdict::Changes(0));
        assert_eq!(
            of("f=dynamic", LOOP_CHANGEABLE, bound::NOWAIT),
            Verdict::Breaks(0, nowait)
        );
        for bound in [bound::PAIR, bound::INLINE] {
            let why = bound::sentence(bound);
            let stays = Verdict::Stays(0, Why::Says(why));
            assert_eq!(of("a.c=dynamic", LOOP_CHANGEABLE, bound), stays);
            assert_eq!(
                of("!a.c=dynamic", LOOP_CHANGEABLE, bound),
                Verdict::Breaks(0, why)
            );
        }
        let ordered = of_fixed(fixed::ORDERED);
        for text in ["f=dynamic", "!f=dynamic"] {
            assert_eq!(of(text, 0, 0), Verdict::Stays(0, Why::Says(ordered)));
        }
    }

    fn in_group(text: &str, line: u32, changeable: [u32; 3]) -> Verdict {
        let mut group = [3, 5, 7].map(|line| GroupLoop {
            line,
            column: 1,
            changeable: 1,
        });
        for (member, changeable) in group.iter_mut().zip(changeable) {
            member.changeable = changeable;
        }
        let facts = Facts {
            place: place(line),
            flags: LOOP_CHANGEABLE,
            schedule: 34,
            fixed: 0,
            bound: bound::PAIR,
            group: &group,
        };
        verdict(&Table::parse(text).unwrap(), facts)
    }

    #[test]
    fn a_group_changes_as_one_or_not_at_all() {
        let of_each = |text| [3, 5, 7].map(|line| in_group(text, line, [1; 3]));
        use Verdict::{Changes, Follows, LeftOut, Source, Stays};
        assert_eq!(of_each("*=static,7"), [LeftOut, LeftOut, LeftOut]);
        assert_eq!(
            of_each("a.c=static,7"),
            [Changes(0), Changes(0), Changes(0)]
        );
        assert_eq!(
            of_each("*=dynamic; a.c:5=static,7"),
            [Follows(1), Changes(1), Follows(1)]
        );
        let stays = |number, why: fn() -> Why| [0; 3].map(|_| Stays(number, why()));
        assert_eq!(of_each("f=dynamic,3"), stays(0, || Why::Dealt));
        assert_eq!(of_each("f=static,3|guided"), stays(0, || Why::Dealt));
        assert_eq!(
            of_each("f=static,3|source"),
            [Changes(0), Changes(0), Changes(0)]
        );
        assert_eq!(
            of_each("f=static,3; a.c:5=static,4"),
            stays(1, || Why::Differ)
        );
        assert_eq!(
            of_each("f=static,3; a.c:5=source"),
            stays(1, || Why::Differ)
        );
        assert_eq!(of_each("f=source"), [Source, Source, Source]);
        for line in [3, 5, 7] {
            let why = Why::Member(7);
            assert_eq!(in_group("f=static,3", line, [1, 1, 0]), Stays(0, why));
        }
    }

    #[test]
    fn a_group_learns_as_one() {
        let of_each = |text| [3, 5, 7].map(|line| in_group(text, line, [1; 3]));
        use Verdict::{Changes, Follows, LeftOut, Source, Stays};
        for learned in ["balanced", "adaptive"] {
            let order = |text: &str| text.replace('L', learned);
            let of_each = |text| [3, 5, 7].map(|line| in_group(&order(text), line, [1; 3]));
            assert_eq!(of_each("*=L"), [Changes(0), Changes(0), Changes(0)]);
            assert_eq!(of_each("f=L"), [Changes(0), Changes(0), Changes(0)]);
            assert_eq!(of_each("a.c:5=L"), [Follows(0), Changes(0), Follows(0)]);
            let of_two = of_each("*=L; a.c:5=static,3");
            assert_eq!(of_two, [Follows(1), Changes(1), Follows(1)]);
            assert_eq!(of_each("*=L; a.c:5=source"), [Source, Source, Source]);
            let differ = [0; 3].map(|_| Stays(1, Why::Differ));
            assert_eq!(of_each("f=L; a.c:5=static,3"), differ);
            // One that is changed alone leaves the others without it.
            for line in [3, 7] {
                let insisted = order("*=L; !a.c:5=L");
                assert_eq!(in_group(&insisted, line, [1; 3]), LeftOut);
            }
            for line in [3, 5, 7] {
                assert_eq!(in_group(&order("*=L"), line, [1, 1, 0]), LeftOut);
                let stays = Stays(0, Why::Member(7));
                assert_eq!(in_group(&order("f=L"), line, [1, 1, 0]), stays);
            }
        }
        let in_turn = "f=static,3|balanced";
        assert_eq!(of_each(in_turn), [Changes(0), Changes(0), Changes(0)]);
        let by_all = of_each("*=static,3|balanced");
        assert_eq!(by_all, [LeftOut, LeftOut, LeftOut]);
    }

    #[test]
    fn who_insists_changes_one_alone() {
        let why = bound::sentence(bound::PAIR);
        assert_eq!(
            in_group("!a.c:5=dynamic", 5, [1; 3]),
            Verdict::Breaks(0, why)
        );
        assert_eq!(in_group("!a.c:5=dynamic", 3, [1; 3]), Verdict::Source);
        let differ = Verdict::Stays(0, Why::Differ);
        assert_eq!(in_group("f=static,3; !a.c:5=dynamic", 3, [1; 3]), differ);
    }

    #[test]
    fn what_is_monotonic_stays_so() {
        assert_eq!(order(0, 34, true), Order::Any);
        assert_eq!(order(LOOP_LAST_READ, 34, true), Order::Kept);
        assert_eq!(order(LOOP_LAST_READ, 34, false), Order::Usual);
        assert_eq!(order(0, 34 | MONOTONIC, true), Order::Kept);
        assert_eq!(order(LOOP_DEALT, DYNAMIC | MONOTONIC, false), Order::Usual);
        assert_eq!(order(LOOP_DEALT, DYNAMIC, true), Order::Kept);
        assert_eq!(order(LOOP_DEALT, DYNAMIC | NONMONOTONIC, true), Order::Any);
    }
}
