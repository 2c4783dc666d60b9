//! A lock for the rare paths (a thread begins, a block is full) that can be held across `fork`: the parent's
//! handler takes it before and both processes release it after. `std`'s guards cannot do that.

use std::cell::UnsafeCell;
use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicBool, Ordering};

pub(crate) struct Lock<T> {
    taken: AtomicBool,
    value: UnsafeCell<T>,
}

// SAFETY: `taken` lets one thread at a time reach the value.
unsafe impl<T: Send> Sync for Lock<T> {}

impl<T> Lock<T> {
    pub(crate) const fn new(value: T) -> Self {
        Lock { taken: AtomicBool::new(false), value: UnsafeCell::new(value) }
    }

    pub(crate) fn lock(&self) -> Guard<'_, T> {
        self.take();
        Guard(self)
    }

    pub(crate) fn try_lock(&self) -> Option<Guard<'_, T>> {
        let taken = self.taken.swap(true, Ordering::Acquire);
        (!taken).then(|| Guard(self))
    }

    /// As `lock`, to be released by [`Lock::release`].
    pub(crate) fn take(&self) {
        while self.taken.swap(true, Ordering::Acquire) {
            // Whoever has it does a system call or two.
            std::thread::yield_now();
        }
    }

    pub(crate) fn release(&self) {
        self.taken.store(false, Ordering::Release);
    }

    /// Safety: the calling thread has taken it, and uses no other reference.
    #[allow(clippy::mut_from_ref, reason = "the lock is what makes it exclusive")]
    pub(crate) unsafe fn value(&self) -> &mut T {
        // SAFETY: the caller's promise.
        unsafe { &mut *self.value.get() }
    }
}

pub(crate) struct Guard<'a, T>(&'a Lock<T>);

impl<T> Deref for Guard<'_, T> {
    type Target = T;
    fn deref(&self) -> &T {
        // SAFETY: the guard exists, so this thread has the lock.
        unsafe { &*self.0.value.get() }
    }
}

impl<T> DerefMut for Guard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: as above, and `self` is borrowed alone.
        unsafe { &mut *self.0.value.get() }
    }
}

impl<T> Drop for Guard<'_, T> {
    fn drop(&mut self) {
        self.0.release();
    }
}
