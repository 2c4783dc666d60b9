//! What is loaded, with copies of its unwind information: what a signal handler reads is never unmapped under it.
//! Collected outside of handlers, published whole, and freed when no handler uses it any more.

use std::sync::Arc;
use std::sync::atomic::{AtomicPtr, AtomicU64, Ordering};

use framehop::{ExplicitModuleSectionInfo, Module as UnwindModule, Unwinder as _};
use ompchunk_guest::images::walk;
use ompchunk_guest::memory;
use ompchunk_trace_format::stacks::layout::MOST_SEGMENTS;
use ompchunk_trace_format::stacks::{Module, Segment};

use crate::lock::Lock;
use crate::stacks::hazard;
use crate::stacks::images::{self, LoadedImage, Section};
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
    place: LoadedImage,
    module: Arc<Module>,
    unwound: Option<UnwindModule<Vec<u8>>>,
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
    let same = SEEN.iter().zip(counts).all(|(seen, count)| seen.swap(count, Ordering::Relaxed) == count);
    if same {
        return changes;
    }
    let mut next = known.iter().map(|module| module.number + 1).max().unwrap_or(0);
    next = next.max(NEXT.load(Ordering::Relaxed) as u32);
    let Some(listed) = images::list().filter(|_| !memory::is_short()) else {
        return changes;
    };
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
    let new = Box::into_raw(Box::new(Modules { unwinder, code, own }));
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
    fn from_place(place: LoadedImage, number: u32, now: u64) -> Option<Known> {
        let object = images::copy(&place)?;
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
