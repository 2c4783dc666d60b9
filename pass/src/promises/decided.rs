//! What depends on the outcome of a branch, and which branches on a value.

use std::collections::VecDeque;

use inkwell::llvm_sys::LLVMOpcode;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::llvm::{Block, Value, blocks, leads_astray, reached};

use super::after_loop::is_own_variable;

pub struct Decided {
    /// What runs, or how often, by the outcome.
    pub instructions: Vec<Value>,
    /// Values that are others by the outcome, where it does not matter any more what runs.
    pub results: Vec<Value>,
}

/// Blocks of a function in which a branch is looked at: more would take the compiler's time.
const MOST_BLOCKS: usize = 2000;

impl Decided {
    /// `None`: not known.
    pub fn by_branch(branch: Value) -> Option<Decided> {
        let ending = ending(branch.block()?.function()?);
        if !(1..=MOST_BLOCKS).contains(&ending.len()) {
            return None;
        }
        let firsts: Vec<Block> = branch.successors().into_iter().filter(|next| ending.contains(next)).collect();
        // What all ways lead through lies on any of them.
        let meeting = way_to_end(*firsts.first()?).into_iter().find(|&block| {
            let around = reached_through(firsts.iter().copied().filter(|&first| first != block), |next| {
                next != block && ending.contains(&next)
            });
            !around.into_iter().any(is_end)
        });
        let inside = |block: Block| Some(block) != meeting && ending.contains(&block);
        let decided = reached_through(firsts.into_iter().filter(|&first| inside(first)), inside);
        let is_outside = |user: Value| user.block().is_none_or(|block| !decided.contains(&block));
        let instructions: Vec<Value> = decided.iter().copied().flat_map(Block::instructions).collect();
        let merged = meeting.into_iter().flat_map(Block::instructions).filter(|value| value.is_phi());
        let kept = instructions.iter().copied().filter(|value| value.users().into_iter().any(is_outside));
        Some(Decided { results: merged.chain(kept).collect(), instructions })
    }
}

pub fn reached_through(from: impl Iterator<Item = Block>, is_passed: impl Fn(Block) -> bool) -> FxHashSet<Block> {
    reached(from, |block| block.successors().into_iter().filter(|&next| is_passed(next)).collect())
}

fn is_end(block: Block) -> bool {
    let ends = |last: Value| matches!(last.opcode(), Some(LLVMOpcode::LLVMRet | LLVMOpcode::LLVMResume));
    block.terminator().is_some_and(ends)
}

fn ending(function: Value) -> FxHashSet<Block> {
    reached(blocks(function).filter(|&block| is_end(block)), Block::predecessors)
}

fn way_to_end(first: Block) -> Vec<Block> {
    let mut before: FxHashMap<Block, Option<Block>> = FxHashMap::from_iter([(first, None)]);
    let mut open = VecDeque::from([first]);
    while let Some(block) = open.pop_front() {
        if is_end(block) {
            let mut way: Vec<Block> = std::iter::successors(Some(block), |block| before[block]).collect();
            way.reverse();
            return way;
        }
        for next in block.successors() {
            before.entry(next).or_insert_with(|| {
                open.push_back(next);
                Some(block)
            });
        }
    }
    Vec::new()
}

pub fn decides(value: Value, is_meant: impl Fn(Value) -> bool) -> bool {
    let decides = leads_astray(value, |value, user| match user.stored_to().filter(|_| user.stored() == Some(value)) {
        Some(variable) if variable.is_alloca() => Some(variable.users()),
        // A part of a variable, which may be read with all of it.
        Some(part) => (!is_own_variable(part)).then(Vec::new),
        None if user.calls_out() || !user.successors().is_empty() && is_meant(user) => None,
        None => Some(vec![user]),
    });
    decides || value.calls_out()
}

/// Does a thread exchange something until it finds what it waits for? What it has computed from what it found it may store again and again.
pub fn exchanges_until(exchange: Value) -> bool {
    let is_constant = |value: Value| value.const_int().is_some();
    let keeps_constant = |user: Value| user.stored().is_some_and(is_constant);
    let expects = |expected: Value| {
        let variable = expected.loaded_from().filter(|variable| variable.is_alloca());
        is_constant(expected) || variable.is_some_and(|variable| variable.users().into_iter().any(keeps_constant))
    };
    let may_wait = match exchange.opcode() {
        Some(LLVMOpcode::LLVMAtomicRMW) => true,
        Some(LLVMOpcode::LLVMAtomicCmpXchg) => exchange.operand(1).is_some_and(expects),
        _ => false,
    };
    let repeats =
        |branch: Value| Decided::by_branch(branch).is_none_or(|decided| decided.instructions.contains(&exchange));
    may_wait && !exchange.operand(0).is_some_and(is_own_variable) && decides(exchange, repeats)
}
