//! Whether a loop loses by iterations that get more expensive, or by threads that wait, as far as all rounds agree.

use ompchunk_figures::{Interval, percent};
use serde::Serialize;

use super::curve::{BUSY, Losses, Unit};

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

/// `None`: too few rounds to say anything. `dealt`: the runtime deals chunks.
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
    let dominates = match (dearer, waits) {
        (Answer::Yes, _) if losses.difference.is_above(0.0) => Some(Cause::Dearer),
        (_, Answer::Yes) if losses.difference.is_below(0.0) => Some(Cause::Waiting),
        _ => None,
    };
    let sentence = Sentence { losses, unit, dealt, is_busy };
    let says = match dominates {
        Some(Cause::Dearer) => sentence.dearer(waits),
        Some(Cause::Waiting) => sentence.waits(dearer),
        None => sentence.neither([dearer, waits]),
    };
    Some(Verdict { threads: losses.threads, dearer, waits, dominates, says: says + &sentence.cores() })
}

fn answer(range: &Interval, limit: f64) -> Answer {
    match range {
        range if range.is_above(limit) => Answer::Yes,
        range if range.is_below(limit) => Answer::No,
        _ => Answer::Open,
    }
}

/// Less is not worth a sentence, and noise on most machines.
const MATTERS: f64 = 0.05;

/// What can make iterations dearer when others run beside them.
const CAUSES: &str = "false sharing, memory bandwidth, a shared cache, memory that another thread touched first, locks or atomic operations in \
                      the loop's body, or cores that run slower when others are busy";
/// What can, too, where the runtime deals chunks.
const DEALING: &str = "threads that meet where the runtime deals chunks (which is in the time of chunks), ";

/// What all rounds agree on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Answer {
    Yes,
    No,
    Open,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Cause {
    Dearer,
    Waiting,
}

/// What is said. Of what makes iterations dearer the numbers allow several causes, so all are named and none is claimed.
struct Sentence<'a> {
    losses: &'a Losses,
    unit: Unit,
    dealt: bool,
    is_busy: bool,
}

impl Sentence<'_> {
    fn dearer(&self, waits: Answer) -> String {
        let waits = match waits {
            Answer::Yes => format!("; its threads wait, too: {}", self.waiting()),
            _ => String::new(),
        };
        let (work, causes) = (self.work(), self.causes());
        format!("its iterations get more expensive: {work}, and that costs more than waiting{waits}. {causes}")
    }

    fn waits(&self, dearer: Answer) -> String {
        let (waiting, work, causes) = (self.waiting(), self.work(), self.causes());
        let dearer = match dearer {
            Answer::Yes => format!("its iterations get more expensive, too ({work}). {causes}"),
            Answer::No => format!("its iterations do not get more expensive ({work})"),
            Answer::Open => format!("whether its iterations get more expensive is not certain ({work})"),
        };
        format!("its threads wait: {waiting}; {dearer}")
    }

    fn neither(&self, answers: [Answer; 2]) -> String {
        let causes = self.causes();
        let numbers = format!("{}; its threads wait for {}", self.work(), share(&self.losses.waiting));
        match answers {
            [Answer::No, Answer::No] if self.losses.inflation.is_below(1.0 - MATTERS) => {
                format!("its iterations get cheaper: {numbers}. A thread's smaller part may fit into its cache")
            }
            [Answer::No, Answer::No] => format!("it scales: {numbers}"),
            [Answer::Yes, Answer::Yes] => format!(
                "both: its iterations get more expensive and its threads wait, and which costs more is not certain: {numbers}. {causes}"
            ),
            [Answer::Yes, _] => format!(
                "its iterations get more expensive, and whether that costs more than waiting is not certain: {numbers}. {causes}"
            ),
            [_, Answer::Yes] => format!(
                "its threads wait, and whether that costs more than more expensive iterations is not certain: {numbers}"
            ),
            _ if self.is_busy => format!("nothing is certain: {numbers}. A quieter machine would tell more"),
            _ => format!("nothing is certain: {numbers}. More runs (--runs) or a quieter machine would tell more"),
        }
    }

    fn work(&self) -> String {
        let [base, threads] = self.losses.threads;
        let what = match self.unit {
            Unit::Iteration => "the work per iteration",
            Unit::Run | Unit::Nothing => "the work",
        };
        format!("with {threads} threads {} times {what} of {base}", self.losses.inflation)
    }

    fn waiting(&self) -> String {
        let (waiting, imbalance) = (&self.losses.waiting, &self.losses.imbalance);
        let all = format!("{} of their time", share(waiting));
        if imbalance.low > waiting.high / 2.0 {
            return format!("{all}, mostly because the busiest works longer than the average one (load balance)");
        }
        if imbalance.high < waiting.low / 2.0 {
            let dealing = if self.dealt { ", or dealing of chunks" } else { "" };
            return format!(
                "{all}, mostly outside chunks (communication efficiency): threads that come late, or a team that takes long to wake \
                 up{dealing}"
            );
        }
        all
    }

    fn causes(&self) -> String {
        let dealing = if self.dealt { DEALING } else { "" };
        format!("Possible causes are {dealing}{CAUSES}")
    }

    fn cores(&self) -> String {
        match self.losses.taken {
            None => {
                ". Time that other programs took from its cores is not known here, and would be in the work".to_owned()
            }
            Some(taken) if self.is_busy => {
                format!(". Its threads had no core for up to {} of their time", percent(taken))
            }
            Some(_) => String::new(),
        }
    }
}

fn share(range: &Interval) -> String {
    range.map(|share| share.max(0.0)).written(percent)
}
