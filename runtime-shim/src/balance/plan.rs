//! What becomes of a loop in the next regions.

use ompchunk_abi::overrides::{Dealt, Schedule};

use super::part_times::Times;
use crate::static_override::stride::LARGEST_STEPPED;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    Source,
    Balanced,
    /// The runtime deals chunks of so many iterations, from 1 on.
    Dealt(Dealt, u32),
    /// `static` with chunks of so many iterations, from 1 to [`LARGEST_STEPPED`].
    StaticChunked(u32),
}

impl Mode {
    /// The mode of a schedule. None: no loop runs so here.
    pub(super) fn from_schedule(schedule: Schedule) -> Option<Mode> {
        if let Some(chunk) = schedule.static_chunk() {
            return (chunk <= LARGEST_STEPPED).then_some(Mode::StaticChunked(chunk));
        }
        schedule.dealt_by().map(|(kind, chunk)| Mode::Dealt(kind, chunk))
    }

    /// As near to it as can be had where no chunk of so many iterations is cut, from 1 on.
    pub(crate) fn keeping(self, whole: u32) -> Mode {
        let mode = match self {
            // Guided chunks end anywhere.
            Mode::Dealt(_, chunk) if whole > 1 => Mode::Dealt(Dealt::Dynamic, chunk),
            mode => mode,
        };
        let Some(schedule) = mode.schedule() else { return mode };
        schedule.keeping(whole).and_then(Mode::from_schedule).unwrap_or(Mode::Source)
    }

    /// None: it runs as compiled, or in blocks of equal cost.
    pub(crate) const fn schedule(self) -> Option<Schedule> {
        match self {
            Mode::Source | Mode::Balanced => None,
            Mode::Dealt(kind, chunk) => Some(Schedule::dealt(kind, chunk)),
            Mode::StaticChunked(chunk) => Some(Schedule::static_chunked(chunk)),
        }
    }

    /// Its text, where that of a loop as compiled is given.
    pub(super) fn text(self, source: &str) -> String {
        match self.schedule() {
            Some(schedule) => schedule.to_string(),
            None if self == Mode::Balanced => "balanced".to_owned(),
            None => source.to_owned(),
        }
    }
}

/// Which ways to run a loop has beside as compiled.
#[derive(Clone, Copy)]
pub(super) struct Can {
    pub(super) balance: bool,
    /// Chunks that the runtime deals, which a group's loops cannot have: they map no two loops alike.
    pub(super) deal: bool,
    /// `static` chunks, which a loop cannot have that begins only once.
    pub(super) chunks: bool,
    /// Iterations of a chunk of the source, which none of them cuts; 1: there are none.
    pub(super) whole: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Correction {
    None,
    /// They become what would have taken equal times.
    Whole,
    HalfWay,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Plan {
    pub(super) mode: Mode,
    pub(super) correction: Correction,
    /// Regions until one is timed again; 0: the next is.
    pub(super) pause: u64,
}

impl Plan {
    pub(super) const BALANCED: Plan = Plan::from_mode(Mode::Balanced);

    /// The next region is timed, and runs so.
    pub(super) const fn from_mode(mode: Mode) -> Plan {
        Plan { mode, correction: Correction::None, pause: 0 }
    }

    pub(super) const fn after(self, pause: u64) -> Plan {
        Plan { pause, ..self }
    }

    pub(super) const fn corrected(self, correction: Correction) -> Plan {
        Plan { correction, ..self }
    }
}

/// The busiest thread takes up to so many thousandths more than the average one: that is in balance.
const EVEN: f64 = 0.020;

/// The last chunks of a loop take this much longer than the average one, at most.
const CHUNKS_LEFT: f64 = 2.0;

/// Blocks that are so uneven may be worse than chunks.
const UNEVEN_BLOCKS: f64 = 0.05;

pub(super) fn is_even(times: &Times) -> bool {
    imbalance(times) <= EVEN
}

pub(super) fn is_uneven_for_blocks(times: &Times) -> bool {
    imbalance(times) > UNEVEN_BLOCKS
}

/// By which part a loop that runs as compiled, or in blocks, ends later than the average thread.
pub(super) fn imbalance(times: &Times) -> f64 {
    end(Mode::Source, times) / times.mean() - 1.0
}

/// Nanoseconds until an execution would have ended had each thread a core of its own: what the busiest thread took, but for
/// dealt chunks, of which a thread takes more while another's core is taken, and of which about one may be left at the end.
pub(super) fn end(mode: Mode, times: &Times) -> f64 {
    let all = times.mean() * times.ticks.len() as f64;
    let chunks = match mode {
        Mode::Source => times.chunks as f64,
        Mode::Dealt(Dealt::Dynamic, chunk) => times.iterations as f64 / f64::from(chunk),
        Mode::Dealt(..) | Mode::Balanced | Mode::StaticChunked(_) => 0.0,
    };
    if chunks > 0.0 { times.busiest().min(times.mean() + CHUNKS_LEFT * all / chunks) } else { times.busiest() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_that_lost_its_core_is_no_imbalance_where_chunks_are_dealt() {
        let mut times = Times::new(&[700_000, 300_000]);
        let dealt = |kind| Mode::Dealt(kind, 10);
        times.iterations = 1000;
        assert_eq!(end(Mode::Source, &times), 700_000.0);
        assert_eq!(end(dealt(Dealt::Dynamic), &times), 520_000.0);
        assert_eq!(end(dealt(Dealt::Guided), &times), 700_000.0);
        times.chunks = 200;
        assert_eq!(end(Mode::Source, &times), 510_000.0);
        assert_eq!(end(Mode::StaticChunked(5), &times), 700_000.0);
        // Long chunks may leave a thread alone.
        times.chunks = 4;
        assert_eq!(end(Mode::Source, &times), 700_000.0);
    }
}
