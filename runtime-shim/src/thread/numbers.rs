//! A number for each address, or pair of addresses, of as many as there are places for. No lock and no allocation.
//!
//! Addresses are never taken back, so all threads find the same place, or none. What an address means may change meanwhile:
//! whoever keeps a number says in it for how long it holds.

use core::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use crate::consensus::are_taken_by;

/// How far from its own place something is looked for.
const REACH: usize = 16;

/// In place of the second address where there is one alone.
pub(crate) const ALONE: usize = 1;

/// `PLACES` is a power of two.
pub(crate) struct Numbers<const PLACES: usize>([ImageSlot; PLACES]);

struct ImageSlot {
    /// 0: free.
    first: AtomicUsize,
    second: AtomicUsize,
    number: AtomicU64,
}

impl<const PLACES: usize> Numbers<PLACES> {
    pub(crate) const fn empty() -> Self {
        const { assert!(PLACES.is_power_of_two() && PLACES > 1) };
        Self(
            [const { ImageSlot { first: AtomicUsize::new(0), second: AtomicUsize::new(0), number: AtomicU64::new(0) } };
                PLACES],
        )
    }

    /// The number of a pair, none of which is 0; it begins with 0. None: there is no room.
    #[inline(always)]
    pub(crate) fn number_for(&self, first: usize, second: usize) -> Option<&AtomicU64> {
        self.at_first(first, second).or_else(|| self.within_reach(first, second))
    }

    #[inline(never)]
    fn within_reach(&self, first: usize, second: usize) -> Option<&AtomicU64> {
        let mut reach = places::<PLACES>(first, second).map(|place| &self.0[place]);
        reach.find(|place| are_taken_by(&place.first, &place.second, (first, second))).map(|place| &place.number)
    }

    /// All of them, those of free places too.
    pub(crate) fn all(&self) -> impl Iterator<Item = u64> {
        self.0.iter().map(|place| place.number.load(Ordering::Acquire))
    }

    /// An address's number, if it has the first of its places, as nearly all, where none is in a pair. None: perhaps elsewhere.
    #[inline(always)]
    pub(crate) fn alone_at_first(&self, address: usize) -> Option<&AtomicU64> {
        let place = &self.0[places::<PLACES>(address, ALONE).next()?];
        (place.first.load(Ordering::Acquire) == address).then_some(&place.number)
    }

    /// The number of a pair that has the first of its places.
    #[inline(always)]
    fn at_first(&self, first: usize, second: usize) -> Option<&AtomicU64> {
        let place = &self.0[places::<PLACES>(first, second).next()?];
        let is_there = place.first.load(Ordering::Acquire) == first && place.second.load(Ordering::Acquire) == second;
        is_there.then_some(&place.number)
    }
}

pub(crate) fn places<const PLACES: usize>(first: usize, second: usize) -> impl Iterator<Item = usize> {
    let mixed = (first >> 3) ^ (second >> 3).rotate_left(32);
    let hash = mixed.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (usize::BITS - PLACES.ilog2());
    (0..REACH).map(move |step| (hash + step) % PLACES)
}

// How many images of instrumented code the shim has met. A loop record's address may be another loop's after its
// library was unloaded, but not before an image has met the shim that was loaded since: every image does so before its
// first loop is reported. So whoever keeps addresses keeps them as long as this number stands still.

static MET: AtomicU64 = AtomicU64::new(0);

/// An image meets the shim, for the first time or once more.
pub(crate) fn count_image() {
    MET.fetch_add(1, Ordering::AcqRel);
}

pub(crate) fn images_met() -> u64 {
    MET.load(Ordering::Acquire)
}

/// `ompt_chunk_get_met`: where the number is, for as long as the process lasts.
pub(crate) unsafe extern "C" fn get_met() -> *const AtomicU64 {
    &raw const MET
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLACES: usize = 1 << 12;

    #[test]
    fn full_is_full_for_everybody() {
        let numbers = Numbers::<PLACES>::empty();
        let has_room = |address: usize| numbers.number_for(address << 6, ALONE).is_some();
        let had_room: Vec<bool> = (1..=2 * PLACES).map(has_room).collect();
        assert!(had_room.contains(&false));
        for (address, had_room) in (1..).zip(had_room) {
            assert_eq!(has_room(address), had_room);
        }
    }

    #[test]
    fn pairs_have_numbers_of_their_own() {
        let numbers = Numbers::<PLACES>::empty();
        for (first, second) in [(8, ALONE), (8, 16), (16, 8)] {
            let number = numbers.number_for(first, second).unwrap();
            assert_eq!(number.fetch_add(1, Ordering::Relaxed), 0);
            assert!(core::ptr::eq(number, numbers.number_for(first, second).unwrap()));
        }
    }
}
