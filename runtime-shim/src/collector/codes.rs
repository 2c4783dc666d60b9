//! The numbers of the interface, as `omp_collector_api.h` has them.

use core::ffi::c_int;

// Requests.

/// `OMP_REQ_START`
pub(crate) const REQ_START: c_int = 0;
/// `OMP_REQ_REGISTER`
pub(crate) const REQ_REGISTER: c_int = 1;
/// `OMP_REQ_UNREGISTER`
pub(crate) const REQ_UNREGISTER: c_int = 2;
/// `OMP_REQ_STATE`
pub(crate) const REQ_STATE: c_int = 3;
/// `OMP_REQ_CURRENT_PRID`
pub(crate) const REQ_CURRENT_PRID: c_int = 4;
/// `OMP_REQ_PARENT_PRID`
pub(crate) const REQ_PARENT_PRID: c_int = 5;
/// `OMP_REQ_STOP`
pub(crate) const REQ_STOP: c_int = 6;
/// `OMP_REQ_PAUSE`
pub(crate) const REQ_PAUSE: c_int = 7;
/// `OMP_REQ_RESUME`
pub(crate) const REQ_RESUME: c_int = 8;

/// An error code, `OMP_COLLECTORAPI_EC`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(i32)]
pub(crate) enum Code {
    /// `OMP_ERRCODE_OK`
    Ok = 0,
    /// `OMP_ERRCODE_ERROR`: a size is wrong, or a value not aligned.
    Error = 1,
    /// `OMP_ERRCODE_UNKNOWN`
    Unknown = 2,
    /// `OMP_ERRCODE_UNSUPPORTED`
    Unsupported = 3,
    /// `OMP_ERRCODE_SEQUENCE_ERR`
    Sequence = 4,
    /// `OMP_ERRCODE_THREAD_ERR`
    Thread = 6,
    /// `OMP_ERRCODE_MEM_TOO_SMALL`
    TooSmall = 7,
}

// Events.

/// `OMP_EVENT_FORK`
pub(crate) const EVENT_FORK: c_int = 1;
/// `OMP_EVENT_JOIN`
pub(crate) const EVENT_JOIN: c_int = 2;
/// `OMP_EVENT_THR_BEGIN_IDLE`; where events come in pairs, the end is one more.
pub(crate) const EVENT_IDLE: c_int = 3;
/// `OMP_EVENT_THR_BEGIN_IBAR`
pub(crate) const EVENT_IMPLICIT_BARRIER: c_int = 5;
/// `OMP_EVENT_THR_BEGIN_EBAR`
pub(crate) const EVENT_EXPLICIT_BARRIER: c_int = 7;
/// `OMP_EVENT_THR_BEGIN_LKWT`
pub(crate) const EVENT_LOCK_WAIT: c_int = 9;
/// `OMP_EVENT_THR_BEGIN_CTWT`
pub(crate) const EVENT_CRITICAL_WAIT: c_int = 11;
/// `OMP_EVENT_THR_BEGIN_ODWT`
pub(crate) const EVENT_ORDERED_WAIT: c_int = 13;
/// `OMP_EVENT_THR_BEGIN_MASTER`
pub(crate) const EVENT_MASTER: c_int = 15;
/// `OMP_EVENT_THR_BEGIN_SINGLE`
pub(crate) const EVENT_SINGLE: c_int = 17;
/// `OMP_EVENT_THR_BEGIN_ORDERED`
pub(crate) const EVENT_ORDERED: c_int = 19;
/// `OMP_EVENT_THR_BEGIN_ATWT`
pub(crate) const EVENT_ATOMIC_WAIT: c_int = 21;
/// All events are below.
pub(crate) const EVENTS: usize = 23;

// States.

/// `THR_OVHD_STATE`
pub(crate) const STATE_OVERHEAD: c_int = 1;
/// `THR_WORK_STATE`
pub(crate) const STATE_WORK: c_int = 2;
/// `THR_IBAR_STATE`
pub(crate) const STATE_IMPLICIT_BARRIER: c_int = 3;
/// `THR_EBAR_STATE`
pub(crate) const STATE_EXPLICIT_BARRIER: c_int = 4;
/// `THR_IDLE_STATE`
pub(crate) const STATE_IDLE: c_int = 5;
/// `THR_SERIAL_STATE`
pub(crate) const STATE_SERIAL: c_int = 6;
/// `THR_REDUC_STATE`
pub(crate) const STATE_REDUCTION: c_int = 7;
/// `THR_LKWT_STATE`
pub(crate) const STATE_LOCK_WAIT: c_int = 8;
/// `THR_CTWT_STATE`
pub(crate) const STATE_CRITICAL_WAIT: c_int = 9;
/// `THR_ODWT_STATE`
pub(crate) const STATE_ORDERED_WAIT: c_int = 10;
/// `THR_ATWT_STATE`
pub(crate) const STATE_ATOMIC_WAIT: c_int = 11;
