//! `ompchunk advise` on traces whose best schedule is known.

mod attacked;
mod balanced;
mod made;
mod odd;
mod patch;
mod ranks;
mod real;
mod relied;

use std::path::Path;
use std::process::Command;

use made::{Made, noise, unchunked};
use serde_json::Value;

use crate::common::{clean, fail, must_say, succeed};

/// With a cache of its own, and a runtime that is not there: what dealing costs must not decide here.
fn advise(directory: &Path, words: &[&str]) -> Command {
    let mut command = clean(env!("CARGO_BIN_EXE_ompchunk"));
    command
        .args(["advise", ".", "--runtime", "/nothing/libomp.so"])
        .args(words)
        .env("XDG_CACHE_HOME", directory.join("cache"))
        .current_dir(directory);
    command
}

fn json(directory: &Path, words: &[&str]) -> Value {
    crate::common::json(&mut advise(directory, &[&["--json"], words].concat()))
}

/// Low, middle, high, in order.
fn interval(value: &Value) -> [f64; 3] {
    let ends = ["low", "middle", "high"].map(|end| value[end].as_f64().expect("a number"));
    assert!(ends[0] <= ends[1] && ends[1] <= ends[2], "{ends:?}");
    ends
}

/// One loop with this cost of iterations in each of eight executions, on so many threads.
fn of(threads: u32, mut cost: impl FnMut(u64, u32, u32) -> f64) -> Value {
    let directory = tempfile::tempdir().unwrap();
    let mut made = Made::new(directory.path(), threads, &[unchunked(0, "work")]);
    for execution in 0..8 {
        made.execute(0, 1000, 25, |i, thread| cost(i, thread, execution));
    }
    made.finish();
    json(directory.path(), &[])["loops"][0].clone()
}

/// What a schedule is predicted to make of it.
fn ratio(the_loop: &Value, schedule: &str) -> [f64; 3] {
    let all = the_loop["candidates"].as_array().expect("a list");
    let found = all.iter().find(|the_loop| the_loop["schedule"] == schedule);
    interval(&found.unwrap_or_else(|| panic!("no {schedule}: {all:?}"))["predicted_ratio"])
}

fn is_left(the_loop: &Value) {
    assert_eq!(the_loop["advice"], Value::Null, "{the_loop:#}");
    assert_eq!(the_loop["clause"], Value::Null);
    assert_eq!(the_loop["predicted_ratio"], Value::Null);
    assert_eq!(the_loop["now"], "static", "{the_loop:#}");
    assert!(the_loop["reason"].as_str().is_some_and(|the_loop| the_loop.len() > 20));
}

#[test]
fn a_triangle_is_dealt_on_demand() {
    for threads in [2, 4, 7] {
        let the_loop = of(threads, |i, _, _| (1000 - i) as f64);
        let advice = the_loop["advice"].as_str().expect("advice");
        assert!(!advice.starts_with("static") || advice.contains(','), "{advice}");
        assert_eq!(the_loop["clause"], format!("schedule({advice})"));
        let n = f64::from(threads);
        // The first block to an even share.
        let perfect = (500.0 / n) / (1000.0 * (1.0 - (1.0 - 1.0 / n).powi(2)) / 2.0);
        let [low, middle, high] = interval(&the_loop["predicted_ratio"]);
        assert!((middle - perfect).abs() < 0.04, "{threads}: {middle}, not {perfect}");
        assert!(low < perfect + 0.02 && high < 0.9, "{low} {high}");
        assert!(the_loop["reason"].as_str().unwrap().contains("iterations become cheaper"), "{the_loop:#}");
        let now = interval(&the_loop["seconds_now"]);
        let then = interval(&the_loop["predicted_seconds"]);
        assert!((then[1] / now[1] - middle).abs() < 1e-9);
        assert_eq!(ratio(&the_loop, "static"), [1.0; 3]);
    }
}

#[test]
fn a_step_is_named_with_its_numbers() {
    let the_loop = of(4, |i, _, _| if i < 300 { 900.0 } else { 100.0 });
    assert!(the_loop["advice"].is_string(), "{the_loop:#}");
    let reason = the_loop["reason"].as_str().unwrap();
    // In steps of eight iterations.
    let named = reason.strip_prefix("iterations 0 to ").expect(reason);
    let (last, rest) = named.split_once(" take ").expect(reason);
    assert!((290..310).contains(&last.parse::<u32>().unwrap()), "{reason}");
    let times = rest.split(' ').next().unwrap();
    assert!((8.5..9.1).contains(&times.parse::<f64>().unwrap()), "{reason}");
    let [_, middle, _] = interval(&the_loop["predicted_ratio"]);
    let perfect = (300.0 * 900.0 + 700.0 * 100.0) / 4.0 / (250.0 * 900.0);
    assert!((middle - perfect).abs() < 0.04, "{middle}, not {perfect}");
}

#[test]
fn a_spike_is_shared_out_in_small_chunks() {
    let the_loop = of(2, |i, _, _| if (200..240).contains(&i) { 20_000.0 } else { 100.0 });
    let advice = the_loop["advice"].as_str().expect("advice");
    let chunk: u64 = advice.rsplit(',').next().unwrap().parse().unwrap();
    assert!(chunk < 40, "{advice}");
    let reason = the_loop["reason"].as_str().unwrap();
    assert!(reason.contains("4.0 % of all") || reason.contains("% of all) take"), "{reason}");
}

#[test]
fn what_is_even_is_left() {
    is_left(&of(2, |_, _, _| 100.0));
    is_left(&of(6, |_, _, _| 1000.0));
}

/// Threads are busy in different measure, and no schedule changes that: why not is said.
#[test]
fn what_cannot_be_shared_out_otherwise() {
    let of = |trips: u64, dear: u64| {
        let directory = tempfile::tempdir().unwrap();
        let mut made = Made::new(directory.path(), 2, &[unchunked(0, "work")]);
        for _ in 0..8 {
            made.execute(0, trips, 5, |i, _| if i == dear { 900_000.0 } else { 1000.0 });
        }
        made.finish();
        let json = json(directory.path(), &[])["loops"][0].clone();
        is_left(&json);
        json["reason"].as_str().unwrap().to_owned()
    };
    let two = of(2, 0);
    must_say(&two, "2 iterations for 2 threads cannot");
    let one = of(9, 8);
    must_say(&one, "a single iteration takes that long");
}

#[test]
fn noise_is_left() {
    let mut seed = 1;
    is_left(&of(4, |_, _, _| 100.0 + 200.0 * noise(&mut seed)));
}

/// As on a machine with other programs: a core is slow for a while, another one the next time.
#[test]
fn threads_that_are_slow_now_and_then_are_no_reason() {
    let mut seed = 3;
    for how in [1.1, 1.25, 1.45] {
        let slow: Vec<u32> = (0..8).map(|_| (noise(&mut seed) * 4.0) as u32).collect();
        let the_loop = of(4, |_, thread, execution| match slow[execution as usize] == thread {
            true => 100.0 * how,
            false => 100.0,
        });
        is_left(&the_loop);
    }
}

/// A jump where one thread's iterations end and another's begin may be the thread's.
#[test]
fn a_slow_thread_is_not_taken_for_dear_iterations() {
    let the_loop = of(2, |_, thread, _| if thread == 1 { 125.0 } else { 100.0 });
    is_left(&the_loop);
    let notes = the_loop["notes"].as_array().unwrap();
    let says = |note: &Value| note.as_str().unwrap().contains("jumps by 1.25");
    assert!(notes.iter().any(says), "{notes:?}");
}

/// Nor if it is much slower, or loops become shorter, or costs change from iteration to iteration.
#[test]
fn a_slow_thread_of_any_kind_is_left() {
    for how in [1.4, 1.9, 2.6] {
        let slow = |thread: u32| if thread == 1 { how } else { 1.0 };
        is_left(&of(2, |_, thread, _| 100.0 * slow(thread)));
        is_left(&of(2, |i, thread, _| (100 + i % 7) as f64 * slow(thread)));
        let directory = tempfile::tempdir().unwrap();
        let mut made = Made::new(directory.path(), 2, &[unchunked(0, "work")]);
        for execution in 0..8 {
            made.execute(0, 1600 - execution * 160, 10, |_, thread| 100.0 * slow(thread));
        }
        made.finish();
        is_left(&json(directory.path(), &[])["loops"][0]);
    }
}

/// What is done once is not the schedule's, and nobody saves it.
#[test]
fn a_first_run_that_takes_longer_is_left_out() {
    let directory = tempfile::tempdir().unwrap();
    let mut made = Made::new(directory.path(), 2, &[unchunked(0, "work")]);
    for execution in 0..9 {
        // Thread 0 builds a table; later runs are triangles.
        made.execute(0, 1000, 25, |i, thread| match (execution, thread) {
            (0, 0) => 50_000.0,
            _ => (1000 - i) as f64,
        });
    }
    made.finish();
    let all = json(directory.path(), &[]);
    let the_loop = &all["loops"][0];
    let [_, middle, _] = interval(&the_loop["predicted_ratio"]);
    assert!((middle - 2.0 / 3.0).abs() < 0.03, "{middle}");
    let [_, now, _] = interval(&the_loop["seconds_now"]);
    let [_, then, _] = interval(&the_loop["predicted_seconds"]);
    // A run of the others takes 375 us, the first one 25 ms.
    let saved = (now - then) / now;
    let expected = 8.0 * 375.0 / (25_000.0 + 8.0 * 375.0) / 3.0;
    assert!((saved / expected - 1.0).abs() < 0.1, "{saved} {expected}");
    let [_, gain, _] = interval(&the_loop["gain_of_run"]);
    assert!(gain <= saved * 1.001, "{gain} {saved}");
    let notes = the_loop["notes"].as_array().unwrap();
    let says = |note: &Value| note.as_str().unwrap().starts_with("the first run takes ");
    assert!(notes.iter().any(says), "{notes:?}");
}

#[test]
fn few_and_unequal_executions_make_wide_intervals() {
    let width = |executions: u32, spread: f64| {
        let directory = tempfile::tempdir().unwrap();
        let mut made = Made::new(directory.path(), 2, &[unchunked(0, "work")]);
        let mut seed = 5;
        for _ in 0..executions {
            let steep = 0.5 + spread * (noise(&mut seed) - 0.5);
            made.execute(0, 1000, 25, |i, _| 100.0 + (1000 - i) as f64 * steep);
        }
        made.finish();
        let json = json(directory.path(), &[])["loops"][0].clone();
        let [low, _, high] = ratio(&json, "static,8");
        high - low
    };
    let (many, one) = (width(16, 0.0), width(1, 0.0));
    assert!(one > many + 0.02, "{one} {many}");
    let varies = width(16, 1.0);
    assert!(varies > many + 0.01, "{varies} {many}");
}

#[test]
fn the_form_is_as_it_is_described() {
    let directory = tempfile::tempdir().unwrap();
    let loops = [unchunked(0, "steep"), unchunked(1, "even")];
    let mut made = Made::new(directory.path(), 2, &loops);
    for _ in 0..4 {
        made.execute(0, 500, 10, |i, _| (500 - i) as f64);
        made.execute(1, 500, 10, |_, _| 10.0);
    }
    made.finish();
    let all = json(directory.path(), &[]);
    assert_eq!(all["schema"], "ompchunk-advice");
    assert_eq!(all["version"], 1);
    assert_eq!(all["threads"], Value::Null);
    assert_eq!(all["dealing"], Value::Null);
    interval(&all["gain_of_run"]);
    let loops = all["loops"].as_array().unwrap();
    assert_eq!(loops.len(), 2);
    for the_loop in loops {
        assert_eq!(the_loop["file"], "src/a.c");
        assert!(the_loop["line"].is_u64() && the_loop["function"].is_string());
        assert_eq!(the_loop["now"], "static");
        assert_eq!(the_loop["executions"], 4);
        interval(&the_loop["seconds_now"]);
        assert!(the_loop["reason"].is_string() && the_loop["share_of_run"].is_f64());
        let candidates = the_loop["candidates"].as_array().unwrap();
        assert!(candidates.len() > 20);
        for one in candidates {
            assert!(one["schedule"].is_string());
            interval(&one["predicted_seconds"]);
            interval(&one["predicted_ratio"]);
        }
    }
    assert_eq!(loops[0]["function"], "steep");
    assert!(loops[0]["advice"].is_string());
    interval(&loops[0]["predicted_seconds"]);
    interval(&loops[0]["predicted_ratio"]);
    assert_eq!(loops[1]["advice"], Value::Null);
    assert_eq!(loops[1]["predicted_seconds"], Value::Null);
    // One loop of them, and text.
    let one = json(directory.path(), &["--loop", "even"]);
    assert_eq!(one["loops"].as_array().unwrap().len(), 1);
    let text = succeed(&mut advise(directory.path(), &["--all"]));
    for has in [
        "instead of static", "  write  schedule(", "leave static", "(advice)", "static (now)", "could not be measured",
        "ompchunk run --schedule 'a.c:10=",
    ] {
        assert!(text.contains(has), "no {has}:\n{text}");
    }
    let (_, said) = fail(&mut advise(directory.path(), &["--loop", "nothing"]));
    must_say(&said, "no loop of the trace is nothing");
}

#[test]
fn another_team() {
    let directory = tempfile::tempdir().unwrap();
    let mut made = Made::new(directory.path(), 2, &[unchunked(0, "work")]);
    for _ in 0..4 {
        made.execute(0, 6400, 64, |i, _| (6400 - i) as f64 / 10.0);
    }
    made.finish();
    let two = json(directory.path(), &[])["loops"][0].clone();
    let many = json(directory.path(), &["--threads", "64"])["loops"][0].clone();
    assert_eq!(many["threads"], 64);
    let (now, then) = (interval(&two["seconds_now"]), interval(&many["as_is_seconds"]));
    // The first of 64 blocks has 2/64 of a triangle's work, the first of two three quarters.
    let expected = (2.0 / 64.0) / 0.75;
    assert!((then[1] / now[1] / expected - 1.0).abs() < 0.05, "{then:?} {now:?}");
    let notes = many["notes"].as_array().unwrap();
    let says = |note: &Value| note.as_str().unwrap().contains("memory bandwidth");
    assert!(notes.iter().any(says), "{notes:?}");
    for wrong in ["0", "-1", "5000", "many"] {
        fail(&mut advise(directory.path(), &["--threads", wrong]));
    }
}
