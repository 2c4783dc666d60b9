//! The ways on from an instruction, but for those that no execution takes.
//!
//! Where several reasons lead out of a scope, clang stores which one it is in a variable (`cleanup.dest.slot`) and
//! runs the scope's cleanup once for all; then it switches on the variable. So `cancel` draws ways from each loop of a
//! function to the ends of all loops behind it. A way that has stored a constant there goes on only as the
//! constant says.

use std::cell::OnceCell;
use std::collections::HashSet;

use crate::llvm::{Block, Value, blocks};

pub enum Go {
    On,
    /// No further on this way.
    Back,
    /// Past it, which ends a block, to this block alone.
    To(Block),
    /// No further on any: what is looked for is found.
    Home,
}

#[derive(Default)]
pub struct CleanupDestinations(OnceCell<HashSet<Value>>);

impl CleanupDestinations {
    pub fn ignored() -> CleanupDestinations {
        CleanupDestinations(OnceCell::from(HashSet::new()))
    }

    fn has(&self, variable: Value, at: Value) -> bool {
        let all = || match at.block().and_then(Block::function) {
            Some(function) => switched_on(function),
            None => HashSet::new(),
        };
        self.0.get_or_init(all).contains(&variable)
    }
}

/// Used for nothing but simple loads and stores: all that is stored there is known.
fn switched_on(function: Value) -> HashSet<Value> {
    let loaded = |block: Block| {
        let condition = block.terminator()?.switch_condition()?;
        Some((condition.loaded_from()?, condition.integer_bits()?))
    };
    let variables: HashSet<(Value, u32)> = blocks(function).filter_map(loaded).collect();
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

type Known = Option<(Value, i64)>;

/// Shows `visit` every way on from `from`, each block once for each reason. Did it go home?
pub fn follow(from: Value, destinations: &CleanupDestinations, visit: impl FnMut(Value) -> Go) -> bool {
    from.next().is_some_and(|first| follow_with(first, destinations, visit))
}

pub fn follow_with(first: Value, destinations: &CleanupDestinations, mut visit: impl FnMut(Value) -> Go) -> bool {
    let mut seen: HashSet<(Block, Known)> = HashSet::new();
    let mut work: Vec<(Value, Known)> = vec![(first, None)];
    'ways: while let Some((start, mut known)) = work.pop() {
        let mut chosen = None;
        for current in start.and_next() {
            match visit(current) {
                Go::On => {}
                Go::Back => continue 'ways,
                Go::To(only) => {
                    chosen = Some(only);
                    break;
                }
                Go::Home => return true,
            }
            known = after(current, known, destinations);
        }
        let Some(terminator) = start.block().and_then(Block::terminator) else { continue };
        let successors = match chosen.or_else(|| self::chosen(terminator, known)) {
            Some(only) => vec![only],
            None => terminator.successors(),
        };
        for successor in successors {
            if seen.insert((successor, known)) {
                work.extend(successor.first().map(|first| (first, known)));
            }
        }
    }
    false
}

fn after(instruction: Value, known: Known, destinations: &CleanupDestinations) -> Known {
    let stored_to = || instruction.stored_to().filter(|&variable| destinations.has(variable, instruction));
    match stored_to() {
        Some(variable) => Some((variable, instruction.operand(0).and_then(Value::const_int)?)),
        // What is stored on the ways behind it may hold when control comes back.
        None if instruction.returns_twice() => None,
        // Made anew, it holds nothing.
        None => known.filter(|&(variable, _)| variable != instruction),
    }
}

fn chosen(terminator: Value, known: Known) -> Option<Block> {
    let (variable, constant) = known?;
    let condition = terminator.switch_condition()?;
    let still_holds = || !condition.and_next().skip(1).any(|value| value.stored_to() == Some(variable));
    (condition.loaded_from() == Some(variable) && condition.block() == terminator.block() && still_holds())
        .then(|| terminator.case(constant))?
}
