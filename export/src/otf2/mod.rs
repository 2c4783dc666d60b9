//! OTF2, the format of Score-P, for Vampir, Scalasca, Pipit and other readers: an archive in a directory, written by libotf2.
//! Each process is read twice: for its teams and tasks (`teams`), then for its events (`writing`), side by side on all cores. What they name is
//! numbered by process (`regions`) and put together at the end (`definitions`). The library is declared in `symbols`, called in
//! `archive`, and calls `callbacks`; no other file has to do with C.

mod archive;
mod callbacks;
mod chunks;
mod definitions;
mod events;
mod lane;
mod regions;
mod symbols;
mod teams;
mod writing;

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};

use rayon::prelude::*;

use self::archive::{Archive, BUFFER, NAME};
use self::callbacks::complaint;
use self::definitions::Shared;
use self::symbols::CHUNK_SIZE_DEFINITIONS_DEFAULT;
use self::teams::Teams;
use self::writing::Written;
use crate::error::Error;
use crate::notice::Notices;
use crate::output::prepare;
use crate::process::Process;

/// Bytes of events in memory, all locations together; those of one process may take more.
const MEMORY: usize = 32 << 20;

/// Processes whose locations are not counted before.
const FEW: usize = 16;

/// Writes the archive. `progress` is told of bytes that were read, from any thread.
pub(crate) fn write(
    processes: &[Process<'_>],
    directory: &Path,
    notices: &mut Notices,
    progress: &(dyn Fn(u64) + Sync),
) -> Result<(), Error> {
    let symbols = symbols::load()?;
    let is_new = !directory.exists();
    prepare(directory)?;
    let mut destination = Destination { directory, is_new, whole: false };
    let Some(first) = processes.first() else { return Err(Error::NoSuchRank) };
    let about = first.part.meta().command.join(" ");
    let archive = Archive::create(symbols, directory, &about, longest(processes)?)?;
    let written = events(&archive, processes, progress)?;
    let end = written.iter().map(|written| written.end).max().unwrap_or(0);
    // At the beginning of the earliest process, where timestamps begin.
    let before = first.ns(first.part.clock().start).round() as u64;
    let real = first.part.meta().started.saturating_sub(before);
    let mut shared = Shared::new(&archive, end, real)?;
    let define =
        |(process, written): (&Process<'_>, &Written)| shared.process(process, &written.locations, &written.numbers);
    let maps: Vec<_> = processes.iter().zip(&written).map(define).collect();
    shared.finish()?;
    archive.begin_mappings()?;
    for (written, maps) in written.into_iter().zip(maps) {
        for location in &written.locations {
            archive.mapping(location.number, &maps)?;
        }
        notices.add(written.notices);
    }
    archive.end_mappings()?;
    archive.close()?;
    destination.whole = true;
    Ok(())
}

/// Bytes of the longest definition: the list of all locations. Each location's own definitions take as much memory, so that of many
/// processes the number is estimated, with room for four times as many.
fn longest(processes: &[Process<'_>]) -> Result<u64, Error> {
    if processes.len() <= FEW {
        return Ok(CHUNK_SIZE_DEFINITIONS_DEFAULT);
    }
    let lanes = processes.iter().map(|process| Ok(process.part.lanes()?.len() as u64));
    Ok(4 * 10 * lanes.sum::<Result<u64, Error>>()?)
}

fn events(
    archive: &Archive,
    processes: &[Process<'_>],
    progress: &(dyn Fn(u64) + Sync),
) -> Result<Vec<Written>, Error> {
    let (failed, memory) = (AtomicBool::new(false), Memory::default());
    let goes_on = || !failed.load(Ordering::Relaxed);
    let write = |process: &Process<'_>| {
        // What the library said of an older archive in this thread.
        drop(complaint());
        let teams = Teams::read(process.part)?;
        let _taken = memory.take(teams.threads * BUFFER);
        writing::write(archive, process, &teams, progress, &goes_on)
    };
    let written = processes.par_iter().filter(|_| goes_on()).map(|process| {
        let written = write(process);
        failed.fetch_or(written.is_err(), Ordering::Relaxed);
        written
    });
    // One has nothing only where another one has failed.
    let written = written.collect::<Result<Vec<Option<Written>>, Error>>()?;
    Ok(written.into_iter().flatten().collect())
}

#[derive(Default)]
struct Memory {
    taken: Mutex<usize>,
    freed: Condvar,
}

struct Taken<'m>(&'m Memory, usize);

impl Memory {
    /// Waits until there is room, or nobody else.
    fn take(&self, bytes: usize) -> Taken<'_> {
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        while *taken > 0 && *taken + bytes > MEMORY {
            taken = self.freed.wait(taken).unwrap_or_else(PoisonError::into_inner);
        }
        *taken += bytes;
        Taken(self, bytes)
    }
}

impl Drop for Taken<'_> {
    fn drop(&mut self) {
        let mut taken = self.0.taken.lock().unwrap_or_else(PoisonError::into_inner);
        *taken -= self.1;
        self.0.freed.notify_all();
    }
}

/// A directory that is ours until the archive is whole.
struct Destination<'d> {
    directory: &'d Path,
    is_new: bool,
    whole: bool,
}

impl Drop for Destination<'_> {
    fn drop(&mut self) {
        if self.whole {
            return;
        }
        let name = NAME.to_string_lossy();
        // The error that led here is the one that is told.
        for extension in ["otf2", "def"] {
            let _ = fs::remove_file(self.directory.join(format!("{name}.{extension}")));
        }
        let _ = fs::remove_dir_all(self.directory.join(&*name));
        if self.is_new {
            let _ = fs::remove_dir(self.directory);
        }
    }
}
