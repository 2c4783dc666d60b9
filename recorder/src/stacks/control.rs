//! Begin and end: of the sampling, of a thread's timer, of the file.

use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use ompchunk_trace_format::stacks::layout::{BLOCK_HEAD, BLOCK_SIZE, block};
use ompchunk_trace_format::stacks::{StackMeta, encode};
use ompchunk_trace_format::{Meta, NOBODY, Reason};
use ompt::raw::AnyFn;

use crate::clock;
use crate::lane::{Lane, this_thread};
use crate::part::complain::print;
use crate::part::file::Fate;
use crate::stacks::modules::{Changes, KNOWN, RETIRED};
use crate::stacks::output::Output;
use crate::stacks::thread::{FREE, Thread};
use crate::stacks::{handler, hazard, modules, output, rest, signal, thread};

const APART: Duration = Duration::from_millis(10);
/// A handler takes microseconds, unless its thread waits for a core.
const PATIENCE: Duration = Duration::from_secs(2);

/// Samples per second of CPU time; 0: none.
static HERTZ: AtomicU64 = AtomicU64::new(0);
static LOOKED: AtomicU64 = AtomicU64::new(0);
static MODULE_BLOCKS: AtomicU64 = AtomicU64::new(0);
static COMPLAINED: AtomicBool = AtomicBool::new(false);

pub(crate) fn start(hertz: u32, get_state: Option<AnyFn>) {
    if cfg!(not(any(target_arch = "x86_64", target_arch = "aarch64"))) {
        return print(format_args!(
            "stacks are not sampled: they can be unwound on x86-64 and AArch64. The rest is recorded"
        ));
    }
    if clock::thread_cpu().is_none() {
        return print(format_args!(
            "stacks are not sampled: a sandbox does not let threads read their CPU clock, by which the timers run. The rest is \
             recorded"
        ));
    }
    handler::prepare(get_state);
    match signal::take() {
        Ok(()) => HERTZ.store(hertz.into(), Ordering::Release),
        Err(message) => print(format_args!("{message}")),
    }
}

fn is_on() -> bool {
    HERTZ.load(Ordering::Acquire) != 0
}

pub(crate) fn begin_part(part: &Path, meta: &Meta, max_size: Option<u64>) {
    if !is_on() {
        return;
    }
    let stack_meta = StackMeta {
        recorder: meta.recorder.clone(),
        pid: meta.pid,
        started: meta.started,
        hertz: HERTZ.load(Ordering::Relaxed) as u32,
        clock: "thread-cpu".into(),
        signal: signal::number(),
        architecture: std::env::consts::ARCH.into(),
    };
    match output::begin(part, &stack_meta, max_size.unwrap_or(u64::MAX)) {
        Ok(()) => refresh(clock::ticks()),
        Err(error) => print(format_args!(
            "stacks are not sampled: a file for them beside {} cannot be made: {error}. The rest is recorded. Record into \
             another directory with -o",
            part.display()
        )),
    }
}

pub(crate) fn look(now: u64) {
    let before = LOOKED.load(Ordering::Relaxed);
    if !is_on() || now.saturating_sub(before) < clock::ticks_of(APART) {
        return;
    }
    let mine = LOOKED.compare_exchange(before, now, Ordering::Relaxed, Ordering::Relaxed);
    if mine.is_err() {
        return;
    }
    if !signal::is_ours() {
        HERTZ.store(0, Ordering::Release);
        thread::all().for_each(Thread::stop_timer);
        return print(format_args!(
            "stacks are sampled no more: the program has taken signal {} for itself, which was free when it began. The rest \
             is recorded",
            signal::number()
        ));
    }
    refresh(now);
}

fn refresh(now: u64) {
    let Some(output) = output::current() else { return };
    let changes = modules::refresh(now, |modules| thread::all().any(|it| hazard::is_used(&it.using, modules)));
    write_changes(output, now, &changes);
}

/// Modules have blocks of their own, one for each time that something changed.
fn write_changes(output: &Output, now: u64, changes: &Changes) {
    let record = |put: &dyn Fn(&mut Vec<u64>)| {
        let mut words = Vec::new();
        put(&mut words);
        words
    };
    let gone = changes.gone.iter().map(|number| record(&|to| encode::module_gone(to, now, *number)));
    let new = changes.new.iter().map(|(number, module)| record(&|to| encode::module(to, *number, now, module)));
    let mut words: Vec<u64> = Vec::new();
    let mut records = gone.chain(new).peekable();
    while let Some(record) = records.next() {
        if words.is_empty() {
            let number = MODULE_BLOCKS.fetch_add(1, Ordering::Relaxed) as u32;
            words.extend(encode::block_head(NOBODY, number, now));
        }
        words.extend(record);
        let next = records.peek().map_or(usize::MAX, Vec::len);
        if words.len().saturating_add(next) > BLOCK_SIZE / 8 {
            debug_assert!(words.len() > BLOCK_HEAD);
            words[block::SEQUENCE] |= (words.len() as u64 * 8) << 32;
            words.resize(BLOCK_SIZE / 8, 0);
            if let Some(place) = output.place() {
                output.write(&words, place);
            }
            words.clear();
        }
    }
}

pub(crate) fn thread_begins(lane: &mut Lane) {
    let hertz = HERTZ.load(Ordering::Acquire);
    if hertz == 0 || lane.holder.sampler.is_some() || output::current().is_none() {
        return;
    }
    look(clock::ticks());
    if signal::is_blocked() {
        return complain(&blocked());
    }
    let place = std::ptr::from_mut(lane).cast();
    let made = Thread::new(this_thread(), lane.holder.thread, place, signal::stack_of_thread());
    let Some(thread) = made else { return complain("there are more threads than can be sampled, so one is not") };
    let period = 1_000_000_000 / hertz;
    // Threads that begin together shall not be asked together.
    const RATIO: u64 = 0x9e37_79b9_7f4a_7c15;
    let part = u64::from(lane.holder.thread).wrapping_mul(RATIO) >> 32;
    let first = period - ((period * part) >> 32) / 2;
    match signal::start_timer(signal::number(), thread.index, first, period) {
        Ok(timer) => {
            *thread.timer.lock() = Some(timer);
            lane.holder.sampler = Some(thread);
        }
        Err(error) => {
            thread.leave();
            complain(&format!("a thread has no timer, so its stack is not sampled: {error}. Raise ulimit -i"));
        }
    }
}

/// A thread that has blocked the signal since it began gets no more of them, and finds none that waits.
pub(crate) fn look_at(thread: &Thread, now: u64) {
    let before = thread.looked.swap(now, Ordering::Relaxed);
    if now.saturating_sub(before) < clock::ticks_of(APART) {
        return thread.looked.store(before, Ordering::Relaxed);
    }
    if !thread.is_off.load(Ordering::Relaxed) && signal::is_blocked() {
        thread.stop_timer();
        signal::take_waiting();
        complain(&blocked());
    }
}

/// Signals that wait would be found by whoever asks for them: `sigwait`, `signalfd`.
fn blocked() -> String {
    format!("a thread has blocked signal {}, by which stacks are sampled, so it is not sampled", signal::number())
}

fn complain(what: &str) {
    if !COMPLAINED.swap(true, Ordering::Relaxed) {
        print(format_args!("{what}; nor perhaps are others. The rest is recorded"));
    }
}

pub(crate) fn thread_ends(lane: &mut Lane) {
    let Some(thread) = lane.holder.sampler.take() else { return };
    thread.stop_timer();
    if let Some(output) = output::current() {
        thread.busy(|samples| samples.end(output));
    }
    thread.leave();
}

pub(crate) fn stop() {
    if output::current().is_none() {
        return;
    }
    // Threads that are not at work now stay so.
    rest::say_over(&thread::OVER);
    if HERTZ.swap(0, Ordering::AcqRel) == 0 && thread::all().next().is_none() {
        return;
    }
    thread::all().for_each(Thread::stop_timer);
    let mine = this_thread();
    let until = clock::nanoseconds() + PATIENCE.as_nanos() as u64;
    let others = || thread::all().filter(|it| it.owner != mine);
    let before: Vec<(i32, Option<u64>)> = others().map(|it| (it.os_thread, clock::cpu_of(it.os_thread))).collect();
    while others().any(Thread::is_at_work) && clock::nanoseconds() < until {
        std::thread::yield_now();
    }
    // A handler that has not come to its first instruction is seen by nothing. This library must stay until it is over.
    const ENOUGH: u64 = 20_000;
    let may_begin = |(os_thread, before): &(i32, Option<u64>)| {
        let now = clock::cpu_of(*os_thread);
        let ran = now.zip(*before).is_none_or(|(now, before)| now >= before + ENOUGH);
        !ran && signal::is_runnable(*os_thread)
    };
    while before.iter().any(may_begin) && clock::nanoseconds() < until {
        std::thread::sleep(Duration::from_micros(200));
    }
}

pub(crate) fn finish() {
    let Some(output) = output::current() else { return };
    let mut lost = 0;
    for thread in thread::all() {
        if thread.is_at_work() {
            continue;
        }
        // SAFETY: neither its thread nor its handler is at work since `stop` has said that it is over, so neither uses them.
        let samples = unsafe { &mut *thread.samples };
        samples.end(output);
        lost += samples.state.no_room;
    }
    output.finish();
    signal::give_back();
    let path = output.file.path.display();
    if let Some(why) = output.why() {
        let (what, next) = match why {
            Reason::MaxSize => ("has its largest size", "Raise --max-size (0: no limit)"),
            _ => ("cannot grow", "Make room, or choose another place with -o"),
        };
        print(format_args!(
            "{path} {what}: of the threads that were there at the end, {lost} samples are missing. {next}, or sample less with \
             --sample-stacks=100"
        ));
    }
    if output.file.fate() != Fate::Whole {
        print(format_args!(
            "{path} was truncated, removed or replaced while it was recorded: samples are missing. Record again, and leave the \
             directory alone until the program has ended"
        ));
    }
}

pub(crate) fn hold() {
    KNOWN.take();
    RETIRED.take();
    FREE.take();
}

pub(crate) fn let_go() {
    FREE.release();
    RETIRED.release();
    KNOWN.release();
}

/// In a forked process, which has none of the timers. It begins a file of its own with its part.
pub(crate) fn in_child() {
    if output::current().is_some() {
        output::leave();
        thread::forget_all();
        modules::forget();
    }
}
