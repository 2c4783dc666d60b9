//! Loops that give a thread the same iterations run one after the other without a wait: what a thread takes for its part of all of
//! them is what counts. So they are put together, iteration by iteration, and simulated as one loop.

use ompchunk_analysis::profile::{Execution, Piece, Thread};

/// One loop of a group: its executions in their order, of which some cannot be used, and how often it ran.
#[derive(Debug)]
pub struct Member<'p> {
    /// All that were kept.
    pub executions: Vec<Option<&'p Execution>>,
    /// All that were complete.
    pub ran: u64,
}

/// Executions of the whole group: those of one member with the ones of the others that ran beside them. Empty: none fit together.
pub fn joined_executions(members: &[Member<'_>]) -> Vec<Execution> {
    let least = members.iter().map(|member| member.executions.len()).min();
    let most = members.iter().map(|member| member.ran).max().unwrap_or(0).max(1);
    let run = |number: usize| {
        let ones = members.iter().map(|member| {
            // Loops of a group run as often, as a rule, and then the same number is the same region.
            let place = number * member.executions.len() / least.unwrap_or(1).max(1);
            let execution = member.executions.get(place).copied().flatten()?;
            Some((execution, member.ran as f64 / most as f64))
        });
        joined(&ones.collect::<Option<Vec<_>>>()?)
    };
    (0..least.unwrap_or(0)).filter_map(run).collect()
}

/// One execution of all of them, each with how often it runs in one run of the group; none where they are not alike.
fn joined(parts: &[(&Execution, f64)]) -> Option<Execution> {
    let (first, _) = parts.first()?;
    let team = first.threads.len();
    let alike = |execution: &Execution| execution.trips == first.trips && execution.threads.len() == team;
    if !parts.iter().all(|(execution, _)| alike(execution)) {
        return None;
    }
    let threads: Vec<Thread> = (0..team).map(|thread| thread_of(parts, thread)).collect();
    Some(Execution {
        elapsed_ns: threads.iter().map(|thread| thread.ends_ns).fold(0.0, f64::max),
        threads,
        reading_ns: parts.iter().map(|(execution, _)| execution.reading_ns).fold(0.0, f64::max),
        divided: parts.iter().all(|(execution, _)| execution.divided),
        nested: parts.iter().any(|(execution, _)| execution.nested),
        first: parts.iter().any(|(execution, _)| execution.first),
        pieces: pieces(parts),
        ..Execution::clone(first)
    })
}

/// A thread's parts, one after the other.
fn thread_of(parts: &[(&Execution, f64)], thread: usize) -> Thread {
    let first = parts[0].0.threads[thread];
    let sum = |of: fn(&Thread) -> f64| -> f64 {
        parts.iter().map(|(execution, weight)| of(&execution.threads[thread]) * weight).sum()
    };
    Thread {
        ends_ns: first.arrives_ns + sum(|part| (part.ends_ns - part.arrives_ns).max(0.0)),
        taken_ns: sum(|part| part.taken_ns),
        ..first
    }
}

/// What iterations take in all of them: a piece wherever one of any begins.
fn pieces(parts: &[(&Execution, f64)]) -> Vec<Piece> {
    let mut ends: Vec<u64> = parts.iter().flat_map(|(execution, _)| execution.pieces.iter().map(Piece::end)).collect();
    ends.sort_unstable();
    ends.dedup();
    let mut places = vec![0; parts.len()];
    let mut first = 0;
    let mut found = Vec::with_capacity(ends.len());
    for end in ends {
        let mut piece = Piece { first, iterations: end - first, ns: 0.0, thread: Piece::SEVERAL, readings: 0 };
        for (number, ((execution, weight), place)) in parts.iter().zip(&mut places).enumerate() {
            while execution.pieces.get(*place).is_some_and(|own| own.end() <= first) {
                *place += 1;
            }
            let Some(own) = execution.pieces.get(*place) else {
                continue;
            };
            piece.ns += own.density() * piece.iterations as f64 * weight;
            piece.readings += if own.first == first { own.readings } else { 0 };
            piece.thread = match number {
                0 => own.thread,
                _ if own.thread == piece.thread => own.thread,
                _ => Piece::SEVERAL,
            };
        }
        found.push(piece);
        first = end;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two threads and so many pieces of equal length, each with what one of its iterations takes.
    fn execution(trips: u64, costs: &[f64]) -> Execution {
        let each = trips / costs.len() as u64;
        let half = costs.len().div_ceil(2);
        let piece = |(number, cost): (usize, &f64)| Piece {
            first: number as u64 * each,
            iterations: each,
            ns: each as f64 * cost,
            thread: (number / half) as u32,
            readings: 1,
        };
        let pieces: Vec<Piece> = costs.iter().enumerate().map(piece).collect();
        let of = |thread: u32| pieces.iter().filter(move |piece| piece.thread == thread);
        let thread = |thread: u32| Thread {
            thread,
            arrives_ns: 5.0,
            ends_ns: 5.0 + of(thread).map(|piece| piece.ns).sum::<f64>(),
            taken_ns: 1.0,
        };
        Execution { trips, threads: vec![thread(0), thread(1)], pieces, divided: true, ..Execution::default() }
    }

    fn member(executions: &[Execution]) -> Member<'_> {
        Member { executions: executions.iter().map(Some).collect(), ran: executions.len() as u64 }
    }

    #[test]
    fn what_one_gains_another_may_lose() {
        let (up, down) = ([execution(80, &[1.0, 2.0, 3.0, 4.0])], [execution(80, &[8.0, 2.0])]);
        let found = joined_executions(&[member(&up), member(&down)]);
        let [whole] = &found[..] else { panic!("{found:?}") };
        let ns: Vec<f64> = whole.pieces.iter().map(|piece| piece.ns).collect();
        assert_eq!(ns, [180.0, 200.0, 100.0, 120.0]);
        let threads: Vec<u32> = whole.pieces.iter().map(|piece| piece.thread).collect();
        assert_eq!(threads, [0, 0, 1, 1]);
        let readings: u64 = whole.pieces.iter().map(|piece| piece.readings).sum();
        assert_eq!((readings, whole.threads[0].taken_ns), (6, 2.0));
        assert_eq!((whole.threads[0].ends_ns, whole.elapsed_ns), (385.0, 385.0));
    }

    #[test]
    fn who_runs_half_as_often_counts_half() {
        let often = [execution(80, &[1.0, 1.0]), execution(80, &[1.0, 1.0])];
        let seldom = [execution(80, &[2.0, 2.0])];
        let found = joined_executions(&[member(&often), member(&seldom)]);
        let [whole] = &found[..] else { panic!("{found:?}") };
        assert_eq!(whole.pieces[0].ns, 40.0 + 80.0 / 2.0);
    }

    #[test]
    fn what_does_not_fit_is_left_out() {
        let (long, short) = ([execution(80, &[1.0, 1.0])], [execution(40, &[1.0, 1.0])]);
        assert_eq!(joined_executions(&[member(&long), member(&short)]), []);
        let unusable = Member { executions: vec![None], ran: 1 };
        assert_eq!(joined_executions(&[member(&long), unusable]), []);
        assert_eq!(joined_executions(&[]), []);
    }
}
