//! The shim's inquiry functions, if it is there.

use std::ffi::CStr;
use std::sync::atomic::{AtomicPtr, AtomicU64, Ordering::Acquire, Ordering::Relaxed};
use std::{mem, ptr};

use ompchunk_abi::sched_type::{DYNAMIC, GUIDED, STATIC_CHUNKED, kind};
use ompchunk_abi::{LOOP_CHUNK_KNOWN, LOOP_CHUNKED, LOOP_DEALT, LOOP_START_KNOWN, LOOP_STEP_KNOWN, LoopRecord};

use ompt::raw::{AnyFn, GetLoopFn, GetMetFn, GetScheduleFn, GetSectionFn, GetVariableFn};

/// Answer of `ompt_chunk_get_change`: another schedule than the source's.
const CHANGED: i32 = 2;

static NONE_MET: AtomicU64 = AtomicU64::new(0);

pub(crate) static INQUIRY: Inquiry = Inquiry::none();

pub(crate) struct Inquiry {
    get_loop: AtomicPtr<()>,
    get_variable: AtomicPtr<()>,
    get_schedule: AtomicPtr<()>,
    get_section: AtomicPtr<()>,
    met: AtomicPtr<AtomicU64>,
}

impl Inquiry {
    pub(crate) const fn none() -> Self {
        Inquiry {
            get_loop: AtomicPtr::new(ptr::null_mut()),
            get_variable: AtomicPtr::new(ptr::null_mut()),
            get_schedule: AtomicPtr::new(ptr::null_mut()),
            get_section: AtomicPtr::new(ptr::null_mut()),
            met: AtomicPtr::new(ptr::from_ref(&NONE_MET).cast_mut()),
        }
    }

    pub(crate) fn look_up(&self, lookup: impl Fn(&CStr) -> Option<AnyFn>) -> bool {
        let named = [
            (&self.get_loop, c"ompt_chunk_get_loop"),
            (&self.get_variable, c"ompt_chunk_get_variable"),
            // There is none where no loop can run otherwise than in the source.
            (&self.get_schedule, c"ompt_chunk_get_change"),
            (&self.get_section, c"ompt_chunk_get_section"),
        ];
        let found = named.map(|(entry, name)| {
            let function = lookup(name).map_or(ptr::null_mut(), |function| function as *mut ());
            entry.store(function, Relaxed);
            !function.is_null()
        });
        let met = lookup(c"ompt_chunk_get_met").map_or(ptr::null(), |get_met| {
            // SAFETY: what the shim has under that name.
            let get_met = unsafe { mem::transmute::<AnyFn, GetMetFn>(get_met) };
            // SAFETY: callable at any time; gives the address of a word of the shim's, which stays.
            unsafe { get_met() }
        });
        let met = if met.is_null() { ptr::from_ref(&NONE_MET) } else { met };
        self.met.store(met.cast_mut(), Relaxed);
        found[0] && found[1]
    }

    pub(crate) fn forget(&self) {
        self.look_up(|_| None);
    }

    pub(crate) fn current_section(&self) -> Option<u64> {
        let function = function::<GetSectionFn>(&self.get_section)?;
        let mut number = 0;
        // SAFETY: it outlives the call, which comes from a callback.
        let answer = unsafe { function(&mut number) };
        (answer != 0).then_some(number)
    }

    /// The schedule under which the thread's innermost loop runs, if it is not the one in the source.
    pub(crate) fn current_change(&self) -> Option<Override> {
        let function = function::<GetScheduleFn>(&self.get_schedule)?;
        let (mut schedule, mut chunk) = (0, 0);
        // SAFETY: both outlive the call, which may come from a callback.
        let answer = unsafe { function(&mut schedule, &mut chunk) };
        (answer == CHANGED).then(|| Override { schedule, chunk: u32::try_from(chunk).unwrap_or(0) })
    }

    /// How many images of instrumented code the shim has met: as long as that stands still, an address is the same loop's.
    #[inline(always)]
    pub(crate) fn met(&self) -> u64 {
        // SAFETY: from the beginning on the address of a word that stays.
        let met = unsafe { &*self.met.load(Relaxed) };
        met.load(Acquire)
    }

    /// Whether there is anything that [`Inquiry::current_change`] could tell.
    pub(crate) fn tells_changes(&self) -> bool {
        function::<GetScheduleFn>(&self.get_schedule).is_some()
    }

    /// The innermost instrumented loop that the thread is in, or null.
    pub(crate) fn current_loop(&self) -> *const LoopRecord {
        let Some(function) = function::<GetLoopFn>(&self.get_loop) else { return ptr::null() };
        // SAFETY: callable from a callback.
        unsafe { function() }
    }

    /// Which of the user's first value and step in it are known, and both; what is not known is 0.
    pub(crate) fn current_values(&self) -> (u32, i64, i64) {
        let Some(function) = function::<GetVariableFn>(&self.get_variable) else { return (0, 0, 0) };
        let (mut start, mut step) = (0, 0);
        // SAFETY: both outlive the call.
        let known = unsafe { function(&mut start, &mut step) } as u32;
        (known, start, step)
    }

    pub(crate) fn current_variable(&self) -> (Option<i64>, Option<i64>) {
        let (known, start, step) = self.current_values();
        ((known & LOOP_START_KNOWN != 0).then_some(start), (known & LOOP_STEP_KNOWN != 0).then_some(step))
    }
}

/// Safe to call in a signal handler.
#[inline(always)]
pub(crate) fn function<F>(entry: &AtomicPtr<()>) -> Option<F> {
    let function = entry.load(Relaxed);
    // SAFETY: null, which is `None`, or what the shim or the runtime has under that name.
    (!function.is_null()).then(|| unsafe { mem::transmute_copy(&function) })
}

// Each schedule other than the source's makes a loop of its own: what is recorded of one is not added to the other's.

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Override {
    pub(crate) schedule: u32,
    /// The shim takes none beyond 2^31 - 1.
    pub(crate) chunk: u32,
}

/// All that were met, schedule and chunk size in one word, which is never 0. Programs name few.
static MET: [AtomicU64; 255] = [const { AtomicU64::new(0) }; 255];

impl Override {
    /// A number that stands beside an address in one word, where user space has less than 2^56 addresses. None: too many.
    pub(crate) fn tag(self) -> Option<usize> {
        let word = u64::from(self.schedule) << 32 | u64::from(self.chunk);
        let is_own = |place: &AtomicU64| {
            let before = place.compare_exchange(0, word, Relaxed, Relaxed);
            before.is_ok() || before == Err(word)
        };
        MET.iter().position(is_own).map(|at| (at + 1) << 56)
    }

    pub(crate) fn is_as_compiled(self, record: &LoopRecord) -> bool {
        let is_sized = self.flags(record) & LOOP_CHUNKED != 0;
        self.schedule == record.schedule && (!is_sized || i64::from(self.chunk) == i64::from(record.chunk))
    }

    pub(crate) fn flags(self, record: &LoopRecord) -> u32 {
        let rest = record.flags & !(LOOP_CHUNKED | LOOP_CHUNK_KNOWN);
        let sized = match kind(self.schedule) {
            STATIC_CHUNKED | DYNAMIC | GUIDED => LOOP_CHUNKED | LOOP_CHUNK_KNOWN,
            _ => 0,
        };
        rest | sized | LOOP_DEALT
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_loop_was_compiled_with_is_no_change() {
        let record = |schedule, flags, chunk| {
            // SAFETY: numbers alone, of which zeros are values.
            let zeros: LoopRecord = unsafe { std::mem::zeroed() };
            LoopRecord { schedule, flags, chunk, ..zeros }
        };
        let under = |schedule, chunk| Override { schedule, chunk };
        let block = record(34, 0, 0);
        assert!(under(34, 1).is_as_compiled(&block));
        assert!(!under(33, 1).is_as_compiled(&block));
        assert!(!under(62, 1).is_as_compiled(&block), "blocks of equal cost");
        let chunks = record(33, LOOP_CHUNKED | LOOP_CHUNK_KNOWN, 4);
        assert!(under(33, 4).is_as_compiled(&chunks));
        assert!(!under(33, 5).is_as_compiled(&chunks));
        assert!(!under(34, 4).is_as_compiled(&chunks));
    }
}
