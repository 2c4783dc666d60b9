//! A part in the order of time: all lanes at once, one block of each in memory.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

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
    pub fn merged(&self, mut visit: impl FnMut(At, Event<'_>)) -> Result<u64, Error> {
        self.merged_while(|at, event| {
            visit(at, event);
            true
        })
    }

    /// The same as long as `visit` wants more.
    pub fn merged_while(&self, mut visit: impl FnMut(At, Event<'_>) -> bool) -> Result<u64, Error> {
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
                if !visit(reader.at(), reader.event()?) {
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
