//! Where a loop stands in the program, as its record says.

use core::ffi::CStr;

use ompchunk_abi::LoopRecord;
use ompchunk_schedules::Place;

pub(crate) fn place_of(record: &'static LoopRecord) -> Place<'static> {
    Place {
        file: text(record, record.file),
        line: record.line,
        column: record.column,
        function: text(record, record.function),
    }
}

/// A string of a record.
fn text(record: &'static LoopRecord, distance: i32) -> &'static str {
    if distance == 0 {
        return "";
    }
    let start = core::ptr::from_ref(record).cast::<u8>();
    // SAFETY: the plugin puts a terminated string there, in the same section; and records stay as long as their loops run.
    let text = unsafe { CStr::from_ptr(start.offset(distance as isize).cast()) };
    text.to_str().unwrap_or_default()
}
