//! The head of a part: fixed fields, then metadata.

use crate::beginning::{Beginning, Form};
use crate::block::u64_at;
use crate::error::Error;
use crate::event::Reason;
use crate::layout::{BLOCK_SIZES, HEAD_SIZE, MAGIC, OLDEST, VERSION, head};
use crate::meta::Meta;

/// What parts are known by.
pub(crate) const FORM: Form = Form {
    magic: MAGIC,
    head_size: HEAD_SIZE,
    versions: OLDEST..=VERSION,
    block_sizes: BLOCK_SIZES,
    rest_of_head: "the rest of its head",
    rest_of_meta: "the rest of its metadata",
    other_version: |path, found| Error::Version { path: path.to_owned(), found },
};

/// The fixed fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Head {
    /// Where the first block is.
    pub blocks_from: u64,
    /// Size of each block.
    pub block_size: usize,
    /// Bytes of metadata.
    pub meta_size: usize,
    /// The recorder has finished.
    pub ended: bool,
    /// The clock and `CLOCK_MONOTONIC` at the start.
    pub start: (u64, u64),
    /// The same at the end.
    pub end: (u64, u64),
    /// Number of blocks, once ended.
    pub blocks: u64,
    /// Chunks that were lost for lack of room.
    pub lost_chunks: u64,
    /// Other records that were lost.
    pub lost_events: u64,
    /// Why something was lost first.
    pub lost_reason: Option<Reason>,
    /// The last block of a lane may stand before the lane's others. Readers of this crate take care of it.
    pub unsettled: bool,
    /// The blocks of a lane may be in another order in the file, likewise.
    pub moved: bool,
}

impl Head {
    /// A head and metadata as they stand at the start of a part, with zeros up to the first block.
    #[must_use]
    pub fn bytes(start: (u64, u64), block_size: usize, meta: &Meta) -> Vec<u8> {
        Head::bytes_with_room(start, block_size, meta, 0)
    }

    /// The same with so many blanks behind the metadata, so that [`Head::replace_meta`] has room for more.
    #[must_use]
    pub fn bytes_with_room(start: (u64, u64), block_size: usize, meta: &Meta, room: usize) -> Vec<u8> {
        let mut bytes = FORM.bytes(block_size, meta, room);
        for (at, value) in [(head::START_TICKS, start.0), (head::START_NS, start.1)] {
            bytes[at..at + 8].copy_from_slice(&value.to_le_bytes());
        }
        bytes
    }

    /// Puts other metadata in the place of those in a head. Gives their bytes, as many as before; `None`: there is no room.
    pub fn replace_meta<'b>(head: &'b mut [u8], meta: &Meta) -> Option<&'b [u8]> {
        let size = head.get(head::META_SIZE..head::META_SIZE + 4)?;
        let size = u32::from_le_bytes(size.try_into().ok()?) as usize;
        let place = head.get_mut(HEAD_SIZE..HEAD_SIZE + size)?;
        let mut json = serde_json::to_vec(meta).ok()?;
        if json.len() > size {
            return None;
        }
        json.resize(size, b' ');
        place.copy_from_slice(&json);
        Some(place)
    }

    pub(crate) fn of(part: &Beginning<Meta>) -> Head {
        let long = |at: usize| u64_at(&part.head, at);
        Head {
            blocks_from: part.blocks_from as u64,
            block_size: part.block_size,
            meta_size: part.meta_size,
            ended: long(head::ENDED) != 0,
            start: (long(head::START_TICKS), long(head::START_NS)),
            end: (long(head::END_TICKS), long(head::END_NS)),
            blocks: long(head::BLOCKS),
            lost_chunks: long(head::LOST_CHUNKS),
            lost_events: long(head::LOST_EVENTS),
            lost_reason: Reason::of(long(head::LOST_REASON) as u32),
            unsettled: long(head::UNSETTLED) != 0,
            moved: long(head::MOVED) != 0,
        }
    }
}
