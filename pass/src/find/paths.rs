//! The ways on from an instruction.

use std::collections::HashSet;

use crate::llvm::{Block, Value};

/// What to do at an instruction of a way.
pub enum Go<T = ()> {
    /// Past it.
    On,
    /// No further on this way.
    Back,
    /// No further on any: this is the answer.
    Home(T),
}

/// Goes along every way on from `from` and shows `visit` what it passes. Each block is entered once, and none
/// that is `seen` already.
pub fn follow<T>(
    from: Value,
    mut seen: HashSet<Block>,
    mut visit: impl FnMut(Value) -> Go<T>,
) -> Option<T> {
    let mut work: Vec<Value> = from.next().into_iter().collect();
    'ways: while let Some(start) = work.pop() {
        for current in std::iter::successors(Some(start), |value| value.next()) {
            match visit(current) {
                Go::On => {}
                Go::Back => continue 'ways,
                Go::Home(answer) => return Some(answer),
            }
        }
        let successors = start.block().map(Block::successors).unwrap_or_default();
        for successor in successors {
            if seen.insert(successor) {
                work.extend(successor.first());
            }
        }
    }
    None
}
