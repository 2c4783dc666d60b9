//! Blocks of equal cost, `balanced`, among what is predicted.

use serde_json::Value;

use super::made::{Made, unchunked};
use super::{advise, interval, json, of, ratio};
use crate::common::{must_say, succeed};

fn balanced(the_loop: &Value) -> [f64; 3] {
    let balanced = &the_loop["balanced"];
    assert_eq!(balanced["schedule"], "balanced", "{the_loop:#}");
    assert_eq!((&balanced["kind"], &balanced["chunk"]), (&"balanced".into(), &Value::Null));
    interval(&balanced["predicted_ratio"])
}

#[test]
fn a_triangle_takes_its_even_share() {
    for threads in [2, 4, 7] {
        let the_loop = of(threads, |i, _, _| (1000 - i) as f64);
        let n = f64::from(threads);
        let perfect = (500.0 / n) / (1000.0 * (1.0 - (1.0 - 1.0 / n).powi(2)) / 2.0);
        let [low, middle, high] = balanced(&the_loop);
        assert!((middle - perfect).abs() < 0.03, "{threads}: {middle}, not {perfect}");
        assert!(low > perfect - 0.05 && high < perfect + 0.1, "{low} {high}");
    }
}

/// What is even stays so, and what differs from execution to execution is not known before it runs.
#[test]
fn it_promises_nothing_where_nothing_is_to_be_learned() {
    let even = balanced(&of(4, |_, _, _| 100.0));
    assert!((even[1] - 1.0).abs() < 0.02, "{even:?}");
    // A dear quarter at the begin or the end, by turns.
    let by_turns = of(2, |i, _, execution| {
        let dear = if execution % 2 == 0 { 0..250 } else { 750..1000 };
        if dear.contains(&i) { 900.0 } else { 100.0 }
    });
    let [_, middle, _] = balanced(&by_turns);
    assert!((0.9..1.1).contains(&middle), "{middle}");
    let dealt = ratio(&by_turns, "dynamic,16");
    assert!(dealt[1] < middle - 0.2, "{dealt:?}");
}

#[test]
fn one_execution_tells_nothing_of_the_next() {
    let directory = tempfile::tempdir().unwrap();
    let mut made = Made::new(directory.path(), 2, &[unchunked(0, "work")]);
    made.execute(0, 1000, 25, |i, _| i as f64);
    made.finish();
    assert_eq!(json(directory.path(), &[])["loops"][0]["balanced"], Value::Null);
}

#[test]
fn a_table_has_it_without_a_clause() {
    let directory = tempfile::tempdir().unwrap();
    let mut made = Made::new(directory.path(), 2, &[unchunked(0, "work")]);
    for _ in 0..8 {
        made.execute(0, 1000, 25, |i, _| i as f64);
    }
    made.finish();
    let text = succeed(&mut advise(directory.path(), &["--all"]));
    must_say(&text, "balanced (no clause)");
    let patterns = text.matches("=balanced").count();
    assert_eq!(patterns, 0, "a clause does as well: {text}");
}
