//! What a program reads and prints, kept aside: each run has the same input, and its output is looked at later.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::os::fd::AsFd;
use std::process::Stdio;

use anyhow::{Context, Result};

/// A file without a name.
pub fn aside() -> Result<File> {
    tempfile::tempfile().context("cannot make a file for what the program prints")
}

/// A file that is our input is that of each run, from its beginning; from elsewhere nothing can be read twice.
pub fn input() -> Stdio {
    let ours = std::io::stdin();
    let again = || {
        let status = rustix::fs::fstat(ours.as_fd()).ok()?;
        let is_file = rustix::fs::FileType::from_raw_mode(status.st_mode).is_file();
        is_file.then(|| File::open("/proc/self/fd/0").ok()).flatten()
    };
    again().map_or_else(Stdio::null, Stdio::from)
}

/// How much of what a program said is repeated.
const MOST_SAID: u64 = 2000;

/// The end of it.
pub fn end_of(mut errors: File) -> String {
    let mut said = Vec::new();
    let length = errors.metadata().map_or(0, |metadata| metadata.len());
    let from = SeekFrom::Start(length.saturating_sub(MOST_SAID));
    let _ = errors.seek(from).and_then(|_| errors.read_to_end(&mut said));
    String::from_utf8_lossy(&said).trim_end().to_owned()
}
