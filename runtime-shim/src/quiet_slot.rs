//! A slot for a function with a mark beside it, in one word: one load and one test tell a hot path that the function is
//! there and that nothing stands against calling it at once.

use core::marker::PhantomData;

use crate::constant::const_unless_loom;
use crate::primitive::{AtomicPtr, Ordering};
use crate::slot::{Function, from_word, to_word};

/// The highest bit: no function of a process has such an address.
const MARK: usize = 1 << (usize::BITS - 1);

/// An atomic `Option<F>` with a mark.
pub struct Marked<F> {
    word: AtomicPtr<()>,
    holds: PhantomData<F>,
}

impl<F: Function> Marked<F> {
    const_unless_loom! {
        pub fn empty() -> Self {
            Self {
                word: AtomicPtr::new(core::ptr::null_mut()),
                holds: PhantomData,
            }
        }
    }

    /// What stands in the slot now, marked or not. Whatever its writer did before is visible.
    #[inline]
    pub fn get(&self) -> Option<F> {
        let word = self.word.load(Ordering::Acquire);
        // SAFETY: only `set` writes functions, from an `Option<F>`; the mark is taken away.
        unsafe { from_word(word.map_addr(|address| address & !MARK)) }
    }

    /// The same if it is not marked.
    #[inline(always)]
    pub fn unmarked(&self) -> Option<F> {
        let word = self.word.load(Ordering::Acquire);
        if (word.addr() as isize) <= 0 {
            return None;
        }
        // SAFETY: as in `get`; there is no mark. Above 0 is not null, which spares a second test.
        unsafe {
            let function = from_word(word);
            core::hint::assert_unchecked(function.is_some());
            function
        }
    }

    /// Whether anything stands in it.
    #[inline]
    pub fn is_set(&self) -> bool {
        self.get().is_some()
    }

    /// Replaces the content and marks it. A read-modify-write, as in `Slot`.
    pub fn set(&self, function: Option<F>) {
        let word = to_word(function).map_addr(|address| address | MARK);
        self.word.swap(word, Ordering::AcqRel);
    }

    /// Marks what stands in it, or takes the mark away. Always a read-modify-write, so that whoever does it later sees
    /// what was done before; and never puts back what another has replaced.
    pub fn mark(&self, marked: bool) {
        let mut word = self.word.load(Ordering::Acquire);
        loop {
            let mark = if marked { MARK } else { 0 };
            let new = word.map_addr(|address| address & !MARK | mark);
            match self.word.compare_exchange(word, new, Ordering::AcqRel, Ordering::Acquire) {
                Ok(_) => return,
                Err(now) => word = now,
            }
        }
    }
}
