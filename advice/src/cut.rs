//! Chunks of the source, whose iterations one thread runs in order: a program may rely on that, and another schedule may cut them.

use ompchunk_analysis::profile::Facts;

use crate::schedule::{DYNAMIC, GUIDED, Kind, MONOTONIC, NONMONOTONIC, STATIC_CHUNKED, Schedule};

/// What is said of a schedule that cuts chunks of the source, or may. `None`: it cuts none.
pub(crate) fn cuts(facts: &Facts, schedule: Schedule) -> Option<String> {
    let kind = facts.schedule & !(MONOTONIC | NONMONOTONIC);
    if !matches!(kind, STATIC_CHUNKED | DYNAMIC | GUIDED) {
        return None;
    }
    let Some(written) = facts.chunk else {
        return Some("it may cut the source's chunks, whose size the program computes".to_owned());
    };
    let written = written.max(1).unsigned_abs();
    let fits = match (schedule.kind, schedule.chunk) {
        (Kind::Guided, _) | (_, None) => written == 1,
        (Kind::Static | Kind::Dynamic, Some(chunk)) => chunk % written == 0,
    };
    (!fits).then(|| format!("it cuts the source's chunks of {written} iterations"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn multiples_cut_nothing() {
        let of = |schedule, chunk| Facts { schedule, chunk, ..Facts::default() };
        let chunks = Schedule::of(Kind::Dynamic, 64);
        for kind in [STATIC_CHUNKED, DYNAMIC | NONMONOTONIC, GUIDED] {
            for (written, wanted) in [(1, None), (32, None), (100, Some("of 100 iterations"))] {
                let said = cuts(&of(kind, Some(written)), chunks);
                assert_eq!(said.is_some(), wanted.is_some(), "{kind} {written}");
                assert!(said.unwrap_or_default().ends_with(wanted.unwrap_or("")));
            }
            assert!(cuts(&of(kind, None), chunks).is_some());
            for anywhere in [Schedule::STATIC, Schedule::of(Kind::Guided, 64)] {
                assert!(cuts(&of(kind, Some(32)), anywhere).is_some());
                assert!(cuts(&of(kind, Some(1)), anywhere).is_none());
            }
        }
        for kind in [34, 37, 38] {
            assert!(cuts(&of(kind, None), chunks).is_none());
        }
    }
}
