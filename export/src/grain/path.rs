//! Which chunk of which loop a grain is, in terms that another run of the same program has too: the way from the initial task through
//! regions, executions of loops and chunks, each counted within the one around. Not the threads, whose number may be another.

use std::hash::{DefaultHasher, Hash, Hasher};

/// The way to a grain, hashed. That of two grains is the same with a probability of 2^-64 per pair.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub(crate) struct GrainPath(u64);

impl GrainPath {
    /// An initial task of a process, counted from 0.
    pub(crate) fn root(number: usize) -> GrainPath {
        GrainPath::default().then(&("initial task", number))
    }

    /// The region inside that is the `number`th to begin.
    pub(crate) fn region(self, number: u32) -> GrainPath {
        self.then(&("region", number))
    }

    /// The `number`th execution of a loop inside.
    pub(crate) fn execution(self, position: &str, number: u32) -> GrainPath {
        self.then(&("loop", position, number))
    }

    /// A chunk.
    pub(crate) fn chunk(self, lower: u64, iterations: u64) -> GrainPath {
        self.then(&("chunk", lower, iterations))
    }

    /// Explicit tasks that are created behind so many barriers, so many.
    pub(crate) fn tasks(self, barriers: u32, count: usize) -> GrainPath {
        self.then(&("tasks", barriers, count))
    }

    /// The `number`th explicit task that is created there.
    pub(crate) fn task(self, number: u32) -> GrainPath {
        self.then(&("task", number))
    }

    fn then(self, step: &impl Hash) -> GrainPath {
        let mut hasher = DefaultHasher::new();
        self.hash(&mut hasher);
        step.hash(&mut hasher);
        GrainPath(hasher.finish())
    }
}
