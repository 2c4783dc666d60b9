//! What instrumented `sections` call before each section that a thread runs. As `hooks` says of the hot path: no lock, no
//! allocation, nothing that can panic.
//!
//! The code that calls stands in the section, and no other section shares it. So the address to which the call returns
//! names the section, as the dispatch event of one does (OpenMP 5.2, `ompt_callback_dispatch_t`).

use core::ffi::c_void;

use ompchunk_abi::{ChunkFn, Frame};

use crate::hooks::chunk::{elapsed, execution};
use crate::registered_callbacks::CALLBACKS;
use crate::thread::thread_storage;
use ompt::raw::{DISPATCH_SECTION, Data};

/// What stands in a frame: a [`ChunkFn`] that hands on what it is given, and where it was called.
macro_rules! called_in_a_section {
    ($name:ident => $then:ident) => {
        /// Safety: `frame` was filled in by `enter` and not left yet.
        #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
        #[unsafe(naked)]
        pub(crate) unsafe extern "C" fn $name(_: *mut Frame, _: u64, _: u64, _: u32) {
            #[cfg(target_arch = "x86_64")]
            core::arch::naked_asm!("mov r8, [rsp]", "jmp {then}", then = sym $then);
            #[cfg(target_arch = "aarch64")]
            core::arch::naked_asm!("mov x4, x30", "b {then}", then = sym $then)
        }
    };
}

called_in_a_section!(first_section => first);
called_in_a_section!(next_section => next);

/// For the thread's first section; none on processors where nobody knows from where it is called.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub(crate) const FIRST: Option<ChunkFn> = Some(first_section);
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
pub(crate) const FIRST: Option<ChunkFn> = None;

/// The thread's first section of this execution. The runtime has told of one for all of them, which was dropped.
/// Safety: as for a [`ChunkFn`]; `code` is where it was called.
unsafe extern "C" fn first(frame: *mut Frame, number: u64, _: u64, is_last: u32, code: *mut c_void) {
    let this = execution(frame);
    // SAFETY: `enter` wrote what is read, and this thread alone uses it. The program reads the entry point anew for each call.
    unsafe {
        let create_duration = if (*this).timed { elapsed(thread_storage::thread()) } else { 0.0 };
        let here = thread_storage::thread();
        here.starting.set(false);
        here.set_section(number);
        if !here.knows_task() {
            return;
        }
        ((*this).parallel_data, (*this).task_data) = here.parallel_and_task_data();
        (*frame).chunk = next_section;
        send(frame, number, create_duration, is_last, code);
    }
}

/// Every other section of the thread. What is usual takes the short way: one callback, in which it ends.
/// Safety: as for [`first`], which came before.
unsafe extern "C" fn next(frame: *mut Frame, number: u64, upper: u64, is_last: u32, code: *mut c_void) {
    let this = execution(frame);
    // SAFETY: as in `first`; the callback is a `DispatchFn` as its slot states.
    unsafe {
        match CALLBACKS.dispatch_alone() {
            Some(dispatch) => {
                thread_storage::thread().set_section(number);
                let (parallel_data, task_data) = ((*this).parallel_data, (*this).task_data);
                let instance = Data { ptr: code };
                dispatch(parallel_data, task_data, DISPATCH_SECTION, instance);
            }
            None => next_of_any(frame, number, upper, is_last, code),
        }
    }
}

/// The same, whatever is wanted. Safety: as for [`next`].
#[inline(never)]
unsafe extern "C" fn next_of_any(frame: *mut Frame, number: u64, _: u64, is_last: u32, code: *mut c_void) {
    let this = execution(frame);
    // SAFETY: as in `first`.
    unsafe {
        let here = thread_storage::thread();
        let create_duration = if (*this).timed { elapsed(here) } else { 0.0 };
        here.set_section(number);
        send(frame, number, create_duration, is_last, code);
    }
}

/// Both events of a section, if they are wanted. Safety: as for [`first`]; it is known whose the sections are.
#[inline(always)]
unsafe fn send(frame: *mut Frame, number: u64, create_duration: f64, is_last: u32, code: *mut c_void) {
    // SAFETY: the caller's promise; the callbacks are of the types that their slots state.
    unsafe {
        let this = execution(frame);
        let (parallel_data, task_data) = ((*this).parallel_data, (*this).task_data);
        if let Some(dispatch) = CALLBACKS.dispatch() {
            dispatch(parallel_data, task_data, DISPATCH_SECTION, Data { ptr: code });
        }
        if let Some(chunk) = CALLBACKS.chunk() {
            let number = number as i64;
            chunk(task_data, number, number, create_duration, is_last as i32);
        }
    }
}
