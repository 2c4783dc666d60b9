//! Sub-blocks: are those of a chunk all of it, one after the other, and does each run before the next?
//!
//! Judged before everything else, and then taken away: the rest of a log must be what it is without.

use super::expected::Expected;
use super::verdict::Verdict;
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
    /// Of the sub-block that runs: the next iteration, and how many.
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
pub fn take_away(
    thread: usize,
    entries: &[Entry],
    expected: &Expected,
    verdict: &mut Verdict,
) -> Vec<Entry> {
    let mut open: Vec<Open> = Vec::new();
    let mut announced: Option<Announced> = None;
    let mut rest = Vec::new();
    for entry in entries {
        let mut wrong = |the_loop, what: String| {
            verdict.violations.push(Violation {
                thread,
                the_loop,
                what: What::SubBlock(what),
            })
        };
        match entry {
            Entry::Dispatch(it) => {
                announced = Some(Announced {
                    parallel: Some(it.parallel.value),
                    task: it.task.value,
                    lower: it.start,
                    iterations: it.iterations,
                });
            }
            Entry::Chunk(it) => {
                announced = Some(Announced {
                    parallel: announced.and_then(|it| it.parallel),
                    task: it.task.value,
                    lower: it.lower,
                    iterations: it.upper.wrapping_sub(it.lower).wrapping_add(1),
                });
            }
            Entry::SubBlock(it) => {
                begin(
                    it,
                    announced.take(),
                    expected.unobserved,
                    &mut open,
                    &mut wrong,
                );
                verdict.sub_blocks += 1;
                continue;
            }
            Entry::Iteration(it) if !expected.unobserved => {
                announced = None;
                run(it, expected, &mut open, &mut wrong);
            }
            _ => {}
        }
        rest.push(*entry);
    }
    for chunk in &open {
        let may_stop = chunk
            .the_loop
            .is_some_and(|it| expected.cancelled.contains(&it));
        if !may_stop && (chunk.left > 0 || !chunk.is_over) {
            verdict.violations.push(Violation {
                thread,
                the_loop: chunk.the_loop,
                what: What::SubBlock(format!(
                    "a chunk ends at iteration {}, with {} left of its last sub-block",
                    chunk.index, chunk.left
                )),
            });
        }
    }
    rest
}

fn begin(
    it: &SubBlock,
    announced: Option<Announced>,
    unobserved: bool,
    open: &mut Vec<Open>,
    wrong: &mut impl FnMut(Option<u64>, String),
) {
    if it.iterations == 0 {
        wrong(None, format!("{it:?} has no iteration"));
    }
    open.retain(|chunk| chunk.left > 0 || !chunk.is_over);
    if it.flags & 1 != 0 {
        if let Some(announced) = announced {
            let same = announced.lower == it.lower
                && announced.task == it.task
                && announced
                    .parallel
                    .is_none_or(|parallel| parallel == it.parallel);
            if !same {
                wrong(
                    None,
                    format!("{it:?} is not the first of the chunk before it"),
                );
            }
        }
        open.push(Open {
            the_loop: None,
            parallel: it.parallel,
            task: it.task,
            next: it.lower,
            rest: announced.map(|announced| announced.iterations),
            index: it.lower,
            left: 0,
            is_over: false,
        });
    } else if announced.is_some() {
        wrong(
            None,
            format!("{it:?} follows the events of a chunk, and is not its first"),
        );
    }
    let Some(chunk) = open.last_mut() else {
        return wrong(None, format!("{it:?} is of no chunk"));
    };
    let of_this = chunk.task == it.task && chunk.parallel == it.parallel;
    if !of_this || chunk.next != it.lower || chunk.left > 0 || chunk.is_over {
        wrong(
            chunk.the_loop,
            format!("{it:?} does not follow the one before it"),
        );
    }
    // Where the program says nothing of its iterations, none is waited for.
    chunk.index = it.lower;
    chunk.left = if unobserved { 0 } else { it.iterations };
    chunk.next = it.lower.wrapping_add(it.iterations);
    chunk.is_over = it.flags & 2 != 0;
    if let Some(rest) = &mut chunk.rest {
        match rest.checked_sub(it.iterations) {
            Some(less) if chunk.is_over == (less == 0) => *rest = less,
            _ => wrong(
                chunk.the_loop,
                format!("{it:?} of {rest} iterations that are left"),
            ),
        }
    }
}

fn run(
    it: &Iteration,
    expected: &Expected,
    open: &mut [Open],
    wrong: &mut impl FnMut(Option<u64>, String),
) {
    if expected.unjudged.contains(&it.the_loop) {
        return;
    }
    // Another of the same loop may have run in an iteration of this one.
    let of_it = |chunk: &&mut Open| {
        let is_over = chunk.left == 0 && chunk.is_over;
        !is_over && chunk.the_loop.is_none_or(|of| of == it.the_loop)
    };
    let Some(chunk) = open.iter_mut().rev().find(of_it) else {
        return;
    };
    if chunk.left == 0 {
        return wrong(chunk.the_loop, format!("{it:?} is in no sub-block"));
    }
    chunk.the_loop = Some(it.the_loop);
    if chunk.index != it.index {
        wrong(chunk.the_loop, format!("{it:?} instead of {}", chunk.index));
    }
    chunk.index = it.index.wrapping_add(1);
    chunk.left -= 1;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::log::{Datum, Dispatch};

    fn dispatch(start: u64, iterations: u64) -> Entry {
        let datum = |value| Datum { value, address: 0 };
        Entry::Dispatch(Dispatch {
            kind: 3,
            parallel: datum(1),
            task: datum(2),
            start,
            iterations,
        })
    }

    fn sub_block(lower: u64, iterations: u64, flags: u64) -> Entry {
        Entry::SubBlock(SubBlock {
            parallel: 1,
            task: 2,
            lower,
            iterations,
            flags,
        })
    }

    fn ran(index: u64) -> Entry {
        Entry::Iteration(Iteration {
            the_loop: 5,
            index,
            trip: 9,
            value: None,
        })
    }

    /// A chunk of three iterations in two sub-blocks.
    fn right() -> Vec<Entry> {
        vec![
            dispatch(4, 3),
            sub_block(4, 2, 1),
            ran(4),
            ran(5),
            sub_block(6, 1, 2),
            ran(6),
        ]
    }

    fn violations(entries: &[Entry]) -> usize {
        let mut verdict = Verdict::default();
        take_away(0, entries, &Expected::default(), &mut verdict);
        verdict.violations.len()
    }

    #[test]
    fn what_is_right_is_right() {
        let mut verdict = Verdict::default();
        let rest = take_away(0, &right(), &Expected::default(), &mut verdict);
        assert_eq!((rest.len(), verdict.sub_blocks), (4, 2));
        assert_eq!(verdict.violations, []);
        // No sub-blocks are right, too.
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
