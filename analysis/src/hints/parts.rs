//! Parts of a loop's loss, from its report and sums.

use super::facts::Facts;
use crate::loss_parts::LossParts;
use crate::model::LoopReport;

/// `None`: what the loop loses is not known.
pub(crate) fn loss_parts(loop_report: &LoopReport, facts: &Facts) -> Option<LossParts> {
    let lost = loop_report.lost_seconds.filter(|_| loop_report.lost.is_none())?;
    let processes = facts.processes;
    let threads = loop_report.threads.len().max(1) as f64 / processes;
    let waiting = (loop_report.mutex_seconds.unwrap_or(0.0) - facts.taken).max(0.0);
    let useless = (waiting + loop_report.bookkeeping_seconds.unwrap_or(0.0)) / processes / threads;
    // In this order, so that no part is more than what others leave.
    let mut left = lost;
    let mut take = |seconds: f64| {
        let taken = seconds.clamp(0.0, left.max(0.0));
        left -= taken;
        taken
    };
    let outside_chunks_seconds = take((facts.time - facts.longest) / processes);
    Some(LossParts {
        outside_chunks_seconds,
        late_seconds: (facts.late_in_all / processes / threads).min(outside_chunks_seconds),
        locks_and_bookkeeping_seconds: take(useless),
        imbalance_seconds: take(loop_report.metrics.imbalance_seconds),
        off_core_seconds: take(facts.taken / processes),
    })
}
