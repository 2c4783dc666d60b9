//! Two runs in sentences: what differs beyond noise, what the machine did meanwhile, and of which loops nothing can be told, and why.

use ompchunk_analysis::model::LoopReport;
use ompchunk_analysis::{Change, Diff, Load, Pair, Reason, Verdict};
use ompchunk_figures::{Interval, count, counted, number, percent, time};

use crate::prose::first_names;
use crate::table::printable;

/// So many loops are named; the list has all.
const MOST: usize = 3;
/// Less of the threads' time, and what was taken is not worth a word.
const WORTH_A_WORD: f64 = 0.01;

pub fn summary(diff: &Diff<'_>) -> Vec<String> {
    let of = |verdict| Compared::from_diff(diff, |change| change.verdict == verdict);
    let (slower, faster) = (of(Verdict::Slower), of(Verdict::Faster));
    let mut sentences = Vec::new();
    if slower.is_none() && faster.is_none() {
        sentences.push(nothing(diff));
    } else {
        sentences.push(beyond_noise(&slower, &faster));
        let changed = [slower.0, faster.0].concat();
        sentences.extend(together(&changed, diff.before.seconds));
    }
    sentences.extend(load(diff, &of(Verdict::Load)));
    sentences
}

/// Loops of both runs of which the same can be said.
struct Compared<'d>(Vec<(&'d Pair<'d>, Change)>);

impl<'d> Compared<'d> {
    fn from_diff(diff: &'d Diff<'_>, is_meant: impl Fn(&Change) -> bool) -> Compared<'d> {
        let all = diff.loops.iter();
        let both = all.filter_map(|pair| Some((pair, pair.change?)));
        Compared(both.filter(|(_, change)| is_meant(change)).collect())
    }

    fn is_none(&self) -> bool {
        self.0.is_empty()
    }

    /// The first of them, each with its ratio.
    fn names(&self) -> String {
        let named = self.0.iter().map(|(pair, change)| {
            let ratio = change.ratio().map_or_else(String::new, times);
            format!("{} ({ratio})", name(pair))
        });
        first_names(named, MOST)
    }
}

fn beyond_noise(slower: &Compared<'_>, faster: &Compared<'_>) -> String {
    let named = [("slower", slower), ("faster", faster)];
    let named = named.into_iter().filter(|(_, loops)| !loops.is_none());
    let parts = named.map(|(word, loops)| format!("{word} beyond the noise of executions: {}", loops.names()));
    parts.collect::<Vec<_>>().join("; ")
}

/// No loop is slower or faster.
fn nothing(diff: &Diff<'_>) -> String {
    let both = Compared::from_diff(diff, |_| true).0.len();
    let unclear = Compared::from_diff(diff, |change| change.verdict == Verdict::Unclear).0.len();
    let by_load = Compared::from_diff(diff, |change| change.verdict == Verdict::Load);
    let but = if by_load.is_none() { "" } else { " but by what was taken from its threads" };
    match (both, unclear) {
        (0, _) if diff.loops.is_empty() => match diff.tasks.is_empty() {
            true => "no loop in either run".to_owned(),
            false => "no loop in either run; explicit tasks are compared below".to_owned(),
        },
        (0, _) => "no loop is in both runs".to_owned(),
        (both, unclear) if both == unclear => {
            "for no loop can it be told whether it differs: the reasons are below the list".to_owned()
        }
        (_, 0) => format!("no loop differs beyond the noise of its executions{but}"),
        (both, unclear) => format!(
            "no loop differs beyond the noise of its executions{but}; for {unclear} of {both} this cannot be told: the reasons are \
             below the list"
        ),
    }
}

/// What loops that differ take more or less, all their executions. Those within others are in their time.
fn together(changed: &[(&Pair<'_>, Change)], seconds: f64) -> Option<String> {
    let (mut more, mut are_all_own) = (0.0, true);
    for (pair, _) in changed {
        let (before, after) = (pair.before?, pair.after?);
        // How many were counted is known of one thread only.
        if after.counted_executions > 0 {
            return None;
        }
        if after.nested_executions == 0 {
            let (seconds, is_own) = executions_take_more(before, after)?;
            more += seconds;
            are_all_own &= is_own;
        }
    }
    let word = if more < 0.0 { "shorter" } else { "longer" };
    let without = if are_all_own { ", without what was taken from its threads" } else { "" };
    (seconds > 0.0 && more != 0.0).then(|| {
        format!(
            "for the same number of executions, the new run is about {} {word}{without}: that is {} of the old run's {}",
            time(more.abs()),
            percent(more.abs() / seconds),
            time(seconds)
        )
    })
}

/// By the times that decide, and whether these are without what was taken from threads; of several processes the mean one's.
fn executions_take_more(before: &LoopReport, after: &LoopReport) -> Option<(f64, bool)> {
    let (before, after) = (before.pace.as_ref()?, after.pace.as_ref()?);
    let own = before.own.as_ref().zip(after.own.as_ref());
    let (earlier, later) = own.unwrap_or((&before.elapsed, &after.elapsed));
    let each = after.executions as f64 / after.processes.max(1) as f64;
    Some((each * (later.seconds - earlier.seconds), own.is_some()))
}

/// What the machine did, and what that explains.
fn load(diff: &Diff<'_>, explained: &Compared<'_>) -> Option<String> {
    let sides = [&diff.before.load, &diff.after.load];
    let shares = sides.map(|load| load.taken_share);
    let most = shares.iter().flatten().copied().fold(0.0, f64::max);
    if explained.is_none() && most < WORTH_A_WORD {
        return None;
    }
    let [before, after] = shares.map(percent);
    let mut text =
        format!("{} {after} of the threads' time in loops in the run after ({before} before)", who_took(sides));
    if !explained.is_none() {
        text += &format!(": that explains the time of {}", explained.names());
    }
    Some(text)
}

/// Who may have taken it, up to the verb.
fn who_took(sides: [&Load; 2]) -> String {
    let crowds: Vec<String> = [("before", sides[0].crowd), ("after", sides[1].crowd)]
        .iter()
        .filter_map(|(when, crowd)| {
            let (threads, processors) = (*crowd)?;
            Some(format!("{threads} threads on {processors} processors {when}"))
        })
        .collect();
    if !crowds.is_empty() {
        return format!("threads that are more than processors ({}), or other programs, took", crowds.join(", "));
    }
    match sides.iter().any(|load| load.shares_cores || !load.knows_processors) {
        true => "other programs, a quota or threads that are more than processors took".to_owned(),
        false => "other programs or a quota took".to_owned(),
    }
}

/// What must be said of loops beside their verdict: once, with the names of all of which it holds.
pub fn remarks(pairs: &[Pair<'_>]) -> Vec<String> {
    let mut remarks: Vec<(String, Vec<String>)> = Vec::new();
    for pair in pairs {
        let Some(text) = remark(pair) else {
            continue;
        };
        match remarks.iter_mut().find(|(said, _)| *said == text) {
            Some((_, names)) => names.push(name(pair)),
            None => remarks.push((text, vec![name(pair)])),
        }
    }
    let lines = remarks.into_iter();
    lines.map(|(text, names)| format!("{}: {text}", names.join(", "))).collect()
}

fn remark(pair: &Pair<'_>) -> Option<String> {
    let (change, before, after) = (pair.change?, pair.before?, pair.after?);
    if change.verdict == Verdict::Load {
        return Some(with_and_without(&change));
    }
    Some(match change.reason? {
        Reason::Lost => {
            "cannot be told: chunks are lost, and what is left covers only the beginning or some threads".to_owned()
        }
        Reason::OnlySums => {
            "cannot be told: executions were only counted, so it is not known how they differ".to_owned()
        }
        Reason::FewExecutions => format!(
            "cannot be told: {} before and {} after, and at least 5 are needed of each",
            counted(before.executions, "complete execution"),
            count(after.executions)
        ),
        Reason::TripCounts => format!("times do not compare: {}", both(before, after, iterations)),
        Reason::TeamSizes => format!("times do not compare: {}", both(before, after, threads)),
        Reason::Processes => format!("times do not compare: {}", both(before, after, processes)),
        Reason::NoTime => "cannot be told: executions took no time that was measured".to_owned(),
        Reason::LoadUnknown => {
            "it is not known for both runs whether threads lost their cores: that may be the cause".to_owned()
        }
        Reason::LoadDiffers => {
            format!("cannot be told, because these contradict each other: {}", with_and_without(&change))
        }
        Reason::LoadOrLoop => format!(
            "cannot be told, because the cause may be the loop or whatever took the cores: {}",
            with_and_without(&change)
        ),
    })
}

/// Times as they are, and without what was taken.
fn with_and_without(change: &Change) -> String {
    let ratio = |ratio: Option<Interval<95>>| ratio.map_or_else(|| "-".to_owned(), interval);
    let [before, after] = change.taken_share.map(|share| share.map_or("an unknown part".to_owned(), percent));
    format!(
        "an execution takes {} times as long, and without what was taken from its threads ({before} before, {after} after) {}",
        ratio(change.elapsed),
        ratio(change.own)
    )
}

fn both(before: &LoopReport, after: &LoopReport, of: fn(&LoopReport) -> String) -> String {
    format!("{} before, {} after", of(before), of(after))
}

fn iterations(the_loop: &LoopReport) -> String {
    let mean = the_loop.pace.as_ref().map_or(0.0, |pace| pace.mean_trip_count);
    match the_loop.trip_count {
        Some([least, most]) if least == most => counted(least, "iteration"),
        Some([least, most]) => {
            format!("{} to {} iterations ({} on the average)", count(least), count(most), count(mean.round() as u64))
        }
        None => "iterations that are not known".to_owned(),
    }
}

fn threads(the_loop: &LoopReport) -> String {
    let mean = the_loop.pace.as_ref().map_or(0.0, |pace| pace.mean_team_size);
    match the_loop.team_size {
        Some([least, most]) if least == most => counted(least.into(), "thread"),
        Some([least, most]) => format!("{least} to {most} threads ({mean:.1} on the average)"),
        None => "teams that are not known".to_owned(),
    }
}

fn processes(the_loop: &LoopReport) -> String {
    let processes = the_loop.pace.as_ref().map_or(0, |pace| pace.processes);
    match processes {
        1 => "1 process".to_owned(),
        several => format!("{several} processes"),
    }
}

fn name(pair: &Pair<'_>) -> String {
    let the_loop = pair.after.or(pair.before);
    the_loop.map_or_else(String::new, |known| printable(&known.name))
}

fn times(ratio: Interval<95>) -> String {
    format!("{} times as long", number(ratio.middle))
}

pub fn interval(ratio: Interval<95>) -> String {
    ratio.written(number)
}
