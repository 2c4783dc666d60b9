//! What is missing of loops for lack of room. From the chunks that are left nothing is derived without saying so: they are
//! those of the beginning, or of the threads that had room.

use ompchunk_figures::percent;
use ompchunk_trace_format::Part;

use crate::model::{LoopReport, LostReport, Note};
use crate::part::PartSums;
use crate::process::InPart;

/// What is missing of a loop; `None`: nothing.
pub(crate) fn report(parts: &[&Part], sums: &[PartSums], in_parts: &[InPart<'_>]) -> Option<LostReport> {
    let mut lost = LostReport { chunks: 0, iterations: 0, events: 0, share: None, between_seconds: None };
    let (mut there, mut is_known) = (0, true);
    for in_part in in_parts {
        let (part_sums, loop_sums) = (&sums[in_part.part], in_part.sums);
        let loss = &loop_sums.lost;
        lost.chunks += loss.chunks;
        lost.iterations = lost.iterations.saturating_add(loss.iterations);
        lost.events += loss.events;
        there += loop_sums.chunks();
        is_known &= !loses_unknown(parts[in_part.part], part_sums);
        if let Some((from, to)) = loss.span {
            let seconds = |ticks| part_sums.clock.since_start(ticks) / 1e9;
            let [first, last] = lost.between_seconds.unwrap_or([f64::MAX, 0.0]);
            lost.between_seconds = Some([first.min(seconds(from)), last.max(seconds(to))]);
        }
    }
    let chunks = (lost.chunks + there) as f64;
    lost.share = (is_known && chunks > 0.0).then(|| lost.chunks as f64 / chunks);
    (lost.chunks + lost.events > 0 || !is_known).then_some(lost)
}

/// Chunks are lost of which it is not told which loop they are of.
fn loses_unknown(part: &Part, sums: &PartSums) -> bool {
    let known: u64 = sums.loops.iter().map(|the_loop| the_loop.lost.chunks).sum();
    part.head().lost_chunks > known || sums.lost_elsewhere.chunks > 0
}

/// Nothing is suggested from what is left of its chunks.
pub(crate) fn hint(loop_report: &LoopReport) -> Option<Note> {
    let lost = loop_report.lost.as_ref()?;
    let what = match lost.share {
        Some(0.0) => return None,
        Some(share) => format!("{} of its chunks are not in the trace", percent(share)),
        None => "an unknown share of its chunks is not in the trace".to_owned(),
    };
    Some(Note {
        code: "lost",
        text: format!(
            "{what}: the report has no balance and no hint for it, because what is left covers only the beginning or some threads \
             (raise --max-size, or record with --sample or --aggregate)"
        ),
    })
}
