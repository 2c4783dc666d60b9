//! Two events in one record: a region and its first thread's task, a barrier and the waiting in it. The record of the first is made that
//! of both when the second comes. At every moment between it is one or the other: what the second event needs is stored first where
//! readers of the first do not look, and the first word last.

use crate::block::{u32_at, u64_at};
use crate::encode::Unit;
use crate::event::{Event, IMPLICIT};
use crate::layout::kind;

struct Halves {
    first: u8,
    second: u8,
    /// Bits of `small` that the first event has; the others are the ticks between the two.
    bits: u32,
}

const fn halves(of: u8) -> Option<Halves> {
    let (first, second, bits) = match of {
        kind::REGION_BEGIN => (kind::PARALLEL_BEGIN, kind::IMPLICIT_TASK_BEGIN, 4),
        kind::BARRIER_BEGIN => (kind::SYNC_BEGIN, kind::WAIT_BEGIN, 8),
        kind::BARRIER_END => (kind::WAIT_END, kind::SYNC_END, 8),
        kind::REGION_END => (kind::IMPLICIT_TASK_END, kind::PARALLEL_END, 0),
        _ => return None,
    };
    Some(Halves { first, second, bits })
}

/// `small` of the first event, and the ticks from the first to the second.
#[inline]
pub(crate) fn parts(of: u8, small: u32) -> Option<(u32, u32)> {
    let Halves { bits, .. } = halves(of)?;
    Some((small & ((1 << bits) - 1), small >> bits))
}

/// Whether the next event may go into this one's record.
pub fn opens(event: &Event<'_>) -> bool {
    matches!(
        event,
        Event::ParallelBegin { .. } | Event::SyncBegin(_) | Event::WaitEnd(_) | Event::ImplicitTaskEnd { .. }
    )
}

/// The first unit of both's record, its second word to be stored first. `before`: the unit that is there, `region`: the word behind it
/// (if it has one), `apart`: how long after it `event` comes.
pub fn join(before: Unit, region: Option<u64>, apart: u64, event: &Event<'_>) -> Option<Unit> {
    let [first, second] = before;
    let small = first as u32 >> 8;
    let (joined, second) = match (first as u8, event) {
        (kind::PARALLEL_BEGIN, Event::ImplicitTaskBegin { parallel, index: 0, team_size, flags: IMPLICIT })
            if region == Some(*parallel) =>
        {
            (kind::REGION_BEGIN, second | u64::from(*team_size) << 32)
        }
        (kind::SYNC_BEGIN, Event::WaitBegin(sync)) if (small, second) == (sync.kind, sync.code) => {
            (kind::BARRIER_BEGIN, second)
        }
        (kind::WAIT_END, Event::SyncEnd(sync)) if (small, second) == (sync.kind, sync.code) => {
            (kind::BARRIER_END, second)
        }
        (kind::IMPLICIT_TASK_END, Event::ParallelEnd { parallel }) if second == *parallel => (kind::REGION_END, second),
        _ => return None,
    };
    let Halves { bits, .. } = halves(joined)?;
    let fits = small >> bits == 0 && apart >> (24 - bits) == 0;
    let small = u64::from(small) | apart << bits;
    fits.then_some([u64::from(joined) | small << 8 | first >> 32 << 32, second])
}

pub(crate) fn half(of: u8, is_second: bool) -> u8 {
    match halves(of) {
        Some(halves) if is_second => halves.second,
        Some(halves) => halves.first,
        None => of,
    }
}

/// It has no kind with the same places.
pub(crate) fn first_task<'a>(record: &[u8]) -> Event<'a> {
    Event::ImplicitTaskBegin { parallel: u64_at(record, 16), index: 0, team_size: u32_at(record, 12), flags: IMPLICIT }
}
