//! Models of what threads hand each other in the recorder, explored by loom, which knows what a weakly ordered processor may do:
//!
//! ```text
//! RUSTFLAGS="--cfg loom" cargo test -p ompchunk-recorder --release --test loom --target-dir target/loom
//! ```
//!
//! The files under test are the recorder's own, with loom's atomics in place of the standard library's. Without `--cfg
//! loom` this file is empty.
#![cfg(loom)]
#![allow(dead_code, reason = "each file is there as a whole")]

mod primitive {
    pub(crate) use loom::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering, fence};
}
#[path = "../src/claim.rs"]
mod claim;
#[path = "../src/ending.rs"]
mod ending;
#[path = "../src/held.rs"]
mod held;
#[path = "../src/unit.rs"]
mod unit;

use loom::cell::UnsafeCell;
use loom::sync::Arc;
use loom::thread;
use primitive::{AtomicBool, AtomicU32, AtomicU64, Ordering};

fn unit_of(words: &[AtomicU64], at: usize) -> [&AtomicU64; 2] {
    [&words[2 * at], &words[2 * at + 1]]
}

fn words(count: usize) -> Arc<Vec<AtomicU64>> {
    Arc::new((0..count).map(|_| AtomicU64::new(0)).collect())
}

/// A thread stores chunks while another one copies its block: what it copies has no unit of which half is missing, and no
/// unit after one that is missing, if it looks in the block's order.
#[test]
fn what_is_copied_was_there() {
    loom::model(|| {
        let block = words(4);
        let own = block.clone();
        let storing = thread::spawn(move || {
            for (at, [first, second]) in [[1, 2], [3, 4]].into_iter().enumerate() {
                let unit = unit_of(&own, at);
                unit::prepare(unit[1], second);
                unit::publish(unit[0], first);
            }
        });
        let seen = [1, 0].map(|at| unit::copy(unit_of(&block, at)));
        let [later, earlier] = seen;
        for (unit, whole) in [(earlier, [1, 2]), (later, [3, 4])] {
            assert!(unit[0] == 0 || unit == whole, "half a unit: {unit:?}");
        }
        assert!(later[0] == 0 || earlier[0] != 0, "a gap: {seen:?}");
        storing.join().unwrap();
    });
}

/// A chunk becomes a pair of chunks while it is copied: it is one or the other, or the new first word with the old second.
#[test]
fn a_unit_that_grows_is_one_of_its_states() {
    loom::model(|| {
        let block = words(2);
        let own = block.clone();
        let storing = thread::spawn(move || {
            let unit = unit_of(&own, 0);
            unit::prepare(unit[1], 2);
            unit::publish(unit[0], 1);
            unit::extend(unit, [5, 6]);
        });
        let seen = unit::copy(unit_of(&block, 0));
        assert!(
            seen[0] == 0 || [[1, 2], [5, 2], [5, 6]].contains(&seen),
            "no state of it: {seen:?}"
        );
        storing.join().unwrap();
    });
}

/// A thread leaves its lane at the end of a region and comes back, while another one finishes the part: one of them has the
/// lane, and sees what the other did.
#[test]
fn a_lane_is_one_threads() {
    loom::model(|| {
        let state = Arc::new(AtomicU32::new(held::RUNNING));
        let lane = Arc::new(UnsafeCell::new(0));
        let (its, own) = (state.clone(), lane.clone());
        let thread = thread::spawn(move || {
            // SAFETY: loom finds whoever else uses it now.
            own.with_mut(|it| unsafe { *it = 1 });
            held::park(&its);
            if held::is_mine(&its) {
                // SAFETY: as above.
                own.with_mut(|it| unsafe { *it += 1 });
                return true;
            }
            false
        });
        let taken = held::take(&state);
        if taken {
            // SAFETY: as above.
            lane.with_mut(|it| unsafe { *it += 10 });
        }
        let kept = thread.join().unwrap();
        assert!(!(kept && taken), "both have it");
        let right = if kept { 2 } else { 1 } + if taken { 10 } else { 0 };
        // SAFETY: as above.
        let found = lane.with(|it| unsafe { *it });
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
/// end. The clock is a word that only grows; barriers around its reading are `clock::settle`.
#[test]
fn nobody_is_later_than_the_end() {
    loom::model(|| {
        let clock = Arc::new(AtomicU64::new(10));
        let ending = Arc::new(ending::Ending::new());
        let (ticking, region) = (clock.clone(), ending.clone());
        let read = |clock: &AtomicU64| clock.fetch_add(1, Ordering::SeqCst);
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
