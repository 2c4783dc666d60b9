//! Who writes the bounds, and whether anybody else could.

use crate::find::comparison::{Arithmetic, Operation};
use crate::find::{Call, entry_of};
use crate::llvm::{Analysis, Value};
use crate::reason::Reason;

pub struct Stores {
    pub lower: Vec<Value>,
    pub upper: Vec<Value>,
}

/// Of bounds that are only loaded, stored, and handed to the one call.
///
/// Another such call may share them on another path: clang emits a loop twice for `if(simd: …)`.
pub fn stores(analysis: &Analysis, call: &Call) -> Result<Stores, Reason> {
    let lower = later_stores(analysis, call, call.lower)?;
    let upper = later_stores(analysis, call, call.upper)?;
    if !later_stores(analysis, call, call.stride)?.is_empty() {
        return Err(Reason::UnknownDispatchLoop);
    }
    Ok(Stores { lower, upper })
}

fn later_stores(analysis: &Analysis, call: &Call, bound: Value) -> Result<Vec<Value>, Reason> {
    let mut later = Vec::new();
    let users = bound.users();
    let (others, users): (Vec<_>, Vec<_>) = users
        .into_iter()
        .filter(|&user| user != call.instruction && Some(user) != call.earlier)
        .partition(|&user| entry_of(user).is_some());
    let excludes =
        |&other: &Value| analysis.dominates(call.instruction, other) || analysis.dominates(other, call.instruction);
    if others.iter().any(excludes) {
        return Err(Reason::BoundsEscape);
    }
    for user in users {
        if user.writes_to(bound) {
            if !user.is_simple_access() {
                return Err(Reason::BoundsEscape);
            }
            // The initial stores dominate the call, wherever class-type privates have moved them.
            let block = user.block().ok_or(Reason::BoundsEscape)?;
            let of_another = !analysis.dominates(call.instruction, user)
                && others.iter().any(|&other| analysis.dominates(other, user));
            if analysis.reachable(block) && !of_another && !analysis.dominates(user, call.instruction) {
                later.push(user);
            }
        } else if user.loaded_from().is_none() && !user.is_lifetime() {
            return Err(Reason::BoundsEscape);
        }
    }
    Ok(later)
}

pub fn is_load_of(value: Value, bound: Value) -> bool {
    value.loaded_from() == Some(bound)
}

/// Is `value` the sum of a load of `bound` and a load of `addend`? Returns the first load.
pub fn sum_of_loads(value: Value, bound: Value, addend: Value) -> Option<Value> {
    let sum = Arithmetic::giving(value).filter(|sum| sum.operation == Operation::Add)?;
    let mut orders = [(sum.left, sum.right), (sum.right, sum.left)].into_iter();
    let (load, _) = orders.find(|&(left, right)| is_load_of(left, bound) && is_load_of(right, addend))?;
    Some(load)
}
