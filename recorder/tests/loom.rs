//! Models of what threads hand each other in the recorder, explored by loom, which knows what a weakly ordered processor may do:
//!
//! ```text
//! RUSTFLAGS="--cfg loom" cargo test -p ompchunk-recorder --release --test loom --target-dir target/loom
//! ```
//!
//! The files under test are the recorder's own, with loom's atomics in place of the standard library's. Without `--cfg loom` this file is empty.
#![cfg(loom)]
#![allow(dead_code, reason = "each file is there as a whole")]

mod primitive {
    pub(crate) use loom::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, AtomicU64, Ordering, fence};
}
#[path = "../src/lane/claim.rs"]
mod claim;
#[path = "../src/scope/end_time.rs"]
mod end_time;
#[path = "../src/loops/epoch.rs"]
mod epoch;
#[path = "../src/stacks/hazard.rs"]
mod hazard;
#[path = "../src/lane/lane_owner.rs"]
mod lane_owner;
#[path = "../src/stacks/rest.rs"]
mod rest;
#[path = "../src/registration/starter.rs"]
mod starter;
#[path = "../src/lane/unit.rs"]
mod unit;
#[path = "../src/scope/users.rs"]
mod users;

use loom::cell::UnsafeCell;
use loom::sync::Arc;
use loom::thread;
use primitive::{AtomicBool, AtomicPtr, AtomicU32, AtomicU64, Ordering};

fn unit_of(words: &[AtomicU64], at: usize) -> [&AtomicU64; 2] {
    [&words[2 * at], &words[2 * at + 1]]
}

fn words(count: usize) -> Arc<Vec<AtomicU64>> {
    Arc::new((0..count).map(|_| AtomicU64::new(0)).collect())
}

/// A thread stores a record of two units while another one copies its block: if it is there, it is whole.
#[test]
fn what_is_copied_was_there() {
    loom::model(|| {
        let block = words(4);
        let own = block.clone();
        let storing = thread::spawn(move || {
            for word in [1, 2, 3] {
                unit::prepare(&own[word], word as u64 + 1);
            }
            unit::publish(&own[0], 1);
        });
        let copy = unit::copy_all((0..2).map(|at| unit_of(&block, at)));
        if copy[0][0] != 0 {
            assert_eq!(copy, [[1, 2], [3, 4]], "half a record");
        }
        storing.join().unwrap();
    });
}

/// A unit with 1 and 2 is changed to 5 and 6 while it is copied: nothing is seen of it, or one of these, or what is between.
fn is_one_of_its_states(change: fn([&AtomicU64; 2], [u64; 2]), between: [u64; 2]) {
    loom::model(move || {
        let block = words(2);
        let own = block.clone();
        let storing = thread::spawn(move || {
            let unit = unit_of(&own, 0);
            unit::prepare(unit[1], 2);
            unit::publish(unit[0], 1);
            change(unit, [5, 6]);
        });
        let seen = unit::copy(unit_of(&block, 0));
        assert!(seen[0] == 0 || [[1, 2], between, [5, 6]].contains(&seen), "no state of it: {seen:?}");
        storing.join().unwrap();
    });
}

/// A chunk becomes a pair of chunks while it is copied: it is one or the other, or the new first word with the old second.
#[test]
fn a_unit_that_grows_is_one_of_its_states() {
    is_one_of_its_states(unit::extend, [5, 2]);
}

/// The record of one event becomes that of two while it is copied: it is one or the other, or the old first word with the new
/// second, which is the first event still.
#[test]
fn a_unit_that_is_joined_is_one_of_its_states() {
    is_one_of_its_states(unit::join, [1, 6]);
}

/// A thread leaves its lane at the end of a region and comes back, while another one finishes the part: one of them has the
/// lane, and sees what the other did.
#[test]
fn a_lane_is_one_threads() {
    loom::model(|| {
        let state = Arc::new(AtomicU32::new(lane_owner::RUNNING));
        let lane = Arc::new(UnsafeCell::new(0));
        let (its, own) = (state.clone(), lane.clone());
        let thread = thread::spawn(move || {
            // SAFETY: loom finds whoever else uses it now.
            own.with_mut(|value| unsafe { *value = 1 });
            lane_owner::park(&its);
            if lane_owner::is_mine(&its) {
                // SAFETY: as above.
                own.with_mut(|value| unsafe { *value += 1 });
                return true;
            }
            false
        });
        let taken = lane_owner::take(&state);
        if taken {
            // SAFETY: as above.
            lane.with_mut(|lane| unsafe { *lane += 10 });
        }
        let kept = thread.join().unwrap();
        assert!(!(kept && taken), "both have it");
        let right = if kept { 2 } else { 1 } + if taken { 10 } else { 0 };
        // SAFETY: as above.
        let found = lane.with(|value| unsafe { *value });
        assert_eq!(found, right);
    });
}

/// Something in a block begins to change while its place is taken away: at least one of the two learns of the other.
#[test]
fn a_place_is_not_taken_from_what_changes() {
    loom::model(|| {
        let changing = Arc::new(AtomicBool::new(false));
        let place = Arc::new(AtomicU64::new(64_u64.to_le()));
        let (its, own) = (changing.clone(), place.clone());
        let lane = thread::spawn(move || claim::begin(&its, &own));
        let was = claim::take(&place);
        let seen = claim::is_begun(&changing);
        assert_eq!(was, 64);
        assert!(seen || !lane.join().unwrap(), "neither saw the other");
    });
}

/// A region ends while one of its threads reads the clock late: what it reads before it sees the end is no later than the
/// end. The clock is a word that only grows, and orders nothing else; barriers around its reading are `clock::settle`.
#[test]
fn nobody_is_later_than_the_end() {
    loom::model(|| {
        let clock = Arc::new(AtomicU64::new(10));
        let ending = Arc::new(end_time::Ending::default());
        let (ticking, region) = (clock.clone(), ending.clone());
        let read = |clock: &AtomicU64| clock.fetch_add(1, Ordering::Relaxed);
        let ender = thread::spawn(move || region.end(|| read(&ticking)));
        let now = read(&clock);
        let seen = ending.ended(thread::yield_now);
        let end = ender.join().unwrap();
        match seen {
            Some(seen) => assert_eq!(seen, end),
            None => assert!(now < end, "{now} is after {end}, and nobody saw it"),
        }
    });
}

/// Two threads see that a library is gone. Whoever finds that one of them has looked finds a new number, too.
#[test]
fn who_looked_has_counted() {
    loom::model(|| {
        let epoch =
            Arc::new(epoch::Epoch { number: AtomicU64::new(0), gone: AtomicU64::new(0), looked: AtomicU64::new(0) });
        let looking = [5, 6].map(|now| {
            let epoch = epoch.clone();
            thread::spawn(move || epoch.observe(now, 1))
        });
        if epoch.looked() != 0 {
            assert!(epoch.number() != 0, "an old address counts");
        }
        for looking in looking {
            looking.join().unwrap();
        }
    });
}

/// A handler, or the thread itself, begins to use its samples while another thread ends the recording: one of them leaves them
/// alone, and who comes later sees what the other did.
#[test]
fn samples_are_not_taken_from_who_uses_them() {
    loom::model(|| {
        let at_work = Arc::new(AtomicBool::new(false));
        let over = Arc::new(AtomicBool::new(false));
        let samples = Arc::new(UnsafeCell::new(0));
        let (its, ended, own) = (at_work.clone(), over.clone(), samples.clone());
        let thread = thread::spawn(move || {
            if rest::begin(&its, &ended) {
                // SAFETY: loom finds whoever else uses it now.
                own.with_mut(|value| unsafe { *value = 1 });
            }
            rest::end(&its);
        });
        rest::say_over(&over);
        if !rest::is_at_work(&at_work) {
            // SAFETY: as above.
            samples.with_mut(|samples| unsafe { *samples = 2 });
        }
        thread.join().unwrap();
    });
}

/// A thread begins, and its handler takes what there is to unwind with, while another thread replaces that and frees it if nobody uses it.
#[test]
fn nothing_is_freed_that_a_handler_uses() {
    loom::model(|| {
        let both = Arc::new([0, 0].map(UnsafeCell::new));
        let address = |at: usize| std::ptr::from_ref(&both[at]).cast_mut();
        let current = Arc::new(AtomicPtr::new(address(0)));
        let using = Arc::new(AtomicPtr::new(std::ptr::null_mut()));
        let handlers = Arc::new(AtomicU64::new(0));
        let (now, its, all, kept) = (current.clone(), using.clone(), handlers.clone(), both.clone());
        let handler = thread::spawn(move || {
            hazard::join(&all, 1);
            // SAFETY: one of both, which `kept` keeps.
            let taken = unsafe { &*hazard::take(&now, &its) };
            taken.with(|_| ());
            hazard::leave(&its);
            drop(kept);
        });
        let old = hazard::replace(&current, address(1));
        if hazard::joined(&handlers) == 0 || !hazard::is_used(&using, old) {
            // SAFETY: one of both. It is changed, as freeing would; loom finds whoever uses it now.
            unsafe { &*old }.with_mut(|value| unsafe { *value = 1 });
        }
        handler.join().unwrap();
    });
}

/// A region ends and becomes another one, while a thread has the old one's name: it finds the old region whole, or another number.
#[test]
fn no_region_has_anothers_number() {
    loom::model(|| {
        // Number, code and users, as of region 1, which the main thread uses.
        let region = Arc::new([1, 1, 1].map(AtomicU32::new));
        let named = region.clone();
        let late = thread::spawn(move || {
            let [number, code, users] = &*named;
            if !users::join(users) {
                return;
            }
            if number.load(Ordering::Relaxed) == 1 {
                assert_eq!(code.load(Ordering::Relaxed), 1);
            }
            users::leave(users);
        });
        let [number, code, users] = &*region;
        users::leave(users);
        if users::are_none(users) {
            number.store(2, Ordering::Relaxed);
            code.store(2, Ordering::Relaxed);
            users::begin(users);
        }
        late.join().unwrap();
    });
}

/// Two threads have the first event of OpenACC: one begins the part, and the other sees what that did.
#[test]
fn one_thread_begins() {
    const ON: u32 = 1;
    loom::model(|| {
        let words = Arc::new([starter::NEW, 0].map(AtomicU32::new));
        let part = Arc::new(UnsafeCell::new(0));
        let event = |words: Arc<[AtomicU32; 2]>, part: Arc<UnsafeCell<u32>>| {
            move || {
                let [state, starter] = &*words;
                if starter::begin(state, starter, 7, thread::yield_now) == starter::NEW {
                    // SAFETY: loom finds whoever else uses it now.
                    part.with_mut(|part| unsafe { *part += 1 });
                    starter::begun(state, starter, ON);
                }
                // SAFETY: as above.
                assert_eq!(part.with(|value| unsafe { *value }), 1);
            }
        };
        let other = thread::spawn(event(words.clone(), part.clone()));
        event(words, part)();
        other.join().unwrap();
    });
}
