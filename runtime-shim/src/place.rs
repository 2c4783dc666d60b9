//! Where a loop stands in the program, as its record says.

use ompchunk_abi::{LoopRecord, loop_text};
use ompchunk_schedules::Place;

pub(crate) fn place_of(record: &'static LoopRecord) -> Place<'static> {
    Place {
        file: text(record, record.file),
        line: record.line,
        column: record.column,
        function: text(record, record.function),
    }
}

fn text(record: &'static LoopRecord, distance: i32) -> &'static str {
    // SAFETY: the plugin's record, which stays as long as its loop runs.
    unsafe { loop_text(record, distance) }.to_str().unwrap_or_default()
}
