//! What stands where in a file of stacks. `docs/stack-format.md` says the same in words; a test compares the two.

/// First eight bytes of the file.
pub const MAGIC: [u8; 8] = *b"OMPCHSTK";
/// Version of everything in this module.
pub const VERSION: u32 = 1;
/// Ending of the file's name.
pub const EXTENSION: &str = "stacks";
/// The fixed head; metadata as JSON follows it.
pub const HEAD_SIZE: usize = 64;
/// Size of blocks unless a writer chooses another.
pub const BLOCK_SIZE: usize = 16 << 10;
/// Limits of what a reader accepts; a power of two.
pub const BLOCK_SIZES: core::ops::RangeInclusive<usize> = 8 << 10..=1 << 20;
/// First four bytes of a block in use.
pub const BLOCK_MAGIC: u32 = u32::from_le_bytes(*b"STK1");
/// The fixed head of a block, in words of 8 bytes.
pub const BLOCK_HEAD: usize = 8;
/// Most frames of a stack: what is beyond, towards `main`, is left out.
pub const MOST_FRAMES: usize = 512;
/// Most bytes of a module's path.
pub const MOST_PATH: usize = 4096;
/// Most bytes of a module's build id.
pub const MOST_BUILD_ID: usize = 64;
/// Most segments of a module.
pub const MOST_SEGMENTS: usize = 16;

/// Where the fields of the file's head are.
pub mod head {
    pub use crate::layout::head::{BLOCK_SIZE, BLOCKS_FROM, META_SIZE, VERSION};
    crate::record_kinds::places! {
        ENDED 24, "`u64`: once the recorder has finished, where the last block ends, or 1 if blocks were lost.";
        LOST_REASON 32, "`u64`: a [`crate::Reason`], 0 while nothing is lost for lack of room.";
        // 40 to 63: zero.
    }
}

/// Which word of a block's head has what.
pub mod block {
    crate::record_kinds::places! {
        THREAD 0, "[`super::BLOCK_MAGIC`], then the thread, or [`crate::NOBODY`] in a block of modules.";
        SEQUENCE 1, "The thread's blocks are numbered from 0; then bytes in use, the head included.";
        BEGUN 2, "The clock when the block was begun.";
        EXPIRED 3, "Times that the thread's timer had expired until the block was written last, over all of the thread's blocks.";
        BUSY 4, "Signals that have no record, over all of the thread's blocks: because the thread was writing one itself (4) ...";
        NO_ROOM 5, "... or for lack of room.";
    }
}

/// Kinds of records: the lowest byte of a record's first word. Zero ends a block.
pub mod kind {
    #![allow(missing_docs, reason = "the names are those of the events")]
    pub const SAMPLE: u8 = 1;
    pub const FORK: u8 = 2;
    pub const MODULE: u8 = 3;
    pub const MODULE_GONE: u8 = 4;
}

/// Words before the frames.
pub const SAMPLE_WORDS: usize = 6;
/// Words before the frames.
pub const FORK_WORDS: usize = 4;
/// Words before a module's segments.
pub const MODULE_WORDS: usize = 5;
/// Words of the record that a module is gone.
pub const MODULE_GONE_WORDS: usize = 3;
