//! What was said and was wrong: each with a trace in which it was.

use ompchunk_trace_format::{Event, LoopBegin, LoopDefinition};
use serde_json::Value;

use super::made::{Made, unchunked};
use super::{interval, is_left, json, of, ratio};
use crate::common::{clean, must_say};

/// `ompt_work_t`
const DYNAMIC: u32 = 11;

fn reason(the_loop: &Value) -> &str {
    the_loop["reason"].as_str().expect("a reason")
}

/// Twice as long for each iteration of a thread, as where it has the slower core: what is dealt helps whatever it comes from, unless it
/// passes; so it is no advice, and worth measuring.
#[test]
fn a_thread_that_takes_twice_as_long() {
    let the_loop = of(2, |_, thread, _| if thread == 1 { 200.0 } else { 100.0 });
    is_left(&the_loop);
    let [_, middle, high] = interval(&the_loop["possible"]["predicted_ratio"]);
    assert!((0.63..0.72).contains(&middle) && high > 0.97, "{the_loop:#}");
    let [_, dynamic, _] = ratio(&the_loop, "dynamic,8");
    assert!((dynamic - 2.0 / 3.0).abs() < 0.04, "{the_loop:#}");
    let said = reason(&the_loop);
    assert!(said.starts_with("one thread takes 2.00 times as long per iteration as another"), "{said}");
    assert!(!said.contains("dealing"), "{said}");
}

/// A little slower may be the machine: nothing is expected of it.
#[test]
fn a_thread_that_is_a_little_slower() {
    let the_loop = of(2, |_, thread, _| if thread == 1 { 115.0 } else { 100.0 });
    is_left(&the_loop);
    assert!(the_loop["possible"].is_null(), "{the_loop:#}");
}

/// One run of many in which a thread was held up changes nothing of what is said of all.
#[test]
fn one_odd_run_of_many() {
    let odd = |execution: u32, thread| execution == 5 && thread == 1;
    let steep = |i: u64| (1000 - i) as f64;
    let even = of(2, |_, thread, execution| if odd(execution, thread) { 2000.0 } else { 100.0 });
    is_left(&even);
    let usual = of(2, |i, _, _| steep(i));
    let with_one = of(2, |i, thread, execution| steep(i) * if odd(execution, thread) { 20.0 } else { 1.0 });
    let [usual, now] = [usual, with_one].map(|the_loop| ratio(&the_loop, "dynamic,8")[1]);
    assert!((usual - now).abs() < 0.1, "{usual} {now}");
}

#[test]
fn three_equal_iterations_for_two_threads() {
    let directory = tempfile::tempdir().unwrap();
    let mut made = Made::new(directory.path(), 2, &[unchunked(0, "work")]);
    (0..8).for_each(|_| made.execute(0, 3, 2, |_, _| 1000.0));
    made.finish();
    let json = json(directory.path(), &[])["loops"][0].clone();
    is_left(&json);
    let said = reason(&json);
    assert!(said.contains("no other schedule shares them better, only more iterations do (collapse(2)"), "{said}");
}

/// Chunks of one iteration that two threads take from their halves, each with the ticks that it lasts and those of the bookkeeping
/// before it; the last quarter of the loop is held up.
fn dealt([usual, held_up]: [(u64, u64); 2]) -> Value {
    let directory = tempfile::tempdir().unwrap();
    let the_loop =
        LoopDefinition { schedule: 35, chunk: 1, flags: unchunked(0, "work").flags | 1 << 2, ..unchunked(0, "work") };
    let mut made = Made::new(directory.path(), 2, &[the_loop]);
    let trips = 4000;
    for region in 1..=8 {
        let mut ends = Vec::new();
        for lane in 0..2 {
            made.maker.task(lane, made.at, region, 2);
            let begin = LoopBegin { the_loop: 0, work: DYNAMIC, count: trips, start: None, step: None };
            made.maker.put(lane, made.at, &Event::LoopBegin(begin));
            let mut now = made.at;
            for i in 0..trips / 2 {
                let lower = u64::from(lane) * trips / 2 + i;
                let (lasts, bookkeeping) = if lower >= trips * 3 / 4 { held_up } else { usual };
                made.maker.chunk(lane, now, lower, 1, bookkeeping);
                now += lasts;
            }
            made.maker.put(lane, now, &Event::LoopEnd { the_loop: 0 });
            ends.push(now);
        }
        let last = ends[0].max(ends[1]);
        for lane in 0..2 {
            let end = Event::ImplicitTaskEnd { parallel: region };
            made.maker.put(lane, last, &end);
        }
        made.at = last + 10;
    }
    made.finish();
    json(directory.path(), &[])["loops"][0].clone()
}

/// Chunks that take no longer than dealing may take tell nothing of their iterations, nor that some of them took longer.
#[test]
fn what_dealing_hides() {
    // A reading of the clock is one microsecond, and so much may dealing take where nobody measured it.
    let the_loop = dealt([(2, 0), (4, 0)]);
    let [low, _, high] = ratio(&the_loop, "static");
    assert!(low < 0.001 && high > 0.5, "{the_loop:#}");
    let said = reason(&the_loop);
    must_say(said, "that does not show how long its iterations take");
    assert!(!said.contains("the others") && !said.contains("alike"), "{said}");
    // Where they take far longer, dealing is little of it.
    let dealt = dealt([(200, 0), (400, 0)]);
    let said = reason(&dealt);
    assert!(said.starts_with("iterations 300") && said.contains(" take 2.00 times the others"), "{said}");
}

/// Where the bookkeeping was timed, it is in no iteration's time, and equal ones are equal.
#[test]
fn dealing_that_was_timed() {
    let dealt = dealt([(62, 38), (84, 60)]);
    let said = reason(&dealt);
    assert!(said.starts_with("iterations are alike"), "{said}");
    let [low, middle, high] = ratio(&dealt, "static");
    // 19 to 23 microseconds of each iteration; 37 and 59 of dealing it.
    assert!(low > 0.2 && middle < 0.6 && high < 0.8, "{low} {middle} {high}");
}

#[test]
fn nested_teams_are_not_judged() {
    let directory = tempfile::tempdir().unwrap();
    let maker = |lanes: u32, made: &mut Made, region: u64| {
        for lane in 0..lanes {
            made.maker.task(lane, made.at, region, 2);
        }
    };
    let mut made = Made::new(directory.path(), 2, &[unchunked(0, "work")]);
    maker(2, &mut made, 100);
    (0..4).for_each(|_| made.execute(0, 1000, 25, |i, _| (1000 - i) as f64));
    made.finish();
    let json = json(directory.path(), &[])["loops"][0].clone();
    is_left(&json);
    let said = reason(&json);
    assert!(said.starts_with("the loop runs in nested teams: "), "{said}");
    assert_eq!(json["candidates"], Value::Array(Vec::new()));
}

/// A loop of a template in three functions: two of them triangles, of which one is far longer than the others, the third even.
#[test]
fn one_line_has_one_schedule() {
    let directory = tempfile::tempdir().unwrap();
    let of = |the_loop, function| LoopDefinition { line: 10, ..unchunked(the_loop, function) };
    let loops = [of(0, "work<1>"), of(1, "work<2>"), of(2, "work<3>")];
    let mut made = Made::new(directory.path(), 2, &loops);
    for _ in 0..8 {
        made.execute(0, 1000, 25, |i, _| 10.0 * (1000 - i) as f64);
        made.execute(1, 1000, 25, |i, _| (i + 1) as f64);
        made.execute(2, 1000, 25, |_, _| 500.0);
    }
    made.finish();
    let all = json(directory.path(), &[]);
    let loops = all["loops"].as_array().unwrap();
    assert_eq!(loops.len(), 3);
    let advice = loops[0]["advice"].as_str().expect("advice");
    for the_loop in loops {
        assert_eq!(the_loop["advice"], advice, "{the_loop:#}");
        let said = reason(the_loop);
        assert!(said.starts_with("one clause applies to the 3 functions that the line is compiled into"), "{said}");
    }
    // Asked about one, all are judged.
    let one = json(directory.path(), &["--loop", "work<3>"]);
    assert_eq!(one["loops"].as_array().unwrap().len(), 1);
    assert_eq!(one["loops"][0]["advice"], advice);
}

/// Where a clause is advised, the report's hints do not say of the same loop that nothing helps.
#[test]
fn hints_do_not_contradict() {
    let costs: [fn(u64) -> f64; 4] = [
        |i| (1000 - i) as f64,
        |i| if i < 300 { 900.0 } else { 100.0 },
        |i| if i == 400 { 60_000.0 } else { 100.0 },
        |i| {
            if (200..240).contains(&i) { 20_000.0 } else { 100.0 }
        },
    ];
    for cost in costs {
        let directory = tempfile::tempdir().unwrap();
        let mut made = Made::new(directory.path(), 2, &[unchunked(0, "work")]);
        (0..8).for_each(|_| made.execute(0, 1000, 500, |i, _| cost(i)));
        made.finish();
        let advised = json(directory.path(), &[])["loops"][0].clone();
        let mut report = clean(env!("CARGO_BIN_EXE_ompchunk"));
        report.args(["report", ".", "--json"]);
        let report = crate::common::json(report.current_dir(directory.path()));
        let hints = report["loops"][0]["hints"].as_array().unwrap();
        let denies = |hint: &Value| hint["text"].as_str().unwrap().contains("no schedule");
        assert!(advised["advice"].is_null() || !hints.iter().any(denies), "{advised:#} {hints:#?}");
    }
}
