//! The program says whether it is recorded, by `omp_control_tool` (OpenMP 5.2, 19.8 and 20.8.1).

use std::ffi::{c_int, c_void};

use crate::part::SHARED;
use crate::recorder::with_lane;
use crate::steer::{ENDED, PAUSED, change};

/// `omp_control_tool_t`
mod command {
    pub(super) const START: u64 = 1;
    pub(super) const PAUSE: u64 = 2;
    pub(super) const FLUSH: u64 = 3;
    pub(super) const END: u64 = 4;
}

/// `omp_control_tool_result_t`
const SUCCESS: c_int = 0;
const IGNORED: c_int = 1;

/// `ompt_callback_control_tool`
pub(crate) unsafe extern "C" fn control_tool(
    command: u64,
    _modifier: u64,
    _argument: *mut c_void,
    _code: *const c_void,
) -> c_int {
    std::panic::catch_unwind(|| obey(command)).unwrap_or(IGNORED)
}

fn obey(command: u64) -> c_int {
    let done = match command {
        command::START => change(|state| state & !PAUSED),
        command::PAUSE => change(|state| state | PAUSED),
        command::END => change(|state| state | PAUSED | ENDED),
        command::FLUSH => {
            flush();
            return SUCCESS;
        }
        _ => return IGNORED,
    };
    notice();
    if command == command::END && done {
        flush();
    }
    match done {
        true => SUCCESS,
        false => IGNORED,
    }
}

/// Writes what is in memory, the calling thread's sums included.
fn flush() {
    with_lane(|lane| {
        // In a silent lane it would come before the begins of what the thread is in when it goes on.
        if !lane.silent {
            let now = lane.now();
            lane.flush(now);
        }
    });
    if let Some(store) = &SHARED.lock().store {
        store.flush();
    }
}

/// The calling thread looks at once.
fn notice() {
    with_lane(|lane| {
        let now = lane.now();
        lane.steer(now);
    });
}
