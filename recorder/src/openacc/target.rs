//! OpenMP's `target`: what the program's threads do for devices, as `ompt_callback_target_emi` and the like tell it, with begin and end. A
//! runtime that has only the callbacks without `emi` tells of data and kernels once, and so without a length.

use std::ffi::{c_int, c_uint, c_void};

use ompchunk_trace_format::{AccDetail, AccOperation, AccSite, NOBODY, target};
use ompt::raw::{Data, Endpoint, Id, SCOPE_BEGIN, SCOPE_END, TargetDataOp, TargetKind};

use crate::recorder::{self, guard};

/// The place is the return address, and there is no other.
const NO_SITE: AccSite<'static> =
    AccSite { site: NOBODY, lines: [0; 2], function_lines: [0; 2], file: b"", function: b"", name: b"" };

/// `event`: what begins it.
fn happens(event: u32, endpoint: Endpoint, device: Option<i32>, [bytes, teams]: [Option<u64>; 2], code: u64) {
    let detail = AccDetail::from_numbers(event, [bytes, teams, (code != 0).then_some(code)]);
    let mut operation = AccOperation { device, detail, ..AccOperation::bare(event) };
    guard(|| {
        recorder::with_lane_of_device(|lane, now| match endpoint {
            SCOPE_BEGIN => lane.acc_happens(now, operation, &NO_SITE),
            SCOPE_END => {
                operation.event += 1;
                lane.acc_happens(now, operation, &NO_SITE);
            }
            _ => lane.acc_point(now, operation, &NO_SITE),
        });
    });
}

/// It happened, and that is all that was told.
const ONCE: Endpoint = SCOPE_BEGIN | SCOPE_END;

/// `None`: no device, as libomptarget says of the side that an operation does not have.
fn device(number: c_int) -> Option<i32> {
    (number >= 0).then_some(number)
}

/// Device and bytes of an operation on data. It is of the device, not of the host.
fn data(operation: TargetDataOp, from: c_int, to: c_int, bytes: usize) -> (Option<i32>, Option<u64>) {
    // Operations that do not wait are numbered alike.
    let (at, has_size) = match operation & 15 {
        1 | 2 | 5 => (to, true),
        3 => (from, true),
        // libomptarget does not tell how much it frees.
        4 | 6 => (from, bytes != 0),
        _ => (-1, bytes != 0),
    };
    (device(at), has_size.then_some(bytes as u64))
}

pub(crate) unsafe extern "C" fn target_emi(
    kind: TargetKind,
    endpoint: Endpoint,
    device_num: c_int,
    _: *mut Data,
    _: *mut Data,
    _: *mut Data,
    code: *const c_void,
) {
    construct(kind, endpoint, device_num, code);
}

pub(crate) unsafe extern "C" fn target(
    kind: TargetKind,
    endpoint: Endpoint,
    device_num: c_int,
    _: *mut Data,
    _: Id,
    code: *const c_void,
) {
    construct(kind, endpoint, device_num, code);
}

fn construct(kind: TargetKind, endpoint: Endpoint, device_num: c_int, code: *const c_void) {
    happens(target::construct(kind), endpoint, device(device_num), [None; 2], code as u64);
}

pub(crate) unsafe extern "C" fn data_op_emi(
    endpoint: Endpoint,
    _: *mut Data,
    _: *mut Data,
    _: *mut Id,
    operation: TargetDataOp,
    _: *mut c_void,
    from: c_int,
    _: *mut c_void,
    to: c_int,
    bytes: usize,
    code: *const c_void,
) {
    let (device, bytes) = data(operation, from, to, bytes);
    happens(target::data_op(operation), endpoint, device, [bytes, None], code as u64);
}

pub(crate) unsafe extern "C" fn data_op(
    _: Id,
    _: Id,
    operation: TargetDataOp,
    _: *mut c_void,
    from: c_int,
    _: *mut c_void,
    to: c_int,
    bytes: usize,
    code: *const c_void,
) {
    let (device, bytes) = data(operation, from, to, bytes);
    happens(target::data_op(operation), ONCE, device, [bytes, None], code as u64);
}

pub(crate) unsafe extern "C" fn submit_emi(endpoint: Endpoint, _: *mut Data, _: *mut Id, teams: c_uint) {
    submits(endpoint, teams);
}

pub(crate) unsafe extern "C" fn submit(_: Id, _: Id, teams: c_uint) {
    submits(ONCE, teams);
}

/// Its place is that of the construct around it.
fn submits(endpoint: Endpoint, teams: c_uint) {
    happens(target::SUBMIT, endpoint, None, [None, Some(teams.into())], 0);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As LLVM 19 tells them: the host is device 4.
    #[test]
    fn the_device_is_not_the_host() {
        for asynchronous in [0, 16] {
            assert_eq!(data(1 + asynchronous, 4, 0, 8), (Some(0), Some(8)));
            assert_eq!(data(2 + asynchronous, 4, 0, 8), (Some(0), Some(8)));
            assert_eq!(data(3 + asynchronous, 0, 4, 8), (Some(0), Some(8)));
            assert_eq!(data(4 + asynchronous, 0, -1, 0), (Some(0), None));
        }
        // A transfer of nothing is one.
        assert_eq!(data(2, 4, 0, 0), (Some(0), Some(0)));
        assert_eq!(data(9, 4, 0, 5), (None, Some(5)));
    }
}
