//! A schedule under which a loop runs instead of its own, as the program and the runtime want it.

use ompchunk_abi::{LOOP_DEALT, LoopRecord};
use ompchunk_schedules::{Order, Schedule};
use ompt::raw::CHUNK_SCHED_BALANCED;

use crate::balance::{self, Seat};
use crate::region_cache::{IS_BALANCED, IS_SOURCE, IS_STEPPED};
use crate::source::{self, MODIFIERS, STATIC, STATIC_CHUNKED};
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
    /// It is the schedule of a loop that is dealt in the source, which is timed.
    pub(crate) is_source: bool,
    /// Where the program finds out itself how the loop runs: the calling thread's place in the execution.
    pub(crate) seat: Option<Seat>,
}

impl Chosen {
    /// `None`: the loop runs as compiled.
    pub(crate) fn from_order(record: &LoopRecord, schedule: Schedule, order: Order) -> Option<Chosen> {
        let (schedule, chunk) = schedule.for_runtime(order)?;
        Some(Chosen {
            schedule,
            chunk,
            stepped: record.flags & LOOP_DEALT == 0 && is_stepped(schedule, chunk),
            is_balanced: false,
            is_source: false,
            seat: None,
        })
    }

    /// Of a loop that is dealt in the source and runs as compiled, but timed.
    pub(crate) fn as_compiled(record: &LoopRecord) -> Chosen {
        Chosen {
            schedule: record.schedule,
            chunk: record.chunk.clamp(0, i32::MAX.into()) as u32,
            stepped: false,
            is_balanced: false,
            is_source: true,
            seat: None,
        }
    }

    /// All of it in a word, if it fits: a loop's schedule that is the same in all executions does, but for very large chunks.
    pub(crate) fn word(self) -> Option<u32> {
        let fits = self.seat.is_none() && !self.is_balanced && self.kind() <= KIND_MASK && self.chunk <= CHUNK_MASK;
        let modifiers = self.schedule >> 29 & 3;
        let rest = modifiers << MODIFIERS_AT | self.kind() << KIND_AT | self.chunk;
        fits.then_some(IS_WORD | u32::from(self.stepped) << STEPPED_AT | rest)
    }

    /// What a number is the [word](Self::word) of. `None`: it is another number.
    #[inline(always)]
    pub(crate) fn in_a_word(word: u32) -> Option<Chosen> {
        (word & IS_WORD != 0).then_some(Chosen {
            schedule: (word >> MODIFIERS_AT & 3) << 29 | word >> KIND_AT & KIND_MASK,
            chunk: word & CHUNK_MASK,
            stepped: word >> STEPPED_AT & 1 != 0,
            is_balanced: false,
            is_source: false,
            seat: None,
        })
    }

    /// The chunk size, if the number is the word of `static,c` that the program steps through by itself, which is asked for most.
    #[inline(always)]
    pub(crate) fn static_chunk_in_a_word(word: u32) -> Option<u32> {
        let is_one = word & !(CHUNK_MASK | 3 << MODIFIERS_AT) == STATIC_CHUNKED_WORD;
        is_one.then_some(word & CHUNK_MASK)
    }

    /// Each thread has several chunks of its own, whichever region it is.
    pub(crate) fn is_stepped_in_chunks(&self) -> bool {
        self.stepped && self.seat.is_none() && self.kind() == STATIC_CHUNKED
    }

    /// What the thread has found out of the loop in this region.
    pub(crate) fn known(the_loop: *const LoopRecord) -> Option<Chosen> {
        let (kept, schedule, chunk) = balance::way(the_loop)?.schedule()?;
        let seat = balance::seat_of(kept)?;
        Some(Chosen {
            schedule: schedule & !(IS_STEPPED | IS_BALANCED | IS_SOURCE),
            chunk,
            stepped: schedule & IS_STEPPED != 0,
            is_balanced: schedule & IS_BALANCED != 0,
            is_source: schedule & IS_SOURCE != 0,
            seat: Some(seat),
        })
    }

    /// It was found out: it holds as long as the thread is in this region.
    pub(crate) fn keep(self, the_loop: &'static LoopRecord) {
        let Some(seat) = self.seat else { return };
        // Such blocks follow from shares alone.
        let is_plain = !seat.keeps_last() && source::chunk(the_loop) == Some(1);
        if self.is_balanced && !seat.is_timed() && is_plain {
            return balance::keep_block(the_loop, &seat);
        }
        let untimed = Chosen { seat: None, ..self };
        if let (false, Some(word)) = (seat.is_timed(), untimed.word()) {
            return balance::keep_word(the_loop, word);
        }
        let stepped = if self.stepped { IS_STEPPED } else { 0 };
        let balanced = if self.is_balanced { IS_BALANCED } else { 0 };
        let source = if self.is_source { IS_SOURCE } else { 0 };
        let schedule = self.schedule | stepped | balanced | source;
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

/// Of a word: the mark that no smaller number has, and where the parts are, with the chunk below them.
const IS_WORD: u32 = 1 << 31;
const STEPPED_AT: u32 = 30;
const MODIFIERS_AT: u32 = 28;
const KIND_AT: u32 = 21;
const KIND_MASK: u32 = (1 << (MODIFIERS_AT - KIND_AT)) - 1;
const CHUNK_MASK: u32 = (1 << KIND_AT) - 1;
const STATIC_CHUNKED_WORD: u32 = IS_WORD | 1 << STEPPED_AT | STATIC_CHUNKED << KIND_AT;

/// Does a program whose loop is static in the source step from chunk to chunk by itself, under this schedule?
pub(crate) const fn is_stepped(schedule: u32, chunk: u32) -> bool {
    match schedule & !MODIFIERS {
        STATIC | CHUNK_SCHED_BALANCED => true,
        STATIC_CHUNKED => chunk <= LARGEST_STEPPED,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(schedule: u32, chunk: u32, stepped: bool) -> Chosen {
        Chosen { schedule, chunk, stepped, is_balanced: false, is_source: false, seat: None }
    }

    #[test]
    fn a_word_has_all_of_it() {
        for modifiers in 0..4 {
            for kind in 0..=KIND_MASK {
                for chunk in [0, 1, 2, 1000, CHUNK_MASK] {
                    for stepped in [false, true] {
                        let before = chosen(modifiers << 29 | kind, chunk, stepped);
                        let after = before.word().and_then(Chosen::in_a_word).unwrap();
                        assert_eq!(
                            (after.schedule, after.chunk, after.stepped),
                            (before.schedule, before.chunk, before.stepped)
                        );
                        assert!(!after.is_balanced && after.seat.is_none());
                        let is_static = stepped && kind == STATIC_CHUNKED;
                        let word = before.word().unwrap();
                        assert_eq!(Chosen::static_chunk_in_a_word(word), is_static.then_some(chunk));
                    }
                }
            }
        }
    }

    #[test]
    fn what_does_not_fit_is_in_no_word() {
        assert!(chosen(STATIC, CHUNK_MASK + 1, true).word().is_none());
        assert!(chosen(KIND_MASK + 1, 1, true).word().is_none());
        let balanced = Chosen { is_balanced: true, ..chosen(STATIC, 1, true) };
        assert!(balanced.word().is_none());
        // Numbers of entries.
        for number in [0, 1, 2, u32::MAX >> 1] {
            assert!(Chosen::in_a_word(number).is_none());
        }
    }
}
