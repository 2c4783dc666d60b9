//! Attached by hand, nobody keeps a thread's memory: of a program that is killed there is what was written. Threads that
//! record nothing any more write nothing; others write for them.

use std::collections::BTreeMap;

use ompchunk_trace_format::{Ending, Event, Part, Trace};

use crate::common::{self, Program, by_hand, in_order, majors, number, runtimes};

/// Chunks of loops with more than one, by their line.
fn of_teams(part: &Part) -> u64 {
    let (mut lines, mut all) = (BTreeMap::new(), BTreeMap::<u32, u64>::new());
    part.for_each(|_, event| {
        if let Event::Loop(event) = event {
            lines.insert(event.the_loop, event.line);
        }
    })
    .unwrap();
    for ran in common::chunks(part) {
        *all.entry(ran.line).or_default() += 1;
    }
    part.for_each(|_, event| {
        if let Event::Aggregate(event) = event {
            *all.entry(lines[&event.the_loop]).or_default() += event.chunks;
        }
    })
    .unwrap();
    all.into_values().next().unwrap_or(0)
}

#[test]
fn who_is_silent_is_written_by_others() {
    let program = Program::compile("silent", majors()[0]);
    for runtime in &runtimes() {
        for setting in ["", "aggregate", "sample=3"] {
            let mut command = by_hand(&program, runtime, &["1500"]);
            let output = command.env("OMPCHUNK_RECORD", setting).output().unwrap();
            let ran = number(&output);
            let trace = Trace::open(&program.trace()).unwrap();
            let part = &trace.parts[0];
            assert!(matches!(part.ending(), Ending::Cut { .. }));
            in_order(part);
            assert_eq!(of_teams(part), ran, "{} {setting}", runtime.name);
        }
    }
}
