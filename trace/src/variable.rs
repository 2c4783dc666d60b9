//! The user's own loop variable, from logical iterations.

/// What is known of a loop's variable.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Variable {
    /// Width; 0: nothing is known.
    pub bits: u8,
    /// Values are signed. Of the user's variable that is not known: narrow ones are promoted to int, so this
    /// says nothing of them; wider ones give the logical variable their sign.
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
    #[must_use]
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
    #[must_use]
    pub fn at(self, k: u64) -> i128 {
        let value = self.start.wrapping_add(k.wrapping_mul(self.step)) << self.unused;
        if self.signed { (value as i64 >> self.unused).into() } else { (value >> self.unused).into() }
    }

    /// In a chunk's first and last iteration.
    #[must_use]
    pub fn range(self, lower: u64, iterations: u64) -> (i128, i128) {
        let last = lower.wrapping_add(iterations.saturating_sub(1));
        (self.at(lower), self.at(last))
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
}
