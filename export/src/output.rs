//! Where an export goes: a file, which is overwritten, standard output, or a directory of several files.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::error::Error;
use crate::process::Process;

/// A writer that remembers its first failure. Readers of the trace need not return failures.
pub(crate) struct Output {
    path: PathBuf,
    to: BufWriter<Box<dyn Write>>,
    failed: Option<io::Error>,
}

impl Output {
    pub(crate) fn open(path: &Path, processes: &[Process<'_>]) -> Result<Output, Error> {
        let to: Box<dyn Write> = if path == Path::new("-") {
            Box::new(io::stdout())
        } else {
            if processes.iter().any(|process| same_file(process.part.path(), path)) {
                return Err(Error::WouldOverwriteTrace { path: path.to_owned() });
            }
            Box::new(File::create(path).map_err(|cause| Error::write(path, cause))?)
        };
        Ok(Output { path: path.to_owned(), to: BufWriter::with_capacity(1 << 16, to), failed: None })
    }

    pub(crate) fn text(&mut self, text: &str) {
        let _ = self.write_all(text.as_bytes());
    }

    pub(crate) fn json(&mut self, value: &impl Serialize) {
        let _ = serde_json::to_writer(self, value);
    }

    pub(crate) fn has_failed(&self) -> bool {
        self.failed.is_some()
    }

    /// Writes what is left. That a reader of standard output such as `head` has gone is no error.
    pub(crate) fn finish(mut self) -> Result<(), Error> {
        let flushed = self.to.flush();
        let Err(cause) = self.failed.map_or(flushed, Err) else { return Ok(()) };
        let is_gone = self.path == Path::new("-") && cause.kind() == io::ErrorKind::BrokenPipe;
        if is_gone { Ok(()) } else { Err(Error::write(&self.path, cause)) }
    }
}

pub(crate) fn finish_csv(to: csv::Writer<Output>) -> Result<(), Error> {
    match to.into_inner() {
        Ok(output) => output.finish(),
        Err(_) => unreachable!("an output remembers its failures"),
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.write_all(bytes).map(|()| bytes.len())
    }

    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        if self.failed.is_none() {
            self.failed = self.to.write_all(bytes).err();
        }
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn same_file(left: &Path, right: &Path) -> bool {
    let (left, right) = (left.canonicalize(), right.canonicalize());
    left.is_ok_and(|left| right.is_ok_and(|right| left == right))
}

/// A new directory, or an empty one.
pub(crate) fn prepare(directory: &Path) -> Result<(), Error> {
    let failed = |cause| Error::write(directory, cause);
    if directory == Path::new("-") {
        return Err(failed(io::Error::other("these are several files, and no stream")));
    }
    match fs::read_dir(directory) {
        Ok(mut entries) => match entries.next() {
            None => Ok(()),
            Some(Err(cause)) => Err(failed(cause)),
            Some(Ok(_)) => Err(Error::NotEmpty { path: directory.to_owned() }),
        },
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => fs::create_dir_all(directory).map_err(failed),
        Err(cause) => Err(failed(cause)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_failure_is_the_one_that_is_told() {
        let mut output = Output::open(Path::new("/dev/full"), &[]).expect("opens");
        for _ in 0..10 {
            output.write_all(&[b'x'; 1 << 16]).expect("remembered");
        }
        assert!(output.has_failed());
        let error = output.finish().expect_err("the disk is full").to_string();
        assert!(error.starts_with("cannot write /dev/full: "), "{error}");
    }
}
