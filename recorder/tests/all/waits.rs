//! What every recording adds up: locks, critical and ordered sections by what they are and the loop around them, and explicit tasks.
//! Counts are exact, and no thread has more of it than there was time.

use ompchunk_trace_format::sum::{MUTEX_IN_TASK, TASK_IN_WAIT, TASK_WAITS};
use ompchunk_trace_format::{Event, NOBODY, Sum, SumOf, Trace};

use crate::common::{Program, majors, runtimes};

/// `ompt_mutex_t`
const LOCK: u32 = 1;
const NEST_LOCK: u32 = 3;
const CRITICAL: u32 = 5;
const ORDERED: u32 = 7;

fn sums(trace: &Trace) -> Vec<Sum> {
    let mut found = Vec::new();
    let [part] = trace.parts.as_slice() else {
        panic!("{} parts", trace.parts.len());
    };
    part.for_each(|_, event| {
        if let Event::Sum(sum) = event {
            found.push(*sum);
        }
    })
    .unwrap();
    found
}

fn count(sums: &[Sum], is_meant: impl Fn(&Sum) -> bool) -> u64 {
    sums.iter().filter(|sum| is_meant(sum)).map(|sum| sum.count).sum()
}

fn is_mutex(sum: &Sum, kind: u32) -> bool {
    sum.what == SumOf::Mutex && sum.of & 0xff == kind
}

/// What the program printed of itself.
fn expected(output: &str) -> [u64; 5] {
    let numbers = output.split_whitespace().map(|word| word.parse().unwrap());
    numbers.collect::<Vec<u64>>().try_into().unwrap()
}

#[test]
fn counts_are_exact() {
    for major in majors() {
        let program = Program::compile("waits", major);
        for runtime in runtimes() {
            for options in [&[][..], &["--aggregate"], &["--sample", "3"], &["--bookkeeping"]] {
                let (trace, output) = program.recorded(&runtime, options, &["1000"]);
                let [locks, nest_locks, criticals, ordered, tasks] = expected(&output);
                let sums = sums(&trace);
                let case = format!("clang {major}, {}, {options:?}: {sums:#?}", runtime.name);
                let of = |kind| count(&sums, |sum| is_mutex(sum, kind));
                assert_eq!(of(LOCK), locks, "{case}");
                assert_eq!(of(NEST_LOCK), nest_locks, "{case}");
                assert_eq!(of(CRITICAL), criticals, "{case}");
                assert_eq!(of(ORDERED), ordered, "{case}");
                let is_task = |sum: &Sum| sum.what == SumOf::Task && sum.of & 0xff != TASK_WAITS;
                assert_eq!(count(&sums, is_task), tasks, "{case}");
            }
        }
    }
}

#[test]
fn waits_are_of_the_loop_around_them() {
    let program = Program::compile("waits", majors()[0]);
    for runtime in runtimes() {
        let (trace, _) = program.recorded(&runtime, &[], &["600"]);
        let sums = sums(&trace);
        let in_a_loop = |sum: &Sum| sum.the_loop != NOBODY && sum.of & MUTEX_IN_TASK == 0;
        assert_eq!(count(&sums, |sum| is_mutex(sum, LOCK) && in_a_loop(sum)), 600);
        assert_eq!(count(&sums, |sum| is_mutex(sum, CRITICAL) && in_a_loop(sum)), 600);
        assert_eq!(count(&sums, |sum| is_mutex(sum, CRITICAL) && !in_a_loop(sum)), 2);
        // Two loops, each with its own.
        let loops = |kind| {
            let meant = sums.iter().filter(|sum| is_mutex(sum, kind) && in_a_loop(sum));
            let mut numbers: Vec<u32> = meant.map(|sum| sum.the_loop).collect();
            numbers.sort_unstable();
            numbers.dedup();
            numbers
        };
        assert_eq!((loops(LOCK).len(), loops(ORDERED).len()), (1, 1));
        assert_ne!(loops(LOCK), loops(ORDERED));
    }
}

/// Tasks inside of each other, waits inside of tasks: each moment is counted once.
#[test]
fn a_thread_has_no_more_than_its_time() {
    let program = Program::compile("waits", majors()[0]);
    for runtime in runtimes() {
        let (trace, _) = program.recorded(&runtime, &[], &["2000"]);
        let head = trace.parts[0].head();
        let length = head.end.0 - head.start.0;
        let sums = sums(&trace);
        for thread in 0..2 {
            let mine = || sums.iter().filter(|sum| sum.thread == thread);
            let in_waits =
                mine().filter(|sum| sum.what == SumOf::Task && matches!(sum.of & 0xff, TASK_IN_WAIT | TASK_WAITS));
            let outside = mine().filter(|sum| sum.what == SumOf::Task && sum.of & 0xff == 0);
            let spent: u64 = in_waits.chain(outside).map(|sum| sum.sum).sum();
            assert!(spent <= length, "thread {thread}: {spent} of {length}");
            for sum in mine() {
                assert!(sum.min <= sum.max && sum.max <= sum.sum, "{sum:?}");
                assert!(sum.from <= sum.to && sum.to <= head.end.0, "{sum:?}");
            }
        }
    }
}

/// Nothing is added up while nothing is recorded.
#[test]
fn a_recording_that_is_over_adds_nothing() {
    let program = Program::compile("waits", majors()[0]);
    for runtime in runtimes() {
        let (trace, _) = program.recorded(&runtime, &["--for", "0.000001"], &["1000"]);
        let sums = sums(&trace);
        let all = count(&sums, |sum| sum.what == SumOf::Mutex);
        assert!(all < 100, "{}: {all}", runtime.name);
    }
}

/// Each tied task counts once, however deep they wait for each other.
#[test]
fn tied_tasks_count_once() {
    let program = Program::compile("forest", majors()[0]);
    for runtime in runtimes() {
        let (trace, output) = program.recorded(&runtime, &[], &["18"]);
        let sums = sums(&trace);
        let is_task = |sum: &Sum| sum.what == SumOf::Task && sum.of & 0xff != TASK_WAITS;
        assert_eq!(count(&sums, is_task), output.trim().parse::<u64>().unwrap(), "{}", runtime.name);
    }
}

/// An untied task that is over leaves its creator where that waits, which then goes on to wait: all of them run in waits.
#[test]
fn untied_tasks_leave_waits_as_they_are() {
    let program = Program::compile("forest", majors()[0]);
    for runtime in runtimes() {
        let (trace, output) = program.recorded(&runtime, &[], &["16", "untied"]);
        let sums = sums(&trace);
        let tasks: u64 = output.trim().parse().unwrap();
        let of = |what| count(&sums, |sum| sum.what == SumOf::Task && sum.of & 0xff == what);
        assert_eq!(of(0), 0, "{}: {sums:#?}", runtime.name);
        assert_eq!(of(TASK_IN_WAIT), tasks, "{}: {sums:#?}", runtime.name);
        // As many taskwaits as there are, but for that of the single.
        assert!(of(TASK_WAITS) >= tasks / 2 - 30, "{}: {sums:#?}", runtime.name);
    }
}

/// A lock that the program's own `malloc` takes while the recorder allocates is nobody's event, and does no harm.
#[test]
fn the_programs_malloc_takes_a_lock() {
    let program = Program::compile("locked_malloc", majors()[0]);
    for runtime in runtimes() {
        for options in [&[][..], &["--aggregate"], &["--sample", "3"]] {
            let (trace, output) = program.recorded(&runtime, options, &["300"]);
            let sums = sums(&trace);
            let taken: u64 = output.trim().parse().unwrap();
            let all = count(&sums, |sum| is_mutex(sum, LOCK));
            assert!(all >= 2 * taken, "{}, {options:?}: {all} of {taken}", runtime.name);
        }
    }
}
