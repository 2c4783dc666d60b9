//! Where a loop ends: the calls of `__kmpc_for_static_fini` that its start leads to. `cancel` gives
//! it a second one.

use std::collections::HashSet;

use super::{Call, call};
use crate::llvm::{Block, Value};
use crate::reason::Reason;

/// The ends of a loop.
#[derive(Default)]
pub struct Ends {
    /// The calls of fini.
    pub calls: Vec<Value>,
    /// Another loop's start can be reached before any of them, if only along a path that no
    /// execution takes: clang encodes `cancel` in a variable that later blocks switch on.
    pub meets_other_loop: bool,
}

/// Follows every path from the call to the first call of fini on it.
pub fn find(from: &Call) -> Result<Ends, Reason> {
    let mut ends = Ends {
        calls: Vec::new(),
        meets_other_loop: false,
    };
    let mut seen: HashSet<Block> = HashSet::new();
    let mut work: Vec<Value> = from.instruction.next().into_iter().collect();
    while let Some(start) = work.pop() {
        let mut instruction = Some(start);
        let mut ended = false;
        while let Some(current) = instruction {
            if is_fini(current) {
                if !ends.calls.contains(&current) {
                    ends.calls.push(current);
                }
                ended = true;
                break;
            }
            if call::entry_of(current).is_some() {
                ends.meets_other_loop |= current != from.instruction;
                ended = true;
                break;
            }
            instruction = current.next();
        }
        if ended {
            continue;
        }
        let successors = start.block().map(Block::successors).unwrap_or_default();
        for successor in successors {
            if seen.insert(successor) {
                work.extend(successor.first());
            }
        }
    }
    if ends.calls.is_empty() {
        Err(Reason::NoEnd)
    } else {
        Ok(ends)
    }
}

/// Does a path from the call to a call of fini avoid the block?
pub fn avoids(from: &Call, block: Block) -> bool {
    let ends = |start: Value| {
        std::iter::successors(Some(start), |instruction| instruction.next()).find_map(|current| {
            let other = call::entry_of(current).is_some();
            (other || is_fini(current)).then_some(!other)
        })
    };
    let own = from.instruction.block();
    if own == Some(block) {
        return false;
    }
    let mut seen: HashSet<Block> = HashSet::from([block]);
    let mut work: Vec<Value> = from.instruction.next().into_iter().collect();
    while let Some(start) = work.pop() {
        match ends(start) {
            Some(true) => return true,
            Some(false) => {}
            None => {
                let successors = start.block().map(Block::successors).unwrap_or_default();
                work.extend(
                    successors
                        .into_iter()
                        .filter(|&successor| seen.insert(successor))
                        .filter_map(Block::first),
                );
            }
        }
    }
    false
}

/// Is it a direct call of the runtime's fini?
fn is_fini(instruction: Value) -> bool {
    instruction.is_call()
        && instruction
            .callee()
            .is_some_and(|callee| callee.with_name(|name| name == b"__kmpc_for_static_fini"))
}
