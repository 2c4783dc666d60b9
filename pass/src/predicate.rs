//! How two integers are compared: what LLVM's `icmp` can ask, with the names that it has there.

use self::Predicate::*;

/// `left predicate right`
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Predicate {
    /// They are equal.
    Eq,
    /// They are not.
    Ne,
    /// `>`, without a sign.
    Ugt,
    /// `>=`, without a sign.
    Uge,
    /// `<`, without a sign.
    Ult,
    /// `<=`, without a sign.
    Ule,
    /// `>`, with a sign.
    Sgt,
    /// `>=`, with a sign.
    Sge,
    /// `<`, with a sign.
    Slt,
    /// `<=`, with a sign.
    Sle,
}

impl Predicate {
    /// What is asked of the same two with their sides exchanged.
    pub fn mirrored(self) -> Predicate {
        match self {
            Ugt => Ult,
            Uge => Ule,
            Ult => Ugt,
            Ule => Uge,
            Sgt => Slt,
            Sge => Sle,
            Slt => Sgt,
            Sle => Sge,
            Eq | Ne => self,
        }
    }

    /// What holds where this does not.
    pub fn inverse(self) -> Predicate {
        match self {
            Eq => Ne,
            Ne => Eq,
            Ugt => Ule,
            Uge => Ult,
            Ult => Uge,
            Ule => Ugt,
            Sgt => Sle,
            Sge => Slt,
            Slt => Sge,
            Sle => Sgt,
        }
    }

    /// `left > right`, perhaps `>=`.
    pub fn is_greater(self, signed: bool) -> bool {
        self.mirrored().is_less(signed)
    }

    /// `left < right`, perhaps `<=`.
    pub fn is_less(self, signed: bool) -> bool {
        self.is_strictly_less(signed) || self.is_at_most(signed)
    }

    /// `left < right`
    pub fn is_strictly_less(self, signed: bool) -> bool {
        self == if signed { Slt } else { Ult }
    }

    /// `left <= right`
    pub fn is_at_most(self, signed: bool) -> bool {
        self == if signed { Sle } else { Ule }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [Predicate; 10] = [Eq, Ne, Ugt, Uge, Ult, Ule, Sgt, Sge, Slt, Sle];

    fn holds(left: i8, predicate: Predicate, right: i8) -> bool {
        let (unsigned_left, unsigned_right) = (left as u8, right as u8);
        match predicate {
            Eq => left == right,
            Ne => left != right,
            Ugt => unsigned_left > unsigned_right,
            Uge => unsigned_left >= unsigned_right,
            Ult => unsigned_left < unsigned_right,
            Ule => unsigned_left <= unsigned_right,
            Sgt => left > right,
            Sge => left >= right,
            Slt => left < right,
            Sle => left <= right,
        }
    }

    fn pairs() -> impl Iterator<Item = (i8, i8)> {
        let some = [i8::MIN, -1, 0, 1, i8::MAX];
        let all = some.into_iter();
        all.flat_map(move |left| some.into_iter().map(move |right| (left, right)))
    }

    /// Equal values too: a bound that counts when it must not is an iteration too many.
    #[test]
    fn sides_exchanged_and_denied() {
        for it in ALL {
            for (left, right) in pairs() {
                let asked = holds(left, it, right);
                let what = format!("{left} {it:?} {right}");
                assert_eq!(holds(right, it.mirrored(), left), asked, "mirrored: {what}");
                assert_eq!(holds(left, it.inverse(), right), !asked, "inverse: {what}");
            }
        }
    }

    #[test]
    fn what_each_of_them_is() {
        let those =
            |is: &dyn Fn(Predicate) -> bool| -> Vec<Predicate> { ALL.into_iter().filter(|it| is(*it)).collect() };
        assert_eq!(those(&|it| it.is_strictly_less(true)), [Slt]);
        assert_eq!(those(&|it| it.is_strictly_less(false)), [Ult]);
        assert_eq!(those(&|it| it.is_at_most(true)), [Sle]);
        assert_eq!(those(&|it| it.is_at_most(false)), [Ule]);
        assert_eq!(those(&|it| it.is_less(true)), [Slt, Sle]);
        assert_eq!(those(&|it| it.is_less(false)), [Ult, Ule]);
        assert_eq!(those(&|it| it.is_greater(true)), [Sgt, Sge]);
        assert_eq!(those(&|it| it.is_greater(false)), [Ugt, Uge]);
    }
}
