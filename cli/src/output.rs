//! The one place that writes to standard output, and tells of what is no error.

use std::fmt::Display;
use std::io::{self, Write as _};
use std::path::Path;

use ompchunk_toolchain::Failure;

use crate::table::printable;

pub fn unwritable(path: &Path, cause: io::Error) -> Failure {
    let parent = path.parent().unwrap_or(Path::new(""));
    let is_missing = !parent.as_os_str().is_empty() && !parent.exists();
    let next = match cause.kind() {
        io::ErrorKind::NotFound if is_missing => {
            let parent = printable(&parent.to_string_lossy());
            &format!("mkdir -p {parent}, or name a file in a directory that is there")
        }
        io::ErrorKind::IsADirectory => "name a file: this is a directory",
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge => {
            "make room, or name a file elsewhere; `ulimit -f` limits the size of files"
        }
        _ => "name a file in a directory that you may write to",
    };
    Failure::new(format!("cannot write {}: {cause}", printable(&path.to_string_lossy())), next)
}

/// Before minutes of measuring: can it be written? What is there already stays.
pub fn check(path: &Path) -> Result<(), Failure> {
    let parent = path.parent().filter(|directory| !directory.as_os_str().is_empty());
    let opened = if path.exists() {
        std::fs::OpenOptions::new().append(true).open(path)
    } else {
        tempfile::tempfile_in(parent.unwrap_or(Path::new(".")))
    };
    opened.map(drop).map_err(|cause| unwritable(path, cause))
}

pub fn write(path: &Path, text: &str) -> Result<(), Failure> {
    std::fs::write(path, text).map_err(|cause| unwritable(path, cause))
}

/// Writes a page, to standard output if `to` is `-`, and says where it is.
pub fn write_page(to: &Path, page: &str) -> anyhow::Result<()> {
    if to == Path::new("-") {
        return Ok(print(page)?);
    }
    write(to, page)?;
    let path = std::fs::canonicalize(to).unwrap_or_else(|_| to.to_owned());
    Ok(print(&format!("wrote {}\n", printable(&path.display().to_string())))?)
}

/// Writes to standard output. That a reader such as `head` has gone is no error.
pub fn print(text: &str) -> io::Result<()> {
    print_bytes(text.as_bytes())
}

pub fn print_bytes(bytes: &[u8]) -> io::Result<()> {
    put(io::stdout().lock(), bytes)
}

/// Colours are left away where nobody wants them.
pub fn print_styled(text: &str) -> io::Result<()> {
    put(anstream::stdout().lock(), text.as_bytes())
}

fn put(mut out: impl io::Write, bytes: &[u8]) -> io::Result<()> {
    match out.write_all(bytes).and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        other => other,
    }
}

pub fn notice(text: &impl Display) {
    write_lines(&format!("ompchunk: {}\n", printable(&text.to_string())));
}

pub fn write_lines(lines: &str) {
    // With standard error gone, nobody is left to tell.
    let _ = io::stderr().write_all(lines.as_bytes());
}
