//! What stands where in a part, and which record has which kind. A test compares `docs/trace-format.md` with this.

use crate::record_kinds::records;

/// First eight bytes of a part.
pub const MAGIC: [u8; 8] = *b"OMPCHTRC";
/// Version of this module. Version 1 had no [`kind::CHUNK_PAIR`], version 2 no kinds from 24 on: both are read as they are.
pub const VERSION: u32 = 3;
/// The oldest version that is read.
pub const OLDEST: u32 = 1;
/// Ending of a part's file name.
pub const EXTENSION: &str = "trace";

/// Records are made of units of this many bytes.
pub const UNIT: usize = 16;
/// The fixed head of a part; metadata as JSON follows it.
pub const HEAD_SIZE: usize = 128;
/// First four bytes of a block in use.
pub const BLOCK_MAGIC: u32 = u32::from_le_bytes(*b"BLK1");
/// The fixed head of a block, three units.
pub const BLOCK_HEAD: usize = 48;
/// Size of blocks unless a writer chooses another.
pub const BLOCK_SIZE: usize = 64 << 10;
/// Limits of what a reader accepts; a writer chooses a power of two between them.
pub const BLOCK_SIZES: core::ops::RangeInclusive<usize> = 4 << 10..=16 << 20;
/// Most bytes that a writer puts into one string of a record; longer ones are cut there.
pub const MOST_TEXT: usize = 1000;
/// Most loops of a group that a writer puts into a definition: of a larger one there are none.
pub const MOST_GROUPED: usize = 128;

/// Where the fields of a part's head are.
pub mod head {
    crate::record_kinds::places! {
        VERSION 8, "`u32`";
        BLOCKS_FROM 12, "`u32`: where the first block is; a multiple of the block size.";
        BLOCK_SIZE 16, "`u32`";
        META_SIZE 20, "`u32`: bytes of metadata.";
        ENDED 24, "`u64`: 1 once the recorder has finished; 0 before, and so in a trace that is cut.";
        START_TICKS 32, "`u64`: the clock's ticks at the start.";
        START_NS 40, "`u64`: `CLOCK_MONOTONIC` in nanoseconds at the same moment.";
        END_TICKS 48, "`u64`: the same two at the end.";
        END_NS 56, "`u64`";
        BLOCKS 64, "`u64`: number of blocks, once ended.";
        LOST_CHUNKS 72, "`u64`: chunks that were not recorded because there was no room; kept up to date while recording.";
        LOST_EVENTS 80, "`u64`: other records that were not recorded, likewise.";
        LOST_REASON 88, "`u64`: a [`crate::Reason`], 0 while nothing is lost.";
        UNSETTLED 96, "`u64`: not 0 where threads still at work may lack ends. Older recorders then put a lane's last block first.";
        MOVED 120, "`u64`: not 0 where blocks were taken from a lane for others, so that a lane's blocks may be in another order in the file.";
        // The rest of 104 to 127: zero, for versions to come.
    }
}

/// Where the fields of a block's head are. All of it is written before the first record.
pub mod block {
    crate::record_kinds::places! {
        LANE 4, "`u32`";
        SEQUENCE 8, "`u32`: the lane's blocks are numbered from 0.";
        THREAD 12, "`u32`: the thread that the lane belongs to where the block begins; [`crate::NOBODY`] for none.";
        TICKS 16, "`u64`: the lane's time where the block begins, in ticks.";
        NOW_TICKS 24, "`u64`: the clock when the block was taken into use ...";
        NOW_NS 32, "`u64`: ... and `CLOCK_MONOTONIC` in nanoseconds at the same moment.";
        // 40 to 47: zero.
    }
}

/// What the table of records says of their kinds.
macro_rules! numbers {
    ($( $section:ident { $(
        $(#[$about:meta])* $kind:ident $number:literal, $units:literal
        $( : $event:tt $fields:tt $(if $condition:tt)? $(+ $texts:tt)? $(- $left_out:ident)? )?;
    )* } )*) => {
        /// Kinds of records: the lowest byte of a record's first word. Zero ends a block.
        pub mod kind {
            #![allow(missing_docs, reason = "the names are those of the events")]
            $( $( $(#[$about])* pub const $kind: u8 = $number; )* )*
            /// From here on records say their own length: `small` counts their units, and a reader skips those that it does not know.
            pub const VARIABLE: u8 = 128;
            /// Kinds above this one are of a later version.
            pub const LAST: u8 = {
                let (all, mut last, mut at) = ([$( $( $kind, )* )*], 0, 0);
                while at < all.len() {
                    last = if all[at] > last { all[at] } else { last };
                    at += 1;
                }
                last
            };
        }

        /// Units of a record of a kind below [`kind::VARIABLE`]; `None` for a kind that does not exist.
        pub const fn units(of: u8) -> Option<usize> {
            match of {
                $( $( kind::$kind if $number < kind::VARIABLE => Some($units), )* )*
                _ => None,
            }
        }
    };
}

records!(numbers);
