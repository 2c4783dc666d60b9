//! What is asked of the calling thread, and when it is heard of first.

use core::ffi::c_uint;

use ompchunk_abi::LoopRecord;

use crate::chain::{Chain, pass_on};
use crate::thread_storage;
use ompt::raw::{Data, EVENT_THREAD_BEGIN, ThreadBeginFn};

/// `ompt_callback_thread_begin`.
pub(crate) static THREAD_BEGIN: Chain<ThreadBeginFn> = Chain::new(EVENT_THREAD_BEGIN, on_thread_begin);

/// The shim's own thread-begin callback: the first access to thread-local storage may allocate it, if the
/// shim was opened with `dlopen`. Here it may; in a signal handler of the tool's it must not.
///
/// # Safety
///
/// The runtime's arguments.
pub(crate) unsafe extern "C" fn on_thread_begin(thread_type: c_uint, thread_data: *mut Data) {
    thread_storage::thread().start();
    pass_on!(THREAD_BEGIN(thread_type, thread_data));
}

/// The schedule under which that loop runs and its chunk size, if it is not the loop's own.
pub(crate) fn schedule_instead() -> Option<(u32, u32)> {
    thread_storage::thread().schedule_instead()
}

/// The record of that loop, or null, with the user's start and step as they were passed. Right in a
/// signal handler too, whatever it interrupts: while a loop is being entered or left, there is none.
#[inline]
pub(crate) fn the_loop() -> (*const LoopRecord, i64, i64) {
    thread_storage::thread().the_loop()
}
