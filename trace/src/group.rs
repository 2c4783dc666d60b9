//! The loops of a program that give a thread the same iterations, as one of them is defined with the others.

/// The size of one: line, column, and whether its schedule can be changed.
pub(crate) const SIZE: usize = 12;

/// A loop of a group: all of them stand in one function.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Grouped {
    /// Source line; 0: unknown.
    pub line: u32,
    /// Source column; 0: unknown.
    pub column: u32,
    /// Its schedule can be changed at run time.
    pub changeable: bool,
}

/// All of them, little-endian, as `ompt_chunk_group_loop_t` has them; none: the loop is in no group, or that is not known.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Group<'a>(pub(crate) &'a [u8]);

impl<'a> Group<'a> {
    /// How many.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len() / SIZE
    }

    /// None.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// One after the other.
    pub fn loops(&self) -> impl Iterator<Item = Grouped> + use<'a> {
        self.0.chunks_exact(SIZE).map(|bytes| {
            let word = |at: usize| {
                let four = bytes[at..at + 4].try_into();
                u32::from_le_bytes(four.expect("four bytes"))
            };
            Grouped { line: word(0), column: word(4), changeable: word(8) != 0 }
        })
    }
}

impl<'a> From<&'a [u8]> for Group<'a> {
    fn from(bytes: &'a [u8]) -> Self {
        Group(&bytes[..bytes.len() / SIZE * SIZE])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_the_record_has_them() {
        let mut bytes: Vec<u8> = [7_u32, 3, 1, 9, 0, 0].iter().flat_map(|word| word.to_le_bytes()).collect();
        bytes.push(5);
        let group = Group::from(&bytes[..]);
        assert_eq!((group.len(), group.is_empty()), (2, false));
        let loops: Vec<_> = group.loops().collect();
        let of = |line, column, changeable| Grouped { line, column, changeable };
        assert_eq!(loops, [of(7, 3, true), of(9, 0, false)]);
        assert!(Group::default().is_empty());
    }
}
