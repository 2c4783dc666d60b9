//! The clamp of a chunk: `upper = min(upper, last)`.

use super::Call;
use super::bounds::is_load_of;
use super::comparison::{Comparison, same_value};
use crate::llvm::{Block, Value};

/// The loop's last iteration, if the store clamps the upper bound to it. The value is the one that
/// the comparison uses.
pub fn last_of(store: Value, call: &Call) -> Option<Value> {
    let choice = Choice::read(store.operand(0)?)?;
    let is_upper = |value: Value| is_load_of(value, call.upper);
    let comparison = Comparison::read(choice.condition)?.with_left(is_upper)?;
    let last = comparison.right;
    // `upper > last ? last : upper`, or the mirror image, by the entry's signedness.
    let (if_above, if_below) = if comparison.is_greater(call.entry) {
        (choice.then, choice.otherwise)
    } else if comparison.is_less(call.entry) {
        (choice.otherwise, choice.then)
    } else {
        return None;
    };
    (same_value(if_above, last) && is_upper(if_below)).then_some(last)
}

/// A value chosen by a condition, as `select` or as control flow.
struct Choice {
    condition: Value,
    then: Value,
    otherwise: Value,
}

impl Choice {
    fn read(value: Value) -> Option<Choice> {
        if value.is_select() {
            return Some(Choice {
                condition: value.operand(0)?,
                then: value.operand(1)?,
                otherwise: value.operand(2)?,
            });
        }
        // Two arms that come from the two ways out of one branch.
        let incoming = value.incoming();
        let [(first, from_first), (second, from_second)] = incoming[..] else {
            return None;
        };
        let (above_first, above_second) = (ways_up(from_first), ways_up(from_second));
        let meets = |&(_, above): &(Block, Block)| above_second.iter().any(|way| way.1 == above);
        let &(arm_first, branching) = above_first.iter().find(|way| meets(way))?;
        let &(arm_second, _) = above_second.iter().find(|way| way.1 == branching)?;
        let branch = branching.terminator()?;
        let condition = branch.branch_condition()?;
        let (then, otherwise) = match branch.successors()[..] {
            [yes, no] if yes == arm_first && no == arm_second => (first, second),
            [yes, no] if yes == arm_second && no == arm_first => (second, first),
            _ => return None,
        };
        Some(Choice { condition, then, otherwise })
    }
}

/// The way by which alone control comes to a block: each block with the one above it. Sanitizers put checks on it, of
/// which the failing side comes back or ends.
fn ways_up(from: Block) -> Vec<(Block, Block)> {
    let above = |block: Block| match block.predecessors()[..] {
        [one] => Some(one),
        [one, other] if other.predecessors() == [one] => Some(one),
        [one, other] if one.predecessors() == [other] => Some(other),
        _ => None,
    };
    // More checks than any expression has; a loop without an entry has no end.
    const MOST: usize = 1000;
    std::iter::successors(above(from).map(|up| (from, up)), |&(_, block)| above(block).map(|up| (block, up)))
        .take(MOST)
        .collect()
}
