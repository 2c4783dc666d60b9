//! Records of tasks, used again: some for each lane, the rest for all, as tasks end in other threads than created them.

use std::ptr;

use ompchunk_guest::memory::{self, Grow};

use super::record::Record;
use crate::lock::Lock;

const BATCH: usize = 64;

pub(crate) static SPARE: Lock<Vec<List>> = Lock::new(Vec::new());

pub(crate) struct List {
    first: *mut Record,
    length: usize,
}

// SAFETY: free records, which are whoever's has the list.
unsafe impl Send for List {}

impl Default for List {
    fn default() -> List {
        List { first: ptr::null_mut(), length: 0 }
    }
}

impl List {
    // Inlined into a loop over records that lie side by side, LLVM 22 vectorizes it for AArch64, and crashes.
    #[inline(never)]
    fn put(&mut self, record: &'static mut Record) {
        record.next.set(self.first);
        self.first = record;
        self.length += 1;
    }
}

#[derive(Default)]
pub(crate) struct Pool {
    free: List,
    /// A whole batch, or nothing.
    full: List,
}

impl Pool {
    /// A record for something that begins where a chain of work of that length leads to.
    pub(crate) fn take(&mut self, path: u64) -> *mut Record {
        if self.free.first.is_null() {
            self.refill();
        }
        let record = self.free.first;
        // SAFETY: free and this lane's, and records are never freed.
        unsafe {
            self.free.first = (*record).next.get();
            (*record).begin(path);
        }
        self.free.length -= 1;
        record
    }

    pub(crate) fn give(&mut self, record: *mut Record) {
        if self.free.length == BATCH {
            let full = std::mem::replace(&mut self.full, std::mem::take(&mut self.free));
            if full.length > 0 {
                memory::push(&mut SPARE.lock(), full);
            }
        }
        // SAFETY: a record that nobody uses.
        unsafe { (*record).next.set(self.free.first) };
        self.free.first = record;
        self.free.length += 1;
    }

    /// Safety: null, or a record of which the caller is a user.
    pub(crate) unsafe fn leave(&mut self, record: *mut Record) {
        // SAFETY: the caller's promise.
        if !record.is_null() && unsafe { (*record).leave() } {
            self.give(record);
        }
    }

    #[cold]
    fn refill(&mut self) {
        if self.full.length > 0 {
            self.free = std::mem::take(&mut self.full);
            return;
        }
        let spare = SPARE.lock().pop();
        self.free = spare.unwrap_or_else(made);
    }
}

fn made() -> List {
    let (mut list, mut records) = (List::default(), Vec::new());
    let number = if records.grow(BATCH) { BATCH } else { 1 };
    records.reserve_exact(number);
    records.extend((0..number).map(|_| Record::new()));
    for record in records.leak() {
        list.put(record);
    }
    list
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_given_back_is_taken_again() {
        let mut pool = Pool::default();
        let mut addresses = std::collections::HashSet::new();
        for _ in 0..100 {
            let taken: Vec<_> = (0..100).map(|_| pool.take(7)).collect();
            let apart: std::collections::HashSet<_> = taken.iter().copied().collect();
            assert_eq!(apart.len(), 100);
            addresses.extend(apart);
            taken.into_iter().for_each(|record| pool.give(record));
        }
        assert!(addresses.len() <= 2 * BATCH, "{}", addresses.len());
    }

    #[test]
    fn who_only_gives_keeps_few() {
        let (mut creator, mut runner) = (Pool::default(), Pool::default());
        let mut addresses = std::collections::HashSet::new();
        for _ in 0..100_000 {
            let record = creator.take(0);
            addresses.insert(record);
            runner.give(record);
        }
        assert!(addresses.len() <= 6 * BATCH, "{}", addresses.len());
    }
}
