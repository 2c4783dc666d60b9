//! What was advised, and what may be faster, as far as it can be tried on the binary.

use anyhow::Result;
use ompchunk_abi::overrides::Pattern;
use ompchunk_advice::{Advice, LoopAdvice};
use ompchunk_figures::Interval;
use serde_json::Value;

use super::runs::Trial;

pub struct Advised {
    /// As `ompchunk advise --json` has it.
    pub json: Value,
    pub proposals: Vec<Proposal>,
    /// Loops that are left as they are, and why.
    pub left: Vec<(String, String)>,
    /// Other schedules were compared for a loop at least, if only to find that none is better.
    pub is_any_judged: bool,
}

#[derive(Debug, Clone)]
pub struct Proposal {
    /// Which of the loops in the JSON: one, or several of a group.
    pub at: Vec<usize>,
    /// `solver.c:118`, or all of a group
    pub name: String,
    pub trial: Trial,
    pub now: String,
    /// `None`: it was compiled without the plugin, and only the whole program shows what comes of it.
    pub predicted: Option<Interval>,
    /// Seconds that it takes in the run.
    pub seconds: f64,
    /// Seconds that the run is predicted to save.
    pub saves: f64,
    /// It is advised. Otherwise it may be no gain at all, which measuring tells.
    pub is_certain: bool,
    /// It cuts chunks of the source, or may, or nobody has looked what relies on who runs which iteration.
    pub may_break: bool,
    pub reason: String,
}

pub fn from(advice: &Advice) -> Result<Advised> {
    let mut proposals: Vec<Proposal> = Vec::new();
    let mut left = Vec::new();
    for (number, the_loop) in advice.loops.iter().enumerate() {
        match proposed(advice, number) {
            Err(why) => left.push((the_loop.name.clone(), why)),
            // As often as it is in the line, it is measured once.
            Ok(Proposal { predicted: None, trial: Trial { loops, .. }, .. })
                if proposals.iter().any(|one| one.trial.loops == loops) => {}
            Ok(proposal) => {
                let known = proposals.iter_mut().find(|one| one.trial.loops == proposal.trial.loops);
                match known {
                    // Another one of its group, or another copy of the loop in the same line.
                    Some(known) => known.takes(proposal),
                    None => proposals.push(proposal),
                }
            }
        }
    }
    proposals.sort_by_key(|proposal| proposal.predicted.is_none());
    Ok(Advised {
        json: serde_json::to_value(advice)?,
        proposals,
        left,
        is_any_judged: advice.loops.iter().any(|the_loop| !the_loop.candidates.is_empty()),
    })
}

impl Advised {
    /// Leaves out what cuts chunks of the source, since nothing tells whether the program is right then. Gives the names of its loops.
    pub fn without_cuts(&mut self) -> Vec<String> {
        let cut = self.proposals.extract_if(.., |one| one.may_break);
        let names: Vec<String> = cut.map(|one| one.name).collect();
        let why = "nothing tells whether the program is right then";
        self.left.extend(names.iter().map(|name| (name.clone(), why.to_owned())));
        names
    }
}

impl Proposal {
    fn takes(&mut self, other: Proposal) {
        let all = (self.seconds + other.seconds).max(f64::MIN_POSITIVE);
        let mean = |own: f64, others: f64| (own * self.seconds + others * other.seconds) / all;
        self.predicted = self.predicted.zip(other.predicted).map(|(own, others)| Interval {
            low: mean(own.low, others.low),
            middle: mean(own.middle, others.middle),
            high: mean(own.high, others.high),
        });
        self.at.extend(other.at);
        self.saves += other.saves;
        self.seconds += other.seconds;
        self.may_break |= other.may_break;
    }
}

fn proposed(advice: &Advice, number: usize) -> Result<Proposal, String> {
    let the_loop = &advice.loops[number];
    let advised = the_loop.advice.as_ref().zip(the_loop.predicted_ratio);
    let possible = the_loop.possible.as_ref();
    let possible = possible.map(|possible| (&possible.schedule, possible.predicted_ratio));
    if let Some(schedule) = &the_loop.unpredicted {
        let loops = vec![pattern(the_loop).ok_or_else(|| the_loop.reason.clone())?];
        return Ok(proposal(number, the_loop, Trial { loops, schedule: schedule.clone() }, None));
    }
    let (schedule, range) = advised.or(possible).ok_or_else(|| the_loop.reason.clone())?;
    let what = if the_loop.advice.is_some() { "is advised" } else { "may be faster" };
    let but = |why: &str| format!("schedule({schedule}) {what}, but {why}");
    if the_loop.promise == "unknown" && the_loop.changeable {
        return Err(but(
            "it is not known whether anything relies on which thread runs which iteration: compile the program again with this ompchunk",
        ));
    }
    let loops = patterns(the_loop).filter(|_| the_loop.changeable);
    let loops = loops.ok_or_else(|| but("only the source can change this loop"))?;
    if let Some(other) = advice.loops.iter().find(|other| conflicts(the_loop, other)) {
        return Err(but(&format!(
            "the name also matches a loop that must keep its schedule, in {}: {}",
            other.function.as_deref().unwrap_or("another function"),
            other.reason
        )));
    }
    Ok(proposal(number, the_loop, Trial { loops, schedule: schedule.clone() }, Some(range)))
}

fn proposal(number: usize, the_loop: &LoopAdvice, trial: Trial, predicted: Option<Interval>) -> Proposal {
    let seconds = the_loop.seconds_now.map_or(0.0, |seconds_now| seconds_now.middle);
    Proposal {
        at: vec![number],
        name: names(the_loop),
        trial,
        now: the_loop.now.clone().unwrap_or_else(|| "as it is".to_owned()),
        predicted,
        seconds,
        saves: predicted.map_or(0.0, |range| seconds * (1.0 - range.middle)),
        is_certain: the_loop.advice.is_some(),
        may_break: the_loop.cuts_chunks || predicted.is_none(),
        reason: the_loop.reason.clone(),
    }
}

/// Would what is tried on one loop change another, which allows less?
fn conflicts(loop_advice: &LoopAdvice, other: &LoopAdvice) -> bool {
    let line = other.line.filter(|_| other.file == loop_advice.file);
    let is_meant = match (&loop_advice.group[..], line) {
        ([], line) => line == loop_advice.line && line.is_some(),
        (lines, Some(line)) => lines.contains(&line),
        (_, None) => false,
    };
    is_meant && (other.promise != loop_advice.promise || other.group != loop_advice.group)
}

fn names(loop_advice: &LoopAdvice) -> String {
    let file = loop_advice.name.rsplit_once(':').map_or("", |(file, _)| file);
    match &loop_advice.group[..] {
        [] => loop_advice.name.clone(),
        lines => lines.iter().map(|line| format!("{file}:{line}")).collect::<Vec<_>>().join(", "),
    }
}

/// How the shim is told which loops: all of a group by their names, so that it need not say that others follow.
fn patterns(loop_advice: &LoopAdvice) -> Option<Vec<String>> {
    match &loop_advice.group[..] {
        [] => Some(vec![pattern(loop_advice)?]),
        lines => {
            let of = |line: &u32| pattern(&LoopAdvice { line: Some(*line), ..loop_advice.clone() });
            lines.iter().map(of).collect()
        }
    }
}

/// How the shim is told which loop: by as much of its path as its syntax has a way to say.
fn pattern(loop_advice: &LoopAdvice) -> Option<String> {
    match (&loop_advice.file, loop_advice.line) {
        (Some(file), Some(line)) => {
            let parts = file.match_indices('/').map(|(at, _)| &file[at + 1..]);
            let shorter = std::iter::once(file.as_str()).chain(parts);
            shorter.map(|file| format!("{file}:{line}")).find(|name| is_sayable(name))
        }
        _ => loop_advice.function.clone().filter(|function| is_sayable(function)),
    }
}

fn is_sayable(text: &str) -> bool {
    let is_plain = !text.contains(['=', ';', '#', '\n', '\r', '|']) && text.trim() == text;
    is_plain && text != "*" && Pattern::parse(text).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn the_loop(line: u32, promise: &'static str) -> LoopAdvice {
        LoopAdvice {
            name: format!("a.c:{line}"),
            file: Some("a.c".into()),
            line: Some(line),
            changeable: true,
            promise,
            seconds_now: Some(Interval::exactly(4.0)),
            ..LoopAdvice::default()
        }
    }

    fn advised_from(loops: Vec<LoopAdvice>) -> Advised {
        let (threads, gain_of_run, dealing, notes) = (None, None, None, Vec::new());
        from(&Advice { schema: "", version: 1, loops, threads, run_seconds: 20.0, gain_of_run, dealing, notes })
            .unwrap()
    }

    /// One that is advised, one that may be faster, one without the plugin, twice in a line, and one that is best as it is.
    #[test]
    fn what_is_not_certain_is_tried_too() {
        let ratio = |high| Interval { low: 0.5, middle: 0.75, high };
        let possible = ompchunk_advice::CandidateReport {
            schedule: "guided,8".into(),
            kind: "guided",
            chunk: Some(8),
            predicted_seconds: ratio(1.1),
            predicted_ratio: ratio(1.1),
        };
        let advised = (Some("dynamic,4".into()), Some(ratio(0.9)));
        let stock = LoopAdvice { unpredicted: Some("balanced".into()), changeable: false, ..the_loop(4, "unknown") };
        let all = advised_from(vec![
            stock.clone(),
            LoopAdvice { advice: advised.0, predicted_ratio: advised.1, ..the_loop(1, "free") },
            LoopAdvice { possible: Some(possible), ..the_loop(2, "free") },
            the_loop(3, "free"),
            stock,
        ]);
        let tried = |one: &Proposal| (one.trial.entries().join(";"), one.is_certain, one.saves);
        let found: Vec<_> = all.proposals.iter().map(tried).collect();
        let right = [("a.c:1=dynamic,4", true, 1.0), ("a.c:2=guided,8", false, 1.0), ("a.c:4=balanced", false, 0.0)];
        assert_eq!(found, right.map(|(entry, is_certain, saves)| (entry.to_owned(), is_certain, saves)));
        assert_eq!(all.left.len(), 1);
    }

    /// A group as one; what is not known to be free, or shares its name with what is not, not at all.
    #[test]
    fn only_what_the_program_allows_is_tried() {
        let the_loop = |line, promise| LoopAdvice {
            advice: Some("static,4".into()),
            predicted_ratio: Some(Interval::exactly(0.75)),
            ..the_loop(line, promise)
        };
        let of_group = |line| LoopAdvice { group: vec![3, 5], ..the_loop(line, "group") };
        let bound = LoopAdvice { advice: None, predicted_ratio: None, reason: "why".into(), ..the_loop(9, "bound") };
        let mut all = advised_from(vec![of_group(5), the_loop(7, "unknown"), of_group(3), the_loop(9, "free"), bound]);
        let [group] = &all.proposals[..] else { panic!("{:?}", all.proposals) };
        assert_eq!(group.trial.entries(), ["a.c:3=static,4", "a.c:5=static,4"]);
        assert_eq!((group.name.as_str(), group.saves), ("a.c:3, a.c:5", 2.0));
        assert_eq!(group.at, [0, 2]);
        let said: Vec<&str> = all.left.iter().map(|left| left.1.as_str()).collect();
        assert!(said[0].contains("it is not known whether"), "{said:?}");
        assert!(said[1].contains("also matches a loop that must keep"), "{said:?}");
        assert_eq!(said[2], "why");
        assert!(all.without_cuts().is_empty());
        all.proposals[0].may_break = true;
        assert_eq!(all.without_cuts(), ["a.c:3, a.c:5"]);
        assert!(all.proposals.is_empty());
        assert_eq!(all.left.last().unwrap().0, "a.c:3, a.c:5");
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
