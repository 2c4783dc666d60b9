//! What the notes of an image tell: where its module record is, and its build id.

use core::ffi::c_void;
use core::mem::{offset_of, size_of};
use core::ptr;

use ompchunk_abi::{ModuleRecord, NOTE_MODULE, NOTE_NAME, Note};

use super::{Image, first};

/// What a linker makes of an image's content; so many bytes of it count.
pub(crate) struct BuildId([u8; LONGEST_ID], usize);

const LONGEST_ID: usize = 64;
const NT_GNU_BUILD_ID: u32 = 3;

impl BuildId {
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.0[..self.1]
    }
}

pub(crate) fn build_id(address: *const c_void) -> Option<BuildId> {
    first(|image| image.holds(address.addr()).then(|| image.build_id())).flatten()
}

impl Image<'_> {
    /// The module records that its notes tell of: one for each version of the plugin that compiled its objects.
    pub(super) fn records(&self, mut visit: impl FnMut(*mut ModuleRecord)) {
        self.noted(|note, name, descriptor, kind| {
            let is_ours = (name, descriptor, kind) == (NOTE_NAME.len(), size_of::<i64>(), NOTE_MODULE);
            if let Some(record) = is_ours.then(|| self.record_of(note)).flatten() {
                visit(record);
            }
            None::<()>
        });
    }

    fn build_id(&self) -> Option<BuildId> {
        self.noted(|note, name, descriptor, kind| {
            let is_id = kind == NT_GNU_BUILD_ID && name == 4 && descriptor <= LONGEST_ID;
            let at = note + size_of::<[u32; 3]>() + name;
            let bytes = || (0..descriptor).map(|byte| self.byte(at + byte));
            (is_id && bytes().all(|byte| byte.is_some())).then(|| {
                let mut id = BuildId([0; LONGEST_ID], descriptor);
                id.0.iter_mut().zip(bytes().flatten()).for_each(|(to, byte)| *to = byte);
                id
            })
        })
    }

    fn byte(&self, address: usize) -> Option<u8> {
        // SAFETY: within the image, which stays for the walk; segments of notes can be read.
        self.memory::<u8>(address).map(|byte| unsafe { byte.read() })
    }

    /// The first of its notes, at an address and with sizes of name and descriptor and a type, of which `pick` makes something.
    fn noted<T>(&self, mut pick: impl FnMut(usize, usize, usize, u32) -> Option<T>) -> Option<T> {
        let mut segments = self.headers(libc::PT_NOTE);
        segments.find_map(|segment| {
            let start = self.bias().wrapping_add(segment.p_vaddr as usize);
            let end = start.wrapping_add(segment.p_memsz as usize);
            // Names and descriptors are padded to the segment's alignment, which is 4 or 8.
            let alignment = if segment.p_align == 8 { 8 } else { 4 };
            let mut note = start;
            while let Some([name, descriptor, kind]) = self.read::<[u32; 3]>(note) {
                let (name, descriptor) = (name as usize, descriptor as usize);
                if let Some(picked) = pick(note, name, descriptor, kind) {
                    return Some(picked);
                }
                let body = (size_of::<[u32; 3]>() + name).next_multiple_of(alignment);
                note = note.wrapping_add(body + descriptor.next_multiple_of(alignment));
                if note >= end {
                    break;
                }
            }
            None
        })
    }

    fn record_of(&self, address: usize) -> Option<*mut ModuleRecord> {
        let note = self.read::<Note>(address)?;
        if !note.name.starts_with(NOTE_NAME) {
            return None;
        }
        let from = address.wrapping_add(offset_of!(Note, module));
        let record = from.wrapping_add_signed(note.module as isize);
        // The head, which is the same in every version; whoever reads on looks at it first.
        self.memory::<[u64; 2]>(record).filter(|head| head.is_aligned())?;
        Some(ptr::with_exposed_provenance_mut(record))
    }
}
