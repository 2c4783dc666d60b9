//! Page faults of executions of loops: those of memory that is touched for the first time are in the first execution, and short executions are
//! not asked for theirs.

use std::collections::BTreeMap;

use ompchunk_trace_format::sum::{FAULTS_FIRST, FAULTS_KERNEL, FAULTS_MINOR};
use ompchunk_trace_format::{Event, Sum, SumOf, Trace};

use crate::common::{Program, majors, runtimes};

const PAGES: u64 = 20_000;
const TIMES: u64 = 2000;
/// Faults of a thread's own: its stack, tables of pages, code that it runs for the first time.
const OTHERS: u64 = 300;

/// What is added up, by the loop, in the order of their lines.
fn by_loop(trace: &Trace) -> Vec<Vec<Sum>> {
    let (mut lines, mut sums) = (BTreeMap::new(), Vec::new());
    let read = trace.parts[0].for_each(|_, event| match event {
        Event::Loop(definition) => {
            lines.insert(definition.line, definition.the_loop);
        }
        Event::Sum(sum) if sum.what == SumOf::Faults => sums.push(*sum),
        _ => {}
    });
    read.unwrap();
    let of = |the_loop: &u32| {
        let mine = sums.iter().filter(|sum| sum.the_loop == *the_loop);
        mine.copied().collect()
    };
    lines.values().map(of).collect()
}

/// How many executions, and what they had.
fn total(sums: &[Sum], kind: u32) -> (u64, u64) {
    let meant = sums.iter().filter(|sum| sum.of == kind);
    meant.fold((0, 0), |(count, all), sum| (count + sum.count, all + sum.sum))
}

#[test]
fn first_touch_is_in_the_first_execution() {
    for major in majors() {
        let program = Program::compile("faults", major);
        for runtime in runtimes() {
            for options in [&[][..], &["--aggregate"], &["--sample", "3"]] {
                let arguments = [&*PAGES.to_string(), &*TIMES.to_string()];
                let (trace, _) = program.recorded(&runtime, options, &arguments);
                let loops = by_loop(&trace);
                let case = format!("clang {major}, {}, {options:?}: {loops:#?}", runtime.name);
                let [touching, short] = &loops[..] else {
                    panic!("{case}");
                };
                let (count, faults) = total(touching, FAULTS_MINOR | FAULTS_FIRST);
                assert_eq!(count, 2, "{case}");
                assert!((PAGES..PAGES + OTHERS).contains(&faults), "{case}");
                let (count, faults) = total(touching, FAULTS_MINOR);
                // Three more of each thread at least, and after a long one another.
                assert!((6..=10).contains(&count), "{case}");
                assert!(faults < OTHERS, "{case}");
                let (_, kernel) = total(touching, FAULTS_KERNEL | FAULTS_FIRST);
                let head = trace.parts[0].head();
                assert!(kernel <= 2 * (head.end.0 - head.start.0), "{case}");
                // One that another program interrupts is long.
                let (count, _) = total(short, FAULTS_MINOR);
                assert!((6..TIMES / 4).contains(&count), "{case}");
            }
        }
    }
}
