//! The metadata of a part, and its name.

use std::ffi::{CStr, OsStr, OsString, c_char};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::parent_id;
use std::path::Path;
use std::sync::OnceLock;

use ompchunk_trace_format::environment::rank;
use ompchunk_trace_format::{ClockMeta, Command, Meta, Mode, Settings};

use crate::clock;
use crate::clock::own_time;
use crate::registration::setup::{Setup, field_of_stat};

pub(crate) fn collect(setup: &Setup, forked_from: Option<u32>) -> Meta {
    let rank = rank();
    let settings = &setup.settings;
    Meta {
        recorder: format!("libompchunk_trace {}", env!("CARGO_PKG_VERSION")),
        command: COMMAND.get_or_init(|| command(settings)).clone(),
        directory: std::env::current_dir().map(|path| path.to_string_lossy().into_owned()).unwrap_or_default(),
        host: host(),
        processors: std::thread::available_parallelism().map_or(0, |processors| processors.get() as u32),
        pid: std::process::id(),
        process: started(),
        before: before(),
        forked_from,
        rank: rank.as_ref().map(|rank| rank.rank),
        rank_from: rank.as_ref().map(|rank| rank.from.to_owned()),
        job: rank.and_then(|rank| rank.job),
        run: Some(settings.run.clone()).filter(|run| !run.is_empty()),
        started: clock::time(libc::CLOCK_REALTIME),
        runtime: setup.source.runtime.clone(),
        omp_version: setup.source.omp_version,
        shim: setup.source.shim,
        events: setup.source.events.clone(),
        clock: ClockMeta { own_least: Some(own_time::least(setup.clock.read)), ..setup.clock.clone() },
        mode: Mode { profile: settings.mode.profile && setup.source.profiles(), ..settings.mode.clone() },
    }
}

/// Once for all parts: forked processes have another parent.
static COMMAND: OnceLock<Vec<String>> = OnceLock::new();

/// What was started. A program may have written over its arguments by now.
fn command(settings: &Settings) -> Vec<String> {
    let found: Vec<OsString> = std::env::args_os().collect();
    let started = settings.command.as_ref().filter(|started| is_this_process(started, found.len()));
    let words = started.map_or(found, |started| started.words.clone());
    let text = |word: OsString| word.to_string_lossy().into_owned();
    words.into_iter().map(text).collect()
}

fn is_this_process(started: &Command, words: usize) -> bool {
    // SAFETY: the kernel's string beside the arguments, or null; it stays as long as the process.
    let file = unsafe {
        let file = libc::getauxval(libc::AT_EXECFN) as *const c_char;
        (!file.is_null()).then(|| CStr::from_ptr(file))
    };
    let name = |path: &OsStr| Path::new(path).file_name().map(OsStr::to_owned);
    let file = file.and_then(|file| name(OsStr::from_bytes(file.to_bytes())));
    let program = started.words.first().and_then(|word| name(word));
    started.parent == parent_id() && started.words.len() == words && program == file
}

fn started() -> Option<u64> {
    const STARTED: usize = 19;
    field_of_stat("/proc/self/stat", STARTED)?.parse().ok()
}

/// Seconds from this process's start until now, as exact as the kernel's count.
fn before() -> Option<f64> {
    // SAFETY: asks for a number.
    let per_second = unsafe { libc::sysconf(libc::_SC_CLK_TCK) };
    let started = started()? as f64 / (per_second > 0).then_some(per_second as f64)?;
    // With the time in which the machine slept: starts of processes are counted in that.
    let now = clock::time(libc::CLOCK_BOOTTIME) as f64 / 1e9;
    (now >= started).then_some(now - started)
}

fn host() -> String {
    let mut name = [0; 256];
    // SAFETY: writes at most the given number of bytes.
    unsafe { libc::gethostname(name.as_mut_ptr().cast(), name.len() - 1) };
    CStr::from_bytes_until_nul(&name).map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}
