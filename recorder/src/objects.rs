//! The loaded programs and libraries: which one an address is in, and whether one was unloaded, after which addresses
//! may be those of something else.
//!
//! By `dl_iterate_phdr`, whose lock is held for a moment only, never while constructors run.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use ompchunk_guest::images::{headers, name_of, walk};
use ompchunk_guest::memory::Grow;

use crate::clock;
use crate::epoch::Epoch;

/// To close a library and open another takes several times as long: files are opened, mapped and unmapped. So whoever
/// looked at most so long ago has seen whatever is gone.
const APART: Duration = Duration::from_micros(10);

/// Epoch of what was unloaded so far, as the dynamic linker counts.
static EPOCH: Epoch = Epoch { number: AtomicU64::new(0), gone: AtomicU64::new(0), looked: AtomicU64::new(0) };
/// [`APART`] in ticks.
static TICKS: AtomicU64 = AtomicU64::new(0);

/// A program or library, and where in it an address is.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct CodePlace {
    path: Vec<u8>,
    /// The contents of its notes, the linker's name for this build among them.
    notes: Vec<u8>,
    offset: usize,
}

impl CodePlace {
    /// In nothing that is loaded.
    pub(crate) fn nowhere(address: usize) -> CodePlace {
        CodePlace { offset: address, ..CodePlace::default() }
    }
}

/// The clock's rate is known.
pub(crate) fn start() {
    TICKS.store(clock::ticks_of(APART), Ordering::Relaxed);
}

/// Changes when something was unloaded. `now`: a time since which nothing was.
pub(crate) fn epoch(now: u64) -> u64 {
    if !is_seen(now) {
        EPOCH.see(now, unloaded());
    }
    EPOCH.number()
}

/// Whether it is so short ago that somebody looked that nothing can have taken the place of something else.
#[inline]
pub(crate) fn is_seen(now: u64) -> bool {
    now.saturating_sub(EPOCH.looked()) < TICKS.load(Ordering::Relaxed)
}

/// The epoch that was seen last.
#[inline]
pub(crate) fn last_epoch() -> u64 {
    EPOCH.number()
}

fn unloaded() -> u64 {
    let mut found = 0;
    walk(|info| {
        found = info.dlpi_subs;
        true
    });
    found
}

/// Room for the notes of most objects.
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
        let bias = info.dlpi_addr as usize;
        let headers = headers(info);
        let segment = |segment: &libc::Elf64_Phdr| {
            let start = bias.wrapping_add(segment.p_vaddr as usize);
            start..start.wrapping_add(segment.p_memsz as usize)
        };
        let loaded = |segment: &&libc::Elf64_Phdr| segment.p_type == libc::PT_LOAD;
        let mut segments = headers.iter().filter(loaded);
        if !segments.any(|header| segment(header).contains(&address)) {
            return false;
        }
        place.offset = address.wrapping_sub(bias);
        add_within(&mut place.path, name_of(info));
        let notes = headers.iter().filter(|header| header.p_type == libc::PT_NOTE);
        for range in notes.map(segment) {
            let mut loaded = headers.iter().filter(loaded).map(segment);
            if loaded.any(|segment| segment.start <= range.start && range.end <= segment.end) {
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

/// Most bytes of any path.
pub(crate) const LONGEST_PATH: usize = libc::PATH_MAX as usize;

/// Adds bytes if there is room for all of them. Never allocates.
pub(crate) fn add_within(to: &mut Vec<u8>, bytes: &[u8]) {
    if bytes.len() <= to.capacity() - to.len() {
        to.extend_from_slice(bytes);
    }
}
