//! The head of a part: fixed fields, then metadata.

use std::path::Path;

use crate::error::Error;
use crate::event::Reason;
use crate::layout::{BLOCK_SIZES, HEAD_SIZE, MAGIC, OLDEST, VERSION, head};
use crate::meta::Meta;

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
    pub fn bytes_with_room(
        start: (u64, u64),
        block_size: usize,
        meta: &Meta,
        room: usize,
    ) -> Vec<u8> {
        let mut json = serde_json::to_vec(meta).unwrap_or_default();
        json.resize(json.len() + room, b' ');
        let blocks_from = (HEAD_SIZE + json.len()).next_multiple_of(block_size);
        let mut bytes = vec![0; blocks_from];
        let mut put = |at: usize, value: &[u8]| bytes[at..at + value.len()].copy_from_slice(value);
        put(0, &MAGIC);
        put(head::VERSION, &VERSION.to_le_bytes());
        put(head::BLOCKS_FROM, &(blocks_from as u32).to_le_bytes());
        put(head::BLOCK_SIZE, &(block_size as u32).to_le_bytes());
        put(head::META_SIZE, &(json.len() as u32).to_le_bytes());
        put(head::START_TICKS, &start.0.to_le_bytes());
        put(head::START_NS, &start.1.to_le_bytes());
        put(HEAD_SIZE, &json);
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

    /// From the first [`HEAD_SIZE`] bytes of a file, or as many as there are.
    pub(crate) fn parse(path: &Path, bytes: &[u8]) -> Result<Head, Error> {
        let not = |what: String| Error::NotATrace {
            path: path.to_owned(),
            what,
        };
        let present = bytes.len().min(MAGIC.len());
        if bytes[..present] != MAGIC[..present] {
            return Err(not("it does not begin with OMPCHTRC".into()));
        }
        let Some(bytes) = bytes.first_chunk::<HEAD_SIZE>() else {
            return Err(Error::Cut {
                path: path.to_owned(),
                offset: bytes.len() as u64,
                what: "the rest of its head",
            });
        };
        let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four"));
        let long = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight"));
        if !(OLDEST..=VERSION).contains(&word(head::VERSION)) {
            return Err(Error::Version {
                path: path.to_owned(),
                found: word(head::VERSION),
            });
        }
        let block_size = word(head::BLOCK_SIZE) as usize;
        let blocks_from = word(head::BLOCKS_FROM) as usize;
        let meta_size = word(head::META_SIZE) as usize;
        if !block_size.is_power_of_two() || !BLOCK_SIZES.contains(&block_size) {
            let what = format!("blocks cannot have {block_size} bytes");
            return Err(Error::broken(path, head::BLOCK_SIZE as u64, what));
        }
        if blocks_from % block_size != 0 || blocks_from.saturating_sub(HEAD_SIZE) < meta_size {
            let what = format!("the first block cannot be at {blocks_from}");
            return Err(Error::broken(path, head::BLOCKS_FROM as u64, what));
        }
        Ok(Head {
            blocks_from: blocks_from as u64,
            block_size,
            meta_size,
            ended: long(head::ENDED) != 0,
            start: (long(head::START_TICKS), long(head::START_NS)),
            end: (long(head::END_TICKS), long(head::END_NS)),
            blocks: long(head::BLOCKS),
            lost_chunks: long(head::LOST_CHUNKS),
            lost_events: long(head::LOST_EVENTS),
            lost_reason: Reason::of(long(head::LOST_REASON) as u32),
            unsettled: long(head::UNSETTLED) != 0,
            moved: long(head::MOVED) != 0,
        })
    }
}
