//! A unit of a block, two words, as its thread stores it and as others copy it meanwhile: a copy was there at some
//! moment. On x86-64 the orders below cost no instruction; on AArch64 they are what makes it so
//! (`recorder/tests/loom.rs`).

use crate::primitive::{AtomicU64, Ordering};

/// A record that was not there: its first word comes last, so that it is whole where that is seen.
#[inline(always)]
pub(crate) fn publish(word: &AtomicU64, value: u64) {
    word.store(value.to_le(), Ordering::Release);
}

#[inline(always)]
pub(crate) fn prepare(word: &AtomicU64, value: u64) {
    word.store(value.to_le(), Ordering::Relaxed);
}

/// A unit that is there becomes another one. With the new first word alone it still is what it was.
#[inline(always)]
pub(crate) fn extend([first, second]: [&AtomicU64; 2], to: [u64; 2]) {
    // Released too: an order that a store before it had is not handed on by a store after it.
    publish(first, to[0]);
    publish(second, to[1]);
}

/// A unit that is there becomes another one. With the new second word alone it still is what it was.
#[inline(always)]
pub(crate) fn join([first, second]: [&AtomicU64; 2], to: [u64; 2]) {
    prepare(second, to[1]);
    publish(first, to[0]);
}

/// What the units of another thread's block are. In the block's order: of a record whose first unit is there, all of it is. Its
/// thread may store two records between two looks, so one may be there behind one that is missing; readers end at what is missing.
pub(crate) fn copy_all<'block>(units: impl Iterator<Item = [&'block AtomicU64; 2]>) -> Vec<[u64; 2]> {
    units.map(copy).collect()
}

pub(crate) fn copy([first, second]: [&AtomicU64; 2]) -> [u64; 2] {
    loop {
        let before = first.load(Ordering::Acquire);
        let rest = second.load(Ordering::Acquire);
        // Whoever sees a new second word sees the first word that came before it.
        if first.load(Ordering::Relaxed) == before {
            return [before, rest];
        }
    }
}
