//! Recorded without chunks: each execution's begin and end, its iterations, and the schedule that it ran under, also where schedules take turns.

use std::collections::BTreeMap;

use ompchunk_trace_format::{Event, Part, Trace};

use crate::common::{Program, in_order, majors, number, programs, runtimes};

#[test]
fn executions_without_chunks() {
    for major in majors() {
        let program = Program::compile("late", major);
        for runtime in &runtimes() {
            for (schedule, expected) in [
                (None, vec![("schedule(static,1)", 20)]),
                (Some("*=source|dynamic,4"), vec![("schedule(dynamic,4)", 10), ("schedule(static,1)", 10)]),
                (Some("*=static,7"), vec![("schedule(static,7)", 20)]),
            ] {
                let what = format!("clang {major} {} {schedule:?}", runtime.name);
                let options: Vec<&str> = schedule.iter().flat_map(|schedule| ["--schedule", schedule]).collect();
                let mut command = program.record(runtime, &options, &["20", "2", "0", "0"]);
                let output = command.env("OMPCHUNK_RECORD", "executions").output().unwrap();
                assert_eq!(number(&output), 2000, "{what}");
                let trace = Trace::open(&program.trace()).unwrap();
                let part = &trace.parts[0];
                in_order(part);
                assert!(part.meta().mode.executions);
                let mut clauses = BTreeMap::new();
                let (mut open, mut parts) = (BTreeMap::new(), BTreeMap::<String, u32>::new());
                part.for_each(|at, event| match event {
                    Event::Loop(the_loop) => {
                        clauses.insert(the_loop.the_loop, the_loop.clause().to_string());
                    }
                    Event::LoopBegin(loop_begin) => {
                        assert_eq!(loop_begin.count, 100, "{what}");
                        open.insert(at.lane, (at.ticks, loop_begin.the_loop));
                    }
                    Event::LoopEnd { the_loop } => {
                        let (begin, begun) = open.remove(&at.lane).unwrap();
                        assert!(begun == *the_loop && begin < at.ticks, "{what}");
                        *parts.entry(clauses[the_loop].clone()).or_default() += 1;
                    }
                    Event::Chunk(_) | Event::Aggregate(_) | Event::Lost(_) => panic!("{what}"),
                    _ => {}
                })
                .unwrap();
                // Two threads.
                let expected: BTreeMap<String, u32> =
                    expected.iter().map(|(clause, runs)| ((*clause).to_owned(), 2 * runs)).collect();
                assert_eq!(parts, expected, "{what}");
            }
        }
    }
}

/// Each loop of `within.c` by its mark: how many threads' parts of executions there are.
const WITHIN: [(&str, u32); 6] =
    [("inner", 2 * 10 * (8 + 1)), ("outer", 20), ("dealt", 20), ("sections", 20), ("ordered", 20), ("two", 20)];

/// The runtime tells of their begin and end alone, and the shim says which loop it is, also of one within another.
#[test]
fn loops_keep_their_names_within_others() {
    let source = std::fs::read_to_string(programs().join("within.c")).unwrap();
    let line_of = |mark: &str| {
        let mark = format!("// {mark}");
        let found = source.lines().position(|line| line.ends_with(&mark));
        u32::try_from(found.unwrap() + 1).unwrap()
    };
    let expected: BTreeMap<u32, u32> = WITHIN.map(|(mark, parts)| (line_of(mark), parts)).into();
    for major in majors() {
        let program = Program::compile("within", major);
        for runtime in &runtimes() {
            for schedule in ["*=source", "*=static,3", "*=dynamic,2", "*=balanced", "*=adaptive"] {
                let what = format!("clang {major} {} {schedule}", runtime.name);
                let mut command = program.record(runtime, &["--schedule", schedule], &[]);
                let output = command.env("OMPCHUNK_RECORD", "executions").output();
                // 10 times 8 inner loops of 16, and so on.
                assert_eq!(number(&output.unwrap()), 2630, "{what}");
                let trace = Trace::open(&program.trace()).unwrap();
                let part = &trace.parts[0];
                in_order(part);
                let asked = &part.meta().events;
                for event in ["dispatch", "chunk", "loop", "sub_block"] {
                    assert!(!asked.contains_key(event), "{what}: {asked:?}");
                }
                assert_eq!(parts_by_line(part), expected, "{what}");
            }
        }
    }
}

/// How many begins there are of each loop that the plugin saw. There are no chunks.
fn parts_by_line(part: &Part) -> BTreeMap<u32, u32> {
    let (mut lines, mut parts) = (BTreeMap::new(), BTreeMap::new());
    part.for_each(|_, event| match event {
        Event::Loop(the_loop) => {
            assert!(the_loop.instrumented);
            lines.insert(the_loop.the_loop, the_loop.line);
        }
        Event::LoopBegin(begin) => *parts.entry(lines[&begin.the_loop]).or_default() += 1,
        Event::Chunk(_) | Event::Aggregate(_) => panic!("a chunk"),
        _ => {}
    })
    .unwrap();
    parts
}
