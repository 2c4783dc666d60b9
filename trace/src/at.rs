//! Where an event stands.

/// Its lane, its thread and its time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct At {
    /// The lane: events of one lane come in the order of time.
    pub lane: u32,
    /// The thread, [`crate::NOBODY`] outside all threads.
    pub thread: u32,
    /// The time, see [`crate::Part::clock`].
    pub ticks: u64,
}
