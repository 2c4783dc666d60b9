//! Who records into a directory. A command, alone or with other ranks, holds a lock on the directory, not on its name, while its
//! program runs; it goes with the process. A recording without a command is known by its part, which has no end, and by its process, which lives.

use std::fs::File;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use ompchunk_trace_format::environment::Rank;
use ompchunk_trace_format::{Meta, Part, parts_in};
use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;

/// A process and its part begin at times that are read from different clocks.
const SAME_TIME: Duration = Duration::from_secs(1);

pub(super) enum Claim {
    /// It is ours, until the file is closed.
    Ours(File),
    Taken,
    /// By now the name is another directory's, or nobody's.
    Gone,
    /// The file system has no such locks.
    Unknown,
}

pub(super) fn claim(directory: &Path, shared: bool) -> io::Result<Claim> {
    let file = match File::open(directory) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Claim::Gone),
        opened => opened?,
    };
    let how = if shared { FlockOperation::NonBlockingLockShared } else { FlockOperation::NonBlockingLockExclusive };
    match flock(&file, how) {
        Err(Errno::WOULDBLOCK) => return Ok(Claim::Taken),
        Err(_) => return Ok(Claim::Unknown),
        Ok(()) => {}
    }
    // Who had it before us may have moved or removed it.
    let is_same = std::fs::metadata(directory)
        .is_ok_and(|now| file.metadata().is_ok_and(|ours| (ours.dev(), ours.ino()) == (now.dev(), now.ino())));
    Ok(if is_same { Claim::Ours(file) } else { Claim::Gone })
}

pub(super) fn growing(parts: &[PathBuf]) -> Option<&PathBuf> {
    let mut open = without_end(parts);
    open.find(|(_, part)| is_growing(part)).map(|(path, _)| path)
}

pub(super) fn may_grow_elsewhere(parts: &[PathBuf]) -> bool {
    without_end(parts).any(|(_, part)| part.meta().host != host_name())
}

fn without_end(parts: &[PathBuf]) -> impl Iterator<Item = (&PathBuf, Part)> {
    parts.iter().filter_map(|path| {
        let part = Part::open(path).ok()?;
        (!part.head().ended).then_some((path, part))
    })
}

/// Whether a process of this machine is writing a part.
pub fn is_growing(part: &Part) -> bool {
    let meta = part.meta();
    let lives = !part.head().ended && meta.host == host_name() && lives(meta);
    lives && has_recorder(meta.pid) && successor(part).is_none()
}

/// The part in which the process of one without an end went on, having become another program (`exec`).
pub fn successor(part: &Part) -> Option<Part> {
    let path = part.path();
    // All parts of a process begin with the same name: `pid-7`, then `pid-7.1`.
    let name = |path: &Path| Some(path.file_name()?.to_string_lossy().into_owned());
    let own = name(path)?;
    let stem = own.split('.').next()?;
    let others = parts_in(path.parent()?).ok()?;
    let same = others.iter().filter(|part| name(part).is_some_and(|name| name.split('.').next() == Some(stem)));
    let parts = same.filter_map(|part| Part::open(part).ok());
    parts
        .filter(|next| !part.head().ended && part.meta().is_followed_by(next.meta()))
        .min_by_key(|part| part.meta().started)
}

/// Whether a process still is a program with a recorder: it may have become one without.
fn has_recorder(pid: u32) -> bool {
    // It is not known of a process that may not be looked into.
    let Ok(maps) = std::fs::read(format!("/proc/{pid}/maps")) else { return true };
    let ours = [&b"libompchunk_trace"[..], b"/memfd:ompchunk"];
    let mut lines = maps.split(|byte| *byte == b'\n');
    lines.any(|line| ours.iter().any(|ours| line.windows(ours.len()).any(|at| at == *ours)))
}

fn lives(meta: &Meta) -> bool {
    // A later process may have got the number.
    let began = SystemTime::UNIX_EPOCH + Duration::from_nanos(meta.started) + SAME_TIME;
    Process::from_id(meta.pid)
        .is_some_and(|process| !process.is_over && process.started().is_none_or(|started| started <= began))
}

pub fn host_name() -> String {
    std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default().trim().to_owned()
}

/// Deeper nests of scripts are not looked through.
const MOST_ANCESTORS: u32 = 100;

/// When the closest ancestor that has no rank was started: some launchers give a run no name that ranks agree in (`Rank::job`).
pub(super) fn launcher_started(rank: &Rank) -> Option<SystemTime> {
    let mut process = Process::from_id(std::process::id())?;
    for _ in 0..MOST_ANCESTORS {
        process = Process::from_id(process.parent)?;
        if !has_variable(process.id, &format!("{}=", rank.from)) {
            return process.started();
        }
    }
    None
}

struct Process {
    id: u32,
    parent: u32,
    /// It has ended, and nobody has asked how.
    is_over: bool,
    /// Its start, since the system's.
    ticks: u64,
}

impl Process {
    fn from_id(id: u32) -> Option<Process> {
        let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
        // The second field is a name in parentheses that may hold anything.
        let (_, fields) = stat.rsplit_once(')')?;
        let mut fields = fields.split_ascii_whitespace();
        let is_over = matches!(fields.next()?, "Z" | "X");
        let parent = fields.next()?.parse().ok()?;
        let ticks = fields.nth(17)?.parse().ok()?;
        Some(Process { id, parent, is_over, ticks })
    }

    fn started(&self) -> Option<SystemTime> {
        // SAFETY: takes a number and gives one.
        let per_second = unsafe { libc::sysconf(libc::_SC_CLK_TCK) };
        let since_boot = (per_second > 0).then(|| Duration::from_secs_f64(self.ticks as f64 / per_second as f64))?;
        SystemTime::now().checked_sub(uptime()?.checked_sub(since_boot)?)
    }
}

/// Whether a variable of a process begins so; another user's process, or one that has ended, has none.
pub(super) fn has_variable(id: u32, begin: &str) -> bool {
    let environment = std::fs::read(format!("/proc/{id}/environ")).unwrap_or_default();
    let mut entries = environment.split(|byte| *byte == 0);
    entries.any(|entry| entry.starts_with(begin.as_bytes()))
}

fn uptime() -> Option<Duration> {
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `now` outlives the call.
    let known = unsafe { libc::clock_gettime(libc::CLOCK_BOOTTIME, &mut now) } == 0;
    known.then(|| Duration::new(now.tv_sec as u64, now.tv_nsec as u32))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The ancestors of a test have no rank by this name, so its parent counts as the launcher.
    #[test]
    fn a_launcher_was_started_before_its_ranks() {
        let rank = Rank { rank: 0, size: None, from: "OMPCHUNK_NO_SUCH_RANK", job: None };
        let started = launcher_started(&rank).expect("/proc");
        let age = SystemTime::now().duration_since(started).expect("in the past");
        assert!(age < uptime().expect("a clock"));
        let me = Process::from_id(std::process::id()).expect("/proc");
        assert_eq!(me.parent, std::os::unix::process::parent_id());
        assert!(Process::from_id(me.parent).expect("/proc").ticks <= me.ticks);
        assert!(!has_variable(std::process::id(), "OMPCHUNK_NO_SUCH_RANK="));
        assert!(has_variable(std::process::id(), "PATH="));
    }
}
