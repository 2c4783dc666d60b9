//! Sub-blocks: are those of a chunk all of it, one after the other, and does each run before the next?
//!
//! Judged before everything else, and then taken away: the rest of a log must be what it is without.

use super::expected::Expected;
use super::violation::Verdict;
use super::violation::{Violation, What};
use crate::log::{Entry, Iteration, SubBlock};

/// A chunk that is run in sub-blocks.
struct Open {
    the_loop: Option<u64>,
    parallel: u64,
    task: u64,
    /// Where the next sub-block must begin, and how many iterations are left for it and those after it.
    next: u64,
    rest: Option<u64>,
    /// The next iteration of the sub-block that runs, and how many are left.
    index: u64,
    left: u64,
    is_over: bool,
}

/// What the events before a chunk's first sub-block said of the chunk.
#[derive(Clone, Copy)]
struct Announced {
    parallel: Option<u64>,
    task: u64,
    lower: u64,
    iterations: u64,
}

/// Judges one thread's log and gives it without its sub-blocks.
pub fn take_away(thread: usize, entries: &[Entry], expected: &Expected, verdict: &mut Verdict) -> Vec<Entry> {
    let mut open: Vec<Open> = Vec::new();
    let mut announced: Option<Announced> = None;
    let mut rest = Vec::new();
    for entry in entries {
        let mut wrong = |the_loop, what: String| {
            verdict.violations.push(Violation { thread, the_loop, what: What::SubBlock(what) })
        };
        match entry {
            Entry::Dispatch(_) | Entry::Chunk(_) => announced = announced_by(entry, announced),
            Entry::SubBlock(block) => {
                begin(block, announced.take(), expected.unobserved, &mut open, &mut wrong);
                verdict.sub_blocks += 1;
                continue;
            }
            Entry::Iteration(iteration) if !expected.unobserved => {
                announced = None;
                run(iteration, expected, &mut open, &mut wrong);
            }
            _ => {}
        }
        rest.push(*entry);
    }
    let stopped = open.iter().filter(|chunk| !chunk.may_stop(expected));
    verdict.violations.extend(stopped.map(|chunk| chunk.stopped(thread)));
    rest
}

/// What an event says of the chunk that comes; of the team, what the event before said.
fn announced_by(entry: &Entry, before: Option<Announced>) -> Option<Announced> {
    match entry {
        Entry::Dispatch(dispatch) => Some(Announced {
            parallel: Some(dispatch.parallel.value),
            task: dispatch.task.value,
            lower: dispatch.start,
            iterations: dispatch.iterations,
        }),
        Entry::Chunk(chunk) => Some(Announced {
            parallel: before.and_then(|before| before.parallel),
            task: chunk.task.value,
            lower: chunk.lower,
            iterations: chunk.upper.wrapping_sub(chunk.lower).wrapping_add(1),
        }),
        _ => before,
    }
}

impl Announced {
    /// Whether a sub-block can be the chunk's first.
    fn begins_with(&self, block: &SubBlock) -> bool {
        self.lower == block.lower
            && self.task == block.task
            && self.parallel.is_none_or(|parallel| parallel == block.parallel)
    }
}

impl Open {
    fn new(block: &SubBlock, announced: Option<Announced>) -> Open {
        Open {
            the_loop: None,
            parallel: block.parallel,
            task: block.task,
            next: block.lower,
            rest: announced.map(|announced| announced.iterations),
            index: block.lower,
            left: 0,
            is_over: false,
        }
    }

    /// Whether a sub-block is the next one.
    fn goes_on_with(&self, block: &SubBlock) -> bool {
        let is_of_this = self.task == block.task && self.parallel == block.parallel;
        is_of_this && self.next == block.lower && self.left == 0 && !self.is_over
    }

    /// Whether all of it ran, or its loop is one that is cancelled.
    fn may_stop(&self, expected: &Expected) -> bool {
        let is_cancelled = |the_loop| expected.cancelled.contains(&the_loop);
        self.the_loop.is_some_and(is_cancelled) || (self.left == 0 && self.is_over)
    }

    fn stopped(&self, thread: usize) -> Violation {
        Violation {
            thread,
            the_loop: self.the_loop,
            what: What::SubBlock(format!(
                "a chunk ends at iteration {}, with {} left of its last sub-block",
                self.index, self.left
            )),
        }
    }
}

fn begin(
    block: &SubBlock,
    announced: Option<Announced>,
    unobserved: bool,
    open: &mut Vec<Open>,
    wrong: &mut impl FnMut(Option<u64>, String),
) {
    if block.iterations == 0 {
        wrong(None, format!("{block:?} has no iteration"));
    }
    open.retain(|chunk| chunk.left > 0 || !chunk.is_over);
    if block.flags & 1 != 0 {
        if announced.is_some_and(|announced| !announced.begins_with(block)) {
            let says = format!("{block:?} is not the first of the chunk before it");
            wrong(None, says);
        }
        open.push(Open::new(block, announced));
    } else if announced.is_some() {
        let says = format!("{block:?} follows the events of a chunk, and is not its first");
        wrong(None, says);
    }
    let Some(chunk) = open.last_mut() else {
        return wrong(None, format!("{block:?} is of no chunk"));
    };
    if !chunk.goes_on_with(block) {
        let says = format!("{block:?} does not follow the one before it");
        wrong(chunk.the_loop, says);
    }
    // Where the program says nothing of its iterations, none is waited for.
    chunk.index = block.lower;
    chunk.left = if unobserved { 0 } else { block.iterations };
    chunk.next = block.lower.wrapping_add(block.iterations);
    chunk.is_over = block.flags & 2 != 0;
    if let Some(rest) = &mut chunk.rest {
        match rest.checked_sub(block.iterations) {
            Some(less) if chunk.is_over == (less == 0) => *rest = less,
            _ => {
                let says = format!("{block:?} of {rest} iterations that are left");
                wrong(chunk.the_loop, says);
            }
        }
    }
}

fn run(iteration: &Iteration, expected: &Expected, open: &mut [Open], wrong: &mut impl FnMut(Option<u64>, String)) {
    let the_loop = iteration.the_loop;
    if expected.unjudged.contains(&the_loop) {
        return;
    }
    // Another of the same loop may have run in an iteration of this one.
    let is_of_loop = |chunk: &&mut Open| {
        let is_over = chunk.left == 0 && chunk.is_over;
        !is_over && chunk.the_loop.is_none_or(|of| of == the_loop)
    };
    let Some(chunk) = open.iter_mut().rev().find(is_of_loop) else {
        return;
    };
    if chunk.left == 0 {
        return wrong(chunk.the_loop, format!("{iteration:?} is in no sub-block"));
    }
    chunk.the_loop = Some(the_loop);
    if chunk.index != iteration.index {
        let says = format!("{iteration:?} instead of {}", chunk.index);
        wrong(chunk.the_loop, says);
    }
    chunk.index = iteration.index.wrapping_add(1);
    chunk.left -= 1;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::log::{Datum, Dispatch};

    fn dispatch(start: u64, iterations: u64) -> Entry {
        let datum = |value| Datum { value, address: 0 };
        Entry::Dispatch(Dispatch { kind: 3, parallel: datum(1), task: datum(2), start, iterations })
    }

    fn sub_block(lower: u64, iterations: u64, flags: u64) -> Entry {
        Entry::SubBlock(SubBlock { parallel: 1, task: 2, lower, iterations, flags })
    }

    fn ran(index: u64) -> Entry {
        Entry::Iteration(Iteration { the_loop: 5, index, trip: 9, value: None })
    }

    /// A chunk of three iterations in two sub-blocks.
    fn right() -> Vec<Entry> {
        vec![dispatch(4, 3), sub_block(4, 2, 1), ran(4), ran(5), sub_block(6, 1, 2), ran(6)]
    }

    fn violations(entries: &[Entry]) -> usize {
        let mut verdict = Verdict::default();
        take_away(0, entries, &Expected::all_events(), &mut verdict);
        verdict.violations.len()
    }

    #[test]
    fn what_is_right_is_right() {
        let mut verdict = Verdict::default();
        let rest = take_away(0, &right(), &Expected::all_events(), &mut verdict);
        assert_eq!((rest.len(), verdict.sub_blocks), (4, 2));
        assert_eq!(verdict.violations, []);
        // Having no sub-blocks is right, too.
        assert_eq!(violations(&[dispatch(4, 2), ran(4), ran(5)]), 0);
    }

    #[test]
    fn each_change_is_wrong() {
        for wrong in [
            (0, dispatch(4, 4)),
            (0, dispatch(3, 3)),
            (1, sub_block(4, 1, 1)),
            (1, sub_block(4, 3, 1)),
            (1, sub_block(4, 2, 0)),
            (1, sub_block(4, 2, 3)),
            (2, ran(5)),
            (3, ran(4)),
            (4, sub_block(7, 1, 2)),
            (4, sub_block(6, 1, 0)),
            (4, sub_block(6, 1, 3)),
            (4, sub_block(6, 0, 2)),
        ] {
            let mut entries = right();
            entries[wrong.0] = wrong.1;
            assert!(violations(&entries) > 0, "{wrong:?}");
        }
        for missing in 1..6 {
            let mut entries = right();
            entries.remove(missing);
            assert!(violations(&entries) > 0, "without entry {missing}");
        }
    }
}
