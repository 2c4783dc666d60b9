//! The oracle must see every way of being wrong. Each test breaks one thing in a good log.

mod chunks;
mod leagues;
mod loop_events;
mod spaces;

use super::*;
use crate::log::{Chunk, Datum, Dispatch, Entry, Iteration, Log, LoopEvent};

const TRIP: u64 = 5;
const CODEPTR: u64 = 0x4000;

fn parallel() -> Datum {
    Datum { value: 1, address: 0x100 }
}

fn task(thread: u64) -> Datum {
    Datum { value: 10 + thread, address: 0x1000 + 16 * thread }
}

fn dispatch(thread: u64, lower: u64, upper: u64) -> Entry {
    Entry::Dispatch(Dispatch {
        kind: 3,
        parallel: parallel(),
        task: task(thread),
        start: lower,
        iterations: upper.wrapping_sub(lower).wrapping_add(1),
    })
}

fn chunk(thread: u64, lower: u64, upper: u64, is_last: bool) -> Entry {
    Entry::Chunk(Chunk { task: task(thread), lower, upper, is_last: is_last.into(), duration: 1.0 })
}

fn iteration(index: u64) -> Entry {
    Entry::Iteration(Iteration { the_loop: 0, index, trip: TRIP, value: None })
}

fn loop_event(thread: u64, endpoint: u64) -> Entry {
    Entry::Loop(LoopEvent {
        endpoint,
        schedule: 1,
        parallel: parallel().value,
        task: task(thread).value,
        signed: 1,
        step: 1,
        codeptr: CODEPTR,
    })
}

fn run(thread: u64, lower: u64, upper: u64, is_last: bool) -> Vec<Entry> {
    let mut entries = vec![dispatch(thread, lower, upper), chunk(thread, lower, upper, is_last)];
    entries.extend((lower..=upper).map(iteration));
    entries
}

fn on_thread(thread: u64, kind: u64, body: Vec<Entry>) -> Vec<Entry> {
    let mut entries = vec![
        Entry::TaskBegin { task: task(thread), parallel: parallel(), initial: false },
        Entry::WorkBegin { kind, parallel: parallel().value, task: task(thread).value, trip: TRIP, codeptr: CODEPTR },
    ];
    entries.push(loop_event(thread, 1));
    entries.extend(body);
    entries.push(loop_event(thread, 2));
    entries.push(Entry::WorkEnd { kind });
    entries.push(Entry::TaskEnd { task: task(thread).value });
    entries
}

/// `schedule(static,2)`, five iterations, three threads of which the last has none... of four: the
/// chunks are 0-1, 2-3, 4, and nothing.
fn good() -> Log {
    let parts = [run(0, 0, 1, true), run(1, 2, 3, true), run(2, 4, 4, true), Vec::new()];
    log(parts)
}

/// The same loop on one thread, chunk by chunk.
fn good_serial() -> Log {
    log([[run(0, 0, 1, false), run(0, 2, 3, false), run(0, 4, 4, true)].concat()])
}

fn log<const N: usize>(parts: [Vec<Entry>; N]) -> Log {
    let threads = parts.into_iter().zip(0..).map(|(part, thread)| on_thread(thread, 10, part));
    Log { threads: threads.collect(), ..Log::default() }
}

fn violations(log: &Log) -> Vec<String> {
    violations_for(log, &Expected::all_events())
}

fn violations_for(log: &Log, expected: &Expected) -> Vec<String> {
    judge(log, expected).violations.iter().map(ToString::to_string).collect()
}

/// Replaces the entry that `is` picks in a good serial log with `by`.
fn broken(is: impl Fn(&Entry) -> bool, by: Vec<Entry>) -> Vec<String> {
    let mut log = good_serial();
    let at = log.threads[0].iter().position(is).expect("an entry to break");
    log.threads[0].splice(at..=at, by);
    violations(&log)
}

fn assert_finds(found: &[String], what: &str) {
    assert!(found.iter().any(|v| v.contains(what)), "no `{what}` in {found:#?}");
}

fn is_chunk_at(lower: u64) -> impl Fn(&Entry) -> bool {
    move |entry| matches!(entry, Entry::Chunk(c) if c.lower == lower)
}

fn is_dispatch_at(lower: u64) -> impl Fn(&Entry) -> bool {
    move |entry| matches!(entry, Entry::Dispatch(d) if d.start == lower)
}
