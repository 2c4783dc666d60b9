//! How a process ended that did not end well, in a small file beside its part, which `ompchunk record` writes and not the process.

use std::fs::File;
use std::io::{self, Read};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;

use crate::without_control;

/// Ending of the file's name.
const EXTENSION: &str = "ended";
/// More of such a file is not read.
const LONGEST: u64 = 100;

/// The file beside a part.
pub fn path_beside(part: &Path) -> PathBuf {
    part.with_extension(EXTENSION)
}

/// Writes it, unless the process ended well.
pub fn write_beside(part: &Path, status: ExitStatus) -> io::Result<()> {
    let how = match (status.code(), status.signal()) {
        (Some(0), _) => return Ok(()),
        (Some(code), _) => format!("with exit code {code}\n"),
        // `signal: 9 (SIGKILL)`
        (None, _) => format!("by {}\n", status.to_string().replacen(':', "", 1)),
    };
    std::fs::write(path_beside(part), how)
}

/// How the process of a part ended: `with exit code 3`, `by signal 11 (SIGSEGV)`. `None`: well, or nobody knows.
pub fn beside(part: &Path) -> Option<String> {
    let mut text = String::new();
    let file = File::open(path_beside(part)).ok()?;
    file.take(LONGEST).read_to_string(&mut text).ok()?;
    let line = text.lines().next().filter(|line| !line.is_empty())?;
    Some(without_control(line))
}
