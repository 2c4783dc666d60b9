//! From loops of a report and their profiles to what is said of them.

use fastrand::Rng;
use ompchunk_analysis::hot::KERNEL;
use ompchunk_analysis::profile::{Execution, Profile};
use ompchunk_analysis::{LoopReport, Promise};
use ompchunk_figures::{Interval, number, percent};

use crate::choose::{Choice, WORTH, best_in_blocks, gain_of_run};
use crate::costs::Costs;
use crate::look::BUSY;
use crate::model::{CandidateReport, LoopAdvice};
use crate::once::{is_once, once};
use crate::predict::{Candidate, Prediction};
use crate::schedule::{Schedule, cuts};
use crate::words;
use crate::world::LATE;

pub(crate) type Known<'a> = (&'a LoopReport, &'a Profile);

#[derive(Debug, Clone, Default)]
pub struct Question<'a> {
    /// Another team than the recorded one.
    pub threads: Option<usize>,
    pub costs: Costs,
    pub profiled: bool,
    /// The command that was recorded, as one types it.
    pub command: &'a str,
}

/// More of the chunks' time than this is dealing and the clock.
const OVERHEAD: f64 = 0.1;
const DRAWS: usize = 200;
/// By how much another chunk size is larger or smaller.
const STEP: i64 = 8;

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
        unpredicted: unpredicted(the_loop),
        ..LoopAdvice::default()
    };
    advice.as_is_seconds = advice.seconds_now;
    if profile.incomplete > 0 {
        advice.notes.push(format!(
            "{} of {} not complete (chunks lost, a pause, or the trace is cut), and left out",
            profile.incomplete,
            executions(profile.incomplete + profile.complete, "is", "are")
        ));
    }
    if profile.partial > 0 {
        let all = executions(profile.partial + profile.complete, "runs", "run");
        advice.notes.push(format!(
            "{} of {all} only a part of the iterations, as teams of distribute do, or where cancel ends it, and left out",
            profile.partial
        ));
    }
    advice.notes.extend(the_loop.profiled());
    let kernel = the_loop.hints.iter().find(|hint| hint.code == KERNEL);
    advice.notes.extend(kernel.map(|hint| hint.text.clone()));
    if the_loop.counted_executions > 0 {
        advice.notes.push(format!(
            "{} recorded as sums only, and left out",
            executions(the_loop.counted_executions, "was", "were")
        ));
    }
    advice
}

/// What a loop that was compiled without the plugin can run under: blocks of equal cost, or another chunk size that tells.
fn unpredicted(the_loop: &LoopReport) -> Option<String> {
    let identity = &the_loop.identity;
    let is_static = identity.schedule.as_deref().is_some_and(|schedule| schedule.starts_with("schedule(static"));
    match identity.chunk_size {
        _ if identity.instrumented || !is_static || identity.line.is_none() => None,
        None if identity.schedule.as_deref() != Some("schedule(static)") => None,
        None => Some("balanced".to_owned()),
        Some(size @ ..STEP) => Some(format!("static,{}", size * STEP)),
        Some(size) => Some(format!("static,{}", size / STEP)),
    }
}

fn executions(count: u64, verb: &str, plural: &str) -> String {
    if count == 1 { format!("1 execution {verb}") } else { format!("{count} executions {plural}") }
}

/// The loop's share of the run without what is done once, which is done under any schedule.
pub(crate) fn lasting_share(the_loop: &LoopReport, profile: &Profile) -> Option<f64> {
    let once_share = once(profile).map_or(0.0, |once| once.share);
    the_loop.run_share.map(|share| share * (1.0 - once_share))
}

pub(crate) struct No {
    pub(crate) now: Option<Schedule>,
    pub(crate) reason: String,
    pub(crate) profile: bool,
}

impl No {
    pub(crate) fn new(now: Option<Schedule>, reason: impl Into<String>) -> No {
        No { now, reason: reason.into(), profile: false }
    }

    pub(crate) fn fill_in(self, advice: &mut LoopAdvice) {
        advice.now = self.now.map(|schedule| schedule.to_string());
        advice.needs_profile = self.profile;
        advice.reason = self.reason;
    }
}

/// The schedule as it is, and the executions that ran under it and tell enough.
pub(crate) fn simulable<'p>(
    profile: &'p Profile,
    question: &Question<'_>,
) -> Result<(Schedule, Vec<&'p Execution>), No> {
    let executions = &profile.executions;
    let Some(longest) = executions.iter().max_by_key(|execution| execution.threads.len()) else {
        return Err(No::new(None, why_nothing_is_known(profile)));
    };
    let now = Schedule::now(&profile.facts, longest).map_err(|why| No::new(None, why))?;
    if executions.iter().any(|execution| execution.in_nested_team) {
        let why = "the loop runs in nested teams: how fast one of them is depends on what the others do at the same time, which \
                   is not simulated, and it cannot be tried in turns";
        return Err(No::new(Some(now), why));
    }
    let shared: Vec<&Execution> = executions.iter().filter(|execution| is_shared(profile, execution, now)).collect();
    if shared.is_empty() {
        let why = if executions.iter().all(|execution| execution.trips <= 1) {
            "it has at most one iteration, which cannot be shared"
        } else {
            "one thread ran it alone: record with a team of several (OMP_NUM_THREADS)"
        };
        return Err(No::new(Some(now), why));
    }
    // A block per thread and no more says what threads took, and not why.
    let tells = |execution: &&Execution| execution.divided || now != Schedule::STATIC;
    let told: Vec<&Execution> = shared.into_iter().filter(tells).collect();
    if told.is_empty() { Err(unprofiled(profile, question, now)) } else { Ok((now, told)) }
}

fn why_nothing_is_known(profile: &Profile) -> &'static str {
    match (profile.without_chunks, profile.incomplete) {
        (1.., 0) => {
            "it was compiled without the plugin, so its single chunks are not known: ompchunk tune measures another size; for more, compile it \
             with ompchunk cc"
        }
        (_, 1..) => "no execution of it is complete",
        _ if profile.facts.distribute => Schedule::DISTRIBUTE,
        _ if profile.partial > 0 => "each of its executions ran only a part of the iterations",
        _ => {
            "no execution of it was recorded chunk by chunk: record without --aggregate, and with a --loop that matches it"
        }
    }
}

/// Several threads shared it under this schedule, and it is no first execution that is another thing.
fn is_shared(profile: &Profile, execution: &Execution, now: Schedule) -> bool {
    // The number of chunks may tell two apart that are one, where there are few iterations.
    let is_same = Schedule::now(&profile.facts, execution).is_ok_and(|schedule| schedule.kind == now.kind);
    let is_several = execution.trips > 1 && execution.threads.len() > 1;
    is_same && is_several && !is_once(profile, execution)
}

fn unprofiled(profile: &Profile, question: &Question<'_>, now: Schedule) -> No {
    let one = "under static, each thread gives only one number";
    let command = question.command;
    let reason = match profile.facts.not_profiled {
        None if question.profiled => {
            format!("{one}, and none of its executions was long enough to be divided for the profile")
        }
        None => format!("a profile is missing: {one}; record with ompchunk record --profile {command}"),
        Some(_) if !profile.facts.instrumented => format!(
            "{one}, and it was compiled without the plugin: `ompchunk run --balance --unproven {command}` and ompchunk tune find out \
             whether blocks of equal cost are faster; for other chunks, compile it with ompchunk cc"
        ),
        Some(why) => format!("{one}, and no profile of it was recorded: {why}"),
    };
    No { profile: profile.facts.not_profiled.is_none() && !question.profiled, ..No::new(Some(now), reason) }
}

/// What comes of a prediction: of the loop's, or of that of the group that it is in. No choice: no barrier follows.
pub(crate) fn fill(
    advice: &mut LoopAdvice,
    (the_loop, profile): (&LoopReport, &Profile),
    question: &Question<'_>,
    prediction: &Prediction,
    choice: Option<Choice>,
) {
    let once = once(profile);
    let scale = Scale {
        seconds: the_loop.metrics.seconds,
        once: once.map_or(0.0, |once| once.share),
        as_is: prediction.as_is.middle,
    };
    advice.now = Some(prediction.now.to_string());
    advice.too_short = prediction.hidden.is_some();
    advice.threads = Some(prediction.threads);
    if question.threads.is_some() {
        advice.as_is_seconds = Some(scale.seconds(prediction.as_is));
    }
    advice.candidates = prediction.candidates.iter().map(|candidate| scale.report(candidate)).collect();
    let balanced = prediction.balanced.filter(|_| advice.changeable);
    advice.balanced = balanced.map(|ratio| scale.report_as("balanced".to_owned(), "balanced", None, ratio));
    let in_blocks = best_in_blocks(prediction).filter(|_| advice.changeable && choice.is_some());
    let in_blocks = in_blocks.map(|ratio| words::in_blocks(&advice.name, ratio));
    match choice {
        Some(choice) => {
            let share = lasting_share(the_loop, profile);
            fill_choice(advice, choice, prediction, &scale, share);
            if let Choice::Change(one) | Choice::Uncertain(one) = choice
                && (advice.advice.is_some() || advice.possible.is_some())
                && let Some(cuts) = cuts(&profile.facts, one.schedule)
            {
                advice.cuts_chunks = true;
                advice.reason += &format!("; {cuts}");
            }
        }
        None => {
            advice.reason =
                "no barrier follows, so threads go on without waiting for each other: its own balance does not say \
                             what it costs, and the code that follows may rely on which thread ran which iteration"
                    .to_owned();
        }
    }
    // What another team would save of the run is not known.
    advice.gain_of_run = advice.gain_of_run.filter(|_| question.threads.is_none());
    advice.notes.extend(in_blocks);
    advice.notes.extend(once.as_ref().map(words::once));
    let is_fixed = advice.advice.is_some() && !advice.changeable && profile.facts.instrumented;
    advice.notes.extend(doubts(the_loop, is_fixed, question, prediction));
}

struct Scale {
    seconds: f64,
    /// What of them is done once, which is done under any schedule.
    once: f64,
    /// What the team makes of them, under the schedule as it is.
    as_is: f64,
}

impl Scale {
    fn seconds(&self, to_recorded: Interval) -> Interval {
        to_recorded.map(|ratio| self.seconds * (self.once + (1.0 - self.once) * ratio))
    }

    fn of_candidate(&self, ratio: Interval) -> Interval {
        self.seconds(ratio.times(self.as_is))
    }

    fn report(&self, Candidate { schedule, ratio }: &Candidate) -> CandidateReport {
        self.report_as(schedule.to_string(), schedule.kind.name(), schedule.chunk, *ratio)
    }

    fn report_as(&self, schedule: String, kind: &'static str, chunk: Option<u64>, ratio: Interval) -> CandidateReport {
        CandidateReport { schedule, kind, chunk, predicted_seconds: self.of_candidate(ratio), predicted_ratio: ratio }
    }
}

/// What was chosen, and why. `share`: of the run, if that is known.
fn fill_choice(advice: &mut LoopAdvice, choice: Choice, prediction: &Prediction, scale: &Scale, share: Option<f64>) {
    // What is chosen for all loops of a line has another ratio for each of them.
    let own = |best: Candidate| Candidate { ratio: prediction.ratio_of(&best).unwrap_or(best.ratio), ..best };
    match choice {
        Choice::Change(best) => {
            let best = own(best);
            advice.advice = Some(best.schedule.to_string());
            advice.clause = Some(best.schedule.clause());
            advice.reason = words::gains(prediction, &best.schedule);
            advice.predicted_seconds = Some(scale.of_candidate(best.ratio));
            advice.predicted_ratio = Some(best.ratio);
            advice.gain_of_run = share.map(|share| gain_of_run(best.ratio, share));
        }
        Choice::NotWorth(best) => {
            let best = own(best);
            let share = share.unwrap_or(0.0);
            let (gains, gain) = (words::gains(prediction, &best.schedule), gain_of_run(best.ratio, share).middle);
            let [share, gain] = [share, gain].map(percent);
            advice.reason = format!("{gains}; but the loop is {share} of the run, which would gain {gain}");
        }
        Choice::Uncertain(best) => {
            let best = own(best);
            advice.reason = words::stays(prediction, Some((best.schedule, best.ratio)));
            advice.possible = is_worth(&best, share).then(|| scale.report(&best));
        }
        Choice::Best => advice.reason = words::stays(prediction, None),
    }
}

pub(crate) fn is_worth(candidate: &Candidate, share: Option<f64>) -> bool {
    gain_of_run(candidate.ratio, share.unwrap_or(1.0)).middle >= WORTH
}

/// Why the prediction may be off, and what its interval covers; then what is to be known of the loop besides. `is_fixed`: its schedule
/// cannot be changed at run time.
fn doubts(
    the_loop: &LoopReport,
    is_fixed: bool,
    question: &Question<'_>,
    prediction: &Prediction,
) -> impl Iterator<Item = String> {
    let follows_thread = prediction.follows_thread.map(|times| {
        format!(
            "the cost jumps by {} where one thread's iterations end and another's begin: the cause may be the threads (their core, \
             their memory) rather than the iterations; the interval covers both",
            number(times)
        )
    });
    let late = (prediction.late >= LATE).then(|| {
        format!(
            "usually the last thread begins {} of the loop's time after the first: the cause may be the program itself or other \
             programs on the machine; the interval covers both",
            percent(prediction.late)
        )
    });
    let taken = (prediction.taken > BUSY).then(|| {
        format!(
            "{} of the threads' time was taken from them (other programs on the machine, the recorder): predictions use the rest, \
             and intervals are wider; a quieter machine would narrow them",
            percent(prediction.taken)
        )
    });
    let is_coarse = prediction.overhead > OVERHEAD && prediction.hidden.is_none();
    let overhead = is_coarse.then(|| {
        format!(
            "{} of the time in chunks goes to dealing and reading the clock: the cost of iterations is not well known",
            percent(prediction.overhead)
        )
    });
    let single = (prediction.executions == 1)
        .then(|| "only one execution was recorded, so it is not known how others differ".to_owned());
    let fixed =
        is_fixed.then(|| "it cannot be tried at run time (ompchunk loops says why): change the source".to_owned());
    let nested = (the_loop.nested_executions > 0)
        .then(|| "it runs within chunks of another loop: part of its gain is also that loop's".to_owned());
    let is_another = question.threads.is_some_and(|asked| asked != prediction.team);
    let team = is_another.then(|| {
        format!(
            "recorded with {} threads, simulated with {}: memory bandwidth and shared caches are not simulated",
            prediction.team, prediction.threads
        )
    });
    [follows_thread, late, taken, overhead, single, fixed, nested, team].into_iter().flatten()
}

/// What was recorded, and how much that varies from run to run as far as the executions tell.
fn seconds_now(the_loop: &LoopReport, executions: &[Execution]) -> Option<Interval> {
    let seconds = the_loop.metrics.seconds;
    if the_loop.executions == 0 {
        return None;
    }
    let count = executions.len();
    let mean = |times: &mut dyn Iterator<Item = f64>| times.sum::<f64>() / count as f64;
    let recorded = mean(&mut executions.iter().map(|execution| execution.elapsed_ns));
    if executions.is_empty() || recorded <= 0.0 {
        return Some(Interval::exactly(seconds));
    }
    let mut random = Rng::with_seed(count as u64);
    let mut draw = || {
        let mut drawn = (0..count).map(|_| executions[random.usize(..count)].elapsed_ns);
        (seconds * mean(&mut drawn) / recorded, 1.0)
    };
    Some(Interval::around(seconds, &(0..DRAWS).map(|_| draw()).collect::<Vec<_>>()))
}
