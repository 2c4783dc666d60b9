//! The metadata of a part, and its name.

use std::ffi::CStr;

use ompchunk_trace_format::environment::{self, rank};
use ompchunk_trace_format::{ClockMeta, Meta, Mode};

use crate::clock;
use crate::own;
use crate::setup::Setup;

pub(crate) fn collect(setup: &Setup, forked_from: Option<u32>) -> Meta {
    let rank = rank();
    let settings = &setup.settings;
    Meta {
        recorder: format!("libompchunk_trace {}", env!("CARGO_PKG_VERSION")),
        command: std::env::args_os()
            .map(|word| word.to_string_lossy().into_owned())
            .collect(),
        directory: std::env::current_dir()
            .map(|path| path.to_string_lossy().into_owned())
            .unwrap_or_default(),
        host: host(),
        processors: std::thread::available_parallelism().map_or(0, |it| it.get() as u32),
        pid: std::process::id(),
        process: started(),
        forked_from,
        rank: rank.as_ref().map(|it| it.rank),
        rank_from: rank.as_ref().map(|it| it.from.to_owned()),
        job: rank.and_then(|it| it.job),
        run: environment::set(environment::RUN).map(|it| it.to_string_lossy().into_owned()),
        started: clock::wall(),
        runtime: setup.source.runtime.clone(),
        omp_version: setup.source.omp_version,
        shim: setup.source.shim,
        events: setup.source.events.clone(),
        clock: ClockMeta {
            source: setup.clock.source.into(),
            hertz: setup.clock.hertz,
            read: setup.clock.read,
            step: setup.clock.step,
            cpu_read: setup.clock.cpu_read,
            own_least: Some(own::least(setup.clock.read)),
        },
        mode: Mode {
            aggregate: settings.aggregate,
            executions: settings.executions,
            sample: settings.sample,
            max_size: settings.max_size,
            profile: settings.profile && setup.source.profiles(),
            bookkeeping: settings.bookkeeping,
            loops: settings.loops.clone(),
            skip: settings.skip,
            seconds: settings.time.map(|it| it.as_secs_f64()),
        },
    }
}

/// When this process was started, in the kernel's count.
fn started() -> Option<u64> {
    let stat = std::fs::read("/proc/self/stat").ok()?;
    // Behind the program's name, which may hold anything.
    let name = stat.iter().rposition(|byte| *byte == b')')?;
    let fields = std::str::from_utf8(&stat[name + 1..]).ok()?;
    const STARTED: usize = 19;
    fields.split_ascii_whitespace().nth(STARTED)?.parse().ok()
}

fn host() -> String {
    let mut name = [0; 256];
    // SAFETY: writes at most the given number of bytes.
    unsafe { libc::gethostname(name.as_mut_ptr().cast(), name.len() - 1) };
    CStr::from_bytes_until_nul(&name)
        .map(|name| name.to_string_lossy().into_owned())
        .unwrap_or_default()
}
