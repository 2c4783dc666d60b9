//! A place for a C function that comes and goes: an atomic `Option<fn>`. Only this file turns words into functions.

use core::marker::PhantomData;
use core::mem::{size_of, transmute_copy};
use core::ptr;

use crate::constant::const_unless_loom;
use crate::primitive::{AtomicPtr, Ordering};
use ompt::raw::{self, AnyFn};

/// # Safety
/// A function pointer: `Option<Self>` has the size and the representation of a pointer, `None` being null.
pub unsafe trait Function: Copy {}

macro_rules! functions {
    ($($name:ident),*) => {$(
        // SAFETY: a function pointer of the C ABI; the language guarantees this of its `Option`.
        unsafe impl Function for raw::$name {}
    )*};
}
functions!(
    AnyFn, ChunkFn, ToolTimeFn, TaskCreationFn, DispatchFn, GetCallbackFn, GetParallelInfoFn, GetLoopFn, GetMetFn,
    GetScheduleFn, GetStateFn, GetTaskInfoFn, GetVariableFn, ImplicitTaskFn, LookupFn, LoopFn, MaskedFn,
    MutexAcquireFn, MutexFn, NameLoopsFn, ParallelBeginFn, ParallelEndFn, SetCallbackFn, SubBlockFn, WantedFn,
    SyncRegionFn, TaskCreateFn, TaskScheduleFn, ThreadBeginFn, ThreadEndFn, WorkFn
);

pub(crate) fn to_word<F: Function>(function: Option<F>) -> *mut () {
    const { assert!(size_of::<Option<F>>() == size_of::<*mut ()>()) };
    // SAFETY: same size, asserted above; any bits are a valid raw pointer.
    unsafe { transmute_copy(&function) }
}

/// The reverse of [`to_word`]. Safety: `word` is null or the address of a function of type `F`.
pub(crate) unsafe fn from_word<F: Function>(word: *mut ()) -> Option<F> {
    const { assert!(size_of::<Option<F>>() == size_of::<*mut ()>()) };
    // SAFETY: same size, asserted above; the caller vouches for the function.
    unsafe { transmute_copy(&word) }
}

/// As the function without a type of its own.
pub(crate) fn any<F: Function>(function: F) -> Option<AnyFn> {
    // SAFETY: every C function may pass as the untyped one; whoever calls it gives it its type back.
    unsafe { from_word(to_word(Some(function))) }
}

/// The reverse, for what a tool registers.
pub(crate) fn typed<F: Function>(callback: Option<AnyFn>) -> Option<F> {
    // SAFETY: `ompt_set_callback` obliges the tool to pass a function of the event's type.
    unsafe { from_word(to_word(callback)) }
}

pub struct Slot<F> {
    word: AtomicPtr<()>,
    holds: PhantomData<F>,
}

impl<F: Function> Slot<F> {
    const_unless_loom! {
        pub fn empty() -> Self {
            Self { word: AtomicPtr::new(ptr::null_mut()), holds: PhantomData }
        }
    }

    /// What stands in the slot now. Whatever its writer did before is visible.
    #[inline]
    pub fn get(&self) -> Option<F> {
        // SAFETY: only `set` writes the word, from an `Option<F>`.
        unsafe { from_word(self.word.load(Ordering::Acquire)) }
    }

    #[inline]
    pub fn is_set(&self) -> bool {
        !self.word.load(Ordering::Acquire).is_null()
    }

    /// Replaces the content. A read-modify-write: later writers see what earlier ones did before, on which `RegisteredCallbacks` relies.
    pub fn set(&self, function: Option<F>) {
        self.word.swap(to_word(function), Ordering::AcqRel);
    }
}

// A slot with a mark in the same word: one load and one test tell a hot path that it may call the function at once.

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
            Self { word: AtomicPtr::new(ptr::null_mut()), holds: PhantomData }
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

    #[inline]
    pub fn is_set(&self) -> bool {
        self.get().is_some()
    }

    /// Replaces the content and marks it. A read-modify-write, as in `Slot`.
    pub fn set(&self, function: Option<F>) {
        let word = to_word(function).map_addr(|address| address | MARK);
        self.word.swap(word, Ordering::AcqRel);
    }

    /// Marks what stands in it, or takes the mark away. Always a read-modify-write, as in `set`; never puts back what another has replaced.
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
