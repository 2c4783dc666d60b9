//! However a program ends and whatever the disk does: what was recorded is readable, and the program is itself.

use std::os::unix::process::ExitStatusExt;

use ompchunk_trace_format::{Ending, Event, Part, Reason, Trace, layout};

use crate::common::{Program, chunks, clean, in_order, majors, on_a_small_disk, product, runtimes, text};

/// Chunks of one execution of the loop in end.c.
const CHUNKS: usize = 1000;

fn program() -> Program {
    Program::compile("end", majors()[0])
}

#[test]
fn every_way_to_end() {
    let program = program();
    for runtime in &runtimes() {
        for (how, code, signal, clean) in [
            ("return", Some(0), None, true),
            ("exit", Some(3), None, true),
            ("pause", Some(0), None, true),
            ("_exit", Some(4), None, false),
            ("abort", None, Some(libc::SIGABRT), false),
            ("segv", None, Some(libc::SIGSEGV), false),
            ("int", None, Some(libc::SIGINT), false),
            ("ignored", Some(0), None, true),
            ("term", None, Some(libc::SIGTERM), false),
            ("kill", None, Some(libc::SIGKILL), false),
        ] {
            let output = program.record(runtime, &[], &[how]).output().unwrap();
            let end = (output.status.code(), output.status.signal());
            assert_eq!(end, (code, signal), "{how}: {}", text(&output));
            let trace = Trace::open(&program.trace()).unwrap();
            let part = &trace.parts[0];
            assert_eq!(part.ending() == Ending::Clean, clean, "{how}");
            in_order(part);
            // Also of those that were killed: what was stored is the kernel's.
            assert_eq!(chunks(part).len(), 20 * CHUNKS, "{how}, {}", runtime.name);
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            assert_eq!(said.contains("is cut: "), !clean, "{said}");
            let why = match (code, signal) {
                (Some(code), _) => format!("the program ended with code {code} and without exit"),
                (_, signal) => format!("the program was ended by signal {}", signal.unwrap_or(0)),
            };
            assert_eq!(said.contains(&why), !clean, "{why}: {said}");
            assert!(said.contains(" 20,000 chunks, "), "{said}");
            assert_eq!(said.contains(" from here on is not recorded"), how == "pause", "{how}: {said}");
        }
    }
}

/// Neither killed nor crashed, and one line for all of them.
#[test]
fn children_that_end_without_exit() {
    let program = program();
    for runtime in &runtimes() {
        let output = program.record(runtime, &[], &["children"]).output().unwrap();
        assert!(output.status.success(), "{}", text(&output));
        let trace = Trace::open(&program.trace()).unwrap();
        let all: usize = trace.parts.iter().map(|part| chunks(part).len()).sum();
        assert_eq!(all, 40 * CHUNKS, "{}", text(&output));
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(said.lines().count(), 2, "{said}");
        assert!(said.contains("ompchunk: 20 parts are cut ("), "{said}");
        assert!(said.contains("as by _exit"), "{said}");
        let mut report = clean(product("bin/ompchunk"));
        let report = report.arg("report").arg(program.trace()).output().unwrap();
        let report = String::from_utf8_lossy(&report.stdout).into_owned();
        let notes = report.lines().filter(|line| line.starts_with("note: "));
        let notes: Vec<&str> = notes.filter(|note| note.contains("cut")).collect();
        assert_eq!(notes.len(), 1, "{report}");
        assert!(notes[0].contains("(_exit)"), "{report}");
    }
}

#[test]
fn exit_inside_a_region() {
    let program = program();
    for runtime in &runtimes() {
        let output = program.record(runtime, &[], &["inside"]).output().unwrap();
        assert_eq!(output.status.code(), Some(6), "{}", text(&output));
        let trace = Trace::open(&program.trace()).unwrap();
        in_order(&trace.parts[0]);
        assert!(chunks(&trace.parts[0]).len() > 20 * CHUNKS);
    }
}

#[test]
fn a_forked_process_has_its_own_part() {
    let program = program();
    for runtime in &runtimes() {
        let (trace, _) = program.recorded(runtime, &[], &["fork"]);
        let [parent, child] = &trace.parts[..] else { panic!("{} parts", trace.parts.len()) };
        assert_eq!(chunks(parent).len(), 25 * CHUNKS);
        assert_eq!(chunks(child).len(), 10 * CHUNKS);
        assert_eq!(child.meta().forked_from, Some(parent.meta().pid));
        let (trace, _) = program.recorded(runtime, &[], &["idle fork"]);
        assert_eq!(trace.parts.len(), 1);
        assert_eq!(chunks(&trace.parts[0]).len(), 25 * CHUNKS);
    }
}

/// Everything that ran is either told or counted as lost, in the head and by loop and thread.
fn accounts_for(part: &Part, executions: usize, reason: Reason) {
    let told = chunks(part).len() as u64;
    let (mut lost, mut events) = (0, 0);
    part.for_each(|_, event| {
        if let Event::Lost(event) = event {
            assert_eq!(Reason::from_number(event.reason), Some(reason));
            assert!(event.from <= event.to);
            lost += event.chunks;
            events += event.events;
        }
    })
    .unwrap();
    assert!(told > CHUNKS as u64 && lost > told, "{told} told, {lost} lost");
    assert_eq!(told + lost, (executions * CHUNKS) as u64);
    assert_eq!(part.head().lost_chunks, lost);
    assert_eq!(part.head().lost_events, events);
    assert_eq!(part.head().lost_reason, Some(reason));
    assert_eq!(part.ending(), Ending::Clean);
    in_order(part);
}

#[test]
fn a_file_size_limit() {
    let program = program();
    for runtime in &runtimes() {
        let output = program.record(runtime, &[], &["limit"]).output().unwrap();
        assert_eq!(output.status.code(), Some(5), "{}", text(&output));
        assert_eq!(output.stdout, b"done\n");
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(said.matches("cannot grow: ").count(), 1, "{said}");
        let trace = Trace::open(&program.trace()).unwrap();
        accounts_for(&trace.parts[0], 1000, Reason::DiskFull);
        assert!(trace.parts[0].size() <= 1 << 20);
    }
}

#[test]
fn the_largest_size() {
    let program = program();
    for runtime in &runtimes() {
        let output = program.record(runtime, &["--max-size", "2M"], &["many"]).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!((output.status.code(), &output.stdout[..]), (Some(0), &b"done\n"[..]));
        assert_eq!(said.matches("Raise --max-size").count(), 1, "{said}");
        assert!(said.contains("not recorded for lack of room"), "{said}");
        let trace = Trace::open(&program.trace()).unwrap();
        accounts_for(&trace.parts[0], 1000, Reason::MaxSize);
        assert!(trace.parts[0].size() <= 2 << 20);
        // Two chunks in a unit, as they are all alike.
        let told = chunks(&trace.parts[0]).len();
        assert!(told > (2 << 20) / layout::UNIT, "{told}");
    }
}

/// A file system of one megabyte, in a name space of our own.
#[test]
fn a_full_disk() {
    let program = program();
    for runtime in &runtimes() {
        let Some(output) = on_a_small_disk(&program, runtime, "1m", &[], &["many"]) else {
            return;
        };
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{}", text(&output));
        assert_eq!(output.stdout, b"done\n");
        let why = "128 KiB of its file system stay free";
        assert_eq!(said.matches(why).count(), 1, "{said}");
        let trace = Trace::open(&program.trace()).unwrap();
        accounts_for(&trace.parts[0], 1000, Reason::DiskFull);
    }
}
