//! The loops of a region of which OpenMP says which thread runs which iteration: static ones, and those under `runtime`, which
//! the user may make static. Found without being understood: who relies on a loop does so whether the plugin knows its form or not.

use rustc_hash::FxHashSet;

use crate::find::end::is_fini;
use crate::find::ident;
use crate::find::paths::{CleanupDestinations, Go, follow};
use crate::find::{dispatch_next_of, entry_of, is_dealt_again};
use crate::llvm::{Analysis, Block, Value};
use crate::sched_type;

pub struct Work {
    pub start: Value,
    /// The first instructions behind its last iteration.
    pub ends: Vec<Value>,
    /// The variable that says whether the thread ran the last iteration.
    pub last_flag: Option<Value>,
    pub body: FxHashSet<Value>,
    /// The blocks of it that run again for other iterations.
    pub repeated: FxHashSet<Block>,
}

impl Work {
    pub fn from_start(start: Value, analysis: &Analysis, destinations: &CleanupDestinations) -> Work {
        let entry = entry_of(start);
        match entry.filter(|entry| entry.dealt).and_then(|entry| dispatch_next_of(start, entry).ok()) {
            Some(next) => Work::dealt(start, next, analysis),
            None => Work::stepped(start, analysis, destinations),
        }
    }

    pub fn around(start: Value, ends: Vec<Value>, body: FxHashSet<Value>) -> Work {
        Work { start, ends, last_flag: None, body, repeated: FxHashSet::default() }
    }

    fn stepped(start: Value, analysis: &Analysis, destinations: &CleanupDestinations) -> Work {
        let mut ends = Vec::new();
        let mut body = FxHashSet::default();
        follow(start, destinations, |current| {
            if is_fini(current) {
                ends.extend((!ends.contains(&current)).then_some(current));
                return Go::Back;
            }
            body.insert(current);
            Go::On
        });
        let is_inside = |header: Block| header.first().is_some_and(|first| body.contains(&first));
        let all: FxHashSet<Block> = body.iter().filter_map(|value| value.block()).collect();
        let repeated = (all.into_iter()).filter(|&block| analysis.loop_header(block).is_some_and(is_inside)).collect();
        Work { start, ends, last_flag: start.operand(3), repeated, body }
    }

    fn dealt(start: Value, next: Value, analysis: &Analysis) -> Work {
        let header = next.block().and_then(|block| analysis.loop_header(block));
        let blocks = header.map_or_else(Vec::new, |header| analysis.loop_blocks(header));
        let exits = blocks.iter().flat_map(|block| block.successors());
        let ends: FxHashSet<Block> = exits.filter(|block| !blocks.contains(block)).collect();
        Work {
            start,
            ends: ends.into_iter().filter_map(Block::first).collect(),
            last_flag: next.operand(2),
            repeated: blocks.iter().copied().collect(),
            body: blocks.iter().copied().flat_map(Block::instructions).collect(),
        }
    }

    pub fn is_in_blocks(&self) -> bool {
        kind_of(self.start) == Some(sched_type::STATIC)
    }

    pub fn is_in_chunks(&self) -> bool {
        !self.is_in_blocks() || entry_of(self.start).is_none_or(|entry| entry.dealt)
    }

    /// Has it an `order(concurrent)` clause, which may be `reproducible`? (`simd` says the same of a loop, and more.)
    pub fn may_be_reproducible(&self) -> bool {
        let Some(upper) = self.start.operand(5) else { return false };
        let reads_upper = |block: Block| block.instructions().any(|each| each.loaded_from() == Some(upper));
        self.body.iter().any(|&closing| {
            closing.accesses_are_parallel()
                && !closing.vectorize_wanted()
                && closing.successors().into_iter().any(reads_upper)
        })
    }
}

pub fn starts_fixed_mapping(instruction: Value) -> bool {
    let Some(entry) = entry_of(instruction) else { return false };
    if entry.combined {
        return false;
    }
    if !entry.dealt && (is_sections(instruction) || is_dealt_again(instruction)) {
        return false;
    }
    match kind_of(instruction) {
        Some(sched_type::DISTRIBUTE | sched_type::DISTRIBUTE_CHUNKED) => false,
        Some(kind) if entry.dealt => !is_dealt_anyhow(kind),
        _ => true,
    }
}

fn is_sections(call: Value) -> bool {
    let flags = call.operand(0).and_then(ident::flags).unwrap_or(0);
    flags & ident::WORK_SECTIONS != 0
}

fn is_dealt_anyhow(kind: u32) -> bool {
    let without_order = if sched_type::is_ordered(kind) { kind - sched_type::ORDERED } else { kind };
    matches!(without_order, sched_type::DYNAMIC | sched_type::GUIDED | sched_type::AUTO | sched_type::GUIDED_SIMD)
}

fn kind_of(call: Value) -> Option<u32> {
    let number = call.operand(2)?.const_int()?;
    Some(sched_type::kind(number as u32))
}
