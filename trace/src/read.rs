//! A part in the order of time, all lanes at once with one block of each in memory; or many blocks at once, for readers that decode on
//! several cores, as lanes do not depend on each other.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::block::{Block, BlockHead};
use crate::decode::Records;
use crate::error::Error;
use crate::event::{At, Event};
use crate::part::{Lane, Part};

/// Reads one lane from its beginning.
#[derive(Debug)]
pub struct LaneReader<'p> {
    part: &'p Part,
    lane: Lane,
    next: usize,
    offset: u64,
    block: Vec<u8>,
    records: Option<Records>,
}

impl Part {
    /// A reader of one of the [`Part::lanes`].
    #[must_use]
    pub fn lane(&self, lane: Lane) -> LaneReader<'_> {
        LaneReader { part: self, lane, next: 0, offset: 0, block: Vec::new(), records: None }
    }

    /// All events in the order of time; of those at the same time, those of the lower lane first.
    /// Slower than [`Part::for_each`]. Returns how many there were.
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
            if let Some(at) = reader.advance()? {
                next_of_lanes.push(Reverse((at.ticks, at.lane, readers.len())));
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
                if !visit(reader.at(), &reader.event()?) {
                    return Ok(count);
                }
                let Some(next) = reader.advance()? else { break };
                if (next.ticks, next.lane) > until {
                    next_of_lanes.push(Reverse((next.ticks, next.lane, index)));
                    break;
                }
            }
        }
        Ok(count)
    }

    /// Number of blocks to read, those that were never used included.
    #[must_use]
    pub fn block_count(&self) -> u64 {
        self.blocks_in_file() + self.slots().count() as u64
    }

    fn blocks_in_file(&self) -> u64 {
        self.in_order().count() as u64
    }

    /// Reads up to `count` blocks from number `first` on, in place of what `to` held. Blocks of a lane come in
    /// its order, whatever theirs in the file.
    pub fn read_batch(&self, first: u64, count: u64, to: &mut Batch) -> Result<(), Error> {
        if let Some(order) = self.order() {
            return self.read_in_order(order, first, count, to);
        }
        let size = self.head().block_size;
        let in_file = self.blocks_in_file();
        let (first, last) = (first.min(in_file), first.saturating_add(count));
        let skipped = (last - count).saturating_sub(in_file);
        let from = self.head().blocks_from + first * size as u64;
        let until = (self.head().blocks_from + last.min(in_file) * size as u64).min(self.end());
        to.places.clear();
        to.bytes.resize(until.saturating_sub(from) as usize, 0);
        self.read(&mut to.bytes, from.min(until))?;
        for start in (0..to.bytes.len()).step_by(size) {
            let (offset, end) = (from + start as u64, (start + size).min(to.bytes.len()));
            let head = BlockHead::of(&to.bytes[start..end]);
            // Blocks that are out of their lane's order come last.
            if head.is_none_or(|head| self.is_in_order(offset, &head)) {
                to.places.push((offset, start, end));
            }
        }
        let slots = last.saturating_sub(in_file).saturating_sub(skipped);
        let mut slots = self.slots().skip(skipped as usize).take(slots as usize);
        slots.try_for_each(|offset| self.read_block(offset, to))
    }

    fn read_in_order(&self, order: &[u64], first: u64, count: u64, to: &mut Batch) -> Result<(), Error> {
        to.places.clear();
        to.bytes.clear();
        let mut offsets = order.iter().skip(first as usize).take(count as usize);
        offsets.try_for_each(|offset| self.read_block(*offset, to))
    }

    /// Reads one block behind the others.
    fn read_block(&self, offset: u64, to: &mut Batch) -> Result<(), Error> {
        let start = to.bytes.len();
        let present = self.end().saturating_sub(offset);
        let end = start + present.min(self.head().block_size as u64) as usize;
        to.bytes.resize(end, 0);
        self.read(&mut to.bytes[start..], offset)?;
        to.places.push((offset, start, end));
        Ok(())
    }

    /// The events of one block. Returns how many there were.
    #[inline]
    pub fn events_of(&self, block: &Block<'_>, mut visit: impl FnMut(At, &Event<'_>)) -> Result<u64, Error> {
        let visited = self.events_while(block, |at, event| {
            visit(at, event);
            true
        });
        visited.map(|(count, _)| count)
    }

    /// How many there were until `visit` wanted no more, and whether it does.
    #[inline]
    pub(crate) fn events_while(
        &self,
        block: &Block<'_>,
        mut visit: impl FnMut(At, &Event<'_>) -> bool,
    ) -> Result<(u64, bool), Error> {
        let mut count = 0;
        let mut records = Records::new(&block.head);
        while self.step(&mut records, block.offset, block.bytes)? {
            // Read where it has been written: an event that is moved at once waits for all of its parts.
            let event = &records.event(block.bytes);
            let event = event.as_ref().map_err(|damage| self.damaged(block.offset, damage.clone()))?;
            let at = At { lane: block.head.lane, thread: records.thread(), ticks: records.ticks() };
            count += 1;
            if !visit(at, event) {
                return Ok((count, false));
            }
        }
        Ok((count, true))
    }
}

impl LaneReader<'_> {
    /// Goes to the lane's next event; `None` at the end.
    pub fn advance(&mut self) -> Result<Option<At>, Error> {
        loop {
            if let Some(records) = &mut self.records {
                if self.part.step(records, self.offset, &self.block)? {
                    return Ok(Some(self.at()));
                }
                self.records = None;
            }
            let Some(offset) = self.lane.blocks.get(self.next) else {
                return Ok(None);
            };
            self.offset = *offset;
            self.next += 1;
            let head = self.part.load(self.offset, &mut self.block)?;
            self.records = Some(Records::new(&head));
        }
    }

    /// Where the current event stands.
    #[must_use]
    pub fn at(&self) -> At {
        At {
            lane: self.lane.lane,
            thread: self.records.as_ref().map_or(crate::NOBODY, Records::thread),
            ticks: self.records.as_ref().map_or(0, Records::ticks),
        }
    }

    /// The event that [`LaneReader::advance`] went to. Call it only after that returned one.
    pub fn event(&self) -> Result<Event<'_>, Error> {
        match &self.records {
            Some(records) => records.event(&self.block).map_err(|damage| self.part.damaged(self.offset, damage)),
            None => Err(Error::broken(self.part.path(), self.offset, "an event was asked for beyond the end")),
        }
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
    #[must_use]
    pub fn size(&self) -> u64 {
        self.bytes.len() as u64
    }

    /// Its blocks in use: those of one lane in their order.
    pub fn blocks<'a>(&'a self, part: &'a Part) -> impl Iterator<Item = Result<Block<'a>, Error>> + 'a {
        self.places.iter().filter_map(|&(offset, start, end)| {
            let bytes = &self.bytes[start..end];
            let used = |head| Block { offset, head, bytes };
            match BlockHead::of(bytes) {
                Some(head) => Some(Ok(used(head))),
                None => part.unused(offset, bytes).err().map(Err),
            }
        })
    }
}
