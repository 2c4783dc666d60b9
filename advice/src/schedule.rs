//! A loop's schedule: how it is written, and which one a recorded loop had.

use std::fmt;

use ompchunk_analysis::profile::{Execution, Facts};
use ompchunk_analysis::raw::{WORK_LOOP_DYNAMIC, WORK_LOOP_GUIDED, WORK_LOOP_STATIC};
use ompchunk_analysis::sched_type::{
    BALANCED, DYNAMIC, GUIDED, GUIDED_SIMD, MONOTONIC, RUNTIME_SIMD, STATIC, STATIC_CHUNKED, STATIC_SIMD, is_ordered,
    kind as kind_of,
};

/// How a loop's iterations are dealt, the simplest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    Static,
    Dynamic,
    /// On demand, in chunks that become smaller.
    Guided,
}

impl Kind {
    pub fn name(self) -> &'static str {
        match self {
            Kind::Static => "static",
            Kind::Dynamic => "dynamic",
            Kind::Guided => "guided",
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Schedule {
    pub kind: Kind,
    /// Its chunk size; `None`, which only `static` has: one block per thread.
    pub chunk: Option<u64>,
    /// Chunks come in order, from one place: for `dynamic` the older rule.
    pub monotonic: bool,
}

impl Schedule {
    /// Why a loop of `distribute` has no other.
    pub(crate) const DISTRIBUTE: &str =
        "it deals iterations to teams (distribute), for which there is no other schedule";
    pub const STATIC: Schedule = Schedule { kind: Kind::Static, chunk: None, monotonic: false };

    pub const fn with_chunk(kind: Kind, chunk: u64) -> Schedule {
        Schedule { kind, chunk: Some(if chunk == 0 { 1 } else { chunk }), monotonic: false }
    }

    pub fn clause(&self) -> String {
        format!("schedule({self})")
    }

    /// The simplest first, of one kind the largest chunk.
    pub fn effort(&self) -> (u8, u64) {
        (self.kind as u8, u64::MAX - self.chunk.unwrap_or(u64::MAX))
    }

    /// The schedule under which an execution ran, or why no other can be thought of.
    pub fn now(facts: &Facts, execution: &Execution) -> Result<Schedule, &'static str> {
        let kind = kind_of(facts.schedule);
        let monotonic = facts.schedule & MONOTONIC != 0 || facts.last_read;
        let chunks_of = |kind, chunk: u64| Schedule {
            monotonic: monotonic && kind == Kind::Dynamic,
            ..Schedule::with_chunk(kind, chunk)
        };
        let written = facts.chunk.filter(|chunk| *chunk > 0).map_or(1, i64::unsigned_abs);
        match (execution.work, kind) {
            _ if facts.distribute => Err(Schedule::DISTRIBUTE),
            _ if facts.sections => Err("its iterations are sections, for which there is no other schedule"),
            _ if is_ordered(kind) => {
                Err("it is ordered: which schedule is best depends on its ordered region, which is not simulated")
            }
            (_, BALANCED) => Err("it ran in blocks of equal cost (balanced), for which no clause stands"),
            (_, STATIC_SIMD | GUIDED_SIMD | RUNTIME_SIMD) => {
                Err("its schedule has the modifier simd, which is not simulated")
            }
            (WORK_LOOP_STATIC, _) => Ok(static_of(execution)),
            // A loop that is no longer than a chunk does not tell how long that may be.
            (WORK_LOOP_DYNAMIC, DYNAMIC) if execution.trips <= execution.largest => {
                Ok(chunks_of(Kind::Dynamic, written.max(execution.largest)))
            }
            // What ran, which another schedule than the source's may have dealt.
            (WORK_LOOP_DYNAMIC, _) => Ok(chunks_of(Kind::Dynamic, execution.largest)),
            (WORK_LOOP_GUIDED, GUIDED) => Ok(chunks_of(Kind::Guided, written)),
            (WORK_LOOP_GUIDED, _) => Ok(chunks_of(Kind::Guided, 1)),
            (_, STATIC | STATIC_CHUNKED) => Ok(static_of(execution)),
            (_, DYNAMIC) => Ok(chunks_of(Kind::Dynamic, execution.largest)),
            (_, GUIDED) => Ok(chunks_of(Kind::Guided, written)),
            _ => Err("the runtime does not report its schedule"),
        }
    }
}

fn static_of(execution: &Execution) -> Schedule {
    let threads = execution.threads.len().max(1) as u64;
    let block = execution.trips.div_ceil(threads);
    let is_block = execution.chunks <= threads && execution.largest <= block;
    if is_block { Schedule::STATIC } else { Schedule::with_chunk(Kind::Static, execution.largest) }
}

impl fmt::Display for Schedule {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.monotonic {
            to.write_str("monotonic:")?;
        }
        to.write_str(self.kind.name())?;
        self.chunk.map_or(Ok(()), |chunk| write!(to, ",{chunk}"))
    }
}

/// What is said of a schedule that cuts chunks of the source, or may. `None`: it cuts none.
pub(crate) fn cuts(facts: &Facts, schedule: Schedule) -> Option<String> {
    let kind = kind_of(facts.schedule);
    if !matches!(kind, STATIC_CHUNKED | DYNAMIC | GUIDED) {
        return None;
    }
    let Some(written) = facts.chunk else {
        return Some("it may cut the source's chunks, whose size the program computes".to_owned());
    };
    let written = written.max(1).unsigned_abs();
    let fits = match (schedule.kind, schedule.chunk) {
        (Kind::Guided, _) | (_, None) => written == 1,
        (Kind::Static | Kind::Dynamic, Some(chunk)) => chunk % written == 0,
    };
    (!fits).then(|| format!("it cuts the source's chunks of {written} iterations"))
}

#[cfg(test)]
mod tests {
    use ompchunk_analysis::sched_type::NONMONOTONIC;

    use super::*;

    #[test]
    fn as_a_user_writes_it() {
        assert_eq!(Schedule::STATIC.clause(), "schedule(static)");
        let dynamic = Schedule::with_chunk(Kind::Dynamic, 16);
        assert_eq!(dynamic.to_string(), "dynamic,16");
        let monotonic = Schedule { monotonic: true, ..dynamic };
        assert_eq!(monotonic.clause(), "schedule(monotonic:dynamic,16)");
        let small = Schedule::with_chunk(Kind::Dynamic, 1);
        assert!(dynamic.effort() < small.effort());
        assert!(Schedule::STATIC.effort() < dynamic.effort());
    }

    #[test]
    fn what_ran_and_not_what_is_written() {
        let facts = Facts { schedule: 34, ..Facts::default() };
        let mut execution = Execution {
            trips: 100,
            work: WORK_LOOP_STATIC,
            threads: vec![Default::default(); 2],
            chunks: 2,
            largest: 50,
            ..Execution::default()
        };
        assert_eq!(Schedule::now(&facts, &execution), Ok(Schedule::STATIC));
        (execution.chunks, execution.largest) = (25, 4);
        let chunked = Schedule::with_chunk(Kind::Static, 4);
        assert_eq!(Schedule::now(&facts, &execution), Ok(chunked));
        // One chunk of all iterations is no block.
        (execution.chunks, execution.largest) = (1, 100);
        let one_chunk = Schedule::with_chunk(Kind::Static, 100);
        assert_eq!(Schedule::now(&facts, &execution), Ok(one_chunk));
        (execution.work, execution.largest) = (WORK_LOOP_DYNAMIC, 8);
        let dynamic = Schedule::with_chunk(Kind::Dynamic, 8);
        assert_eq!(Schedule::now(&facts, &execution), Ok(dynamic));
        execution.work = 13;
        let runtime = Facts { schedule: 37, ..facts };
        assert!(Schedule::now(&runtime, &execution).is_err());
        let ordered = Facts { schedule: 66, ..facts };
        assert!(Schedule::now(&ordered, &execution).is_err());
    }

    #[test]
    fn multiples_cut_nothing() {
        let of = |schedule, chunk| Facts { schedule, chunk, ..Facts::default() };
        let chunks = Schedule::with_chunk(Kind::Dynamic, 64);
        for kind in [STATIC_CHUNKED, DYNAMIC | NONMONOTONIC, GUIDED] {
            for (written, wanted) in [(1, None), (32, None), (100, Some("of 100 iterations"))] {
                let said = cuts(&of(kind, Some(written)), chunks);
                assert_eq!(said.is_some(), wanted.is_some(), "{kind} {written}");
                assert!(said.unwrap_or_default().ends_with(wanted.unwrap_or("")));
            }
            assert!(cuts(&of(kind, None), chunks).is_some());
            for anywhere in [Schedule::STATIC, Schedule::with_chunk(Kind::Guided, 64)] {
                assert!(cuts(&of(kind, Some(32)), anywhere).is_some());
                assert!(cuts(&of(kind, Some(1)), anywhere).is_none());
            }
        }
        for kind in [34, 37, 38] {
            assert!(cuts(&of(kind, None), chunks).is_none());
        }
    }
}
