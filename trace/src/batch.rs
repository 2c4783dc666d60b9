//! Many blocks at once, for readers that decode on several cores: lanes do not depend on each other.

use crate::block::{Block, BlockHead};
use crate::decode::Records;
use crate::error::Error;
use crate::event::{At, Event};
use crate::part::Part;

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

impl Part {
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
    pub fn events_of(&self, block: &Block<'_>, mut visit: impl FnMut(At, Event<'_>)) -> Result<u64, Error> {
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
        mut visit: impl FnMut(At, Event<'_>) -> bool,
    ) -> Result<(u64, bool), Error> {
        let mut count = 0;
        let mut records = Records::new(&block.head);
        while self.step(&mut records, block.offset, block.bytes)? {
            let event = records.event(block.bytes).map_err(|damage| self.damaged(block.offset, damage))?;
            let at = At { lane: block.head.lane, thread: records.thread(), ticks: records.ticks() };
            count += 1;
            if !visit(at, event) {
                return Ok((count, false));
            }
        }
        Ok((count, true))
    }
}
