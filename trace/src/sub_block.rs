//! Sub-blocks: the pieces in which a thread ran its own block (or a chunk) where the cost of iterations was recorded. They
//! are inside their chunk and change nothing of it: a chunk begins and ends as without them.

use crate::event::Chunk;

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
        SubBlock {
            lower,
            iterations,
            first: flags & FIRST != 0,
            last: flags & LAST != 0,
        }
    }
}

/// The chunk that a loop is in, and how far its sub-blocks have come.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Covered {
    chunk: Option<(u64, u64)>,
    /// Iterations that sub-blocks have begun.
    begun: u64,
    is_complete: bool,
}

impl Covered {
    pub(crate) fn begin(chunk: &Chunk) -> Covered {
        Covered {
            chunk: Some((chunk.lower, chunk.iterations)),
            ..Covered::default()
        }
    }

    /// What is wrong with the next sub-block. `lost`: there was no room for all records, so those before may be missing.
    pub(crate) fn wrong(&mut self, it: &SubBlock, lost: bool) -> Option<String> {
        let Some((lower, iterations)) = self.chunk else {
            return (!lost).then(|| "a sub-block before its loop's first chunk".to_owned());
        };
        // Numbers of iterations go round like the loop's variable.
        let at = it.lower.wrapping_sub(lower);
        let (begun, was_complete) = (self.begun, self.is_complete);
        let end = at.checked_add(it.iterations);
        let end = end.filter(|end| *end <= iterations);
        self.begun = end.unwrap_or(iterations);
        self.is_complete = it.last;
        let name = || {
            format!(
                "a sub-block of {} iterations at {}",
                it.iterations, it.lower
            )
        };
        let Some(end) = end else {
            return Some(format!("{} reaches beyond its chunk", name()));
        };
        if it.iterations == 0 {
            return Some("a sub-block of no iterations".to_owned());
        }
        if was_complete {
            return Some(format!("{} comes after its chunk's last", name()));
        }
        if at < begun {
            return Some(format!("{} repeats iterations", name()));
        }
        if at > begun && !lost {
            return Some(format!("{} leaves out {}", name(), at - begun));
        }
        if it.first != (at == 0) {
            return Some(format!("{} is wrong about being the first", name()));
        }
        if it.last != (end == iterations) {
            return Some(format!("{} is wrong about being the last", name()));
        }
        None
    }
}
