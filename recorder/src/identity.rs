//! Which loop is which, whatever is loaded where.

use ompchunk_abi::{LoopRecord, loop_text};

use crate::objects::{self, CodePlace};
use crate::schedule_override::Changed;

/// Which loop: the same when its library is loaded again, also elsewhere, and another one when a different library has
/// its address. Two loops that only differ in their object are told apart by readers, where that matters.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Identity {
    /// The plugin's record with its texts; nothing without one.
    record: Vec<u8>,
    /// Place of the record, or of the runtime call.
    place: CodePlace,
    changed: Option<Changed>,
}

impl Identity {
    pub(crate) fn new(record: Option<&LoopRecord>, code: usize, changed: Option<Changed>) -> Identity {
        let address = record.map_or(code, |record| std::ptr::from_ref(record) as usize);
        let place = objects::place_of(address);
        let bytes = record.map_or(Vec::new(), |record| {
            let start = std::ptr::from_ref(record).cast::<u8>();
            // SAFETY: `size` bytes from the record's start are the record.
            let head = unsafe { std::slice::from_raw_parts(start, record.size as usize) };
            // SAFETY: the plugin's record, where it is.
            let text = |distance| unsafe { loop_text(record, distance) }.to_bytes();
            let [function, file] = [record.function, record.file].map(text);
            [head, function, &[0], file].concat()
        });
        Identity {
            record: bytes,
            // Code that was made at run time has nothing but its address.
            place: place.unwrap_or_else(|| CodePlace::nowhere(address)),
            changed,
        }
    }
}
