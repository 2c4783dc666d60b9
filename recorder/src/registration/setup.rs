//! What the recorder is told before it begins, and what it may ask of the system.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::os::fd::RawFd;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};
use std::{fs, io};

use ompchunk_trace_format::environment::{DIRECTORY, SUFFIX, set};
use ompchunk_trace_format::{ClockMeta, Settings};

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

pub(crate) struct Setup {
    pub(crate) directory: PathBuf,
    pub(crate) settings: Settings,
    pub(crate) clock: ClockMeta,
    pub(crate) source: Source,
}

#[derive(Debug, Clone, Default)]
pub struct Source {
    pub runtime: String,
    pub omp_version: u32,
    pub shim: bool,
    /// Answers to `ompt_set_callback`.
    pub events: BTreeMap<String, i32>,
}

pub(crate) const SUB_BLOCK: &str = "sub_block";
pub(crate) const WANTED: &str = "wanted";

impl Source {
    /// An OMPT runtime has asked for its tool.
    pub(crate) fn is_runtime(&self) -> bool {
        !self.events.is_empty()
    }

    pub(crate) fn profiles(&self) -> bool {
        self.events.get(SUB_BLOCK).copied().unwrap_or(0) >= ompt::raw::SET_SOMETIMES
    }
}

// Where the environment asks for parts. What shall be in them is [`ompchunk_trace_format::settings`].

pub(crate) fn directory() -> PathBuf {
    if let Some(directory) = set(DIRECTORY) {
        return PathBuf::from(directory);
    }
    let program = std::env::args_os().next().unwrap_or_default();
    let mut name = PathBuf::from(program).file_name().map_or_else(|| OsString::from("program"), OsString::from);
    name.push(SUFFIX);
    PathBuf::from(name)
}

// What the kernel lets the process have of files, and what is left of a file system.

/// The most descriptors. `None`: that may not be asked.
pub(crate) fn descriptors() -> Option<libc::rlim_t> {
    allows_rare_calls().then(|| limit_of(libc::RLIMIT_NOFILE)).flatten()
}

/// Asking the kernel for more would also send a signal, whose default is to kill the program.
pub(crate) fn within_limit(size: u64) -> io::Result<()> {
    match largest_file() {
        limit if limit != libc::RLIM_INFINITY && size > limit => Err(io::Error::from_raw_os_error(libc::EFBIG)),
        _ => Ok(()),
    }
}

/// As it is now, or was when it could be asked for last.
fn largest_file() -> libc::rlim_t {
    static KNOWN: AtomicU64 = AtomicU64::new(libc::RLIM_INFINITY);
    if allows_rare_calls() {
        let limit = limit_of(libc::RLIMIT_FSIZE).unwrap_or(libc::RLIM_INFINITY);
        KNOWN.store(limit, Ordering::Relaxed);
    }
    KNOWN.load(Ordering::Relaxed)
}

/// What the kernel says of a process or a thread behind its name, which may hold anything: the first of these fields is its state.
pub(crate) fn field_of_stat(path: &str, number: usize) -> Option<String> {
    let stat = fs::read(path).ok()?;
    let name = stat.iter().rposition(|byte| *byte == b')')?;
    let fields = std::str::from_utf8(&stat[name + 1..]).ok()?;
    fields.split_ascii_whitespace().nth(number).map(str::to_owned)
}

/// The least and the most bytes of a file system that stay free, and the share of it in between.
const LEAST_FREE: u64 = 16 << 20;
const MOST_FREE: u64 = 256 << 20;
const SHARE_FREE: u64 = 100;
/// No more than this share of a small one stays free.
const LARGEST_SHARE_FREE: u64 = 8;

/// How many bytes may be taken of a file's file system, and how many stay free. `None`: that cannot be asked.
pub(crate) fn room_beside(descriptor: RawFd) -> Option<(u64, u64)> {
    if !allows_rare_calls() {
        return None;
    }
    // SAFETY: all zeros is a valid value.
    let mut found: libc::statvfs = unsafe { std::mem::zeroed() };
    // SAFETY: writes to memory for it; a number that is no descriptor is an error.
    if unsafe { libc::fstatvfs(descriptor, &mut found) } != 0 {
        return None;
    }
    let size = found.f_blocks.saturating_mul(found.f_frsize);
    let free = found.f_bavail.saturating_mul(found.f_frsize);
    let kept = kept_of(size);
    (size > 0).then_some((free.saturating_sub(kept), kept))
}

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

/// One of so many executions is recorded chunk by chunk; 0: none.
static SAMPLE: AtomicU64 = AtomicU64::new(1);

pub(crate) fn start_sampling(sample: u64) {
    SAMPLE.store(sample, Ordering::Relaxed);
}

/// Whether an execution is recorded chunk by chunk, after `seen` earlier ones.
pub(crate) fn is_recorded(seen: u64) -> bool {
    match SAMPLE.load(Ordering::Relaxed) {
        0 => false,
        1 => true,
        one_of => seen % one_of == 0,
    }
}

pub(crate) fn records_some() -> bool {
    SAMPLE.load(Ordering::Relaxed) > 1
}

pub(crate) fn records_all() -> bool {
    SAMPLE.load(Ordering::Relaxed) == 1
}

static TIMES_ALONE: AtomicBool = AtomicBool::new(false);

/// From now on: nothing is asked of the system meanwhile, and what a killed program has recorded is not wanted.
pub(crate) fn start_times_alone() {
    TIMES_ALONE.store(true, Ordering::Relaxed);
}

/// Whether that is so: system calls in short executions would be measured as theirs.
pub(crate) fn times_alone() -> bool {
    TIMES_ALONE.load(Ordering::Relaxed)
}

// Whether a system call may be made that the recorder can do without: a program may have a filter (seccomp) that kills
// whoever makes a call that it does not name, and nothing says beforehand what it names.

/// The program may filter its calls at any time, so it is asked before each.
const ASKED_EACH_TIME: u8 = 0;
/// A filter was there before the program, as in a container: what is around it lives with the call.
const AROUND_THE_PROGRAM: u8 = 1;
const FORBIDDEN: u8 = 2;

static FILTER: AtomicU8 = AtomicU8::new(ASKED_EACH_TIME);

/// Looks for filters that are there at the beginning. Files are read for that, which the recorder must be able to anyhow.
pub(crate) fn look_for_filters() {
    let own = fs::read_to_string("/proc/thread-self/status").unwrap_or_default();
    let state = match field(&own, "Seccomp:") {
        Some(0) | None => ASKED_EACH_TIME,
        Some(_) if is_inherited(&own) => AROUND_THE_PROGRAM,
        Some(_) => FORBIDDEN,
    };
    FILTER.store(state, Ordering::Relaxed);
}

fn is_inherited(own: &str) -> bool {
    const FILTERS: &str = "Seccomp_filters:";
    let parent = std::os::unix::process::parent_id();
    let parent = fs::read_to_string(format!("/proc/{parent}/status")).unwrap_or_default();
    let filters = field(own, FILTERS);
    filters.is_some() && filters == field(&parent, FILTERS)
}

fn field(status: &str, name: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix(name))?;
    line.trim().parse().ok()
}

/// Whether the calling thread may make a call that not every filter names.
pub(crate) fn allows_rare_calls() -> bool {
    match FILTER.load(Ordering::Relaxed) {
        ASKED_EACH_TIME => {
            // SAFETY: takes no pointers. Filters name it, since libc itself calls it.
            let is_free = unsafe { libc::prctl(libc::PR_GET_SECCOMP) } == 0;
            if !is_free {
                FILTER.store(FORBIDDEN, Ordering::Relaxed);
            }
            is_free
        }
        state => state == AROUND_THE_PROGRAM,
    }
}

#[cfg(test)]
mod tests {
    use super::{field, kept_of};

    #[test]
    fn what_stays_free() {
        const MIB: u64 = 1 << 20;
        for (size, kept) in [(8, 1), (64, 8), (128, 16), (1600, 16), (10_000, 100), (1 << 20, 256)] {
            assert_eq!(kept_of(size * MIB), kept * MIB, "{size} MiB");
        }
    }

    #[test]
    fn fields_of_a_status() {
        let status = "Name:\tapp\nSeccomp:\t2\nSeccomp_filters:\t1\n";
        assert_eq!(field(status, "Seccomp:"), Some(2));
        assert_eq!(field(status, "Seccomp_filters:"), Some(1));
        assert_eq!(field("Name:\tapp\n", "Seccomp:"), None);
    }
}
