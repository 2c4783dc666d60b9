//! All standard events that the shim itself may need.

use crate::collector::listen;
use crate::here::THREAD_BEGIN;
use crate::loop_event::WORK;
use crate::task::{TASK_CREATE, TASK_SCHEDULE};
use crate::turns::PARALLEL_END;

/// Another life begins, with a runtime that knows nothing of the shim.
pub(crate) fn begin_all() {
    THREAD_BEGIN.begin();
    WORK.begin();
    PARALLEL_END.begin();
    TASK_CREATE.begin();
    TASK_SCHEDULE.begin();
    listen::begin_chains();
}

/// The tool is gone: what the runtime still reports reaches nobody.
pub(crate) fn close_all() {
    THREAD_BEGIN.close();
    WORK.close();
    PARALLEL_END.close();
    TASK_CREATE.close();
    TASK_SCHEDULE.close();
    listen::close_chains();
}
