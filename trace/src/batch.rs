//! Many blocks at once, for readers that decode on several cores: lanes do not depend on each other.

use crate::decode::{BlockHead, Records};
use crate::error::Error;
use crate::event::Event;
use crate::part::{At, Part};

/// Blocks that stand after each other, in memory.
#[derive(Debug, Default)]
pub struct Batch {
    bytes: Vec<u8>,
    offset: u64,
    block_size: usize,
}

/// A block in use.
#[derive(Debug, Clone, Copy)]
pub struct Block<'a> {
    /// Where it is in the file.
    pub offset: u64,
    /// What its head says.
    pub head: BlockHead,
    /// All of it; fewer than the block size where the file is cut.
    pub bytes: &'a [u8],
}

impl Batch {
    /// Bytes that were read.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.bytes.len() as u64
    }

    /// Its blocks in use, in the order of the file.
    pub fn blocks<'a>(
        &'a self,
        part: &'a Part,
    ) -> impl Iterator<Item = Result<Block<'a>, Error>> + 'a {
        let all = self.bytes.chunks(self.block_size.max(1)).enumerate();
        all.filter_map(|(number, bytes)| {
            let offset = self.offset + (number * self.block_size) as u64;
            match BlockHead::of(bytes) {
                Some(head) => Some(Ok(Block {
                    offset,
                    head,
                    bytes,
                })),
                None => part.unused(offset, bytes).err().map(Err),
            }
        })
    }
}

impl Part {
    /// Number of blocks, those that were never used included.
    #[must_use]
    pub fn block_count(&self) -> u64 {
        let size = self.head().block_size as u64;
        self.end()
            .saturating_sub(self.head().blocks_from)
            .div_ceil(size)
    }

    /// Reads up to `count` blocks from number `first` on, in place of what `to` held.
    pub fn read_batch(&self, first: u64, count: u64, to: &mut Batch) -> Result<(), Error> {
        let size = self.head().block_size as u64;
        let at = |number: u64| {
            let offset = number.saturating_mul(size);
            self.head()
                .blocks_from
                .saturating_add(offset)
                .min(self.end())
        };
        to.offset = at(first);
        to.block_size = size as usize;
        to.bytes
            .resize((at(first.saturating_add(count)) - to.offset) as usize, 0);
        self.read(&mut to.bytes, to.offset)
    }

    /// The events of one block. Returns how many there were.
    #[inline]
    pub fn events_of(
        &self,
        block: &Block<'_>,
        mut see: impl FnMut(At, Event<'_>),
    ) -> Result<u64, Error> {
        let mut count = 0;
        let mut records = Records::new(&block.head);
        while self.step(&mut records, block.offset, block.bytes)? {
            let event = records
                .event(block.bytes)
                .map_err(|damage| self.damaged(block.offset, damage))?;
            let at = At {
                lane: block.head.lane,
                thread: records.thread(),
                ticks: records.ticks(),
            };
            see(at, event);
            count += 1;
        }
        Ok(count)
    }
}
