//! A loop that ompchunk's plugin instrumented, as a callback sees it.

use core::marker::PhantomData;
use core::sync::atomic::{AtomicU64, Ordering::Acquire};
use std::borrow::Cow;

use crate::raw::{LoopRecord, loop_text};

/// What the compiler knew of a loop. It lasts as long as the callback: the program may unload the library that the loop is in.
#[derive(Debug, Clone, Copy)]
pub struct Loop<'a> {
    record: *const LoopRecord,
    id: LoopId,
    callback: PhantomData<&'a LoopRecord>,
}

/// Tells loops apart, also those of libraries that are loaded where another one was.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LoopId {
    /// Where the loop record stands.
    pub address: usize,
    /// How many programs and libraries ompchunk had met: as long as that stands still, an address is the same loop's.
    pub met: u64,
}

impl<'a> Loop<'a> {
    /// Safety: `record` is null or a loop record, `met` null or the address of a number; both stay as long as `'a`.
    pub(crate) unsafe fn new(record: *const LoopRecord, met: *const AtomicU64) -> Option<Self> {
        // SAFETY: null or a number, says the caller.
        let met = unsafe { met.as_ref() }.map_or(0, |met| met.load(Acquire));
        (!record.is_null()).then(|| Loop { record, id: LoopId { address: record.addr(), met }, callback: PhantomData })
    }

    /// Which loop it is.
    pub fn id(&self) -> LoopId {
        self.id
    }

    /// The numbers that are known of it, a copy.
    pub fn record(&self) -> LoopRecord {
        // SAFETY: a loop record as long as the callback lasts.
        unsafe { *self.record }
    }

    /// The function that it stands in.
    pub fn function(&self) -> Cow<'a, str> {
        self.string(self.record().function)
    }

    /// The source file; empty if the program was compiled without line information.
    pub fn file(&self) -> Cow<'a, str> {
        self.string(self.record().file)
    }

    fn string(&self, distance: i32) -> Cow<'a, str> {
        // SAFETY: a loop record as long as the callback lasts, and what it says itself.
        unsafe { loop_text(self.record, distance) }.to_string_lossy()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::string::String;

    #[repr(C)]
    struct Section {
        before: [u8; 8],
        head: LoopRecord,
        strings: [u8; 16],
    }

    fn names(function: i32, file: i32, before: [u8; 8], strings: [u8; 16]) -> (String, String) {
        // SAFETY: a record of numbers, for which 0 is a value.
        let head = LoopRecord { function, file, ..unsafe { core::mem::zeroed() } };
        let section = Section { before, head, strings };
        let record = core::ptr::from_ref(&section).wrapping_byte_add(8).cast();
        // SAFETY: a record within its section, which outlives the loop.
        let found = unsafe { Loop::new(record, core::ptr::null()) }.unwrap();
        (found.function().into_owned(), found.file().into_owned())
    }

    #[test]
    fn names_stand_behind_the_head_or_elsewhere() {
        let strings = *b"solve\0solve.c\0\0\0";
        assert_eq!(names(48, 54, [0; 8], strings), ("solve".into(), "solve.c".into()));
        assert_eq!(names(-8, 54, *b"other\0\0\0", strings), ("other".into(), "solve.c".into()));
        assert_eq!(names(0, -2, [0; 8], strings), (String::new(), String::new()));
        assert_eq!(names(1, 47, [b'x'; 8], strings), (String::new(), String::new()));
    }
}
