//! A program that filters its system calls lives, whatever the recorder would like to call.

use ompchunk_trace_format::{Ending, Event, Trace, Why};

use crate::common::{Program, chunks, in_order, majors, runtimes, text};

/// As the program has it, twice.
const CHUNKS: usize = 40_000;

/// For what reasons threads were off a core.
fn reasons(trace: &Trace) -> Vec<Why> {
    let mut all = Vec::new();
    for part in &trace.parts {
        let read = part.for_each(|_, event| {
            if let Event::OffCore(event) = event {
                all.push(event.why());
            }
        });
        read.unwrap();
    }
    all
}

#[test]
fn a_filter_does_not_kill() {
    let program = Program::compile("sandboxed", majors()[0]);
    for runtime in &runtimes() {
        for when in ["never", "first", "later"] {
            let output = program.record(runtime, &[], &[when]).output().unwrap();
            if output.status.code() == Some(77) {
                eprintln!("skipped: no filters here: {}", text(&output));
                assert!(std::env::var_os("CI").is_none(), "CI needs seccomp");
                return;
            }
            assert!(output.status.success(), "{when}: {}", text(&output));
            assert_eq!(output.stdout, b"done\n", "{when}");
            let trace = Trace::open(&program.trace()).unwrap();
            let part = &trace.parts[0];
            assert_eq!(part.ending(), Ending::Clean, "{when}");
            in_order(part);
            assert_eq!(chunks(part).len(), CHUNKS, "{when}, {}", runtime.name);
            let reasons = reasons(&trace);
            // It is still known that they slept; why, only as long as that can be asked.
            assert!(reasons.len() > 10, "{when}: {reasons:?}");
            let is_known = reasons.contains(&Why::Waiting);
            assert_eq!(is_known, when != "first", "{when}: {reasons:?}");
            if when == "later" {
                assert_eq!(reasons.last(), Some(&Why::Either), "{reasons:?}");
            }
        }
    }
}
