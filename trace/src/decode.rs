//! From the bytes of one block to events, in place. Lengths are checked before they are used; nothing here panics, whatever the bytes.

use crate::block::{BlockHead, u32_at, u64_at};
use crate::encode::second_of_pair;
use crate::event::{
    Aggregate, COMPLETE, Chunk, Code, Event, IMPLICIT, LoopBegin, LoopDefinition, Lost, NOT_TIMED, SWITCH, Sync,
};
use crate::fields::{Bits, Packed, Text, Unpacked, fits};
use crate::iterations::SubBlock;
use crate::joint;
use crate::layout::{BLOCK_HEAD, UNIT, kind, units};
use crate::openacc::{AccEnd, AccOperation, AccSite};
use crate::record_kinds::records;
use crate::sum::Sum;
use crate::target::is_of_target;
use crate::tasks::{TaskRegion, Tasks};
use crate::times::{LeftOut, OffCore, Recorder, Times};

/// Reads the records of one block, one after the other.
#[derive(Debug, Clone)]
pub struct Records {
    at: usize,
    size: usize,
    ticks: u64,
    thread: u32,
    half: Half,
}

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
    /// From the block's head on.
    pub fn new(head: &BlockHead) -> Records {
        Records { at: BLOCK_HEAD, size: 0, ticks: head.ticks, thread: head.thread, half: Half::Whole }
    }

    getters! {
        /// Where the current record is, in bytes from the start of the block.
        at: usize;
        /// Time of the current record.
        ticks: u64;
        /// The thread that the current record is of.
        thread: u32;
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
                let is_whole = self.at >= block.len();
                return if is_whole { Ok(false) } else { Err(self.damage("a record is not whole".into(), true)) };
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
        decode(kind, small, record, |what| self.damage(what, false))
    }
}

/// An event of these fields, as a pattern or made of them.
macro_rules! event {
    ([$event:ident $(, $fixed:ident: $value:path)*] $($field:ident)*) => {
        Event::$event { $($field,)* $($fixed: $value),* }
    };
    ([$event:ident($of:ident $(, $fixed:ident: $value:path)*)] $($field:ident)*) => {
        Event::$event($of { $($field,)* $($fixed: $value),* })
    };
    ([$event:ident(_)] $field:ident) => {
        Event::$event($field)
    };
}

macro_rules! size {
    () => {
        8
    };
    ($size:literal) => {
        $size
    };
}

macro_rules! both_ways {
    (
        fields { $(
            $(#[$about:meta])* $kind:ident $number:literal, $units:literal: $event:tt
            { $( $( $field:ident $(($size:literal))? ),* )|* }
            $( if ($($condition:tt)+) )? $( + [$($text:ident),*] )?;
        )* }
        converted { $(
            $(#[$about_converted:meta])* $as:ident $as_number:literal, $as_units:literal: [$variant:ident($of:ident)]
            { $( $( $part:ident $(($part_size:literal))? ),* )|* } $( if $is:ident )? $( - $left_out:ident )?;
        )* }
        by_hand $by_hand:tt
    ) => {
        impl Event<'_> {
            /// Appends the record's words, each to be written little-endian. At most a few kilobytes.
            pub fn encode(&self, ticks: u64, to: &mut Vec<u64>) {
                match self {
                    Event::Chunk(chunk) if chunk.is_narrow() => to.extend(chunk.narrow(ticks)),
                    Event::LoopBegin(begin) if begin.is_short() => to.extend(begin.short(ticks)),
                    $( event!($event $($($field)*)*) $( if $($condition)+ )? => {
                        let mut record = Packed::<{ 2 * $units }>::new(kind::$kind, ticks);
                        $( $( record.put($field.bits(), size!($($size)?)); )* record.next_piece(); )*
                        record.append(&[$( $( $text.bytes() ),* )?], to);
                    } )*
                    $( Event::$variant(converted) $( if $is(converted.event) )? => {
                        let [$($($part,)*)*] = converted.fields();
                        let mut record = Packed::<{ 2 * $as_units }>::new(kind::$as, ticks);
                        $( $( record.put($part, size!($($part_size)?)); )* record.next_piece(); )*
                        record.append(&[], to);
                        $( converted.$left_out(to); )?
                    } )*
                }
            }
        }

        /// The event of a record of this kind, with what it has in `small`. Else what is wrong, as `damage` has it.
        #[inline(always)]
        pub(crate) fn decode<Damage>(
            of: u8,
            small: u32,
            record: &[u8],
            damage: impl Fn(String) -> Damage,
        ) -> Result<Event<'_>, Damage> {
            let beyond = || damage("a text goes beyond its record".to_owned());
            match of {
                $( kind::$kind => {
                    let mut fields = Unpacked::new(small, record, $units);
                    $( $( let $field = fields.take(size!($($size)?)); )* fields.next_piece(); )*
                    $( $( let $text = fields.text($text).ok_or_else(beyond)?; )* )?
                    Ok(event!($event $($($field)*)*))
                } )*
                $( kind::$as => {
                    let mut fields = Unpacked::new(small, record, $as_units);
                    $( $( let $part = fields.take(size!($($part_size)?)); )* fields.next_piece(); )*
                    Ok(Event::$variant($of::of_fields([$($($part,)*)*])))
                } )*
                unknown => Err(damage(format!("there is no record of kind {unknown}"))),
            }
        }
    };
}

records!(both_ways);
