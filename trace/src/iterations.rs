//! Iterations of loops: the user's own variable from logical ones, sub-blocks, and the loops that give a thread the same ones.

use crate::block::u32_at;

/// What is known of a loop's variable.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Variable {
    /// Width; 0: nothing is known.
    pub bits: u8,
    /// Values are signed. Not known of the user's own variable if it is narrow, as it is then promoted to int.
    pub signed: bool,
}

/// The variable in one execution of its loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Values {
    start: u64,
    step: u64,
    /// Bits of 64 that the variable has not.
    unused: u32,
    signed: bool,
}

impl Variable {
    /// `None` where width, start or step are not known.
    pub fn values(self, start: Option<i64>, step: Option<i64>) -> Option<Values> {
        let bits = u32::from(self.bits);
        let (start, step) = (start?, step?);
        (1..=64).contains(&bits).then_some(Values {
            start: start as u64,
            step: step as u64,
            unused: 64 - bits,
            signed: self.signed,
        })
    }
}

impl Values {
    /// In logical iteration `k`.
    pub fn at(self, k: u64) -> i128 {
        let value = self.start.wrapping_add(k.wrapping_mul(self.step)) << self.unused;
        if self.signed { (value as i64 >> self.unused).into() } else { (value >> self.unused).into() }
    }

    /// In a chunk's first and last iteration.
    pub fn range(self, lower: u64, iterations: u64) -> (i128, i128) {
        let last = lower.wrapping_add(iterations.saturating_sub(1));
        (self.at(lower), self.at(last))
    }
}

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
    pub fn len(&self) -> usize {
        self.0.len() / SIZE
    }

    /// None.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// One after the other.
    pub fn loops(&self) -> impl Iterator<Item = Grouped> + use<'a> {
        self.0.chunks_exact(SIZE).map(|bytes| Grouped {
            line: u32_at(bytes, 0),
            column: u32_at(bytes, 4),
            changeable: u32_at(bytes, 8) != 0,
        })
    }
}

impl<'a> From<&'a [u8]> for Group<'a> {
    fn from(bytes: &'a [u8]) -> Self {
        Group(&bytes[..bytes.len() / SIZE * SIZE])
    }
}

/// The thread begins a piece of its chunk. It ends with the thread's next sub-block or chunk of the execution, or with the loop.
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
    pub const fn flags(&self) -> u32 {
        (if self.first { FIRST } else { 0 }) | (if self.last { LAST } else { 0 })
    }

    /// From the record's three numbers; flags of a later version are not looked at.
    pub const fn new(lower: u64, iterations: u64, flags: u32) -> SubBlock {
        SubBlock { lower, iterations, first: flags & FIRST != 0, last: flags & LAST != 0 }
    }

    pub(crate) const fn fields(&self) -> [u64; 3] {
        [self.lower, self.iterations, self.flags() as u64]
    }

    pub(crate) const fn of_fields([lower, iterations, flags]: [u64; 3]) -> SubBlock {
        SubBlock::new(lower, iterations, flags as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(bits: u8, signed: bool, start: i64, step: i64) -> Values {
        let variable = Variable { bits, signed };
        variable.values(Some(start), Some(step)).expect("known")
    }

    #[test]
    fn logical_iterations_become_the_users() {
        assert_eq!(values(32, true, 10, -4).at(3), -2);
        assert_eq!(values(32, true, i64::from(i32::MAX), 1).at(1), i32::MIN.into());
        assert_eq!(values(32, false, -1, 1).at(0), u32::MAX.into());
        let long = |start, step| values(64, false, start, step);
        assert_eq!(long(0, 1).at(u64::MAX), u64::MAX.into());
        assert_eq!(long(-2, -1).at(5), i128::from(u64::MAX - 6));
        assert_eq!(long(-1, -1).at(0), i128::from(u64::MAX));
    }

    #[test]
    fn a_chunk_has_a_first_and_a_last_value() {
        assert_eq!(values(32, true, -5, -2).range(0, 3), (-5, -9));
        let narrow = values(32, false, -16, 1);
        assert_eq!(narrow.range(0, 16), (0xffff_fff0, 0xffff_ffff));
    }

    #[test]
    fn what_is_not_known_has_no_values() {
        let int = Variable { bits: 32, signed: true };
        assert_eq!(int.values(Some(1), None), None);
        assert_eq!(int.values(None, Some(1)), None);
        assert_eq!(Variable::default().values(Some(0), Some(1)), None);
    }

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
