//! What to do. It says no more than the numbers allow: where they name no cause, that is a profile's to find.

use std::collections::BTreeMap;
use std::path::Path;

use ompchunk_advice::LoopAdvice;
use ompchunk_analysis::Report;
use ompchunk_analysis::hot::{KERNEL, LIBRARY_LOCK};
use ompchunk_analysis::model::{Account, LoopReport, ThreadReport};
use serde::Serialize;

use super::account::is_part;
use super::causes::{self, Cause};
use super::command::{self, quoted};
use super::dealing::{self, hides_work, may_be_dealing, possible_dealing};
use super::units::{counted, joined, percent, time};

/// A loop matters if it loses so much of the run.
pub const MATTERS: f64 = 0.01;
/// Where all that loops lose is less of the run, most of it looks like work.
const LITTLE: f64 = 0.1;
const MOST: usize = 5;

/// Causes that a profile looks into: how cost is spread over iterations, and what another schedule would do.
const OPEN: [&str; 9] = [
    "uneven-cost", "uneven-count", "few-chunks", "large-chunks", "small-chunks", "slow-thread", "long-chunk",
    "between-chunks", "changing-threads",
];

#[derive(Debug, Serialize)]
pub struct Verdict {
    /// There is nothing to do, and why; `None`: there is.
    pub nothing: Option<String>,
    /// What must be known before anything else.
    pub first: Option<Cause>,
    /// The largest first, as are the loops.
    pub causes: Vec<Cause>,
    pub loops: Vec<Advice>,
    pub rest: Option<String>,
    pub profile: Option<Profile>,
    /// The report's loops that a profile could tell more of.
    #[serde(skip)]
    open: Vec<usize>,
}

#[derive(Debug, Serialize)]
pub struct Advice {
    /// Which of the report's.
    pub at: usize,
    /// What it loses, of elapsed time, and that as a share of the run; `None`: not known.
    pub seconds: Option<f64>,
    pub share: Option<f64>,
    pub least: bool,
    /// By what the list is sorted: what it loses, or the dealing of its chunks, if that takes so long as the shortest of them.
    pub weight: f64,
    pub text: String,
}

#[derive(Debug, Serialize)]
pub struct Profile {
    pub why: String,
    pub commands: Vec<String>,
}

#[derive(Debug, Clone, Copy)]
pub struct Loss {
    pub seconds: f64,
    /// Share of the run; `None`: its length is not known.
    pub share: Option<f64>,
    pub least: bool,
}

impl Loss {
    /// `None` where chunks are missing, or nothing of it was measured.
    pub fn from_loop(report: &Report, loop_report: &LoopReport) -> Option<Loss> {
        if loop_report.lost.is_some() {
            return None;
        }
        let (seconds, least) = match (loop_report.lost_seconds, loop_report.total_imbalance_seconds) {
            (Some(lost), _) => (lost, false),
            (None, Some(_)) if report.run.processes > 1 => (within_processes(report, loop_report), true),
            (None, Some(least)) => (least, true),
            (None, None) => return None,
        };
        let run = causes::length(report);
        // Each thread of the loop around it runs it, with a team of its own, or alone.
        let account = report.run.account.as_ref().filter(|_| loop_report.nested_executions > 0);
        let team = loop_report.team_size.map_or(1, |[_, most]| most);
        let seconds =
            seconds * account.map_or(1.0, |account| f64::from(team) / account.threads.max(team.into()) as f64);
        // Nobody knows what share of the run executions that overlap are.
        let within = loop_report.metrics.seconds <= run;
        Some(Loss {
            seconds,
            share: (run > 0.0 && within).then(|| seconds / run),
            least: least || hides_work(loop_report),
        })
    }
}

/// What the average thread of a process works less than its busiest one, in the mean of all processes: that another
/// process works more is no loss of this loop's.
fn within_processes(report: &Report, loop_report: &LoopReport) -> f64 {
    let mut by_process: BTreeMap<usize, Vec<&ThreadReport>> = BTreeMap::new();
    for thread in &loop_report.threads {
        by_process.entry(thread.process).or_default().push(thread);
    }
    let behind = |threads: &[&ThreadReport], of: &dyn Fn(&ThreadReport) -> f64| {
        let all = threads.iter().map(|thread| of(thread));
        let most = all.clone().fold(0.0, f64::max);
        most - all.sum::<f64>() / threads.len() as f64
    };
    let least = by_process.values().map(|threads| {
        // Where chunks are dealt on demand, one of the two is even.
        let work = behind(threads, &ThreadReport::work_seconds);
        work.min(behind(threads, &|thread| thread.busy_seconds)).max(0.0)
    });
    least.sum::<f64>() / report.run.processes as f64
}

pub fn matters(report: &Report, loop_report: &LoopReport) -> bool {
    match Loss::from_loop(report, loop_report) {
        Some(loss) if loss.share.map_or(loss.seconds > 0.0, |share| share >= MATTERS) => true,
        Some(_) => dealing::may_matter(loop_report),
        None => loop_report.run_share.is_none_or(|share| share >= MATTERS),
    }
}

impl Advice {
    fn for_loop(report: &Report, at: usize) -> Advice {
        let the_loop = &report.loops[at];
        let loss = Loss::from_loop(report, the_loop);
        // What is not known must not stand behind what is small.
        let known = loss.map_or(-1.0, |loss| loss.seconds);
        Advice {
            at,
            seconds: loss.map(|loss| loss.seconds),
            share: loss.and_then(|loss| loss.share),
            least: loss.is_some_and(|loss| loss.least),
            weight: possible_dealing(the_loop).map_or(known, |dealing| dealing.max(known)),
            text: advice(report, the_loop, loss.as_ref()),
        }
    }
}

impl Verdict {
    /// Says what was predicted of loops of the report, or why nothing can be. Then nothing is left to ask.
    pub fn with(mut self, report: &Report, forecasts: &[LoopAdvice]) -> Verdict {
        let forecast = |at: usize| {
            let number = report.loops[at].number;
            forecasts.iter().find(|forecast| forecast.number == number)
        };
        for advice in &mut self.loops {
            let Some(forecast) = forecast(advice.at) else { continue };
            if let Some(text) = predicted(forecast) {
                advice.text = text;
            } else if self.open.contains(&advice.at) {
                advice.text += &format!("; no other schedule can be compared: {}", forecast.reason);
            }
        }
        if self.open.iter().all(|at| forecast(*at).is_some()) {
            self.profile = None;
        }
        self
    }

    /// From a report's loops, in whatever order they are.
    pub fn from_report(report: &Report) -> Verdict {
        // What threads lose at sections is a cause of its own.
        let all = (0..report.loops.len()).filter(|at| !report.loops[*at].identity.is_sections());
        let (some, others): (Vec<usize>, Vec<usize>) = all.partition(|at| matters(report, &report.loops[*at]));
        let others: Vec<Loss> = others.iter().filter_map(|at| Loss::from_loop(report, &report.loops[*at])).collect();
        let mut some: Vec<Advice> = some.into_iter().map(|at| Advice::for_loop(report, at)).collect();
        some.sort_by(|one, another| another.weight.total_cmp(&one.weight));
        let lost: f64 = some.iter().map(|one| one.weight.max(0.0)).sum();
        let open = some.iter().map(|one| one.at).filter(|at| is_open(&report.loops[*at]));
        // Where threads wait for cores, a profile would tell of that.
        let open: Vec<usize> = open.filter(|_| report.run.crowd.is_none()).collect();
        let more = some.len().saturating_sub(MOST);
        some.truncate(MOST);
        let most = some.iter().filter_map(|one| one.seconds).fold(0.0, f64::max);
        let mut verdict = Verdict {
            nothing: None,
            first: causes::crowded(report),
            causes: causes::causes(report),
            rest: rest(report, more, &others, most),
            loops: some,
            profile: profile(report).filter(|_| !open.is_empty()),
            open,
        };
        if verdict.loops.is_empty() && verdict.causes.is_empty() {
            verdict.nothing = Some(nothing(report, &others));
            verdict.rest = causes::unseen(report);
        } else if lost < LITTLE * causes::length(report) {
            // Most of what threads do is in loops.
            let is_mostly_loops = |account: &Account| 2.0 * account.seconds(&["loops"]) >= account.thread_seconds;
            let account = report.run.account.as_ref().filter(|account| is_mostly_loops(account));
            let unseen = account.and_then(|_| causes::unseen(report));
            verdict.rest = joined([verdict.rest, unseen]);
        }
        verdict
    }

    /// The hint that is said of a loop here need not be said again.
    pub fn mentions(&self, report: &Report, loop_report: &LoopReport, hint: &str) -> bool {
        let of_it = self.loops.iter().filter(|advice| std::ptr::eq(&report.loops[advice.at], loop_report));
        let mut said = of_it.map(|advice| &advice.text).chain(self.causes.iter().map(|cause| &cause.text));
        said.any(|text| text.contains(hint))
    }
}

fn predicted(loop_advice: &LoopAdvice) -> Option<String> {
    match (&loop_advice.clause, loop_advice.predicted_ratio, &loop_advice.now) {
        (Some(clause), Some(ratio), _) => Some(format!(
            "write {clause}: it takes {ratio:.2} of the loop's time, as predicted; {}",
            loop_advice.reason
        )),
        (None, _, Some(now)) if loop_advice.threads.is_some() || loop_advice.promise == "bound" => {
            Some(format!("leave {now}: {}", loop_advice.reason))
        }
        _ => None,
    }
}

fn advice(report: &Report, loop_report: &LoopReport, loss: Option<&Loss>) -> String {
    let mut said = suggestions(report, loop_report);
    if hides_work(loop_report) {
        // What may cost more than all that is known to be lost comes first.
        let known = loop_report.lost_seconds.unwrap_or(f64::MAX);
        let first = possible_dealing(loop_report).is_some_and(|dealing| dealing > known);
        said.insert(if first { 0 } else { said.len() }, dealing::sentence(loop_report));
    }
    if !said.is_empty() {
        return said.join("; ");
    }
    if report.run.crowd.is_some() {
        return "its threads wait for a core, as said above".to_owned();
    }
    if !loop_report.chunks_complete {
        return "compiled without the plugin, so only the time of all of a thread's chunks together is known: compile it with ompchunk \
                cc and record it again"
            .to_owned();
    }
    match loss {
        Some(loss) if loss.least => "only sums were recorded, which alone name no cause".to_owned(),
        Some(_) => "the chunks alone name no cause".to_owned(),
        None if loop_report.lost.is_some() => "records of it are missing, so what it loses is not known".to_owned(),
        None => "what it loses was not measured".to_owned(),
    }
}

/// The hints that together explain most of the loss, and what else it is where they do not.
fn suggestions(report: &Report, loop_report: &LoopReport) -> Vec<String> {
    let lost = loop_report.lost_seconds.unwrap_or(0.0);
    let (mut said, mut explained) = (Vec::new(), 0.0);
    // Time in the kernel is no loss of a loop's: it has an entry of its own.
    let hints = loop_report.hints.iter().filter(|hint| ![KERNEL, LIBRARY_LOCK].contains(&hint.code));
    for hint in hints {
        // Where nothing is known of how much it explains, the first one stands alone.
        if !said.is_empty() && (2.0 * explained >= lost || hint.explains_seconds.is_none()) {
            break;
        }
        said.push(hint.text.clone());
        explained += hint.explains_seconds.unwrap_or(lost);
    }
    let may_say_more = report.run.crowd.is_none() && loop_report.identity.instrumented;
    if 2.0 * explained < lost && may_say_more {
        said.splice(0..0, loop_report.loss.and_then(|loss| loss.sentence(lost)));
    }
    said
}

fn is_open(loop_report: &LoopReport) -> bool {
    let open = loop_report.hints.iter().any(|hint| OPEN.contains(&hint.code));
    // No profile tells of chunks of `static,1` that short.
    let tells = may_be_dealing(loop_report) || !hides_work(loop_report);
    let may_change = loop_report.identity.instrumented && loop_report.promise.bound().is_none() && tells;
    let nothing_known = loop_report.hints.is_empty() && loop_report.loss.is_none_or(|loss| loss.is_mostly_imbalance());
    may_change && loop_report.lost.is_none() && (nothing_known || open || may_be_dealing(loop_report))
}

fn nothing(report: &Report, all: &[Loss]) -> String {
    if report.loops.is_empty() {
        return no_loop(report);
    }
    if report.parts.iter().any(|part| part.lost_chunks + part.lost_events > 0) {
        return "records are missing for lack of room, so what loops lose is not known".to_owned();
    }
    let least = format!("{:.0} %", MATTERS * 100.0);
    let is_least = all.iter().any(|loss| loss.least);
    let at_least = if is_least { "at least " } else { "" };
    let lost = match (report.loops.len(), sum(report, all)) {
        (1, Some(lost)) => format!("the loop loses {at_least}{lost} of the run"),
        (some, Some(lost)) => format!("none of {some} loops loses {least} of the run, all together {at_least}{lost}"),
        (_, None) => format!("no loop loses {least} of the run"),
    };
    match (is_least, report.run.account.is_some()) {
        (false, true) => format!("nothing to gain by another schedule: {lost}"),
        (true, _) => format!("no loop is known to be out of balance: {lost}; not all of it was measured"),
        (_, false) => format!(
            "no gain from better balance: {lost}; this trace does not show what else threads spend time on, such as waiting for locks"
        ),
    }
}

fn no_loop(report: &Report) -> String {
    let account = report.run.account.as_ref();
    let parallel = |account: &Account| {
        let outside = ["serial", "idle", "recorder"];
        account.thread_seconds - account.unknown_seconds - account.seconds(&outside)
    };
    // Time off a core may be serial code's.
    let has_regions = report.run.parallel_seconds.is_none_or(|parallel| parallel > 0.0);
    let in_regions = account.filter(|_| has_regions).map_or(0.0, parallel);
    match is_part(report) {
        _ if !report.openacc.is_empty() => "no loop of OpenMP was recorded; what OpenACC did is below".to_owned(),
        _ if !report.target.is_empty() => "no loop was recorded; what OpenMP's target did is below".to_owned(),
        _ if report.tasks.is_some() => {
            "no loop was recorded; the numbers of its explicit tasks, which are below, name no cause".to_owned()
        }
        true => "no loop was recorded: all that ran were left out, as requested".to_owned(),
        false if in_regions > 0.0 => format!(
            "no loop was recorded: in parallel regions threads spent {} without one (explicit tasks, single and the like are below)",
            time(in_regions)
        ),
        false => "no loop was recorded: the program's OpenMP loops would be listed here (ompchunk doctor says what is missing)"
            .to_owned(),
    }
}

fn rest(report: &Report, named_below: usize, others: &[Loss], most: f64) -> Option<String> {
    let more = (named_below > 0).then(|| format!("{named_below} more that matter are in the list"));
    let lost = sum(report, others).filter(|_| !others.is_empty());
    let together: f64 = others.iter().map(|loss| loss.seconds).sum();
    // Not of what loses more than the loop that is named first.
    let is_little = together < most || together < MATTERS * causes::length(report);
    let leave = match (is_little, others.len()) {
        (true, 2..) => ": leave them",
        (false, 2..) => ", each less than 1 %",
        (_, _) => ": leave it",
    };
    let others = lost.map(|lost| match others.len() as u64 {
        1 => format!("1 other loop loses {lost} of the run{leave}"),
        some => format!("{} lose {lost} of the run together{leave}", counted(some, "other loop")),
    });
    joined([more, others])
}

fn sum(report: &Report, all: &[Loss]) -> Option<String> {
    let seconds: f64 = all.iter().map(|loss| loss.seconds).sum::<f64>() + 0.0;
    let length = causes::length(report);
    (length > 0.0).then(|| format!("{} ({})", time(seconds), percent(seconds / length)))
}

fn profile(report: &Report) -> Option<Profile> {
    let part = report.parts.first()?;
    if report.parts.iter().all(|part| part.profile) {
        let trace = Path::new(&part.file).parent()?.to_string_lossy();
        return Some(Profile {
            why: "the profile shows which schedule helps, and how much it saves:".to_owned(),
            commands: vec![format!("ompchunk advise {}", quoted(&trace))],
        });
    }
    let name = part.command.first()?.rsplit('/').next().unwrap_or_default();
    let trace = quoted(&format!("{name}-profile.ompchunk"));
    let words = command::line(&part.command);
    let launcher = "; each rank records it, behind mpirun or srun as before";
    let launcher = if report.run.processes > 1 { launcher } else { "" };
    Some(Profile {
        why: format!("a profile is missing: it would show which schedule helps, and how much it saves{launcher}:"),
        commands: vec![format!("ompchunk record --profile -o {trace} {words}"), format!("ompchunk advise {trace}")],
    })
}
