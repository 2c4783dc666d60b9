//! The calls of `__kmpc_for_static_fini` that a loop's start leads to. `cancel` gives it a second one.

use super::Call;
use super::init::starts_loop;
use super::paths::{CleanupDestinations, Go, follow};
use crate::llvm::{Block, Value, blocks, reached};
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
        let start = starts_loop(current);
        ends.meets_other_loop |= start && current != from.instruction;
        if fini || start { Go::Back } else { Go::On }
    });
    ends.meets_other_loop |= !are_used_alone(from, &ends.calls, destinations);
    if ends.calls.is_empty() { Err(Reason::NoEnd) } else { Ok(ends) }
}

/// Would the variables that the runtime fills in hold what they hold, if they stood where those of loops before and behind stand?
///
/// What is written goes to this loop's start or is written within the loop; and whoever reads comes from this loop.
fn are_used_alone(call: &Call, ends: &[Value], destinations: &CleanupDestinations) -> bool {
    // Of starts and ends of loops, a write leads to these alone.
    let leads_only_to = |write: Value, wanted: &[Value]| {
        !leads_to(
            write,
            destinations,
            |current| wanted.contains(&current),
            |current| is_fini(current) || starts_loop(current),
        )
    };
    let starts = |write: Value| {
        leads_to(write, destinations, |_| false, |current| current == call.instruction)
            && leads_only_to(write, &[call.instruction])
    };
    let mut others = Vec::new();
    let mut is_alone = |variable: Value, user: Value| {
        if user.is_lifetime() || user == call.instruction || user.writes_to(variable) && starts(user) {
            return true;
        }
        others.push(user);
        user.loaded_from() == Some(variable) || leads_only_to(user, ends)
    };
    let variables = call.variables().into_iter().filter(|variable| variable.is_alloca());
    let mut uses = variables.flat_map(|variable| variable.users().into_iter().map(move |user| (variable, user)));
    uses.all(|(variable, user)| is_alone(variable, user)) && come_from(call.instruction, &others)
}

/// Do all paths to these come from this start, and past no other one?
fn come_from(own: Value, instructions: &[Value]) -> bool {
    let is_start = |&each: &Value| starts_loop(each);
    let Some(start) = own.block() else { return false };
    let entry = start.function().and_then(|function| blocks(function).next());
    let mut before = Vec::new();
    for &instruction in instructions {
        let Some(block) = instruction.block() else { continue };
        match block.instructions().take_while(|&each| each != instruction).filter(is_start).last() {
            Some(one) if one == own => {}
            Some(_) => return false,
            None => before.push(block),
        }
    }
    let is_between = |block: &Block| *block != start;
    let between = reached(before, |block| block.predecessors().into_iter().filter(is_between).collect());
    start.instructions().filter(is_start).last() == Some(own)
        && between.into_iter().all(|block| Some(block) != entry && !block.instructions().any(starts_loop))
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
        () if starts_loop(current) => Go::Back,
        () => Go::On,
    })
}

/// The second is proposed for loops that `__kmpc_dist_for_static_init_*` starts (LLVM 24).
const FINI: [&[u8]; 2] = [b"__kmpc_for_static_fini", b"__kmpc_dist_for_static_fini"];

pub fn is_fini(instruction: Value) -> bool {
    instruction.is_call() && instruction.calls(&FINI)
}
