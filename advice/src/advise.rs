//! From loops of a report and their profiles to what is said of them.

use ompchunk_analysis::profile::{Execution, Profile};
use ompchunk_analysis::{LoopReport, Promise};

use crate::choose::{Choice, WORTH, choose, gain_of_run};
use crate::costs::Costs;
use crate::interval::{Interval, quantile};
use crate::look::BUSY;
use crate::model::{CandidateReport, LoopAdvice};
use crate::once::{is_once, once};
use crate::predict::{Candidate, May, Prediction, predict};
use crate::random::Random;
use crate::schedule::{Kind, Schedule};
use crate::words;
use crate::world::LATE;

/// What is asked.
#[derive(Debug, Clone, Default)]
pub struct Question<'a> {
    /// Another team than the recorded one.
    pub threads: Option<usize>,
    /// What dealing costs.
    pub costs: Costs,
    /// The command that was recorded, as one types it.
    pub command: &'a str,
}

/// More of the chunks' time than this is dealing and the clock.
const OVERHEAD: f64 = 0.1;
/// Draws for an interval of the recorded time.
const DRAWS: usize = 200;

/// What to say of a loop of which any thread may run any iteration, as far as that is known.
pub(crate) fn of_one(
    the_loop: &LoopReport,
    profile: &Profile,
    question: &Question<'_>,
) -> LoopAdvice {
    let mut advice = without(the_loop, profile);
    match simulable(profile, question) {
        Err(no) => no.says(&mut advice),
        Ok((now, executions)) => {
            let may = match profile.facts.last_read {
                true => May::BeDealtInOrder,
                false => May::BeDealt,
            };
            let it = predict(&executions, now, may, question.threads, &question.costs);
            let choice = match profile.facts.no_barrier {
                true => None,
                false => Some(choose(&it, lasting_share(the_loop, profile))),
            };
            fill(&mut advice, (the_loop, profile), question, &it, choice);
        }
    }
    advice
}

/// All but the advice.
pub(crate) fn without(the_loop: &LoopReport, profile: &Profile) -> LoopAdvice {
    let identity = &the_loop.identity;
    let mut advice = LoopAdvice {
        number: the_loop.number,
        name: the_loop.name.clone(),
        file: identity.file.clone(),
        line: identity.line,
        function: identity.function.clone(),
        executions: profile.complete,
        changeable: profile.facts.changeable,
        promise: match the_loop.promise {
            Promise::Unknown => "unknown",
            Promise::Free => "free",
            Promise::Group(_) => "group",
            Promise::Bound(_) => "bound",
        },
        share_of_run: the_loop.run_share,
        seconds_now: seconds_now(the_loop, &profile.executions),
        ..LoopAdvice::default()
    };
    advice.as_is_seconds = advice.seconds_now;
    if profile.incomplete > 0 {
        advice.notes.push(format!(
            "{} of {} not complete (chunks lost, a pause, or the trace is cut), and left out",
            profile.incomplete,
            match profile.incomplete + profile.complete {
                1 => "1 execution is".to_owned(),
                all => format!("{all} executions are"),
            }
        ));
    }
    if the_loop.counted_executions > 0 {
        advice.notes.push(format!(
            "{} recorded as sums only, and left out",
            match the_loop.counted_executions {
                1 => "1 execution was".to_owned(),
                some => format!("{some} executions were"),
            }
        ));
    }
    advice
}

/// The loop's share of the run without what is done once, which is done under any schedule.
pub(crate) fn lasting_share(the_loop: &LoopReport, profile: &Profile) -> Option<f64> {
    let once_share = once(profile).map_or(0.0, |it| it.share);
    the_loop.run_share.map(|it| it * (1.0 - once_share))
}

/// Why nothing can be predicted.
pub(crate) struct No {
    pub(crate) now: Option<Schedule>,
    pub(crate) reason: String,
    pub(crate) profile: bool,
}

impl No {
    pub(crate) fn says(self, advice: &mut LoopAdvice) {
        advice.now = self.now.map(|it| it.to_string());
        advice.needs_profile = self.profile;
        advice.reason = self.reason;
    }
}

/// The schedule as it is, and the executions that ran under it and tell enough.
pub(crate) fn simulable<'p>(
    profile: &'p Profile,
    question: &Question<'_>,
) -> Result<(Schedule, Vec<&'p Execution>), No> {
    let no = |reason: &str| No {
        now: None,
        reason: reason.to_owned(),
        profile: false,
    };
    let Some(first) = profile.executions.iter().max_by_key(|it| it.threads.len()) else {
        return Err(no(match (profile.untold, profile.incomplete) {
            (1.., 0) => {
                "it was compiled without the plugin, so its chunks are not told: compile it with ompchunk cc"
            }
            (_, 1..) => "no execution of it is complete",
            _ => {
                "no execution of it is told chunk by chunk: record without --aggregate, and with --loop that means it"
            }
        }));
    };
    let now = Schedule::now(&profile.facts, first).map_err(no)?;
    let with = |reason: String, profile| No {
        now: Some(now),
        reason,
        profile,
    };
    if profile.executions.iter().any(|it| it.in_nested_team) {
        let why = "the loop runs in nested teams: how fast one of them is depends on what the others do at the same time, which \
                   is not simulated, and it cannot be tried in turns";
        return Err(with(why.to_owned(), false));
    }
    let same = profile.executions.iter();
    let same = same.filter(|it| !is_once(profile, it));
    let same = same.filter(|it| {
        let schedule = Schedule::now(&profile.facts, it);
        // The number of chunks may tell two apart that are one, where there are few iterations.
        schedule.is_ok_and(|it| it.kind == now.kind)
    });
    let teams = same.filter(|it| it.trips > 1 && it.threads.len() > 1);
    let executions: Vec<&Execution> = teams.collect();
    if executions.is_empty() {
        let why = match profile.executions.iter().all(|it| it.trips <= 1) {
            true => "it has one iteration at most, which cannot be shared out",
            false => "one thread ran it alone: record with a team of several (OMP_NUM_THREADS)",
        };
        return Err(with(why.to_owned(), false));
    }
    // A block per thread and no more says what threads took, and not why.
    let blind = |it: &&Execution| !it.divided && now == Schedule::STATIC;
    if executions.iter().all(blind) {
        return Err(match profile.facts.not_profiled {
            None => with(
                format!(
                    "a profile is missing: under static each thread is one number; record with ompchunk record --profile {}",
                    question.command
                ),
                true,
            ),
            Some(why) => with(
                format!(
                    "under static each thread is one number, and no profile of it is recorded: {why}"
                ),
                false,
            ),
        });
    }
    let told = executions.into_iter().filter(|it| !blind(it));
    Ok((now, told.collect()))
}

/// What comes of a prediction: of the loop's, or of that of the group that it is in. No choice: no barrier follows.
pub(crate) fn fill(
    advice: &mut LoopAdvice,
    (the_loop, profile): (&LoopReport, &Profile),
    question: &Question<'_>,
    it: &Prediction,
    choice: Option<Choice>,
) {
    let seconds = the_loop.metrics.seconds;
    // What is done once is done under any schedule.
    let once = once(profile);
    let once_share = once.map_or(0.0, |it| it.share);
    let predicted = |to_recorded: Interval| {
        let whole = |ratio: f64| seconds * (once_share + (1.0 - once_share) * ratio);
        Interval {
            low: whole(to_recorded.low),
            middle: whole(to_recorded.middle),
            high: whole(to_recorded.high),
        }
    };
    let of_candidate = |ratio: Interval| predicted(ratio.times(it.as_is.middle));
    let share = lasting_share(the_loop, profile);
    advice.now = Some(it.now.to_string());
    advice.threads = Some(it.threads);
    if question.threads.is_some() {
        advice.as_is_seconds = Some(predicted(it.as_is));
    }
    let report = |it: &Candidate| CandidateReport {
        schedule: it.schedule.to_string(),
        kind: match it.schedule.kind {
            Kind::Static => "static",
            Kind::Dynamic => "dynamic",
            Kind::Guided => "guided",
        },
        chunk: it.schedule.chunk,
        predicted_seconds: of_candidate(it.ratio),
        predicted_ratio: it.ratio,
    };
    advice.candidates = it.candidates.iter().map(report).collect();
    match choice {
        Some(Choice::Change(best)) => {
            advice.advice = Some(best.schedule.to_string());
            advice.clause = Some(best.schedule.clause());
            advice.reason = words::gains(it, &best.schedule);
            advice.predicted_seconds = Some(of_candidate(best.ratio));
            advice.predicted_ratio = Some(best.ratio);
            let share = share.filter(|_| question.threads.is_none());
            advice.gain_of_run = share.map(|share| gain_of_run(best.ratio, share));
        }
        Some(Choice::NotWorth(best)) => {
            let share = share.unwrap_or(0.0);
            advice.reason = format!(
                "{}; but the loop is {} of the run, which would gain {}",
                words::gains(it, &best.schedule),
                words::percent(share),
                words::percent(gain_of_run(best.ratio, share).middle)
            );
        }
        Some(Choice::Uncertain(best)) => {
            advice.reason = words::stays(it, Some((best.schedule, best.ratio)));
            let share = share.unwrap_or(1.0);
            let is_worth = gain_of_run(best.ratio, share).middle >= WORTH;
            advice.possible = is_worth.then(|| report(&best));
        }
        Some(Choice::Best) => advice.reason = words::stays(it, None),
        None => {
            advice.reason = "no barrier follows, so threads go on without waiting for each other: its own balance does not say \
                             what it costs, and what comes after may rely on which thread ran which iteration"
                .to_owned();
        }
    }
    advice.notes.extend(once.as_ref().map(words::once));
    notes(advice, (the_loop, profile), question, it);
}

fn notes(
    advice: &mut LoopAdvice,
    (the_loop, profile): (&LoopReport, &Profile),
    question: &Question<'_>,
    it: &Prediction,
) {
    let fixed = advice.advice.is_some() && !advice.changeable && profile.facts.instrumented;
    let mut note = |text: String| advice.notes.push(text);
    if let Some(times) = it.follows_thread {
        note(format!(
            "the cost jumps by {} where one thread's iterations end and another's begin: that may be the threads (their core, \
             their memory) and not the iterations; the interval holds for both",
            words::factor(times)
        ));
    }
    if it.late >= LATE {
        note(format!(
            "as a rule the last thread begins {} of the loop's time after the first: that may be the program's doing, or other \
             programs' on the machine; the interval holds for both",
            words::percent(it.late)
        ));
    }
    if it.taken > BUSY {
        note(format!(
            "{} of the threads' time was taken from them (other programs on the machine, the recorder): predictions are of the \
             rest, and intervals are wider; on a quieter machine they would say more",
            words::percent(it.taken)
        ));
    }
    if it.overhead > OVERHEAD && it.hidden.is_none() {
        note(format!(
            "{} of the time in chunks is dealing and reading the clock: what iterations cost is not known well",
            words::percent(it.overhead)
        ));
    }
    if it.executions == 1 {
        note("one execution was recorded, which does not say how others differ".to_owned());
    }
    if fixed {
        note(
            "it cannot be tried at run time (ompchunk loops says why): change the source"
                .to_owned(),
        );
    }
    if the_loop.nested_executions > 0 {
        note("it runs within chunks of another loop: part of its gain is that one's".to_owned());
    }
    if question.threads.is_some_and(|asked| asked != it.team) {
        note(format!(
            "recorded with {} threads, simulated with {}: memory bandwidth and shared caches are not in it",
            it.team, it.threads
        ));
    }
}

/// What was recorded, and how much that varies from run to run as far as the executions tell.
fn seconds_now(the_loop: &LoopReport, executions: &[Execution]) -> Option<Interval> {
    let seconds = the_loop.metrics.seconds;
    if the_loop.executions == 0 || executions.is_empty() {
        return (the_loop.executions > 0).then(|| Interval::exactly(seconds));
    }
    let mean = |all: &mut dyn Iterator<Item = f64>| all.sum::<f64>() / executions.len() as f64;
    let of = |it: &Execution| it.elapsed_ns;
    let all = mean(&mut executions.iter().map(of));
    if all <= 0.0 {
        return Some(Interval::exactly(seconds));
    }
    let mut random = Random::new(executions.len() as u64);
    let mut draws: Vec<(f64, f64)> = (0..DRAWS)
        .map(|_| {
            let mut one = executions
                .iter()
                .map(|_| of(&executions[random.below(executions.len())]));
            (mean(&mut one) / all, 1.0)
        })
        .collect();
    let mut end = |share| quantile(&mut draws, share).unwrap_or(1.0);
    Some(Interval {
        low: seconds * end(0.05).min(1.0),
        middle: seconds,
        high: seconds * end(0.95).max(1.0),
    })
}
