//! All standard events that the shim itself may need.

use core::ffi::{c_int, c_uint};

use crate::collector::events::{
    IMPLICIT_TASK, MASKED, MUTEX_ACQUIRE, MUTEX_ACQUIRED, MUTEX_RELEASED, NEST_LOCK, PARALLEL_BEGIN, REDUCTION,
    SYNC_REGION_WAIT, THREAD_END,
};
use crate::current_thread::THREAD_BEGIN;
use crate::loop_event::WORK;
use crate::task::{TASK_CREATE, TASK_SCHEDULE};
use crate::turns::PARALLEL_END;
use ompt::raw::AnyFn;

/// A chain whatever the type of its callbacks: [`Chain`](crate::chain::Chain)'s functions of these names.
// No trait: what a trait's generic functions use is found by a longer way everywhere.
pub(crate) struct Link {
    event: fn() -> c_uint,
    pub(crate) set: fn(Option<AnyFn>) -> c_int,
    pub(crate) get: fn() -> Option<Option<AnyFn>>,
    begin: fn(),
    close: fn(),
}

macro_rules! links {
    ($($chain:ident),+) => {
        [$(Link {
            event: || $chain.event(),
            set: |callback| $chain.set(callback),
            get: || $chain.get(),
            begin: || $chain.begin(),
            close: || $chain.close(),
        }),+]
    };
}

static LINKS: [Link; 15] = links!(
    THREAD_BEGIN, WORK, PARALLEL_END, TASK_CREATE, TASK_SCHEDULE, PARALLEL_BEGIN, IMPLICIT_TASK, THREAD_END,
    SYNC_REGION_WAIT, REDUCTION, MUTEX_ACQUIRE, MUTEX_ACQUIRED, MUTEX_RELEASED, NEST_LOCK, MASKED
);

/// An event's. None: the runtime alone deals with it.
pub(crate) fn link_for(event: c_uint) -> Option<&'static Link> {
    LINKS.iter().find(|link| (link.event)() == event)
}

/// Another life begins, with a runtime that knows nothing of the shim.
pub(crate) fn begin_all() {
    LINKS.iter().for_each(|link| (link.begin)());
}

/// The tool is gone: what the runtime still reports reaches nobody.
pub(crate) fn close_all() {
    LINKS.iter().for_each(|link| (link.close)());
}
