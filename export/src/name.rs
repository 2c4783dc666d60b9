//! Names for people: OMPT's numbers by OMPT's names, loops by position and clause, the user's own values.

use ompchunk_trace_format::schedule::{self, ChunkSize};
use ompchunk_trace_format::{LoopBegin, LoopDefinition};

/// `ompt_thread_t`
pub(crate) fn thread(kind: u32) -> &'static str {
    match kind {
        1 => "initial thread",
        2 => "worker",
        3 => "other thread",
        _ => "thread",
    }
}

/// `ompt_work_t`
pub(crate) fn work(work: u32) -> &'static str {
    match work {
        1 => "loop",
        2 => "sections",
        3 => "single executor",
        4 => "single other",
        5 => "workshare",
        6 => "distribute",
        7 => "taskloop",
        8 => "scope",
        10 => "loop static",
        11 => "loop dynamic",
        12 => "loop guided",
        13 => "loop other",
        _ => "work",
    }
}

/// `ompt_sync_region_t`
pub(crate) fn sync(kind: u32) -> &'static str {
    match kind {
        1 => "barrier",
        2 => "implicit barrier",
        3 => "explicit barrier",
        4 => "barrier of the implementation",
        5 => "taskwait",
        6 => "taskgroup",
        7 => "reduction",
        8 => "implicit barrier of a worksharing construct",
        9 => "implicit barrier of a parallel region",
        10 => "barrier of a league",
        _ => "synchronization",
    }
}

/// Barriers, by `ompt_sync_region_t`.
pub(crate) fn is_barrier(kind: u32) -> bool {
    matches!(kind, 1..=4 | 8..=10)
}

/// `enum ompt_chunk_loop_flags`
pub(crate) mod flag {
    pub(crate) const SIGNED: u32 = 1;
    pub(crate) const CHUNKED: u32 = 1 << 1;
    pub(crate) const CHUNK_KNOWN: u32 = 1 << 2;
}

/// The clause as a user writes it; of a loop that the plugin did not see, what the runtime says.
pub(crate) fn clause(definition: &LoopDefinition<'_>, work: u32) -> String {
    if !definition.instrumented {
        return self::work(work).to_owned();
    }
    let chunk = if definition.flags & flag::CHUNK_KNOWN != 0 {
        ChunkSize::Known(definition.chunk)
    } else if definition.flags & flag::CHUNKED != 0 {
        ChunkSize::RunTime
    } else {
        ChunkSize::None
    };
    schedule::clause(definition.schedule, chunk)
}

/// How to compute the user's variable in an execution of a loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Variable {
    start: i64,
    step: i64,
    bits: u8,
    signed: bool,
}

impl Variable {
    /// `None` where start or step are not known.
    pub(crate) fn of(bits: u8, flags: u32, begin: &LoopBegin) -> Option<Variable> {
        Some(Variable {
            start: begin.start?,
            step: begin.step?,
            bits: (1..=64).contains(&bits).then_some(bits)?,
            // Of the user's variable that is not known. Narrow ones are promoted to int, so this says
            // nothing of them; wider ones give the logical variable their sign.
            signed: flags & flag::SIGNED != 0,
        })
    }

    /// The user's value in logical iteration `k`.
    pub(crate) fn at(self, k: u64) -> i128 {
        let wrapped = (self.start as u64).wrapping_add(k.wrapping_mul(self.step as u64));
        let unused = 64 - u32::from(self.bits);
        if self.signed {
            i128::from(((wrapped << unused) as i64) >> unused)
        } else {
            i128::from((wrapped << unused) >> unused)
        }
    }

    /// The user's values in a chunk's first and last iteration.
    pub(crate) fn range(self, lower: u64, iterations: u64) -> (i128, i128) {
        let last = lower.wrapping_add(iterations.saturating_sub(1));
        (self.at(lower), self.at(last))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn begin(start: i64, step: i64) -> LoopBegin {
        LoopBegin {
            the_loop: 0,
            work: 10,
            count: 100,
            start: Some(start),
            step: Some(step),
        }
    }

    #[test]
    fn the_users_values_wrap_like_the_users_variable() {
        let signed = Variable::of(32, flag::SIGNED, &begin(-5, -2)).expect("known");
        assert_eq!(signed.range(0, 3), (-5, -9));
        let unsigned = Variable::of(64, 0, &begin(-1, -1)).expect("known");
        assert_eq!(unsigned.at(0), i128::from(u64::MAX));
        let narrow = Variable::of(32, 0, &begin(-16, 1)).expect("known");
        assert_eq!(narrow.range(0, 16), (0xffff_fff0, 0xffff_ffff));
        let without = LoopBegin {
            step: None,
            ..begin(0, 1)
        };
        assert_eq!(Variable::of(32, 0, &without), None);
        assert_eq!(Variable::of(0, 0, &begin(0, 1)), None);
    }
}
