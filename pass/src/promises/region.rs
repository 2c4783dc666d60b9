//! Parallel regions: functions that the runtime calls in every thread of a team.
//!
//! Where one begins and ends, its threads meet. Of a function that is called from elsewhere, too, that is not known.

use rustc_hash::FxHashSet;

use crate::find::entry_of;
use crate::find::paths::CleanupDestinations;
use crate::llvm::{Analysis, Block, Value, instructions, only};

use super::called::Called;
use super::decided::{decides, reached_through};
use super::effects::Effects;
use super::work::{Work, starts_fixed_mapping};

pub struct Region {
    pub function: Value,
    pub works: Vec<Work>,
    started_in: FxHashSet<Block>,
    pub destinations: CleanupDestinations,
    pub analysis: Analysis,
}

/// More loops than an optimized function has of which any can be changed: looking at them would take the compiler's time for nothing.
pub const MOST_LOOPS: usize = 64;

impl Region {
    pub fn in_function(function: Value, starts: Vec<Value>) -> Option<Region> {
        if !is_region(function) {
            return None;
        }
        let (analysis, destinations) = (Analysis::new(function), CleanupDestinations::default());
        let works: Vec<Work> =
            starts.into_iter().map(|start| Work::from_start(start, &analysis, &destinations)).collect();
        let started_in = works.iter().filter_map(|work| work.start.block()).collect();
        Some(Region { function, works, started_in, destinations, analysis })
    }

    pub fn effects(&self, called: &mut Called) -> Effects {
        self.instructions().fold(Effects::default(), |sum, instruction| sum.and(called.effects(instruction)))
    }

    pub fn is_in_a_loop(&self, instruction: Value) -> bool {
        self.works.iter().any(|work| work.body.contains(&instruction))
    }

    pub fn starts_a_loop(&self, block: Block) -> bool {
        self.started_in.contains(&block)
    }

    pub fn instructions(&self) -> impl Iterator<Item = Value> {
        instructions(self.function)
    }
}

pub fn starts(function: Value) -> Vec<Value> {
    instructions(function).filter(|&instruction| starts_fixed_mapping(instruction)).collect()
}

/// Starts of loops whose next iterations are run by whoever comes first.
pub fn dispatched_starts(function: Value) -> impl Iterator<Item = Value> {
    let is_dispatched =
        |start: &Value| entry_of(*start).is_some_and(|entry| entry.dealt) && !starts_fixed_mapping(*start);
    instructions(function).filter(is_dispatched)
}

/// May an iteration wait until another one has done something? It reads again and again what others write then.
pub fn may_wait(work: &Work, called: &mut Called) -> bool {
    // A loop over chunks has one over their iterations, and only what one of these repeats asks for a lock again and again.
    let own_loops = if work.is_in_blocks() { 1 } else { 2 };
    work.body.iter().any(|&instruction| {
        let effects = called.effects(instruction);
        let is_repeated = |loops| is_repeated_within(work, instruction, loops);
        effects.reads_others && (effects.repeats || is_repeated(1) && decides(instruction, |_| true))
            || effects.takes_lock && is_repeated(own_loops)
    })
}

/// Without a next iteration of so many loops around it, the outermost first. A way back by `goto` may be no loop.
fn is_repeated_within(work: &Work, instruction: Value, loops: usize) -> bool {
    let Some((block, function)) = instruction.block().and_then(|block| Some((block, block.function()?))) else {
        return true;
    };
    let analysis = Analysis::new(function);
    let headers: FxHashSet<Block> = work.repeated.iter().filter_map(|&block| analysis.loop_header(block)).collect();
    let depth = |block: Block| headers.iter().filter(|&&header| analysis.loop_contains(header, block)).count();
    let is_outer = |block: Block| headers.contains(&block) && depth(block) <= loops;
    let is_passed = |next: Block| work.repeated.contains(&next) && !is_outer(next);
    reached_through(block.successors().into_iter().filter(|&next| is_passed(next)), is_passed).contains(&block)
}

/// Is the function run by a whole team, from its beginning to its end, and by nobody else?
fn is_region(function: Value) -> bool {
    if !function.is_local() {
        return false;
    }
    let users = function.users();
    // A region that runs in one thread is called by its own name.
    let calls = |user: &Value| user.calls_out() && user.callee() == Some(function);
    let (direct, others): (Vec<Value>, Vec<Value>) = users.into_iter().partition(calls);
    match others.is_empty() {
        true => matches!(direct[..], [only] if is_all_of_a_region(only)),
        // They have a team run it.
        false => others.into_iter().all(|user| user.calls(&FORKS)),
    }
}

const FORKS: [&[u8]; 3] = [b"__kmpc_fork_call", b"__kmpc_fork_call_if", b"__kmpc_fork_teams"];

/// With -g, clang has a function around the one with the region's code.
fn is_all_of_a_region(call: Value) -> bool {
    let Some(around) = call.block().and_then(Block::function) else { return false };
    only(instructions(around).filter(|each| each.calls_out())) == Some(call) && is_region(around)
}
