//! The longest and the shortest of two sets.

/// Each of the two, where there is one.
pub(crate) fn widest(one: Option<(u64, u64)>, other: Option<(u64, u64)>) -> Option<(u64, u64)> {
    match (one, other) {
        (Some((a, b)), Some((c, d))) => Some((a.max(c), b.min(d))),
        (one, other) => one.or(other),
    }
}
