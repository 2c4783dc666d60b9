//! What a program or its user leaves out is left out, all else is there, and the order is kept whoever says what when.

use std::collections::{BTreeMap, HashMap};

use ompchunk_trace_format::{Event, LeftOut, Part, SumOf, Trace, Unwanted};

use crate::common::{Program, Runtime, majors, runtimes, text};

/// Chunks, and ends of executions, by the loop's function.
fn counts(part: &Part) -> BTreeMap<String, (u64, u64)> {
    let mut names = HashMap::new();
    let mut open: HashMap<u32, Vec<u32>> = HashMap::new();
    let mut found: BTreeMap<String, (u64, u64)> = BTreeMap::new();
    part.for_each(|at, event| match event {
        Event::Loop(the_loop) => {
            let name = String::from_utf8_lossy(the_loop.function).into_owned();
            let name = name.split('.').next().unwrap_or_default().to_owned();
            names.insert(the_loop.the_loop, name);
        }
        Event::LoopBegin(loop_begin) => open.entry(at.lane).or_default().push(loop_begin.the_loop),
        Event::LoopEnd { the_loop } => {
            assert_eq!(open.get_mut(&at.lane).unwrap().pop(), Some(*the_loop));
            found.entry(names[the_loop].clone()).or_default().1 += 1;
        }
        Event::Chunk(_) => {
            let the_loop = open[&at.lane].last().unwrap();
            found.entry(names[the_loop].clone()).or_default().0 += 1;
        }
        _ => {}
    })
    .unwrap();
    found
}

fn recorded(runtime: &Runtime, options: &[&str], arguments: &[&str]) -> (Trace, String) {
    Program::compile("control", majors()[0]).recorded(runtime, options, arguments)
}

/// The summary, of a run that ends well.
fn summary(runtime: &Runtime, options: &[&str], arguments: &[&str]) -> String {
    let program = Program::compile("control", majors()[0]);
    let output = program.record(runtime, options, arguments).output().unwrap();
    assert!(output.status.success(), "{}", text(&output));
    String::from_utf8(output.stderr).unwrap()
}

#[test]
fn a_program_marks_what_to_record() {
    for runtime in &runtimes() {
        for options in [&[][..], &["--bookkeeping"], &["--cpus"]] {
            let (trace, said) = recorded(runtime, options, &["phases"]);
            // Paused and started again twice; a command that nobody knows; started after the end.
            assert_eq!(said.trim(), "0 0 0 0 0 1 0 1", "{}", runtime.name);
            let found = counts(&trace.parts[0]);
            assert_eq!(found.get("first"), Some(&(24, 6)), "{} {options:?} {found:?}", runtime.name);
            assert_eq!(found.get("second"), None, "{} {options:?} {found:?}", runtime.name);
            assert_eq!(found.get("third"), Some(&(24, 6)), "{} {options:?} {found:?}", runtime.name);
        }
        let aggregated = recorded(runtime, &["--aggregate"], &["phases"]).0;
        let mut chunks = 0;
        aggregated.parts[0]
            .for_each(|_, event| {
                if let Event::Aggregate(event) = event {
                    chunks += event.chunks;
                }
            })
            .unwrap();
        assert_eq!(chunks, 48, "{}", runtime.name);
    }
}

/// Where executions are added up, what is paused or left out is in no sum, and all is in order, says `recorded`.
#[test]
fn sums_are_of_what_is_wanted() {
    for runtime in &runtimes() {
        for (options, executions) in [
            (&["--aggregate"][..], 12),
            (&["--aggregate", "--skip", "1"], 6),
            (&["--aggregate", "--loop", "first"], 6),
            (&["--sample", "2"], 6),
            (&["--sample", "2", "--loop", "first"], 3),
            (&["--aggregate", "--skip", "9"], 0),
        ] {
            let part = &recorded(runtime, options, &["phases"]).0.parts[0];
            let (mut aggregated, mut summed) = (0, 0);
            let (mut regions, mut last) = (0, 0);
            let (mut paused, mut silent) = (HashMap::new(), 0);
            part.for_each(|at, event| {
                last = at.ticks.max(last);
                match event {
                    Event::Aggregate(aggregate) => aggregated += aggregate.executions,
                    Event::Sum(sum) if sum.what == SumOf::Loop => summed += sum.count,
                    Event::Sum(sum) if sum.what == SumOf::Parallel => regions += sum.sum,
                    Event::Pause(_) => {
                        paused.insert(at.lane, at.ticks);
                    }
                    Event::Resume => {
                        silent = (at.ticks - paused[&at.lane]).max(silent);
                    }
                    _ => {}
                }
            })
            .unwrap();
            let found = (aggregated, summed);
            assert_eq!(found, (executions, executions), "{} {options:?}", runtime.name);
            let length = last - part.head().start.0;
            assert!(silent > 0 && regions <= length - silent, "{}", runtime.name);
        }
    }
}

/// Rounds 5 to 9, 15 to 19 and 25 to 29 of 30, and what a thread does before the others have heard.
#[test]
fn within_a_region() {
    for runtime in &runtimes() {
        for from_pause in ["0", "1"] {
            let (trace, _) = recorded(runtime, &[], &["inside", from_pause]);
            let found = counts(&trace.parts[0]);
            let (chunks, ends) = found["inside"];
            // Two loops of 12 chunks in each of 15 rounds; a round at each change may be told in part.
            let room = 6 * 24;
            assert!((360 - room..=360 + room).contains(&chunks), "{} {from_pause} {found:?}", runtime.name);
            assert!(ends >= 60, "{} {from_pause} {found:?}", runtime.name);
        }
    }
}

#[test]
fn whoever_says_what_when() {
    for runtime in &runtimes() {
        let program = Program::compile("control", majors()[0]);
        for seed in 0..12 {
            // Clean and in order, says `recorded`; and recording at the end.
            let seed = seed.to_string();
            let (trace, _) = program.recorded(runtime, &[], &["chaos", &seed]);
            let found = counts(&trace.parts[0]);
            assert_eq!(found.get("third"), Some(&(12, 3)), "{} {seed} {found:?}", runtime.name);
        }
    }
}

#[test]
#[ignore = "judges time: make test-full PART=machine"]
fn for_some_time() {
    for runtime in &runtimes() {
        let (trace, _) = recorded(runtime, &["--for", "0.4"], &["time", "1500"]);
        let part = &trace.parts[0];
        let (mut last, mut paused) = (0, 0);
        part.for_each(|at, event| match event {
            Event::Chunk(_) => last = at.ticks.max(last),
            Event::Pause(_) => paused += 1,
            _ => {}
        })
        .unwrap();
        assert!(paused > 0);
        let clock = part.clock();
        let seconds = clock.since_start(last) / 1e9;
        let all = clock.since_start(part.head().end.0) / 1e9;
        assert!((0.2..all - 0.2).contains(&seconds) && all >= 1.49, "{} {seconds} of {all}", runtime.name);
        let said = summary(runtime, &["--for", "0.2"], &["time", "600"]);
        assert!(said.contains("s were not recorded: --for"), "{said}");
    }
}

fn left_out(part: &Part) -> Vec<LeftOut> {
    let mut found = Vec::new();
    part.for_each(|_, event| {
        if let Event::LeftOut(event) = event {
            found.push(*event);
        }
    })
    .unwrap();
    found
}

#[test]
fn the_first_executions() {
    for runtime in &runtimes() {
        for (skip, told) in [("3", 7), ("10", 0), ("100", 0)] {
            let options = ["--skip", skip];
            let (trace, _) = recorded(runtime, &options, &["loops", "10"]);
            let found = counts(&trace.parts[0]);
            let wanted = (told > 0).then_some((12 * told, 3 * told));
            for name in ["first", "second"] {
                assert_eq!(found.get(name).copied(), wanted, "{} {skip} {found:?}", runtime.name);
            }
            let all = left_out(&trace.parts[0]);
            assert!(all.iter().all(|left_out| left_out.why == Unwanted::Skipped));
            let sum: u64 = all.iter().map(|left_out| left_out.executions).sum();
            assert_eq!(sum, 2 * 3 * (10 - told), "{} {skip} {all:?}", runtime.name);
        }
        let said = summary(runtime, &["--skip", "3"], &["loops", "10"]);
        let wanted = "6 executions of 2 loops were left out at the beginning (--skip)";
        assert!(said.contains(wanted), "{said}");
    }
}

#[test]
fn only_some_loops() {
    for runtime in &runtimes() {
        for pattern in ["second", "seco", "control.c:27"] {
            let (trace, _) = recorded(runtime, &["--loop", pattern], &["loops", "10"]);
            let found = counts(&trace.parts[0]);
            assert_eq!(found.get("first"), None, "{} {pattern} {found:?}", runtime.name);
            assert_eq!(found.get("second"), Some(&(120, 30)), "{} {pattern} {found:?}", runtime.name);
            let all = left_out(&trace.parts[0]);
            assert!(all.iter().all(|left_out| left_out.why == Unwanted::Loop));
            let sum: u64 = all.iter().map(|left_out| left_out.executions).sum();
            assert_eq!(sum, 30, "{} {pattern} {all:?}", runtime.name);
        }
        let both = ["--loop", "first", "--loop", "second", "--skip", "4"];
        let (trace, _) = recorded(runtime, &both, &["loops", "10"]);
        let found = counts(&trace.parts[0]);
        assert_eq!(found.get("first"), Some(&(72, 18)), "{} {found:?}", runtime.name);
        let said = summary(runtime, &["--loop", "secnod", "--loop", "first"], &["loops", "2"]);
        let wanted = "--loop secnod matches none of the loops that ran; these are control.c:";
        assert!(said.contains(wanted), "{said}");
        assert!(!said.contains("--loop first means"), "{said}");
        assert!(said.contains("were left out that --loop does not name"), "{said}");
    }
}
