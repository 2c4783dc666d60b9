//! What is missing of a loop, or of a part.

/// What is missing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Loss {
    pub(crate) chunks: u64,
    pub(crate) iterations: u64,
    pub(crate) events: u64,
    pub(crate) span: Option<(u64, u64)>,
}

impl Loss {
    pub(crate) fn add(&mut self, other: &Loss) {
        self.chunks += other.chunks;
        self.iterations = self.iterations.saturating_add(other.iterations);
        self.events += other.events;
        self.span = match (self.span, other.span) {
            (Some((a, b)), Some((c, d))) => Some((a.min(c), b.max(d))),
            (one, other) => one.or(other),
        };
    }
}
