//! What is loaded, with copies of its unwind information: what a signal handler reads is never unmapped under it.
//! Collected outside of handlers, published whole, and freed when no handler uses it any more.

use std::sync::Arc;
use std::sync::atomic::{AtomicPtr, AtomicU64, Ordering};

use framehop::{ExplicitModuleSectionInfo, Module as UnwindModule, Unwinder as _};
use ompchunk_trace_format::stacks::layout::MOST_SEGMENTS;
use ompchunk_trace_format::stacks::{Module, Segment};

use crate::lock::Lock;
use crate::objects::{headers, name_of, walk};
use crate::stacks::hazard;
use crate::stacks::registers::Unwinder;

/// What a handler unwinds with.
pub(crate) struct Modules {
    unwinder: Unwinder,
    /// Begin and end of what can be executed, ascending.
    code: Vec<(u64, u64)>,
    /// The recorder's own.
    own: (u64, u64),
}

impl Modules {
    pub(crate) fn unwinder(&self) -> &Unwinder {
        &self.unwinder
    }

    /// Whether something is known of an address.
    pub(crate) fn know(&self, address: u64) -> bool {
        let at = self.code.partition_point(|code| code.1 <= address);
        self.code.get(at).is_some_and(|code| code.0 <= address)
    }

    /// Whether an address is in the recorder.
    pub(crate) fn is_own(&self, address: u64) -> bool {
        (self.own.0..self.own.1).contains(&address)
    }
}

static CURRENT: AtomicPtr<Modules> = AtomicPtr::new(std::ptr::null_mut());
/// Loaded and unloaded so far, as the dynamic linker counts, when that was looked at last.
static SEEN: [AtomicU64; 2] = [const { AtomicU64::new(u64::MAX) }; 2];
static KNOWN: Lock<Vec<Known>> = Lock::new(Vec::new());
/// Replaced, but perhaps in use.
static RETIRED: Lock<Vec<Retired>> = Lock::new(Vec::new());

struct Retired(*mut Modules);

// SAFETY: made by `Box::into_raw`; nobody writes to it any more.
unsafe impl Send for Retired {}

/// A module that is loaded.
struct Known {
    number: u32,
    /// By what it is known again: its headers' address, its bias and its path.
    place: (usize, u64, Vec<u8>),
    module: Arc<Module>,
    unwound: Option<UnwindModule<Vec<u8>>>,
    range: (u64, u64),
}

/// What has changed since [`refresh`] was called last.
#[derive(Default)]
pub(crate) struct Changes {
    /// With their numbers.
    pub(crate) new: Vec<(u32, Arc<Module>)>,
    pub(crate) gone: Vec<u32>,
}

/// What is loaded now, for a handler: `using` says so to whoever would free it.
pub(crate) fn current(using: &AtomicPtr<Modules>) -> Option<&'static Modules> {
    // SAFETY: null, or published by `refresh`, which frees nothing that a thread says it uses. The caller forgets it before it
    // says otherwise.
    unsafe { hazard::take(&CURRENT, using).as_ref() }
}

/// While the process forks.
pub(crate) fn hold() {
    KNOWN.take();
    RETIRED.take();
}

pub(crate) fn let_go() {
    RETIRED.release();
    KNOWN.release();
}

/// A new file needs to be told of all modules.
pub(crate) fn forget() {
    KNOWN.lock().clear();
    SEEN[0].store(u64::MAX, Ordering::Relaxed);
}

/// Looks at what is loaded, if that has changed. `is_used`: a handler of some thread uses these modules.
pub(crate) fn refresh(now: u64, is_used: impl Fn(*const Modules) -> bool) -> Changes {
    let mut changes = Changes::default();
    // Whoever else looks does the same.
    let Some(mut known) = KNOWN.try_lock() else {
        return changes;
    };
    let mut counts = [0, 0];
    walk(|info| {
        counts = [info.dlpi_adds, info.dlpi_subs];
        true
    });
    let same = SEEN
        .iter()
        .zip(counts)
        .all(|(seen, count)| seen.swap(count, Ordering::Relaxed) == count);
    if same {
        return changes;
    }
    let mut next = known
        .iter()
        .map(|module| module.number + 1)
        .max()
        .unwrap_or(0);
    next = next.max(NEXT.load(Ordering::Relaxed) as u32);
    let mut there = vec![false; known.len()];
    walk(|info| {
        let place = (
            info.dlpi_phdr as usize,
            info.dlpi_addr,
            name_of(info).to_vec(),
        );
        match known.iter().position(|module| module.place == place) {
            Some(at) if at < there.len() => there[at] = true,
            Some(_) => {}
            None => {
                if let Some(new) = Known::of(info, place, next, now) {
                    changes.new.push((next, Arc::clone(&new.module)));
                    known.push(new);
                    next += 1;
                }
            }
        }
        false
    });
    NEXT.store(u64::from(next), Ordering::Relaxed);
    there.resize(known.len(), true);
    let mut there = there.into_iter();
    known.retain(|module| {
        let stays = there.next().unwrap_or(true);
        if !stays {
            changes.gone.push(module.number);
        }
        stays
    });
    publish(&known, is_used);
    changes
}

/// Numbers of modules are used once.
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
    let new = Box::into_raw(Box::new(Modules {
        unwinder,
        code,
        own,
    }));
    let old = hazard::replace(&CURRENT, new);
    let mut retired = RETIRED.lock();
    retired.extend((!old.is_null()).then_some(Retired(old)));
    retired.retain(|retired| {
        let used = is_used(retired.0);
        if !used {
            // SAFETY: made above, replaced since, and no handler uses it: one that begins now takes the current one.
            drop(unsafe { Box::from_raw(retired.0) });
        }
        used
    });
}

impl Known {
    fn of(
        info: &libc::dl_phdr_info,
        place: (usize, u64, Vec<u8>),
        number: u32,
        now: u64,
    ) -> Option<Known> {
        let bias = info.dlpi_addr;
        let all = headers(info);
        let loaded = all
            .iter()
            .filter(|header| header.p_type == libc::PT_LOAD && header.p_memsz > 0);
        let address = |segment: &libc::Elf64_Phdr| bias.wrapping_add(segment.p_vaddr);
        let segments: Vec<Segment> = loaded
            .clone()
            .filter(|loaded| loaded.p_flags & libc::PF_X != 0)
            .take(MOST_SEGMENTS)
            .map(|loaded| Segment {
                address: address(loaded),
                size: loaded.p_memsz,
                offset: loaded.p_offset,
            })
            .collect();
        let begin = segments.iter().map(|segment| segment.address).min()?;
        let end = segments
            .iter()
            .map(|segment| segment.address + segment.size)
            .max()?;
        let readable: Vec<(u64, u64)> = loaded
            .filter(|loaded| loaded.p_flags & libc::PF_R != 0)
            .map(|loaded| (address(loaded), address(loaded) + loaded.p_memsz))
            .collect();
        let memory = Memory(&readable);
        let header = all
            .iter()
            .find(|header| header.p_type == libc::PT_GNU_EH_FRAME);
        let info = header
            .and_then(|header| unwind_information(&memory, bias, address(header), header.p_memsz));
        let unwound = info.map(|info| UnwindModule::new(String::new(), begin..end, bias, info));
        let notes = all.iter().filter(|header| header.p_type == libc::PT_NOTE);
        let build_id = notes
            .filter_map(|note| build_id(memory.slice(address(note), note.p_memsz)?))
            .next();
        Some(Known {
            number,
            module: Arc::new(Module {
                path: path(&place.2),
                build_id: build_id.unwrap_or_default(),
                bias,
                segments,
                from: now,
                to: None,
            }),
            place,
            unwound,
            range: (begin, end),
        })
        .filter(|module| module.range.0 < module.range.1)
    }
}

/// Where a module's file is; the program's has no name here.
fn path(name: &[u8]) -> std::path::PathBuf {
    use std::os::unix::ffi::OsStrExt;
    match name.is_empty() {
        true => std::fs::read_link("/proc/self/exe").unwrap_or_default(),
        false => {
            let path = std::path::Path::new(std::ffi::OsStr::from_bytes(name));
            // The program may change its directory. What the kernel maps has no file.
            match name.contains(&b'/') {
                true => std::path::absolute(path).unwrap_or_else(|_| path.to_owned()),
                false => path.to_owned(),
            }
        }
    }
}

/// What of a module can be read while the walk's lock is held.
struct Memory<'a>(&'a [(u64, u64)]);

impl Memory<'_> {
    fn slice(&self, at: u64, size: u64) -> Option<&[u8]> {
        let end = at.checked_add(size)?;
        let inside = |range: &&(u64, u64)| range.0 <= at && end <= range.1;
        self.0.iter().find(inside)?;
        // SAFETY: within a segment that is loaded and readable, and stays for the walk.
        Some(unsafe { std::slice::from_raw_parts(at as *const u8, size as usize) })
    }

    fn rest(&self, at: u64) -> Option<&[u8]> {
        let segment = self
            .0
            .iter()
            .find(|range| (range.0..range.1).contains(&at))?;
        self.slice(at, segment.1 - at)
    }
}

fn unwind_information(
    memory: &Memory<'_>,
    bias: u64,
    header: u64,
    size: u64,
) -> Option<ExplicitModuleSectionInfo<Vec<u8>>> {
    /// `DW_EH_PE_pcrel | DW_EH_PE_sdata4`, which all linkers write.
    const RELATIVE: u8 = 0x1b;
    let hdr = memory.slice(header, size)?;
    if *hdr.get(1)? != RELATIVE {
        return None;
    }
    let distance = i32::from_ne_bytes(hdr.get(4..8)?.try_into().ok()?);
    let frames = header.wrapping_add(4).wrapping_add_signed(distance.into());
    let all = memory.rest(frames)?;
    let eh_frame = &all[..length(all)];
    let stated = |at: u64, size: usize| {
        let from = at.wrapping_sub(bias);
        from..from + size as u64
    };
    Some(ExplicitModuleSectionInfo {
        base_svma: 0,
        eh_frame_svma: Some(stated(frames, eh_frame.len())),
        eh_frame: Some(eh_frame.to_vec()),
        eh_frame_hdr_svma: Some(stated(header, hdr.len())),
        eh_frame_hdr: Some(hdr.to_vec()),
        ..ExplicitModuleSectionInfo::default()
    })
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
        let next = usize::try_from(size)
            .ok()
            .and_then(|size| size.checked_add(at + head));
        match next.filter(|end| *end <= bytes.len()) {
            Some(next) => at = next,
            None => return at,
        }
    }
}

/// The build id in a segment of notes.
fn build_id(notes: &[u8]) -> Option<Vec<u8>> {
    const BUILD_ID: u32 = 3;
    let mut rest = notes;
    loop {
        let word = |at: usize| Some(u32::from_ne_bytes(rest.get(at..at + 4)?.try_into().ok()?));
        let (name, size, kind) = (word(0)? as usize, word(4)? as usize, word(8)?);
        let content = 12 + name.checked_next_multiple_of(4)?;
        let end = content.checked_add(size)?;
        if kind == BUILD_ID && rest.get(12..16)? == b"GNU\0" {
            return rest.get(content..end).map(<[u8]>::to_vec);
        }
        rest = rest.get(end.checked_next_multiple_of(4)?..)?;
    }
}
