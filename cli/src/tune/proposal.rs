//! What was advised, and what may be faster, as far as it can be tried on the binary.

use anyhow::Result;
use ompchunk_advice::{Advice, LoopAdvice};
use ompchunk_schedules::Pattern;
use ompchunk_trial::Interval;
use serde_json::Value;

use super::measure::Trial;

/// All advice.
#[derive(Debug)]
pub struct Advised {
    /// As `ompchunk advise --json` has it.
    pub json: Value,
    /// What is tried.
    pub proposals: Vec<Proposal>,
    /// Loops that are left as they are, and why.
    pub left: Vec<(String, String)>,
}

/// A schedule for a loop.
#[derive(Debug, Clone)]
pub struct Proposal {
    /// Which of the loops in the JSON.
    pub at: usize,
    /// `solver.c:118`
    pub name: String,
    pub trial: Trial,
    /// The schedule in the source.
    pub now: String,
    pub predicted: Interval,
    /// Seconds that the run is predicted to save.
    pub saves: f64,
    /// It is advised. Otherwise it may be no gain at all, which measuring tells.
    pub is_certain: bool,
    pub reason: String,
}

impl Proposal {
    /// As `OMPCHUNK_SCHEDULE` has it.
    pub fn entry(&self) -> String {
        format!("{}={}", self.trial.the_loop, self.trial.schedule)
    }
}

/// What of it can be tried.
pub fn from(advice: &Advice) -> Result<Advised> {
    let (mut proposals, mut left) = (Vec::new(), Vec::new());
    for (at, it) in advice.loops.iter().enumerate() {
        let advised = it.advice.as_ref().zip(it.predicted_ratio);
        let possible = it.possible.as_ref();
        let possible = possible.map(|it| (&it.schedule, it.predicted_ratio));
        let Some((schedule, range)) = advised.or(possible) else {
            left.push((it.name.clone(), it.reason.clone()));
            continue;
        };
        let Some(the_loop) = pattern(it).filter(|_| it.changeable) else {
            let what = match it.advice.is_some() {
                true => "is advised",
                false => "may be faster",
            };
            let why =
                format!("schedule({schedule}) {what}, but only the source can change this loop");
            left.push((it.name.clone(), why));
            continue;
        };
        let seconds = it.seconds_now.map_or(0.0, |it| it.middle);
        proposals.push(Proposal {
            at,
            name: it.name.clone(),
            trial: Trial {
                the_loop,
                schedule: schedule.clone(),
            },
            now: it.now.clone().unwrap_or_else(|| "as it is".to_owned()),
            predicted: Interval {
                low: range.low,
                middle: range.middle,
                high: range.high,
            },
            saves: seconds * (1.0 - range.middle),
            is_certain: it.advice.is_some(),
            reason: it.reason.clone(),
        });
    }
    Ok(Advised {
        json: serde_json::to_value(advice)?,
        proposals,
        left,
    })
}

/// How the shim is told which loop: by as much of its path as its syntax has a way to say.
fn pattern(it: &LoopAdvice) -> Option<String> {
    match (&it.file, it.line) {
        (Some(file), Some(line)) => {
            let parts = file.match_indices('/').map(|(at, _)| &file[at + 1..]);
            let shorter = std::iter::once(file.as_str()).chain(parts);
            shorter
                .map(|file| format!("{file}:{line}"))
                .find(|it| is_sayable(it))
        }
        _ => it.function.clone().filter(|it| is_sayable(it)),
    }
}

fn is_sayable(text: &str) -> bool {
    let is_plain = !text.contains(['=', ';', '#', '\n', '\r', '|']) && text.trim() == text;
    is_plain && text != "*" && Pattern::parse(text).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One that is advised, one that may be faster, and one that is best as it is.
    #[test]
    fn what_is_not_certain_is_tried_too() {
        let ratio = |high| ompchunk_advice::Interval {
            low: 0.5,
            middle: 0.75,
            high,
        };
        let the_loop = |line| LoopAdvice {
            name: format!("a.c:{line}"),
            file: Some("a.c".into()),
            line: Some(line),
            changeable: true,
            seconds_now: Some(ompchunk_advice::Interval::exactly(4.0)),
            ..LoopAdvice::default()
        };
        let advice = Advice {
            schema: "",
            version: 1,
            loops: vec![
                LoopAdvice {
                    advice: Some("dynamic,4".into()),
                    predicted_ratio: Some(ratio(0.9)),
                    ..the_loop(1)
                },
                LoopAdvice {
                    possible: Some(ompchunk_advice::CandidateReport {
                        schedule: "guided,8".into(),
                        kind: "guided",
                        chunk: Some(8),
                        predicted_seconds: ratio(1.1),
                        predicted_ratio: ratio(1.1),
                    }),
                    ..the_loop(2)
                },
                the_loop(3),
            ],
            threads: None,
            run_seconds: 5.0,
            gain_of_run: None,
            dealing: None,
            notes: Vec::new(),
        };
        let all = from(&advice).unwrap();
        let found: Vec<_> = all
            .proposals
            .iter()
            .map(|it| (it.entry(), it.is_certain, it.saves))
            .collect();
        assert_eq!(
            found,
            [
                ("a.c:1=dynamic,4".to_owned(), true, 1.0),
                ("a.c:2=guided,8".to_owned(), false, 1.0)
            ]
        );
        assert_eq!(all.left.len(), 1);
    }

    #[test]
    fn a_loop_is_named_by_what_can_be_said_of_it() {
        let of = |file: Option<&str>, function: Option<&str>| {
            pattern(&LoopAdvice {
                file: file.map(ToOwned::to_owned),
                line: file.map(|_| 7),
                function: function.map(ToOwned::to_owned),
                ..LoopAdvice::default()
            })
        };
        assert_eq!(of(Some("/a b/c.c"), None).unwrap(), "/a b/c.c:7");
        assert_eq!(of(Some("/a=1/d;e/c.c"), None).unwrap(), "c.c:7");
        assert_eq!(of(Some("/x/#.c"), None), None);
        assert_eq!(of(None, Some("f")).unwrap(), "f");
        assert_eq!(of(None, Some("*")), None);
        assert_eq!(of(None, None), None);
    }
}
