//! The shim's inquiry functions, if it is there.

use std::ptr;
use std::sync::atomic::{AtomicPtr, AtomicU64, Ordering::Acquire, Ordering::Relaxed};

use ompchunk_abi::{LOOP_START_KNOWN, LOOP_STEP_KNOWN, LoopRecord};

use crate::schedule_override::Changed;
use ompt::raw::{AnyFn, GetLoopFn, GetMetFn, GetScheduleFn, GetSectionFn, GetVariableFn};

/// `ompt_chunk_get_schedule`: another schedule than the source's.
const CHANGED: i32 = 2;

/// Stands where a shim that does not count has nothing.
static NONE_MET: AtomicU64 = AtomicU64::new(0);

/// The shim's inquiry functions.
pub(crate) static ENTRIES: Entries = Entries::none();

pub(crate) struct Entries {
    get_loop: AtomicPtr<()>,
    get_variable: AtomicPtr<()>,
    get_schedule: AtomicPtr<()>,
    get_section: AtomicPtr<()>,
    met: AtomicPtr<AtomicU64>,
}

impl Entries {
    pub(crate) const fn none() -> Self {
        Entries {
            get_loop: AtomicPtr::new(ptr::null_mut()),
            get_variable: AtomicPtr::new(ptr::null_mut()),
            get_schedule: AtomicPtr::new(ptr::null_mut()),
            get_section: AtomicPtr::new(ptr::null_mut()),
            met: AtomicPtr::new(ptr::from_ref(&NONE_MET).cast_mut()),
        }
    }

    /// What the lookup answered to `ompt_chunk_get_loop` and `ompt_chunk_get_variable`. True: both are there.
    pub(crate) fn set(&self, get_loop: Option<AnyFn>, get_variable: Option<AnyFn>) -> bool {
        let address = |function: Option<AnyFn>| match function {
            Some(function) => function as *mut (),
            None => ptr::null_mut(),
        };
        self.get_loop.store(address(get_loop), Relaxed);
        self.get_variable.store(address(get_variable), Relaxed);
        get_loop.is_some() && get_variable.is_some()
    }

    /// The shim may be gone.
    pub(crate) fn forget(&self) {
        let entries = [&self.get_loop, &self.get_variable, &self.get_schedule, &self.get_section];
        for entry in entries {
            entry.store(ptr::null_mut(), Relaxed);
        }
        let none = ptr::from_ref(&NONE_MET).cast_mut();
        self.met.store(none, Relaxed);
    }

    /// What it answered to `ompt_chunk_get_change`: nothing, where no loop can run otherwise than in the source.
    pub(crate) fn set_schedule(&self, get_schedule: Option<AnyFn>) {
        let address = get_schedule.map_or(ptr::null_mut(), |function| function as *mut ());
        self.get_schedule.store(address, Relaxed);
    }

    /// What it answered to `ompt_chunk_get_section`.
    pub(crate) fn set_section(&self, get_section: Option<AnyFn>) {
        let address = get_section.map_or(ptr::null_mut(), |function| function as *mut ());
        self.get_section.store(address, Relaxed);
    }

    /// The number of the section that the thread runs, of the innermost instrumented construct that it is in.
    pub(crate) fn current_section(&self) -> Option<u64> {
        let function = self.get_section.load(Relaxed);
        if function.is_null() {
            return None;
        }
        // SAFETY: not null, so it is what the shim has under that name.
        let function: GetSectionFn = unsafe { std::mem::transmute(function) };
        let mut number = 0;
        // SAFETY: it outlives the call, which comes from a callback.
        let answer = unsafe { function(&mut number) };
        (answer != 0).then_some(number)
    }

    /// The schedule under which that loop runs, if it is not the one in the source.
    pub(crate) fn current_change(&self) -> Option<Changed> {
        let function = self.get_schedule.load(Relaxed);
        if function.is_null() {
            return None;
        }
        // SAFETY: not null, so it is what the shim has under that name.
        let function: GetScheduleFn = unsafe { std::mem::transmute(function) };
        let (mut schedule, mut chunk) = (0, 0);
        // SAFETY: both outlive the call, which may come from a callback.
        let answer = unsafe { function(&mut schedule, &mut chunk) };
        (answer == CHANGED).then(|| Changed { schedule, chunk: u32::try_from(chunk).unwrap_or(0) })
    }

    /// What it answered to `ompt_chunk_get_met`.
    pub(crate) fn set_met(&self, get_met: Option<AnyFn>) {
        let Some(get_met) = get_met else { return };
        // SAFETY: what the shim has under that name.
        let get_met = unsafe { std::mem::transmute::<AnyFn, GetMetFn>(get_met) };
        // SAFETY: callable at any time; gives the address of a word of the shim's, which stays.
        let met = unsafe { get_met() };
        if !met.is_null() {
            self.met.store(met.cast_mut(), Relaxed);
        }
    }

    /// How many images of instrumented code the shim has met: as long as that stands still, a record's address is the
    /// same loop's.
    #[inline(always)]
    pub(crate) fn met(&self) -> u64 {
        // SAFETY: from the beginning on the address of a word that stays.
        let met = unsafe { &*self.met.load(Relaxed) };
        met.load(Acquire)
    }

    /// The innermost instrumented loop that the thread is in, or null.
    pub(crate) fn current_loop(&self) -> *const LoopRecord {
        let function = self.get_loop.load(Relaxed);
        if function.is_null() {
            return ptr::null();
        }
        // SAFETY: not null, so it is what the shim has under that name.
        let function: GetLoopFn = unsafe { std::mem::transmute(function) };
        // SAFETY: callable from a callback.
        unsafe { function() }
    }

    /// The user's first value and step in it; what is not known is 0.
    pub(crate) fn current_values(&self) -> (i64, i64) {
        let (_, start, step) = self.ask();
        (start, step)
    }

    fn ask(&self) -> (u32, i64, i64) {
        let function = self.get_variable.load(Relaxed);
        if function.is_null() {
            return (0, 0, 0);
        }
        // SAFETY: as above.
        let function: GetVariableFn = unsafe { std::mem::transmute(function) };
        let (mut start, mut step) = (0, 0);
        // SAFETY: both outlive the call.
        let known = unsafe { function(&mut start, &mut step) } as u32;
        (known, start, step)
    }

    /// The user's first value and step in it.
    pub(crate) fn current_variable(&self) -> (Option<i64>, Option<i64>) {
        let (known, start, step) = self.ask();
        ((known & LOOP_START_KNOWN != 0).then_some(start), (known & LOOP_STEP_KNOWN != 0).then_some(step))
    }
}
