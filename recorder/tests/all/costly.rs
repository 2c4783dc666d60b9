//! With a profile, of loops whose chunks cost more to record than to run some executions are told and the others are not; each of
//! them all or not at all, on all of its threads, and whatever the program computes stays the same.

use std::collections::HashMap;

use ompchunk_trace_format::{Event, Part, Unwanted};

use crate::common::{Program, clean, majors, runtimes, text};

/// A thread's part of an execution.
#[derive(Default)]
struct Share {
    count: u64,
    costly: bool,
    chunks: Vec<(u64, u64)>,
}

/// Executions by how their threads told them: region, loop, which one in the region. Of threads without a region each is one.
type Executions = HashMap<(u64, u32, u64), Vec<Share>>;

/// A lane's tasks, by region, with how often each loop began in them; and its loops.
#[derive(Default)]
struct Lane {
    tasks: Vec<(u64, HashMap<u32, u64>)>,
    open: Vec<((u64, u32, u64), Share)>,
}

fn executions(part: &Part) -> Executions {
    let mut lanes: HashMap<u32, Lane> = HashMap::new();
    let mut all = Executions::new();
    part.for_each(|at, event| {
        let lane = lanes.entry(at.lane).or_default();
        match event {
            Event::ImplicitTaskBegin { parallel, .. } => lane.tasks.push((*parallel, HashMap::new())),
            Event::ImplicitTaskEnd { .. } => drop(lane.tasks.pop()),
            Event::LoopBegin(begin) => {
                let (region, begun) = lane.tasks.last_mut().expect("a loop is in a task");
                let nth = begun.entry(begin.the_loop).or_default();
                *nth += 1;
                lane.open.push(((*region, begin.the_loop, *nth), Share { count: begin.count, ..Share::default() }));
            }
            Event::Omitted { the_loop, why } => {
                let (key, share) = lane.open.last_mut().expect("it is of a loop");
                assert_eq!((*why, *the_loop, share.costly), (Unwanted::Costly, key.1, false));
                share.costly = true;
            }
            Event::Chunk(chunk) => {
                let (_, share) = lane.open.last_mut().expect("a chunk is of a loop");
                share.chunks.push((chunk.lower, chunk.iterations));
            }
            Event::LoopEnd { .. } => {
                let (key, share) = lane.open.pop().expect("it has begun");
                all.entry(key).or_default().push(share);
            }
            _ => {}
        }
    })
    .unwrap();
    all
}

/// How many executions are told and how many are not.
fn judged(executions: &Executions, name: &str) -> (u64, u64) {
    let (mut told, mut untold) = (0, 0);
    for (key, shares) in executions {
        let costly = shares.iter().filter(|share| share.costly).count();
        assert!(costly == 0 || costly == shares.len(), "{name}: threads did not agree, {key:?}");
        let mut chunks: Vec<(u64, u64)> = shares.iter().flat_map(|share| share.chunks.iter().copied()).collect();
        if costly > 0 {
            assert!(chunks.is_empty(), "{name} {key:?}");
            untold += 1;
            continue;
        }
        told += 1;
        chunks.sort_unstable();
        let end = chunks.iter().try_fold(0, |end, (lower, iterations)| (*lower == end).then_some(end + iterations));
        assert_eq!(end, Some(shares[0].count), "{name} {key:?}: no iteration is missing, none is there twice");
    }
    (told, untold)
}

/// In each program the first execution is told, and of very many short ones no more than a part. (On a machine that is busy
/// they take longer, and more can be told.)
#[test]
fn some_executions_are_told_and_none_in_part() {
    let program = Program::compile("costly", majors()[0]);
    for runtime in &runtimes() {
        for (which, executions_asked, threads, is_many) in [
            ("often", "2000", "2", true),
            ("often", "1", "2", false),
            ("often", "300", "9", true),
            ("inside", "1000", "3", true),
            ("uneven", "2000", "2", true),
            ("teams", "900", "5", true),
            ("nested", "20", "2", false),
            ("fork", "600", "2", true),
        ] {
            let name = format!("{} {which} {executions_asked} {threads}", runtime.name);
            let arguments = [which, executions_asked, threads];
            let mut plain = clean(&program.path);
            plain.args(arguments).env("OMP_DYNAMIC", "false");
            runtime.serve(&mut plain);
            let plain = plain.output().unwrap();
            let (trace, said) = program.recorded(runtime, &["--profile"], &arguments);
            assert_eq!(said, String::from_utf8_lossy(&plain.stdout), "{name}: {}", text(&plain));
            assert_eq!(trace.parts.len(), if which == "fork" { 2 } else { 1 });
            for part in &trace.parts {
                assert_eq!(part.head().lost_chunks + part.head().lost_events, 0, "{name}");
                let (told, untold) = judged(&executions(part), &name);
                println!("{name}: {told} told, {untold} not");
                let all = told + untold;
                assert!(told >= 1 || part.meta().forked_from.is_some(), "{name}");
                assert!(is_many == (untold * 2 > all) || !is_many && untold < all, "{name}: {told} of {all}");
            }
        }
    }
}

/// A schedule that the user orders has chunks of the same kind.
#[test]
fn chunks_of_an_order_cost_as_much() {
    let program = Program::compile("tiny", majors()[0]);
    for runtime in &runtimes() {
        let mut command = program.record(runtime, &["--profile"], &["3000", "2"]);
        let output = command.env("OMPCHUNK_SCHEDULE", "*=static,1").output().unwrap();
        assert!(output.status.success(), "{}", text(&output));
        let trace = ompchunk_trace_format::Trace::open(&program.trace()).unwrap();
        let (told, untold) = judged(&executions(&trace.parts[0]), runtime.name);
        assert!(told >= 1 && untold > told, "{}: {told}, {untold}\n{}", runtime.name, text(&output));
        let said = text(&output);
        assert!(said.contains(": profiled ") && said.contains(" of 3,000 executions, as chunks cost more"), "{said}");
    }
}
