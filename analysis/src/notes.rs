//! What must be known before the numbers are believed: what is missing, and where.

use crate::model::{LoopReport, Note, PartReport};
use crate::part::PartSums;

pub(crate) fn of(parts: &[PartReport], sums: &[PartSums], loops: &[LoopReport]) -> Vec<Note> {
    let mut notes = Vec::new();
    let mut note = |code, text: String| notes.push(Note { code, text });
    for (part, sums) in parts.iter().zip(sums) {
        let name = &part.name;
        if part.cut {
            note(
                "cut",
                format!(
                    "{name}: the trace is cut at {:.3} s: the program was killed, crashed or is still running, \
                     or the copy is incomplete; what was running then is not added up",
                    part.seconds
                ),
            );
        }
        if part.lost_chunks + part.lost_events > 0 {
            note(
                "lost",
                format!(
                    "{name}: {} chunks and {} other records are not in the trace for lack of room; \
                     executions that miss some are not added up (raise --max-size, or record \
                     with --sample or --aggregate)",
                    part.lost_chunks, part.lost_events
                ),
            );
        }
        match part.sample {
            0 => note(
                "aggregate",
                format!("{name}: recorded with --aggregate: no executions, sums per thread only"),
            ),
            1 => {}
            sample => note(
                "sample",
                format!(
                    "{name}: recorded with --sample {sample}: times and efficiencies are of the executions \
                     that are told, about one of {sample}; chunks and threads count all"
                ),
            ),
        }
        if sums.stray > 0 {
            note(
                "disorder",
                format!(
                    "{name}: {} chunks are outside of any loop: ompchunk report --check names what is wrong",
                    sums.stray
                ),
            );
        }
    }
    let untold = loops.iter().filter(|it| !it.chunks_complete).count();
    if untold > 0 {
        let what = if untold == 1 {
            "1 loop was compiled without the plugin and is static, or it is not known what it is: its".to_owned()
        } else {
            format!(
                "{untold} loops were compiled without the plugin and are static, or it is not known what they \
                 are: their"
            )
        };
        note(
            "untold",
            format!("{what} chunks are not counted, and all time there counts as work"),
        );
    }
    notes
}
