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
    let (calls, starts): (Vec<_>, Vec<_>) =
        met_first(from.instruction, destinations).into_iter().partition(|&met| is_fini(met));
    if calls.is_empty() {
        return Err(Reason::NoEnd);
    }
    let meets_other_loop =
        starts.iter().any(|&start| start != from.instruction) || !are_used_alone(from, &calls, destinations);
    Ok(Ends { calls, meets_other_loop })
}

/// The starts and ends of loops that ways on from an instruction meet first.
fn met_first(from: Value, destinations: &CleanupDestinations) -> Vec<Value> {
    let mut met = Vec::new();
    follow(from, destinations, |current| {
        if !is_fini(current) && !starts_loop(current) {
            return Go::On;
        }
        if !met.contains(&current) {
            met.push(current);
        }
        Go::Back
    });
    met
}

/// Would the variables that the runtime fills in hold what they hold, if they stood where those of loops before and behind stand?
///
/// What is written goes to this loop's start or is written within the loop; and whoever reads comes from this loop.
fn are_used_alone(call: &Call, ends: &[Value], destinations: &CleanupDestinations) -> bool {
    let own = call.instruction;
    let mut others = Vec::new();
    let mut is_alone = |variable: Value, user: Value| {
        if user.is_lifetime() || user == own {
            return true;
        }
        let is_load = user.loaded_from() == Some(variable);
        let met = if is_load { Vec::new() } else { met_first(user, destinations) };
        let starts = user.writes_to(variable) && met == [own];
        if !starts {
            others.push(user);
        }
        starts || met.iter().all(|end| ends.contains(end))
    };
    let variables = call.variables().into_iter().filter(|variable| variable.is_alloca());
    let mut uses = variables.flat_map(|variable| variable.users().into_iter().map(move |user| (variable, user)));
    uses.all(|(variable, user)| is_alone(variable, user)) && come_from(own, &others)
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
