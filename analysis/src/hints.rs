//! What the numbers of a loop suggest: few, and each only where the numbers leave no other reading.

use crate::metrics::balance;
use crate::model::{LoopReport, Note};

/// From here on an efficiency is acceptable, as the POP project has it.
const ACCEPTABLE: f64 = 0.8;
/// Bookkeeping that is worth a larger chunk.
const MUCH: f64 = 0.05;
/// Less than this of the time is not worth another schedule.
const WORTHWHILE: f64 = 0.05;
/// Iterations that are dealt evenly.
const EVEN: f64 = 0.95;

pub(crate) fn of(it: &LoopReport) -> Vec<Note> {
    let mut hints = Vec::new();
    let mut hint = |code, text: String| hints.push(Note { code, text });
    let metrics = &it.metrics;
    let balanced = metrics.load_balance.or(it.total_load_balance);
    let static_schedule = it
        .identity
        .schedule
        .as_deref()
        .is_some_and(|it| it.contains("static"));
    // Where a thread comes late, the others have run all chunks: what looks like balance is not the schedule's.
    let worthwhile = metrics.imbalance_seconds >= WORTHWHILE * metrics.seconds;
    let unbalanced = balanced.is_some_and(|it| it < ACCEPTABLE) && worthwhile;
    if it.chunks_complete && unbalanced && it.threads.len() > 1 {
        let iterations = balance(it.threads.iter().map(|it| it.iterations as f64));
        let [_, team] = it.team_size.unwrap_or([0, it.threads.len() as u32]);
        let per_execution =
            it.chunks as f64 / (it.executions + it.counted_executions).max(1) as f64;
        let together = it.total_load_balance.filter(|it| *it >= ACCEPTABLE);
        let single = it.threads.iter().map(|it| it.iterations).sum::<u64>() == it.chunks;
        let most = it.trip_count.map(|[_, high]| high);
        if let Some(most) = most.filter(|most| single && *most <= u64::from(team)) {
            hint(
                "few-iterations",
                format!(
                    "{most} iterations for {team} threads, which differ in cost: no schedule deals them out \
                     better, what an iteration does must"
                ),
            );
        } else if let Some(together) = together.filter(|_| it.executions > 1) {
            hint(
                "changing-threads",
                format!(
                    "each run waits for a slow thread, but not always the same one (balance over all runs \
                     together {:.0} %): rather other work on the machine, or data that move, than the schedule",
                    together * 100.0
                ),
            );
        } else if iterations.is_some_and(|it| it >= EVEN) && static_schedule {
            hint(
                "uneven-cost",
                "threads get the same number of iterations, but iterations differ in cost: \
                 a smaller chunk, or schedule(dynamic), deals them out better"
                    .to_owned(),
            );
        } else if per_execution < f64::from(team) * 2.0 {
            hint(
                "few-chunks",
                format!(
                    "{per_execution:.1} chunks for {team} threads: a smaller chunk deals them out better"
                ),
            );
        } else if iterations.is_some_and(|it| it < EVEN) && static_schedule {
            hint(
                "uneven-count",
                "threads get different numbers of iterations: a smaller chunk deals them out better"
                    .to_owned(),
            );
        }
    }
    if let Some(share) = it.bookkeeping_share.filter(|share| *share > MUCH) {
        hint(
            "small-chunks",
            format!(
                "{:.0} % of the work is bookkeeping between chunks: a larger chunk saves it",
                share * 100.0
            ),
        );
    }
    let late = metrics
        .communication_efficiency
        .filter(|it| *it < ACCEPTABLE);
    if let Some(efficiency) = late {
        hint(
            "late-threads",
            format!(
                "even the busiest thread works {} of the time: threads come late to the loop, or \
                 it is too short for its team",
                match efficiency {
                    ..0.01 => "less than 1 %".to_owned(),
                    _ => format!("only {:.0} %", efficiency * 100.0),
                }
            ),
        );
    }
    hints
}
