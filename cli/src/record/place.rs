//! Where a trace goes: a directory that is there, can be written to and holds no trace that this run's would mix
//! with.
//!
//! Under MPI each rank comes here by itself, at any time before or after the others have begun to record. So a
//! rank refuses and replaces only what is certainly not of its own run, and moves nothing.

use std::fs::File;
use std::io::{self, Read};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use ompchunk_trace_format::ended;
use ompchunk_trace_format::environment::{Rank, rank_of};
use ompchunk_trace_format::layout::MAGIC;
use ompchunk_trace_format::stacks::path_beside;
use ompchunk_trace_format::{Part, parts_in, shown};

use super::owner::{self, Claim};
use super::{aside, launcher};

/// Ranks that have nothing to record remove the directory that they find empty, also while another makes it.
const ATTEMPTS: u32 = 100;

/// How much before its launcher a part seems to begin that is of the same run: clocks are read at different times,
/// and a process's start is known to 10 ms; on another machine there is another launcher and another clock.
const SAME_CLOCK: Duration = Duration::from_millis(20);
const OTHER_CLOCK: Duration = Duration::from_secs(60);

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("{} holds the trace of an earlier run", shown(.directory))]
    Earlier { directory: PathBuf },
    /// Parts of an earlier run that stay where they are.
    #[error("{} holds the trace of an earlier run, which cannot be moved aside: {cause}", shown(.directory))]
    Unmovable { directory: PathBuf, cause: io::Error },
    #[error("{} is being written by another run{}", shown(.directory), because(.part.as_deref()))]
    Running {
        directory: PathBuf,
        /// By which that is known, if not by its lock.
        part: Option<PathBuf>,
    },
    #[error("{} is not empty, and what is in it is no trace", shown(.directory))]
    Foreign { directory: PathBuf },
    /// It cannot be created or written to.
    #[error("cannot write to {}: {cause}", shown(.directory))]
    Unwritable { directory: PathBuf, cause: io::Error },
}

impl Error {
    pub fn next(&self) -> String {
        match self {
            Error::Earlier { .. } | Error::Unmovable { .. } => "-o with another directory, or --force to replace it",
            Error::Running { .. } => "-o with another directory, or again when that run has ended",
            Error::Foreign { .. } => "-o with a directory that is empty or not there yet",
            Error::Unwritable { cause, .. } if cause.raw_os_error() == Some(libc::EMFILE) => {
                "again with a higher limit of open files (ulimit -n)"
            }
            Error::Unwritable { .. } => "-o with a directory that you may write to",
        }
        .into()
    }
}

fn because(path: Option<&Path>) -> String {
    let name = path.and_then(Path::file_name).unwrap_or_default();
    match path {
        Some(_) => format!(" ({} has no end yet)", name.to_string_lossy()),
        None => String::new(),
    }
}

/// What becomes of the trace of an earlier run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Earlier {
    /// It is moved aside, unless this is one of several ranks.
    Kept,
    /// It stays, and nothing is recorded.
    Refused,
    Replaced,
}

/// A place for the trace. While it is there, no other run takes it.
pub(super) struct OutputFolder {
    directory: PathBuf,
    /// Where the trace of the run before is now.
    pub(super) aside: Option<PathBuf>,
    _lock: Option<File>,
}

impl OutputFolder {
    /// Nothing ran: all is as it was before.
    pub(super) fn give_up(self) {
        // It takes the place of our directory, which is empty, in one step. One that is not empty stays.
        let is_back = self.aside.is_some_and(|aside| std::fs::rename(aside, &self.directory).is_ok());
        if !is_back {
            let _ = std::fs::remove_dir(&self.directory);
        }
    }
}

pub(super) fn prepare(directory: &Path, rank: Option<&Rank>, earlier: Earlier) -> Result<OutputFolder, Error> {
    let directory = directory.to_owned();
    let unwritable = |cause| Error::Unwritable { directory: directory.clone(), cause };
    let mut aside = None;
    for _ in 0..ATTEMPTS {
        create(&directory).map_err(unwritable)?;
        let lock = match owner::claim(&directory, rank.is_some()).map_err(unwritable)? {
            Claim::Ours(lock) => Some(lock),
            Claim::Unknown => None,
            Claim::Gone => continue,
            Claim::Taken => {
                return Err(Error::Running { directory, part: None });
            }
        };
        let parts = earlier_parts(&directory, rank, earlier)?;
        if !parts.is_empty() && earlier == Earlier::Kept {
            // Nothing of a rank is moved: it was refused. Without a lock, two that come at the same time could move each other's.
            if lock.is_none() || !is_movable(&directory, &parts) {
                return Err(Error::Earlier { directory });
            }
            aside = aside::move_aside(&directory)
                .map_err(|cause| Error::Unmovable { directory: directory.clone(), cause })?;
            continue;
        }
        for part in parts {
            let _ = std::fs::remove_file(path_beside(&part));
            let _ = std::fs::remove_file(ended::path_beside(&part));
            match std::fs::remove_file(&part) {
                // Another rank was quicker.
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    return Err(unwritable(error));
                }
                _ => {}
            }
        }
        return Ok(OutputFolder { directory, aside, _lock: lock });
    }
    Err(unwritable(io::ErrorKind::ResourceBusy.into()))
}

/// A trace that nobody writes any more. A link leads to where others may look for it, and files of the name may be
/// anything.
fn is_movable(directory: &Path, parts: &[PathBuf]) -> bool {
    let is_trace = parts.iter().any(|part| Part::open(part).is_ok());
    is_trace && !directory.is_symlink() && !owner::may_grow_elsewhere(parts)
}

/// The parts that are not of this run, unless they shall stay.
fn earlier_parts(directory: &Path, rank: Option<&Rank>, earlier: Earlier) -> Result<Vec<PathBuf>, Error> {
    let unwritable = |cause| Error::Unwritable { directory: directory.to_owned(), cause };
    let (parts, foreign): (Vec<_>, Vec<_>) =
        parts_in(directory).map_err(unwritable)?.into_iter().partition(|path| is_part(path));
    let empty = std::fs::read_dir(directory).map_err(unwritable)?.next().is_none();
    let (old, others): (Vec<_>, Vec<_>) = parts.into_iter().partition(|part| is_earlier(rank_of(part), rank));
    // One of them: of thousands of ranks none opens all parts.
    let other = rank.zip(others.first());
    let is_refused = match rank {
        Some(_) => earlier != Earlier::Replaced,
        None => earlier == Earlier::Refused,
    };
    if is_refused && (!old.is_empty() || other.is_some_and(|(rank, part)| is_of_other_run(part, rank))) {
        return Err(Error::Earlier { directory: directory.to_owned() });
    }
    if rank.is_none() && (old.is_empty() && !empty || !foreign.is_empty()) {
        return Err(Error::Foreign { directory: directory.to_owned() });
    }
    // Ranks of this run may have the same numbers as those of an earlier one that was killed elsewhere.
    let growing = owner::growing(&old).filter(|_| rank.is_none());
    if let Some(part) = growing {
        return Err(Error::Running { directory: directory.to_owned(), part: Some(part.clone()) });
    }
    Ok(old)
}

/// Was the file begun by a recorder? Other programs have files of that extension, too. One that was killed at once may have left it empty.
fn is_part(path: &Path) -> bool {
    let mut begin = [0; MAGIC.len()];
    match File::open(path).and_then(|mut file| file.read(&mut begin)) {
        Ok(0) => rank_of(path).is_some() || path.file_name().is_some_and(|name| name.as_bytes().starts_with(b"pid-")),
        Ok(read) => begin[..read] == MAGIC[..read],
        Err(_) => false,
    }
}

/// Makes the directory and tries whether it can be written to, before an earlier trace goes: if the new one cannot
/// be, the old one stays.
fn create(directory: &Path) -> io::Result<()> {
    let mut attempt = 0;
    loop {
        std::fs::create_dir_all(directory)?;
        match tempfile::tempfile_in(directory) {
            Err(error) if error.kind() == io::ErrorKind::NotFound && attempt < ATTEMPTS => {
                attempt += 1;
            }
            other => return other.map(drop),
        }
    }
}

/// No rank of this run writes a part of that name, or this one would and has not begun.
fn is_earlier(part: Option<u64>, mine: Option<&Rank>) -> bool {
    let Some(mine) = mine else { return true };
    part.is_none_or(|part| part == mine.rank || mine.size.is_some_and(|size| part >= size))
}

/// A part that another rank of this run may have begun is of another run.
fn is_of_other_run(part: &Path, rank: &Rank) -> bool {
    let Ok(part) = Part::open(part) else {
        return false;
    };
    let meta = part.meta();
    match (&meta.job, &rank.job) {
        (Some(theirs), Some(mine)) => theirs != mine,
        _ => {
            let apart = if meta.host == owner::host_name() { SAME_CLOCK } else { OTHER_CLOCK };
            let started = SystemTime::UNIX_EPOCH + Duration::from_nanos(meta.started) + apart;
            launcher::started(rank).is_some_and(|launcher| started < launcher)
        }
    }
}

#[cfg(test)]
mod tests {
    use ompchunk_trace_format::{Meta, PartWriter};

    use super::*;

    #[test]
    fn what_is_of_another_run() {
        let rank = |size| Rank { rank: 2, size, from: "PMI_RANK", job: None };
        let earlier = |name: &str, mine: Option<&Rank>| is_earlier(rank_of(Path::new(name)), mine);
        for size in [None, Some(4)] {
            let mine = rank(size);
            assert!(earlier("a/rank-2.trace", Some(&mine)));
            assert!(earlier("a/rank-2.1.trace", Some(&mine)));
            assert!(earlier("a/pid-2.trace", Some(&mine)));
            assert!(!earlier("a/rank-0.trace", Some(&mine)));
            assert!(!earlier("a/rank-3.trace", Some(&mine)));
            assert_eq!(earlier("a/rank-4.trace", Some(&mine)), size.is_some());
        }
        assert!(earlier("a/rank-0.trace", None));
    }

    #[test]
    fn files_of_others_stay() {
        let parent = tempfile::tempdir().unwrap();
        let foreign = parent.path().join("pid-7.trace");
        let ours = parent.path().join("pid-8.trace");
        std::fs::write(&foreign, "somebody's data").unwrap();
        // What another test starts meanwhile has our lock until it is another program.
        let is_held = |tried: &Result<_, Error>| matches!(tried, Err(Error::Running { part: None, .. }));
        let replaced = || loop {
            match prepare(parent.path(), None, Earlier::Replaced) {
                tried if is_held(&tried) => std::thread::yield_now(),
                tried => return tried,
            }
        };
        assert!(matches!(replaced(), Err(Error::Foreign { .. })));
        PartWriter::with_block_size(&ours, &Meta::default(), 0, 4096).unwrap().finish(10).unwrap();
        assert!(matches!(replaced(), Err(Error::Foreign { .. })));
        assert!(foreign.exists() && ours.exists());
        std::fs::write(&foreign, "").unwrap();
        assert!(replaced().is_ok());
        assert!(!foreign.exists() && !ours.exists());
    }

    /// Other ranks may be about to write there: what is of an earlier run stays where it is, and nothing is put beside it.
    #[test]
    fn a_rank_moves_nothing_and_joins_no_earlier_run() {
        let parent = tempfile::tempdir().unwrap();
        let directory = parent.path().join("app.ompchunk");
        std::fs::create_dir(&directory).unwrap();
        let part = directory.join("rank-1.trace");
        let meta = Meta { job: Some("first".into()), ..Meta::default() };
        let writer = PartWriter::with_block_size(&part, &meta, 0, 4096).unwrap();
        writer.finish(10).unwrap();
        let prepared = |rank, job: &str| {
            let rank = Rank { rank, size: Some(2), from: "PMI_RANK", job: Some(job.into()) };
            prepare(&directory, Some(&rank), Earlier::Kept)
        };
        // The part has its own number, or is another rank's.
        for rank in [1, 0] {
            let refused = prepared(rank, "second");
            assert!(matches!(refused, Err(Error::Earlier { .. })), "rank {rank}");
        }
        let of_this_run = prepared(0, "first");
        assert!(of_this_run.is_ok_and(|of_this_run| of_this_run.aside.is_none()));
        assert!(part.exists());
        assert_eq!(std::fs::read_dir(parent.path()).unwrap().count(), 1);
    }
}
