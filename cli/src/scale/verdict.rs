//! Which of both a loop loses by with more threads: that its iterations get dearer, or that its threads wait. Said only as far as all
//! rounds agree; of what makes iterations dearer the numbers allow several causes, so all are named and none is claimed.

use serde::Serialize;

use super::curve::{BUSY, Losses, Unit};
use super::range::Range;

/// Fewer rounds agree by chance.
const FEWEST: usize = 3;
/// Less is not worth a sentence, and noise on most machines.
const MATTERS: f64 = 0.05;

/// What can make iterations dearer when others run beside them.
const CAUSES: &str = "false sharing, memory bandwidth, a shared cache, memory that another thread touched first, locks or atomic operations in \
                      the loop's body, or cores that run slower when others are busy";

/// What all rounds agree on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Answer {
    Yes,
    No,
    /// They do not.
    Open,
}

/// What a loop loses by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Cause {
    Dearer,
    Waiting,
}

/// What is said of a loop.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Verdict {
    /// The teams that are compared.
    pub threads: [u32; 2],
    /// Its iterations take more useful time than with the smaller team.
    pub dearer: Answer,
    /// Its threads wait for a part of its time.
    pub waits: Answer,
    /// What of both costs more; `None`: neither matters, or the rounds do not agree.
    pub dominates: Option<Cause>,
    /// In a sentence.
    pub says: String,
}

/// Of what a loop loses. `None`: too few rounds to say anything.
pub fn verdict(losses: &Losses, unit: Unit) -> Option<Verdict> {
    if losses.rounds < FEWEST {
        return None;
    }
    // Threads that seldom have cores at the same time do not get in each other's way: on a busy machine nothing is ruled out.
    let is_busy = losses.taken.is_some_and(|it| it >= BUSY);
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
    let says = match dominates {
        Some(Cause::Dearer) => says_dearer(losses, unit, waits),
        Some(Cause::Waiting) => says_waiting(losses, unit, dearer),
        None => says_neither(losses, unit, [dearer, waits]),
    };
    Some(Verdict {
        threads: losses.threads,
        dearer,
        waits,
        dominates,
        says: says + &cores(losses),
    })
}

fn answer(range: &Range, limit: f64) -> Answer {
    match range {
        it if it.is_above(limit) => Answer::Yes,
        it if it.is_below(limit) => Answer::No,
        _ => Answer::Open,
    }
}

fn says_dearer(losses: &Losses, unit: Unit, waits: Answer) -> String {
    let waits = match waits {
        Answer::Yes => format!("; its threads wait, too: {}", waiting(losses)),
        _ => String::new(),
    };
    format!(
        "its iterations get dearer: {}, and that costs more than waiting{waits}. Possible are {CAUSES}",
        work(losses, unit)
    )
}

fn says_waiting(losses: &Losses, unit: Unit, dearer: Answer) -> String {
    let dearer = match dearer {
        Answer::Yes => format!(
            "its iterations get dearer, too ({}). Possible are {CAUSES}",
            work(losses, unit)
        ),
        Answer::No => format!("its iterations do not get dearer ({})", work(losses, unit)),
        Answer::Open => format!(
            "whether its iterations get dearer is not certain ({})",
            work(losses, unit)
        ),
    };
    format!("its threads wait: {}; {dearer}", waiting(losses))
}

fn says_neither(losses: &Losses, unit: Unit, answers: [Answer; 2]) -> String {
    let numbers = format!(
        "{}; its threads wait for {}",
        work(losses, unit),
        share(&losses.waiting)
    );
    match answers {
        [Answer::No, Answer::No] if losses.inflation.is_below(1.0 - MATTERS) => format!(
            "its iterations get cheaper: {numbers}. Possible is that a thread's smaller part fits into its cache"
        ),
        [Answer::No, Answer::No] => format!("it scales: {numbers}"),
        [Answer::Yes, Answer::Yes] => format!(
            "both: its iterations get dearer and its threads wait, and which costs more is not certain: {numbers}. What can make iterations \
             dearer: {CAUSES}"
        ),
        [Answer::Yes, _] => format!(
            "its iterations get dearer, and whether that costs more than waiting is not certain: {numbers}. Possible are {CAUSES}"
        ),
        [_, Answer::Yes] => format!(
            "its threads wait, and whether that costs more than dearer iterations is not certain: {numbers}"
        ),
        _ => format!(
            "nothing is certain: {numbers}. More runs (--runs) or a quieter machine tell more"
        ),
    }
}

fn work(losses: &Losses, unit: Unit) -> String {
    let [base, threads] = losses.threads;
    let what = match unit {
        Unit::Iteration => "the work per iteration",
        Unit::Run | Unit::Nothing => "the work",
    };
    format!(
        "with {threads} threads {} times {what} of {base}",
        times(&losses.inflation)
    )
}

/// How much, and where most of it is.
fn waiting(losses: &Losses) -> String {
    let all = format!("{} of their time", share(&losses.waiting));
    match losses.imbalance {
        it if it.low > losses.waiting.high / 2.0 => {
            format!("{all}, mostly as the busiest has more to do (load balance)")
        }
        it if it.high < losses.waiting.low / 2.0 => format!(
            "{all}, mostly beside the chunks (communication efficiency): threads that come late, or dealing of chunks"
        ),
        _ => all,
    }
}

/// What makes all of this less certain.
fn cores(losses: &Losses) -> String {
    match losses.taken {
        None => ". Time that other programs took from its cores is not known here, and would be in the work".to_owned(),
        Some(taken) if taken >= BUSY => format!(
            ". Its threads had no core for {:.0} % of their time, which also makes others wait: waiting is here imbalance alone, of the time \
             that they would have taken with cores",
            taken * 100.0
        ),
        Some(_) => String::new(),
    }
}

pub fn times(range: &Range) -> String {
    format!("{:.2} [{:.2}, {:.2}]", range.middle, range.low, range.high)
}

fn share(range: &Range) -> String {
    let percent = |it: f64| it.max(0.0) * 100.0;
    format!(
        "{:.0} % [{:.0}, {:.0}]",
        percent(range.middle),
        percent(range.low),
        percent(range.high)
    )
}
