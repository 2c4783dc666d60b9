//! What a thread did: what the trace says, and where it does not go into details, what the runtime answered at the sample.

use super::model::State;
use super::walk::Doing;

/// Some of `ompt_state_t`.
mod of_runtime {
    pub(super) const WORK_PARALLEL: u32 = 0x001;
    pub(super) const WORK_REDUCTION: u32 = 0x002;
    pub(super) const BARRIERS: std::ops::RangeInclusive<u32> = 0x010..=0x016;
    pub(super) const BARRIER_EXPLICIT: u32 = 0x014;
    pub(super) const TASKWAIT: u32 = 0x020;
    pub(super) const TASKGROUP: u32 = 0x021;
    pub(super) const MUTEX: u32 = 0x040;
    pub(super) const LOCK: u32 = 0x041;
    pub(super) const CRITICAL: u32 = 0x042;
    pub(super) const ATOMIC: u32 = 0x043;
    pub(super) const ORDERED: u32 = 0x044;
}

/// Some of `ompt_sync_region_t`.
mod sync {
    pub(super) const EXPLICIT: u32 = 3;
    pub(super) const TASKWAIT: u32 = 5;
    pub(super) const TASKGROUP: u32 = 6;
    pub(super) const REDUCTION: u32 = 7;
}

/// `None`: nobody knows, since the recording was paused. `asked`: what the runtime answered at a sample; `waits`: the trace tells
/// waits one by one.
pub(super) fn state(doing: Doing, asked: Option<u32>, waits: bool) -> Option<State> {
    // The trace has no waits for these.
    let mutex = match asked {
        Some(of_runtime::MUTEX | of_runtime::LOCK) => Some(State::Lock),
        Some(of_runtime::CRITICAL) => Some(State::Critical),
        Some(of_runtime::ATOMIC) => Some(State::Atomic),
        Some(of_runtime::ORDERED) => Some(State::Ordered),
        _ => None,
    };
    Some(match (doing, asked) {
        (Doing::Unknown, _) => return None,
        (Doing::Idle, _) => State::Idle,
        _ if mutex.is_some() => mutex?,
        (Doing::Serial, _) => State::Serial,
        // A task, run while waiting.
        (_, Some(of_runtime::WORK_PARALLEL)) => State::Work,
        (_, Some(of_runtime::WORK_REDUCTION)) => State::Reduction,
        (Doing::Wait(sync::EXPLICIT), _) => State::ExplicitBarrier,
        (Doing::Wait(sync::TASKWAIT | sync::TASKGROUP), _) => State::TaskWait,
        (Doing::Wait(sync::REDUCTION), _) => State::Reduction,
        (Doing::Wait(_), _) => State::ImplicitBarrier,
        (Doing::Work, Some(what)) if !waits => match what {
            of_runtime::BARRIER_EXPLICIT => State::ExplicitBarrier,
            of_runtime::TASKWAIT | of_runtime::TASKGROUP => State::TaskWait,
            what if of_runtime::BARRIERS.contains(&what) => State::ImplicitBarrier,
            _ => State::Work,
        },
        (Doing::Work, _) => State::Work,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_trace_decides_and_the_runtime_adds() {
        let of = |doing, asked| state(doing, asked, true);
        assert_eq!(of(Doing::Work, Some(0x11)), Some(State::Work));
        assert_eq!(state(Doing::Work, Some(0x11), false), Some(State::ImplicitBarrier));
        assert_eq!(of(Doing::Work, Some(0x42)), Some(State::Critical));
        assert_eq!(of(Doing::Wait(9), Some(0x102)), Some(State::ImplicitBarrier));
        assert_eq!(of(Doing::Wait(9), Some(1)), Some(State::Work));
        assert_eq!(of(Doing::Wait(3), None), Some(State::ExplicitBarrier));
        assert_eq!(of(Doing::Serial, Some(0)), Some(State::Serial));
        assert_eq!(of(Doing::Idle, Some(0x41)), Some(State::Idle));
        assert_eq!(of(Doing::Unknown, Some(1)), None);
    }
}
