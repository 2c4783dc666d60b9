//! What single executions of a loop cost, iteration by iteration, as far as the trace tells: read in a second pass for
//! those who predict. An execution is kept whole or not at all, some of all executions are kept, and of very many pieces
//! those next to each other are put together, so that memory depends on the number of loops and not on the trace's length.

mod gather;
mod lane;
mod model;
mod pieces;

use std::collections::HashMap;

use ompchunk_trace_format::Error;

pub use crate::profile::model::{Execution, Facts, First, Piece, Thread};
pub use crate::profile::model::{KEPT, Profile};
pub use ompchunk_trace_format::NotProfiled;

use crate::model::LoopReport;
use crate::part::is_lossy;
use crate::process::Context;
use crate::profile::gather::Gather;
use crate::profile::lane::LaneProfile;
use crate::scan::{Progress, scan};

pub(crate) fn profiles(
    context: &Context<'_>,
    loops: &[&LoopReport],
    progress: Progress<'_>,
) -> Result<Vec<Profile>, Error> {
    let mut all = vec![Profile::default(); loops.len()];
    let told = |the_loop: &&LoopReport| the_loop.executions.saturating_sub(the_loop.unprofiled_executions);
    let every: Vec<u64> = loops.iter().map(|the_loop| told(the_loop).div_ceil(KEPT).max(1)).collect();
    for (number, (part, sums)) in context.parts.iter().zip(&context.sums).enumerate() {
        let mut wanted: HashMap<u32, usize> = HashMap::new();
        for (at, the_loop) in loops.iter().enumerate() {
            wanted.extend(sums.numbers(&the_loop.identity).iter().map(|number| (*number, at)));
        }
        if wanted.is_empty() {
            continue;
        }
        let ns_per_tick = 1e9 / part.clock().hertz;
        let clock = (ns_per_tick, (part.meta().clock.read * ns_per_tick).max(0.0));
        let mut gather = Gather::new((number, is_lossy(part)), clock, &every, &mut all);
        let mut lanes = scan(
            part,
            || LaneProfile::new(&wanted),
            |lanes: &mut [LaneProfile<'_>], bytes| {
                gather.take(lanes);
                progress(bytes);
            },
        )?;
        lanes.iter_mut().for_each(LaneProfile::finish);
        gather.take(&mut lanes);
        gather.finish();
    }
    Ok(all)
}
