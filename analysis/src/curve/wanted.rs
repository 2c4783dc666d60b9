//! The loops whose curves are wanted, and the values of their variables.

use crate::part::LoopSums;

/// A loop that is wanted, in one part.
pub(crate) struct Wanted<'a> {
    pub(crate) sums: &'a LoopSums,
    /// Of the loop in all parts.
    pub(crate) iterations: u64,
}

/// The user's values in the first and the last iteration.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum User {
    #[default]
    NotSeen,
    Are([i128; 2]),
    Differ,
}

impl User {
    pub(crate) fn merge(&mut self, other: User) {
        *self = match (*self, other) {
            (User::NotSeen, user) | (user, User::NotSeen) => user,
            (one, other) if one == other => one,
            _ => User::Differ,
        };
    }
}
