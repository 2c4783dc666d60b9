//! The longest and the shortest of two sets.

/// Each of the two, where there is one.
pub(crate) fn widest<T: PartialOrd>(a: Option<(T, T)>, b: Option<(T, T)>) -> Option<(T, T)> {
    match (a, b) {
        (Some((long, short)), Some((longer, shorter))) => {
            Some((if longer > long { longer } else { long }, if shorter < short { shorter } else { short }))
        }
        (a, b) => a.or(b),
    }
}
