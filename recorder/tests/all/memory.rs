//! A process that has used up its memory: it ends as it would alone, what is recorded can be read, and what is not is counted, or
//! known to be more than is counted.

use std::process::Output;

use ompchunk_trace_format::{Ending, Event, Part, Reason, Trace, Unwanted};

use crate::common::{Program, Runtime, all_chunks, by_hand, clean, in_order, majors, product, runtimes, text};

const MODES: [&[&str]; 7] = [
    &[],
    &["--sample", "3"],
    &["--aggregate"],
    &["--profile", "--bookkeeping"],
    &["--tasks", "--cpus"],
    &["--sample-stacks"],
    &["--max-size", "256K"],
];

/// One of so many allocations is tried.
const STEP: usize = 211;

/// What a program prints: chunks that ran, and how often shim and recorder asked for memory.
fn numbers(output: &Output) -> (u64, u64) {
    let printed = String::from_utf8_lossy(&output.stdout);
    let numbers = printed.trim().split_once(' ').unwrap();
    (numbers.0.parse().unwrap(), numbers.1.parse().unwrap())
}

/// The part of the program itself, not of a process that it forked; its chunks are all that ran, told or lost.
fn accounted(program: &Program, ran: u64, what: &str) -> Part {
    let mut trace = Trace::open(&program.trace()).unwrap();
    let own = |part: &Part| part.meta().forked_from.is_none();
    let own = trace.parts.iter().position(own).unwrap();
    let part = trace.parts.remove(own);
    assert_eq!(part.ending(), Ending::Clean, "{what}");
    in_order(&part);
    let (told, lost) = (all_chunks(&part), part.head().lost_chunks);
    // Executions without a profile have no chunks, and each says so.
    let mut costly = false;
    part.for_each(|_, event| costly |= matches!(event, Event::Omitted { why: Unwanted::Costly, .. })).unwrap();
    match part.head().unsettled || costly {
        false => assert_eq!(told + lost, ran, "{what}"),
        true => assert!(told + lost <= ran, "{what}: {told} and {lost} of {ran}"),
    }
    part
}

/// Shim and recorder get no memory: from some allocation on, now and then, or once, whichever that is.
#[test]
fn any_allocation_may_fail() {
    let program = Program::compile_with("scarce", majors()[0], &["-rdynamic", "-ldl"]);
    for runtime in &runtimes() {
        for options in MODES {
            let run = |way: &str, number: u64, threads: &str| {
                let what = format!("{} {options:?} {way} {number} {threads}", runtime.name);
                let number = number.to_string();
                let arguments = [way, &number, threads];
                let output = program.record(runtime, options, &arguments).output().unwrap();
                assert!(output.status.success(), "{what}: {}", text(&output));
                let (ran, asked) = numbers(&output);
                (accounted(&program, ran, &what), asked)
            };
            let (part, asked) = run("from", u64::MAX / 4, "8");
            assert_eq!(part.head().lost_reason, None, "{options:?}");
            for number in (1..asked).step_by(STEP) {
                for way in ["from", "only"] {
                    run(way, number, "8");
                }
            }
            for number in [2, 3, 7] {
                run("every", number, "8");
            }
            // More lanes than there is a reserve for.
            let (part, _) = run("from", 1, "150");
            assert_eq!(part.head().lost_reason, Some(Reason::Memory), "{options:?}");
            assert!(part.head().unsettled, "{options:?}");
        }
    }
}

/// The same of the shim alone, which then learns nothing more.
#[test]
fn any_allocation_of_the_shim_may_fail() {
    let program = Program::compile_with("scarce", majors()[0], &["-rdynamic", "-ldl"]);
    let learned = program.directory.path().join("learned");
    let run = |way: &str, number: u64| {
        let mut command = clean(product("bin/ompchunk"));
        command.args(["run", "--balance", "--verbose", "--learned"]);
        command.arg(&learned).arg(&program.path);
        let output = command.args([way, &number.to_string(), "8"]).output();
        let output = output.unwrap();
        assert!(output.status.success(), "{way} {number}: {}", text(&output));
        numbers(&output)
    };
    let (ran, asked) = run("from", u64::MAX / 4);
    for number in (1..asked).step_by(STEP) {
        for way in ["from", "only"] {
            assert_eq!(run(way, number).0, ran, "{way} {number}");
        }
    }
}

fn filled(program: &Program, runtime: &Runtime, when: &str) {
    let alone = clean(&program.path).arg(when).output().unwrap();
    let what = format!("{} {when}", runtime.name);
    assert!(alone.status.success(), "{what}: {}", text(&alone));
    let ran = String::from_utf8_lossy(&alone.stdout).trim().parse().unwrap();
    let mut commands = vec![by_hand(program, runtime, &[when])];
    commands.extend(MODES.map(|options| program.record(runtime, options, &[when])));
    for mut command in commands {
        let _ = std::fs::remove_dir_all(program.trace());
        let output = command.output().unwrap();
        assert!(output.status.success(), "{what}: {}", text(&output));
        assert_eq!(output.stdout, alone.stdout, "{what}");
        let what = format!("{what} {command:?}: {}", text(&output));
        accounted(program, ran, &what);
    }
}

/// The program has none left either.
#[test]
fn an_address_space_that_is_used_up() {
    let program = Program::compile("filled", majors()[0]);
    for runtime in &runtimes() {
        for when in ["before", "between", "behind"] {
            filled(&program, runtime, when);
        }
    }
}
