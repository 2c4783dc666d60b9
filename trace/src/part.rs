//! A part: the trace of one process. Read block by block, in the order of the file or lane by lane.

use std::collections::BTreeMap;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use crate::block::BlockHead;
use crate::decode::{Damage, Records};
use crate::error::Error;
use crate::head::{Beginning, FORM, Head};
use crate::layout::{BLOCK_HEAD, EXTENSION};
use crate::meta::{Clock, Meta};

/// The trace of one process.
#[derive(Debug)]
pub struct Part {
    path: PathBuf,
    file: File,
    size: u64,
    head: Head,
    meta: Meta,
    clock: Clock,
    /// By lane: the last block, where it stands before the lane's others.
    slots: BTreeMap<u32, Slot>,
    /// Blocks that are read one by one and after the others: those in slots, or all, where the file's order is not that of the lanes.
    singly: Vec<u64>,
}

/// A block that stands before others of its lane and comes after them.
#[derive(Debug, Clone, Copy)]
struct Slot {
    offset: u64,
    sequence: u32,
}

/// How a part ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ending {
    /// The recorder finished it.
    Clean,
    /// It did not, or bytes are missing at the end: the program died, or the copy is incomplete. Everything before is there.
    Cut {
        /// Where it is cut, in bytes from the start of the file.
        offset: u64,
        /// What that means, in a sentence for the user.
        what: String,
    },
}

/// Where a lane's blocks are in the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lane {
    /// The lane's number.
    pub lane: u32,
    /// Offsets of its blocks, in order: 8 bytes per block, one for every 4,000 to 8,000 chunks.
    pub blocks: Vec<u64>,
}

impl Part {
    /// Opens the file of a part and reads its head.
    pub fn open(path: &Path) -> Result<Part, Error> {
        let beginning = FORM.open::<Meta>(path)?;
        let head = Head::from_part(&beginning);
        let Beginning { file, size, meta, .. } = beginning;
        let mut part = Part {
            path: path.to_owned(),
            file,
            size,
            head,
            clock: Clock::between(head.start, head.end, meta.clock.hertz),
            meta,
            slots: BTreeMap::new(),
            singly: Vec::new(),
        };
        if !head.ended || head.unsettled || head.moved {
            part.find_slots()?;
        }
        Ok(part)
    }

    getters! {
        /// The file.
        path: &Path, &;
        /// Its size in bytes.
        size: u64;
        /// What its head says.
        head: &Head, &;
        /// What it says of its run.
        meta: &Meta, &;
        /// How its ticks become nanoseconds.
        clock: Clock;
    }

    /// Whether the end is missing.
    pub fn ending(&self) -> Ending {
        let blocks = self.size.saturating_sub(self.head.blocks_from) / self.head.block_size as u64;
        let what = if !self.head.ended {
            "the recording has no end: its process ended without exit (_exit), was killed, crashed, became another program (exec) or is still \
             running"
        } else if blocks < self.head.blocks {
            "bytes are missing at the end: the copy is incomplete"
        } else {
            return Ending::Clean;
        };
        Ending::Cut { offset: self.size, what: what.into() }
    }

    /// The lanes and their blocks, from the blocks' heads alone.
    pub fn lanes(&self) -> Result<Vec<Lane>, Error> {
        let mut lanes: BTreeMap<u32, Vec<u64>> = BTreeMap::new();
        let in_place = self.offsets().take(self.blocks_in_place() as usize);
        let singly = self.singly.iter().map(|offset| (*offset, true));
        for (offset, is_single) in in_place.map(|offset| (offset, false)).chain(singly) {
            let Some(head) = self.head_at(offset)? else { continue };
            let blocks = lanes.entry(head.lane).or_default();
            if is_single || self.is_in_order(offset, &head) {
                blocks.push(offset);
            }
        }
        let lane = |(lane, blocks)| Lane { lane, blocks };
        Ok(lanes.into_iter().map(lane).collect())
    }

    /// One record on; an unfinished one at the end of a file that is cut is the end.
    #[inline]
    pub(crate) fn step(&self, records: &mut Records, offset: u64, block: &[u8]) -> Result<bool, Error> {
        match records.advance(block) {
            Ok(more) => Ok(more),
            Err(damage) if damage.is_cut && block.len() < self.head.block_size => Ok(false),
            Err(damage) => Err(self.damaged(offset, damage)),
        }
    }

    pub(crate) fn damaged(&self, offset: u64, damage: Damage) -> Error {
        Error::broken(&self.path, offset + damage.at as u64, damage.what)
    }

    /// A block never used is all zeros, one whose head is cut away tells nothing, and a slot that was being cleared has no first word.
    pub(crate) fn unused(&self, offset: u64, block: &[u8]) -> Result<(), Error> {
        let zeros = if self.head.unsettled { 4 } else { BLOCK_HEAD };
        if block.len() < BLOCK_HEAD || block[..zeros].iter().all(|byte| *byte == 0) {
            return Ok(());
        }
        Err(Error::broken(&self.path, offset, "this is not the beginning of a block"))
    }

    /// Where the last block ends, or the file.
    pub(crate) fn end(&self) -> u64 {
        if !self.head.ended {
            return self.size;
        }
        let blocks = self.head.blocks.saturating_mul(self.head.block_size as u64);
        self.head.blocks_from.saturating_add(blocks).min(self.size)
    }

    fn offsets(&self) -> impl ExactSizeIterator<Item = u64> + use<> {
        let (from, size) = (self.head.blocks_from, self.head.block_size as u64);
        let count = self.end().saturating_sub(from).div_ceil(size);
        (0..count as usize).map(move |number| from + number as u64 * size)
    }

    pub(crate) fn blocks_in_place(&self) -> u64 {
        if self.head.moved { 0 } else { self.offsets().len() as u64 }
    }

    pub(crate) fn singly(&self) -> &[u64] {
        &self.singly
    }

    /// For slots that hold a lane's last block, and the last reading of both clocks where the part has no end.
    fn find_slots(&mut self) -> Result<(), Error> {
        let mut last = self.head.start;
        let mut first: BTreeMap<u32, Slot> = BTreeMap::new();
        let mut order = Vec::new();
        for offset in self.offsets() {
            let Some(head) = self.head_at(offset)? else { continue };
            last = last.max((head.now_ticks, head.now_ns));
            let sequence = head.sequence;
            if self.head.moved {
                order.push((sequence, offset));
            } else {
                first.entry(head.lane).or_insert(Slot { offset, sequence });
            }
        }
        // Else a first block that has another number only says that those before it are missing.
        first.retain(|_, slot| self.head.unsettled && slot.sequence != 0);
        order.extend(first.values().map(|slot| (0, slot.offset)));
        self.slots = first;
        order.sort_by_key(|(sequence, _)| *sequence);
        self.singly = order.into_iter().map(|(_, offset)| offset).collect();
        if !self.head.ended {
            self.clock = Clock::between(self.head.start, last, self.meta.clock.hertz);
        }
        Ok(())
    }

    /// Where it stands: it is not its lane's last block in an early place, nor the beginning of a copy of that.
    pub(crate) fn is_in_order(&self, offset: u64, head: &BlockHead) -> bool {
        let slot = self.slots.get(&head.lane);
        slot.is_none_or(|slot| slot.offset != offset && slot.sequence != head.sequence)
    }

    fn head_at(&self, offset: u64) -> Result<Option<BlockHead>, Error> {
        let mut head = [0; BLOCK_HEAD];
        let length = (self.size - offset).min(BLOCK_HEAD as u64) as usize;
        self.read(&mut head[..length], offset)?;
        Ok(BlockHead::from_bytes(&head[..length]))
    }

    pub(crate) fn read(&self, to: &mut [u8], offset: u64) -> Result<(), Error> {
        self.file.read_exact_at(to, offset).map_err(|cause| Error::io(&self.path, cause))
    }
}

/// The parts of a run.
#[derive(Debug)]
pub struct Trace {
    /// By rank, then by process.
    pub parts: Vec<Part>,
}

impl Trace {
    /// Opens a directory that `ompchunk record` wrote, or one part of it.
    pub fn open(path: &Path) -> Result<Trace, Error> {
        let files =
            if path.is_dir() { parts_in(path).map_err(|cause| Error::io(path, cause))? } else { vec![path.to_owned()] };
        if files.is_empty() {
            return Err(Error::NoParts(path.to_owned()));
        }
        let parts = files.iter().map(|file| Part::open(file));
        let mut parts = parts.collect::<Result<Vec<_>, _>>()?;
        parts.sort_by_key(|part| {
            let meta = part.meta();
            (meta.rank.is_none(), meta.rank, meta.started, meta.pid)
        });
        Ok(Trace { parts })
    }
}

impl AsRef<[Part]> for Trace {
    fn as_ref(&self) -> &[Part] {
        &self.parts
    }
}

/// The files of the parts in a directory, sorted by name.
pub fn parts_in(directory: &Path) -> std::io::Result<Vec<PathBuf>> {
    let files = std::fs::read_dir(directory)?.map(|entry| Ok(entry?.path()));
    let mut files = files.collect::<std::io::Result<Vec<_>>>()?;
    files.retain(|path| path.extension().is_some_and(|ending| ending == EXTENSION) && path.is_file());
    files.sort();
    Ok(files)
}
