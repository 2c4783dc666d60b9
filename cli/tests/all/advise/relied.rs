//! Loops whose threads are relied on: nothing is proposed that breaks that, and the text says why.

use ompchunk_trace_format::{Group, LoopDefinition};
use serde_json::Value;

use super::made::{Made, unchunked};
use super::{advise, interval, is_left, json};
use crate::common::{must_say, succeed};

/// `ompt_chunk_free`, `ompt_chunk_mapped`, `ompt_chunk_no_barrier`
const FREE: u32 = 1 << 13;
const MAPPED: u32 = 1 << 14;
const NO_BARRIER: u32 = 1 << 9;
/// `ompt_chunk_bound_pair`, `ompt_chunk_bound_thread_number`
const PAIR: u8 = 5;
const THREAD_NUMBER: u8 = 6;

/// The loops in these lines, of which the one at the second cannot be changed if `fixed`.
fn grouped(lines: &[u32], fixed: bool) -> Vec<u8> {
    let all = lines.iter().enumerate();
    let words = all.flat_map(|(at, line)| [*line, 3, u32::from(at != 1 || !fixed)]);
    words.flat_map(u32::to_le_bytes).collect()
}

fn of_group<'a>(the_loop: u32, group: &'a [u8], flags: u32) -> LoopDefinition<'a> {
    let plain = unchunked(the_loop, "work");
    LoopDefinition { flags: plain.flags | MAPPED | flags, bound: PAIR, group: Group::from(group), ..plain }
}

/// Eight executions of each of two loops, 0 and 1, with these costs.
fn made(loops: &[LoopDefinition<'_>], costs: [fn(u64) -> f64; 2]) -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    let mut made = Made::new(directory.path(), 2, loops);
    for _ in 0..8 {
        for (the_loop, cost) in (0..).zip(costs) {
            made.execute(the_loop, 1000, 25, |i, _| cost(i));
        }
    }
    made.finish();
    directory
}

fn up(i: u64) -> f64 {
    (i + 1) as f64
}

fn down(i: u64) -> f64 {
    (1000 - i) as f64
}

fn line(all: &Value, line: u64) -> Value {
    let mut loops = all["loops"].as_array().unwrap().iter();
    loops.find(|the_loop| the_loop["line"] == line).unwrap().clone()
}

#[test]
fn a_pair_gets_one_static_schedule_or_none() {
    let group = grouped(&[10, 20], false);
    let loops = [of_group(0, &group, NO_BARRIER), of_group(1, &group, 0)];
    let directory = made(&loops, [up, up]);
    let all = json(directory.path(), &[]);
    let both = [line(&all, 10), line(&all, 20)];
    for (the_loop, other) in both.iter().zip([20, 10]) {
        let advice = the_loop["advice"].as_str().expect("advice");
        assert!(advice.starts_with("static,"), "{advice}");
        for one in the_loop["candidates"].as_array().unwrap() {
            assert_eq!(one["kind"], "static", "{one}");
        }
        let reason = the_loop["reason"].as_str().unwrap();
        let wanted = format!("as the loop at line {other}, without a barrier in between: no chunks may be dealt");
        must_say(reason, &wanted);
        assert_eq!((&the_loop["promise"], &the_loop["group"]), (&"group".into(), &serde_json::json!([10, 20])));
    }
    for same in ["advice", "predicted_ratio"] {
        assert_eq!(both[0][same], both[1][same]);
    }
    // Three quarters to a half, of the time of both.
    let [_, middle, _] = interval(&both[0]["predicted_ratio"]);
    assert!((middle - 2.0 / 3.0).abs() < 0.05, "{middle}");
    let gain = both.each_ref().map(|the_loop| interval(&the_loop["gain_of_run"])[1]);
    let whole = interval(&all["gain_of_run"])[1];
    assert!((gain[0] + gain[1] - whole).abs() < 1e-9, "{gain:?} {whole}");
    let text = succeed(&mut advise(directory.path(), &[]));
    let tried = format!("'a.c:10={0}; a.c:20={0}'", both[0]["advice"].as_str().unwrap());
    assert_eq!(text.matches(&tried).count(), 2, "{text}");
    // Asked about alone it is judged with the other.
    let alone = json(directory.path(), &["--loop", "a.c:20"]);
    assert_eq!(alone["loops"].as_array().unwrap().len(), 1);
    assert_eq!(line(&alone, 20)["predicted_ratio"], both[1]["predicted_ratio"]);
}

/// Each would gain alone; together the threads are busy alike.
#[test]
fn what_one_of_a_pair_gains_the_other_loses() {
    let group = grouped(&[10, 20], false);
    let loops = [of_group(0, &group, NO_BARRIER), of_group(1, &group, 0)];
    let directory = made(&loops, [up, down]);
    let all = json(directory.path(), &[]);
    is_left(&line(&all, 10));
    is_left(&line(&all, 20));
}

#[test]
fn a_group_of_which_one_cannot_be_changed_is_a_matter_of_its_source() {
    let group = grouped(&[10, 20], true);
    let loops = [of_group(0, &group, NO_BARRIER), of_group(1, &group, 0)];
    let directory = made(&loops, [up, up]);
    let all = json(directory.path(), &[]);
    let line = line(&all, 10);
    assert_eq!(line["changeable"], false);
    assert!(line["advice"].as_str().unwrap().starts_with("static,"), "{line:#}");
    let notes = line["notes"].to_string();
    must_say(&notes, "cannot be tried at run time");
    assert!(!succeed(&mut advise(directory.path(), &[])).contains("  try "));
}

/// Nobody waits behind either of them, so their balance says nothing.
#[test]
fn a_group_without_a_barrier_behind_it_is_left() {
    let group = grouped(&[10, 20], false);
    let loops = [of_group(0, &group, NO_BARRIER), of_group(1, &group, NO_BARRIER)];
    let all = json(made(&loops, [up, up]).path(), &[]);
    is_left(&line(&all, 20));
}

/// A group of which not all is told is as bad as none.
#[test]
fn what_is_bound_is_left_alone_and_says_why_if_asked() {
    let plain = unchunked(0, "asks");
    let asks = LoopDefinition { bound: THREAD_NUMBER, ..plain };
    let untold = of_group(1, &[], 0);
    let directory = made(&[asks, untold], [up, up]);
    let all = json(directory.path(), &[]);
    for (number, why) in [(10, "asks for the thread's number"), (20, "another loop, without a barrier")] {
        let line = line(&all, number);
        is_left(&line);
        assert_eq!(line["promise"], "bound");
        assert_eq!(line["candidates"], Value::Array(Vec::new()));
        let reason = line["reason"].as_str().unwrap();
        assert!(reason.starts_with("its schedule must stay as it is: ") && reason.contains(why), "{reason}");
    }
    let text = succeed(&mut advise(directory.path(), &[]));
    must_say(&text, "no other schedule is considered for a.c:10, a.c:20: ");
    assert!(!text.contains("loop 1 "), "{text}");
    for words in [&["--all"][..], &["--loop", "asks"]] {
        let text = succeed(&mut advise(directory.path(), words));
        must_say(&text, "asks for the thread's number");
        assert!(!text.contains("dynamic,") && !text.contains("no other schedule is considered"), "{text}");
    }
}

#[test]
fn what_nobody_looked_into_is_advised_with_a_word() {
    let free = LoopDefinition { flags: unchunked(0, "free").flags | FREE, ..unchunked(0, "free") };
    let directory = made(&[free, unchunked(1, "old")], [up, up]);
    let all = json(directory.path(), &[]);
    for (number, promise) in [(10, "free"), (20, "unknown")] {
        let line = line(&all, number);
        assert!(line["advice"].is_string(), "{line:#}");
        assert_eq!(line["promise"], promise);
    }
    let notes = all["notes"].to_string();
    assert_eq!(notes.matches("for 1 loop it is not known whether anything relies").count(), 1, "{notes}");
    let only = json(directory.path(), &["--loop", "free"]);
    assert!(!only["notes"].to_string().contains("not known whether"), "{only:#}");
}
