//! What is loaded, and copies of what unwinding needs of it. Nothing is allocated while the dynamic linker's lock is held: the program's
//! `malloc` may wait for a thread that waits for that lock. So each walk fills what was made before, and says how much it needed.

use ompchunk_guest::memory::Grow;

use ompchunk_guest::images::{headers, name_of, walk};

use crate::objects::add_within;

/// By what an object is known again: its headers' address, its bias and its path.
pub(super) type LoadedImage = (usize, u64, Vec<u8>);

/// Objects and bytes of their paths for which there is room at first.
const OBJECTS: usize = 256;
const PATHS: usize = 32 << 10;
/// No linker's build id is longer.
const BUILD_ID: usize = 64;

/// All that is loaded. `None`: there is no memory for that.
pub(super) fn list() -> Option<Vec<LoadedImage>> {
    let (mut objects, mut bytes) = (OBJECTS, PATHS);
    loop {
        let mut found: Vec<(usize, u64, usize)> = Vec::new();
        let mut paths: Vec<u8> = Vec::new();
        if !found.grow(objects) || !paths.grow(bytes) {
            return None;
        }
        let mut needed = (0, 0);
        walk(|info| {
            let path = name_of(info);
            needed = (needed.0 + 1, needed.1 + path.len());
            if needed.0 <= found.capacity() && needed.1 <= paths.capacity() {
                paths.extend_from_slice(path);
                found.push((info.dlpi_phdr as usize, info.dlpi_addr, path.len()));
            }
            false
        });
        if needed.0 <= found.capacity() && needed.1 <= paths.capacity() {
            let mut rest = &paths[..];
            let place = |(headers, bias, length)| {
                let (path, behind) = rest.split_at(length);
                rest = behind;
                (headers, bias, path.to_vec())
            };
            return Some(found.into_iter().map(place).collect());
        }
        // Others may be loaded meanwhile.
        (objects, bytes) = (needed.0 * 2, needed.1 * 2);
    }
}

/// Copies of an object's headers, build id and unwind information.
pub(super) struct Object {
    pub(super) headers: Vec<libc::Elf64_Phdr>,
    pub(super) build_id: Vec<u8>,
    /// `.eh_frame_hdr` and `.eh_frame`.
    pub(super) unwind: Option<[Section; 2]>,
}

/// A copy of a section, and where it is loaded.
pub(super) struct Section {
    pub(super) address: u64,
    pub(super) bytes: Vec<u8>,
}

/// Copies what is at a place; `None`: it is gone.
pub(super) fn copy(place: &LoadedImage) -> Option<Object> {
    let sizes = with_memory_of(place, |memory| {
        let unwind = memory.unwind();
        let sizes = unwind.map(|sections| sections.map(|(_, bytes)| bytes.len()));
        (memory.headers.len(), sizes)
    })?;
    let mut object = Object {
        headers: Vec::with_capacity(sizes.0),
        build_id: Vec::with_capacity(BUILD_ID),
        unwind: sizes.1.map(|sizes| sizes.map(|_| Section { address: 0, bytes: Vec::new() })),
    };
    let sections = object.unwind.iter_mut().flatten();
    for (section, size) in sections.zip(sizes.1.into_iter().flatten()) {
        if !section.bytes.grow(size) {
            return None;
        }
    }
    let is_same = with_memory_of(place, |memory| {
        let unwind = memory.unwind();
        let found = unwind.map(|sections| sections.map(|(_, bytes)| bytes.len()));
        // Another object may be there by now.
        if (memory.headers.len(), found) != sizes {
            return false;
        }
        object.headers.extend_from_slice(memory.headers);
        add_within(&mut object.build_id, memory.build_id().unwrap_or_default());
        for (copy, (address, bytes)) in object.unwind.iter_mut().flatten().zip(unwind.into_iter().flatten()) {
            copy.address = address;
            copy.bytes.extend_from_slice(bytes);
        }
        true
    })?;
    is_same.then_some(object)
}

/// Calls `look` with the object that is at a place.
fn with_memory_of<T>(place: &LoadedImage, look: impl FnOnce(&Memory<'_>) -> T) -> Option<T> {
    let (headers_at, bias, path) = place;
    let (mut found, mut look) = (None, Some(look));
    walk(|info| {
        let is_here = (info.dlpi_phdr as usize, info.dlpi_addr) == (*headers_at, *bias);
        if !is_here || name_of(info) != path.as_slice() {
            return false;
        }
        let memory = Memory { headers: headers(info), bias: *bias };
        found = look.take().map(|look| look(&memory));
        true
    });
    found
}

/// What of an object can be read while the walk's lock is held.
struct Memory<'a> {
    headers: &'a [libc::Elf64_Phdr],
    bias: u64,
}

impl<'a> Memory<'a> {
    fn address(&self, header: &libc::Elf64_Phdr) -> u64 {
        self.bias.wrapping_add(header.p_vaddr)
    }

    /// The end of the readable segment that an address is in.
    fn end(&self, address: u64) -> Option<u64> {
        let mut readable =
            self.headers.iter().filter(|header| header.p_type == libc::PT_LOAD && header.p_flags & libc::PF_R != 0);
        let around = readable.find(|header| {
            let begin = self.address(header);
            (begin..begin.saturating_add(header.p_memsz)).contains(&address)
        })?;
        self.address(around).checked_add(around.p_memsz)
    }

    fn slice(&self, address: u64, size: u64) -> Option<&'a [u8]> {
        let end = address.checked_add(size)?;
        if end > self.end(address)? {
            return None;
        }
        // SAFETY: within a segment that is loaded and readable, and stays for the walk.
        Some(unsafe { std::slice::from_raw_parts(address as *const u8, size as usize) })
    }

    /// Where `.eh_frame_hdr` and `.eh_frame` are.
    fn unwind(&self) -> Option<[(u64, &'a [u8]); 2]> {
        /// `DW_EH_PE_pcrel | DW_EH_PE_sdata4`, which all linkers write.
        const RELATIVE: u8 = 0x1b;
        let mut all = self.headers.iter();
        let header = all.find(|header| header.p_type == libc::PT_GNU_EH_FRAME)?;
        let address = self.address(header);
        let table = self.slice(address, header.p_memsz)?;
        if *table.get(1)? != RELATIVE {
            return None;
        }
        let distance = i32::from_ne_bytes(table.get(4..8)?.try_into().ok()?);
        let frames_at = address.wrapping_add(4).wrapping_add_signed(distance.into());
        let rest = self.slice(frames_at, self.end(frames_at)?.checked_sub(frames_at)?)?;
        Some([(address, table), (frames_at, &rest[..length(rest)])])
    }

    fn build_id(&self) -> Option<&'a [u8]> {
        let notes = self.headers.iter();
        notes
            .filter(|header| header.p_type == libc::PT_NOTE)
            .find_map(|note| build_id(self.slice(self.address(note), note.p_memsz)?))
    }
}

/// Where the entries of `.eh_frame` end: nothing else says so.
fn length(bytes: &[u8]) -> usize {
    const LONG: u32 = u32::MAX;
    let mut at = 0_usize;
    loop {
        let word = bytes.get(at..).and_then(|byte| byte.first_chunk::<4>());
        let Some(word) = word.map(|word| u32::from_ne_bytes(*word)) else {
            return at.min(bytes.len());
        };
        let (head, size) = match word {
            0 => return at + 4,
            LONG => match bytes[at + 4..].first_chunk::<8>() {
                Some(size) => (12, u64::from_ne_bytes(*size)),
                None => return at,
            },
            size => (4, u64::from(size)),
        };
        let next = usize::try_from(size).ok().and_then(|size| size.checked_add(at + head));
        match next.filter(|end| *end <= bytes.len()) {
            Some(next) => at = next,
            None => return at,
        }
    }
}

/// The build id in a segment of notes.
fn build_id(notes: &[u8]) -> Option<&[u8]> {
    const BUILD_ID: u32 = 3;
    let mut rest = notes;
    loop {
        let word = |at: usize| Some(u32::from_ne_bytes(rest.get(at..at + 4)?.try_into().ok()?));
        let (name, size, kind) = (word(0)? as usize, word(4)? as usize, word(8)?);
        let content = 12 + name.checked_next_multiple_of(4)?;
        let end = content.checked_add(size)?;
        if kind == BUILD_ID && rest.get(12..16)? == b"GNU\0" {
            return rest.get(content..end);
        }
        rest = rest.get(end.checked_next_multiple_of(4)?..)?;
    }
}
