//! What becomes of a loop, by its record and the table alone.

use super::*;

const FREE: u32 = LOOP_CHANGEABLE | LOOP_FREE;

fn place(line: u32) -> Place<'static> {
    Place { file: "a.c", line, column: 1, function: "f" }
}

fn verdict_of(text: &str, flags: u32, bound: u8) -> Verdict {
    let facts = Facts {
        place: place(3),
        flags,
        schedule: 34,
        fixed: if flags & LOOP_CHANGEABLE == 0 { fixed::ORDERED } else { 0 },
        bound,
        chunk: Some(1),
        group: &[],
    };
    verdict(&Table::parse(text).unwrap(), facts)
}

fn of_chunks(text: &str, chunk: Option<u32>) -> (Verdict, bool) {
    let facts = Facts { place: place(3), flags: FREE, schedule: 33, fixed: 0, bound: 0, chunk, group: &[] };
    let table = Table::parse(text).unwrap();
    let cuts = cuts_by_name(&table.entries()[0], facts);
    (verdict(&table, facts), cuts)
}

#[test]
fn only_a_name_cuts_chunks_of_the_source() {
    use Verdict::{Changes, LeftWhole, Stays};
    let changes = |cuts| (Changes(0), cuts);
    for text in ["*=static,7", "*=dynamic", "*=balanced", "*=balanced|dynamic,3"] {
        assert_eq!(of_chunks(text, Some(100)), changes(false), "{text}");
        assert_eq!(of_chunks(text, None), (LeftWhole, false), "{text}");
    }
    for text in ["*=static", "*=guided", "*=auto", "*=static,7|guided,100"] {
        assert_eq!(of_chunks(text, Some(100)), (LeftWhole, false), "{text}");
        assert_eq!(of_chunks(text, Some(1)), changes(false), "{text}");
    }
    for text in ["f=static,7", "f=static", "!f=dynamic,150", "f=guided"] {
        assert_eq!(of_chunks(text, Some(100)), changes(true), "{text}");
        assert_eq!(of_chunks(text, None), changes(true), "{text}");
        assert_eq!(of_chunks(text, Some(1)), changes(false), "{text}");
    }
    for text in ["f=static,300", "!f=dynamic,100"] {
        assert_eq!(of_chunks(text, Some(100)), changes(false), "{text}");
    }
    for text in ["f=balanced", "!f=adaptive"] {
        assert_eq!(of_chunks(text, Some(100)), changes(false), "{text}");
        assert_eq!(of_chunks(text, None).0, Stays(0, Why::Chunks), "{text}");
    }
}

#[test]
fn all_takes_what_is_free() {
    assert_eq!(verdict_of("*=dynamic", FREE, 0), Verdict::Changes(0));
    assert_eq!(verdict_of("*=dynamic", LOOP_CHANGEABLE, bound::NOWAIT), Verdict::LeftOut);
    assert_eq!(verdict_of("*=dynamic", LOOP_CHANGEABLE, bound::UNKNOWN), Verdict::LeftOut);
    assert_eq!(verdict_of("*=dynamic", 0, bound::NOWAIT), Verdict::Source);
    assert_eq!(verdict_of("*=source", FREE, 0), Verdict::Source);
    assert_eq!(verdict_of("g=dynamic", FREE, 0), Verdict::Source);
}

#[test]
fn a_name_says_what_it_breaks() {
    let nowait = bound::sentence(bound::NOWAIT);
    assert_eq!(verdict_of("f=dynamic", FREE, 0), Verdict::Changes(0));
    assert_eq!(verdict_of("f=dynamic", LOOP_CHANGEABLE, bound::NOWAIT), Verdict::Breaks(0, nowait));
    for bound in [bound::PAIR, bound::INLINE] {
        let why = bound::sentence(bound);
        let stays = Verdict::Stays(0, Why::Says(why));
        assert_eq!(verdict_of("a.c=dynamic", LOOP_CHANGEABLE, bound), stays);
        assert_eq!(verdict_of("!a.c=dynamic", LOOP_CHANGEABLE, bound), Verdict::Breaks(0, why));
    }
    let ordered = of_fixed(fixed::ORDERED);
    for text in ["f=dynamic", "!f=dynamic"] {
        assert_eq!(verdict_of(text, 0, 0), Verdict::Stays(0, Why::Says(ordered)));
    }
}

fn in_group(text: &str, line: u32, changeable: [u32; 3]) -> Verdict {
    let mut group = [3, 5, 7].map(|line| GroupLoop { line, column: 1, changeable: 1 });
    for (member, changeable) in group.iter_mut().zip(changeable) {
        member.changeable = changeable;
    }
    let facts = Facts {
        place: place(line),
        flags: LOOP_CHANGEABLE,
        schedule: 34,
        fixed: 0,
        bound: bound::PAIR,
        chunk: Some(1),
        group: &group,
    };
    verdict(&Table::parse(text).unwrap(), facts)
}

#[test]
fn a_group_changes_as_one_or_not_at_all() {
    let of_each = |text| [3, 5, 7].map(|line| in_group(text, line, [1; 3]));
    use Verdict::{Changes, Follows, LeftOut, Source, Stays};
    assert_eq!(of_each("*=static,7"), [LeftOut, LeftOut, LeftOut]);
    assert_eq!(of_each("a.c=static,7"), [Changes(0), Changes(0), Changes(0)]);
    assert_eq!(of_each("*=dynamic; a.c:5=static,7"), [Follows(1), Changes(1), Follows(1)]);
    let stays = |number, why: fn() -> Why| [0; 3].map(|_| Stays(number, why()));
    assert_eq!(of_each("f=dynamic,3"), stays(0, || Why::Dealt));
    assert_eq!(of_each("f=static,3|guided"), stays(0, || Why::Dealt));
    assert_eq!(of_each("f=static,3|source"), [Changes(0), Changes(0), Changes(0)]);
    assert_eq!(of_each("f=static,3; a.c:5=static,4"), stays(1, || Why::Differ));
    assert_eq!(of_each("f=static,3; a.c:5=source"), stays(1, || Why::Differ));
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
    assert_eq!(in_group("!a.c:5=dynamic", 5, [1; 3]), Verdict::Breaks(0, why));
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
