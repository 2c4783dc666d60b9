//! What recording a chunk costs, against reading the clock once: batches of both, interleaved.
//!
//! Stands in for the runtime: asks the tool for its callbacks and calls the one for chunks, through its
//! pointer, as a runtime does. `hot_path N ROUNDS` measures, `hot_path N ROUNDS uneven` with chunks that do not share
//! records since each has another size than the one before; `hot_path read N` and `hot_path record N` do one
//! thing only, to be counted by callgrind. The trace goes where OMPCHUNK_TRACE says.

use std::ffi::{CStr, c_char, c_int, c_uint};
use std::hint::black_box;
use std::mem::transmute;
use std::ptr::{null, null_mut};
use std::sync::Mutex;

use ompchunk_trace::clock;
use ompt::raw::{AnyFn, Data, DispatchChunk, DispatchFn, ImplicitTaskFn, ThreadBeginFn, WorkFn};

static CALLBACKS: Mutex<Vec<(c_uint, AnyFn)>> = Mutex::new(Vec::new());

unsafe extern "C" fn set_callback(event: c_uint, callback: AnyFn) -> c_int {
    const ALWAYS: c_int = 5;
    CALLBACKS.lock().unwrap().push((event, callback));
    ALWAYS
}

unsafe extern "C" fn lookup(name: *const c_char) -> Option<AnyFn> {
    // SAFETY: the tool passes a string.
    let name = unsafe { CStr::from_ptr(name) };
    let set: unsafe extern "C" fn(c_uint, AnyFn) -> c_int = set_callback;
    // SAFETY: travels as any function, and is called by its own type.
    (name == c"ompt_set_callback").then(|| unsafe { transmute::<_, AnyFn>(set) })
}

fn callback(event: c_uint) -> AnyFn {
    let callbacks = CALLBACKS.lock().unwrap();
    let found = callbacks.iter().find(|(number, _)| *number == event);
    found.expect("the tool asks for the event").1
}

/// A thread in a loop, as a runtime would announce it.
fn announce(task: *mut Data) -> DispatchFn {
    let mut parallel = Data { value: 0 };
    // SAFETY: each callback gets its type and arguments that outlive the call.
    unsafe {
        let tool = ompchunk_trace::ompt_start_tool(202011, c"none".as_ptr());
        let initialize = (*tool).initialize.expect("the recorder has one");
        assert_ne!(initialize(Some(lookup), 0, null_mut()), 0);
        transmute::<AnyFn, ThreadBeginFn>(callback(1))(1, null_mut());
        transmute::<AnyFn, ImplicitTaskFn>(callback(7))(1, &mut parallel, task, 1, 0, 1);
        const LOOP: c_uint = 11;
        transmute::<AnyFn, WorkFn>(callback(20))(LOOP, 1, &mut parallel, task, 1, null());
        transmute::<AnyFn, DispatchFn>(callback(32))
    }
}

fn read(count: u64) {
    for _ in 0..count {
        black_box(clock::ticks());
    }
}

fn record(dispatch: DispatchFn, task: *mut Data, count: u64, uneven: u64) {
    for number in 0..count {
        let mut chunk = DispatchChunk { start: number & 0xffff, iterations: 4 + (number & uneven) };
        let instance = Data { ptr: (&raw mut chunk).cast() };
        // SAFETY: what a runtime passes.
        unsafe { black_box(dispatch)(null_mut(), task, 3, black_box(instance)) };
    }
}

/// The thread's own time in nanoseconds: other processes do not count.
fn now() -> u64 {
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `now` outlives the call.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut now) };
    now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64
}

/// Nanoseconds per repetition.
fn time(count: u64, work: impl FnOnce()) -> f64 {
    let start = now();
    work();
    (now() - start) as f64 / count as f64
}

fn quantiles(mut values: Vec<f64>) -> [f64; 3] {
    values.sort_by(f64::total_cmp);
    [4, 2, 1].map(|part| {
        values[match part {
            4 => values.len() / 4,
            2 => values.len() / 2,
            _ => values.len() * 3 / 4,
        }]
    })
}

fn main() {
    let mut task = Data { value: 0 };
    let dispatch = announce(&mut task);
    let words: Vec<String> = std::env::args().skip(1).collect();
    let number = |at: usize| words.get(at).and_then(|word| word.parse().ok());
    match words.first().map(String::as_str) {
        Some("read") => return read(number(1).unwrap_or(0)),
        Some("record") => return record(dispatch, &mut task, number(1).unwrap_or(0), 0),
        _ => {}
    }
    let (count, rounds) = (number(0).unwrap_or(100_000), number(1).unwrap_or(100));
    let uneven = u64::from(words.get(2).is_some_and(|word| word == "uneven"));
    record(dispatch, &mut task, count, uneven);
    let (mut reads, mut records, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..rounds {
        let one = time(count, || read(count));
        let other = time(count, || record(dispatch, &mut task, count, uneven));
        reads.push(one);
        records.push(other);
        ratios.push(other / one);
    }
    for (name, values) in [("read", reads), ("record", records), ("ratio", ratios)] {
        let [low, middle, high] = quantiles(values);
        println!("{name:8} {middle:6.2}   (quartiles {low:.2} to {high:.2})");
    }
}
