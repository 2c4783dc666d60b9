//! Is what the trace tells what ran? Programs that count in their loops' own bodies are the witnesses.

use std::collections::BTreeMap;

use ompchunk_abi::sched_type::{DYNAMIC, kind};
use ompchunk_trace_format::{Event, Trace};
use ompt::raw::WORK_LOOP_DYNAMIC;

use crate::common::{self, Program, Ran, chunks, majors, product, runtimes};

/// Loop's line, first iteration, number of iterations, the user's value in the first one.
type Witness = (u32, u64, u64, Option<i64>);

/// Per thread, what the program saw.
fn witnessed(output: &str) -> Vec<Vec<Witness>> {
    let mut threads: BTreeMap<i64, Vec<Witness>> = BTreeMap::new();
    for line in output.lines() {
        let numbers: Vec<i64> = line.split(' ').map(|word| word.parse().unwrap()).collect();
        let [thread, line, lower, count, value] = numbers[..] else { panic!("{line}") };
        let seen = (line as u32, lower as u64, count as u64, Some(value));
        threads.entry(thread).or_default().push(seen);
    }
    sorted(threads.into_values())
}

/// A team of one thread: some runtimes deal it the whole loop at once, others as many chunks as ever.
fn joined(threads: Vec<Vec<Witness>>) -> Vec<Vec<Witness>> {
    let join = |mut all: Vec<Witness>, next: Witness| {
        match all.last_mut() {
            Some(last) if (last.0, last.1 + last.2) == (next.0, next.1) => last.2 += next.2,
            _ => all.push(next),
        }
        all
    };
    let threads = threads.into_iter();
    threads.map(|thread| thread.into_iter().fold(Vec::new(), join)).collect()
}

/// The same from the trace, per lane.
fn traced(trace: &Trace) -> Vec<Vec<Witness>> {
    let mut lanes: BTreeMap<u32, Vec<Witness>> = BTreeMap::new();
    for ran in chunks(&trace.parts[0]) {
        let value = value(&ran);
        let seen = (ran.line, ran.lower, ran.iterations, value);
        lanes.entry(ran.lane).or_default().push(seen);
    }
    sorted(lanes.into_values())
}

fn value(ran: &Ran) -> Option<i64> {
    let (start, step) = ran.begin.start.zip(ran.begin.step)?;
    Some(start.wrapping_add(step.wrapping_mul(ran.lower as i64)))
}

fn sorted(threads: impl Iterator<Item = Vec<Witness>>) -> Vec<Vec<Witness>> {
    let mut threads: Vec<_> = threads.collect();
    threads.sort();
    threads
}

#[test]
fn what_ran_is_what_is_told() {
    for major in majors() {
        let program = Program::compile("mixed", major);
        for runtime in &runtimes() {
            for threads in ["1", "2", "3"] {
                for options in [&[][..], &["--bookkeeping"], &["--cpus"]] {
                    let (trace, output) = program.recorded(runtime, options, &["1", threads]);
                    let mut wanted = witnessed(&output);
                    let mut found = traced(&trace);
                    if threads == "1" {
                        (wanted, found) = (joined(wanted), joined(found));
                    }
                    assert!(threads == "1" || wanted.iter().map(Vec::len).sum::<usize>() > 50);
                    assert_eq!(found, wanted, "clang {major}, {}, {threads} threads, {options:?}", runtime.name);
                }
            }
        }
    }
}

/// Whether bookkeeping was timed, and the last chunk marked, wherever the plugin's loops ran: the last of
/// each thread in a static loop, the one with the last iteration in a loop that the runtime deals.
#[test]
fn bookkeeping() {
    let program = Program::compile("mixed", majors()[0]);
    for runtime in &runtimes() {
        let (trace, _) = program.recorded(runtime, &["--bookkeeping"], &["3", "2"]);
        let part = &trace.parts[0];
        assert!(part.meta().mode.bookkeeping);
        let mut instrumented = BTreeMap::new();
        let mut open = BTreeMap::new();
        let (mut timed, mut wanted, mut last) = (0, 0, 0);
        part.for_each(|at, event| match event {
            Event::Loop(the_loop) => {
                let dealt = kind(the_loop.schedule) == DYNAMIC;
                instrumented.insert(the_loop.the_loop, (the_loop.instrumented, dealt));
            }
            Event::LoopBegin(loop_begin) => {
                open.insert(at.lane, (instrumented[&loop_begin.the_loop], loop_begin.count, 0));
            }
            Event::Chunk(chunk) => {
                let ((instrumented, dealt), count, chunks) = open.get_mut(&at.lane).unwrap();
                *chunks += 1;
                assert_eq!(chunk.create_duration > 0, *instrumented);
                timed += u64::from(*instrumented);
                last += u64::from(chunk.last);
                wanted += u64::from(*dealt && chunk.lower + chunk.iterations == *count);
            }
            Event::LoopEnd { .. } => {
                let ((instrumented, dealt), _, chunks) = open[&at.lane];
                wanted += u64::from(instrumented && !dealt && chunks > 0);
            }
            _ => {}
        })
        .unwrap();
        assert!(timed > 100);
        assert_eq!(last, wanted);
    }
}

/// Sampled and added-up executions account for all.
#[test]
fn nothing_is_missing_from_the_sums() {
    let program = Program::compile("mixed", majors()[0]);
    for runtime in &runtimes() {
        for (options, recorded) in [(&[][..], [20, 0]), (&["--sample", "4"], [5, 15]), (&["--aggregate"], [0, 20])] {
            let (trace, output) = program.recorded(runtime, options, &["20", "2"]);
            let iterations = |chunks: &mut dyn Iterator<Item = u64>| chunks.sum::<u64>();
            let of_loop = 100;
            let part = &trace.parts[0];
            let told = iterations(&mut chunks(part).iter().filter(|ran| ran.line == 50).map(|ran| ran.iterations));
            let mut lines = BTreeMap::new();
            let mut summed = 0;
            part.for_each(|_, event| match event {
                Event::Loop(the_loop) => {
                    lines.insert(the_loop.the_loop, the_loop.line);
                }
                Event::Aggregate(aggregate) => {
                    assert_eq!(aggregate.histogram.counts().sum::<u64>(), aggregate.chunks);
                    assert!(aggregate.min <= aggregate.max && aggregate.max <= aggregate.sum);
                    if lines[&aggregate.the_loop] == 50 {
                        summed += aggregate.iterations;
                    }
                }
                _ => {}
            })
            .unwrap();
            assert_eq!([told / of_loop, summed / of_loop], recorded, "{options:?}");
            assert!(output.lines().count() > 1000);
        }
    }
}

#[test]
fn nested_regions_and_threads_that_come_and_go() {
    const NESTED: usize = 4 * (1 + 8 + 64);
    for runtime in &runtimes() {
        let program = Program::compile("teams", majors()[0]);
        let (trace, _) = program.recorded(runtime, &[], &["300"]);
        let part = &trace.parts[0];
        // A team of one thread may be dealt each loop as one chunk.
        let alone = if runtime.name == "libomp" { 300 + 1 } else { 300 * 10 + 20 };
        assert_eq!(chunks(part).len(), NESTED + alone + 3 * 20);
        let mut threads = 0;
        part.for_each(|_, event| threads += u32::from(matches!(event, Event::ThreadBegin { .. }))).unwrap();
        let lanes = part.lanes().unwrap().len();
        assert!(threads > 300 && lanes < 30, "{threads} threads, {lanes} lanes");
        assert!(part.size() < 4 << 20, "a lane is used again");
    }
}

/// Without the shim: the runtime's own events, and a mark on what they leave out.
#[test]
fn without_the_shim() {
    for runtime in &runtimes() {
        let program = Program::compile("mixed", majors()[0]);
        let mut command = common::clean(&program.path);
        command.env("OMP_TOOL_LIBRARIES", product("lib/libompchunk_trace.so")).env("OMPCHUNK_TRACE", program.trace());
        runtime.serve(&mut command);
        let output = command.output().unwrap();
        assert!(output.status.success() && output.stderr.is_empty(), "{}", common::text(&output));
        let trace = Trace::open(&program.trace()).unwrap();
        let part = &trace.parts[0];
        common::in_order(part);
        assert!(!part.meta().shim);
        let mut loops = 0;
        part.for_each(|_, event| {
            if let Event::Loop(event) = event {
                assert!(!event.instrumented && event.code != 0);
                loops += 1;
            }
        })
        .unwrap();
        assert!(loops >= 4);
        let dealt = chunks(part);
        let dealt = dealt.iter().filter(|ran| ran.begin.work == WORK_LOOP_DYNAMIC);
        assert_eq!(dealt.map(|ran| ran.iterations).sum::<u64>(), 42);
    }
}
