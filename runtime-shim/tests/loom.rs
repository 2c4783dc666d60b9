//! Models of the races that the shim must survive, explored by loom:
//!
//! ```text
//! RUSTFLAGS="--cfg loom" cargo test -p ompchunk-rt --release --test loom --target-dir target/loom
//! ```
//!
//! Without `--cfg loom` this file is empty.
#![cfg(loom)]
#![allow(dead_code, reason = "a file of the shim is there as a whole")]

mod primitive {
    pub(crate) use loom::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
}
#[path = "../src/agreed.rs"]
mod agreed;

use core::ffi::c_int;

use loom::sync::Arc;
use loom::sync::atomic::{AtomicPtr, AtomicU32, Ordering};
use loom::thread;
use ompchunk_abi::{ENTER_LISTENING, ENTER_TIMED};
use ompchunk_rt::record::publish;
use ompchunk_rt::table::Table;
use ompt::raw::{ChunkFn, Data, DispatchFn, ToolTimeFn};

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
fn assert_settled(table: &Table, open: bool) {
    let (dispatch, chunk) = (table.dispatch().is_some(), table.chunk().is_some());
    let wanted = open && (dispatch || chunk);
    assert_eq!(table.listening().load(Ordering::Acquire), u32::from(wanted));
    assert_eq!(table.dispatch_alone().is_some(), open && dispatch && !chunk);
    assert_eq!(table.usually_wants() != 0, wanted);
}

fn opened() -> Arc<Table> {
    let table = Arc::new(Table::empty());
    table.open();
    table
}

#[test]
fn the_word_agrees_with_the_slots_after_opposite_registrations() {
    model(|| {
        let table = opened();
        let other = table.clone();
        let setter = thread::spawn(move || assert!(other.set_chunk(CHUNK)));
        assert!(table.set_chunk(None));
        setter.join().unwrap();
        assert_settled(&table, true);
    });
}

#[test]
fn the_word_agrees_with_the_slots_after_changes_of_different_slots() {
    model(|| {
        let table = opened();
        table.set_dispatch(DISPATCH);
        let other = table.clone();
        let setter = thread::spawn(move || {
            other.set_chunk(CHUNK);
            other.set_chunk(None);
        });
        table.set_dispatch(None);
        setter.join().unwrap();
        assert_settled(&table, true);
        assert_eq!(table.listening().load(Ordering::Acquire), 0);
    });
}

#[test]
fn nobody_is_taken_for_alone_who_is_not() {
    model(|| {
        let table = opened();
        let other = table.clone();
        let setter = thread::spawn(move || assert!(other.set_dispatch(DISPATCH)));
        assert!(table.set_chunk(CHUNK));
        setter.join().unwrap();
        assert_settled(&table, true);
        assert!(table.dispatch_alone().is_none());
        table.set_chunk(None);
        assert!(table.dispatch_alone().is_some());
    });
}

#[test]
fn a_registration_that_meets_the_start_counts() {
    model(|| {
        let table = Arc::new(Table::empty());
        let other = table.clone();
        let setter = thread::spawn(move || assert!(other.set_chunk(CHUNK)));
        table.open();
        setter.join().unwrap();
        assert_eq!(table.listening().load(Ordering::Acquire), 1);
    });
}

#[test]
fn nothing_stays_registered_after_the_end() {
    model(|| {
        let table = opened();
        let other = table.clone();
        let setter = thread::spawn(move || {
            other.set_chunk(CHUNK);
        });
        table.close();
        setter.join().unwrap();
        assert!(
            table.chunk().is_none(),
            "a tool would be called after its end"
        );
        assert_settled(&table, false);
        assert!(!table.set_chunk(CHUNK));
        assert!(!table.set_dispatch(DISPATCH));
        assert!(table.chunk().is_none() && table.dispatch().is_none());
        assert!(table.dispatch_alone().is_none());
    });
}

/// `enter` never asks for timing without the two functions having been there, and `chunk` sees
/// either a whole callback or none.
#[test]
fn enter_and_chunk_race_with_unregistration() {
    model(|| {
        let table = opened();
        table.set_clock(CLOCK);
        table.set_chunk(CHUNK);
        let other = table.clone();
        let setter = thread::spawn(move || {
            other.set_chunk(None);
            other.set_clock(None);
        });
        let wants = table.wants();
        assert!(wants & ENTER_TIMED == 0 || wants & ENTER_LISTENING != 0);
        let found = table.chunk().map_or(0, |chunk| chunk as usize);
        assert!(found == 0 || found == on_chunk as ChunkFn as usize);
        setter.join().unwrap();
        assert_eq!(table.wants(), 0);
    });
}

/// What the tool's initialisation wrote is visible to a loop that finds somebody listening: here the
/// runtime's `ompt_get_task_info`, stood in for by a number.
#[test]
fn a_loop_that_finds_a_listener_finds_the_runtime() {
    model(|| {
        let table = Arc::new(Table::empty());
        let entry = Arc::new(AtomicU32::new(0));
        let (other, others) = (table.clone(), entry.clone());
        let starter = thread::spawn(move || {
            others.store(7, Ordering::Relaxed);
            other.set_chunk(CHUNK);
            other.open();
        });
        if table.wants() != 0 {
            assert_eq!(entry.load(Ordering::Relaxed), 7);
        }
        starter.join().unwrap();
    });
}

/// A thread that reads the module record while two others connect: whoever sees the new state also
/// sees the new entry point, and one connection counts.
#[test]
fn connecting_races_with_entering() {
    const STUB: usize = 8;
    const ENTER: usize = 16;
    fn word(value: usize) -> *mut () {
        core::ptr::without_provenance_mut(value)
    }

    model(|| {
        let state = Arc::new(AtomicPtr::new(word(1)));
        let enter = Arc::new(AtomicPtr::new(word(STUB)));
        let connect = |state: Arc<AtomicPtr<()>>, enter: Arc<AtomicPtr<()>>| {
            move || publish(&state, &enter, word(2), word(ENTER))
        };
        let first = thread::spawn(connect(state.clone(), enter.clone()));
        let second = thread::spawn(connect(state.clone(), enter.clone()));
        let seen = state.load(Ordering::Acquire);
        let entry = enter.load(Ordering::Acquire);
        assert!(entry == word(STUB) || entry == word(ENTER));
        assert!(seen != word(2) || entry == word(ENTER));
        let firsts = [first.join().unwrap(), second.join().unwrap()];
        assert_eq!(firsts.iter().filter(|first| **first).count(), 1);
    });
}

/// Two threads look for a loop's place at the same time, among others: both find the same.
#[test]
fn two_threads_find_one_place() {
    model(|| {
        let words = Arc::new([8, 0, 0].map(primitive::AtomicUsize::new));
        let find = |words: &[primitive::AtomicUsize], address| {
            let taken = |word: &primitive::AtomicUsize| agreed::is_taken_by(word, address);
            words.iter().position(taken)
        };
        let others = words.clone();
        let other = thread::spawn(move || (find(&*others, 16), find(&*others, 24)));
        let own = (find(&*words, 24), find(&*words, 16));
        let (first, second) = other.join().unwrap();
        assert_eq!((second, first), own);
        assert!(first != second && first.is_some() && second.is_some());
    });
}

/// Two threads of a team ask whose turn it is in a region: both are told the same, and the next region's is the next one.
#[test]
fn a_turn_is_taken_once() {
    model(|| {
        let turn = Arc::new(primitive::AtomicU64::new(agreed::both(1, 4)));
        let others = turn.clone();
        let other = thread::spawn(move || agreed::taken(&others, 5));
        let own = agreed::taken(&turn, 5);
        assert_eq!((own, other.join().unwrap()), (1, 1));
        assert_eq!(agreed::taken(&turn, 6), 2);
    });
}
