//! A loop that ompchunk's plugin instrumented, as a callback sees it.

use core::ffi::CStr;
use core::marker::PhantomData;
use core::mem::size_of;
use core::sync::atomic::{AtomicU64, Ordering::Acquire};
use std::borrow::Cow;

use crate::raw::LoopRecord;

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
    /// # Safety
    ///
    /// `record` is null or a loop record, `met` null or the address of a number; both stay as long as `'a`.
    pub(crate) unsafe fn new(record: *const LoopRecord, met: *const AtomicU64) -> Option<Self> {
        // SAFETY: null or a number, says the caller.
        let met = unsafe { met.as_ref() }.map_or(0, |met| met.load(Acquire));
        (!record.is_null()).then(|| Loop { record, id: LoopId { address: record.addr(), met }, callback: PhantomData })
    }

    /// Which loop it is.
    #[must_use]
    pub fn id(&self) -> LoopId {
        self.id
    }

    /// The numbers that are known of it, a copy.
    #[must_use]
    pub fn record(&self) -> LoopRecord {
        // SAFETY: a loop record as long as the callback lasts.
        unsafe { *self.record }
    }

    /// The function that it stands in.
    #[must_use]
    pub fn function(&self) -> Cow<'a, str> {
        self.string(self.record().function)
    }

    /// The source file; empty if the program was compiled without line information.
    #[must_use]
    pub fn file(&self) -> Cow<'a, str> {
        self.string(self.record().file)
    }

    fn string(&self, offset: u32) -> Cow<'a, str> {
        let (offset, size) = (offset as usize, self.record().size as usize);
        if offset < size_of::<LoopRecord>() || offset >= size {
            return Cow::Borrowed("");
        }
        // SAFETY: a record has as many bytes as its head says, its strings among them.
        let bytes = unsafe {
            let from = self.record.cast::<u8>().add(offset);
            core::slice::from_raw_parts(from, size - offset)
        };
        CStr::from_bytes_until_nul(bytes).map_or(Cow::Borrowed(""), CStr::to_string_lossy)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::string::String;

    #[repr(C)]
    struct Whole {
        head: LoopRecord,
        strings: [u8; 16],
    }

    fn whole(function: u32, file: u32, strings: [u8; 16]) -> Whole {
        // SAFETY: a record of numbers, for which 0 is a value.
        let mut head: LoopRecord = unsafe { core::mem::zeroed() };
        head.size = size_of::<Whole>() as u32;
        (head.function, head.file) = (function, file);
        Whole { head, strings }
    }

    fn names(whole: &Whole) -> (String, String) {
        let record = core::ptr::from_ref(whole).cast();
        // SAFETY: a whole record, which outlives the loop.
        let found = unsafe { Loop::new(record, core::ptr::null()) }.unwrap();
        (found.function().into_owned(), found.file().into_owned())
    }

    #[test]
    fn names_stand_behind_the_head() {
        let strings = *b"solve\0solve.c\0\0\0";
        assert_eq!(names(&whole(64, 70, strings)), ("solve".into(), "solve.c".into()));
    }

    #[test]
    fn offsets_and_strings_that_lead_out_of_the_record_are_empty() {
        assert_eq!(names(&whole(80, u32::MAX, [b'x'; 16])), (String::new(), String::new()));
        assert_eq!(names(&whole(0, 63, [b'x'; 16])), (String::new(), String::new()));
        // What lies behind the record is somebody else's, even a text.
        let mut one_more = whole(64, 72, *b"solve\0\0\0other\0\0\0");
        one_more.head.size = 72;
        assert_eq!(names(&one_more), ("solve".into(), String::new()));
        // No NUL within the record.
        assert_eq!(names(&whole(64, 79, [b'x'; 16])), (String::new(), String::new()));
    }
}
