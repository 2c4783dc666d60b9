//! The loaded images, as their program headers and dynamic sections describe them: which image an address is in,
//! which functions of a runtime an image is bound to, where its module record is.
//!
//! Not by `dladdr` and `dlsym`: these wait for the dynamic linker's lock, which a thread holds while it runs a
//! library's constructors, and such a constructor may be waiting for us at a barrier. `dl_iterate_phdr` has a lock of its
//! own, which is held for a moment only. So what is called from within must not call the dynamic linker either.

pub(crate) mod connect;
mod notes;
pub(crate) mod object;
pub(crate) mod runtime_choice;

use core::ffi::{CStr, c_char, c_void};
use core::mem::size_of;
use core::ptr;

use ompchunk_abi::{ModuleRecord, Note};
use ompchunk_guest::images;

pub(crate) use self::notes::build_id;

/// What the names of the functions begin with that compiled code calls in a runtime.
const ENTRIES: &[u8] = b"__kmpc_";
/// What LLVM's, Intel's and AMD's runtimes define, and a library that stands before one of them does not.
const OF_RUNTIMES: [&CStr; 2] = [c"__kmpc_fork_call", c"omp_get_wtick"];

/// A loaded image, during a walk.
#[derive(Clone, Copy)]
pub(crate) struct Image<'a>(&'a libc::dl_phdr_info);

/// Calls `visit` with each loaded image, in the order of loading, until it returns true. No image is unloaded
/// meanwhile, and `visit` must not call the dynamic linker.
pub(crate) fn walk(mut visit: impl FnMut(Image<'_>) -> bool) {
    images::walk(|info| visit(Image(info)));
}

fn first<T>(mut pick: impl FnMut(Image<'_>) -> Option<T>) -> Option<T> {
    let mut found = None;
    walk(|image| {
        found = pick(image);
        found.is_some()
    });
    found
}

/// Where the image begins that holds an address; that tells images apart.
pub(crate) fn start_of(address: *const c_void) -> Option<usize> {
    first(|image| image.holds(address.addr()).then(|| image.start()))
}

/// Where the image begins that this code is in.
pub(crate) fn here() -> Option<usize> {
    static HERE: u8 = 0;
    start_of((&raw const HERE).cast())
}

pub(crate) fn program() -> Option<usize> {
    // SAFETY: `getauxval` has no preconditions.
    let headers = unsafe { libc::getauxval(libc::AT_PHDR) };
    start_of(ptr::without_provenance(headers as usize))
}

pub(crate) fn path_of(start: usize) -> Option<String> {
    first(|image| (image.start() == start).then(|| image.path()))
}

pub(crate) fn is_runtime(start: usize) -> bool {
    first(|image| (image.start() == start).then(|| image.is_runtime())).unwrap_or(false)
}

pub(crate) fn is_needed(library: &[u8]) -> bool {
    first(|image| image.needs(library).then_some(())).is_some()
}

/// Whether the image that begins at `earlier` comes before that at `later` in the order of loading.
pub(crate) fn comes_before(earlier: usize, later: usize) -> bool {
    let found = first(|image| Some(image.start()).filter(|start| [earlier, later].contains(start)));
    found == Some(earlier)
}

/// The path of the first image that exports an OMPT tool's entry point, if that is not the runtime's own.
pub(crate) fn first_tool() -> Option<(usize, String)> {
    first(|image| {
        let is_one = image.defines(c"ompt_start_tool") && !image.is_runtime();
        is_one.then(|| (image.start(), image.path()))
    })
}

/// Where an image's calls of a runtime go.
pub(crate) enum Calls {
    /// It has none by name: a runtime is part of it, or it was bound in a way that is not known here.
    None,
    /// It has some, and none was made yet.
    Unbound,
    /// To the images that begin there.
    Bound(Vec<usize>),
}

pub(crate) fn calls_of(address: *const c_void) -> Calls {
    let targets = first(|image| image.holds(address.addr()).then(|| image.targets()));
    let targets = targets.unwrap_or_default();
    let bound_to = targets.iter().flatten();
    let mut starts: Vec<usize> = bound_to.filter_map(|target| start_of(ptr::without_provenance(*target))).collect();
    starts.sort_unstable();
    starts.dedup();
    match (!targets.is_empty(), starts.is_empty()) {
        (false, _) => Calls::None,
        (true, true) => Calls::Unbound,
        (true, false) => Calls::Bound(starts),
    }
}

pub(crate) fn records(mut visit: impl FnMut(*mut ModuleRecord, &Image<'_>)) {
    walk(|image| {
        image.records(|record| visit(record, &image));
        false
    });
}

/// What tables of an image consist of.
/// # Safety
/// Any bits are such a value.
unsafe trait Plain: Copy {}

macro_rules! plain {
    ($($name:ty),*) => {$(
        // SAFETY: numbers alone.
        unsafe impl Plain for $name {}
    )*};
}
plain!(u32, [u32; 3], Dynamic, Relocation, libc::Elf64_Sym, Note);

#[repr(C)]
#[derive(Clone, Copy)]
struct Dynamic {
    tag: i64,
    value: u64,
}

/// A relocation with an addend, the only kind on the processors that we know.
#[repr(C)]
#[derive(Clone, Copy)]
struct Relocation {
    place: u64,
    info: u64,
    addend: i64,
}

const DT_NEEDED: i64 = 1;
const DT_PLTRELSZ: i64 = 2;
const DT_STRTAB: i64 = 5;
const DT_SYMTAB: i64 = 6;
const DT_RELA: i64 = 7;
const DT_RELASZ: i64 = 8;
const DT_JMPREL: i64 = 23;
const DT_GNU_HASH: i64 = 0x6fff_fef5;

/// Types of relocations that put the address of a function somewhere: to be called, to be loaded, as data.
#[cfg(target_arch = "x86_64")]
const ADDRESSES: [u64; 3] = [7, 6, 1];
#[cfg(target_arch = "aarch64")]
const ADDRESSES: [u64; 3] = [1026, 1025, 257];
// In the ABI in which the address of a function is that of its code.
#[cfg(all(target_arch = "powerpc64", target_endian = "little"))]
const ADDRESSES: [u64; 3] = [21, 20, 38];
#[cfg(not(any(
    target_arch = "x86_64",
    target_arch = "aarch64",
    all(target_arch = "powerpc64", target_endian = "little")
)))]
const ADDRESSES: [u64; 0] = [];

impl Image<'_> {
    pub(crate) fn path(&self) -> String {
        // The program has no name here.
        match String::from_utf8_lossy(self.name()) {
            name if name.is_empty() => {
                std::env::current_exe().map_or_else(|_| "the program".to_owned(), |path| path.display().to_string())
            }
            name => name.into_owned(),
        }
    }

    /// The same as the dynamic linker has it: nothing for the program.
    pub(crate) fn name(&self) -> &[u8] {
        images::name_of(self.0)
    }

    /// What its addresses are counted from.
    fn bias(&self) -> usize {
        self.0.dlpi_addr as usize
    }

    fn headers(&self, kind: u32) -> impl Iterator<Item = &libc::Elf64_Phdr> {
        images::headers(self.0).iter().filter(move |header| header.p_type == kind)
    }

    fn start(&self) -> usize {
        let segments = self.headers(libc::PT_LOAD);
        let first = segments.map(|segment| segment.p_vaddr as usize).min();
        self.bias().wrapping_add(first.unwrap_or(0))
    }

    pub(crate) fn holds(&self, address: usize) -> bool {
        self.headers(libc::PT_LOAD).any(|header| {
            let start = self.bias().wrapping_add(header.p_vaddr as usize);
            (start..start.wrapping_add(header.p_memsz as usize)).contains(&address)
        })
    }

    /// Memory of the image at an address that its own tables state; `None` where they are wrong.
    fn memory<T>(&self, address: usize) -> Option<*const T> {
        let end = address.checked_add(size_of::<T>())?;
        (self.holds(address) && self.holds(end - 1)).then(|| ptr::with_exposed_provenance(address))
    }

    fn read<T: Plain>(&self, address: usize) -> Option<T> {
        // SAFETY: within the image, and any bits are a `T`.
        Some(unsafe { self.memory::<T>(address)?.read_unaligned() })
    }

    fn element<T: Plain>(&self, table: usize, index: usize) -> Option<T> {
        self.read(table.wrapping_add(index.wrapping_mul(size_of::<T>())))
    }

    /// Up to the entry of tag 0, which is the section's last.
    fn dynamic(&self) -> impl Iterator<Item = Dynamic> {
        let section = self.headers(libc::PT_DYNAMIC).next();
        let start = section.map(|header| self.bias().wrapping_add(header.p_vaddr as usize));
        let image = *self;
        (0..).map_while(move |index| image.element::<Dynamic>(start?, index)).take_while(|entry| entry.tag != 0)
    }

    fn value(&self, tag: i64) -> Option<usize> {
        self.dynamic().find(|entry| entry.tag == tag).map(|entry| entry.value as usize)
    }

    /// Some dynamic linkers turn the section's addresses into absolute ones, others leave them as they are.
    fn table(&self, tag: i64) -> Option<usize> {
        let value = self.value(tag)?;
        if self.holds(value) { Some(value) } else { Some(self.bias().wrapping_add(value)) }
    }

    fn string(&self, offset: usize) -> Option<&CStr> {
        let start = self.memory::<c_char>(self.table(DT_STRTAB)?.wrapping_add(offset))?;
        // SAFETY: in the image's table of strings, which ends with a zero.
        Some(unsafe { CStr::from_ptr(start) })
    }

    fn symbol(&self, index: usize) -> Option<libc::Elf64_Sym> {
        self.element(self.table(DT_SYMTAB)?, index)
    }

    fn needs(&self, library: &[u8]) -> bool {
        let is_its = |name: &CStr| name.to_bytes().rsplit(|byte| *byte == b'/').next() == Some(library);
        self.dynamic().any(|entry| entry.tag == DT_NEEDED && self.string(entry.value as usize).is_some_and(is_its))
    }

    /// The address that each reference to a runtime's function is bound to.
    fn targets(&self) -> Vec<Option<usize>> {
        let mut targets = Vec::new();
        for (table, size) in [(DT_RELA, DT_RELASZ), (DT_JMPREL, DT_PLTRELSZ)] {
            let (Some(table), Some(size)) = (self.table(table), self.value(size)) else { continue };
            let relocations =
                (0..size / size_of::<Relocation>()).map_while(|index| self.element::<Relocation>(table, index));
            targets.extend(relocations.filter_map(|relocation| self.target(relocation)));
        }
        targets
    }

    /// The address of a runtime's function in its place. Before its first call that may be the image's own, which says nothing.
    fn target(&self, relocation: Relocation) -> Option<Option<usize>> {
        if !ADDRESSES.contains(&(relocation.info & 0xffff_ffff)) {
            return None;
        }
        let symbol = self.symbol((relocation.info >> 32) as usize)?;
        let name = self.string(symbol.st_name as usize)?;
        if !name.to_bytes().starts_with(ENTRIES) {
            return None;
        }
        let place = self.memory::<usize>(self.bias().wrapping_add(relocation.place as usize))?;
        // SAFETY: within the image; the dynamic linker itself may be writing an address there.
        let address = unsafe { place.read_volatile() }.wrapping_sub(relocation.addend as usize);
        let unbound = address == 0 || (symbol.st_shndx == 0 && self.holds(address));
        Some((!unbound).then_some(address))
    }

    fn is_runtime(&self) -> bool {
        OF_RUNTIMES.iter().all(|name| self.defines(name))
    }

    /// Whether it exports a symbol, by the hash table that GNU's linkers write.
    fn defines(&self, name: &CStr) -> bool {
        self.look_up(name).unwrap_or(false)
    }

    fn look_up(&self, name: &CStr) -> Option<bool> {
        let hash =
            name.to_bytes().iter().fold(5381u32, |hash, byte| hash.wrapping_mul(33).wrapping_add((*byte).into()));
        let table = self.table(DT_GNU_HASH)?;
        let word = |index: usize| self.element::<u32>(table, index);
        let (buckets, first, bloom) = (word(0)? as usize, word(1)? as usize, word(2)? as usize);
        let (bucket, chain) = (4 + 2 * bloom, 4 + 2 * bloom + buckets);
        let mut index = word(bucket + (hash as usize).checked_rem(buckets)?)? as usize;
        if index < first {
            return Some(false);
        }
        loop {
            let entry = word(chain + index - first)?;
            if entry | 1 == hash | 1 {
                let symbol = self.symbol(index)?;
                if symbol.st_shndx != 0 && self.string(symbol.st_name as usize)? == name {
                    return Some(true);
                }
            }
            if entry & 1 == 1 {
                return Some(false);
            }
            index += 1;
        }
    }
}
