//! Words that all threads find alike, whoever comes first.

use crate::primitive::{AtomicU64, AtomicUsize, Ordering};

/// Whether a word is this address: from before, or from now on.
pub(crate) fn is_taken_by(word: &AtomicUsize, address: usize) -> bool {
    // Most are there already, and a look takes nothing from other threads.
    match word.load(Ordering::Acquire) {
        0 => word
            .compare_exchange(0, address, Ordering::AcqRel, Ordering::Acquire)
            .map_or_else(|owner| owner == address, |_| true),
        owner => owner == address,
    }
}

/// The same of a pair. The second is given away once the first is there, so all who look for a pair find the same place.
pub(crate) fn are_taken_by(first: &AtomicUsize, second: &AtomicUsize, pair: (usize, usize)) -> bool {
    is_taken_by(first, pair.0) && is_taken_by(second, pair.1)
}

/// What is kept in a place as long as `now` stays the same; else what `find` finds, not 0. One word: whole or not there.
#[inline]
pub(crate) fn kept(place: &AtomicU64, now: u32, find: impl FnOnce() -> u32) -> u32 {
    match parted(place.load(Ordering::Relaxed)) {
        (before, number) if before == now && number != 0 => number,
        _ => {
            let number = find();
            place.store(both(now, number), Ordering::Relaxed);
            number
        }
    }
}

pub(crate) const fn both(high: u32, low: u32) -> u64 {
    (high as u64) << 32 | low as u64
}

pub(crate) const fn parted(both: u64) -> (u32, u32) {
    ((both >> 32) as u32, both as u32)
}

/// The turn in a region, which its first thread takes.
pub(crate) fn taken(turn: &AtomicU64, region: u32) -> u32 {
    let mut before = turn.load(Ordering::Acquire);
    loop {
        let (number, taken_in) = parted(before);
        if taken_in == region {
            // The one after those that are over. None is, where four thousand million are.
            return number.saturating_sub(1);
        }
        let next = both(number.wrapping_add(1), region);
        match turn.compare_exchange(before, next, Ordering::AcqRel, Ordering::Acquire) {
            Ok(_) => return number,
            Err(now) => before = now,
        }
    }
}
