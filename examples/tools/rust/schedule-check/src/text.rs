//! What is said of a loop that moved, a line each.

use std::io::Write as _;

use chunk_tool::Known;
use ompchunk_abi::overrides::{CHECK_TOOL, shown};
use ompt::sched_type::{self, AUTO, DYNAMIC, GUIDED, MODIFIERS, MONOTONIC, RUNTIME, STATIC, STATIC_CHUNKED};

use crate::execution::{Execution, Ran, Who};

/// Writes a line, at once, so that lines of several processes do not mix. With stderr gone, nobody is left to tell.
pub(crate) fn print(line: &str) {
    let line = format!("ompchunk: {CHECK_TOOL}: {line}\n");
    let _ = std::io::stderr().write_all(line.as_bytes());
}

/// `solver.c:118:3`
pub(crate) fn name(the_loop: &Known) -> String {
    let file = the_loop.file.rsplit('/').next().unwrap_or_default();
    match (file, the_loop.record.line) {
        (_, 0) if the_loop.function.is_empty() => format!("{} (compiled without -g)", shown(file)),
        ("", _) | (_, 0) => format!("of {} (compiled without -g)", shown(&the_loop.function)),
        (file, line) => format!("{}:{line}:{}", shown(file), the_loop.record.column),
    }
}

/// As in `OMPCHUNK_SCHEDULE`.
fn schedule((kind, chunk): Ran) -> String {
    let modifier = match kind & MODIFIERS {
        MONOTONIC => "monotonic:",
        _ => "",
    };
    let name = match sched_type::kind(kind) {
        STATIC_CHUNKED | STATIC => "static",
        DYNAMIC => "dynamic",
        GUIDED => "guided",
        RUNTIME => "runtime",
        AUTO => "auto",
        65 | 66 => "ordered static",
        other => return format!("kind {other}"),
    };
    match chunk {
        0 => format!("{modifier}{name}"),
        chunk => format!("{modifier}{name},{chunk}"),
    }
}

fn how(execution: &Execution) -> String {
    let record = &execution.the_loop.record;
    match execution.is_changed() {
        false => format!("{} as compiled", schedule(execution.ran)),
        true => format!("{} instead of {}", schedule(execution.ran), schedule((record.schedule, record.chunk.into()))),
    }
}

/// A thread ran other iterations of one than of the other.
pub(crate) fn of_pair(before: &Execution, done: &Execution, who: Who) -> String {
    let (first, second) = before.own.against(&done.own);
    let (of_first, of_second) = (how(before), how(done));
    let Who { number, threads } = who;
    let subject = match std::ptr::eq(before.the_loop, done.the_loop) {
        true => format!("two executions of the loop {}", name(done.the_loop)),
        false => format!("the loops {} and {}", name(before.the_loop), name(done.the_loop)),
    };
    let advice = match before.is_changed() || done.is_changed() {
        true => "Name both or none; `ompchunk loops` shows groups",
        false => "Nothing was ordered for them, so the OpenMP runtime or ompchunk is wrong: please report it",
    };
    format!(
        "{subject} gave a thread different iterations in one parallel region, though loops with the same schedule and as many \
         iterations promise the same (OpenMP 5.2, 11.5.3): of {count}, thread {number} of {threads} ran {first} under {of_first}, \
         and {second} under {of_second}. {advice}",
        count = done.count,
    )
}

/// A chunk went to another thread than the clause says.
pub(crate) fn of_stray(done: &Execution, who: Who) -> String {
    let Who { number, threads } = who;
    let (first, last) = done.stray.unwrap_or_default();
    let (stray, whose) = done.promise.first_of_another(first, number, threads).unwrap_or((first, number));
    format!(
        "the loop {}, {}, did not give its chunks to the threads in turn, as its source promises (OpenMP 5.2, 11.5.3): thread \
         {number} of {threads} ran iterations {first}..{last}, and iteration {stray} is promised to thread {whose}. Leave the \
         loop out, unless no code relies on that",
        name(done.the_loop),
        how(done),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schedules_are_written_as_in_an_order() {
        assert_eq!(schedule((34, 0)), "static");
        assert_eq!(schedule((33, 7)), "static,7");
        assert_eq!(schedule((35 | 1 << 30, 3)), "dynamic,3");
        assert_eq!(schedule((36 | 1 << 29, 3)), "monotonic:guided,3");
        assert_eq!(schedule((66, 0)), "ordered static");
        assert_eq!(schedule((44, 0)), "kind 44");
    }
}
