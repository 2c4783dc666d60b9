//! What instrumented loops call between begin and end: `advance` when the runtime has initialised the loop, and where
//! its bounds are run. The hot path, as `hooks` says of it.

use core::ffi::c_void;
use core::mem::transmute;
use core::ptr;

use ompchunk_abi::{
    AdvanceFn, ChunkFn, ENDS, Frame, HAS_ENDED, LOOP_CHUNKED, LOOP_SIGNED, ModuleRecord, ON_LISTENING, ON_TIMED,
    RUNS_MORE,
};

use crate::hooks::chunk::only_chunk;
use crate::hooks::init_trampolines::{StepsFn, THREAD_NUMBER_AT, bounds, kind};
use crate::static_override::stride::{Number, Whole};
use crate::{static_override::stride, thread::thread_storage};

/// `AdvanceFn` of a loop as compiled, whose chunks the program reports.
/// Safety: `frame` was filled in by `begin` and not left yet.
pub(crate) unsafe extern "C" fn begins(frame: *mut Frame) -> i32 {
    // SAFETY: the caller's promise.
    unsafe {
        bookkeeping(frame);
        runs_once(frame)
    }
}

/// Safety: as for [`begins`].
#[inline(always)]
unsafe fn bookkeeping(frame: *mut Frame) {
    // SAFETY: the caller's promise.
    unsafe {
        if (*frame).on & ON_TIMED != 0 {
            ((*frame).bookkeeping)(frame);
        }
    }
}

/// What the bounds say is all. Safety: as for [`begins`].
#[inline(always)]
unsafe fn runs_once(frame: *mut Frame) -> i32 {
    // SAFETY: the caller's promise.
    unsafe { (*frame).advance = (*frame).leave };
    RUNS_MORE
}

/// `AdvanceFn` of a loop as compiled with one chunk per thread, or none. Compilers cut it off behind the loop's last iteration.
/// Safety: as for [`begins`].
pub(crate) unsafe extern "C" fn only<N: Number>(frame: *mut Frame) -> i32 {
    // SAFETY: the caller's promise.
    unsafe {
        bookkeeping(frame);
        let is_signed = (*(*frame).loop_record).flags & LOOP_SIGNED != 0;
        let [lower, upper, ..] = bounds::<N>(frame);
        if let Some((lower, upper)) = only_range(frame, lower.read(), upper.read(), is_signed) {
            ((*frame).chunk)(frame, lower, upper, 1);
        }
        runs_once(frame)
    }
}

/// The same where `begin_short_or_own` took the short way. Safety: as for [`begins`].
pub(crate) unsafe extern "C" fn only_short<N: Number, const SIGNED: bool>(frame: *mut Frame) -> i32 {
    // SAFETY: the caller's promise.
    unsafe {
        let [lower, upper, ..] = bounds::<N>(frame);
        if let Some((lower, upper)) = only_range(frame, lower.read(), upper.read(), SIGNED) {
            only_chunk(frame, lower, upper, 1);
        }
        runs_once(frame)
    }
}

/// The same where the bounds stand in the frame, and no pointers to them, nor what is called then. Safety: as for [`begins`].
#[cfg(target_arch = "x86_64")]
pub(crate) unsafe extern "C" fn only_own<N: Number, const SIGNED: bool>(frame: *mut Frame) -> i32 {
    // SAFETY: the caller's promise.
    unsafe {
        ((*frame).advance, (*frame).leave) = (leave, leave);
        // In the width in which they were written a moment ago: what is wider waits until that has left the processor's buffer.
        let [lower, upper] = [&raw const (*frame).lower, &raw const (*frame).upper].map(|at| at.cast::<N>().read());
        if let Some((lower, upper)) = only_range(frame, lower, upper, SIGNED) {
            only_chunk(frame, lower, upper, 1);
        }
    }
    RUNS_MORE
}

/// What a thread runs of the range that it was given, each number extended to 64 bits by its sign; `None`: nothing.
/// Safety: as for [`begins`].
#[inline(always)]
unsafe fn only_range<N: Number>(frame: *mut Frame, lower: N, given: N, is_signed: bool) -> Option<(u64, u64)> {
    // SAFETY: the caller's promise.
    let last = N::from_wide(unsafe { (*frame).size_then_last });
    let is_beyond = if is_signed { last.is_below(given) } else { last < given };
    extended(lower, if is_beyond { last } else { given }, is_signed)
}

#[inline(always)]
fn extended<N: Number>(lower: N, upper: N, is_signed: bool) -> Option<(u64, u64)> {
    let is_empty = (Whole { first: lower, last: upper, is_signed }).is_empty();
    let wide = |number: N| if is_signed { number.extended() } else { number.wide() };
    (!is_empty).then(|| (wide(lower), wide(upper)))
}

/// `AdvanceFn` of an execution that is stepped, before its first chunk. Safety: as for [`begins`].
pub(crate) unsafe extern "C" fn begins_stepped<N: Number>(frame: *mut Frame) -> i32 {
    // SAFETY: the caller's promise; who answered `begin` left a `StepsFn` here.
    unsafe {
        let last = N::from_wide((*frame).size_then_last);
        let first = transmute::<ChunkFn, StepsFn>((*frame).chunk);
        (*frame).advance = advance_stepped::<N>;
        match first(frame) {
            0 => run_nothing(frame, last),
            _ => step::<N>(frame),
        }
    }
}

/// `AdvanceFn` of an execution that the runtime deals instead, before its first chunk: it goes through its end once without an iteration.
/// The only place that asks for chunks so lies where everything is known that its end needs. Safety: as for [`begins`].
pub(crate) unsafe extern "C" fn begins_dealt<N: Number>(frame: *mut Frame) -> i32 {
    // SAFETY: the caller's promise. Nobody has changed the loop's bounds yet.
    unsafe {
        bookkeeping(frame);
        (*frame).module = (*frame).leave as *const ();
        (*frame).leave = leave_dealt;
        (*frame).advance = if N::BITS == 64 { advance_dealt_8 } else { advance_dealt_4 };
        let [_, upper, _] = bounds::<N>(frame);
        (*frame).size_then_last = frame.byte_add(THREAD_NUMBER_AT).cast::<u32>().read().into();
        run_nothing(frame, upper.read())
    }
}

/// Has the program run an empty range: the one behind the loop's last iteration, as runtimes do, or that from 1 to 0.
/// Safety: as for [`begins`].
unsafe fn run_nothing<N: Number>(frame: *mut Frame, last: N) -> i32 {
    // SAFETY: the caller's promise.
    unsafe {
        let [lower, upper, ..] = bounds::<N>(frame);
        let behind = last.plus(N::ONE);
        let is_signed = (*(*frame).loop_record).flags & LOOP_SIGNED != 0;
        let wraps = if is_signed { behind.is_below(last) } else { behind < last };
        let (from, to) = if wraps { (N::ONE, N::ZERO) } else { (behind, last) };
        lower.write(from);
        upper.write(to);
    }
    RUNS_MORE
}

/// A changed execution is about to run a chunk. Safety: as for [`begins`].
#[inline(always)]
unsafe fn step<N: Number>(frame: *mut Frame) -> i32 {
    // SAFETY: the caller's promise.
    unsafe {
        let flags = (*(*frame).loop_record).flags;
        // A loop over chunks reports them itself.
        if (*frame).on & ON_LISTENING != 0 && flags & LOOP_CHUNKED == 0 {
            let [lower, upper, ..] = bounds::<N>(frame);
            if let Some((lower, upper)) = extended(lower.read(), upper.read(), flags & LOOP_SIGNED != 0) {
                ((*frame).chunk)(frame, lower, upper, 1);
            }
        }
    }
    RUNS_MORE
}

/// `AdvanceFn` of an execution that is stepped: by the stride, as long as that does not lead behind the loop's last iteration, or by who
/// has to say more. Safety: as for [`begins`].
unsafe extern "C" fn advance_stepped<N: Number>(frame: *mut Frame) -> i32 {
    // SAFETY: the caller's promise; where somebody listens, the first step left a `StepsFn`.
    unsafe {
        if (*frame).on & ON_LISTENING != 0 {
            let next = transmute::<*const (), StepsFn>((*frame).next);
            if next(frame) != 0 {
                return step::<N>(frame);
            }
        } else if let [lower, upper, stride] = bounds::<N>(frame)
            && let last = N::from_wide((*frame).size_then_last)
            && let Some(step) = stride::next(last, lower.read(), upper.read(), stride.read())
        {
            lower.write(step.lower);
            upper.write(step.upper);
            return RUNS_MORE;
        }
        ((*frame).leave)(frame)
    }
}

/// Asks the runtime for a chunk of an execution that it deals instead. When there is none, the runtime has ended the loop.
/// `code` is where the program asks. Safety: as for [`begins`].
unsafe extern "C" fn advance_dealt<N: Number>(frame: *mut Frame, code: *const c_void) -> i32 {
    // SAFETY: the caller's promise; the function is of the runtime's type.
    unsafe {
        bookkeeping(frame);
        let module = &*(*frame).next.cast::<ModuleRecord>();
        let next = module.runtime[kind(N::BITS, (*(*frame).loop_record).flags)].dispatch_next;
        let next = transmute::<*const (), DispatchNextFn<N>>(next);
        let [lower, upper, stride] = bounds::<N>(frame);
        let here = thread_storage::thread();
        here.asks.set(code);
        let (thread, last) = ((*frame).size_then_last as i32, &raw mut (*frame).last);
        let has_more = next((*frame).ident, thread, last, lower, upper, stride) != 0;
        here.asks.set(ptr::null());
        if has_more { step::<N>(frame) } else { leave_dealt(frame) }
    }
}

/// `AdvanceFn` where control leaves such an execution: some runtimes have a function that is called then. Safety: as for [`begins`].
unsafe extern "C" fn leave_dealt(frame: *mut Frame) -> i32 {
    // SAFETY: the caller's promise; `begins_dealt` kept the execution's own, and the function is of the runtime's type.
    unsafe {
        let module = &*(*frame).next.cast::<ModuleRecord>();
        let (ident, thread) = ((*frame).ident, (*frame).size_then_last as i32);
        transmute::<*const (), AdvanceFn>((*frame).module)(frame);
        if !module.deinit.is_null() {
            transmute::<*const (), unsafe extern "C" fn(*const (), i32)>(module.deinit)(ident, thread);
        }
    }
    HAS_ENDED
}

/// [`advance_dealt`] as an `AdvanceFn`, which adds where it was called.
macro_rules! advance_dealt_here {
    ($name:ident, $number:ty) => {
        /// Safety: what [`AdvanceFn`] says.
        #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
        #[unsafe(naked)]
        unsafe extern "C" fn $name(_: *mut Frame) -> i32 {
            #[cfg(target_arch = "x86_64")]
            core::arch::naked_asm!("mov rsi, [rsp]", "jmp {then}", then = sym advance_dealt::<$number>);
            #[cfg(target_arch = "aarch64")]
            core::arch::naked_asm!("mov x1, x30", "b {then}", then = sym advance_dealt::<$number>)
        }

        /// Safety: the same, where nobody has written it in the processor's code: tools get what the runtime says.
        #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
        unsafe extern "C" fn $name(frame: *mut Frame) -> i32 {
            // SAFETY: passed on.
            unsafe { advance_dealt::<$number>(frame, ptr::null()) }
        }
    };
}

advance_dealt_here!(advance_dealt_4, u32);
advance_dealt_here!(advance_dealt_8, u64);

/// `__kmpc_dispatch_next_*`
type DispatchNextFn<N> =
    unsafe extern "C" fn(*const (), i32, last: *mut i32, lower: *mut N, upper: *mut N, stride: *mut N) -> i32;

/// The execution is over: what an `AdvanceFn` of one as compiled returns then. Safety: as for [`begins`].
#[inline(always)]
pub(crate) unsafe fn over(frame: *mut Frame) -> i32 {
    // SAFETY: the caller's promise.
    unsafe { (*frame).on = 0 };
    ENDS
}

/// `AdvanceFn`: the thread has run its last chunk of the loop, or had none. There is no loop around it, and nothing
/// was timed. Safety: `frame` was filled in by `enter` and not left yet; it is dead afterwards.
pub(crate) unsafe extern "C" fn leave(frame: *mut Frame) -> i32 {
    // SAFETY: `enter` wrote the execution, and this thread alone uses it.
    unsafe {
        thread_storage::near_thread().leave_last();
        over(frame)
    }
}
