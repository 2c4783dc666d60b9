//! From the bytes of one block to events, in place. Every length is checked before it is used; nothing
//! here panics, whatever the bytes.

use crate::block::{BlockHead, u32_at, u64_at};
use crate::by_table;
use crate::encode::second_of_pair;
use crate::event::{Chunk, Event, LoopBegin};
use crate::joint;
use crate::layout::{BLOCK_HEAD, UNIT, kind, units};

/// Reads the records of one block, one after the other.
#[derive(Debug, Clone)]
pub struct Records {
    at: usize,
    size: usize,
    ticks: u64,
    thread: u32,
    half: Half,
}

/// Where in a record of two events.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Half {
    /// In a record of one, or a pair of chunks whose second is not there.
    Whole,
    /// At the first; so many ticks before the second.
    First(u32),
    Second,
}

/// What is wrong with a block, and how far into it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Damage {
    /// Bytes from the start of the block.
    pub at: usize,
    /// What is wrong.
    pub what: String,
    /// The bytes simply end here: a record that is not whole.
    pub is_cut: bool,
}

impl Records {
    /// The records of the block with this head.
    #[must_use]
    pub fn new(head: &BlockHead) -> Records {
        Records { at: BLOCK_HEAD, size: 0, ticks: head.ticks, thread: head.thread, half: Half::Whole }
    }

    /// Where the current record is, in bytes from the start of the block.
    #[must_use]
    pub fn at(&self) -> usize {
        self.at
    }

    /// Time of the current record.
    #[inline]
    #[must_use]
    pub fn ticks(&self) -> u64 {
        self.ticks
    }

    /// The thread that the current record is of.
    #[inline]
    #[must_use]
    pub fn thread(&self) -> u32 {
        self.thread
    }

    /// Goes to the next record of `block`, the bytes that the head came from; false at the end.
    #[inline]
    pub fn advance(&mut self, block: &[u8]) -> Result<bool, Damage> {
        if let Half::First(apart) = self.half {
            self.half = Half::Second;
            self.ticks = self.ticks.wrapping_add(apart.into());
            return Ok(true);
        }
        self.half = Half::Whole;
        loop {
            self.at += self.size;
            self.size = 0;
            let Some(unit) = block.get(self.at..self.at + UNIT) else {
                return self.end(block);
            };
            let first = u64::from_le_bytes(unit[..8].try_into().expect("eight bytes"));
            let kind = first as u8;
            if kind == kind::CHUNK || kind == kind::CHUNK_LAST {
                self.size = UNIT;
                self.pass(first);
                return Ok(true);
            }
            if kind == kind::CHUNK_PAIR {
                self.size = UNIT;
                self.pass(first);
                if second_of_pair(u64_at(unit, 8)).is_some() {
                    self.half = Half::First(first as u32 >> 8);
                }
                return Ok(true);
            }
            if kind == 0 {
                return Ok(false);
            }
            if self.enter(first, block)? {
                return Ok(true);
            }
        }
    }

    /// Goes to a record that is no plain chunk. False: it tells no event.
    fn enter(&mut self, first: u64, block: &[u8]) -> Result<bool, Damage> {
        let (kind, small) = (first as u8, first as u32 >> 8);
        let count = if kind >= kind::VARIABLE { small as usize } else { units(kind).unwrap_or(0) };
        if count == 0 {
            return Err(self.damage(format!("there is no record of kind {kind}"), false));
        }
        if block.len() - self.at < count * UNIT {
            let what = format!("a record of kind {kind} has {count} units and goes beyond the end");
            return Err(self.damage(what, true));
        }
        self.size = count * UNIT;
        if kind == kind::TIME {
            self.ticks = u64_at(block, self.at + 8);
            return Ok(false);
        }
        self.pass(first);
        if kind == kind::THREAD_BEGIN {
            self.thread = u32_at(block, self.at + 8);
        }
        if let Some((_, apart)) = joint::parts(kind, small) {
            self.half = Half::First(apart);
        }
        // Others are of a later version.
        Ok(kind <= kind::LAST)
    }

    /// The low half of the time is in the record; it is less than half its range from the last one.
    #[inline]
    fn pass(&mut self, first: u64) {
        let distance = ((first >> 32) as u32).wrapping_sub(self.ticks as u32) as i32;
        self.ticks = self.ticks.wrapping_add_signed(distance.into());
    }

    fn end(&self, block: &[u8]) -> Result<bool, Damage> {
        if self.at >= block.len() {
            return Ok(false);
        }
        Err(self.damage("a record is not whole".into(), true))
    }

    fn damage(&self, what: String, is_cut: bool) -> Damage {
        Damage { at: self.at, what, is_cut }
    }

    /// The record that [`Records::advance`] went to.
    #[inline]
    pub fn event<'a>(&self, block: &'a [u8]) -> Result<Event<'a>, Damage> {
        let record = block.get(self.at..self.at + self.size).unwrap_or(&[]);
        let first = u64_at(record, 0);
        let kind = first as u8;
        if kind == kind::CHUNK || kind == kind::CHUNK_LAST {
            return Ok(Event::Chunk(Chunk {
                lower: u32_at(record, 8).into(),
                iterations: u32_at(record, 12).into(),
                create_duration: first >> 8 & 0xff_ffff,
                last: kind == kind::CHUNK_LAST,
            }));
        }
        if kind == kind::CHUNK_PAIR {
            return Ok(Event::Chunk(self.of_pair(u64_at(record, 8))));
        }
        self.rare(record)
    }

    #[inline]
    fn of_pair(&self, word: u64) -> Chunk {
        let chunk = match (self.half, second_of_pair(word)) {
            (Half::Second, Some(second)) => second,
            (_, Some(_)) => word & 0xffff_ffff_ffff,
            (_, None) => word,
        };
        Chunk { lower: chunk as u32 as u64, iterations: chunk >> 32, create_duration: 0, last: false }
    }

    /// A record that is no plain chunk.
    fn rare<'a>(&self, record: &'a [u8]) -> Result<Event<'a>, Damage> {
        let kind = record.first().copied().unwrap_or(0);
        let small = u32_at(record, 0) >> 8;
        if kind == kind::LOOP_BEGIN_SHORT {
            let begin = LoopBegin::of_short(small.into(), u64_at(record, 8));
            return Ok(Event::LoopBegin(begin));
        }
        let is_second = self.half == Half::Second;
        if kind == kind::REGION_BEGIN && is_second {
            return Ok(joint::first_task(record));
        }
        let (kind, small) = match joint::parts(kind, small) {
            Some((small, _)) => (joint::half(kind, is_second), small),
            None => (kind, small),
        };
        by_table::decode(kind, small, record, |what| self.damage(what, false))
    }
}
