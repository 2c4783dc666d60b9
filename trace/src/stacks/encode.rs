//! Records as words. What a signal handler needs (all but the file's head and modules) neither allocates nor panics.

use std::os::unix::ffi::OsStrExt;

use super::{FORM, StackMeta};
use crate::stacks::layout::{
    BLOCK_HEAD, BLOCK_MAGIC, BLOCK_SIZES, FORK_WORDS, MODULE_GONE_WORDS, MODULE_WORDS, MOST_BUILD_ID, MOST_FRAMES,
    MOST_PATH, MOST_SEGMENTS, SAMPLE_WORDS, block, kind,
};
use crate::stacks::record::{Cut, Module, Sample};

/// The words of a record are told to whoever stores them, one by one.
pub trait Store {
    /// The next word.
    fn put(&mut self, word: u64);
}

impl Store for Vec<u64> {
    fn put(&mut self, word: u64) {
        self.push(word);
    }
}

/// The file's head and metadata, with zeros up to the first block.
pub fn file_head(block_size: usize, meta: &StackMeta) -> Vec<u8> {
    FORM.bytes(block_size, meta, 0)
}

/// The head of a block.
pub fn block_head(thread: u32, sequence: u32, begun: u64) -> [u64; BLOCK_HEAD] {
    let mut head = [0; BLOCK_HEAD];
    head[block::THREAD] = u64::from(BLOCK_MAGIC) | u64::from(thread) << 32;
    head[block::SEQUENCE] = u64::from(sequence);
    head[block::BEGUN] = begun;
    head
}

/// Most words of a stack's record before its frames.
pub const MOST_HEAD: usize = SAMPLE_WORDS;
const _: () = assert!(FORK_WORDS <= MOST_HEAD);
/// The largest record fits into a block of any size.
const _: () = assert!((BLOCK_HEAD + MOST_HEAD + MOST_FRAMES) * 8 <= *BLOCK_SIZES.start());

/// How many frames two stacks have in common, counted from their ends.
pub fn common(stack: &[u64], before: &[u64]) -> usize {
    let pairs = stack.iter().rev().zip(before.iter().rev());
    pairs.take_while(|(frame, same)| frame == same).count()
}

/// A sample. Of its frames the last `same` are those of the stack before in the block.
pub fn sample(to: &mut impl Store, sample: &Sample<'_>, same: usize) {
    let fresh = &sample.frames[..sample.frames.len().saturating_sub(same)];
    to.put(first(kind::SAMPLE, SAMPLE_WORDS + fresh.len(), sample.cut) | u64::from(sample.state) << 32);
    to.put(sample.time);
    to.put(sample.cpu_ns);
    to.put(sample.wait_id);
    to.put(sample.region);
    to.put(u64::from(sample.the_loop) | counts(same, fresh.len()));
    fresh.iter().for_each(|frame| to.put(*frame));
}

/// The stack at which a region was forked.
pub fn fork(to: &mut impl Store, time: u64, region: u64, frames: &[u64], same: usize, cut: Option<Cut>) {
    let fresh = &frames[..frames.len().saturating_sub(same)];
    to.put(first(kind::FORK, FORK_WORDS + fresh.len(), cut));
    to.put(time);
    to.put(region);
    to.put(counts(same, fresh.len()));
    fresh.iter().for_each(|frame| to.put(*frame));
}

/// A module is there no more.
pub fn module_gone(to: &mut impl Store, time: u64, number: u32) {
    to.put(first(kind::MODULE_GONE, MODULE_GONE_WORDS, None));
    to.put(time);
    to.put(u64::from(number));
}

pub(crate) fn first(kind: u8, words: usize, cut: Option<Cut>) -> u64 {
    let cut = cut.map_or(0, |cut| cut as u64);
    u64::from(kind) | (words as u64 & 0xffff) << 8 | cut << 24
}

fn counts(same: usize, fresh: usize) -> u64 {
    (same as u64 & 0xffff) << 32 | (fresh as u64 & 0xffff) << 48
}

/// A module; what is too long of it is cut.
pub fn module(to: &mut Vec<u64>, number: u32, from: u64, module: &Module) {
    let path = module.path.as_os_str().as_bytes();
    let path = &path[..path.len().min(MOST_PATH)];
    let build_id = &module.build_id[..module.build_id.len().min(MOST_BUILD_ID)];
    let segments = &module.segments[..module.segments.len().min(MOST_SEGMENTS)];
    let words = MODULE_WORDS + 3 * segments.len() + path.len().div_ceil(8) + build_id.len().div_ceil(8);
    to.push(first(kind::MODULE, words, None));
    to.push(from);
    to.push(module.bias);
    to.push(u64::from(number) | (path.len() as u64) << 32 | (build_id.len() as u64) << 48);
    to.push(segments.len() as u64);
    for segment in segments {
        to.extend([segment.address, segment.size, segment.offset]);
    }
    for text in [path, build_id] {
        for bytes in text.chunks(8) {
            let mut word = [0; 8];
            word[..bytes.len()].copy_from_slice(bytes);
            to.push(u64::from_le_bytes(word));
        }
    }
}
