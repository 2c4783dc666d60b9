//! The loops that may be changed: by the addresses to which their calls of `__kmpc_for_static_init_*` return.
//! All of it is found before the program begins and stays as it is. The command has named files and offsets in them; a file that is not
//! loaded, or at whose address no such call stands, is passed over: then the loop runs as compiled.

use core::cell::UnsafeCell;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use ompchunk_abi::sched_type::{STATIC, STATIC_CHUNKED};
use ompchunk_abi::stock::Named;
use ompchunk_abi::{
    CONSTRUCT_FOR, LOOP_CHANGEABLE, LOOP_CHUNKED, LOOP_FREE, LOOP_LAST_READ, LOOP_STOCK, LOOP_TOLD, LoopRecord,
    VERSION, bound, fixed, run,
};
use ompchunk_guest::images;

/// The records of a loop: of what it is, the call says.
pub(crate) struct Records {
    pub(crate) blocks: *const LoopRecord,
    pub(crate) chunks: *const LoopRecord,
    /// With chunks smaller than this ...
    pub(crate) least_chunk: u32,
    /// ... it stays as compiled.
    pub(crate) fixed: *const LoopRecord,
}

/// An entry of the table: where a call returns to, and what is known of its loop.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct Site {
    /// 0: none.
    pub(crate) returns_to: usize,
    pub(crate) records: *const Records,
}

const NO_SITE: Site = Site { returns_to: 0, records: core::ptr::null() };

/// What the program's calls look up, by `calls`: as many entries as `mask` and one, of which at least every second is empty.
#[repr(C)]
pub(crate) struct Table {
    pub(crate) entries: UnsafeCell<*const Site>,
    pub(crate) mask: UnsafeCell<usize>,
}
// SAFETY: written before the program begins.
unsafe impl Sync for Table {}

// SAFETY: what it leads to is never written.
unsafe impl Sync for Site {}

static NOTHING: Site = NO_SITE;

pub(crate) static TABLE: Table = Table { entries: UnsafeCell::new(&raw const NOTHING), mask: UnsafeCell::new(0) };

/// Where the search for an address begins, as `calls` has it.
pub(crate) fn place(returns_to: usize, mask: usize) -> usize {
    (returns_to ^ returns_to >> 5) & mask
}

pub(crate) fn find() {
    let Some(text) = std::env::var_os(run::VARIABLE) else { return };
    let Some(Ok(text)) = run::told(text.as_bytes(), run::STOCK).map(str::from_utf8) else { return };
    let named: Vec<Named<'_>> = text.lines().filter_map(Named::parse).collect();
    // Copies of one loop have one record, so their threads' blocks fit.
    let mut known: Vec<(Named<'_>, *const Records)> = Vec::new();
    let mut sites = Vec::new();
    images::walk(|info| {
        let path = file(images::name_of(info));
        let of_image = named.iter().filter(|named| path.as_deref() == Some(Path::new(named.image)));
        for named in of_image {
            let returns_to = info.dlpi_addr.wrapping_add(named.returns_to) as usize;
            if is_call(returns_to, |address| holds_code(info, address)) {
                let of_loop = Named { image: "", returns_to: 0, ..*named };
                let before = known.iter().find(|(other, _)| named.line != 0 && *other == of_loop);
                let records = before.map_or_else(|| &raw const *Box::leak(Box::new(records(named))), |(_, one)| *one);
                known.push((of_loop, records));
                sites.push(Site { returns_to, records });
            }
        }
        false
    });
    if sites.is_empty() {
        return;
    }
    let size = (sites.len() * 4).next_power_of_two();
    let mut entries = vec![NO_SITE; size].into_boxed_slice();
    for site in sites {
        let mut place = place(site.returns_to, size - 1);
        while ![0, site.returns_to].contains(&entries[place].returns_to) {
            place = (place + 1) & (size - 1);
        }
        entries[place] = site;
    }
    // SAFETY: the program has not begun.
    unsafe {
        *TABLE.mask.get() = size - 1;
        *TABLE.entries.get() = Box::leak(entries).as_ptr();
    }
}

fn file(name: &[u8]) -> Option<PathBuf> {
    match name {
        [] => std::fs::read_link("/proc/self/exe").ok(),
        path => std::fs::canonicalize(OsStr::from_bytes(path)).ok(),
    }
}

fn holds_code(info: &libc::dl_phdr_info, address: usize) -> bool {
    let is_code = |header: &&libc::Elf64_Phdr| header.p_type == libc::PT_LOAD && header.p_flags & libc::PF_X != 0;
    images::headers(info).iter().filter(is_code).any(|header| {
        let begin = info.dlpi_addr.wrapping_add(header.p_vaddr) as usize;
        (begin..begin.wrapping_add(header.p_memsz as usize)).contains(&address)
    })
}

fn is_call(returns_to: usize, has: impl Fn(usize) -> bool) -> bool {
    let Some(begin) = returns_to.checked_sub(6) else { return false };
    if !has(begin) || !has(returns_to) {
        return false;
    }
    // SAFETY: code of the image, which can be read where it can be run, or the program would not have been looked at.
    let code = unsafe { core::ptr::with_exposed_provenance::<[u8; 6]>(begin).read_unaligned() };
    code[1] == 0xe8 || code[..2] == [0xff, 0x15]
}

/// All stay.
fn records(named: &Named<'_>) -> Records {
    Records {
        blocks: record(named, LOOP_CHANGEABLE | LOOP_TOLD, STATIC),
        chunks: record(named, LOOP_CHANGEABLE | LOOP_CHUNKED, STATIC_CHUNKED),
        least_chunk: named.least_chunk,
        fixed: record(named, LOOP_CHUNKED, STATIC_CHUNKED),
    }
}

/// What the plugin would have left of the loop, as far as it is known.
fn record(named: &Named<'_>, flags: u32, schedule: u32) -> *const LoopRecord {
    let head = size_of::<LoopRecord>();
    let function = head;
    let file = function + named.function.len() + 1;
    let size = (file + named.file.len() + 1).next_multiple_of(align_of::<LoopRecord>());
    let free = if named.is_free { LOOP_FREE } else { 0 };
    let record = LoopRecord {
        size: size as u32,
        abi_version: VERSION as u16,
        construct: CONSTRUCT_FOR,
        bits: named.bits,
        // Who has the last iteration may be read.
        flags: LOOP_STOCK | LOOP_LAST_READ | flags | free | named.signed(),
        schedule,
        chunk: 0,
        start: 0,
        step: 0,
        line: named.line,
        column: 0,
        function: function as i32,
        file: file as i32,
        variable_bits: 0,
        fixed: if flags & LOOP_CHANGEABLE == 0 { fixed::STEPS } else { 0 },
        bound: if named.is_free { 0 } else { bound::STOCK },
        reserved: 0,
        group: 0,
    };
    let words = vec![0u64; size / 8].into_boxed_slice();
    let bytes = Box::leak(words).as_mut_ptr().cast::<u8>();
    // SAFETY: memory of that size and alignment, which stays; the strings end with zeros that are there.
    unsafe {
        bytes.cast::<LoopRecord>().write(record);
        for (offset, text) in [(function, named.function), (file, named.file)] {
            core::ptr::copy_nonoverlapping(text.as_ptr(), bytes.add(offset), text.len());
        }
    }
    bytes.cast()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_has_its_names() {
        let text = "/bin/app\t1320\t32s\tfree\t1\t6\ttri.c\tmain";
        let named = Named::parse(text).unwrap();
        // SAFETY: just made.
        let record = unsafe { &*records(&named).blocks };
        let text = |offset: i32| {
            // SAFETY: a string of the record's.
            unsafe {
                core::ffi::CStr::from_ptr(core::ptr::from_ref(record).cast::<libc::c_char>().add(offset as usize))
            }
        };
        assert_eq!((text(record.function), text(record.file), record.line), (c"main", c"tri.c", 6));
        assert!(record.flags & (LOOP_FREE | LOOP_STOCK) == LOOP_FREE | LOOP_STOCK && record.bound == 0);
    }

    #[test]
    fn what_is_no_call_is_left_alone() {
        let code = [0x90u8, 0xe8, 1, 2, 3, 4, 0xff, 0x15, 1, 2, 3, 4, 0x90];
        let begin = code.as_ptr().addr();
        code.as_ptr().expose_provenance();
        let has = |address: usize| (begin..begin + code.len()).contains(&address);
        assert!(is_call(begin + 6, has) && is_call(begin + 12, has));
        assert!(!is_call(begin + 7, has) && !is_call(begin + 5, has) && !is_call(begin + 13, has));
    }
}
