//! How the fields of a record stand in its words, and what of an event a field can hold.

use crate::block::u64_at;
use crate::iterations::Group;
use crate::layout::{MOST_GROUPED, MOST_TEXT, UNIT, kind};
use crate::sum::{Histogram, SumOf};
use crate::times::{Paused, Unwanted};

/// The lowest bytes are what is written.
pub(crate) trait Bits {
    fn bits(&self) -> u64;
}

pub(crate) trait OfBits {
    fn of_bits(bits: u64) -> Self;
}

macro_rules! fields {
    ($($of:ty: $bits:expr, $of_bits:expr;)*) => { $(
        impl Bits for $of {
            #[inline(always)]
            fn bits(&self) -> u64 {
                ($bits)(*self)
            }
        }

        impl OfBits for $of {
            #[inline(always)]
            fn of_bits(bits: u64) -> $of {
                ($of_bits)(bits)
            }
        }
    )* };
}

fields! {
    u64: |number: u64| number, |bits: u64| bits;
    i64: |number: i64| number as u64, |bits: u64| bits as i64;
    u32: u64::from, |bits: u64| bits as u32;
    u8: u64::from, |bits: u64| bits as u8;
    bool: u64::from, |bits: u64| bits != 0;
    [u32; 2]: |[low, high]: [u32; 2]| u64::from(low) | u64::from(high) << 32,
        |bits: u64| [bits as u32, (bits >> 32) as u32];
    // A number plus 1; 0 is none.
    Option<u32>: |number: Option<u32>| number.map_or(0, |number| number.saturating_add(1).into()),
        |bits: u64| (bits as u32).checked_sub(1);
    Paused: |why: Paused| why.number().into(), |bits: u64| Paused::from_number(bits as u32);
    Unwanted: |why: Unwanted| why.number().into(), |bits: u64| Unwanted::from_number(bits as u32);
    SumOf: |what: SumOf| what.number().into(), |bits: u64| SumOf::from_number(bits as u32);
}

/// Stands behind a record's fields, one of which says how long it is.
pub(crate) trait Text<'a> {
    /// Bytes of what the field counts.
    const SIZE: usize;
    fn bytes(&self) -> &'a [u8];
    fn from_bytes(bytes: &'a [u8]) -> Self;
}

macro_rules! texts {
    ($($of:ty: $size:literal, $bytes:expr, $of_bytes:expr;)*) => { $(
        impl<'a> Text<'a> for $of {
            const SIZE: usize = $size;

            fn bytes(&self) -> &'a [u8] {
                ($bytes)(*self)
            }

            fn from_bytes(bytes: &'a [u8]) -> Self {
                ($of_bytes)(bytes)
            }
        }

        impl<'a> Bits for $of {
            fn bits(&self) -> u64 {
                (self.bytes().len() / $size) as u64
            }
        }
    )* };
}

texts! {
    &'a [u8]: 1, |text: &'a [u8]| &text[..text.len().min(MOST_TEXT)], |bytes| bytes;
    // Half of a group would tell readers that the rest may stay as compiled.
    Group<'a>: 12, |group: Group<'a>| if group.len() <= MOST_GROUPED { group.0 } else { &[] }, Group::from;
    Histogram<'a>: 8, |histogram: Histogram<'a>| histogram.0, Histogram;
}

/// Whether a number needs no more than so many bytes.
pub(crate) fn fits(number: impl Into<u64>, bytes: u32) -> bool {
    number.into() >> (8 * bytes) == 0
}

/// Fields follow each other, numbers of 2, 4 and 8 bytes at a multiple of that.
struct FieldPlace {
    at: usize,
    piece: usize,
}

impl FieldPlace {
    /// Place of what the kind says, behind the kind.
    const SMALL: FieldPlace = FieldPlace { at: 1, piece: 0 };

    #[inline(always)]
    fn take(&mut self, size: usize) -> usize {
        if size.is_power_of_two() {
            self.at = self.at.next_multiple_of(size);
        }
        let at = self.at;
        self.at += size;
        at
    }

    /// Goes on at 8, then with each further unit.
    #[inline(always)]
    fn next_piece(&mut self) {
        self.at = (UNIT * self.piece).max(UNIT / 2);
        self.piece += 1;
    }
}

const fn lowest(bytes: usize) -> u64 {
    u64::MAX >> (64 - 8 * bytes)
}

/// So many words come before its texts.
pub(crate) struct Packed<const WORDS: usize> {
    words: [u64; WORDS],
    place: FieldPlace,
}

impl<const WORDS: usize> Packed<WORDS> {
    #[inline(always)]
    pub(crate) fn new(kind: u8, ticks: u64) -> Self {
        let mut words = [0; WORDS];
        words[0] = u64::from(kind) | ticks << 32;
        let place = FieldPlace::SMALL;
        Packed { words, place }
    }

    #[inline(always)]
    pub(crate) fn put(&mut self, bits: u64, size: usize) {
        let at = self.place.take(size);
        self.words[at / 8] |= (bits & lowest(size)) << (8 * (at % 8));
    }

    #[inline(always)]
    pub(crate) fn next_piece(&mut self) {
        self.place.next_piece();
    }

    /// Texts follow each other with zeros up to the next unit.
    #[inline(always)]
    pub(crate) fn append(mut self, texts: &[&[u8]], to: &mut Vec<u64>) {
        let size: usize = texts.iter().map(|text| text.len()).sum();
        let units = size.div_ceil(UNIT);
        if self.words[0] as u8 >= kind::VARIABLE {
            self.place = FieldPlace::SMALL;
            self.put((WORDS / 2 + units) as u64, 3);
        }
        to.extend_from_slice(&self.words);
        if units > 0 {
            let mut bytes = texts.concat();
            bytes.resize(units * UNIT, 0);
            let words = bytes.chunks_exact(8).map(|word| word.try_into());
            to.extend(words.map(|word| u64::from_le_bytes(word.expect("eight bytes"))));
        }
    }
}

/// What is beyond it is 0.
pub(crate) struct Unpacked<'a> {
    small: u32,
    record: &'a [u8],
    place: FieldPlace,
    /// What is left of its texts.
    texts: &'a [u8],
}

impl<'a> Unpacked<'a> {
    /// `small`: what the record has there, or should have; `units`: those before the texts.
    #[inline(always)]
    pub(crate) fn new(small: u32, record: &'a [u8], units: usize) -> Self {
        Unpacked { small, record, place: FieldPlace::SMALL, texts: record.get(units * UNIT..).unwrap_or(&[]) }
    }

    #[inline(always)]
    pub(crate) fn take<T: OfBits>(&mut self, size: usize) -> T {
        let at = self.place.take(size);
        let word = match at / 8 {
            0 => u64::from(self.small) << 8,
            number => u64_at(self.record, number * 8),
        };
        T::of_bits(word >> (8 * (at % 8)) & lowest(size))
    }

    #[inline(always)]
    pub(crate) fn next_piece(&mut self) {
        self.place.next_piece();
    }

    /// `None`: it goes beyond the record.
    pub(crate) fn text<T: Text<'a>>(&mut self, length: u64) -> Option<T> {
        let size = usize::try_from(length).unwrap_or(usize::MAX);
        let (text, after) = self.texts.split_at_checked(size.saturating_mul(T::SIZE))?;
        self.texts = after;
        Some(T::from_bytes(text))
    }
}
