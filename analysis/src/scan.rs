//! One pass over a part: the next blocks are read while the lanes of those before are decoded, on as many
//! cores as there are. Memory depends on the numbers of lanes and loops, not on the length of the trace.

use std::collections::HashMap;

use ompchunk_trace_format::{At, Batch, Block, Error, Event, Part};
use rayon::prelude::*;

const BATCH: u64 = 4 << 20;

/// Is told, from any thread, of bytes that were read.
pub type Progress<'p> = &'p (dyn Fn(u64) + Sync + 'p);

pub(crate) trait Visit: Send {
    fn visit(&mut self, at: At, event: &Event<'_>);
}

/// Reads a part. Each lane has a state made by `new`; `between` sees all of them from time to time, with the bytes read since.
pub(crate) fn scan<V: Visit>(
    part: &Part,
    new: impl Fn() -> V,
    mut between: impl FnMut(&mut [V], u64),
) -> Result<Vec<V>, Error> {
    let mut lanes: Vec<V> = Vec::new();
    let mut numbers: HashMap<u32, usize> = HashMap::new();
    let per_batch = (BATCH / part.head().block_size as u64).max(1);
    let count = part.block_count();
    let (mut now, mut next) = (Batch::default(), Batch::default());
    part.read_batch(0, per_batch, &mut now)?;
    let mut first = 0;
    while first < count {
        first += per_batch;
        let blocks: Vec<Block<'_>> = now.blocks(part).collect::<Result<_, _>>()?;
        let mut by_lane: Vec<Vec<&Block<'_>>> = lanes.iter().map(|_| Vec::new()).collect();
        for block in &blocks {
            let lane = *numbers.entry(block.head.lane).or_insert_with(|| {
                lanes.push(new());
                by_lane.push(Vec::new());
                lanes.len() - 1
            });
            by_lane[lane].push(block);
        }
        let decode = || {
            let both = lanes.par_iter_mut().zip(&by_lane);
            both.try_for_each(|(lane, blocks)| {
                for block in blocks {
                    part.events_of(block, |at, event| lane.visit(at, event))?;
                }
                Ok(())
            })
        };
        let (read, decoded) = rayon::join(|| part.read_batch(first, per_batch, &mut next), decode);
        decoded?;
        between(&mut lanes, now.size());
        read?;
        std::mem::swap(&mut now, &mut next);
    }
    Ok(lanes)
}
