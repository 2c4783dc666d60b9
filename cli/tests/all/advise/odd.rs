//! Traces that tell little, are damaged, or are of loops for which there is nothing to say.

use std::fs;

use ompchunk_trace_format::{Event, LoopBegin, LoopDefinition};
use serde_json::Value;

use ompchunk_testkit::traces::{definition, set_lost};

use super::made::{Made, unchunked};
use super::{advise, json};
use crate::common::{fail, must_say, succeed};

#[test]
fn without_a_profile_nothing_is_guessed() {
    let directory = tempfile::tempdir().unwrap();
    let mut made = Made::new(directory.path(), 2, &[unchunked(0, "work")]);
    made.execute(0, 1000, 0, |i, _| (1000 - i) as f64);
    made.finish();
    let json = json(directory.path(), &[])["loops"][0].clone();
    assert_eq!(json["needs_profile"], true);
    assert_eq!((&json["now"], &json["advice"]), (&"static".into(), &Value::Null));
    assert_eq!(json["candidates"], Value::Array(Vec::new()));
    let reason = json["reason"].as_str().unwrap();
    must_say(reason, "ompchunk record --profile ./app");
    let text = succeed(&mut advise(directory.path(), &[]));
    must_say(&text, "cannot be judged without a profile");
}

#[test]
fn where_no_profile_can_be_recorded_it_is_not_asked_for() {
    let directory = tempfile::tempdir().unwrap();
    let reassociated = LoopDefinition { flags: 0b1_0001_0001_1001, ..unchunked(0, "work") };
    let mut made = Made::new(directory.path(), 2, &[reassociated]);
    made.execute(0, 1000, 0, |i, _| (1000 - i) as f64);
    made.finish();
    let json = json(directory.path(), &[])["loops"][0].clone();
    assert_eq!(json["needs_profile"], false);
    let reason = json["reason"].as_str().unwrap();
    must_say(reason, "last bits");
}

#[test]
fn chunks_are_a_profile_too() {
    let directory = tempfile::tempdir().unwrap();
    let mut made = Made::new(directory.path(), 2, &[definition(0, 7, "chunked")]);
    // Chunks of two iterations in turn, the even ones long.
    let long = [(400, 0); 100];
    let short = [(100, 0); 100];
    made.at = made.maker.execute(made.at, 1000, 0, &[&long, &short]);
    made.finish();
    let json = json(directory.path(), &[])["loops"][0].clone();
    assert_eq!(json["now"], "static,2");
    assert!(json["advice"].is_string(), "{json:#}");
}

#[test]
fn the_trace_is_not_written_to() {
    let directory = tempfile::tempdir().unwrap();
    let mut made = Made::new(directory.path(), 2, &[unchunked(0, "work")]);
    made.execute(0, 1000, 20, |i, _| i as f64);
    made.finish();
    let list = || {
        let files = fs::read_dir(directory.path()).unwrap();
        let mut files: Vec<_> = files.map(|file| file.unwrap().path()).collect();
        files.sort();
        files
    };
    let (before, names) = (fs::read(directory.path().join("pid-7.trace")).unwrap(), list());
    json(directory.path(), &[]);
    assert_eq!(fs::read(directory.path().join("pid-7.trace")).unwrap(), before);
    assert_eq!(list(), names);
}

#[test]
fn huge_and_tiny_loops() {
    let directory = tempfile::tempdir().unwrap();
    let wide = |the_loop, function| LoopDefinition { bits: 64, ..unchunked(the_loop, function) };
    let loops = [wide(0, "huge"), wide(1, "all"), wide(2, "one"), wide(3, "none")];
    let mut made = Made::new(directory.path(), 3, &loops);
    for _ in 0..3 {
        let half = 1 << 62;
        made.execute(0, 1 << 63, 40, |i, _| if i < half { 1e-12 } else { 1e-13 });
        made.execute(1, u64::MAX, 40, |_, _| 1e-13);
        made.execute(2, 1, 4, |_, _| 1000.0);
        made.execute(3, 0, 4, |_, _| 1000.0);
    }
    made.finish();
    let all = json(directory.path(), &[]);
    let find = |function: &str| {
        let mut loops = all["loops"].as_array().unwrap().iter();
        loops.find(|the_loop| the_loop["function"] == function).unwrap()
    };
    assert!(find("huge")["advice"].is_string(), "{:#}", find("huge"));
    assert_eq!(find("all")["advice"], Value::Null);
    for the_loop in [find("one"), find("none")] {
        assert_eq!(the_loop["advice"], Value::Null);
        assert!(the_loop["reason"].as_str().unwrap().contains("at most one iteration"), "{the_loop:#}");
    }
    succeed(&mut advise(directory.path(), &["--all"]));
}

#[test]
fn a_million_pieces() {
    let directory = tempfile::tempdir().unwrap();
    let mut made = Made::new(directory.path(), 2, &[unchunked(0, "work")]);
    made.execute(0, 1_000_000, 500_000, |i, _| 5.0 + (1_000_000 - i) as f64 / 50_000.0);
    made.finish();
    let json = json(directory.path(), &[])["loops"][0].clone();
    assert!(json["advice"].is_string(), "{json:#}");
}

#[test]
fn loops_that_are_not_simulated_say_why() {
    let directory = tempfile::tempdir().unwrap();
    let of = |the_loop, function, schedule| LoopDefinition { schedule, ..unchunked(the_loop, function) };
    let loops = [
        LoopDefinition { construct: 2, ..of(0, "teams", 92) },
        of(1, "ordered", 66),
        of(2, "simd", 45),
        LoopDefinition { flags: 0b1011_0001_1001, ..of(3, "nowait", 34) },
        LoopDefinition { instrumented: false, ..of(4, "foreign", 0) },
    ];
    let mut made = Made::new(directory.path(), 2, &loops);
    for the_loop in 0..5 {
        made.execute(the_loop, 1000, 20, |i, _| i as f64);
    }
    made.finish();
    let all = json(directory.path(), &[]);
    let loops = all["loops"].as_array().unwrap();
    assert_eq!(loops.len(), 5);
    for the_loop in loops {
        assert_eq!(the_loop["advice"], Value::Null, "{the_loop:#}");
        let why = match the_loop["function"].as_str().unwrap_or("foreign") {
            "teams" => "distribute",
            "ordered" => "ordered",
            "simd" => "simd",
            "nowait" => "no barrier follows",
            _ => "without the plugin",
        };
        let reason = the_loop["reason"].as_str().unwrap();
        must_say(reason, why);
    }
}

#[test]
fn one_thread_alone() {
    let directory = tempfile::tempdir().unwrap();
    let mut made = Made::new(directory.path(), 1, &[unchunked(0, "work")]);
    made.execute(0, 1000, 20, |i, _| i as f64);
    made.finish();
    let json = json(directory.path(), &[])["loops"][0].clone();
    assert_eq!(json["advice"], Value::Null);
    assert!(json["reason"].as_str().unwrap().contains("one thread"), "{json:#}");
}

/// What is not complete is left out and counted.
#[test]
fn cut_and_lossy_traces() {
    let directory = tempfile::tempdir().unwrap();
    let mut made = Made::new(directory.path(), 2, &[unchunked(0, "work")]);
    for _ in 0..6 {
        made.execute(0, 1000, 20, |i, _| (1000 - i) as f64);
    }
    // One of the threads never comes.
    made.maker.task(0, made.at, 77, 2);
    let begin = LoopBegin { the_loop: 0, work: 10, count: 1000, start: None, step: None };
    made.maker.put(0, made.at, &Event::LoopBegin(begin));
    made.maker.chunk(0, made.at, 0, 500, 0);
    let path = made.maker.abandon();
    set_lost(&path, 3);
    let json = json(directory.path(), &[])["loops"][0].clone();
    assert_eq!(json["executions"], 6);
    assert!(json["advice"].is_string(), "{json:#}");
    let note = json["notes"][0].as_str().unwrap();
    assert!(note.starts_with("1 of 7 executions are not complete"), "{note}");
    // Cut anywhere, there is an answer or one error, never a crash.
    let whole = fs::read(&path).unwrap();
    for part in 1..20 {
        fs::write(&path, &whole[..whole.len() * part / 20]).unwrap();
        let out = advise(directory.path(), &["--json"]).output().unwrap();
        let said = String::from_utf8(out.stderr).unwrap();
        match out.status.code() {
            Some(0) => drop(serde_json::from_slice::<Value>(&out.stdout).unwrap()),
            Some(1) => assert!(said.contains("next: "), "{said}"),
            other => panic!("{other:?}: {said}"),
        }
    }
    // Damaged anywhere.
    for at in (0..whole.len()).step_by(whole.len() / 60) {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x55;
        fs::write(&path, &bytes).unwrap();
        let out = advise(directory.path(), &["--json"]).output().unwrap();
        let said = String::from_utf8(out.stderr).unwrap();
        assert!(matches!(out.status.code(), Some(0 | 1)), "{at}: {said}");
        assert!(!said.contains("panicked"), "{at}: {said}");
    }
}

#[test]
fn foreign_and_empty_files() {
    let directory = tempfile::tempdir().unwrap();
    let (_, said) = fail(&mut advise(directory.path(), &[]));
    must_say(&said, "next: ");
    fs::write(directory.path().join("pid-7.trace"), "not a trace").unwrap();
    let (code, said) = fail(&mut advise(directory.path(), &[]));
    assert_eq!(code, 1);
    must_say(&said, "next: ");
}

/// Sub-blocks that do not divide their chunk: iterations twice or never.
#[test]
fn sub_blocks_that_lie_are_not_believed() {
    let directory = tempfile::tempdir().unwrap();
    let mut made = Made::new(directory.path(), 2, &[unchunked(0, "work")]);
    made.execute(0, 1000, 20, |i, _| (1000 - i) as f64);
    made.maker.task(0, made.at, 9, 1);
    let begin = LoopBegin { the_loop: 0, work: 10, count: 100, start: None, step: None };
    made.maker.put(0, made.at, &Event::LoopBegin(begin));
    made.maker.chunk(0, made.at, 0, 100, 0);
    for (number, lower) in [(0, 0), (1, 90), (2, 20)] {
        let sub_block =
            ompchunk_trace_format::SubBlock { lower, iterations: 50, first: number == 0, last: number == 2 };
        made.maker.put(0, made.at + number, &Event::SubBlock(sub_block));
    }
    made.at += 10;
    made.maker.put(0, made.at, &Event::LoopEnd { the_loop: 0 });
    made.finish();
    let json = json(directory.path(), &[])["loops"][0].clone();
    assert_eq!(json["executions"], 1, "{json:#}");
    let note = json["notes"][0].as_str().unwrap();
    assert!(note.starts_with("1 of 2 executions"), "{note}");
}
