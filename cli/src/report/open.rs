//! Opens what a report is of. A part that cannot be opened is left away where others can.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use anyhow::Result;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use ompchunk_export::Ranks;
use ompchunk_trace_format::{Part, Trace, parts_in, settings, shown};

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("no part of the trace is of rank {asked}: it has {has}")]
    Rank { asked: String, has: String },
    #[error("{} is still being written, by process {pid}, and cannot be read at this moment", shown(.path))]
    Growing { path: PathBuf, pid: u32 },
    #[error("{} is named twice, and would count twice", shown(.0))]
    Twice(PathBuf),
    #[error("{} was recorded without chunks ({}=executions)", shown(.0), settings::VARIABLE)]
    Chunks(PathBuf),
    #[error("no loop of the trace is {0}")]
    Loop(String),
}

impl Error {
    pub fn next(&self) -> String {
        match self {
            Error::Rank { .. } => "name one of these, or leave out --rank",
            Error::Chunks(_) => "record it again without that variable: a report needs chunks",
            Error::Growing { .. } => "the same again, or when the process has ended",
            Error::Twice(_) => "name each directory or part once; a directory has all of its parts",
            Error::Loop(_) => "ompchunk report without --loop lists them; --top 0 lists all",
        }
        .to_owned()
    }
}

pub struct Opened {
    pub parts: Vec<Part>,
    pub skipped: Vec<ompchunk_trace_format::Error>,
}

impl AsRef<[Part]> for Opened {
    fn as_ref(&self) -> &[Part] {
        &self.parts
    }
}

/// It is an error if a path has no part that can be opened, or if a part is named twice.
pub fn open(paths: &[impl AsRef<Path>]) -> Result<Vec<Opened>> {
    for_many_parts();
    let all: Vec<Opened> = paths.iter().map(|path| open_path(path.as_ref())).collect::<Result<_>>()?;
    let mut known = HashSet::new();
    for part in all.iter().flat_map(|opened| &opened.parts) {
        // By another name it is the same.
        if !known.insert(part.path().canonicalize().unwrap_or_else(|_| part.path().to_owned())) {
            return Err(Error::Twice(part.path().to_owned()).into());
        }
    }
    Ok(all)
}

impl Opened {
    /// Leaves away parts of these ranks that cannot be read to their end; an error if none is left.
    pub fn readable(mut self, ranks: &Ranks) -> Result<Opened> {
        let mut all = Vec::new();
        for part in self.parts {
            match ranks.have(part.meta().rank).then(|| part.for_each(|_, _| {})) {
                Some(Err(error)) => self.skipped.push(error),
                Some(Ok(_)) | None => all.push(part),
            }
        }
        self.parts = all;
        if self.parts.is_empty() { Err(self.skipped.remove(0).into()) } else { Ok(self) }
    }
}

fn open_path(path: &Path) -> Result<Opened> {
    let mut opened = Opened { parts: Vec::new(), skipped: Vec::new() };
    let error = match Trace::open(path) {
        Ok(Trace { parts }) => return Ok(Opened { parts, ..opened }),
        Err(error) => error,
    };
    // Each for itself: all that `Trace` says of several is the first error.
    for file in parts_in(path).unwrap_or_default() {
        match Trace::open(&file) {
            Ok(trace) => opened.parts.extend(trace.parts),
            Err(error) => opened.skipped.push(error),
        }
    }
    if opened.parts.is_empty() {
        return Err(error.into());
    }
    opened
        .parts
        .sort_by_key(|part| (part.meta().rank.is_none(), part.meta().rank, part.meta().started, part.meta().pid));
    Ok(opened)
}

/// Bytes that take no time worth a bar.
const SHORT: u64 = 256 << 20;

pub fn bar(parts: &[&Part]) -> ProgressBar {
    let size = parts.iter().map(|part| part.size()).sum();
    if size < SHORT {
        return ProgressBar::hidden();
    }
    // Draws nothing where standard error is no terminal.
    let bar = ProgressBar::with_draw_target(Some(size), ProgressDrawTarget::stderr());
    if let Ok(style) = ProgressStyle::with_template("{bar:40} {bytes} of {total_bytes}, {bytes_per_sec}, {eta} left") {
        bar.set_style(style);
    }
    bar
}

/// Shows how far these are read, until it is dropped: then the bar goes.
pub fn progress(parts: &[&Part]) -> impl Fn(u64) + Sync + use<> {
    let bar = bar(parts);
    move |bytes| bar.inc(bytes)
}

/// Opens as many files as it may: of each rank one is read, and shells set a soft limit of 1024.
pub fn for_many_parts() {
    let mut files = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: a place for the limit.
    if unsafe { libc::getrlimit(libc::RLIMIT_NOFILE, &mut files) } != 0 {
        return;
    }
    files.rlim_cur = files.rlim_max;
    // SAFETY: a limit that is there; if it is refused, the old one still holds.
    unsafe { libc::setrlimit(libc::RLIMIT_NOFILE, &files) };
}
