//! Which of both a loop loses by with more threads: that its iterations get more expensive, or that its threads wait. Said only as far as all
//! rounds agree.

use ompchunk_figures::Interval;
use serde::Serialize;

use super::curve::{BUSY, Losses, Unit};
use super::sentence::{Answer, Cause, MATTERS, Sentence};

/// Fewer rounds agree by chance.
const FEWEST: usize = 3;

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Verdict {
    pub threads: [u32; 2],
    /// Its iterations take more useful time than with the smaller team.
    pub dearer: Answer,
    /// Its threads wait for a part of its time.
    pub waits: Answer,
    /// What of both costs more; `None`: neither matters, or the rounds do not agree.
    pub dominates: Option<Cause>,
    pub says: String,
}

/// Judges what a loop loses. `None`: too few rounds to say anything.
/// `dealt`: the runtime deals chunks.
pub fn verdict(losses: &Losses, unit: Unit, dealt: bool) -> Option<Verdict> {
    if losses.rounds < FEWEST {
        return None;
    }
    // Threads that seldom have cores at the same time do not get in each other's way: on a busy machine nothing is ruled out.
    let is_busy = losses.taken.is_some_and(|taken| taken >= BUSY);
    let sure = |answer: Answer| match answer {
        Answer::No if is_busy => Answer::Open,
        answer => answer,
    };
    let waits = sure(answer(&losses.waiting, MATTERS));
    let dearer = match sure(answer(&losses.inflation, 1.0 + MATTERS)) {
        // What other programs took may be in the work.
        Answer::Yes if losses.taken.is_none() => Answer::Open,
        answer => answer,
    };
    let matters = [dearer, waits].contains(&Answer::Yes);
    let dominates = match matters {
        true if dearer == Answer::Yes && losses.difference.is_above(0.0) => Some(Cause::Dearer),
        true if waits == Answer::Yes && losses.difference.is_below(0.0) => Some(Cause::Waiting),
        _ => None,
    };
    Some(Verdict {
        threads: losses.threads,
        dearer,
        waits,
        dominates,
        says: Sentence { losses, unit, dealt }.text(dominates, [dearer, waits]),
    })
}

fn answer(range: &Interval, limit: f64) -> Answer {
    match range {
        range if range.is_above(limit) => Answer::Yes,
        range if range.is_below(limit) => Answer::No,
        _ => Answer::Open,
    }
}
