//! How large recordings become: a full one by few bytes per event, the others by loops and threads, not by time.

use std::collections::BTreeMap;

use ompchunk_trace_format::layout::{BLOCK_HEAD, UNIT};
use ompchunk_trace_format::{Ending, Event, Part, Reason, SumOf, Trace};

use crate::common::{Program, Runtime, all_chunks, chunks, in_order, majors, runtimes, text};

/// Bytes of records in a part's blocks.
fn used(trace: &Trace) -> u64 {
    let mut units = 0;
    for part in &trace.parts {
        let bytes = std::fs::read(part.path()).unwrap();
        let head = part.head();
        for block in bytes[head.blocks_from as usize..].chunks(head.block_size) {
            let used = block[BLOCK_HEAD..].chunks(UNIT);
            units += used.filter(|unit| unit.iter().any(|unit| *unit != 0)).count() as u64;
        }
    }
    units * UNIT as u64
}

/// What a full recording takes where there is little but events of regions and barriers.
#[test]
fn an_event_takes_few_bytes() {
    for major in majors() {
        let program = Program::compile("tiny", major);
        for runtime in &runtimes() {
            let (trace, output) = program.recorded(runtime, &[], &["20000", "3"]);
            let told = chunks(&trace.parts[0]).len() as u64;
            assert_eq!(output.trim(), told.to_string());
            let mut others = 0;
            trace.parts[0].for_each(|_, event| others += u64::from(!matches!(event, Event::Chunk(_)))).unwrap();
            let bytes = used(&trace) - told * UNIT as u64;
            let each = bytes as f64 / others as f64;
            println!("clang-{major}, {}: {each:.1} bytes of {others} events", runtime.name);
            assert!(each <= 13.0, "{each} bytes");
        }
    }
}

/// Regions of which nothing is told, and those that are: neither grows with time.
#[test]
fn sums_do_not_grow_with_time() {
    let program = Program::compile("tiny", majors()[0]);
    for runtime in &runtimes() {
        let size = |options: &[&str], regions: &str| {
            let (trace, output) = program.recorded(runtime, options, &[regions, "3"]);
            assert_eq!(all_chunks(&trace.parts[0]).to_string(), output.trim(), "{options:?}");
            used(&trace)
        };
        // On a busy machine there is more time off a core to tell, in a few records; a unit per region would be 300 KiB.
        let alike = |few: u64, many: u64| many.abs_diff(few) < 4 << 10;
        let few = size(&["--aggregate"], "500");
        let many = size(&["--aggregate"], "20000");
        assert!(alike(few, many), "{few}, {many}");
        assert!(few < 8 << 10, "{few}");
        // Told are 10 executions of each.
        let few = size(&["--sample", "50"], "500");
        let many = size(&["--sample", "2000"], "20000");
        assert!(alike(few, many), "{few}, {many}");
    }
}

/// What a killed program has added up is there, as it was.
#[test]
fn a_killed_program_leaves_its_sums() {
    let program = Program::compile("tiny", majors()[0]);
    for runtime in &runtimes() {
        for options in [&["--aggregate"][..], &["--sample", "7"]] {
            let output = program.record(runtime, options, &["3000", "3", "kill"]).output().unwrap();
            let trace = Trace::open(&program.trace()).unwrap();
            let part = &trace.parts[0];
            assert!(matches!(part.ending(), Ending::Cut { .. }));
            let ran: u64 = String::from_utf8(output.stdout).unwrap().trim().parse().unwrap();
            assert_eq!(all_chunks(part), ran, "{options:?}");
            let mut waits = 0;
            part.for_each(|_, event| match event {
                Event::Sum(sum) if sum.what == SumOf::Wait => waits += sum.count,
                _ => {}
            })
            .unwrap();
            // Threads that wait at the end of the last region have not told it.
            assert!(waits > ran / 2, "{waits}");
        }
    }
}

/// Nested teams, threads that come and go, tasks: sums hold them all, in order, and little else is left.
#[test]
fn sums_of_what_is_not_simple() {
    for (name, arguments) in [("teams", &["300"][..]), ("mixed", &["50", "3"])] {
        let program = Program::compile(name, majors()[0]);
        for runtime in &runtimes() {
            let (full, _) = program.recorded(runtime, &[], arguments);
            for options in [&["--aggregate"][..], &["--sample", "5"]] {
                let (trace, _) = program.recorded(runtime, options, arguments);
                assert_eq!(all_chunks(&trace.parts[0]), all_chunks(&full.parts[0]), "{name} {options:?}");
            }
        }
    }
}

/// The share of each thread of a team that is told, and all that is lost.
fn shares(part: &Part, ran: u64) -> Vec<usize> {
    let (mut lost, mut told) = (0, BTreeMap::<u32, usize>::new());
    part.for_each(|_, event| {
        if let Event::Lost(event) = event {
            assert_eq!(Reason::from_number(event.reason), Some(Reason::MaxSize));
            lost += event.chunks;
        }
    })
    .unwrap();
    for ran in chunks(part) {
        *told.entry(ran.lane).or_default() += 1;
    }
    assert_eq!(told.values().sum::<usize>() as u64 + lost, ran);
    assert_eq!(part.head().lost_chunks, lost);
    in_order(part);
    told.into_values().collect()
}

fn limited(program: &Program, runtime: &Runtime, size: &str, arguments: &[&str]) -> (Trace, u64) {
    let options = ["--max-size", size];
    let output = program.record(runtime, &options, arguments).output().unwrap();
    assert!(output.status.success(), "{}", text(&output));
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.matches("Raise --max-size").count() <= 1, "{said}");
    let ran = String::from_utf8(output.stdout).unwrap();
    (Trace::open(&program.trace()).unwrap(), ran.trim().parse().unwrap())
}

/// Two threads fill all the room; six come later, and have as much of it in the end.
#[test]
fn late_threads_have_their_share() {
    let program = Program::compile("late", majors()[0]);
    for runtime in &runtimes() {
        let arguments = ["3000", "8", "6000", "0"];
        let (trace, ran) = limited(&program, runtime, "1M", &arguments);
        let part = &trace.parts[0];
        let shares = shares(part, ran);
        assert!(part.size() <= 1 << 20);
        let (least, most) = (shares.iter().min().unwrap(), shares.iter().max().unwrap());
        assert!(shares.len() == 8 && most < &(3 * least), "{}: {shares:?}", runtime.name);
    }
}

/// More threads than blocks, and threads that come one after the other when there is no room left.
#[test]
fn more_threads_than_room() {
    let program = Program::compile("late", majors()[0]);
    for runtime in &runtimes() {
        // Nothing is taken from threads that were adding to sums in their last blocks when room ran out, as the first two are in one
        // run of ten: few have a share then.
        let mut told = Vec::new();
        let have_shares = (0..5).any(|_| {
            let (trace, ran) = limited(&program, runtime, "256K", &["100", "300", "20", "0"]);
            let part = &trace.parts[0];
            assert!(part.size() <= 256 << 10);
            told.push(shares(part, ran));
            told.last().is_some_and(|all| all.len() > 20)
        });
        assert!(have_shares, "{}: {told:?}", runtime.name);
        let (trace, ran) = limited(&program, runtime, "512K", &["3000", "2", "0", "20"]);
        // One after the other they write into few lanes, as those before are free, and these have equal shares.
        let all = shares(&trace.parts[0], ran);
        let (least, most) = (all.iter().min().unwrap(), all.iter().max().unwrap());
        assert!(all.len() > 2 && most < &(3 * least), "{all:?}");
    }
}

/// A file that may not grow has room for sums.
#[test]
fn sums_fit_where_little_room_is() {
    let program = Program::compile("end", majors()[0]);
    for runtime in &runtimes() {
        let output = program.record(runtime, &["--aggregate"], &["limit"]).output().unwrap();
        assert_eq!(output.status.code(), Some(5), "{}", text(&output));
        let trace = Trace::open(&program.trace()).unwrap();
        assert_eq!(all_chunks(&trace.parts[0]), 1_000_000);
        assert_eq!(trace.parts[0].head().lost_reason, None);
    }
}
