//! The ways on from an instruction, but for those that no execution takes.
//!
//! Where several reasons lead out of a scope, clang stores which one it is in a variable (`cleanup.dest.slot`) and
//! runs the scope's cleanup once for all; then it switches on the variable. So `cancel` draws ways from each loop of a
//! function to the ends of all loops behind it. A way that has stored a constant there goes on only as the
//! constant says.

use std::cell::OnceCell;

use rustc_hash::FxHashSet;

use crate::llvm::{Block, Value, blocks, instructions};

pub enum Go {
    On,
    /// No further on this way.
    Back,
    /// Past it, which ends a block, to this block alone.
    To(Block),
    /// No further on any: what is looked for is found.
    Home,
}

/// Of one function.
#[derive(Default)]
pub struct CleanupDestinations(OnceCell<Known>);

#[derive(Default)]
struct Known {
    variables: FxHashSet<Value>,
    /// Where what one of them holds may change.
    changed_in: FxHashSet<Block>,
}

impl CleanupDestinations {
    pub fn ignored() -> CleanupDestinations {
        CleanupDestinations(OnceCell::from(Known::default()))
    }

    fn of_function_around(&self, block: Block) -> &Known {
        self.0.get_or_init(|| block.function().map(Known::in_function).unwrap_or_default())
    }
}

impl Known {
    fn in_function(function: Value) -> Known {
        let variables = switched_on(function);
        if variables.is_empty() {
            return Known::default();
        }
        let changes = |each: &Value| {
            variables.contains(each)
                || each.returns_twice()
                || each.stored_to().is_some_and(|variable| variables.contains(&variable))
        };
        let changed_in = instructions(function).filter(changes).filter_map(Value::block).collect();
        Known { variables, changed_in }
    }
}

/// Used for nothing but simple loads and stores: all that is stored there is known.
fn switched_on(function: Value) -> FxHashSet<Value> {
    let loaded = |block: Block| {
        let condition = block.terminator()?.switch_condition()?;
        Some((condition.loaded_from()?, condition.integer_bits()?))
    };
    let variables: FxHashSet<(Value, u32)> = blocks(function).filter_map(loaded).collect();
    let only_holds = |&(variable, bits): &(Value, u32)| {
        // A part of it that is stored alone is not what the switch reads.
        let is_whole = |value: Option<Value>| value.and_then(Value::integer_bits) == Some(bits);
        let holds = |user: Value| {
            let writes = user.writes_to(variable) && user.is_simple_access();
            user.loaded_from() == Some(variable) && is_whole(Some(user)) || writes && is_whole(user.stored())
        };
        variable.is_alloca() && variable.users().into_iter().all(holds)
    };
    let variables = variables.into_iter().filter(only_holds);
    variables.map(|(variable, _)| variable).collect()
}

type Held = Option<(Value, i64)>;

/// Shows `visit` every way on from `from`, each block once for each reason. Did it go home?
pub fn follow(from: Value, destinations: &CleanupDestinations, visit: impl FnMut(Value) -> Go) -> bool {
    from.next().is_some_and(|first| follow_with(first, destinations, visit))
}

pub fn follow_with(first: Value, destinations: &CleanupDestinations, visit: impl FnMut(Value) -> Go) -> bool {
    follow_among(first, destinations, |_| true, visit)
}

/// Of other blocks than those that matter, `visit` may be shown only what ends them.
pub fn follow_among(
    first: Value,
    destinations: &CleanupDestinations,
    matters: impl Fn(Block) -> bool,
    mut visit: impl FnMut(Value) -> Go,
) -> bool {
    let Some(known) = first.block().map(|block| destinations.of_function_around(block)) else { return false };
    let mut seen: FxHashSet<(Block, Held)> = FxHashSet::default();
    let mut work: Vec<(Value, Held)> = vec![(first, None)];
    'ways: while let Some((start, mut held)) = work.pop() {
        let Some((block, terminator)) = start.block().and_then(|block| Some((block, block.terminator()?))) else {
            continue;
        };
        let changes = known.changed_in.contains(&block);
        let shown = if changes || matters(block) { start } else { terminator };
        let mut chosen = None;
        for current in shown.and_next() {
            match visit(current) {
                Go::On => {}
                Go::Back => continue 'ways,
                Go::To(only) => {
                    chosen = Some(only);
                    break;
                }
                Go::Home => return true,
            }
            if changes {
                held = after(current, held, &known.variables);
            }
        }
        let successors = match chosen.or_else(|| self::chosen(terminator, held)) {
            Some(only) => vec![only],
            None => terminator.successors(),
        };
        for successor in successors {
            if seen.insert((successor, held)) {
                work.extend(successor.first().map(|first| (first, held)));
            }
        }
    }
    false
}

fn after(instruction: Value, held: Held, destinations: &FxHashSet<Value>) -> Held {
    let stored_to = || instruction.stored_to().filter(|variable| destinations.contains(variable));
    match stored_to() {
        Some(variable) => Some((variable, instruction.operand(0).and_then(Value::const_int)?)),
        // What is stored on the ways behind it may hold when control comes back.
        None if instruction.returns_twice() => None,
        // Made anew, it holds nothing.
        None => held.filter(|&(variable, _)| variable != instruction),
    }
}

fn chosen(terminator: Value, held: Held) -> Option<Block> {
    let (variable, constant) = held?;
    let condition = terminator.switch_condition()?;
    let still_holds = || !condition.and_next().skip(1).any(|value| value.stored_to() == Some(variable));
    (condition.loaded_from() == Some(variable) && condition.block() == terminator.block() && still_holds())
        .then(|| terminator.case(constant))?
}
