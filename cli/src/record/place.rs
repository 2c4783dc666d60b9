//! Where a trace goes: a directory that is there, can be written to and holds no trace that this run's would mix
//! with.
//!
//! Under MPI each rank comes here by itself, at any time before or after the others have begun to record. So a
//! rank refuses and replaces only what is certainly not of its own run.

use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use ompchunk_trace_format::environment::Rank;
use ompchunk_trace_format::{Part, parts_in};

use super::launcher;

/// Ranks that have nothing to record remove the directory that they find empty, also while another makes it.
const ATTEMPTS: u32 = 100;

/// How much before its launcher a part seems to begin that is of the same run: clocks are read at different times,
/// and a process's start is known to 10 ms; on another machine there is another launcher and another clock.
const SAME_CLOCK: Duration = Duration::from_millis(20);
const OTHER_CLOCK: Duration = Duration::from_secs(60);

/// The trace has no place.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Parts of an earlier run.
    #[error("{} holds the trace of an earlier run", .directory.display())]
    Earlier {
        /// The directory.
        directory: PathBuf,
    },
    /// Something else is there.
    #[error("{} is not empty, and what is in it is no trace", .directory.display())]
    Foreign {
        /// The directory.
        directory: PathBuf,
    },
    /// It cannot be created or written to.
    #[error("cannot write to {}: {cause}", .directory.display())]
    Unwritable {
        /// The directory.
        directory: PathBuf,
        /// Why.
        cause: io::Error,
    },
}

impl Error {
    /// What to do about it.
    pub fn next(&self) -> String {
        match self {
            Error::Earlier { .. } => "-o with another directory, or --force to replace it",
            Error::Foreign { .. } => "-o with a directory that is empty or not there yet",
            Error::Unwritable { .. } => "-o with a directory that you may write to",
        }
        .into()
    }
}

/// Makes the place, or says why not.
pub(super) fn prepare(directory: &Path, rank: Option<&Rank>, force: bool) -> Result<(), Error> {
    let unwritable = |cause| Error::Unwritable {
        directory: directory.to_owned(),
        cause,
    };
    create(directory).map_err(unwritable)?;
    let parts = parts_in(directory).map_err(unwritable)?;
    let empty = std::fs::read_dir(directory)
        .map_err(unwritable)?
        .next()
        .is_none();
    let (earlier, others): (Vec<_>, Vec<_>) = parts
        .into_iter()
        .partition(|part| is_earlier(of_rank(part), rank));
    // One of them: of thousands of ranks none opens all parts.
    let other = rank.zip(others.first());
    if !force
        && (!earlier.is_empty() || other.is_some_and(|(rank, part)| is_of_other_run(part, rank)))
    {
        return Err(Error::Earlier {
            directory: directory.to_owned(),
        });
    }
    if earlier.is_empty() && rank.is_none() && !empty {
        return Err(Error::Foreign {
            directory: directory.to_owned(),
        });
    }
    for part in earlier {
        match std::fs::remove_file(&part) {
            // Another rank was quicker.
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(unwritable(error)),
            _ => {}
        }
    }
    Ok(())
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

/// The rank that a part's name tells.
pub(super) fn of_rank(part: &Path) -> Option<u64> {
    let name = part.file_name()?.to_str()?.split('.').next()?;
    name.strip_prefix("rank-")?.parse().ok()
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
            let apart = if meta.host == super::host() {
                SAME_CLOCK
            } else {
                OTHER_CLOCK
            };
            let started = SystemTime::UNIX_EPOCH + Duration::from_nanos(meta.started) + apart;
            launcher::started(rank).is_some_and(|launcher| started < launcher)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_of_another_run() {
        let rank = |size| Rank {
            rank: 2,
            size,
            from: "PMI_RANK",
            job: None,
        };
        let earlier = |name: &str, mine: Option<&Rank>| is_earlier(of_rank(Path::new(name)), mine);
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
}
