//! Where a trace goes: a directory that can be written to and holds no trace that this run's would mix with. Each rank comes here
//! at any time before or after others begin, so it refuses and replaces only what is certainly not of its own run, and moves nothing.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use ompchunk_toolchain::Failure;
use ompchunk_trace_format::environment::{Rank, rank_of};
use ompchunk_trace_format::layout::MAGIC;
use ompchunk_trace_format::stacks::path_beside;
use ompchunk_trace_format::{Part, ended, parts_in, shown};

use super::owner::{self, Claim};

/// Ranks that have nothing to record remove the directory that they find empty, also while another makes it.
const ATTEMPTS: u32 = 100;

/// How much before its launcher a part of the same run seems to begin: a process's start is known to 10 ms, and clocks differ.
const SAME_CLOCK: Duration = Duration::from_millis(20);
const OTHER_CLOCK: Duration = Duration::from_secs(60);

/// `more`: why it is not moved aside, where it could be.
fn earlier_run(directory: &Path, more: &str) -> Failure {
    let what = format!("{} holds the trace of an earlier run{more}", shown(directory));
    Failure::new(what, "-o with another directory, or --force to replace it")
}

/// `more`: by which that is known, if not by its lock.
fn running(directory: &Path, more: &str) -> Failure {
    let what = format!("{} is being written by another run{more}", shown(directory));
    Failure::new(what, "-o with another directory, or again when that run has ended")
}

fn unwritable(directory: &Path, cause: &io::Error) -> Failure {
    let next = match cause.raw_os_error() {
        Some(libc::EMFILE) => "again with a higher limit of open files (ulimit -n)",
        _ => "-o with a directory that you may write to",
    };
    Failure::new(format!("cannot write to {}: {cause}", shown(directory)), next)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Earlier {
    /// It is moved aside, unless this is one of several ranks.
    Kept,
    Refused,
    Replaced,
}

/// While it is there, no other run takes it.
pub(super) struct OutputFolder {
    directory: PathBuf,
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

pub(super) fn prepare(directory: &Path, rank: Option<&Rank>, earlier: Earlier) -> Result<OutputFolder, Failure> {
    let unwritable = |cause| unwritable(directory, &cause);
    let mut aside = None;
    for _ in 0..ATTEMPTS {
        create(directory).map_err(unwritable)?;
        let lock = match owner::claim(directory, rank.is_some()).map_err(unwritable)? {
            Claim::Ours(lock) => Some(lock),
            Claim::Unknown => None,
            Claim::Gone => continue,
            Claim::Taken => return Err(running(directory, "")),
        };
        let parts = earlier_parts(directory, rank, earlier)?;
        if !parts.is_empty() && earlier == Earlier::Kept {
            // A trace that nobody writes any more. A link leads to where others may look for it, and files of the name may be anything.
            let is_trace = parts.iter().any(|part| Part::open(part).is_ok());
            let is_movable = is_trace && !directory.is_symlink() && !owner::may_grow_elsewhere(&parts);
            // Nothing of a rank is moved: it was refused. Without a lock, two that come at the same time could move each other's.
            if lock.is_none() || !is_movable {
                return Err(earlier_run(directory, ""));
            }
            aside = move_aside(directory)
                .map_err(|cause| earlier_run(directory, &format!(", which cannot be moved aside: {cause}")))?;
            continue;
        }
        for part in parts {
            let _ = std::fs::remove_file(path_beside(&part));
            let _ = std::fs::remove_file(ended::path_beside(&part));
            match std::fs::remove_file(&part) {
                // Another rank was quicker.
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(unwritable(error)),
                _ => {}
            }
        }
        return Ok(OutputFolder { directory: directory.to_owned(), aside, _lock: lock });
    }
    Err(unwritable(io::ErrorKind::ResourceBusy.into()))
}

/// The parts that are not of this run, unless they shall stay.
fn earlier_parts(directory: &Path, rank: Option<&Rank>, earlier: Earlier) -> Result<Vec<PathBuf>, Failure> {
    let unwritable = |cause| unwritable(directory, &cause);
    let (parts, foreign): (Vec<_>, Vec<_>) =
        parts_in(directory).map_err(unwritable)?.into_iter().partition(|path| is_part(path));
    let empty = std::fs::read_dir(directory).map_err(unwritable)?.next().is_none();
    let (old, others): (Vec<_>, Vec<_>) = parts.into_iter().partition(|part| is_earlier(rank_of(part), rank));
    // One of them: of thousands of ranks none opens all parts.
    let other = rank.zip(others.first());
    let is_refused = if rank.is_some() { earlier != Earlier::Replaced } else { earlier == Earlier::Refused };
    if is_refused && (!old.is_empty() || other.is_some_and(|(rank, part)| is_of_other_run(part, rank))) {
        return Err(earlier_run(directory, ""));
    }
    if rank.is_none() && (old.is_empty() && !empty || !foreign.is_empty()) {
        let what = format!("{} is not empty, and what is in it is no trace", shown(directory));
        return Err(Failure::new(what, "-o with a directory that is empty or not there yet"));
    }
    // Ranks of this run may have the same numbers as those of an earlier one that was killed elsewhere.
    let growing = owner::growing(&old).filter(|_| rank.is_none());
    if let Some(part) = growing {
        let name = part.file_name().unwrap_or_default().to_string_lossy();
        return Err(running(directory, &format!(" ({name} has no end yet)")));
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

/// Also tries whether it can be written to, before an earlier trace goes.
fn create(directory: &Path) -> io::Result<()> {
    let mut attempt = 0;
    loop {
        std::fs::create_dir_all(directory)?;
        match tempfile::tempfile_in(directory) {
            Err(error) if error.kind() == io::ErrorKind::NotFound && attempt < ATTEMPTS => attempt += 1,
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
    let Ok(part) = Part::open(part) else { return false };
    let meta = part.meta();
    match (&meta.job, &rank.job) {
        (Some(theirs), Some(mine)) => theirs != mine,
        _ => {
            let apart = if meta.host == owner::host_name() { SAME_CLOCK } else { OTHER_CLOCK };
            let started = SystemTime::UNIX_EPOCH + Duration::from_nanos(meta.started) + apart;
            owner::launcher_started(rank).is_some_and(|launcher| started < launcher)
        }
    }
}

/// To the number after the highest: `app.ompchunk.1`, then `.2`. Nothing that is there is replaced. `None`: it is gone.
fn move_aside(directory: &Path) -> io::Result<Option<PathBuf>> {
    for number in highest(directory)? + 1.. {
        let mut name = directory.as_os_str().to_owned();
        name.push(format!(".{number}"));
        let target = PathBuf::from(name);
        // One of several that come at the same time gets the name. A directory may take an empty one's place.
        match std::fs::create_dir(&target) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
            created => created?,
        }
        match std::fs::rename(directory, &target) {
            Ok(()) => return Ok(Some(target)),
            Err(error) if error.kind() == io::ErrorKind::DirectoryNotEmpty => {}
            Err(error) => {
                // It is empty, or somebody else's by now and stays.
                let _ = std::fs::remove_dir(&target);
                return if error.kind() == io::ErrorKind::NotFound { Ok(None) } else { Err(error) };
            }
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

/// The highest number that follows the name, whatever has it.
fn highest(directory: &Path) -> io::Result<u32> {
    let parent = directory.parent().filter(|parent| *parent != Path::new("")).unwrap_or(Path::new("."));
    let name = directory.file_name().unwrap_or_default();
    let mut highest = 0;
    for entry in std::fs::read_dir(parent)? {
        highest = highest.max(number_after(name, &entry?.file_name()).unwrap_or(0));
    }
    Ok(highest)
}

fn number_after(name: &OsStr, of: &OsStr) -> Option<u32> {
    let digits = of.as_bytes().strip_prefix(name.as_bytes())?;
    let digits = std::str::from_utf8(digits.strip_prefix(b".")?).ok()?;
    let is_number = digits.bytes().all(|byte| byte.is_ascii_digit());
    // The very largest is not counted on from.
    digits.parse().ok().filter(|number| is_number && *number < u32::MAX)
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
        let is_held = |why: &Failure| why.to_string().ends_with(" is being written by another run");
        let replaced = || loop {
            match prepare(parent.path(), None, Earlier::Replaced) {
                Err(why) if is_held(&why) => std::thread::yield_now(),
                tried => return tried.map(drop).map_err(|why| why.to_string()),
            }
        };
        let is_foreign = |why: String| why.ends_with("what is in it is no trace");
        assert!(replaced().is_err_and(is_foreign));
        PartWriter::with_block_size(&ours, &Meta::default(), 0, 4096).unwrap().finish(10).unwrap();
        assert!(replaced().is_err_and(is_foreign));
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
            let why = refused.map(drop).unwrap_err().to_string();
            assert!(why.ends_with(" holds the trace of an earlier run"), "rank {rank}: {why}");
        }
        let of_this_run = prepared(0, "first");
        assert!(of_this_run.is_ok_and(|of_this_run| of_this_run.aside.is_none()));
        assert!(part.exists());
        assert_eq!(std::fs::read_dir(parent.path()).unwrap().count(), 1);
    }

    #[test]
    fn names_that_are_there_are_left() {
        let at = tempfile::tempdir().unwrap();
        let path = |name: &str| at.path().join(name);
        let is_moved_to = |name: &str| {
            std::fs::create_dir(path("a")).unwrap();
            std::fs::write(path("a").join("x"), name).unwrap();
            let moved = move_aside(&path("a")).unwrap();
            assert_eq!(moved, Some(path(name)));
            assert_eq!(std::fs::read_to_string(path(name).join("x")).unwrap(), name);
            assert!(!path("a").exists());
        };
        is_moved_to("a.1");
        is_moved_to("a.2");
        std::fs::remove_dir_all(path("a.1")).unwrap();
        is_moved_to("a.3");
        for name in ["a.x", "a.+9", "a.99999999999", "b.7", "a.4294967295"] {
            std::fs::create_dir(path(name)).unwrap();
        }
        std::fs::write(path("a.5"), "a file").unwrap();
        is_moved_to("a.6");
        assert_eq!(std::fs::read_to_string(path("a.5")).unwrap(), "a file");
        assert_eq!(move_aside(&path("a")).unwrap(), None);
        assert!(!path("a.7").exists());
    }
}
