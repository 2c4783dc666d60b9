//! Where the tool's values of threads, regions and tasks are kept: `ompt_data_t` holds no address but a number, a handle. So nothing
//! that a runtime leaves there (what ended, what another life or tool put there, a copy) can be taken for a value that it is not.
//! A value that is taken out stays until the last callback that looks at it has returned.
//! Nothing here blocks: a thread may be stopped anywhere, and a process may `fork` at any time.

use core::cell::UnsafeCell;
use core::mem::MaybeUninit;
use core::ops::Deref;
use core::ptr;
use core::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64, Ordering::*};
use std::boxed::Box;
use std::vec::Vec;

/// Slots of the first segment; each further one has twice as many.
const FIRST: u32 = 64;
const SEGMENTS: usize = 26;
/// The value is still its owner's: it can be found.
const OWNED: u64 = 1 << 31;
/// How many look at it, the owner included.
const USERS: u64 = OWNED - 1;
/// From a slot's value to its next: the bits below tell arenas apart.
const GENERATION: u32 = 1 << 10;

struct Slot<T> {
    state: AtomicU64,
    /// The next free one, plus 1.
    next: AtomicU32,
    value: UnsafeCell<MaybeUninit<T>>,
}

/// It lasts until the process ends; so what is still in it then is not dropped.
pub(crate) struct Arena<T: 'static> {
    segments: [AtomicPtr<Slot<T>>; SEGMENTS],
    used: AtomicU32,
    /// The first free slot, plus 1, below a count that tells two states with the same slot apart.
    free: AtomicU64,
    /// What handles of this arena have and those of others have not.
    salt: u32,
}

// SAFETY: a value is shared by reference only, and dropped by whichever thread is the last; `T` allows both. All else is atomic.
unsafe impl<T: Send + Sync> Sync for Arena<T> {}
// SAFETY: as above.
unsafe impl<T: Send + Sync> Send for Arena<T> {}

impl<T> Arena<T> {
    /// `salt`: below 1024, and another one for each arena.
    pub(crate) const fn new(salt: u32) -> Self {
        Arena {
            segments: [const { AtomicPtr::new(ptr::null_mut()) }; SEGMENTS],
            used: AtomicU32::new(0),
            free: AtomicU64::new(0),
            salt: salt % GENERATION,
        }
    }

    /// The handle of a new value, never 0; 0 where there is no room, and the value is dropped.
    pub(crate) fn insert(&'static self, value: T) -> u64 {
        let Some(index) = self.pop().or_else(|| self.grow()) else {
            return 0;
        };
        let Some(slot) = self.slot(index) else {
            return 0;
        };
        // SAFETY: nobody else has a slot that was taken from the free ones or is new: it has no users and cannot be found.
        unsafe { (*slot.value.get()).write(value) };
        let generation = slot.state.load(Relaxed) >> 32;
        slot.state.store(generation << 32 | OWNED | 1, Release);
        generation << 32 | u64::from(index + 1)
    }

    pub(crate) fn get(&'static self, handle: u64) -> Option<Ref<T>> {
        self.find(handle, |state| (state & USERS != USERS).then_some(state + 1))
    }

    /// Nobody finds the value any more; it is dropped when the last who found it has done.
    pub(crate) fn remove(&'static self, handle: u64) -> Option<Ref<T>> {
        self.find(handle, |state| Some(state & !OWNED))
    }

    fn find(&'static self, handle: u64, change: impl Fn(u64) -> Option<u64>) -> Option<Ref<T>> {
        let index = (handle as u32).checked_sub(1)?;
        if index >= self.used.load(Acquire) {
            return None;
        }
        let slot = self.slot(index)?;
        slot.state
            .fetch_update(AcqRel, Acquire, |state| {
                let found = state >> 32 == handle >> 32 && state & OWNED != 0;
                found.then(|| change(state)).flatten()
            })
            .ok()?;
        Some(Ref { arena: self, index, slot })
    }

    fn slot(&self, index: u32) -> Option<&'static Slot<T>> {
        let (segment, offset) = place(index);
        let first = self.segments.get(segment)?.load(Acquire);
        if first.is_null() {
            return None;
        }
        // SAFETY: a segment has as many slots as `place` says and is never freed.
        Some(unsafe { &*first.add(offset) })
    }

    fn grow(&self) -> Option<u32> {
        let more = |used: u32| used.checked_add(1).filter(|_| place(used).0 < SEGMENTS);
        let index = self.used.fetch_update(AcqRel, Acquire, more).ok()?;
        let segment = place(index).0;
        if self.segments[segment].load(Acquire).is_null() {
            let slots: Vec<Slot<T>> = (0..(FIRST as usize) << segment)
                .map(|_| Slot {
                    state: AtomicU64::new(u64::from(self.salt) << 32),
                    next: AtomicU32::new(0),
                    value: UnsafeCell::new(MaybeUninit::uninit()),
                })
                .collect();
            let new = Box::into_raw(slots.into_boxed_slice());
            let swap = self.segments[segment].compare_exchange(ptr::null_mut(), new.cast(), AcqRel, Acquire);
            if swap.is_err() {
                // SAFETY: from a box above, and nobody has seen it: another thread's stands there.
                drop(unsafe { Box::from_raw(new) });
            }
        }
        Some(index)
    }

    fn pop(&self) -> Option<u32> {
        let before = self.free.fetch_update(AcqRel, Acquire, |head| {
            let index = (head as u32).checked_sub(1)?;
            let next = self.slot(index)?.next.load(Relaxed);
            Some(((head >> 32) + 1) << 32 | u64::from(next))
        });
        before.ok().map(|head| head as u32 - 1)
    }

    fn push(&self, index: u32, slot: &Slot<T>) {
        let _ = self.free.fetch_update(AcqRel, Acquire, |head| {
            slot.next.store(head as u32, Relaxed);
            Some(((head >> 32) + 1) << 32 | u64::from(index + 1))
        });
    }
}

fn place(index: u32) -> (usize, usize) {
    let number = u64::from(index) + u64::from(FIRST);
    let segment = (number / u64::from(FIRST)).ilog2();
    (segment as usize, (number - (u64::from(FIRST) << segment)) as usize)
}

/// A value of the tool's, while a callback looks at it.
pub struct Ref<T: 'static> {
    arena: &'static Arena<T>,
    index: u32,
    slot: &'static Slot<T>,
}

impl<T> Deref for Ref<T> {
    type Target = T;

    fn deref(&self) -> &T {
        // SAFETY: written before its handle was known, and not dropped as long as this is counted among its users.
        unsafe { (*self.slot.value.get()).assume_init_ref() }
    }
}

impl<T: core::fmt::Debug> core::fmt::Debug for Ref<T> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        (**self).fmt(f)
    }
}

impl<T> Drop for Ref<T> {
    fn drop(&mut self) {
        let before = self.slot.state.fetch_sub(1, AcqRel);
        if before & USERS != 1 {
            return;
        }
        // SAFETY: the last user, and the owner has gone: nobody finds the value. If its drop panics, the slot is never used again.
        unsafe { (*self.slot.value.get()).assume_init_drop() };
        // A slot whose generations are used up is not used again, or an old handle would be good for a new value.
        if let Some(next) = ((before >> 32) as u32).checked_add(GENERATION) {
            self.slot.state.store(u64::from(next) << 32, Release);
            self.arena.push(self.index, self.slot);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::string::{String, ToString};
    use std::sync::Arc;

    fn arena<T>(salt: u32) -> &'static Arena<T> {
        Box::leak(Box::new(Arena::new(salt)))
    }

    #[test]
    fn a_value_is_found_until_it_is_taken() {
        let all = arena::<String>(1);
        let handle = all.insert("a".to_string());
        assert_eq!(&*all.get(handle).unwrap(), "a");
        assert_eq!(&*all.remove(handle).unwrap(), "a");
        assert!(all.get(handle).is_none() && all.remove(handle).is_none());
        let next = all.insert("b".to_string());
        assert_eq!(next as u32, handle as u32, "the slot is used again");
        assert!(all.get(handle).is_none(), "an old handle finds a new value");
    }

    #[test]
    fn no_other_number_finds_anything() {
        let (all, other) = (arena::<u8>(1), arena::<u8>(2));
        let handle = all.insert(7);
        let theirs = other.insert(8);
        for foreign in [0, 1, 2, u64::MAX, handle + 1, handle ^ 1 << 40, theirs, 0x7fff_1234_5678] {
            assert!(all.get(foreign).is_none() && all.remove(foreign).is_none(), "{foreign:#x}");
        }
        assert_eq!(*all.get(handle).unwrap(), 7);
    }

    #[test]
    fn who_looks_keeps_it() {
        let all = arena::<Arc<()>>(1);
        let value = Arc::new(());
        let handle = all.insert(value.clone());
        let looks = all.get(handle).unwrap();
        drop(all.remove(handle));
        assert_eq!(Arc::strong_count(&value), 2);
        drop(looks);
        assert_eq!(Arc::strong_count(&value), 1);
    }

    #[test]
    fn a_slot_retires_when_its_generations_are_used_up() {
        let all = arena::<u8>(3);
        let handle = all.insert(1);
        let slot = all.slot(0).unwrap();
        let last = u64::from(u32::MAX - GENERATION + 1) << 32;
        slot.state.store(last | OWNED | 1, Relaxed);
        drop(all.remove(last | 1));
        assert_eq!(all.insert(2) as u32, 2, "not in the slot that retired");
        assert!(all.get(handle).is_none() && all.get(last | 1).is_none());
    }

    #[test]
    fn a_drop_that_panics_costs_a_slot() {
        struct Panics;
        impl Drop for Panics {
            fn drop(&mut self) {
                panic!("as wanted");
            }
        }
        let all = arena::<Panics>(1);
        let handle = all.insert(Panics);
        let result = std::panic::catch_unwind(|| drop(all.remove(handle)));
        assert!(result.is_err());
        assert!(all.get(handle).is_none());
        let next = all.insert(Panics);
        assert_eq!(next as u32, 2);
    }

    #[test]
    fn places_follow_each_other() {
        let mut expected = (0, 0);
        for index in 0..5000 {
            assert_eq!(place(index), expected, "{index}");
            expected.1 += 1;
            if expected.1 == (FIRST as usize) << expected.0 {
                expected = (expected.0 + 1, 0);
            }
        }
        assert_eq!(place(u32::MAX).0, SEGMENTS, "beyond the last");
    }

    /// Threads insert, look and take at once; every value is dropped exactly once, and none is another's.
    #[test]
    fn threads_agree() {
        let all = arena::<(u64, Arc<()>)>(1);
        let (alive, board) = (Arc::new(()), (0..32).map(|_| AtomicU64::new(0)).collect::<Vec<_>>());
        std::thread::scope(|scope| {
            for thread in 0..4_u64 {
                let (alive, board) = (&alive, &board);
                scope.spawn(move || {
                    let mut random = thread + 1;
                    for round in 0..20_000_u64 {
                        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(round);
                        let place = &board[(random >> 40) as usize % board.len()];
                        let handle = place.load(Acquire);
                        if let Some(found) = all.get(handle) {
                            assert_eq!(found.0 % 4096, found.0 / 4096 % 4096);
                        }
                        if random >> 33 & 1 == 0 {
                            let number = round % 4096;
                            let new = all.insert((number * 4096 + number, alive.clone()));
                            drop(all.remove(place.swap(new, AcqRel)));
                        } else {
                            drop(all.remove(handle));
                        }
                    }
                });
            }
        });
        for place in &board {
            drop(all.remove(place.load(Acquire)));
        }
        assert_eq!(Arc::strong_count(&alive), 1);
        assert!(all.used.load(Relaxed) < 200, "slots are used again");
    }
}
