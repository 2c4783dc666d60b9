//! A schedule under which a loop runs instead of its own, as the program and the runtime want it.

use ompchunk_abi::{LOOP_CHUNK_KNOWN, LOOP_DEALT, LoopRecord};
use ompchunk_schedules::{Order, Schedule};
use ompt::raw::CHUNK_SCHED_BALANCED;

use crate::balance::{self, Seat};
use crate::standing::{IS_BALANCED, IS_STEPPED};
use crate::stride::LARGEST_STEPPED;

/// What a loop runs under instead of its own schedule.
#[derive(Clone, Copy)]
pub(crate) struct Chosen {
    /// `enum sched_type`
    pub(crate) schedule: u32,
    pub(crate) chunk: u32,
    /// The program steps from chunk to chunk, as compilers have it under a static schedule; else the runtime deals them.
    pub(crate) stepped: bool,
    /// The first bounds are not the runtime's, but of a block of equal cost.
    pub(crate) is_balanced: bool,
    /// Where the program finds out itself how the loop runs: the calling thread's place in the execution.
    pub(crate) seat: Option<Seat>,
}

impl Chosen {
    /// `None`: the loop runs as compiled.
    pub(crate) fn of(record: &LoopRecord, schedule: Schedule, order: Order) -> Option<Chosen> {
        let (schedule, chunk) = schedule.for_runtime(order)?;
        Some(Chosen {
            schedule,
            chunk,
            stepped: record.flags & LOOP_DEALT == 0 && is_stepped(schedule, chunk),
            is_balanced: false,
            seat: None,
        })
    }

    /// What the thread has found out of the loop in this region.
    #[inline(always)]
    pub(crate) fn known(the_loop: *const LoopRecord) -> Option<Chosen> {
        let (way, seat) = balance::way(the_loop)?;
        Some(Chosen {
            schedule: way.schedule & !(IS_STEPPED | IS_BALANCED),
            chunk: way.chunk,
            stepped: way.schedule & IS_STEPPED != 0,
            is_balanced: way.schedule & IS_BALANCED != 0,
            seat: Some(seat),
        })
    }

    /// It was found out: it holds as long as the thread is in this region.
    pub(crate) fn keep(self, the_loop: *const LoopRecord) {
        let Some(seat) = self.seat else { return };
        let stepped = if self.stepped { IS_STEPPED } else { 0 };
        let balanced = if self.is_balanced { IS_BALANCED } else { 0 };
        let schedule = self.schedule | stepped | balanced;
        balance::keep_way(the_loop, &seat, schedule, self.chunk);
    }

    /// What tools are told of it.
    pub(crate) const fn told(self) -> u32 {
        match self.is_balanced {
            true => CHUNK_SCHED_BALANCED,
            false => self.schedule,
        }
    }

    /// `enum sched_type` without modifiers, as for runtimes of which some know none in static loops.
    pub(crate) const fn kind(self) -> u32 {
        self.schedule & !MODIFIERS
    }
}

/// `enum sched_type` of libomp's `kmp.h`, without modifiers.
pub(crate) const STATIC_CHUNKED: u32 = 33;
pub(crate) const STATIC: u32 = 34;
pub(crate) const MODIFIERS: u32 = 3 << 29;

/// The schedule of a loop that is static in the source, as the program passes it to the runtime, and its chunk size, where that is known.
pub(crate) fn own_static(record: &LoopRecord) -> Option<(u32, u64)> {
    match record.schedule & !MODIFIERS {
        STATIC => Some((record.schedule, 1)),
        STATIC_CHUNKED if record.flags & LOOP_CHUNK_KNOWN != 0 && record.chunk > 0 => {
            Some((record.schedule, record.chunk as u64))
        }
        _ => None,
    }
}

/// Does a program whose loop is static in the source step from chunk to chunk by itself, under this schedule?
pub(crate) const fn is_stepped(schedule: u32, chunk: u32) -> bool {
    match schedule & !MODIFIERS {
        STATIC | CHUNK_SCHED_BALANCED => true,
        STATIC_CHUNKED => chunk <= LARGEST_STEPPED,
        _ => false,
    }
}
