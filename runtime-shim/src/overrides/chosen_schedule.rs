//! A schedule under which a loop runs instead of its own, as the program and the runtime want it.

use core::ptr;

use ompchunk_abi::overrides::{Kind, Learned, Order, Schedule};
use ompchunk_abi::{LOOP_DEALT, LOOP_STOCK, LoopRecord};
use ompt::sched_type::{BALANCED, STATIC, STATIC_CHUNKED, kind};

use crate::balance::plan::Mode;
use crate::balance::{Seat, Subject};
use crate::overrides::group::Key;
use crate::overrides::source_schedule::own_static;
use crate::primitive::OnceLock;
use crate::static_override::stride::LARGEST_STEPPED;
use crate::thread::region_cache::{CachedSchedule, IS_BALANCED, IS_SOURCE, IS_STEPPED};
use crate::{balance, overrides::source_schedule, start::environment, thread::thread_storage};

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
    /// A schedule that was not found out.
    #[inline(always)]
    const fn plain(schedule: u32, chunk: u32, stepped: bool) -> Chosen {
        Chosen { schedule, chunk, stepped, is_balanced: false, is_source: false, seat: None }
    }

    /// `None`: the loop runs as compiled.
    pub(crate) fn from_order(record: &LoopRecord, schedule: Schedule, order: Order) -> Option<Chosen> {
        let (schedule, chunk) = schedule.for_runtime(order)?;
        let stepped = record.flags & LOOP_DEALT == 0 && is_stepped(schedule, chunk);
        Some(Chosen::plain(schedule, chunk, stepped))
    }

    /// For a loop that is dealt in the source and runs as compiled, but timed.
    fn as_compiled(record: &LoopRecord) -> Chosen {
        let chunk = record.chunk.max(0) as u32;
        Chosen { is_source: true, ..Chosen::plain(record.schedule, chunk, false) }
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
        let schedule = (word >> MODIFIERS_AT & 3) << 29 | word >> KIND_AT & KIND_MASK;
        let chosen = Chosen::plain(schedule, word & CHUNK_MASK, word >> STEPPED_AT & 1 != 0);
        (word & IS_WORD != 0).then_some(chosen)
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
    #[inline(always)]
    pub(crate) fn known(loop_record: *const LoopRecord) -> Option<Chosen> {
        let (kept, schedule, chunk) = thread_storage::standing().way(loop_record)?.schedule()?;
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
    pub(crate) fn keep(self, loop_record: &'static LoopRecord) {
        let Some(seat) = self.seat else { return };
        // Such blocks follow from shares alone.
        let is_plain = !seat.kept.keeps_last && source_schedule::chunk(loop_record) == Some(1);
        let untimed = Chosen { seat: None, ..self };
        let way = match (seat.is_timed(), untimed.word()) {
            (false, _) if self.is_balanced && is_plain => {
                CachedSchedule::in_block(loop_record, seat.kept.shares(seat.place.thread, seat.place.team_size))
            }
            (false, Some(word)) => CachedSchedule::by_word(loop_record, word),
            _ => {
                let stepped = if self.stepped { IS_STEPPED } else { 0 };
                let balanced = if self.is_balanced { IS_BALANCED } else { 0 };
                let source = if self.is_source { IS_SOURCE } else { 0 };
                let schedule = self.schedule | stepped | balanced | source;
                CachedSchedule::under(loop_record, ptr::from_ref(seat.kept).cast(), schedule, self.chunk)
            }
        };
        thread_storage::standing().keep_way(&way);
    }

    /// `enum sched_type` that tools get.
    pub(crate) const fn reported_schedule(self) -> u32 {
        if self.is_balanced { BALANCED } else { self.schedule }
    }

    /// `enum sched_type` without modifiers, as for runtimes of which some know none in static loops.
    pub(crate) const fn kind(self) -> u32 {
        kind(self.schedule)
    }
}

/// Layout of a word: the mark that no smaller number has, and where the parts are, with the chunk below them.
const IS_WORD: u32 = 1 << 31;
const STEPPED_AT: u32 = 30;
const MODIFIERS_AT: u32 = 28;
const KIND_AT: u32 = 21;
const KIND_MASK: u32 = (1 << (MODIFIERS_AT - KIND_AT)) - 1;
const CHUNK_MASK: u32 = (1 << KIND_AT) - 1;
const STATIC_CHUNKED_WORD: u32 = IS_WORD | 1 << STEPPED_AT | STATIC_CHUNKED << KIND_AT;

/// Does a program whose loop is static in the source step from chunk to chunk by itself, under this schedule?
pub(crate) const fn is_stepped(schedule: u32, chunk: u32) -> bool {
    match kind(schedule) {
        STATIC | BALANCED => true,
        STATIC_CHUNKED => chunk <= LARGEST_STEPPED,
        _ => false,
    }
}

// Schedules of loops of which the program finds out itself how they run: `balanced` and `adaptive`. As in `overrides`, all
// threads of a team decide alike: by a loop's record, and what `balance` keeps of it, which does not change within a region.
// All loops of a group do so, too. Of the records they ask what is the same for all: they are `static`, without a chunk
// size, and not dealt. What is the same for none is asked of the key of what is known: whether the last thread must have the
// last iteration.

/// How LLVM's and Intel's runtime divide loops: `static,greedy` gives all threads as many iterations as the first one.
const RUNTIME_SCHEDULE: &str = "KMP_SCHEDULE";

const EVEN: Schedule = Schedule::Other { kind: Kind::Static, modifier: None, chunk: None };

/// What a loop runs under in this execution; `None`: as compiled. What `key` keeps counts where its runtime `is_served`.
pub(crate) fn choose(
    record: &'static LoopRecord,
    key: Key,
    learned: Learned,
    order: Order,
    is_served: bool,
) -> Option<Chosen> {
    let is_dealt = record.flags & LOOP_DEALT != 0;
    let whole = source_schedule::chunk(record)?;
    let can_balance = !is_dealt && (!key.keeps_last() || last_thread_has_last());
    let subject = Subject { record, key, learned, can_balance, whole };
    let is_stock = record.flags & LOOP_STOCK != 0;
    let can_be = |way: &Schedule| !is_stock && (!key.is_of_group() || way.maps_alike());
    let seat = || is_served.then(|| balance::seat(&subject)).flatten();
    match learned {
        Learned::Balanced if !can_balance => None,
        Learned::Balanced => {
            let even = Chosen::from_order(record, EVEN, order)?;
            let seat = seat();
            // The runtime's blocks end anywhere.
            if seat.is_none() && whole > 1 {
                return None;
            }
            Some(Chosen { is_balanced: seat.is_some(), seat, ..even })
        }
        Learned::Adaptive => {
            let own = if is_dealt { Chosen::as_compiled(record) } else { own(record)? };
            let seat = seat()?;
            // What is kept may be of another loop that stood at this address.
            let chosen = match seat.kept.mode().keeping(whole) {
                Mode::Balanced if can_balance => {
                    Chosen { is_balanced: true, ..Chosen::from_order(record, EVEN, order)? }
                }
                mode => match mode.schedule().filter(can_be) {
                    Some(schedule) => Chosen::from_order(record, schedule, order)?,
                    None if seat.is_timed() => own,
                    None => return None,
                },
            };
            Some(Chosen { seat: Some(seat), ..chosen })
        }
    }
}

/// Does a team's last thread have the last iteration under `static`, as soon as each thread has one? Who has it is said by the runtime, of
/// the blocks that it would have given. LLVM's and Intel's do that, unless the user has blocks be as long as the first one.
fn last_thread_has_last() -> bool {
    static ANSWER: OnceLock<bool> = OnceLock::new();
    *ANSWER.get_or_init(|| {
        let schedule = environment::variable(RUNTIME_SCHEDULE).unwrap_or_default();
        !schedule.to_string_lossy().to_ascii_lowercase().contains("greedy")
    })
}

/// The loop's own schedule, if the program can step so by itself: a loop that is timed asks for its bounds.
fn own(record: &LoopRecord) -> Option<Chosen> {
    let (schedule, chunk) = own_static(record)?;
    let chunk = u32::try_from(chunk).ok()?;
    is_stepped(schedule, chunk).then_some(Chosen::plain(schedule, chunk, true))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_has_all_of_it() {
        for modifiers in 0..4 {
            for kind in 0..=KIND_MASK {
                for chunk in [0, 1, 2, 1000, CHUNK_MASK] {
                    for stepped in [false, true] {
                        let before = Chosen::plain(modifiers << 29 | kind, chunk, stepped);
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
        assert!(Chosen::plain(STATIC, CHUNK_MASK + 1, true).word().is_none());
        assert!(Chosen::plain(KIND_MASK + 1, 1, true).word().is_none());
        let balanced = Chosen { is_balanced: true, ..Chosen::plain(STATIC, 1, true) };
        assert!(balanced.word().is_none());
        // Numbers of entries.
        for number in [0, 1, 2, u32::MAX >> 1] {
            assert!(Chosen::in_a_word(number).is_none());
        }
    }
}
