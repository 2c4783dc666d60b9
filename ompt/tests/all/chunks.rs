//! The events of `ompt-chunk.h` and the loop that they are about, through the safe layer. (Under the real shim: the example tools in
//! Rust, which are built on it.)

use std::mem::size_of;
use std::ptr;
use std::sync::Mutex;

use ompt::raw::{self, AnyFn, LoopRecord};
use ompt::{Start, Tool};

use crate::common::fake::{self, Runtime};

static SEEN: Mutex<Vec<String>> = Mutex::new(Vec::new());

fn saw(what: String) {
    SEEN.lock().unwrap().push(what);
}

struct Chunks;
hidden_tool!(Chunks);

impl Tool for Chunks {
    type Thread = ();
    type Parallel = ();
    type Task = u64;

    fn start(start: &mut Start<'_, Self>) -> Option<Self> {
        start.tasks(|_, _| 84, |_, _| ());
        start.on_loop(|cx, the_loop| {
            let found = cx.current_loop();
            let name = found.map(|found| {
                let line = found.record().line;
                format!("{}:{line} {} {}", found.file(), found.function(), found.id().met)
            });
            saw(format!(
                "{:?} {} {} {:?} {name:?}",
                the_loop.endpoint, the_loop.schedule, the_loop.is_signed, the_loop.step
            ));
        });
        start.on_chunk(|_, chunk| {
            saw(format!(
                "{}..{} {} {} {}",
                chunk.lower,
                chunk.upper,
                chunk.iterations(),
                chunk.bookkeeping,
                chunk.is_last
            ));
        });
        start.on_sub_block(|_, sub_block| {
            let ends = (sub_block.is_first, sub_block.is_last);
            saw(format!("{}+{} {ends:?} {:x}", sub_block.lower, sub_block.iterations, sub_block.code));
        });
        start.on_task_creation(|cx, creation| {
            let task = cx.other_task().map(|task| *task);
            saw(format!(
                "{task:?} {} {} {}",
                creation.duration, creation.create.flags, creation.create.has_dependences
            ));
        });
        let clock = start.clock(|| 2.5);
        (clock.is_told() && start.has_chunks()).then_some(Chunks)
    }
}

#[repr(C)]
struct Whole {
    head: LoopRecord,
    strings: [u8; 16],
}

fn event<F: Copy>(event: u32) -> F {
    assert_eq!(size_of::<F>(), size_of::<AnyFn>());
    // SAFETY: a function, of the type that the event has.
    unsafe { std::mem::transmute_copy(&fake::callback(event)) }
}

#[test]
fn all_events_reach_the_tool() {
    let runtime = Runtime::serving::<Chunks>();
    assert!(runtime.initialize());
    // SAFETY: a record of numbers, for which 0 is a value.
    let mut head: LoopRecord = unsafe { std::mem::zeroed() };
    (head.size, head.line, head.function, head.file) = (size_of::<Whole>() as u32, 12, 48, 54);
    let mut whole = Whole { head, strings: *b"solve\0solve.c\0\0\0" };
    let started: raw::LoopFn = event(raw::EVENT_LOOP);
    // SAFETY: of the type of its number, with null for what is not there.
    let begins = || unsafe {
        let (schedule, endpoint) = (raw::SCHED_STATIC, raw::SCOPE_BEGIN);
        started(schedule, endpoint, ptr::null_mut(), ptr::null_mut(), 1, -3, ptr::null());
    };
    let chunk: raw::ChunkFn = event(raw::EVENT_CHUNK);
    let clock: raw::ToolTimeFn = event(raw::EVENT_TOOL_TIME);
    let null = ptr::null_mut;
    // SAFETY: of the types of their numbers, with null for what is not there; the record outlives the calls.
    unsafe {
        begins();
        fake::LOOP.set(ptr::from_mut(&mut whole).cast());
        begins();
        chunk(null(), 5, 9, 0.5, 0);
        chunk(null(), -1, -1, 0.5, 1);
        // The whole range of 64 bits has more iterations than a number: none.
        chunk(null(), 0, -1, 0.5, 1);
        let sub_block: raw::SubBlockFn = event(raw::EVENT_SUB_BLOCK);
        let code = ptr::without_provenance(0x40);
        sub_block(null(), null(), 5, 3, raw::SUB_BLOCK_FIRST, code);
        sub_block(null(), null(), u64::MAX, 1, raw::SUB_BLOCK_LAST, ptr::null());
        assert_eq!(clock().to_bits(), 2.5_f64.to_bits());
        fake::LOOP.set(ptr::null());
        started(raw::SCHED_DYNAMIC, raw::SCOPE_END, null(), null(), 0, 0, ptr::null());
        started(raw::SCHED_AUTO, 9, null(), null(), 0, 0, ptr::null());
    }
    let mut task = fake::data(0);
    fake::task_is_created(&mut task);
    fake::task_creation(&mut task);
    let seen = SEEN.lock().unwrap();
    let expected = [
        "Begin 1 true Some(-3) None",
        "Begin 1 true Some(-3) Some(\"solve.c:12 solve 1\")",
        "5..9 5 0.5 false",
        "-1..-1 1 0.5 true",
        "0..-1 0 0.5 true",
        "5+3 (true, false) 40",
        "18446744073709551615+1 (false, true) 0",
        "End 2 false None None",
        "Other(9) 4 false None None",
        "Some(84) 1 4 false",
    ];
    assert_eq!(*seen, expected);
}
