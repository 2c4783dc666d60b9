//! What runtimes, programs and tools do wrong, against the safe layer: a runtime of the test's own says what no real one should.

use std::ffi::c_void;
use std::mem::transmute;
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::SeqCst};
use std::time::Duration;

use ompt::raw::{self, AnyFn, Data, DispatchChunk};
use ompt::{Delivery, Start, Tool};

use crate::common::fake;
use crate::common::fake::{Runtime, data, value};
use crate::common::recording::{Counted, number};

#[test]
fn data_are_made_at_the_begin_and_dropped_at_the_end() {
    recording_tool!(Plain, |start| {
        start.threads(|_, kind| Counted::new(kind.into(), Plain::ALIVE), |_| ());
        start.parallels(|_, _| Counted::new(2, Plain::ALIVE), |_, _| ());
        start.tasks(|_, _| Counted::new(3, Plain::ALIVE), |_, _| ());
        start.on_work(|cx, work| {
            let (thread, parallel, task) = (number(cx.thread()), number(cx.parallel()), number(cx.task()));
            Plain::saw(format!("{} {thread} {parallel} {task}", work.is_loop()));
        });
        true
    });
    let runtime = Runtime::serving::<Plain>();
    assert!(runtime.initialize());
    let (mut thread, mut parallel, mut task) = (data(0), data(0), data(0));
    fake::thread_begins(&mut thread);
    fake::region_begins(&mut parallel, ptr::null_mut());
    fake::task_is_created(&mut task);
    assert_eq!(Plain::alive(), 3);
    fake::works(&mut parallel, &mut task);
    // A task that is only interrupted lives on.
    fake::task_is_left(&mut task, raw::STATUS_SWITCH);
    fake::task_is_left(&mut task, raw::STATUS_DETACH);
    assert_eq!(Plain::alive(), 3);
    fake::task_is_left(&mut task, raw::STATUS_COMPLETE);
    fake::region_ends(&mut parallel);
    assert_eq!(Plain::alive(), 1);
    fake::works(&mut parallel, &mut task);
    fake::thread_ends(&mut thread);
    assert_eq!((Plain::alive(), value(&thread), value(&parallel)), (0, 0, 0));
    // Twice, as libomp 19 ends a region that it reuses.
    fake::region_ends(&mut parallel);
    fake::thread_ends(&mut thread);
    runtime.finalize();
    assert_eq!(Plain::seen(), ["true 1 2 3", "true 1 none none", "finish, 0 panics, a fake"]);
}

#[test]
fn what_is_not_there_is_none() {
    recording_tool!(Asks, |start| {
        start.on_work(|cx, _| {
            Asks::saw(format!("{} {} {}", number(cx.thread()), number(cx.parallel()), number(cx.task())));
            Asks::saw(format!(
                "{:?} {:?} {:?} {:?} {:?} {:?} {:?}",
                cx.thread_number(),
                cx.team_size(),
                cx.processor(),
                cx.unique_number(),
                cx.current_loop().map(|found| found.id()),
                cx.loop_variable(),
                cx.loop_schedule(),
            ));
        });
        start.on_dispatch(|_, dispatch| {
            Asks::saw(format!("{:?} {}", dispatch.chunk.map(|chunk| chunk.start), dispatch.instance))
        });
        true
    });
    let runtime = Runtime::serving::<Asks>();
    assert!(runtime.initialize());
    fake::works(ptr::null_mut(), ptr::null_mut());
    // Numbers of whoever else was there before, as another kind's handle, an address, anything.
    let mut foreign = [1, u64::MAX, 1 << 32 | 1, ptr::from_ref(&runtime).addr() as u64].map(data);
    for one in &mut foreign {
        fake::THREAD.set(one);
        fake::works(one, one);
    }
    let chunk = DispatchChunk { start: 7, iterations: 2 };
    let pointer = Data { ptr: ptr::from_ref(&chunk).cast_mut().cast::<c_void>() };
    fake::dispatches(raw::DISPATCH_WS_LOOP_CHUNK, pointer);
    fake::dispatches(raw::DISPATCH_WS_LOOP_CHUNK, data(0));
    fake::dispatches(raw::DISPATCH_ITERATION, data(9));
    fake::dispatches(77, data(9));
    let seen = Asks::seen();
    let nothing = "none none none";
    let nobody = "None None None None None (None, None) None";
    assert_eq!(seen[..10], [[nothing, nobody]; 5].concat());
    assert_eq!(seen[10..], ["Some(7) 0", "None 0", "None 9", "None 9"]);
}

#[test]
fn a_panic_ends_at_the_edge() {
    static ROUND: AtomicU32 = AtomicU32::new(0);
    /// Panics again when somebody drops it.
    struct Payload;
    impl Drop for Payload {
        fn drop(&mut self) {
            panic!("as wanted, a payload");
        }
    }
    recording_tool!(Panics, |start| {
        start.threads(|_, _| panic!("as wanted, begin"), |_| panic!("as wanted, end"));
        start.tasks(|_, _| Counted::new(1, Panics::ALIVE), |_, _| panic!("as wanted, schedule"));
        start.on_work(|_, _| {
            if ROUND.fetch_add(1, SeqCst) == 0 {
                std::panic::panic_any(Payload);
            }
            Panics::saw("work");
        });
        start.on_control_tool(|_, control| if control.command == 1 { 0 } else { panic!("as wanted, control") });
        start.clock(|| panic!("as wanted, clock"));
        true
    });
    let runtime = Runtime::serving::<Panics>();
    assert!(runtime.initialize());
    let (mut thread, mut task) = (data(0), data(0));
    fake::thread_begins(&mut thread);
    assert_eq!(value(&thread), 0, "no value, no handle");
    fake::works(ptr::null_mut(), ptr::null_mut());
    fake::works(ptr::null_mut(), ptr::null_mut());
    fake::task_is_created(&mut task);
    assert_eq!(Panics::alive(), 1);
    fake::task_is_left(&mut task, raw::STATUS_COMPLETE);
    assert_eq!(Panics::alive(), 0, "what ended is dropped all the same");
    assert_eq!((fake::control(1), fake::control(2)), (0, 1));
    // SAFETY: of the type of its number.
    let time = unsafe { transmute::<AnyFn, raw::ToolTimeFn>(fake::callback(raw::EVENT_TOOL_TIME))() };
    assert_eq!(time.to_bits(), 0);
    fake::thread_ends(&mut thread);
    runtime.finalize();
    assert_eq!(Panics::seen(), ["work", "finish, 6 panics, a fake"]);
}

#[test]
fn a_start_that_panics_or_declines_leaves_nothing_that_is_called() {
    static MODE: AtomicU32 = AtomicU32::new(0);
    recording_tool!(Declines, |start| {
        start.on_work(|_, _| Declines::saw("work"));
        match MODE.load(SeqCst) {
            0 => panic!("as wanted, start"),
            1 => false,
            _ => true,
        }
    });
    let runtime = Runtime::serving::<Declines>();
    for _ in 0..2 {
        assert!(!runtime.initialize());
        fake::works(ptr::null_mut(), ptr::null_mut());
        runtime.finalize();
        MODE.fetch_add(1, SeqCst);
    }
    assert_eq!(Declines::seen(), [""; 0]);
    assert!(runtime.initialize());
    fake::works(ptr::null_mut(), ptr::null_mut());
    assert_eq!(Declines::seen(), ["work"]);
}

#[test]
fn a_life_knows_nothing_of_the_one_before() {
    recording_tool!(Lives, |start| {
        start.threads(|_, _| Counted::new(1, Lives::ALIVE), |_| ());
        start.on_work(|cx, _| Lives::saw(number(cx.thread())));
        true
    });
    let runtime = Runtime::serving::<Lives>();
    assert!(runtime.initialize());
    let (mut old, mut new) = (data(0), data(0));
    fake::thread_begins(&mut old);
    // Another runtime at the same time, in the same process: refused, and the first goes on.
    assert!(!Runtime::serving::<Lives>().initialize());
    fake::works(ptr::null_mut(), ptr::null_mut());
    runtime.finalize();
    runtime.finalize();
    fake::works(ptr::null_mut(), ptr::null_mut());
    assert_eq!(Lives::seen(), ["1", "finish, 0 panics, a fake"], "nothing is told after the end");
    let runtime = Runtime::serving::<Lives>();
    assert!(runtime.initialize());
    // The handle of the life before, in a runtime that did not clear it.
    fake::works(ptr::null_mut(), ptr::null_mut());
    fake::thread_begins(&mut new);
    assert_ne!(value(&old), value(&new));
    fake::works(ptr::null_mut(), ptr::null_mut());
    fake::thread_ends(&mut old);
    assert_eq!(Lives::seen(), ["none", "1"]);
    fake::thread_ends(&mut new);
    assert_eq!(Lives::alive(), 1, "what the first life did not end stays");
}

#[test]
fn what_ends_after_the_end_is_dropped() {
    recording_tool!(Late, |start| {
        start.threads(|_, _| Counted::new(1, Late::ALIVE), |_| Late::saw("end"));
        true
    });
    let runtime = Runtime::serving::<Late>();
    assert!(runtime.initialize());
    let mut thread = data(0);
    fake::thread_begins(&mut thread);
    runtime.finalize();
    assert_eq!(Late::alive(), 1);
    fake::thread_ends(&mut thread);
    assert_eq!(Late::alive(), 0);
    assert_eq!(Late::seen(), ["finish, 0 panics, a fake"]);
}

/// A thread is in a callback and holds its value while the runtime ends, and while its thread ends.
#[test]
fn threads_that_still_run_keep_what_they_look_at() {
    static INSIDE: AtomicBool = AtomicBool::new(false);
    static GO_ON: AtomicBool = AtomicBool::new(false);
    recording_tool!(Runs, |start| {
        start.threads(|_, _| Counted::new(5, Runs::ALIVE), |_| ());
        start.on_work(|cx, _| {
            let mine = cx.thread().expect("the thread's value");
            INSIDE.store(true, SeqCst);
            while !GO_ON.load(SeqCst) {
                std::thread::sleep(Duration::from_millis(1));
            }
            Runs::saw(format!("{} alive {}", mine.1, Runs::alive()));
        });
        true
    });
    struct Shared(*mut Data, AnyFn);
    // SAFETY: the data outlives the thread, and a function can be called from any.
    unsafe impl Send for Shared {}
    let runtime = Runtime::serving::<Runs>();
    assert!(runtime.initialize());
    let mut thread = data(0);
    fake::thread_begins(&mut thread);
    let shared = Shared(&raw mut thread, fake::callback(raw::EVENT_WORK));
    std::thread::scope(|scope| {
        scope.spawn(move || {
            let Shared(thread, work) = { shared };
            // What the runtime answers on this thread; the tool keeps the other's functions.
            fake::THREAD.set(thread);
            // SAFETY: of the event's type.
            unsafe {
                transmute::<AnyFn, raw::WorkFn>(work)(10, 1, ptr::null_mut(), ptr::null_mut(), 1, ptr::null());
            }
        });
        while !INSIDE.load(SeqCst) {
            std::thread::sleep(Duration::from_millis(1));
        }
        runtime.finalize();
        fake::thread_ends(&mut thread);
        assert_eq!(Runs::alive(), 1, "somebody looks at it");
        GO_ON.store(true, SeqCst);
    });
    assert_eq!(Runs::alive(), 0);
    assert_eq!(Runs::seen(), ["finish, 0 panics, a fake", "5 alive 1"]);
}

/// Event 84 has a copy of the data of a task that may have ended meanwhile, on another thread.
#[test]
fn a_task_that_ended_before_its_creation_was_told_is_none() {
    recording_tool!(Creates, |start| {
        start.tasks(|_, create| Counted::new(create.flags as u64, Creates::ALIVE), |_, _| ());
        start.on_task_creation(|cx, creation| {
            Creates::saw(format!("{} {}", number(cx.other_task()), creation.duration))
        });
        true
    });
    let runtime = Runtime::serving::<Creates>();
    assert!(runtime.initialize());
    let mut task = data(0);
    fake::task_is_created(&mut task);
    let mut copy = task;
    fake::task_creation(&mut copy);
    fake::task_is_left(&mut task, raw::STATUS_COMPLETE);
    fake::task_creation(&mut copy);
    assert_eq!(Creates::seen(), ["4 1", "none 1"]);
    assert_eq!(Creates::alive(), 0);
}

/// A runtime that begins a task twice, as libomp does in leagues, ends it once.
#[test]
fn a_begin_without_an_end_drops_what_was_there() {
    recording_tool!(Twice, |start| {
        start.tasks(|_, _| Counted::new(1, Twice::ALIVE), |_, _| ());
        true
    });
    let runtime = Runtime::serving::<Twice>();
    assert!(runtime.initialize());
    let mut task = data(0);
    fake::task_is_created(&mut task);
    fake::task_is_created(&mut task);
    assert_eq!(Twice::alive(), 1);
    fake::task_is_left(&mut task, raw::STATUS_CANCEL);
    assert_eq!(Twice::alive(), 0);
}

#[test]
fn a_runtime_that_tells_the_begin_only_is_not_listened_to() {
    recording_tool!(Half, |start| {
        let threads = start.threads(|_, _| Counted::new(1, Half::ALIVE), |_| ());
        let tasks = start.tasks(|_, _| Counted::new(1, Half::ALIVE), |_, _| ());
        let work = start.on_work(|_, _| ());
        Half::saw(format!("{threads:?} {tasks:?} {work:?} {}", work < Delivery::Always));
        true
    });
    fake::ANSWERS.with_borrow_mut(|answers| {
        answers.insert(raw::EVENT_THREAD_END, raw::SET_NEVER);
        answers.insert(raw::EVENT_TASK_CREATE, raw::SET_IMPOSSIBLE);
        answers.insert(raw::EVENT_WORK, 99);
    });
    assert!(Runtime::serving::<Half>().initialize());
    fake::CALLBACKS.with_borrow(|all| {
        let left: Vec<u32> = all.keys().copied().collect();
        assert_eq!(left, [raw::EVENT_WORK]);
    });
    assert_eq!(Half::seen(), ["Never Impossible Error true"]);
}

#[test]
fn a_runtime_without_the_means_is_declined() {
    recording_tool!(Poor, |start| {
        Poor::saw(start.has_chunks());
        true
    });
    let runtime = Runtime::serving::<Poor>();
    fake::MISSING.with_borrow_mut(|missing| missing.push(c"ompt_set_callback"));
    assert!(!runtime.initialize());
    fake::MISSING.with_borrow_mut(|missing| *missing = vec![c"ompt_chunk_get_loop"]);
    assert!(runtime.initialize());
    assert_eq!(Poor::seen(), ["false"]);
}

/// What a program says when it asks is not trusted to be a string at all.
#[test]
fn a_runtime_without_a_name_is_served() {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    struct Nameless;
    hidden_tool!(Nameless);
    impl Tool for Nameless {
        type Thread = Arc<()>;
        type Parallel = ();
        type Task = ();
        fn start(start: &mut Start<'_, Self>) -> Option<Self> {
            COUNT.fetch_add(1 + start.runtime().version.len() as u64, SeqCst);
            Some(Nameless)
        }
    }
    use ompt::Exported as _;
    // SAFETY: null is allowed.
    let result = unsafe { Nameless::life().start_tool(0, ptr::null()) };
    assert!(!result.is_null());
    // SAFETY: as a runtime would.
    unsafe {
        let initialize = (*result).initialize.unwrap();
        assert_eq!(initialize(None, 0, ptr::null_mut()), 0, "no lookup, no tool");
    }
    assert_eq!(COUNT.load(SeqCst), 0);
}
