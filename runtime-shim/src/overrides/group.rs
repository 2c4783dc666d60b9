//! Loops that are mapped alike, a group: what a record says of its own, and by what is kept what is found out of a group, or of a loop
//! that is in none.

use core::sync::atomic::Ordering;
use std::hash::{DefaultHasher, Hash, Hasher};

use ompchunk_abi::overrides::{Learned, Place};
use ompchunk_abi::{GROUP_HEAD, GroupLoop, LOOP_LAST_READ, LOOP_MAPPED, LoopRecord, bound, loop_text};

use crate::consensus::{kept, parted};
use crate::thread::numbers::{self, ALONE, Numbers};

/// The loops of a record's group, itself included; none: it is of no group.
pub(crate) fn members(record: &'static LoopRecord) -> &'static [GroupLoop] {
    let offset = record.group as usize;
    if record.flags & LOOP_MAPPED == 0 || offset < size_of::<LoopRecord>() || offset + GROUP_HEAD > record.size as usize
    {
        return &[];
    }
    // SAFETY: the plugin puts a group there, within the record and aligned like it; and records stay as long as their loops run.
    unsafe {
        let head = core::ptr::from_ref(record).byte_add(offset).cast::<u32>();
        let loops = head.read() as usize;
        let room = (record.size as usize - offset - GROUP_HEAD) / size_of::<GroupLoop>();
        core::slice::from_raw_parts(head.add(1).cast::<GroupLoop>(), loops.min(room))
    }
}

pub(crate) fn place_of(record: &'static LoopRecord) -> Place<'static> {
    Place {
        file: text(record, record.file),
        line: record.line,
        column: record.column.into(),
        function: text(record, record.function),
    }
}

fn text(record: &'static LoopRecord, distance: i32) -> &'static str {
    // SAFETY: the plugin's record, which stays as long as its loop runs.
    unsafe { loop_text(record, distance) }.to_str().unwrap_or_default()
}

/// Where the first loop of a record's group stands, after which the group is named.
pub(crate) fn place(record: &'static LoopRecord) -> Place<'static> {
    let own = place_of(record);
    members(record).first().map_or(own, |first| Place { line: first.line, column: first.column, ..own })
}

/// By what is kept what the program finds out itself of a loop, or of a group. It says what must be known of the loop for all threads, or
/// all loops of a group, to run alike: what was kept of one of which that is not so is not found, though it stood at the same address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Key(usize);

/// Records are aligned, so no address of one has these bits. The last two are of loops alone, ...
const OF_GROUP: usize = 1;
const KEEPS_LAST: usize = 2;
const OF_PLACE: usize = 4;
const _: () = assert!(align_of::<LoopRecord>() > OF_GROUP | KEEPS_LAST | OF_PLACE);
/// ... or of groups: two that have one number have one schedule as well.
const IS_ADAPTIVE: u32 = 2;
/// Smaller numbers stand for other things than loops where a record's address may.
const LEAST: u32 = 1 << 31;

/// The numbers of [`Key::of_group`] and of [`Key::alone`], and how many images the shim had met by then.
static KEYS: Numbers<{ 1 << 12 }> = Numbers::empty();

impl Key {
    /// The key of a loop that is in no group, or is changed alone. Several objects may have the loop of a function in a header,
    /// each with its own record, and threads of one team may run several of them.
    pub(crate) fn alone(record: &'static LoopRecord) -> Key {
        let mark = if record.flags & LOOP_LAST_READ == 0 { 0 } else { KEEPS_LAST };
        match record.bound {
            bound::ORPHANED | bound::INLINE if record.line != 0 => {
                Key(kept_of(record, || place_number(place_of(record)) | (OF_PLACE | mark) as u32) as usize)
            }
            _ => Key(core::ptr::from_ref(record).addr() | mark),
        }
    }

    /// The same for all records of a group. Another group may have it as well.
    pub(crate) fn of_group(record: &'static LoopRecord, learned: Learned) -> Key {
        Key(kept_of(record, || number(place_of(record), members(record), learned)) as usize)
    }

    /// What [`Self::of_group`] gave of the record there, if that is at hand, and so many images were met by then.
    #[inline]
    pub(crate) fn at_hand(record: *const LoopRecord, met: u32) -> Option<Key> {
        let place = KEYS.alone_at_first(record.addr())?;
        match parted(place.load(Ordering::Relaxed)) {
            (before, number) if before == met && number != 0 => Some(Key(number as usize)),
            _ => None,
        }
    }

    pub(crate) const fn is_of_group(self) -> bool {
        self.0 & OF_GROUP != 0
    }

    /// Is it no record's address, but the number of all records that have it?
    pub(crate) const fn is_of_several(self) -> bool {
        self.0 & (OF_GROUP | OF_PLACE) != 0
    }

    /// Must a team's last thread have the last iteration? A group's must: a record does not say what is read of other loops.
    pub(crate) const fn keeps_last(self) -> bool {
        self.0 & (OF_GROUP | KEEPS_LAST) != 0
    }

    pub(crate) const fn number(self) -> usize {
        self.0
    }
}

fn kept_of(record: &'static LoopRecord, find: impl FnOnce() -> u32) -> u32 {
    match KEYS.number_for(core::ptr::from_ref(record).addr(), ALONE) {
        Some(place) => kept(place, numbers::images_met() as u32, find),
        None => find(),
    }
}

/// The number of what all records of one loop say alike.
fn place_number(place: Place<'_>) -> u32 {
    let mut hasher = DefaultHasher::new();
    (place.file, place.function, place.line, place.column).hash(&mut hasher);
    hasher.finish() as u32 & !((OF_GROUP | KEEPS_LAST | OF_PLACE) as u32) | LEAST
}

/// The number of what all records of a group say alike: they stand in one function of one file.
fn number(place: Place<'_>, group: &[GroupLoop], learned: Learned) -> u32 {
    let mut hasher = DefaultHasher::new();
    (place.file, place.function).hash(&mut hasher);
    for member in group {
        (member.line, member.column).hash(&mut hasher);
    }
    let schedule = if learned == Learned::Adaptive { IS_ADAPTIVE } else { 0 };
    hasher.finish() as u32 & !IS_ADAPTIVE | schedule | OF_GROUP as u32 | LEAST
}

#[cfg(test)]
mod tests {
    use super::*;

    #[repr(C)]
    struct WithTexts(LoopRecord, [u8; 4]);

    fn key_of(line: u32, bound: u8, flags: u32) -> Key {
        // SAFETY: a record of numbers, for which 0 is a value.
        let record = LoopRecord { line, bound, flags, ..unsafe { core::mem::zeroed() } };
        let text = size_of::<LoopRecord>() as i32;
        let record = LoopRecord { file: text, function: text, ..record };
        Key::alone(&Box::leak(Box::new(WithTexts(record, *b"f.h\0"))).0)
    }

    #[test]
    fn records_of_one_place_have_one_key_where_a_team_may_run_several() {
        for bound in [bound::ORPHANED, bound::INLINE] {
            let key = key_of(3, bound, LOOP_LAST_READ);
            assert_eq!(key, key_of(3, bound, LOOP_LAST_READ));
            assert!(key.keeps_last() && !key.is_of_group());
            assert!(!key_of(3, bound, 0).keeps_last());
            assert_ne!(key, key_of(4, bound, LOOP_LAST_READ));
            // Compiled without -g, all loops of a function look the same.
            assert_ne!(key_of(0, bound, 0), key_of(0, bound, 0));
        }
        assert_ne!(key_of(3, 0, 0), key_of(3, 0, 0));
    }

    #[test]
    fn a_group_has_one_number() {
        let member = |line| GroupLoop { line, column: 1, changeable: 1 };
        let group = [member(3), member(5)];
        let place = |function, line| Place { file: "a.c", line, column: 1, function };
        let number_of = |place, group: &[GroupLoop]| number(place, group, Learned::Adaptive);
        let first = number_of(place("f", 3), &group);
        assert_eq!(first, number_of(place("f", 5), &group));
        let key = Key(first as usize);
        assert!(key.is_of_group() && key.keeps_last());
        // Compiled without -g, groups of two functions look the same.
        assert_ne!(first, number_of(place("g", 3), &group));
        assert_ne!(first, number_of(place("f", 3), &[member(3), member(7)]));
        let balanced = number(place("f", 3), &group, Learned::Balanced);
        assert_eq!(first ^ balanced, IS_ADAPTIVE);
    }
}
