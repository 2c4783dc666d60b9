//! How far an execution in sub-blocks is.

/// The program asks for a sub-block, tells that it is about to run it, and so on, in turn.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Stage {
    /// It was given the first sub-block of a chunk.
    Begins = 0,
    /// It was given another.
    GoesOn,
    /// It runs it.
    Runs,
}
