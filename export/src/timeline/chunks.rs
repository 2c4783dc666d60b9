//! Chunks: a slice for each, until the next one or the end of its loop.

use ompchunk_trace_format::{Chunk, Scope, Values};

use super::{Argument, Open, Sink, Slice, Timeline, Value, category_of, number};
use crate::process::Process;

/// The arguments of a chunk's slice, and how many there are: without a list of their own, since nothing is more frequent.
fn arguments(
    chunk: &Chunk,
    variable: Option<Values>,
    cpu: Option<u32>,
    process: &Process<'_>,
) -> ([Argument<'static>; 6], usize) {
    let mut arguments = [number("", 0_u64); 6];
    arguments[0] = number("lower", chunk.lower);
    arguments[1] = number("iterations", chunk.iterations);
    let mut used = 2;
    if let Some(variable) = variable {
        let (first, last) = variable.range(chunk.lower, chunk.iterations);
        arguments[used] = ("first", first.into());
        arguments[used + 1] = ("last", last.into());
        used += 2;
    }
    if chunk.create_duration != 0 {
        let ns = process.duration(chunk.create_duration);
        arguments[used] = ("create_duration_ns", Value::Float(ns));
        used += 1;
    }
    if let Some(cpu) = cpu {
        arguments[used] = number("cpu", cpu);
        used += 1;
    }
    (arguments, used)
}

impl<S: Sink> Timeline<'_, '_, S> {
    pub(super) fn chunk(&mut self, lane: u32, ns: f64, chunk: &Chunk) {
        let is_loop = |open: &Open| matches!(open.scope, Scope::Loop(_));
        let Some(inside) = self.lane(lane).open.iter().rposition(is_loop) else {
            self.stray += 1;
            return;
        };
        self.end_from(lane, ns, inside + 1);
        let lane = self.lanes.get_mut(&lane).expect("entered");
        let shown = lane.open[inside].shown;
        let scope = Scope::Chunk;
        lane.open.push(Open { scope, shown });
        let Some(execution) = lane.executions.last().filter(|_| shown) else {
            return;
        };
        self.notices.chunks += 1;
        let (arguments, used) = arguments(chunk, execution.variable, lane.cpu, self.process);
        let site = self.sites.get(execution.the_loop);
        let slice = Slice {
            category: category_of(scope),
            name: &execution.chunk,
            site: site.map(|site| (execution.the_loop, site)),
            arguments: &arguments[..used],
        };
        self.sink.begin(self.process, lane.track, ns, &slice);
    }
}
