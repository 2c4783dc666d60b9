//! The iterations that a thread ran of a loop, in memory of a fixed size however many ranges they are.

use std::fmt;

/// Ranges that are kept for the message.
const KEPT: usize = 32;
/// Ranges that a message shows.
const SHOWN: usize = 3;

/// A set of iterations. Two are told apart by a sum over the ends of their ranges, in which the ends of neighbours cancel
/// each other out: so it is the same in whatever order and in whatever chunks the iterations came.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct Iterations {
    count: u64,
    sum: u128,
    /// The first ones that came, from the first to the last iteration of each.
    ranges: Vec<(u64, u64)>,
    has_more: bool,
}

impl Iterations {
    /// The iterations from the first to the last.
    pub(crate) fn add(&mut self, first: u64, last: u64) {
        self.count = self.count.wrapping_add(last.wrapping_sub(first).wrapping_add(1));
        let end = u128::from(last) + 1;
        let part = mark(end).wrapping_sub(mark(first.into()));
        self.sum = self.sum.wrapping_add(part);
        let (is_full, goes_on) = (self.ranges.len() == KEPT, !self.has_more);
        match self.ranges.last_mut() {
            Some(range) if goes_on && range.1.checked_add(1) == Some(first) => range.1 = last,
            _ if is_full => self.has_more = true,
            _ => self.ranges.push((first, last)),
        }
    }

    /// Whether both are the same iterations. (That two others have the same sum of 128 bits is not to be expected.)
    pub(crate) fn is_same(&self, right: &Self) -> bool {
        (self.count, self.sum) == (right.count, right.sum)
    }

    /// How both differ, for a message.
    pub(crate) fn against<'a>(&'a self, right: &'a Self) -> (Part<'a>, Part<'a>) {
        let alike = self.ranges.iter().zip(&right.ranges);
        let alike = alike.take_while(|(left, right)| left == right).count();
        // Where one of the two has no more, what they have in common says more than nothing.
        let least = self.ranges.len().min(right.ranges.len());
        let from = if alike == least { alike.saturating_sub(1) } else { alike };
        let part = |set| Part { set, from };
        (part(self), part(right))
    }
}

/// A number that looks random.
fn mark(place: u128) -> u128 {
    let mixed = |salt: u64| {
        let mut word = (place as u64 ^ (place >> 64) as u64).wrapping_add(salt);
        word = (word ^ (word >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93);
        word = (word ^ (word >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93);
        u128::from(word ^ (word >> 32))
    };
    mixed(0x243f_6a88_85a3_08d3) << 64 | mixed(0x1319_8a2e_0370_7344)
}

/// A few ranges of a set: `iterations 0..2, 6..8, 12..14 and more (501)`.
pub(crate) struct Part<'a> {
    set: &'a Iterations,
    from: usize,
}

impl fmt::Display for Part<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ranges = &self.set.ranges[self.from..];
        if ranges.is_empty() {
            return f.write_str("no iterations");
        }
        f.write_str("iterations ")?;
        for (number, (first, last)) in ranges.iter().take(SHOWN).enumerate() {
            let separator = if number > 0 { ", " } else { "" };
            write!(f, "{separator}{first}..{last}")?;
        }
        if ranges.len() > SHOWN || self.set.has_more {
            f.write_str(" and more")?;
        }
        write!(f, " ({} in all)", self.set.count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(ranges: &[(u64, u64)]) -> Iterations {
        let mut set = Iterations::default();
        for (first, last) in ranges {
            set.add(*first, *last);
        }
        set
    }

    #[test]
    fn order_and_chunks_make_no_difference() {
        let whole = set(&[(0, 9)]);
        assert!(whole.is_same(&set(&[(0, 3), (4, 9)])));
        assert!(whole.is_same(&set(&[(4, 9), (0, 0), (1, 3)])));
        for different in [&[][..], &[(0, 8)], &[(1, 9)], &[(0, 8), (10, 10)]] {
            assert!(!whole.is_same(&set(different)), "{different:?}");
        }
        assert!(set(&[(0, u64::MAX)]).is_same(&set(&[(1, u64::MAX), (0, 0)])));
        assert!(!set(&[(0, u64::MAX)]).is_same(&set(&[])));
    }

    #[test]
    fn many_ranges_take_no_memory_and_still_tell_apart() {
        let every_third = |last| (0..last).map(|at| (3 * at, 3 * at)).collect::<Vec<_>>();
        let (left, right) = (set(&every_third(10_000)), set(&every_third(9_999)));
        assert!(!left.is_same(&right));
        assert_eq!((left.ranges.len(), left.has_more), (KEPT, true));
    }

    #[test]
    fn a_message_shows_where_they_differ() {
        let text = |left: &[(u64, u64)], right: &[(u64, u64)]| {
            let (left, right) = (set(left), set(right));
            let (left, right) = left.against(&right);
            (left.to_string(), right.to_string())
        };
        let (left, right) = text(&[(0, 49)], &[(0, 2), (6, 8), (12, 14), (18, 20)]);
        assert_eq!(left, "iterations 0..49 (50 in all)");
        assert_eq!(right, "iterations 0..2, 6..8, 12..14 and more (12 in all)");
        let (left, right) = text(&[(0, 2), (9, 9)], &[(0, 2), (7, 7)]);
        assert_eq!(left, "iterations 9..9 (4 in all)");
        assert_eq!(right, "iterations 7..7 (4 in all)");
        let (left, right) = text(&[(0, 2)], &[(0, 2), (7, 7)]);
        assert_eq!(left, "iterations 0..2 (3 in all)");
        assert_eq!(right, "iterations 0..2, 7..7 (4 in all)");
        assert_eq!(text(&[], &[(1, 1)]).0, "no iterations");
    }
}
