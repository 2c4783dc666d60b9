//! The numbers of the interface, as `omp_collector_api.h` has them.

use core::ffi::c_int;

pub(crate) const REQ_START: c_int = 0;
pub(crate) const REQ_REGISTER: c_int = 1;
pub(crate) const REQ_UNREGISTER: c_int = 2;
pub(crate) const REQ_STATE: c_int = 3;
pub(crate) const REQ_CURRENT_PRID: c_int = 4;
pub(crate) const REQ_PARENT_PRID: c_int = 5;
pub(crate) const REQ_STOP: c_int = 6;
pub(crate) const REQ_PAUSE: c_int = 7;
pub(crate) const REQ_RESUME: c_int = 8;

/// An error code, `OMP_COLLECTORAPI_EC`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(i32)]
pub(crate) enum Code {
    Ok = 0,
    /// A size is wrong, or a value not aligned.
    Error = 1,
    Unknown = 2,
    Unsupported = 3,
    Sequence = 4,
    Thread = 6,
    TooSmall = 7,
}

pub(crate) const EVENT_FORK: c_int = 1;
pub(crate) const EVENT_JOIN: c_int = 2;
/// Where events come in pairs, the end is one more.
pub(crate) const EVENT_IDLE: c_int = 3;
pub(crate) const EVENT_IMPLICIT_BARRIER: c_int = 5;
pub(crate) const EVENT_EXPLICIT_BARRIER: c_int = 7;
pub(crate) const EVENT_LOCK_WAIT: c_int = 9;
pub(crate) const EVENT_CRITICAL_WAIT: c_int = 11;
pub(crate) const EVENT_ORDERED_WAIT: c_int = 13;
pub(crate) const EVENT_MASTER: c_int = 15;
pub(crate) const EVENT_SINGLE: c_int = 17;
pub(crate) const EVENT_ORDERED: c_int = 19;
pub(crate) const EVENT_ATOMIC_WAIT: c_int = 21;
pub(crate) const EVENTS: usize = 23;

pub(crate) const STATE_OVERHEAD: c_int = 1;
pub(crate) const STATE_WORK: c_int = 2;
pub(crate) const STATE_IMPLICIT_BARRIER: c_int = 3;
pub(crate) const STATE_EXPLICIT_BARRIER: c_int = 4;
pub(crate) const STATE_IDLE: c_int = 5;
pub(crate) const STATE_SERIAL: c_int = 6;
pub(crate) const STATE_REDUCTION: c_int = 7;
pub(crate) const STATE_LOCK_WAIT: c_int = 8;
pub(crate) const STATE_CRITICAL_WAIT: c_int = 9;
pub(crate) const STATE_ORDERED_WAIT: c_int = 10;
pub(crate) const STATE_ATOMIC_WAIT: c_int = 11;
