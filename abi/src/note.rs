//! The note: how the shim finds the module record of an image that was loaded before it.
//!
//! An ELF note, so that it is in memory, found through the program headers, and survives `strip`. The image need not
//! look for the shim itself: that would take a call of the dynamic linker, which waits while another thread runs a
//! library's constructors, and that thread may be waiting for this one at a barrier.

use core::mem::size_of;

/// ELF section of the [`Note`]; the linker makes a `PT_NOTE` segment of it.
pub const NOTE_SECTION: &str = ".note.ompchunk";
/// The owner of the note, with its terminating zero.
pub const NOTE_NAME: &[u8; 9] = b"ompchunk\0";
/// Type of the note. It says what the note holds, which is the same for every version of the record.
pub const NOTE_MODULE: u32 = 1;

/// One per linked image, constant, in the same COMDAT group as the module record.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct Note {
    pub name_size: u32,
    pub descriptor_size: u32,
    pub kind: u32,
    pub name: [u8; 12],
    /// Where the module record is, counted from the address of this field.
    pub module: i64,
}

const _: () = assert!(size_of::<Note>() == 32);
offsets!(Note: name 12, module 24);
