//! What a block holds that is lost: by loop, as far as the block tells.

use std::collections::BTreeMap;

use ompchunk_trace_format::{BlockHead, Event, Lost, NOBODY, Reason, Records};

/// Counts what is in a block, by loop or [`NOBODY`]. `the_loop`: the lane was in it where the block begins.
pub(crate) fn of_block(block: &[u8], the_loop: Option<u32>, reason: Reason) -> Vec<Lost> {
    let Some(head) = BlockHead::of(block) else {
        return Vec::new();
    };
    let mut found: BTreeMap<u32, Lost> = BTreeMap::new();
    let mut open: Vec<u32> = the_loop.into_iter().collect();
    let mut records = Records::new(&head);
    while let Ok(true) = records.advance(block) {
        let Ok(event) = records.event(block) else {
            break;
        };
        let (mut the_loop, mut what) = (open.last().copied().unwrap_or(NOBODY), (0, 0, 1));
        match event {
            Event::Chunk(chunk) => what = (1, chunk.iterations, 0),
            Event::Aggregate(aggregate) => {
                what = (aggregate.chunks, aggregate.iterations, 0);
                the_loop = aggregate.the_loop;
            }
            Event::Sum(sum) => what = (0, 0, 2 * sum.count),
            Event::LoopBegin(loop_begin) => {
                open.push(loop_begin.the_loop);
                the_loop = loop_begin.the_loop;
            }
            Event::LoopEnd { .. } => {
                open.pop();
            }
            _ => {}
        }
        let at = records.ticks();
        let lost = found.entry(the_loop).or_insert(Lost {
            reason: reason.number(),
            the_loop,
            thread: records.thread(),
            chunks: 0,
            iterations: 0,
            events: 0,
            from: at,
            to: at,
        });
        let (chunks, iterations, events) = what;
        lost.chunks += chunks;
        lost.iterations = lost.iterations.wrapping_add(iterations);
        lost.events += events;
        lost.to = at;
    }
    found.into_values().collect()
}
