//! A part in the order of the file, or of time, with one block of each lane in memory; or many blocks at once, for several cores.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use crate::block::{Block, BlockHead};
use crate::decode::Records;
use crate::error::Error;
use crate::event::{At, Event, NOBODY};
use crate::part::{Lane, Part};

/// Reads one lane from its beginning.
struct LaneReader<'p> {
    part: &'p Part,
    at: At,
    blocks: std::vec::IntoIter<u64>,
    offset: u64,
    block: Vec<u8>,
    records: Records,
}

/// Bytes that are read at once.
const READ: usize = 1 << 20;

impl Part {
    /// All events, in the order of the file, lanes interleaved: the fastest way. Memory does not grow with the trace. Gives their number.
    pub fn for_each(&self, mut visit: impl FnMut(At, &Event<'_>)) -> Result<u64, Error> {
        self.for_each_while(|at, event| {
            visit(at, event);
            true
        })
    }

    /// The same as long as `visit` wants more: where what comes of it can no longer be written, for example.
    pub fn for_each_while(&self, mut visit: impl FnMut(At, &Event<'_>) -> bool) -> Result<u64, Error> {
        let at_once = (READ / self.head().block_size).max(1);
        let (mut count, mut batch) = (0, Batch::default());
        let mut lanes: HashMap<u32, At> = HashMap::new();
        for first in (0..self.block_count()).step_by(at_once) {
            self.read_batch(first, at_once as u64, &mut batch)?;
            for block in batch.blocks(self) {
                let block = block?;
                let at = lanes.entry(block.head.lane).or_default();
                let (events, more) = self.events_while(&block, at, &mut visit)?;
                count += events;
                if !more {
                    return Ok(count);
                }
            }
        }
        Ok(count)
    }

    /// A reader of one of the [`Part::lanes`].
    fn lane(&self, lane: Lane) -> LaneReader<'_> {
        let records = Records::new(&BlockHead { thread: NOBODY, ..BlockHead::default() });
        LaneReader {
            part: self,
            at: At::default(),
            blocks: lane.blocks.into_iter(),
            offset: 0,
            block: Vec::new(),
            records,
        }
    }

    /// All events in the order of time, at the same time by lane. Slower than [`Part::for_each`]. Gives their number.
    pub fn merged(&self, mut visit: impl FnMut(At, &Event<'_>)) -> Result<u64, Error> {
        self.merged_while(|at, event| {
            visit(at, event);
            true
        })
    }

    /// The same as long as `visit` wants more.
    pub fn merged_while(&self, mut visit: impl FnMut(At, &Event<'_>) -> bool) -> Result<u64, Error> {
        let mut readers = Vec::new();
        let mut next_of_lanes = BinaryHeap::new();
        for lane in self.lanes()? {
            let mut reader = self.lane(lane);
            if let Some(next) = reader.advance()? {
                next_of_lanes.push(Reverse((next, reader.at.lane, readers.len())));
                readers.push(reader);
            }
        }
        let mut count = 0;
        while let Some(Reverse((_, _, index))) = next_of_lanes.pop() {
            let reader = &mut readers[index];
            let until = match next_of_lanes.peek() {
                Some(Reverse((ticks, lane, _))) => (*ticks, *lane),
                None => (u64::MAX, u32::MAX),
            };
            // As long as no other lane has anything earlier.
            loop {
                count += 1;
                if !reader.show(&mut visit)? {
                    return Ok(count);
                }
                let Some(next) = reader.advance()? else { break };
                if (next, reader.at.lane) > until {
                    next_of_lanes.push(Reverse((next, reader.at.lane, index)));
                    break;
                }
            }
        }
        Ok(count)
    }

    /// Number of blocks to read, those that were never used included.
    pub fn block_count(&self) -> u64 {
        self.blocks_in_place() + self.singly().len() as u64
    }

    /// Reads up to `count` blocks from number `first` on, in place of what `to` held, those of a lane in the lane's order.
    pub fn read_batch(&self, first: u64, count: u64, to: &mut Batch) -> Result<(), Error> {
        let (in_place, last) = (self.blocks_in_place(), first.saturating_add(count));
        let size = self.head().block_size;
        let place = |number: u64| (self.head().blocks_from + number.min(in_place) * size as u64).min(self.end());
        let (from, until) = (place(first), place(last));
        to.places.clear();
        to.bytes.resize((until - from) as usize, 0);
        self.read(&mut to.bytes, from)?;
        for start in (0..to.bytes.len()).step_by(size) {
            let (offset, end) = (from + start as u64, (start + size).min(to.bytes.len()));
            let head = BlockHead::from_bytes(&to.bytes[start..end]);
            // Blocks that are out of their lane's order come last.
            if head.is_none_or(|head| self.is_in_order(offset, &head)) {
                to.places.push((offset, start, end));
            }
        }
        let number = |of: u64| of.saturating_sub(in_place).min(self.singly().len() as u64) as usize;
        for offset in &self.singly()[number(first)..number(last)] {
            let start = to.bytes.len();
            self.read_block(*offset, &mut to.bytes, start)?;
            to.places.push((*offset, start, to.bytes.len()));
        }
        Ok(())
    }

    /// Behind the first `start` bytes.
    fn read_block(&self, offset: u64, to: &mut Vec<u8>, start: usize) -> Result<(), Error> {
        let present = self.end().saturating_sub(offset);
        to.resize(start + present.min(self.head().block_size as u64) as usize, 0);
        self.read(&mut to[start..], offset)
    }

    /// The events of one block. Returns how many there were.
    #[inline]
    pub fn events_of(&self, block: &Block<'_>, mut visit: impl FnMut(At, &Event<'_>)) -> Result<u64, Error> {
        let visited = self.events_while(block, &mut At::default(), |at, event| {
            visit(at, event);
            true
        });
        visited.map(|(count, _)| count)
    }

    /// How many there were until `visit` wanted no more, and whether it does. `at`: where the lane was read to.
    #[inline]
    fn events_while(
        &self,
        block: &Block<'_>,
        at: &mut At,
        mut visit: impl FnMut(At, &Event<'_>) -> bool,
    ) -> Result<(u64, bool), Error> {
        let (mut count, mut records) = (0, Records::new(&block.head));
        let mut here = at.in_block(&block.head);
        while self.step(&mut records, block.offset, block.bytes)? {
            // Read where it has been written: an event that is moved at once waits for all of its parts.
            let event = &records.event(block.bytes);
            let event = event.as_ref().map_err(|damage| self.damaged(block.offset, damage.clone()))?;
            here.follow(records.thread(), records.ticks(), event);
            count += 1;
            if !visit(here, event) {
                return Ok((count, false));
            }
        }
        *at = here;
        Ok((count, true))
    }
}

impl LaneReader<'_> {
    /// Goes to the lane's next event and gives its time; `None` at the end.
    fn advance(&mut self) -> Result<Option<u64>, Error> {
        while !self.part.step(&mut self.records, self.offset, &self.block)? {
            let Some(offset) = self.blocks.next() else {
                return Ok(None);
            };
            self.offset = offset;
            self.part.read_block(offset, &mut self.block, 0)?;
            let head = BlockHead::from_bytes(&self.block);
            let changed = || Error::broken(self.part.path(), offset, "the head of a block has changed");
            let head = head.ok_or_else(changed)?;
            self.at = self.at.in_block(&head);
            self.records = Records::new(&head);
        }
        Ok(Some(self.records.ticks()))
    }

    /// Shows the event that [`LaneReader::advance`] went to. Whether `visit` wants more.
    #[inline]
    fn show(&mut self, visit: impl FnOnce(At, &Event<'_>) -> bool) -> Result<bool, Error> {
        let event = &self.records.event(&self.block);
        let event = event.as_ref().map_err(|damage| self.part.damaged(self.offset, damage.clone()))?;
        self.at.follow(self.records.thread(), self.records.ticks(), event);
        Ok(visit(self.at, event))
    }
}

/// Blocks that come after each other, in memory.
#[derive(Debug, Default)]
pub struct Batch {
    bytes: Vec<u8>,
    /// Where each block is in the file, and in `bytes`: start and end.
    places: Vec<(u64, usize, usize)>,
}

impl Batch {
    /// Bytes that were read.
    pub fn size(&self) -> u64 {
        self.bytes.len() as u64
    }

    /// Its blocks in use: those of one lane in their order.
    pub fn blocks<'a>(&'a self, part: &'a Part) -> impl Iterator<Item = Result<Block<'a>, Error>> + 'a {
        self.places.iter().filter_map(|&(offset, start, end)| {
            let bytes = &self.bytes[start..end];
            let used = |head| Block { offset, head, bytes };
            match BlockHead::from_bytes(bytes) {
                Some(head) => Some(Ok(used(head))),
                None => part.unused(offset, bytes).err().map(Err),
            }
        })
    }
}
