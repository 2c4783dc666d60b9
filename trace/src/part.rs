//! A part: the trace of one process. Read block by block, in the order of the file or lane by lane.

use std::collections::BTreeMap;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use crate::block::{Block, BlockHead};
use crate::decode::{Damage, Records};
use crate::error::Error;
use crate::event::{At, Event};
use crate::head::{Beginning, FORM, Head};
use crate::layout::{BLOCK_HEAD, EXTENSION};
use crate::meta::{Clock, Meta};

/// Bytes that are read at once.
const READ: usize = 1 << 20;

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
    /// All blocks in use, where the file's order is not that of the lanes.
    order: Option<Vec<u64>>,
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
    /// It did not, or bytes are missing at the end: the program was killed or died, or the copy is
    /// incomplete. Everything before is there.
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
        let head = Head::of(&beginning);
        let Beginning { file, size, meta, .. } = beginning;
        let mut part = Part {
            path: path.to_owned(),
            file,
            size,
            head,
            clock: Clock::between(head.start, head.end, meta.clock.hertz),
            meta,
            slots: BTreeMap::new(),
            order: None,
        };
        if !head.ended || head.unsettled || head.moved {
            part.find_slots()?;
        }
        Ok(part)
    }

    /// The file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Its size in bytes.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.size
    }

    /// What its head says.
    #[must_use]
    pub fn head(&self) -> &Head {
        &self.head
    }

    /// What it says of its run.
    #[must_use]
    pub fn meta(&self) -> &Meta {
        &self.meta
    }

    /// How its ticks become nanoseconds.
    #[must_use]
    pub fn clock(&self) -> Clock {
        self.clock
    }

    /// Whether the end is missing.
    #[must_use]
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

    /// All events, in the order of the file: those of one lane in the order of time, lanes interleaved.
    /// The fastest way; memory does not grow with the trace. Returns how many events there were.
    pub fn for_each(&self, mut visit: impl FnMut(At, &Event<'_>)) -> Result<u64, Error> {
        self.for_each_while(|at, event| {
            visit(at, event);
            true
        })
    }

    /// The same as long as `visit` wants more: where what comes of it can no longer be written, for example.
    pub fn for_each_while(&self, mut visit: impl FnMut(At, &Event<'_>) -> bool) -> Result<u64, Error> {
        let mut count = 0;
        self.blocks_while(|offset, head, bytes| {
            let block = Block { offset, head, bytes };
            let (events, more) = self.events_while(&block, &mut visit)?;
            count += events;
            Ok(more)
        })?;
        Ok(count)
    }

    /// Every block in use: its offset, its head and its bytes, fewer than the block size where the file
    /// is cut. For readers that decode with [`Records`] themselves; [`Part::read_batch`] is for
    /// several cores.
    pub fn blocks(&self, mut visit: impl FnMut(u64, BlockHead, &[u8]) -> Result<(), Error>) -> Result<(), Error> {
        self.blocks_while(|offset, head, bytes| visit(offset, head, bytes).map(|()| true))
    }

    fn blocks_while(&self, mut visit: impl FnMut(u64, BlockHead, &[u8]) -> Result<bool, Error>) -> Result<(), Error> {
        let offsets: Box<dyn Iterator<Item = u64>> = match &self.order {
            Some(order) => Box::new(order.iter().copied()),
            None if self.blocks_in_place(&mut visit)? => Box::new(self.slots()),
            None => return Ok(()),
        };
        let mut buffer = Vec::new();
        for offset in offsets {
            let head = self.load(offset, &mut buffer)?;
            if !visit(offset, head, &buffer)? {
                break;
            }
        }
        Ok(())
    }

    /// Visits the blocks that stand in their lane's order, many at once. Returns whether `visit` wants more.
    fn blocks_in_place(
        &self,
        mut visit: impl FnMut(u64, BlockHead, &[u8]) -> Result<bool, Error>,
    ) -> Result<bool, Error> {
        let size = self.head.block_size;
        let mut buffer = vec![0; READ.max(size) / size * size];
        let mut from = self.head.blocks_from;
        while from < self.end() {
            let length = (self.end() - from).min(buffer.len() as u64) as usize;
            self.read(&mut buffer[..length], from)?;
            for (number, block) in buffer[..length].chunks(size).enumerate() {
                let offset = from + (number * size) as u64;
                match BlockHead::of(block) {
                    Some(head) if self.is_in_order(offset, &head) => {
                        if !visit(offset, head, block)? {
                            return Ok(false);
                        }
                    }
                    Some(_) => {}
                    None => self.unused(offset, block)?,
                }
            }
            from += length as u64;
        }
        Ok(true)
    }

    /// The lanes and their blocks, from the blocks' heads alone.
    pub fn lanes(&self) -> Result<Vec<Lane>, Error> {
        let mut lanes: BTreeMap<u32, Vec<u64>> = BTreeMap::new();
        for offset in self.in_order() {
            let Some(head) = self.head_at(offset)? else {
                continue;
            };
            let blocks = lanes.entry(head.lane).or_default();
            if self.is_in_order(offset, &head) {
                blocks.push(offset);
            }
        }
        for (lane, slot) in &self.slots {
            lanes.entry(*lane).or_default().push(slot.offset);
        }
        let lane = |(lane, blocks)| Lane { lane, blocks };
        Ok(lanes.into_iter().map(lane).collect())
    }

    /// The bytes of one block; fewer than the block size where the file is cut.
    pub(crate) fn load(&self, offset: u64, to: &mut Vec<u8>) -> Result<BlockHead, Error> {
        let present = self.size.saturating_sub(offset);
        to.resize(present.min(self.head.block_size as u64) as usize, 0);
        self.read(to, offset)?;
        BlockHead::of(to).ok_or_else(|| Error::broken(&self.path, offset, "the head of a block has changed"))
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

    /// A block that was never used is all zeros, one whose head is cut away tells nothing, and a slot that
    /// was being cleared has no first word.
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

    pub(crate) fn offsets(&self) -> impl DoubleEndedIterator<Item = u64> + use<> {
        let (from, size) = (self.head.blocks_from, self.head.block_size as u64);
        let count = self.end().saturating_sub(from).div_ceil(size);
        (0..count).map(move |number| from + number * size)
    }

    /// The blocks, each lane's in its order but for [`Part::slots`].
    pub(crate) fn in_order(&self) -> Box<dyn Iterator<Item = u64> + '_> {
        match &self.order {
            Some(order) => Box::new(order.iter().copied()),
            None => Box::new(self.offsets()),
        }
    }

    /// The same, where it is not the file's.
    pub(crate) fn order(&self) -> Option<&[u64]> {
        self.order.as_deref()
    }

    /// Looks at all blocks' heads: for slots that hold a lane's last block, and for the last reading of both
    /// clocks where the part has no end.
    fn find_slots(&mut self) -> Result<(), Error> {
        let mut last = self.head.start;
        let mut first: BTreeMap<u32, Slot> = BTreeMap::new();
        let mut order: Vec<(u32, u64)> = Vec::new();
        for offset in self.offsets() {
            let Some(head) = self.head_at(offset)? else {
                continue;
            };
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
        self.slots = first;
        if self.head.moved {
            order.sort_unstable();
            self.order = Some(order.into_iter().map(|(_, offset)| offset).collect());
        }
        if !self.head.ended {
            self.clock = Clock::between(self.head.start, last, self.meta.clock.hertz);
        }
        Ok(())
    }

    /// Blocks that stand before others of their lane and come after them.
    pub(crate) fn slots(&self) -> impl Iterator<Item = u64> + '_ {
        self.slots.values().map(|slot| slot.offset)
    }

    /// Whether a block comes in its lane's order where it stands: it is not the last one in an early place, nor the beginning
    /// of a copy of that.
    pub(crate) fn is_in_order(&self, offset: u64, head: &BlockHead) -> bool {
        let slot = self.slots.get(&head.lane);
        slot.is_none_or(|slot| slot.offset != offset && slot.sequence != head.sequence)
    }

    fn head_at(&self, offset: u64) -> Result<Option<BlockHead>, Error> {
        let mut head = [0; BLOCK_HEAD];
        let length = (self.size - offset).min(BLOCK_HEAD as u64) as usize;
        self.read(&mut head[..length], offset)?;
        Ok(BlockHead::of(&head[..length]))
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
            let path = path.to_owned();
            return Err(Error::NoParts { path });
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
    let mut files = Vec::new();
    for entry in std::fs::read_dir(directory)? {
        let path = entry?.path();
        if path.extension().is_some_and(|ending| ending == EXTENSION) && path.is_file() {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}
