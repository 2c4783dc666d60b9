//! Two events in one record. Some come right after each other as a rule: a region and its first thread's task, a barrier
//! and the waiting in it. The record of the first is made the record of both when the second comes. Up to
//! then it is an ordinary record, and at every moment between it is one or the other: what the second event needs is
//! stored first where readers of the first do not look, and the first word last.

use crate::encode::Unit;
use crate::event::{Event, IMPLICIT, Sync};
use crate::layout::kind;

/// Bits of `small` before the ticks between the two, and how many those have.
const FLAGS: (u32, u32) = (4, 20);
const SYNC: (u32, u32) = (8, 16);
const NONE: (u32, u32) = (0, 24);

/// How `small` is divided in a record of two events; `None`: it is one event's.
const fn divided(of: u8) -> Option<(u32, u32)> {
    match of {
        kind::REGION_BEGIN => Some(FLAGS),
        kind::BARRIER_BEGIN | kind::BARRIER_END => Some(SYNC),
        kind::REGION_END => Some(NONE),
        _ => None,
    }
}

/// What `small` says of the first event, and the ticks from the first to the second.
#[inline]
pub(crate) fn parts(of: u8, small: u32) -> Option<(u32, u32)> {
    let (bits, _) = divided(of)?;
    Some((small & ((1 << bits) - 1), small >> bits))
}

/// Whether the next event may go into this one's record.
#[must_use]
pub fn opens(event: &Event<'_>) -> bool {
    matches!(
        event,
        Event::ParallelBegin { .. }
            | Event::SyncBegin(_)
            | Event::WaitEnd(_)
            | Event::ImplicitTaskEnd { .. }
    )
}

/// The first unit of the record of two events. `before` is the first unit of the record that is there, `region` the
/// next word behind it, where it has one, and `apart` how long after it `event` comes. The second word is to be stored first.
#[must_use]
pub fn join(before: Unit, region: Option<u64>, apart: u64, event: &Event<'_>) -> Option<Unit> {
    let [first, second] = before;
    let small = first as u32 >> 8;
    let (joined, second) = match (first as u8, event) {
        (
            kind::PARALLEL_BEGIN,
            Event::ImplicitTaskBegin {
                parallel,
                index: 0,
                team_size,
                flags: IMPLICIT,
            },
        ) if region == Some(*parallel) => {
            (kind::REGION_BEGIN, second | u64::from(*team_size) << 32)
        }
        (kind::SYNC_BEGIN, Event::WaitBegin(sync)) if (small, second) == (sync.kind, sync.code) => {
            (kind::BARRIER_BEGIN, second)
        }
        (kind::WAIT_END, Event::SyncEnd(sync)) if (small, second) == (sync.kind, sync.code) => {
            (kind::BARRIER_END, second)
        }
        (kind::IMPLICIT_TASK_END, Event::ParallelEnd { parallel }) if second == *parallel => {
            (kind::REGION_END, second)
        }
        _ => return None,
    };
    let (bits, most) = divided(joined)?;
    let fits = small >> bits == 0 && apart >> most == 0;
    let small = u64::from(small) | apart << bits;
    fits.then_some([u64::from(joined) | small << 8 | first >> 32 << 32, second])
}

/// One of a record's two events, from its words of 4 and of 8 bytes.
pub(crate) fn event<'a>(
    of: u8,
    small: u32,
    is_second: bool,
    word: impl Fn(usize) -> u32,
    long: impl Fn(usize) -> u64,
) -> Event<'a> {
    let sync = Sync {
        kind: small,
        code: long(1),
    };
    match (of, is_second) {
        (kind::REGION_BEGIN, false) => Event::ParallelBegin {
            parallel: long(2),
            requested: word(2),
            flags: small,
            code: long(3),
        },
        (kind::REGION_BEGIN, true) => Event::ImplicitTaskBegin {
            parallel: long(2),
            index: 0,
            team_size: word(3),
            flags: IMPLICIT,
        },
        (kind::BARRIER_BEGIN, false) => Event::SyncBegin(sync),
        (kind::BARRIER_BEGIN, true) => Event::WaitBegin(sync),
        (kind::BARRIER_END, false) => Event::WaitEnd(sync),
        (kind::BARRIER_END, true) => Event::SyncEnd(sync),
        (_, false) => Event::ImplicitTaskEnd { parallel: long(1) },
        (_, true) => Event::ParallelEnd { parallel: long(1) },
    }
}
