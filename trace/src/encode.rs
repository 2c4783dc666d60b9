//! Records as the recorder's hot path stores them, [`chunk`] above all. Others go by the table of [`Event::encode`](crate::Event::encode).

use crate::event::{Chunk, LoopBegin};
use crate::layout::kind;

/// Largest number in a record's `small` field.
pub const MOST_SMALL: u64 = (1 << 24) - 1;
/// Two records of a lane that are this many ticks apart or more have a time record between them.
pub const LONG_GAP: u64 = 1 << 31;

/// The bytes of one unit, as two little-endian words.
pub type Unit = [u64; 2];

/// Where a unit's first word has `small`, in bits: above the kind, ...
const SMALL_AT: u32 = 8;
/// ... and the ticks, of which it has the lower half.
const TICKS_AT: u32 = 32;
/// Where its second word has the fourth field, in bits.
const FOURTH_AT: u32 = 32;

/// A unit from its four fields.
#[inline]
pub const fn unit(kind: u8, small: u32, ticks: u64, third: u32, fourth: u32) -> Unit {
    [
        kind as u64 | ((small as u64 & MOST_SMALL) << SMALL_AT) | ticks << TICKS_AT,
        third as u64 | (fourth as u64) << FOURTH_AT,
    ]
}

/// In one unit: `lower` and `iterations` below 2^32, `create_duration` up to [`MOST_SMALL`]; else [`crate::Event::encode`] has a form.
#[inline]
pub const fn chunk(ticks: u64, lower: u64, iterations: u64, create_duration: u64, last: bool) -> Unit {
    let kind = if last { kind::CHUNK_LAST } else { kind::CHUNK };
    unit(kind, create_duration as u32, ticks, lower as u32, iterations as u32)
}

/// A chunk's unit together with that of the chunk before it, an [`is_plain_chunk`], to be stored there; or `None`. `word_before` is
/// that one's second word, `ticks_before` its time, `apart` what has passed since. A writer stores the first word first: with the old
/// second word the unit is still the one chunk, as its distance to the second is 0.
#[inline]
pub const fn pair(word_before: u64, ticks_before: u64, second: Unit, apart: u64) -> Option<Unit> {
    let distance = second[1].wrapping_sub(word_before);
    // 0 becomes the largest number, so that one comparison is enough.
    let is_far = distance.wrapping_sub(1) >= MOST_DISTANCE;
    if !is_plain_chunk(second) || apart > MOST_SMALL || is_far || word_before >> DISTANCE_AT != 0 {
        return None;
    }
    Some([
        kind::CHUNK_PAIR as u64 | apart << SMALL_AT | ticks_before << TICKS_AT,
        word_before | distance << DISTANCE_AT,
    ])
}

/// Whether it is a chunk that is not the last one, took no time to be created, and shares its unit with no other.
#[inline]
pub const fn is_plain_chunk(of: Unit) -> bool {
    of[0] as u32 == kind::CHUNK as u32
}

/// A loop's begin where the user's start and step are not known.
#[inline]
pub const fn loop_begin(ticks: u64, the_loop: u32, work: u32, count: u64) -> [Unit; 2] {
    [unit(kind::LOOP_BEGIN, 0, ticks, the_loop, work), [count, 0]]
}

/// A loop's begin where [`START_KNOWN`], [`STEP_KNOWN`] or both are in `known`; what is not known is 0.
#[inline]
pub const fn loop_begin_user(
    ticks: u64,
    the_loop: u32,
    work: u32,
    count: u64,
    known: u32,
    start: i64,
    step: i64,
) -> [Unit; 3] {
    [unit(kind::LOOP_BEGIN_USER, known, ticks, the_loop, work), [count, 0], [start as u64, step as u64]]
}

/// How many bits of `small` have the loop's number in the short form, ...
const SHORT_LOOP_BITS: u32 = 16;
/// ... and how many above it the work; what is known is above both.
const SHORT_WORK_BITS: u32 = 6;
const SHORT_KNOWN_AT: u32 = SHORT_LOOP_BITS + SHORT_WORK_BITS;
/// How many bits of the second word the short form has for start and step each, and for the count below them.
const SHORT_VALUE_BITS: u32 = 16;
const SHORT_COUNT_BITS: u32 = 32;

/// Whether [`loop_begin_short`] can say it. What is not known is 0.
#[inline]
pub const fn is_short(the_loop: u32, work: u32, count: u64, start: i64, step: i64) -> bool {
    // Bits that do not fit, of all together: one comparison is enough.
    let of_values = (start ^ start as i16 as i64) | (step ^ step as i16 as i64);
    let of_numbers = (the_loop >> SHORT_LOOP_BITS) | (work >> SHORT_WORK_BITS);
    of_numbers as u64 | count >> SHORT_COUNT_BITS | of_values as u64 == 0
}

/// A loop's begin in one unit.
#[inline]
pub const fn loop_begin_short(
    ticks: u64,
    the_loop: u32,
    work: u32,
    count: u64,
    known: u32,
    start: i64,
    step: i64,
) -> Unit {
    let values = start as u16 as u32 | (step as u16 as u32) << SHORT_VALUE_BITS;
    let small = the_loop | work << SHORT_LOOP_BITS | known << SHORT_KNOWN_AT;
    unit(kind::LOOP_BEGIN_SHORT, small, ticks, count as u32, values)
}

/// The short form has room for fewer iterations.
pub const BEYOND_SHORT: u64 = 1 << SHORT_COUNT_BITS;

/// The same from one that was made before, of no iterations and no time; `count` is below [`BEYOND_SHORT`].
#[inline]
pub const fn loop_begin_again([first, second]: Unit, ticks: u64, count: u64) -> Unit {
    [first | ticks << TICKS_AT, second | count]
}

/// The user's start is known.
pub const START_KNOWN: u32 = 1;
/// The user's step is known.
pub const STEP_KNOWN: u32 = 2;

/// A loop's end.
#[inline]
pub const fn loop_end(ticks: u64, the_loop: u32) -> Unit {
    unit(kind::LOOP_END, 0, ticks, the_loop, 0)
}

/// The second word of a pair's second chunk, from that of the pair; `None`: there is no second chunk.
#[inline]
pub const fn second_of_pair(word: u64) -> Option<u64> {
    let distance = word >> DISTANCE_AT;
    if distance == 0 {
        return None;
    }
    let word_before = word & ((1 << DISTANCE_AT) - 1);
    // Carries go where they came from: the sum is the word that the chunk had.
    Some(word_before + distance)
}

/// Where a pair's second word has the distance, in bits: above `lower` and two bytes of `iterations`.
const DISTANCE_AT: u32 = 48;
/// Distances are below this, less one: two bytes, and 0 is none.
const MOST_DISTANCE: u64 = (1 << 16) - 1;

/// The whole time, for a lane that was silent for [`LONG_GAP`] or more.
pub const fn time(ticks: u64) -> Unit {
    [kind::TIME as u64 | ticks << TICKS_AT, ticks]
}

impl Chunk {
    #[inline]
    pub(crate) fn is_narrow(&self) -> bool {
        (self.lower | self.iterations) >> 32 == 0 && self.create_duration <= MOST_SMALL
    }

    #[inline]
    pub(crate) fn narrow(&self, ticks: u64) -> Unit {
        let (lower, iterations) = (self.lower, self.iterations);
        chunk(ticks, lower, iterations, self.create_duration, self.last)
    }

    pub(crate) fn fields(&self) -> [u64; 4] {
        let last = self.last.into();
        [last, self.create_duration, self.lower, self.iterations]
    }

    pub(crate) fn of_fields([last, create_duration, lower, iterations]: [u64; 4]) -> Chunk {
        Chunk { lower, iterations, create_duration, last: last & 1 != 0 }
    }
}

impl LoopBegin {
    /// What is known of start and step, and both; what is not known is 0.
    #[inline]
    fn values(&self) -> (u32, i64, i64) {
        let bit_if_known = |value: Option<i64>, bit| if value.is_some() { bit } else { 0 };
        let start_known = bit_if_known(self.start, START_KNOWN);
        let step_known = bit_if_known(self.step, STEP_KNOWN);
        let known = start_known | step_known;
        (known, self.start.unwrap_or(0), self.step.unwrap_or(0))
    }

    #[inline]
    pub(crate) fn is_short(&self) -> bool {
        let (_, start, step) = self.values();
        is_short(self.the_loop, self.work, self.count, start, step)
    }

    #[inline]
    pub(crate) fn short(&self, ticks: u64) -> Unit {
        let (known, start, step) = self.values();
        loop_begin_short(ticks, self.the_loop, self.work, self.count, known, start, step)
    }

    pub(crate) fn fields(&self) -> [u64; 6] {
        let (known, start, step) = self.values();
        let [known, the_loop, work] = [known, self.the_loop, self.work].map(u64::from);
        [known, the_loop, work, self.count, start as u64, step as u64]
    }

    pub(crate) fn of_fields([known, the_loop, work, count, start, step]: [u64; 6]) -> LoopBegin {
        let if_known = |bit: u32, value| (known as u32 & bit != 0).then_some(value as i64);
        LoopBegin {
            the_loop: the_loop as u32,
            work: work as u32,
            count,
            start: if_known(START_KNOWN, start),
            step: if_known(STEP_KNOWN, step),
        }
    }

    /// What [`loop_begin_short`] has said in `small` and the second word.
    pub(crate) fn of_short(small: u64, second: u64) -> LoopBegin {
        let signed = |word: u64| word as i16 as u64;
        let start = signed(second >> FOURTH_AT);
        let step = signed(second >> (FOURTH_AT + SHORT_VALUE_BITS));
        let lowest = |word: u64, bits: u32| word & ((1 << bits) - 1);
        let the_loop = lowest(small, SHORT_LOOP_BITS);
        let work = lowest(small >> SHORT_LOOP_BITS, SHORT_WORK_BITS);
        let (known, count) = (small >> SHORT_KNOWN_AT, lowest(second, SHORT_COUNT_BITS));
        LoopBegin::of_fields([known, the_loop, work, count, start, step])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::Event;

    /// The recorder stores these without the table.
    #[test]
    fn what_is_stored_quickly_is_as_the_table_says() {
        let words = |event: Event<'_>| {
            let mut words = Vec::new();
            event.encode(77, &mut words);
            words
        };
        let begin =
            |start, step| words(Event::LoopBegin(LoopBegin { the_loop: 7, work: 10, count: 1 << 40, start, step }));
        assert_eq!(words(Event::LoopEnd { the_loop: 7 }), loop_end(77, 7));
        assert_eq!(begin(None, None), loop_begin(77, 7, 10, 1 << 40).concat());
        for (known, start, step) in [(1, -5, 0), (2, 0, 9), (3, -5, 9)] {
            let [has_start, has_step] = [START_KNOWN, STEP_KNOWN].map(|bit| known & bit != 0);
            let told = begin(has_start.then_some(start), has_step.then_some(step));
            let stored = loop_begin_user(77, 7, 10, 1 << 40, known, start, step);
            assert_eq!(told, stored.concat());
        }
    }
}
