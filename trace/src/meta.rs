//! What a part says of its run, as JSON. Fields may be added without a new version: readers skip unknown ones and have defaults for others.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::settings::Mode;

/// What is known of a run when it begins.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Meta {
    /// Name and version of the recorder.
    pub recorder: String,
    /// The program and its arguments; what is not UTF-8 is replaced.
    pub command: Vec<String>,
    /// Where it was started.
    pub directory: String,
    /// Name of the machine.
    pub host: String,
    /// Processors that the process may use.
    pub processors: u32,
    /// The process's number.
    pub pid: u32,
    /// When the process was started, as the kernel counts: a later process with that number has another one.
    pub process: Option<u64>,
    /// Seconds from the process's start, in its later parts too, until the recording began, to a hundredth; `None`: not known.
    pub before: Option<f64>,
    /// The number of the process that this one is a fork of, if that was recorded too.
    pub forked_from: Option<u32>,
    /// The rank under MPI or a batch system, ...
    pub rank: Option<u64>,
    /// ... the variable that it came from, ...
    pub rank_from: Option<String>,
    /// ... and the launcher's name for the job: the ranks of one run agree in it.
    pub job: Option<String>,
    /// Which `ompchunk record` this process runs under: a name that no other has.
    pub run: Option<String>,
    /// Wall-clock time of the start, nanoseconds since 1970.
    pub started: u64,
    /// The runtime's name and version, as it gave it.
    pub runtime: String,
    /// The OpenMP version that the runtime states: 201611 and so on.
    pub omp_version: u32,
    /// The shim was there. If not, there are only the runtime's own chunk events.
    pub shim: bool,
    /// The runtime's (or the shim's) answers to `ompt_set_callback`, by event.
    pub events: BTreeMap<String, i32>,
    /// The clock.
    pub clock: ClockMeta,
    /// What was asked for.
    pub mode: Mode,
}

impl Meta {
    /// Whether a part is of the same process, and later: that became another program (`exec`), or its runtime began again.
    pub fn is_followed_by(&self, later: &Meta) -> bool {
        let process = |meta: &Meta| (meta.pid, meta.process, meta.rank);
        let is_same = self.process.is_some() && process(self) == process(later) && self.host == later.host;
        is_same && self.started < later.started
    }
}

/// The clock of a part.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ClockMeta {
    /// `tsc`, `cntvct` or `monotonic`.
    pub source: String,
    /// Ticks per second, measured at the start; [`crate::Part::clock`] is better.
    pub hertz: f64,
    /// Ticks that one reading takes.
    pub read: f64,
    /// Ticks by which it advances at once, where that is longer than a reading takes; `None`: not known, or it is not.
    pub step: Option<f64>,
    /// Ticks per reading of the thread's CPU clock, by which time off a core is known; `None`: it is not read.
    pub cpu_read: Option<f64>,
    /// Ticks of the recorder's own work that are told at least; `None`: its work is not told.
    pub own_least: Option<f64>,
}

/// The clock of a part: a straight line through two readings of both clocks.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Clock {
    /// Ticks at the start of the recording.
    pub start: u64,
    /// `CLOCK_MONOTONIC` at the start, in nanoseconds: comparable between parts of one machine.
    pub start_ns: u64,
    /// Ticks per second.
    pub hertz: f64,
}

/// A shorter recording measures the rate worse than the recorder did at the start.
const LONG_ENOUGH: u64 = 100_000_000;

impl Clock {
    pub(crate) fn between(start: (u64, u64), end: (u64, u64), estimate: f64) -> Clock {
        let (ticks, ns) = (end.0.wrapping_sub(start.0), end.1.wrapping_sub(start.1));
        let estimated = estimate.is_finite() && estimate > 0.0;
        let measured = end.0 > start.0 && end.1 > start.1;
        let hertz = if measured && (ns >= LONG_ENOUGH || !estimated) {
            ticks as f64 * 1e9 / ns as f64
        } else if estimated {
            estimate
        } else {
            1e9
        };
        Clock { start: start.0, start_ns: start.1, hertz }
    }

    /// Nanoseconds that so many ticks are.
    pub fn duration(&self, ticks: u64) -> f64 {
        ticks as f64 * (1e9 / self.hertz)
    }

    /// Nanoseconds from the start of the recording to `ticks`; 0 for a time before it.
    pub fn since_start(&self, ticks: u64) -> f64 {
        self.duration(ticks.saturating_sub(self.start))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_recording_knows_its_rate_better_than_the_estimate() {
        let hertz = |ns: u64, estimate: f64| Clock::between((5, 5), (5 + 2 * ns, 5 + ns), estimate).hertz;
        assert_eq!(hertz(LONG_ENOUGH, 1e9), 2e9);
        assert_eq!(hertz(LONG_ENOUGH - 1, 1e9), 1e9);
        assert_eq!(hertz(1000, 0.0), 2e9);
        assert_eq!(hertz(0, 0.0), 1e9);
    }
}
