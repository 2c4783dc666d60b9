//! How much of one function may be ours.
//!
//! What is emitted for a loop where it stands is optimized with the function, and LLVM's time grows with its size. A
//! function with many loops therefore has room for so much; the code of the loops beyond is shared.

use crate::plan::{Facts, LARGEST_COPY, Plan, Why};

/// What is added to a loop in line, without a copy, in IR instructions: 100 to 165 before they are optimized, with what runs
/// it under another schedule, in more blocks than the user's code has.
const IN_LINE: usize = 250;

/// A function with more loops has no room: the few with code in line would be chance, and the compiler's time is what counts there.
const MOST_LOOPS: usize = 48;

/// Where the code for a loop stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Code {
    /// In the function.
    InLine,
    /// In functions that all loops of the module share, but for a test and a call at each place.
    Shared,
}

/// The room that is left in a function.
pub struct Budget(usize);

impl Budget {
    /// For a function with so many loops, which may have copies of that size: room for one.
    pub fn new(largest_copy: usize, loops: usize) -> Budget {
        match loops {
            0..=MOST_LOOPS => Budget(largest_copy.max(LARGEST_COPY).saturating_add(IN_LINE)),
            _ => Budget(0),
        }
    }

    /// Decides for the next loop of the function.
    pub fn plan(&mut self, facts: &Facts) -> (Plan, Code) {
        let plan = Plan::of(facts);
        if facts.unoptimized || facts.counted {
            return (plan, Code::InLine);
        }
        let copy = match plan {
            Plan::TwoCopies => facts.instructions,
            _ => 0,
        };
        match self.0.checked_sub(copy + IN_LINE) {
            Some(left) => {
                self.0 = left;
                (plan, Code::InLine)
            }
            None if plan == Plan::TwoCopies => (Plan::TestedFlag(Why::ManyLoops), Code::Shared),
            None => (plan, Code::Shared),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: Facts = Facts {
        chunked: true,
        unoptimized: false,
        for_size: false,
        counted: false,
        obstacle: None,
        instructions: 100,
        largest_copy: LARGEST_COPY,
    };

    fn plans(facts: Facts, largest_copy: usize, loops: usize) -> Vec<(Plan, Code)> {
        let mut budget = Budget::new(largest_copy, loops);
        (0..loops).map(|_| budget.plan(&facts)).collect()
    }

    #[test]
    fn the_first_loops_get_copies_and_the_rest_share_code() {
        let plans = plans(SMALL, LARGEST_COPY, MOST_LOOPS);
        let many = (Plan::TestedFlag(Why::ManyLoops), Code::Shared);
        assert_eq!(plans[..6], [(Plan::TwoCopies, Code::InLine); 6]);
        assert_eq!(plans[6..], [many; MOST_LOOPS - 6]);
    }

    #[test]
    fn of_very_many_loops_all_share_code() {
        let many = (Plan::TestedFlag(Why::ManyLoops), Code::Shared);
        let plans = plans(SMALL, LARGEST_COPY, MOST_LOOPS + 1);
        assert_eq!(plans, [many; MOST_LOOPS + 1]);
    }

    #[test]
    fn a_range_keeps_its_form() {
        let range = Facts { chunked: false, ..SMALL };
        let plans = plans(range, LARGEST_COPY, MOST_LOOPS);
        assert_eq!(plans[..9], [(Plan::OneChunk, Code::InLine); 9]);
        assert_eq!(plans[9..], [(Plan::OneChunk, Code::Shared); MOST_LOOPS - 9]);
    }

    #[test]
    fn one_loop_of_any_size_that_may_be_copied_is() {
        for largest_copy in [LARGEST_COPY, 100_000] {
            let large = Facts { instructions: largest_copy, largest_copy, ..SMALL };
            assert_eq!(plans(large, largest_copy, 1), [(Plan::TwoCopies, Code::InLine)]);
        }
    }

    #[test]
    fn without_copies_the_first_loops_have_their_code_in_line() {
        let none = Facts { largest_copy: 0, ..SMALL };
        let large = Plan::TestedFlag(Why::Large);
        let plans = plans(none, 0, 27);
        assert_eq!(plans[8], (large, Code::InLine));
        assert_eq!(plans[9], (large, Code::Shared));
    }

    #[test]
    fn what_is_not_optimized_or_counted_never_shares() {
        for facts in [Facts { unoptimized: true, ..SMALL }, Facts { counted: true, ..SMALL }] {
            let plans = plans(facts, LARGEST_COPY, 100);
            assert!(plans.iter().all(|(_, code)| *code == Code::InLine));
        }
    }
}
