//! When the launcher of this rank was started: a part that is older is of another run. Some launchers give a run no
//! name that its ranks could agree in (`Rank::job`).

use std::time::{Duration, SystemTime};

use ompchunk_trace_format::environment::Rank;

/// Deeper nests of scripts are not looked through.
const MOST_ANCESTORS: u32 = 100;

/// The launcher's start, if `/proc` tells: that of the closest ancestor that has no rank.
pub(super) fn started(rank: &Rank) -> Option<SystemTime> {
    let mut process = Process::from_id(std::process::id())?;
    for _ in 0..MOST_ANCESTORS {
        process = Process::from_id(process.parent)?;
        if !has_rank(process.id, rank) {
            return process.started();
        }
    }
    None
}

/// A process, as `/proc` has it.
pub(super) struct Process {
    id: u32,
    parent: u32,
    /// It has ended, and nobody has asked how.
    pub(super) is_over: bool,
    /// Its start, since the system's.
    ticks: u64,
}

impl Process {
    pub(super) fn from_id(id: u32) -> Option<Process> {
        let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
        // The second field is a name in parentheses that may hold anything.
        let (_, fields) = stat.rsplit_once(')')?;
        let mut fields = fields.split_ascii_whitespace();
        let is_over = matches!(fields.next()?, "Z" | "X");
        let parent = fields.next()?.parse().ok()?;
        let ticks = fields.nth(17)?.parse().ok()?;
        Some(Process { id, parent, is_over, ticks })
    }

    pub(super) fn started(&self) -> Option<SystemTime> {
        let since_boot = Duration::from_secs_f64(self.ticks as f64 / ticks_per_second()?);
        SystemTime::now().checked_sub(uptime()?.checked_sub(since_boot)?)
    }
}

/// A process whose environment may not be read is another user's, so no part of this rank.
fn has_rank(id: u32, rank: &Rank) -> bool {
    let environment = std::fs::read(format!("/proc/{id}/environ")).unwrap_or_default();
    environment
        .split(|byte| *byte == 0)
        .any(|entry| entry.strip_prefix(rank.from.as_bytes()).is_some_and(|rest| rest.starts_with(b"=")))
}

fn ticks_per_second() -> Option<f64> {
    // SAFETY: takes a number and gives one.
    let ticks = unsafe { libc::sysconf(libc::_SC_CLK_TCK) };
    (ticks > 0).then_some(ticks as f64)
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
        let started = started(&rank).expect("/proc");
        let age = SystemTime::now().duration_since(started).expect("in the past");
        assert!(age < uptime().expect("a clock"));
        let me = Process::from_id(std::process::id()).expect("/proc");
        assert_eq!(me.parent, std::os::unix::process::parent_id());
        assert!(Process::from_id(me.parent).expect("/proc").ticks <= me.ticks);
        assert!(!has_rank(std::process::id(), &rank));
        let path = Rank { from: "PATH", ..rank };
        assert!(has_rank(std::process::id(), &path));
    }
}
