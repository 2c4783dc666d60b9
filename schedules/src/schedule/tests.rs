//! What texts mean, and which are none.

use super::*;

fn numbers(text: &str) -> Option<(u32, u32)> {
    Schedule::parse(text).unwrap().for_runtime(Order::Any)
}

#[test]
fn what_clang_passes() {
    // clang 22 and 19, OpenMP 5.1, read from their IR.
    let cases = [
        ("static", (34, 1)),
        ("static,8", (33, 8)),
        ("balanced", (34, 1)),
        ("dynamic", (1_073_741_859, 1)),
        ("dynamic,16", (1_073_741_859, 16)),
        ("guided,4", (1_073_741_860, 4)),
        ("runtime", (1_073_741_861, 1)),
        ("auto", (1_073_741_862, 1)),
        ("monotonic:dynamic,3", (536_870_947, 3)),
        (" NonMonotonic : Guided , 7 ", (1_073_741_860, 7)),
        ("monotonic:static,2", (536_870_945, 2)),
    ];
    for (text, wanted) in cases {
        assert_eq!(numbers(text), Some(wanted), "{text}");
    }
    assert_eq!(numbers("source"), None);
}

#[test]
fn in_order_unless_said_otherwise() {
    let under = |order, text| Schedule::parse(text).unwrap().for_runtime(order).unwrap().0;
    assert_eq!(under(Order::Usual, "dynamic"), 35 | MONOTONIC);
    assert_eq!(under(Order::Usual, "nonmonotonic:dynamic"), 35 | NONMONOTONIC);
    assert_eq!(under(Order::Kept, "nonmonotonic:dynamic"), 35 | MONOTONIC);
    assert_eq!(under(Order::Kept, "guided"), 36 | MONOTONIC);
    assert_eq!(under(Order::Usual, "static,2"), 33);
    assert_eq!(under(Order::Kept, "static,2"), 33);
}

#[test]
fn no_chunk_of_the_source_is_cut() {
    let kept = |text, whole| {
        let kept = Schedule::parse(text).unwrap().keeping(whole);
        kept.map(|schedule| schedule.to_string())
    };
    for (text, wanted) in [
        ("static,7", Some("static,100")),
        ("static,100", Some("static,100")),
        ("static,101", Some("static,200")),
        ("dynamic", Some("dynamic,100")),
        ("monotonic:dynamic,250", Some("monotonic:dynamic,300")),
        ("balanced", Some("balanced")),
        ("adaptive", Some("adaptive")),
        ("source", Some("source")),
        ("dynamic,2147483647", None),
        ("static", None),
        ("guided,100", None),
        ("auto", None),
        ("runtime", None),
    ] {
        assert_eq!(kept(text, 100).as_deref(), wanted, "{text}");
        assert_eq!(kept(text, 1).as_deref(), Some(text));
    }
    assert_eq!(kept("static", i32::MAX as u32 + 1), None);
    assert_eq!(kept("static,7", u32::MAX), None);
}

#[test]
fn printed_as_written() {
    for text in ["source", "static", "balanced", "dynamic,16", "monotonic:guided,2"] {
        assert_eq!(Schedule::parse(text).unwrap().to_string(), text);
    }
}

#[test]
fn mistakes() {
    for (text, part) in [
        ("", "no schedule"),
        ("dynamc", "no schedule"),
        ("dynamic,", "no chunk size"),
        ("dynamic,0", "no chunk size"),
        ("dynamic,-1", "no chunk size"),
        ("dynamic,+1", "no chunk size"),
        ("dynamic,2147483648", "no chunk size"),
        ("dynamic,99999999999999999999", "no chunk size"),
        ("dynamic,1,2", "no chunk size"),
        ("auto,4", "takes no chunk size"),
        ("balanced,4", "takes no chunk size"),
        ("monotonic:balanced", "leave it away"),
        ("adaptive,4", "takes no chunk size"),
        ("runtime,4", "takes no chunk size"),
        ("simd:static", "no modifier"),
        ("nonmonotonic:static", "monotonic"),
    ] {
        let error = Schedule::parse(text).unwrap_err();
        assert!(error.contains(part), "{text}: {error}");
    }
}
