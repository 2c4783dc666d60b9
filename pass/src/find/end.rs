//! The calls of `__kmpc_for_static_fini` that a loop's start leads to. `cancel` gives it a second one.

use super::paths::{CleanupDestinations, Go, follow};
use super::{Call, init};
use crate::llvm::{Block, Value, reached};
use crate::reason::Reason;

#[derive(Default)]
pub struct Ends {
    pub calls: Vec<Value>,
    /// Another loop's start can be reached before any of them, or its variables are used where that loop's may be.
    pub meets_other_loop: bool,
}

pub fn find(from: &Call, destinations: &CleanupDestinations) -> Result<Ends, Reason> {
    let mut ends = Ends::default();
    follow(from.instruction, destinations, |current| {
        let fini = is_fini(current);
        if fini && !ends.calls.contains(&current) {
            ends.calls.push(current);
        }
        let start = init::entry_of(current).is_some();
        ends.meets_other_loop |= start && current != from.instruction;
        if fini || start { Go::Back } else { Go::On }
    });
    ends.meets_other_loop |= !are_used_alone(from);
    if ends.calls.is_empty() { Err(Reason::NoEnd) } else { Ok(ends) }
}

/// Are the variables that the runtime fills in written right before the call, and else used only behind it, before any other loop starts?
fn are_used_alone(call: &Call) -> bool {
    let own = call.instruction.block();
    let starts = |block: Block| block.instructions().any(|each| init::entry_of(each).is_some());
    let behind = reached(own, |block| block.successors().into_iter().filter(|&next| !starts(next)).collect());
    let before: Vec<Value> =
        own.into_iter().flat_map(Block::instructions).take_while(|&each| each != call.instruction).collect();
    let is_alone = |variable: Value| {
        variable.users().into_iter().all(|user| match user.block() {
            _ if user.is_lifetime() => true,
            Some(block) if Some(block) == own => !before.contains(&user) || user.writes_to(variable),
            Some(block) => behind.contains(&block),
            None => true,
        })
    };
    call.variables().into_iter().filter(|variable| variable.is_alloca()).all(is_alone)
}

pub fn avoids(from: &Call, destinations: &CleanupDestinations, block: Block) -> bool {
    let is_there = |current: Value| current.block() == Some(block);
    !is_there(from.instruction) && leads_to(from.instruction, destinations, is_there, is_fini)
}

/// Does a path lead from an end of a loop to an instruction, and start no loop?
pub fn precedes(end: Value, instruction: Value, destinations: &CleanupDestinations) -> bool {
    leads_to(end, destinations, |_| false, |current| current == instruction)
}

fn leads_to(
    from: Value,
    destinations: &CleanupDestinations,
    is_barred: impl Fn(Value) -> bool,
    is_wanted: impl Fn(Value) -> bool,
) -> bool {
    follow(from, destinations, |current| match () {
        () if is_barred(current) => Go::Back,
        () if is_wanted(current) => Go::Home,
        () if init::entry_of(current).is_some() => Go::Back,
        () => Go::On,
    })
}

/// The second is proposed for loops that `__kmpc_dist_for_static_init_*` starts (LLVM 24).
const FINI: [&[u8]; 2] = [b"__kmpc_for_static_fini", b"__kmpc_dist_for_static_fini"];

pub fn is_fini(instruction: Value) -> bool {
    instruction.is_call() && instruction.calls(&FINI)
}
