//! What is said of a loop, in words. Of what makes iterations dearer the numbers allow several causes, so all are named and none is claimed.

use ompchunk_figures::{Interval, percent};
use serde::Serialize;

use super::curve::{BUSY, Losses, Unit};

/// Less is not worth a sentence, and noise on most machines.
pub const MATTERS: f64 = 0.05;

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

pub struct Sentence<'a> {
    pub losses: &'a Losses,
    pub unit: Unit,
    pub dealt: bool,
}

impl Sentence<'_> {
    /// Says what dominates, and whether iterations get more expensive and threads wait.
    pub fn text(&self, dominates: Option<Cause>, [dearer, waits]: [Answer; 2]) -> String {
        let says = match dominates {
            Some(Cause::Dearer) => self.dearer(waits),
            Some(Cause::Waiting) => self.waits(dearer),
            None => self.neither([dearer, waits]),
        };
        says + &self.cores()
    }

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
            _ if self.is_busy() => {
                format!("nothing is certain: {numbers}. A quieter machine would tell more")
            }
            _ => format!("nothing is certain: {numbers}. More runs (--runs) or a quieter machine would tell more"),
        }
    }

    fn is_busy(&self) -> bool {
        self.losses.taken.is_some_and(|taken| taken >= BUSY)
    }

    fn work(&self) -> String {
        let [base, threads] = self.losses.threads;
        let what = match self.unit {
            Unit::Iteration => "the work per iteration",
            Unit::Run | Unit::Nothing => "the work",
        };
        format!("with {threads} threads {} times {what} of {base}", self.losses.inflation)
    }

    /// How much, and where most of it is.
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

    /// What makes all of this less certain.
    fn cores(&self) -> String {
        match self.losses.taken {
            None => {
                ". Time that other programs took from its cores is not known here, and would be in the work".to_owned()
            }
            Some(taken) if self.is_busy() => {
                format!(". Its threads had no core for up to {} of their time", percent(taken))
            }
            Some(_) => String::new(),
        }
    }
}

fn share(range: &Interval) -> String {
    range.map(|share| share.max(0.0)).written(percent)
}
