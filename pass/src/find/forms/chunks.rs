//! clang's loop over chunks, `schedule(static,c)`:
//!
//! ```text
//! header:  upper = min(upper, last); iv = lower
//!          if (iv <= upper) body else exit
//! body:    ...
//! advance: lower += stride; upper += stride; goto header
//! ```

use crate::find::bounds::{Stores, is_load_of, sum_of_loads};
use crate::find::comparison::{Arithmetic, Comparison, Operation, same_value};
use crate::find::{Call, Chunk, Chunks, Form, UserLoop};
use crate::llvm::{Analysis, Block, Value, only};
use crate::reason::Reason;

pub fn recognise(analysis: &Analysis, call: &Call, stores: &Stores) -> Result<(Form, UserLoop), Reason> {
    let unknown = Reason::UnknownDispatchLoop;
    let steps = Steps::read(call, stores).ok_or(unknown)?;
    let header = loop_over_chunks(analysis, call, steps.lower).ok_or(unknown)?;
    let parts = [steps.lower_load, steps.upper_load, steps.upper, steps.clamp];
    if !parts.into_iter().all(|value| directly_in(analysis, value, header)) {
        return Err(unknown);
    }

    let last = last_of(steps.clamp, call).ok_or(Reason::UnknownClamp)?;
    let (test, body, induction) = chunk_test(analysis, call, header, steps.clamp).ok_or(Reason::UnknownChunkTest)?;
    if !available_at(analysis, last, test) {
        return Err(Reason::UnknownClamp);
    }
    // Every step to a next chunk comes after a chunk, and before the next.
    let is_between = |step: Value| analysis.dominates(test, step) && each_time_round(analysis, header, step);
    if !is_between(steps.lower) || !is_between(steps.upper) {
        return Err(unknown);
    }

    let advance = steps.first_load(analysis);
    let chunks = Chunks::new(analysis, header, test, body, Chunk::Variables { last }, advance);
    let user = induction.map(|variable| UserLoop::from_variable(analysis, call, variable)).unwrap_or_default();
    Ok((Form::Chunks(chunks), user))
}

struct Steps {
    lower: Value,
    lower_load: Value,
    upper: Value,
    upper_load: Value,
    clamp: Value,
}

impl Steps {
    fn read(call: &Call, stores: &Stores) -> Option<Steps> {
        let (&[lower], &[first, second]) = (&stores.lower[..], &stores.upper[..]) else { return None };
        let stepped = |store: Value, bound| sum_of_loads(store.operand(0)?, bound, call.stride);
        let lower_load = stepped(lower, call.lower)?;
        let (clamp, upper, upper_load) = match (stepped(first, call.upper), stepped(second, call.upper)) {
            (None, Some(load)) => (first, second, load),
            (Some(load), None) => (second, first, load),
            (None, None) | (Some(_), Some(_)) => return None,
        };
        Some(Steps { lower, lower_load, upper, upper_load, clamp })
    }

    fn first_load(&self, analysis: &Analysis) -> Value {
        if analysis.dominates(self.lower_load, self.upper_load) { self.lower_load } else { self.upper_load }
    }
}

pub fn loop_over_chunks(analysis: &Analysis, call: &Call, step: Value) -> Option<Block> {
    let header = analysis.loop_header(step.block()?)?;
    let outside = |block: &&Block| !analysis.loop_contains(header, **block);
    let entered_once = header.predecessors().iter().filter(outside).count() == 1;
    (entered_once
        && !analysis.loop_contains(header, call.instruction.block()?)
        && analysis.dominates(call.instruction, header.first()?))
    .then_some(header)
}

pub fn directly_in(analysis: &Analysis, value: Value, header: Block) -> bool {
    value.block().is_some_and(|block| analysis.loop_header(block) == Some(header))
}

pub fn stays(analysis: &Analysis, branch: Value, header: Block) -> Option<Block> {
    branch.branch_condition()?;
    let (inside, outside): (Vec<_>, Vec<_>) =
        branch.successors().into_iter().partition(|&successor| analysis.loop_contains(header, successor));
    match (&inside[..], &outside[..]) {
        ([stays], [_]) => Some(*stays),
        _ => None,
    }
}

/// Found by what it tests: sanitizers put checks of their own between it and the clamp.
fn chunk_test(analysis: &Analysis, call: &Call, header: Block, clamp: Value) -> Option<(Value, Block, Option<Value>)> {
    let starts = |store: &Value| {
        let is_lower = |value: Value| is_load_of(value, call.lower);
        store.stored().is_some_and(is_lower) && analysis.dominates(clamp, *store)
    };
    let blocks = analysis.loop_blocks(header);
    let induction = blocks.into_iter().flat_map(Block::instructions).find(starts).and_then(Value::stored_to);
    let is_start = |value: Value| is_chunk_start(value, call, induction);
    let tests = |branch: Value, holds| analysis.dominates(clamp, branch) && tests_chunk(holds, call);
    let (branch, body, _) = only_test(analysis, header, is_start, tests)?;
    Some((branch, body, induction))
}

/// Where the only branch leads within the loop that passes such a test, and what holds there.
pub fn only_test(
    analysis: &Analysis,
    header: Block,
    is_left: impl Fn(Value) -> bool,
    is_test: impl Fn(Value, Comparison) -> bool,
) -> Option<(Value, Block, Comparison)> {
    only(analysis.loop_blocks(header).into_iter().filter_map(|block| {
        let branch = block.terminator().filter(|&branch| directly_in(analysis, branch, header))?;
        let (body, holds) = goes_on(analysis, branch, header, &is_left)?;
        is_test(branch, holds).then_some((branch, body, holds))
    }))
}

pub fn goes_on(
    analysis: &Analysis,
    branch: Value,
    header: Block,
    is_left: impl Fn(Value) -> bool,
) -> Option<(Block, Comparison)> {
    let body = stays(analysis, branch, header)?;
    let on_true = branch.successors().first() == Some(&body);
    Some((body, Comparison::holding(branch.branch_condition()?, on_true, is_left)?))
}

pub fn is_chunk_start(value: Value, call: &Call, induction: Option<Value>) -> bool {
    is_load_of(value, call.lower) || induction.is_some_and(|variable| is_load_of(value, variable))
}

/// `iv <= upper`, or `iv < upper + 1` as clang writes it for unsigned variables.
pub fn tests_chunk(holds: Comparison, call: &Call) -> bool {
    let is_upper = |value: Value| is_load_of(value, call.upper);
    is_upper(holds.right) && holds.is_at_most(call.entry)
        || is_one_more(holds.right, is_upper) && holds.is_strictly_less(call.entry)
}

pub fn is_one_more(sum: Value, than: impl Fn(Value) -> bool) -> bool {
    Arithmetic::giving(sum).is_some_and(|sum| {
        let (left, right) = (sum.left, sum.right);
        sum.operation == Operation::Add
            && (than(left) && right.const_int() == Some(1) || than(right) && left.const_int() == Some(1))
    })
}

pub fn each_time_round(analysis: &Analysis, header: Block, instruction: Value) -> bool {
    header
        .predecessors()
        .into_iter()
        .filter(|&block| analysis.loop_contains(header, block))
        .filter_map(Block::terminator)
        .all(|latch| analysis.dominates(instruction, latch))
}

pub fn available_at(analysis: &Analysis, value: Value, user: Value) -> bool {
    !value.is_instruction() || analysis.dominates(value, user)
}

// The clamp of a chunk: `upper = min(upper, last)`.

/// The loop's last iteration, as the comparison of the clamp uses it.
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
        let [(first, from_first), (second, from_second)] = incoming[..] else { return None };
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

/// Each block with the one above it, from which alone control comes but for the sides of failing checks of sanitizers.
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
