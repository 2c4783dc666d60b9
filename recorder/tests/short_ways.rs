//! Do the short ways of frequent events write what the long ones write? A made-up runtime and shim announce loops, known ones and new ones, one
//! inside another, with values that change, on either clock; what the trace tells must be what was announced. The test runs itself once more per
//! case: a process has one recorder, which is why this is a program of its own.

use std::cell::Cell;
use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::mem::transmute;
use std::process::Command;
use std::ptr::null_mut;
use std::sync::Mutex;
use std::sync::atomic::Ordering;

use ompchunk_abi::{
    CONSTRUCT_FOR, LOOP_START_KNOWN, LOOP_START_PASSED, LOOP_STEP_KNOWN, LOOP_STEP_PASSED, LoopRecord, VERSION,
};
use ompchunk_trace_format::{Event, SumOf, Trace};
use ompt::raw::{
    AnyFn, Data, DispatchChunk, DispatchFn, GetLoopFn, GetVariableFn, ImplicitTaskFn, SetCallbackFn, ThreadBeginFn,
    ThreadEndFn, WorkFn,
};

const CASE: &str = "SHORT_WAYS_CASE";
const LOOP_STATIC: c_uint = 10;
const LOOP_DYNAMIC: c_uint = 11;
const BEGIN: c_uint = 1;
const END: c_uint = 2;
const ROUNDS: u64 = 3000;

static CALLBACKS: Mutex<Vec<(c_uint, AnyFn)>> = Mutex::new(Vec::new());

thread_local! {
    /// What the shim would say of the loop at hand.
    static RECORD: Cell<*const LoopRecord> = const { Cell::new(std::ptr::null()) };
    static VALUES: Cell<(i64, i64)> = const { Cell::new((0, 0)) };
}

const fn record(flags: u32) -> LoopRecord {
    LoopRecord {
        size: 64,
        abi_version: VERSION as u16,
        construct: CONSTRUCT_FOR,
        bits: 32,
        flags,
        schedule: 34,
        chunk: 0,
        start: if flags & LOOP_START_KNOWN != 0 { 7 } else { 0 },
        step: if flags & LOOP_STEP_KNOWN != 0 { -3 } else { 0 },
        line: flags,
        column: 0,
        function: 64,
        file: 64,
        variable_bits: 32,
        fixed: 0,
        bound: 0,
        reserved: 0,
        group: 0,
    }
}

/// Constants, values, one of each, nothing known.
static RECORDS: [LoopRecord; 4] = [
    record(LOOP_START_KNOWN | LOOP_STEP_KNOWN),
    record(LOOP_START_PASSED | LOOP_STEP_PASSED),
    record(LOOP_START_PASSED | LOOP_STEP_KNOWN),
    record(0),
];

unsafe extern "C" fn set_callback(event: c_uint, callback: Option<AnyFn>) -> c_int {
    const ALWAYS: c_int = 5;
    let callback = callback.expect("none is taken away");
    CALLBACKS.lock().unwrap().push((event, callback));
    ALWAYS
}

unsafe extern "C" fn get_loop() -> *const LoopRecord {
    RECORD.get()
}

/// What is known of the values, and these, as the shim answers.
fn values() -> (u32, i64, i64) {
    // SAFETY: null, or one of the records.
    let Some(record) = (unsafe { RECORD.get().as_ref() }) else {
        return (0, 0, 0);
    };
    let pick = |known: u32, constant, passed: u32, value| match record.flags & (known | passed) {
        0 => (0, 0),
        it if it & known != 0 => (known, constant),
        _ => (known, value),
    };
    let passed = VALUES.get();
    let start = pick(LOOP_START_KNOWN, record.start.into(), LOOP_START_PASSED, passed.0);
    let step = pick(LOOP_STEP_KNOWN, record.step.into(), LOOP_STEP_PASSED, passed.1);
    (start.0 | step.0, start.1, step.1)
}

unsafe extern "C" fn get_variable(start: *mut i64, step: *mut i64) -> c_int {
    let (known, first, by) = values();
    // SAFETY: the recorder passes memory for both.
    unsafe {
        start.write(first);
        step.write(by);
    }
    known as c_int
}

unsafe extern "C" fn lookup(name: *const c_char) -> Option<AnyFn> {
    let set: SetCallbackFn = set_callback;
    let (get_loop, get_variable): (GetLoopFn, GetVariableFn) = (get_loop, get_variable);
    // SAFETY: the tool passes a string; each travels as any function and is called by its own type.
    unsafe {
        match CStr::from_ptr(name).to_bytes() {
            b"ompt_set_callback" => Some(transmute::<SetCallbackFn, AnyFn>(set)),
            b"ompt_chunk_get_loop" => Some(transmute::<GetLoopFn, AnyFn>(get_loop)),
            b"ompt_chunk_get_variable" => Some(transmute::<GetVariableFn, AnyFn>(get_variable)),
            _ => None,
        }
    }
}

fn callback(event: c_uint) -> AnyFn {
    let callbacks = CALLBACKS.lock().unwrap();
    let found = callbacks.iter().find(|(number, _)| *number == event);
    found.expect("the tool asks for the event").1
}

/// What is announced, in words.
#[derive(Default)]
struct Told(Vec<String>);

impl Told {
    fn begin(&mut self, line: u32, count: u64, known: (u32, i64, i64)) {
        let (known, start, step) = known;
        let start = (known & LOOP_START_KNOWN != 0).then_some(start);
        let step = (known & LOOP_STEP_KNOWN != 0).then_some(step);
        self.0.push(format!("begin {line} {count} {start:?} {step:?}"));
    }
    fn chunk(&mut self, lower: u64, iterations: u64) {
        self.0.push(format!("chunk {lower} {iterations}"));
    }
    fn end(&mut self, line: u32) {
        self.0.push(format!("end {line}"));
    }
}

struct Runtime {
    parallel: Data,
    task: Data,
    work: WorkFn,
    dispatch: DispatchFn,
    told: Told,
}

impl Runtime {
    fn start() -> Box<Runtime> {
        // SAFETY: each callback gets its type, and arguments that outlive the recording.
        unsafe {
            let tool = ompchunk_trace::ompt_start_tool(202011, c"none".as_ptr());
            let initialize = (*tool).initialize.expect("the recorder has one");
            assert_ne!(initialize(Some(lookup), 0, null_mut()), 0);
            let mut runtime = Box::new(Runtime {
                parallel: Data { value: 0 },
                task: Data { value: 0 },
                work: transmute::<AnyFn, WorkFn>(callback(20)),
                dispatch: transmute::<AnyFn, DispatchFn>(callback(32)),
                told: Told::default(),
            });
            let Runtime { parallel, task, .. } = &mut *runtime;
            transmute::<AnyFn, ThreadBeginFn>(callback(1))(1, null_mut());
            transmute::<AnyFn, ImplicitTaskFn>(callback(7))(1, parallel, task, 1, 0, 1);
            runtime
        }
    }

    fn work(&mut self, endpoint: c_uint, count: u64, code: usize) {
        let code = code as *const c_void;
        // All chunks of a loop without a record are told where the runtime deals them.
        let work = if RECORD.get().is_null() { LOOP_DYNAMIC } else { LOOP_STATIC };
        // SAFETY: as above.
        unsafe { (self.work)(work, endpoint, &mut self.parallel, &mut self.task, count, code) };
    }

    /// A loop with two chunks of one size, and something inside the first. `which`: a record, or none.
    fn run(&mut self, which: Option<usize>, count: u64, inside: impl FnOnce(&mut Runtime)) {
        let outer = RECORD.get();
        let record = which.map(|which| &RECORDS[which]);
        RECORD.set(record.map_or(std::ptr::null(), std::ptr::from_ref));
        let line = record.map_or(0, |record| record.line);
        // Not code, so nothing is found there.
        let code = 0x1000 + 64 * which.unwrap_or(9);
        self.work(BEGIN, count, code);
        self.told.begin(line, count, values());
        self.chunk(0, count / 2);
        inside(self);
        self.chunk(count / 2, count / 2);
        self.work(END, count, code);
        self.told.end(line);
        RECORD.set(outer);
    }

    fn chunk(&mut self, start: u64, iterations: u64) {
        let mut chunk = DispatchChunk { start, iterations };
        let instance = Data { ptr: (&raw mut chunk).cast() };
        // SAFETY: as above.
        unsafe { (self.dispatch)(&mut self.parallel, &mut self.task, 3, instance) };
        self.told.chunk(start, iterations);
    }
}

/// The process of one case: announces, and prints what it announced.
fn announce() {
    let mut runtime = Runtime::start();
    for round in 0..ROUNDS {
        // Some have no room in a short record.
        let far = if round % 11 == 4 { 1 << 40 } else { 1 };
        let (value, count) = (round * far, 100 + round * far);
        VALUES.set((value as i64, -(value as i64)));
        // Each twice in a row.
        let which = (round / 2 % 5) as usize;
        let which = (which < RECORDS.len()).then_some(which);
        match round % 7 {
            // One inside another; those inside have a record of their own, as the shim says.
            3 => runtime.run(which, count, |runtime| {
                for inner in 0..2 {
                    runtime.run(Some(inner), 10, |_| ());
                }
            }),
            _ => runtime.run(which, count, |_| ()),
        }
    }
    println!("{}", runtime.told.0.join("\n"));
}

#[test]
fn what_is_announced_is_what_is_told() {
    if let Some(case) = std::env::var_os(CASE) {
        ompchunk_trace::clock::MAY_COUNT.store(case != "monotonic", Ordering::Relaxed);
        return announce();
    }
    for case in ["counter", "monotonic"] {
        let directory = tempfile::tempdir().unwrap();
        let output = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "what_is_announced_is_what_is_told", "--nocapture"])
            .env(CASE, case)
            .env("OMPCHUNK_TRACE", directory.path())
            .output()
            .unwrap();
        assert!(output.status.success(), "{output:?}");
        let output = String::from_utf8(output.stdout).unwrap();
        let of_loops = |line: &&str| ["begin", "chunk", "end "].iter().any(|it| line.starts_with(it));
        let announced: Vec<&str> = output.lines().filter(of_loops).collect();
        let mut told = Told::default();
        let trace = Trace::open(directory.path()).unwrap();
        let mut lines = std::collections::BTreeMap::new();
        let mut last = 0;
        trace.parts[0]
            .for_each(|at, event| {
                assert!(at.ticks >= last, "time goes on");
                last = at.ticks;
                match event {
                    Event::Loop(the_loop) => {
                        lines.insert(the_loop.the_loop, the_loop.line);
                    }
                    Event::LoopBegin(loop_begin) => {
                        let when = |there: bool, bit| if there { bit } else { 0 };
                        let known = when(loop_begin.start.is_some(), LOOP_START_KNOWN)
                            | when(loop_begin.step.is_some(), LOOP_STEP_KNOWN);
                        let (start, step) = (loop_begin.start.unwrap_or(0), loop_begin.step.unwrap_or(0));
                        told.begin(lines[&loop_begin.the_loop], loop_begin.count, (known, start, step));
                    }
                    Event::Chunk(chunk) => told.chunk(chunk.lower, chunk.iterations),
                    Event::LoopEnd { the_loop } => told.end(lines[the_loop]),
                    _ => {}
                }
            })
            .unwrap();
        assert!(announced.len() as u64 > 4 * ROUNDS);
        assert!(told.0 == announced, "{case:?}: {:?}", different(&told.0, &announced));
        let checked = trace.parts[0].check().unwrap();
        assert!(checked.violations.is_empty(), "{:?}", checked.violations);
    }
}

const LOOPS: u64 = 10_000;

/// A program of very many loops, each of them run several times, only added up.
fn announce_many() {
    let mut runtime = Runtime::start();
    for _ in 0..3 {
        for number in 0..LOOPS as usize {
            let code = 0x10_0000 + 64 * number;
            runtime.work(BEGIN, 100, code);
            runtime.chunk(0, 50);
            runtime.chunk(50, 50);
            runtime.work(END, 100, code);
        }
    }
    // SAFETY: the callback's type.
    unsafe { transmute::<AnyFn, ThreadEndFn>(callback(2))(null_mut()) };
}

/// Sums take room by loops, also of very many, and none is missing; where there is none, all that has no room is counted.
#[test]
fn ten_thousand_loops_are_added_up() {
    if std::env::var_os(CASE).is_some() {
        return announce_many();
    }
    for max_size in ["0", "2097152"] {
        let directory = tempfile::tempdir().unwrap();
        let output = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "ten_thousand_loops_are_added_up"])
            .env(CASE, "1")
            .env("OMPCHUNK_TRACE", directory.path())
            .env("OMPCHUNK_RECORD", format!("aggregate,max-size={max_size}"))
            .output()
            .unwrap();
        assert!(output.status.success(), "{output:?}");
        let trace = Trace::open(directory.path()).unwrap();
        let part = &trace.parts[0];
        let (mut loops, mut executions, mut chunks, mut lost) = (0, 0, 0, 0);
        part.for_each(|_, event| match event {
            Event::Aggregate(aggregate) => {
                assert_eq!((aggregate.executions, aggregate.chunks, aggregate.iterations), (3, 6, 300));
                assert_eq!(aggregate.histogram.counts().sum::<u64>(), 6);
                chunks += aggregate.chunks;
                loops += 1;
            }
            Event::Sum(sum) if sum.what == SumOf::Loop => {
                assert_eq!(sum.count, 3);
                assert!(sum.min <= sum.max && sum.max <= sum.sum && sum.from < sum.to);
                executions += 3;
            }
            Event::Sum(sum) => assert!(matches!(sum.what, SumOf::Faults | SumOf::Storing)),
            Event::Lost(it) => lost += it.chunks,
            _ => {}
        })
        .unwrap();
        assert_eq!(chunks + lost, LOOPS * 6);
        assert_eq!(part.head().lost_chunks, lost);
        assert!(part.check().unwrap().violations.is_empty());
        if max_size == "0" {
            assert_eq!((loops, executions, lost), (LOOPS, 3 * LOOPS, 0));
            assert!(part.size() < 16 << 20, "{}", part.size());
        } else {
            assert!(loops > 1000 && lost > 0, "{loops} loops");
            assert!(part.size() <= 2 << 20, "{}", part.size());
        }
    }
}

fn different<'a>(told: &'a [String], announced: &[&'a str]) -> Option<(usize, &'a str, &'a str)> {
    let mut pairs = told.iter().map(String::as_str).zip(announced.iter().copied());
    let at = pairs.position(|(told, announced)| told != announced)?;
    Some((at, &told[at], announced[at]))
}
