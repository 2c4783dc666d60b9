//! The loaded programs and libraries: which one an address is in, and whether one was unloaded, after which addresses
//! may be another's. By `dl_iterate_phdr`, whose lock is held for a moment only, never while constructors run.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use ompchunk_abi::{LoopRecord, loop_text};
use ompchunk_guest::images::{headers, name_of, walk};
use ompchunk_guest::memory::Grow;

use crate::callbacks::inquiry::Override;
use crate::clock;
use crate::loops::epoch::Epoch;

/// To close a library and open another takes several times as long: who looked so long ago has seen whatever is gone.
const APART: Duration = Duration::from_micros(10);

/// Epoch of what was unloaded so far, as the dynamic linker counts.
pub(crate) static EPOCH: Epoch =
    Epoch { number: AtomicU64::new(0), gone: AtomicU64::new(0), looked: AtomicU64::new(0) };
/// [`APART`] in ticks.
static TICKS: AtomicU64 = AtomicU64::new(0);

#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct CodePlace {
    path: Vec<u8>,
    /// The contents of its notes, the linker's name for this build among them.
    notes: Vec<u8>,
    offset: usize,
}

pub(crate) fn start() {
    TICKS.store(clock::ticks_of(APART), Ordering::Relaxed);
}

/// Changes when something was unloaded. `now`: a time since which nothing was.
pub(crate) fn epoch(now: u64) -> u64 {
    if !is_seen(now) {
        EPOCH.observe(now, unloaded());
    }
    EPOCH.number()
}

/// Whether it is so short ago that somebody looked that nothing can have taken the place of something else.
#[inline]
pub(crate) fn is_seen(now: u64) -> bool {
    now.saturating_sub(EPOCH.looked()) < TICKS.load(Ordering::Relaxed)
}

fn unloaded() -> u64 {
    let mut found = 0;
    walk(|info| {
        found = info.dlpi_subs;
        true
    });
    found
}

const USUAL_NOTES: usize = 64 << 10;

/// Where an address is; nothing if it is in nothing that is loaded, or there is no memory to say it.
pub(crate) fn place_of(address: usize) -> Option<CodePlace> {
    let mut place = CodePlace::default();
    if !place.path.grow(LONGEST_PATH) || !place.notes.grow(USUAL_NOTES) {
        return None;
    }
    let needed = look_up(address, &mut place)?;
    if needed > place.notes.capacity() {
        place.path.clear();
        place.notes.clear();
        if !place.notes.grow(needed) {
            return None;
        }
        look_up(address, &mut place)?;
    }
    place.path.shrink_to_fit();
    place.notes.shrink_to_fit();
    Some(place)
}

/// Fills in the place as far as it has room, and gives the bytes of all notes.
fn look_up(address: usize, place: &mut CodePlace) -> Option<usize> {
    let mut needed = None;
    walk(|info| {
        let image = Image::new(info);
        let loaded = || image.of_kind(libc::PT_LOAD).map(|header| image.range(header));
        if !loaded().any(|segment| segment.contains(&address)) {
            return false;
        }
        place.offset = address.wrapping_sub(image.bias);
        add_within(&mut place.path, name_of(info));
        for range in image.of_kind(libc::PT_NOTE).map(|header| image.range(header)) {
            if loaded().any(|segment| segment.start <= range.start && range.end <= segment.end) {
                // SAFETY: within a segment that is loaded, and readable as notes are.
                let bytes = unsafe { std::slice::from_raw_parts(range.start as *const u8, range.len()) };
                add_within(&mut place.notes, bytes);
                *needed.get_or_insert(0) += bytes.len();
            }
        }
        needed.get_or_insert(0);
        true
    });
    needed
}

/// A program or library that stays loaded while it is looked at: the lock of the walk is held.
pub(crate) struct Image<'a> {
    pub(crate) headers: &'a [libc::Elf64_Phdr],
    pub(crate) bias: usize,
}

impl<'a> Image<'a> {
    pub(crate) fn new(info: &'a libc::dl_phdr_info) -> Image<'a> {
        Image { headers: headers(info), bias: info.dlpi_addr as usize }
    }

    pub(crate) fn of_kind(&self, kind: u32) -> impl Iterator<Item = &'a libc::Elf64_Phdr> {
        self.headers.iter().filter(move |header| header.p_type == kind)
    }

    pub(crate) fn range(&self, header: &libc::Elf64_Phdr) -> Range<usize> {
        let start = self.bias.wrapping_add(header.p_vaddr as usize);
        start..start.saturating_add(header.p_memsz as usize)
    }

    pub(crate) fn readable(&self) -> impl Iterator<Item = Range<usize>> {
        self.of_kind(libc::PT_LOAD).filter(|header| header.p_flags & libc::PF_R != 0).map(|header| self.range(header))
    }

    /// What is there, to the end of the segment.
    pub(crate) fn from(&self, at: usize) -> Option<&'a [u8]> {
        let segment = self.readable().find(|segment| segment.contains(&at))?;
        // SAFETY: within a segment that is loaded and readable; what is read here nobody changes.
        Some(unsafe { std::slice::from_raw_parts(at as *const u8, segment.end - at) })
    }
}

pub(crate) const LONGEST_PATH: usize = libc::PATH_MAX as usize;

/// Adds bytes if there is room for all of them. Never allocates.
pub(crate) fn add_within(to: &mut Vec<u8>, bytes: &[u8]) {
    if bytes.len() <= to.capacity() - to.len() {
        to.extend_from_slice(bytes);
    }
}

/// The same when its library is loaded again. Readers tell apart two loops that only differ in their object.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Identity {
    /// The plugin's record with its texts; nothing without one.
    record: Vec<u8>,
    /// Place of the record, or of the runtime call.
    place: CodePlace,
    changed: Option<Override>,
}

impl Identity {
    pub(crate) fn new(record: Option<&LoopRecord>, code: usize, changed: Option<Override>) -> Identity {
        let address = record.map_or(code, |record| std::ptr::from_ref(record) as usize);
        let place = place_of(address);
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
            place: place.unwrap_or_else(|| CodePlace { offset: address, ..CodePlace::default() }),
            changed,
        }
    }
}
