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
        Covered { chunk: Some((chunk.lower, chunk.iterations)), ..Covered::default() }
    }

    /// What is wrong with the next sub-block. `lost`: there was no room for all records, so those before may be missing.
    pub(crate) fn wrong(&mut self, piece: &SubBlock, lost: bool) -> Option<String> {
        let Some((lower, iterations)) = self.chunk else {
            return (!lost).then(|| "a sub-block before its loop's first chunk".to_owned());
        };
        // Numbers of iterations go round like the loop's variable.
        let begin = piece.lower.wrapping_sub(lower);
        let end = begin.checked_add(piece.iterations);
        let end = end.filter(|end| *end <= iterations);
        let begun = std::mem::replace(&mut self.begun, end.unwrap_or(iterations));
        let was_complete = std::mem::replace(&mut self.is_complete, piece.last);
        let wrong = match end {
            None => "reaches beyond its chunk".to_owned(),
            Some(_) if piece.iterations == 0 => {
                return Some("a sub-block of no iterations".to_owned());
            }
            Some(_) if was_complete => "comes after its chunk's last".to_owned(),
            Some(_) if begin < begun => "repeats iterations".to_owned(),
            Some(_) if begin > begun && !lost => format!("leaves out {}", begin - begun),
            Some(_) if piece.first != (begin == 0) => "is wrong about being the first".to_owned(),
            Some(end) if piece.last != (end == iterations) => "is wrong about being the last".to_owned(),
            Some(_) => return None,
        };
        let (count, first) = (piece.iterations, piece.lower);
        Some(format!("a sub-block of {count} iterations at {first} {wrong}"))
    }
}
