//! What the recorder is told before it begins.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::RawFd;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

use ompchunk_trace_format::Settings;
use ompchunk_trace_format::environment::{DIRECTORY, SUFFIX, set};

use crate::clock::Measured;
use crate::sandbox;

/// Nothing is recorded of a program with another user's rights.
pub(crate) fn refuse_privileges() -> Result<(), String> {
    // SAFETY: `getauxval` has no preconditions.
    if unsafe { libc::getauxval(libc::AT_SECURE) } != 0 {
        return Err(
            "a set-user-ID program is not recorded: whoever starts it would say which files it writes, by the \
             environment, by the directory or by its name"
                .into(),
        );
    }
    Ok(())
}

/// What is needed to begin a part, also in a forked process.
pub(crate) struct Setup {
    /// Where parts go.
    pub(crate) directory: PathBuf,
    pub(crate) settings: Settings,
    pub(crate) clock: Measured,
    pub(crate) source: Source,
}

impl Setup {
    /// Most bytes of a part; `None`: no limit.
    pub(crate) fn most_bytes(&self) -> Option<u64> {
        Some(self.settings.max_size).filter(|size| *size > 0)
    }
}

/// What is known of the runtime.
#[derive(Debug, Clone, Default)]
pub struct Source {
    /// Its name and version, as it gave it.
    pub runtime: String,
    /// The OpenMP version that it states.
    pub omp_version: u32,
    /// The shim is there.
    pub shim: bool,
    /// Answers to `ompt_set_callback`.
    pub events: BTreeMap<String, i32>,
}

/// The name of the event in [`Source::events`].
pub(crate) const SUB_BLOCK: &str = "sub_block";
/// Likewise.
pub(crate) const WANTED: &str = "wanted";

impl Source {
    /// An OMPT runtime has asked for its tool.
    pub(crate) fn is_runtime(&self) -> bool {
        !self.events.is_empty()
    }

    /// Sub-blocks are told.
    pub(crate) fn profiles(&self) -> bool {
        self.events.get(SUB_BLOCK).copied().unwrap_or(0) >= ompt::raw::SET_SOMETIMES
    }
}

// Where the environment asks for parts. What shall be in them is [`ompchunk_trace_format::settings`].

pub(crate) fn directory() -> PathBuf {
    set(DIRECTORY).map_or_else(default_directory, PathBuf::from)
}

fn default_directory() -> PathBuf {
    let program = std::env::args_os().next().unwrap_or_default();
    let mut name = PathBuf::from(program).file_name().map_or_else(|| OsString::from("program"), OsString::from);
    name.push(SUFFIX);
    PathBuf::from(name)
}

// What the kernel lets the process have of files, and what is left of a file system.

/// The most descriptors. `None`: that may not be asked.
pub(crate) fn descriptors() -> Option<libc::rlim_t> {
    sandbox::allows_rare_calls().then(|| limit_of(libc::RLIMIT_NOFILE)).flatten()
}

/// Whether a file of the process may be so large. Asking the kernel for more would also send a signal, whose
/// default is to kill the program.
pub(crate) fn within_limit(size: u64) -> io::Result<()> {
    match largest_file() {
        limit if limit != libc::RLIM_INFINITY && size > limit => Err(io::Error::from_raw_os_error(libc::EFBIG)),
        _ => Ok(()),
    }
}

/// As it is now, or was when it could be asked for last.
fn largest_file() -> libc::rlim_t {
    static KNOWN: AtomicU64 = AtomicU64::new(libc::RLIM_INFINITY);
    if sandbox::allows_rare_calls() {
        let limit = limit_of(libc::RLIMIT_FSIZE).unwrap_or(libc::RLIM_INFINITY);
        KNOWN.store(limit, Ordering::Relaxed);
    }
    KNOWN.load(Ordering::Relaxed)
}

/// The least and the most bytes of a file system that stay free, and the share of it in between.
const LEAST_FREE: u64 = 16 << 20;
const MOST_FREE: u64 = 256 << 20;
const SHARE_FREE: u64 = 100;
/// No more than this share of a small one stays free.
const LARGEST_SHARE_FREE: u64 = 8;

/// How many more bytes may be taken of the file system that a file is on, and how many stay free for the program and others.
/// `None`: it does not say, or may not be asked.
pub(crate) fn room_beside(descriptor: RawFd) -> Option<(u64, u64)> {
    if !sandbox::allows_rare_calls() {
        return None;
    }
    let mut found = MaybeUninit::<libc::statvfs>::zeroed();
    // SAFETY: writes to memory for it; a number that is no descriptor is an error.
    if unsafe { libc::fstatvfs(descriptor, found.as_mut_ptr()) } != 0 {
        return None;
    }
    // SAFETY: all zeros is a valid value, and the call has filled it in.
    let found = unsafe { found.assume_init() };
    let size = found.f_blocks.saturating_mul(found.f_frsize);
    let free = found.f_bavail.saturating_mul(found.f_frsize);
    let kept = kept_of(size);
    (size > 0).then_some((free.saturating_sub(kept), kept))
}

/// How many bytes of a file system of that size stay free.
fn kept_of(size: u64) -> u64 {
    let share = (size / SHARE_FREE).clamp(LEAST_FREE, MOST_FREE);
    share.min(size / LARGEST_SHARE_FREE)
}

fn limit_of(what: libc::__rlimit_resource_t) -> Option<libc::rlim_t> {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: `limit` outlives the call.
    let known = unsafe { libc::getrlimit(what, &mut limit) } == 0;
    known.then_some(limit.rlim_cur)
}

#[cfg(test)]
mod tests {
    use super::kept_of;

    #[test]
    fn what_stays_free() {
        const MIB: u64 = 1 << 20;
        for (size, kept) in [(8, 1), (64, 8), (128, 16), (1600, 16), (10_000, 100), (1 << 20, 256)] {
            assert_eq!(kept_of(size * MIB), kept * MIB, "{size} MiB");
        }
    }
}
