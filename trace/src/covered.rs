//! Do the sub-blocks of a chunk divide it: in order, without gaps, from its first iteration on?

use crate::event::Chunk;
use crate::sub_block::SubBlock;

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
