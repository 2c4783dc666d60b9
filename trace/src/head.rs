//! How our files begin: a fixed head, and metadata as JSON up to the first block. Parts and files of stacks share its first fields.

use std::fs::File;
use std::ops::RangeInclusive;
use std::os::unix::fs::FileExt;
use std::path::Path;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::block::{u32_at, u64_at};
use crate::error::Error;
use crate::event::Reason;
use crate::layout::{BLOCK_SIZES, HEAD_SIZE, MAGIC, OLDEST, VERSION, head};
use crate::meta::Meta;

pub(crate) const FORM: Form = Form {
    magic: MAGIC,
    head_size: HEAD_SIZE,
    versions: OLDEST..=VERSION,
    block_sizes: BLOCK_SIZES,
    rest_of_head: "the rest of its head",
    rest_of_meta: "the rest of its metadata",
    other_version: |path, found| Error::Version(path.to_owned(), found),
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
    /// A part's head and metadata, and zeros up to the first block. `room`: blanks behind the metadata, for [`Head::replace_meta`].
    pub fn bytes(start: (u64, u64), block_size: usize, meta: &Meta, room: usize) -> Vec<u8> {
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

    pub(crate) fn from_part(part: &Beginning<Meta>) -> Head {
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
            lost_reason: Reason::from_number(long(head::LOST_REASON) as u32),
            unsettled: long(head::UNSETTLED) != 0,
            moved: long(head::MOVED) != 0,
        }
    }
}

pub(crate) struct Form {
    pub(crate) magic: [u8; 8],
    pub(crate) head_size: usize,
    /// The versions that are read; the last one is written.
    pub(crate) versions: RangeInclusive<u32>,
    pub(crate) block_sizes: RangeInclusive<usize>,
    /// What is missing where the file ends in its head, ...
    pub(crate) rest_of_head: &'static str,
    /// ... or in its metadata.
    pub(crate) rest_of_meta: &'static str,
    pub(crate) other_version: fn(&Path, u32) -> Error,
}

#[derive(Debug)]
pub(crate) struct Beginning<Meta> {
    pub(crate) file: File,
    pub(crate) size: u64,
    pub(crate) head: Vec<u8>,
    pub(crate) block_size: usize,
    pub(crate) blocks_from: usize,
    pub(crate) meta_size: usize,
    pub(crate) meta: Meta,
}

impl Form {
    /// Head and metadata, with so many blanks behind the metadata and zeros up to the first block.
    pub(crate) fn bytes(&self, block_size: usize, meta: &impl Serialize, room: usize) -> Vec<u8> {
        let mut json = serde_json::to_vec(meta).unwrap_or_default();
        json.resize(json.len() + room, b' ');
        let blocks_from = (self.head_size + json.len()).next_multiple_of(block_size);
        let mut bytes = vec![0; blocks_from];
        let mut put = |at: usize, value: &[u8]| bytes[at..at + value.len()].copy_from_slice(value);
        put(0, &self.magic);
        put(head::VERSION, &self.versions.end().to_le_bytes());
        put(head::BLOCKS_FROM, &(blocks_from as u32).to_le_bytes());
        put(head::BLOCK_SIZE, &(block_size as u32).to_le_bytes());
        put(head::META_SIZE, &(json.len() as u32).to_le_bytes());
        put(self.head_size, &json);
        bytes
    }

    pub(crate) fn open<Meta: DeserializeOwned>(&self, path: &Path) -> Result<Beginning<Meta>, Error> {
        let io = |cause| Error::io(path, cause);
        let file = File::open(path).map_err(io)?;
        let size = file.metadata().map_err(io)?.len();
        let mut head = vec![0; self.head_size.min(size as usize)];
        file.read_exact_at(&mut head, 0).map_err(io)?;
        self.check(path, &head)?;
        let number = |at: usize| u32_at(&head, at) as usize;
        let meta_size = number(head::META_SIZE);
        if size < (self.head_size + meta_size) as u64 {
            return Err(Error::Cut(path.to_owned(), size, self.rest_of_meta));
        }
        let mut json = vec![0; meta_size];
        let json_from = self.head_size as u64;
        file.read_exact_at(&mut json, json_from).map_err(io)?;
        let meta = serde_json::from_slice(&json)
            .map_err(|error| Error::broken(path, json_from, format!("its metadata: {error}")))?;
        Ok(Beginning {
            block_size: number(head::BLOCK_SIZE),
            blocks_from: number(head::BLOCKS_FROM),
            file,
            size,
            head,
            meta_size,
            meta,
        })
    }

    /// Whether a file can begin with this head, or as much of it as there is.
    fn check(&self, path: &Path, head: &[u8]) -> Result<(), Error> {
        let present = head.len().min(self.magic.len());
        if head[..present] != self.magic[..present] {
            let magic = String::from_utf8_lossy(&self.magic);
            let what = format!("it does not begin with {magic}");
            return Err(Error::NotATrace(path.to_owned(), what));
        }
        if head.len() < self.head_size {
            return Err(Error::Cut(path.to_owned(), head.len() as u64, self.rest_of_head));
        }
        let version = u32_at(head, head::VERSION);
        if !self.versions.contains(&version) {
            return Err((self.other_version)(path, version));
        }
        let number = |at: usize| u32_at(head, at) as usize;
        let block_size = number(head::BLOCK_SIZE);
        if !block_size.is_power_of_two() || !self.block_sizes.contains(&block_size) {
            let what = format!("blocks cannot have {block_size} bytes");
            return Err(Error::broken(path, head::BLOCK_SIZE as u64, what));
        }
        let blocks_from = number(head::BLOCKS_FROM);
        let most_meta = blocks_from.saturating_sub(self.head_size);
        if blocks_from % block_size != 0 || most_meta < number(head::META_SIZE) {
            let what = format!("the first block cannot be at {blocks_from}");
            return Err(Error::broken(path, head::BLOCKS_FROM as u64, what));
        }
        Ok(())
    }
}
