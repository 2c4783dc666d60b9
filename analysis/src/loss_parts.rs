//! What a loop's loss consists of. A hint explains one of the parts, so the one that explains most comes first.

use ompchunk_figures::time;
use serde::Serialize;

/// `lost_seconds` by cause, in elapsed time. What no cause is known of is in none of them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct LossParts {
    /// Threads were off a core within chunks, or others waited for them.
    pub off_core_seconds: f64,
    /// The busiest thread of an execution works longer than the average one.
    pub imbalance_seconds: f64,
    /// Even the busiest thread is in no chunk: threads come late, or wait between chunks.
    pub outside_chunks_seconds: f64,
    /// What of that is threads that have not begun the loop yet.
    pub late_seconds: f64,
    /// Waiting for locks and the like within chunks, and bookkeeping between them, as far as it was measured.
    pub locks_and_bookkeeping_seconds: f64,
}

impl LossParts {
    /// The largest, in words.
    fn largest(&self) -> (&'static str, f64) {
        let parts = [
            ("threads off a core, and others that wait for them", self.off_core_seconds),
            (
                "the busiest thread works longer than the average one, for a reason that chunks alone do not show",
                self.imbalance_seconds,
            ),
            ("late or missing threads, or waiting between chunks", self.outside_chunks_seconds),
            ("locks, and bookkeeping between chunks", self.locks_and_bookkeeping_seconds),
        ];
        parts.into_iter().max_by(|(_, one), (_, another)| one.total_cmp(another)).unwrap_or_default()
    }

    /// Most of the loss is that its threads do not work the same.
    #[must_use]
    pub fn is_mostly_imbalance(&self) -> bool {
        self.imbalance_seconds > 0.0 && self.largest().1 <= self.imbalance_seconds
    }

    /// The largest part of that loss and how much of it that is; `None`: there is none that matters.
    #[must_use]
    pub fn sentence(&self, lost: f64) -> Option<String> {
        let (what, seconds) = self.largest();
        (2.0 * seconds >= lost && seconds > 0.0).then(|| format!("{} of the {}: {what}", time(seconds), time(lost)))
    }
}
