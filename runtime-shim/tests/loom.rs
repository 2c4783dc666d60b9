//! Models of the races that the shim must survive, explored by loom:
//!
//! ```text
//! RUSTFLAGS="--cfg loom" cargo test -p ompchunk-rt --release --test loom --target-dir target/loom
//! ```
//!
//! Without `--cfg loom` this file is empty.
#![cfg(loom)]
#![allow(dead_code, reason = "a file of the shim is there as a whole")]

#[path = "../src/chain.rs"]
mod chain;
#[path = "../src/consensus.rs"]
mod consensus;
#[path = "../src/constant.rs"]
mod constant;
#[path = "../src/decision.rs"]
mod decision;
#[path = "../src/occupancy.rs"]
mod occupancy;
#[path = "loom/quiet_loops.rs"]
mod quiet_loops;
#[path = "../src/balance/quiet_loops.rs"]
mod quiet_word;
#[path = "../src/record.rs"]
mod record;
#[path = "../src/registered_callbacks.rs"]
mod registered_callbacks;
#[path = "loom/schedules.rs"]
mod schedules;
#[path = "../src/slot.rs"]
mod slot;
#[path = "loom/stand_ins.rs"]
mod stand_ins;

use core::ffi::c_int;

use loom::cell::UnsafeCell;
use loom::sync::Arc;
use loom::sync::atomic::{AtomicPtr, AtomicU32, Ordering};
use loom::thread;
use ompchunk_abi::{LISTENING_LOOPS, ON_LISTENING, ON_TIMED};
use ompt::raw::{ChunkFn, Data, DispatchFn, ToolTimeFn};
use record::{Words, publish};
use registered_callbacks::RegisteredCallbacks;
use stand_ins::runtime::RUNTIME;
use stand_ins::{primitive, runtime};

unsafe extern "C" fn on_dispatch(_: *mut Data, _: *mut Data, _: u32, _: Data) {}
unsafe extern "C" fn on_chunk(_: *mut Data, _: i64, _: i64, _: f64, _: c_int) {}
unsafe extern "C" fn on_clock() -> f64 {
    0.0
}
const DISPATCH: Option<DispatchFn> = Some(on_dispatch);
const CHUNK: Option<ChunkFn> = Some(on_chunk);
const CLOCK: Option<ToolTimeFn> = Some(on_clock);

/// All interleavings in which threads take the processor from each other up to three times: without a limit the longer
/// models, in which each settles a word and a mark, take hours.
fn model(body: impl Fn() + Sync + Send + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(3);
    builder.check(body);
}

/// What the word must say once nobody writes any more.
fn assert_settled(callbacks: &RegisteredCallbacks, open: bool) {
    let (dispatch, chunk) = (callbacks.dispatch().is_some(), callbacks.chunk().is_some());
    let is_wanted = open && (dispatch || chunk);
    assert_eq!(callbacks.listening().load(Ordering::Acquire) & LISTENING_LOOPS, u32::from(is_wanted));
    assert_eq!(callbacks.dispatch_alone().is_some(), open && dispatch && !chunk);
    assert_eq!(callbacks.wants_short_way() != 0, is_wanted);
}

fn opened() -> Arc<RegisteredCallbacks> {
    let callbacks = Arc::new(RegisteredCallbacks::empty());
    callbacks.open();
    callbacks
}

#[test]
fn the_word_agrees_with_the_slots_after_opposite_registrations() {
    model(|| {
        let callbacks = opened();
        let shared = callbacks.clone();
        let setter = thread::spawn(move || assert!(shared.set_chunk(CHUNK)));
        assert!(callbacks.set_chunk(None));
        setter.join().unwrap();
        assert_settled(&callbacks, true);
    });
}

#[test]
fn the_word_agrees_with_the_slots_after_changes_of_different_slots() {
    model(|| {
        let callbacks = opened();
        callbacks.set_dispatch(DISPATCH);
        let shared = callbacks.clone();
        let setter = thread::spawn(move || {
            shared.set_chunk(CHUNK);
            shared.set_chunk(None);
        });
        callbacks.set_dispatch(None);
        setter.join().unwrap();
        assert_settled(&callbacks, true);
        assert_eq!(callbacks.listening().load(Ordering::Acquire), 0);
    });
}

#[test]
fn nobody_is_taken_for_alone_who_is_not() {
    model(|| {
        let callbacks = opened();
        let shared = callbacks.clone();
        let setter = thread::spawn(move || assert!(shared.set_dispatch(DISPATCH)));
        assert!(callbacks.set_chunk(CHUNK));
        setter.join().unwrap();
        assert_settled(&callbacks, true);
        assert!(callbacks.dispatch_alone().is_none());
        callbacks.set_chunk(None);
        assert!(callbacks.dispatch_alone().is_some());
    });
}

#[test]
fn a_registration_that_meets_the_start_counts() {
    model(|| {
        let callbacks = Arc::new(RegisteredCallbacks::empty());
        let shared = callbacks.clone();
        let setter = thread::spawn(move || assert!(shared.set_chunk(CHUNK)));
        callbacks.open();
        setter.join().unwrap();
        assert_eq!(callbacks.listening().load(Ordering::Acquire) & LISTENING_LOOPS, 1);
    });
}

#[test]
fn nothing_stays_registered_after_the_end() {
    model(|| {
        let callbacks = opened();
        let shared = callbacks.clone();
        let setter = thread::spawn(move || {
            shared.set_chunk(CHUNK);
        });
        callbacks.close();
        setter.join().unwrap();
        assert!(callbacks.chunk().is_none(), "a tool would be called after its end");
        assert_settled(&callbacks, false);
        assert!(!callbacks.set_chunk(CHUNK));
        assert!(!callbacks.set_dispatch(DISPATCH));
        assert!(callbacks.chunk().is_none() && callbacks.dispatch().is_none());
        assert!(callbacks.dispatch_alone().is_none());
    });
}

/// `enter` never asks for timing without the two functions having been there, and `chunk` sees
/// either a whole callback or none.
#[test]
fn enter_and_chunk_race_with_unregistration() {
    model(|| {
        let callbacks = opened();
        callbacks.set_clock(CLOCK);
        callbacks.set_chunk(CHUNK);
        let shared = callbacks.clone();
        let setter = thread::spawn(move || {
            shared.set_chunk(None);
            shared.set_clock(None);
        });
        let wants = callbacks.wants();
        assert!(wants & ON_TIMED == 0 || wants & ON_LISTENING != 0);
        let found = callbacks.chunk().map_or(0, |chunk| chunk as usize);
        assert!(found == 0 || found == on_chunk as ChunkFn as usize);
        setter.join().unwrap();
        assert_eq!(callbacks.wants(), 0);
    });
}

/// What the tool's initialisation wrote is visible to a loop that finds somebody listening: here the
/// runtime's `ompt_get_task_info`, stood in for by a number.
#[test]
fn a_loop_that_finds_a_listener_finds_the_runtime() {
    model(|| {
        let callbacks = Arc::new(RegisteredCallbacks::empty());
        let entry = Arc::new(AtomicU32::new(0));
        let (shared, shared_entry) = (callbacks.clone(), entry.clone());
        let starter = thread::spawn(move || {
            shared_entry.store(7, Ordering::Relaxed);
            shared.set_chunk(CHUNK);
            shared.open();
        });
        if callbacks.wants() != 0 {
            assert_eq!(entry.load(Ordering::Relaxed), 7);
        }
        starter.join().unwrap();
    });
}

/// Where `state` leads, and what `enter` is: the emitted code's own, and the shim's.
const UNRESOLVED: usize = 8;
const LISTENING: usize = 16;
const NOBODY: usize = 24;
const STUB: usize = 32;
const USUAL: usize = 40;
const CHANGED: usize = 48;
const MEET: usize = 56;
const STAY: usize = 64;
const ASKS: usize = 72;
const ASKS_LATE: usize = 80;

fn word(value: usize) -> *mut () {
    core::ptr::without_provenance_mut(value)
}

/// An image's two words, used as the emitted code uses them.
struct Image {
    state: AtomicPtr<()>,
    enter: AtomicPtr<()>,
}

impl Image {
    fn new() -> Arc<Image> {
        Arc::new(Image { state: AtomicPtr::new(word(UNRESOLVED)), enter: AtomicPtr::new(word(STUB)) })
    }

    fn enter(&self) -> usize {
        self.enter.load(Ordering::Acquire).addr()
    }

    fn connect(&self, entry: usize) -> bool {
        publish(&self.state, &self.enter, word(LISTENING), word(entry))
    }

    fn words() -> Words<()> {
        Words {
            unresolved: word(UNRESOLVED),
            nobody: word(NOBODY),
            listening: word(LISTENING),
            asks: word(ASKS),
            asks_late: word(ASKS_LATE),
        }
    }

    fn ask_again(&self) {
        Image::words().ask_again(&self.state, &self.enter, word(MEET));
    }
}

/// Two threads come to an image's first loop. Whoever finds the shim's entry sees what the shim did before it connected; who
/// finds the stub connects once more, and is not sent round in circles. One connection counts.
#[test]
fn connecting_races_with_entering() {
    model(|| {
        let image = Image::new();
        let shim = Arc::new(AtomicU32::new(0));
        let run = |image: Arc<Image>, shim: Arc<AtomicU32>| {
            move || {
                let first = image.enter() == STUB && {
                    shim.fetch_max(7, Ordering::Relaxed);
                    image.connect(USUAL)
                };
                assert_eq!(image.enter(), USUAL);
                assert_eq!(shim.load(Ordering::Relaxed), 7);
                first
            }
        };
        let second = thread::spawn(run(image.clone(), shim.clone()));
        let firsts = [run(image, shim)(), second.join().unwrap()];
        assert_eq!(firsts.iter().filter(|first| **first).count(), 1);
    });
}

// With bodies of their own, and in statics, so that each has one address of its own.
unsafe extern "C" fn of_the_shim(_: *mut Data, _: i64, _: i64, _: f64, _: c_int) {
    core::hint::black_box(1);
}
unsafe extern "C" fn of_a_collector(_: *mut Data, _: i64, _: i64, _: f64, _: c_int) {
    core::hint::black_box(2);
}
static OF_THE_SHIM: ChunkFn = of_the_shim;
static OF_A_COLLECTOR: ChunkFn = of_a_collector;

/// A tool registers a callback while the shim puts its own before it: in the end the shim's is there, and knows the tool's.
#[test]
fn the_shim_stays_before_the_tool() {
    model(|| {
        let chain = Arc::new(chain::Chain::new(1, OF_THE_SHIM));
        RUNTIME.set_callback(1, None);
        let shared = chain.clone();
        let hooking = thread::spawn(move || assert!(shared.hook()));
        chain.set(slot::any(on_chunk as ChunkFn));
        hooking.join().unwrap();
        assert_eq!(RUNTIME.registered(), OF_THE_SHIM as usize);
        assert!(chain.tool().is_some());
    });
}

/// The shim's callback is put there while a collector comes, which needs another one: that stays.
#[test]
fn a_collectors_callback_stays() {
    model(|| {
        let chain = Arc::new(chain::Chain::new(1, OF_THE_SHIM));
        RUNTIME.set_callback(1, None);
        let shared = chain.clone();
        let collector = thread::spawn(move || assert!(shared.hook_as(OF_A_COLLECTOR)));
        assert!(chain.hook());
        collector.join().unwrap();
        assert_eq!(RUNTIME.registered(), OF_A_COLLECTOR as usize);
    });
}

/// A collector stops while a thread is about to call its callback: the library is closed when nobody is in it any more.
#[test]
fn nobody_is_in_what_was_taken_away() {
    model(|| {
        let callback = Arc::new(slot::Slot::<ChunkFn>::empty());
        callback.set(CHUNK);
        let counter = Arc::new(primitive::AtomicU32::new(0));
        let library = Arc::new(UnsafeCell::new(0));
        let (registered, counted, open) = (callback.clone(), counter.clone(), library.clone());
        let sending = thread::spawn(move || {
            occupancy::enter(&counted);
            if registered.get().is_some() {
                open.with(|_| ());
            }
            occupancy::leave(&counted);
        });
        callback.set(None);
        occupancy::taken_away();
        if occupancy::is_empty(&counter) {
            // SAFETY: loom finds whoever else uses it now.
            library.with_mut(|library| unsafe { *library = 1 });
        }
        sending.join().unwrap();
    });
}
