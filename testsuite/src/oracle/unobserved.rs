//! Loops whose bodies tell the oracle nothing: so that the optimiser is free to change them, or because
//! their chunks run as loops of regions inside, whose iterations are judged there.
//!
//! Their events are judged as if what they announce had run: then they must still be disjoint, in
//! order, cover the iteration space the runtime was told of, and flag the last chunk.

use super::execution::{Execution, UNKNOWN_LOOP};
use super::expected::Expected;
use crate::log::{Entry, Iteration};

/// Inserts the announced iterations after each chunk's events.
pub fn believe(execution: &mut Execution, expected: &Expected) {
    if !execution.is_loop && !execution.is_told_sections() {
        return;
    }
    let events_per_chunk = usize::from(expected.dispatch) + usize::from(expected.chunk);
    let mut believed = Vec::new();
    execution.entries.retain(|entry| !matches!(entry, Entry::Variable(_)));
    for events in execution.entries.chunks(events_per_chunk.max(1)) {
        believed.extend_from_slice(events);
        let announced = match events.last() {
            Some(Entry::Chunk(chunk)) => chunk.lower..=chunk.upper,
            Some(Entry::Dispatch(dispatch)) if dispatch.iterations > 0 => {
                dispatch.start..=dispatch.start + (dispatch.iterations - 1)
            }
            _ => continue,
        };
        // A range beyond the loop is wrong, and need not be believed to its end to be found out.
        let within = announced.take_while(|index| *index <= execution.trip);
        believed.extend(within.map(|index| {
            Entry::Iteration(Iteration { the_loop: UNKNOWN_LOOP, index, trip: execution.trip, value: None })
        }));
    }
    execution.entries = believed;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::log::{Chunk, Datum, Dispatch, Log};
    use crate::oracle::judge;

    fn thread(thread: u64, chunks: &[(u64, u64)]) -> Vec<Entry> {
        let task = Datum { value: 10 + thread, address: 1 };
        let parallel = Datum { value: 1, address: 2 };
        let mut entries = vec![
            Entry::TaskBegin { task, parallel, initial: false },
            Entry::WorkBegin { kind: 10, parallel: 1, task: task.value, trip: 10, codeptr: 0 },
        ];
        for (number, &(lower, upper)) in chunks.iter().enumerate() {
            let is_last = u64::from(number + 1 == chunks.len());
            let iterations = upper - lower + 1;
            entries.push(Entry::Dispatch(Dispatch { kind: 3, parallel, task, start: lower, iterations }));
            entries.push(Entry::Chunk(Chunk { task, lower, upper, is_last, duration: 1.0 }));
        }
        entries.extend([Entry::WorkEnd { kind: 10 }, Entry::TaskEnd { task: task.value }]);
        entries
    }

    fn violations(threads: Vec<Vec<Entry>>) -> usize {
        let log = Log { threads, ..Log::default() };
        judge(&log, &Expected { unobserved: true, loops: false, ..Expected::all_events() }).violations.len()
    }

    #[test]
    fn events_alone_are_judged() {
        let other = || thread(1, &[(4, 7)]);
        assert_eq!(violations(vec![thread(0, &[(0, 3), (8, 9)]), other()]), 0);
        assert_ne!(violations(vec![thread(0, &[(0, 3), (8, 11)]), other()]), 0, "not clamped");
        assert_ne!(violations(vec![thread(0, &[(0, 3)]), other()]), 0, "a chunk is missing");
        assert_ne!(violations(vec![thread(0, &[(0, 4), (8, 9)]), other()]), 0, "overlapping");
        assert_ne!(violations(vec![thread(0, &[(8, 9), (0, 3)]), other()]), 0, "out of order");
    }
}
