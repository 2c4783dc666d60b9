//! What is loaded, with copies of its unwind information, so that nothing is unmapped under a signal handler.

use std::sync::Arc;
use std::sync::atomic::{AtomicPtr, AtomicU64, Ordering};

use framehop::{ExplicitModuleSectionInfo, Module as UnwindModule, Unwinder as _};
use ompchunk_guest::images::{name_of, walk};
use ompchunk_guest::memory::{self, Grow};
use ompchunk_trace_format::stacks::layout::MOST_SEGMENTS;
use ompchunk_trace_format::stacks::{Module, Segment};

use crate::lock::Lock;
use crate::loops::objects::{Image, add_within};
use crate::stacks::hazard;
use crate::stacks::registers::Unwinder;

pub(crate) struct Modules {
    pub(crate) unwinder: Unwinder,
    code: Vec<(u64, u64)>,
    /// The recorder's own.
    own: (u64, u64),
}

impl Modules {
    pub(crate) fn know(&self, address: u64) -> bool {
        let at = self.code.partition_point(|code| code.1 <= address);
        self.code.get(at).is_some_and(|code| code.0 <= address)
    }

    pub(crate) fn is_own(&self, address: u64) -> bool {
        (self.own.0..self.own.1).contains(&address)
    }
}

static CURRENT: AtomicPtr<Modules> = AtomicPtr::new(std::ptr::null_mut());
static SEEN: [AtomicU64; 2] = [const { AtomicU64::new(u64::MAX) }; 2];
pub(crate) static KNOWN: Lock<Vec<Known>> = Lock::new(Vec::new());
/// Replaced, but perhaps in use.
pub(crate) static RETIRED: Lock<Vec<usize>> = Lock::new(Vec::new());

pub(crate) struct Known {
    number: u32,
    place: LoadedImage,
    module: Arc<Module>,
    unwound: Option<UnwindModule<Vec<u8>>>,
}

#[derive(Default)]
pub(crate) struct Changes {
    pub(crate) new: Vec<(u32, Arc<Module>)>,
    pub(crate) gone: Vec<u32>,
}

/// What is loaded now, for a handler: `using` says so to whoever would free it.
pub(crate) fn current(using: &AtomicPtr<Modules>) -> Option<&'static Modules> {
    // SAFETY: null, or from `refresh`, which frees nothing that a thread says it uses, as the caller does meanwhile.
    unsafe { hazard::take(&CURRENT, using).as_ref() }
}

pub(crate) fn forget() {
    KNOWN.lock().clear();
    SEEN[0].store(u64::MAX, Ordering::Relaxed);
}

/// Looks at what is loaded, if that has changed. `is_used`: a handler of some thread uses these modules.
pub(crate) fn refresh(now: u64, is_used: impl Fn(*const Modules) -> bool) -> Changes {
    let mut changes = Changes::default();
    // Whoever else looks does the same.
    let Some(mut known) = KNOWN.try_lock() else { return changes };
    let mut counts = [0, 0];
    walk(|info| {
        counts = [info.dlpi_adds, info.dlpi_subs];
        true
    });
    let same = SEEN.iter().zip(counts).all(|(seen, count)| seen.swap(count, Ordering::Relaxed) == count);
    if same {
        return changes;
    }
    let mut next = NEXT.load(Ordering::Relaxed) as u32;
    let Some(listed) = list().filter(|_| !memory::is_short()) else { return changes };
    known.retain(|module| {
        let stays = listed.contains(&module.place);
        if !stays {
            changes.gone.push(module.number);
        }
        stays
    });
    for place in listed {
        if known.iter().any(|module| module.place == place) {
            continue;
        }
        if let Some(new) = Known::from_place(place, next, now) {
            changes.new.push((next, Arc::clone(&new.module)));
            known.push(new);
            next += 1;
        }
    }
    NEXT.store(u64::from(next), Ordering::Relaxed);
    publish(&known, is_used);
    changes
}

static NEXT: AtomicU64 = AtomicU64::new(0);

fn publish(known: &[Known], is_used: impl Fn(*const Modules) -> bool) {
    let mut unwinder = Unwinder::new();
    let mut code = Vec::new();
    let here = current as *const () as u64;
    let mut own = (0, 0);
    for known_module in known {
        if let Some(module) = &known_module.unwound {
            unwinder.add_module(module.clone());
        }
        for segment in &known_module.module.segments {
            let range = (segment.address, segment.address + segment.size);
            if (range.0..range.1).contains(&here) {
                own = range;
            }
            if known_module.unwound.is_some() {
                code.push(range);
            }
        }
    }
    code.sort_unstable();
    let new = Box::into_raw(Box::new(Modules { unwinder, code, own }));
    let old = hazard::replace(&CURRENT, new);
    let mut retired = RETIRED.lock();
    retired.extend((!old.is_null()).then_some(old as usize));
    retired.retain(|retired| {
        let modules = *retired as *mut Modules;
        let used = is_used(modules);
        if !used {
            // SAFETY: made above, replaced since, and no handler uses it: one that begins now takes the current one.
            drop(unsafe { Box::from_raw(modules) });
        }
        used
    });
}

impl Known {
    fn from_place(place: LoadedImage, number: u32, now: u64) -> Option<Known> {
        let object = copy(&place)?;
        let bias = place.1;
        let code = object
            .headers
            .iter()
            .filter(|header| header.p_type == libc::PT_LOAD && header.p_memsz > 0 && header.p_flags & libc::PF_X != 0);
        let segments: Vec<Segment> = code
            .take(MOST_SEGMENTS)
            .map(|loaded| Segment {
                address: bias.wrapping_add(loaded.p_vaddr),
                size: loaded.p_memsz,
                offset: loaded.p_offset,
            })
            .collect();
        let begin = segments.iter().map(|segment| segment.address).min()?;
        let ends = segments.iter().map(|segment| segment.address + segment.size);
        let end = ends.max().filter(|end| begin < *end)?;
        let info = object.unwind.map(|sections| sections_of(bias, sections));
        let unwound = info.map(|info| UnwindModule::new(String::new(), begin..end, bias, info));
        Some(Known {
            number,
            module: Arc::new(Module {
                path: path(&place.2),
                build_id: object.build_id,
                bias,
                segments,
                from: now,
                to: None,
            }),
            place,
            unwound,
        })
    }
}

fn sections_of(bias: u64, [table, frames]: [Section; 2]) -> ExplicitModuleSectionInfo<Vec<u8>> {
    let stated = |section: &Section| {
        let from = section.address.wrapping_sub(bias);
        from..from + section.bytes.len() as u64
    };
    ExplicitModuleSectionInfo {
        base_svma: 0,
        eh_frame_svma: Some(stated(&frames)),
        eh_frame: Some(frames.bytes),
        eh_frame_hdr_svma: Some(stated(&table)),
        eh_frame_hdr: Some(table.bytes),
        ..ExplicitModuleSectionInfo::default()
    }
}

/// Where a module's file is; the program's has no name here.
fn path(name: &[u8]) -> std::path::PathBuf {
    use std::os::unix::ffi::OsStrExt;
    if name.is_empty() {
        return std::fs::read_link("/proc/self/exe").unwrap_or_default();
    }
    let path = std::path::Path::new(std::ffi::OsStr::from_bytes(name));
    // The program may change its directory. What the kernel maps has no file.
    let file = name.contains(&b'/').then(|| std::path::absolute(path).ok()).flatten();
    file.unwrap_or_else(|| path.to_owned())
}

// Copies of what unwinding needs. Nothing is allocated while the dynamic linker's lock is held: the program's `malloc` may wait for a
// thread that waits for that lock. So each walk fills what was made before, and says how much it needed.

type LoadedImage = (usize, u64, Vec<u8>);

/// Objects and bytes of their paths for which there is room at first.
const OBJECTS: usize = 256;
const PATHS: usize = 32 << 10;
/// No linker's build id is longer.
const BUILD_ID: usize = 64;

/// All that is loaded. `None`: there is no memory for that.
fn list() -> Option<Vec<LoadedImage>> {
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

struct Object {
    headers: Vec<libc::Elf64_Phdr>,
    build_id: Vec<u8>,
    unwind: Option<[Section; 2]>,
}

struct Section {
    address: u64,
    bytes: Vec<u8>,
}

/// Copies what is at a place; `None`: it is gone.
fn copy(place: &LoadedImage) -> Option<Object> {
    let sizes = with_image_of(place, |image| {
        let unwind = unwind(image);
        let sizes = unwind.map(|sections| sections.map(|(_, bytes)| bytes.len()));
        (image.headers.len(), sizes)
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
    let is_same = with_image_of(place, |image| {
        let unwind = unwind(image);
        let found = unwind.map(|sections| sections.map(|(_, bytes)| bytes.len()));
        // Another object may be there by now.
        if (image.headers.len(), found) != sizes {
            return false;
        }
        object.headers.extend_from_slice(image.headers);
        let mut notes = image.of_kind(libc::PT_NOTE).map(|note| (image.range(note).start, note.p_memsz as usize));
        let id = notes.find_map(|(at, size)| build_id(image.from(at)?.get(..size)?));
        add_within(&mut object.build_id, id.unwrap_or_default());
        for (copy, (address, bytes)) in object.unwind.iter_mut().flatten().zip(unwind.into_iter().flatten()) {
            copy.address = address;
            copy.bytes.extend_from_slice(bytes);
        }
        true
    })?;
    is_same.then_some(object)
}

fn with_image_of<T>(place: &LoadedImage, look: impl FnOnce(&Image<'_>) -> T) -> Option<T> {
    let (headers_at, bias, path) = place;
    let (mut found, mut look) = (None, Some(look));
    walk(|info| {
        let is_here = (info.dlpi_phdr as usize, info.dlpi_addr) == (*headers_at, *bias);
        if !is_here || name_of(info) != path.as_slice() {
            return false;
        }
        found = look.take().map(|look| look(&Image::new(info)));
        true
    });
    found
}

fn unwind<'a>(image: &Image<'a>) -> Option<[(u64, &'a [u8]); 2]> {
    /// `DW_EH_PE_pcrel | DW_EH_PE_sdata4`, which all linkers write.
    const RELATIVE: u8 = 0x1b;
    let header = image.of_kind(libc::PT_GNU_EH_FRAME).next()?;
    let address = image.range(header).start;
    let table = image.from(address)?.get(..header.p_memsz as usize)?;
    if *table.get(1)? != RELATIVE {
        return None;
    }
    let distance = i32::from_ne_bytes(table.get(4..8)?.try_into().ok()?);
    let frames_at = address.wrapping_add(4).wrapping_add_signed(distance as isize);
    let rest = image.from(frames_at)?;
    Some([(address as u64, table), (frames_at as u64, &rest[..length(rest)])])
}

fn length(bytes: &[u8]) -> usize {
    const LONG: u32 = u32::MAX;
    let mut at = 0_usize;
    loop {
        let word = bytes.get(at..).and_then(|byte| byte.first_chunk::<4>());
        let Some(word) = word.map(|word| u32::from_ne_bytes(*word)) else { return at.min(bytes.len()) };
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
