//! Memory for a library that must never end the program. Rust ends it where an allocation fails, which it does once the program has
//! used up its address space (`ulimit -v`). So there is a reserve, part of the library's own image, for when the system has no more.
//! Long before that is used up [`is_short`] says so, and whoever records or learns stops: what that takes comes out of the rest.
//!
//! The reserve serves what is small. What grows with the program asks first ([`Grow`]) and does without.
//!
//! Neither locks nor system calls: a signal may strike anywhere, and `fork` leaves nothing locked behind.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::UnsafeCell;
use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher, Hash};
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crate::errno::Errno;

/// The system's, and then the reserve. To be a library's `#[global_allocator]`.
pub struct Memory;

static SHORT: AtomicBool = AtomicBool::new(false);

/// The system has none, and little is left of the reserve, or it was too small once. It stays so.
#[inline]
pub fn is_short() -> bool {
    SHORT.load(Ordering::Relaxed)
}

/// Whether there is so much, for what takes it bit by bit.
pub fn has(bytes: usize) -> bool {
    Vec::<u8>::new().grow(bytes)
}

/// What grows with the program, or what many threads need at once. None of it takes the rest of the reserve.
pub trait Grow {
    /// Makes room for so many more. False: there is no memory for them.
    fn grow(&mut self, by: usize) -> bool;
}

macro_rules! grows {
    ($([$($of:tt)*] $type:ty;)*) => { $(
        impl<$($of)*> Grow for $type {
            #[inline]
            fn grow(&mut self, by: usize) -> bool {
                self.capacity() - self.len() >= by || !is_short() && self.try_reserve(by).is_ok()
            }
        }
    )* };
}
grows! {
    [T] Vec<T>;
    [K: Eq + Hash, V, S: BuildHasher] HashMap<K, V, S>;
    [K: Eq + Hash, S: BuildHasher] HashSet<K, S>;
}

/// Adds one more, if there is memory for it.
#[inline]
pub fn push<T>(to: &mut Vec<T>, value: T) -> bool {
    let has_room = to.grow(1);
    if has_room {
        to.push(value);
    }
    has_room
}

/// Cells of the reserve: bytes of each, and how many.
const CELLS: [(usize, usize); 5] = [(64, 2048), (512, 1024), (4 << 10, 128), (16 << 10, 32), (128 << 10, 8)];
/// Cells of one size for which there is a bit in a word.
const BITS: usize = 64;
const WORDS: usize = 2048 / BITS;
/// To which every cell is aligned that is so large.
const PAGE: usize = 4 << 10;

#[repr(C, align(4096))]
struct Reserve(UnsafeCell<[u8; SIZE]>);

// SAFETY: a cell is its owner's, and a bit says that it has one.
unsafe impl Sync for Reserve {}

static RESERVE: Reserve = Reserve(UnsafeCell::new([0; SIZE]));
/// A bit for each cell that is in use.
static USED: [[AtomicU64; WORDS]; CELLS.len()] = [const { [const { AtomicU64::new(0) }; WORDS] }; CELLS.len()];

/// Where the cells of each size begin, and where the last ones end.
const BEGINS: [usize; CELLS.len() + 1] = {
    let (mut begins, mut which) = ([0; CELLS.len() + 1], 0);
    while which < CELLS.len() {
        begins[which + 1] = begins[which] + CELLS[which].0 * CELLS[which].1;
        which += 1;
    }
    begins
};
const SIZE: usize = BEGINS[CELLS.len()];

/// A cell of the reserve; null: it has none.
fn spare(layout: Layout) -> *mut u8 {
    for (which, (size, count)) in CELLS.into_iter().enumerate() {
        if layout.size() > size || layout.align() > size.min(PAGE) {
            continue;
        }
        for number in 0..count {
            let (word, bit) = (&USED[which][number / BITS], 1 << (number % BITS));
            let is_free = word.load(Ordering::Relaxed) & bit == 0;
            if is_free && word.fetch_or(bit, Ordering::Acquire) & bit == 0 {
                if number >= count / 2 {
                    SHORT.store(true, Ordering::Relaxed);
                }
                let start = RESERVE.0.get().cast::<u8>();
                return start.wrapping_add(BEGINS[which] + number * size);
            }
        }
    }
    SHORT.store(true, Ordering::Relaxed);
    ptr::null_mut()
}

/// Which cell that is: of which size, and its number; `None`: it is the system's.
fn cell_of(at: *mut u8) -> Option<(usize, usize)> {
    let offset = (at as usize).wrapping_sub(RESERVE.0.get() as usize);
    (offset < SIZE).then(|| cell_at(offset))
}

/// The cell that begins there. Whatever gives memory back has a copy of what is before this, which so is short.
#[cold]
#[inline(never)]
fn cell_at(offset: usize) -> (usize, usize) {
    let which = BEGINS.partition_point(|begin| *begin <= offset) - 1;
    (which, (offset - BEGINS[which]) / CELLS[which].0)
}

// SAFETY: memory is the system's, or a cell that is large enough, aligned, and nobody else's until it is given back. Nothing unwinds.
unsafe impl GlobalAlloc for Memory {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // Where the system has none, it says so there.
        let _errno = Errno::keep();
        // SAFETY: the caller's promise.
        let found = unsafe { System.alloc(layout) };
        if found.is_null() { spare(layout) } else { found }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        let _errno = Errno::keep();
        // SAFETY: the caller's promise.
        let found = unsafe { System.alloc_zeroed(layout) };
        if !found.is_null() {
            return found;
        }
        let found = spare(layout);
        if !found.is_null() {
            // SAFETY: a cell of that size at least.
            unsafe { found.write_bytes(0, layout.size()) };
        }
        found
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        match cell_of(at) {
            Some((which, number)) => {
                let word = &USED[which][number / BITS];
                word.fetch_and(!(1 << (number % BITS)), Ordering::Release);
            }
            // SAFETY: the caller's promise.
            None => unsafe { System.dealloc(at, layout) },
        }
    }

    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        let cell = cell_of(at);
        let fits = cell.is_some_and(|(which, _)| size <= CELLS[which].0);
        if let Some((which, _)) = cell {
            if fits && (which == 0 || size > CELLS[which - 1].0) {
                return at;
            }
        } else {
            let _errno = Errno::keep();
            // SAFETY: the caller's promise.
            let found = unsafe { System.realloc(at, layout, size) };
            if !found.is_null() {
                return found;
            }
        }
        // SAFETY: the caller's promise: of that size there can be a layout.
        let new = unsafe { Layout::from_size_align_unchecked(size, layout.align()) };
        let found = match cell {
            // SAFETY: the caller's promise.
            Some(_) => unsafe { self.alloc(new) },
            None => spare(new),
        };
        if found.is_null() && fits {
            return at;
        }
        if !found.is_null() {
            // SAFETY: both are there, apart from each other, and the shorter of both is this long; the old one is the caller's.
            unsafe {
                found.copy_from_nonoverlapping(at, layout.size().min(size));
                self.dealloc(at, layout);
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layout(size: usize, align: usize) -> Layout {
        Layout::from_size_align(size, align).unwrap()
    }

    /// One test: the reserve is the process's.
    #[test]
    fn the_reserve_serves_until_it_is_used_up() {
        let first = spare(layout(1, 1));
        assert_eq!(cell_of(first), Some((0, 0)));
        assert_eq!(spare(layout(8, 512)) as usize % 512, 0);
        assert_eq!(cell_of(ptr::from_mut(&mut 0_u8)), None);
        // SAFETY: cells of those layouts, each given back once.
        unsafe {
            first.write(7);
            assert_eq!(Memory.realloc(first, layout(1, 1), 64), first);
            let grown = Memory.realloc(first, layout(64, 1), 65);
            assert_eq!((grown.read(), cell_of(grown)), (7, None));
            Memory.dealloc(grown, layout(65, 1));
            assert_eq!(spare(layout(64, 8)), first, "it was given back");
        }
        assert!(!is_short());
        let mut all = HashSet::new();
        let large = layout(100 << 10, 8);
        while let Some(cell) = ptr::NonNull::new(spare(large)) {
            assert_eq!(is_short(), all.len() >= 4);
            assert!(all.insert(cell));
        }
        assert_eq!(all.len(), 8);
        for cell in all {
            // SAFETY: as above.
            unsafe { Memory.dealloc(cell.as_ptr(), large) };
        }
        assert!(is_short(), "it stays so");
        assert!(spare(layout(1 << 20, 8)).is_null());
        assert!(!Vec::<u8>::new().grow(usize::MAX / 4));
    }
}
