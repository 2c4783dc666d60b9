//! Sub-blocks: the pieces in which a thread ran its own block (or a chunk) where the cost of iterations was recorded. They
//! are inside their chunk and change nothing of it: a chunk begins and ends as without them.

/// The thread begins a sub-block of the chunk that it is in. It ends with the thread's next sub-block or chunk of the same
/// execution, or with the loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SubBlock {
    /// First logical iteration.
    pub lower: u64,
    /// Number of iterations.
    pub iterations: u64,
    /// The first of its chunk.
    pub first: bool,
    /// The last of its chunk.
    pub last: bool,
}

/// [`SubBlock::first`] in the record's flags.
const FIRST: u32 = 1;
/// [`SubBlock::last`]
const LAST: u32 = 2;

impl SubBlock {
    /// Both, as the record has them.
    #[must_use]
    pub const fn flags(&self) -> u32 {
        (if self.first { FIRST } else { 0 }) | (if self.last { LAST } else { 0 })
    }

    /// From the record's three numbers; flags of a later version are not looked at.
    #[must_use]
    pub const fn of(lower: u64, iterations: u64, flags: u32) -> SubBlock {
        SubBlock { lower, iterations, first: flags & FIRST != 0, last: flags & LAST != 0 }
    }

    /// Those of the record.
    pub(crate) const fn fields(&self) -> [u64; 3] {
        [self.lower, self.iterations, self.flags() as u64]
    }

    pub(crate) const fn of_fields([lower, iterations, flags]: [u64; 3]) -> SubBlock {
        SubBlock::of(lower, iterations, flags as u32)
    }
}
