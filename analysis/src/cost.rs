//! What is not work in the time of a loop: what recording cost, and time off a core.

use crate::context::{Context, InPart};
use crate::definition::Identity;
use crate::metrics::{balance, imbalance, ratio};
use crate::model::{OffCoreReport, ThreadReport};
use crate::off_core::Off;
use crate::process::by_thread;

/// Of a loop, in seconds.
pub(crate) struct Cost {
    pub(crate) off_core: Option<OffCoreReport>,
    pub(crate) recorder: Option<f64>,
    pub(crate) reading: Option<f64>,
    pub(crate) share: Option<f64>,
}

pub(crate) fn of(context: &Context<'_>, in_parts: &[InPart<'_>], threads: &[ThreadReport], busy: f64) -> Cost {
    // Of several ranks it is known where all of them know it.
    let off_core = threads.iter().map(|thread| thread.off_core).sum::<Option<_>>();
    let recorder: Option<f64> = threads.iter().map(|thread| thread.recorder_seconds).sum();
    let recorder = recorder.filter(|_| !threads.is_empty());
    let readings = in_parts.iter().map(|in_part| {
        let read = context.parts[in_part.part].meta().clock.read;
        context.seconds(in_part.part, in_part.sums.chunks() as f64 * read)
    });
    let reading: f64 = readings.sum();
    let reading = recorder.and(Some(reading).filter(|reading| *reading > 0.0));
    Cost {
        off_core: off_core.filter(|_| !threads.is_empty()),
        recorder,
        reading,
        share: recorder.and_then(|recorder| ratio(recorder + reading.unwrap_or(0.0), busy + recorder)),
    }
}

impl Context<'_> {
    /// `None`: the part does not know.
    pub(crate) fn off_core(&self, part: usize, off: &Off) -> Option<OffCoreReport> {
        self.sums[part].knows_cores.then(|| OffCoreReport {
            seconds: self.seconds(part, off.core_time() as f64),
            preempted_seconds: self.seconds(part, (off.preempted + off.beside) as f64),
            beside_seconds: self.seconds(part, off.beside as f64),
            waiting_seconds: self.seconds(part, off.waiting as f64),
            either_seconds: self.seconds(part, off.either as f64),
        })
    }
}

impl std::iter::Sum for OffCoreReport {
    fn sum<I: Iterator<Item = OffCoreReport>>(reports: I) -> OffCoreReport {
        reports.fold(OffCoreReport::default(), |sum, more| OffCoreReport {
            seconds: sum.seconds + more.seconds,
            preempted_seconds: sum.preempted_seconds + more.preempted_seconds,
            beside_seconds: sum.beside_seconds + more.beside_seconds,
            waiting_seconds: sum.waiting_seconds + more.waiting_seconds,
            either_seconds: sum.either_seconds + more.either_seconds,
        })
    }
}

/// Balance of the work of all executions together.
pub(crate) fn total_balance(identity: &Identity, threads: &[ThreadReport]) -> Option<f64> {
    balance(evenest(identity, threads).into_iter())
}

/// What the busiest thread works more than the average one, likewise.
pub(crate) fn total_imbalance(identity: &Identity, threads: &[ThreadReport]) -> Option<f64> {
    imbalance(evenest(identity, threads).into_iter())
}

/// The threads' work. Where chunks are dealt out, a thread that loses its core leaves its own to the others, so that one
/// of the two kinds of time is even if the work is: that one then.
fn evenest(identity: &Identity, threads: &[ThreadReport]) -> Vec<f64> {
    let work = by_thread(threads, ThreadReport::work_seconds);
    let is_static = identity.schedule.as_deref().is_some_and(|schedule| schedule.contains("static"));
    if is_static {
        return work;
    }
    let busy = by_thread(threads, |thread| thread.busy_seconds);
    let of = |times: &Vec<f64>| balance(times.iter().copied());
    if of(&busy) > of(&work) { busy } else { work }
}
