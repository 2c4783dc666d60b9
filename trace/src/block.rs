//! A block and its head: whose records follow, and from when on. Numbers in bytes that may end anywhere.

use crate::layout::{BLOCK_HEAD, BLOCK_MAGIC, block};

/// What a block's head says.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct BlockHead {
    /// The lane.
    pub lane: u32,
    /// Number within the lane.
    pub sequence: u32,
    /// The thread that the lane belongs to where the block begins, or [`crate::NOBODY`].
    pub thread: u32,
    /// The lane's time where the block begins.
    pub ticks: u64,
    /// The clock ...
    pub now_ticks: u64,
    /// ... and `CLOCK_MONOTONIC` when the block was taken into use.
    pub now_ns: u64,
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

impl BlockHead {
    /// The head of a block; `None` if these bytes are no block in use.
    pub fn from_bytes(bytes: &[u8]) -> Option<BlockHead> {
        if bytes.len() < BLOCK_HEAD || u32_at(bytes, 0) != BLOCK_MAGIC {
            return None;
        }
        Some(BlockHead {
            lane: u32_at(bytes, block::LANE),
            sequence: u32_at(bytes, block::SEQUENCE),
            thread: u32_at(bytes, block::THREAD),
            ticks: u64_at(bytes, block::TICKS),
            now_ticks: u64_at(bytes, block::NOW_TICKS),
            now_ns: u64_at(bytes, block::NOW_NS),
        })
    }
}

#[inline]
pub(crate) fn u32_at(bytes: &[u8], at: usize) -> u32 {
    bytes.get(at..at + 4).map_or(0, |word| u32::from_le_bytes(word.try_into().expect("four bytes")))
}

#[inline]
pub(crate) fn u64_at(bytes: &[u8], at: usize) -> u64 {
    bytes.get(at..at + 8).map_or(0, |word| u64::from_le_bytes(word.try_into().expect("eight bytes")))
}

pub(crate) fn bytes_of(words: &[u64]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}
