//! `--diff`: two runs side by side, after sentences about what differs beyond noise and what the machine did meanwhile.

use std::path::Path;

use ompchunk_analysis::model::{ConstructReport, LoopReport};
use ompchunk_analysis::{Change, Diff, Load, Pair, Reason, TaskPair, Verdict};
use ompchunk_figures::{Interval, counted, number};
use serde::Serialize;

use super::dealing::hides_work;
use super::units::{GREEN, RED, YELLOW, count, first_rows, percent, percent_at_most, schedule, shown, time};
use crate::prose::{first_names, wrapped};
use crate::signature::short;
use crate::table::{Cell, Field, printable, render};

const MOST: usize = 3;
/// Less of the threads' time, and what was taken is not worth a word.
const WORTH_A_WORD: f64 = 0.01;

#[derive(Serialize)]
struct Data<'d> {
    #[serde(flatten)]
    diff: &'d Diff<'d>,
    summary: Vec<String>,
}

pub fn json(diff: &Diff<'_>) -> serde_json::Result<String> {
    serde_json::to_string_pretty(&Data { diff, summary: summary(diff) })
}

/// What differs, the table, `top` loops of it (0: all), and what must be said of these.
pub fn text(diff: &Diff<'_>, before: &Path, after: &Path, top: usize, width: Option<usize>) -> String {
    let name = |path: &Path| printable(&path.display().to_string());
    let mut text = format!("before: {}\nafter:  {}\n\n", name(before), name(after));
    for sentence in summary(diff) {
        text += &wrapped(&sentence, width);
    }
    text.push('\n');
    let shown = shown(top, diff.loops.len());
    let rows: Vec<Vec<Field>> = diff.loops[..shown].iter().map(row).collect();
    if !rows.is_empty() || diff.tasks.is_empty() {
        text += &render(&rows, 0, width);
    }
    if shown < diff.loops.len() {
        text += &format!("{} more: --top 0 lists all\n", diff.loops.len() - shown);
    }
    for remark in remarks(&diff.loops[..shown]) {
        text += &wrapped(&remark, width);
    }
    if !diff.tasks.is_empty() {
        let head = "\nexplicit tasks; work is their own time, and change is that of work: sums of one run each, so without a verdict; creation is the mean of one task\n";
        text += &wrapped(head, width);
        first_rows(&diff.tasks, top, task_row, width, &mut text);
    }
    text
}

fn both<T>(before: Option<&T>, after: Option<&T>, written: impl Fn(&T) -> String) -> String {
    let [before, after] = [before, after].map(|side| side.map_or_else(|| "-".to_owned(), &written));
    if before == after { before } else { format!("{before} → {after}") }
}

fn row(pair: &Pair<'_>) -> Vec<Field> {
    let both = |written: &dyn Fn(&LoopReport) -> String| both(pair.before, pair.after, written);
    let ratio = pair.change.and_then(|change| change.ratio());
    let cost = |found: Option<&LoopReport>| found.map(LoopReport::cost);
    let efficiency = |found: &LoopReport| percent_at_most(found.metrics.parallel_efficiency, hides_work(found));
    vec![
        Field::text("verdict", 0, verdict(pair)),
        Field::number("execution [95 %]", 1, ratio.map_or("-".to_owned(), |ratio| ratio.written(number))),
        Field::number("runs", 3, both(&|found| count(found.executions + found.counted_executions))),
        Field::number("change", 2, change(cost(pair.before), cost(pair.after))),
        Field::number("time", 0, both(&|found| time(found.cost()))),
        Field::number("efficiency", 1, both(&efficiency)),
        Field::number("balance", 3, both(&|found| percent(found.metrics.load_balance.or(found.total_load_balance)))),
        Field::number("chunks", 4, both(&|found| count(found.chunks))),
        Field::number("longest chunk", 6, both(&|found| time(found.chunk_seconds.as_ref().map(|chunks| chunks.max)))),
        Field::text("schedule", 2, both(&schedule)),
        Field::text("loop", 0, both(&|found| found.name.clone())),
        Field::text("function", 5, both(&|found| short(found.identity.function.as_deref().unwrap_or("-")))),
    ]
}

fn verdict(pair: &Pair<'_>) -> Cell {
    let Some(change) = pair.change else {
        return Cell::from(if pair.after.is_some() { "new" } else { "gone" });
    };
    match change.verdict {
        Verdict::Slower => Cell::styled("slower", RED),
        Verdict::Faster => Cell::styled("faster", GREEN),
        Verdict::WithinNoise => Cell::from("within noise"),
        Verdict::Load => Cell::styled("machine load", YELLOW),
        Verdict::Unclear => Cell::from("unclear"),
    }
}

fn change(before: Option<f64>, after: Option<f64>) -> Cell {
    match (before, after) {
        (Some(before), Some(after)) if before > 0.0 => Cell::from(format!("{:+.1} %", (after / before - 1.0) * 100.0)),
        _ => Cell::from("-"),
    }
}

fn task_row(pair: &TaskPair<'_>) -> Vec<Field> {
    let both = |written: &dyn Fn(&ConstructReport) -> String| both(pair.before, pair.after, written);
    let change = match (pair.before, pair.after) {
        (None, _) => Cell::from("new"),
        (_, None) => Cell::from("gone"),
        (before, after) => change(before.map(|of| of.work_seconds), after.map(|of| of.work_seconds)),
    };
    vec![
        Field::number("tasks", 0, both(&|of| count(of.created))),
        Field::number("change", 2, change),
        Field::number("work", 0, both(&|of| time(of.work_seconds))),
        Field::number("creation", 1, both(&|of| time(of.mean_creation()))),
        Field::text("created at", 0, printable(&both(&|of| of.site.name.clone()))),
        Field::text("function", 3, printable(&both(&|of| of.site.function.clone().unwrap_or_else(|| "-".to_owned())))),
    ]
}

fn summary(diff: &Diff<'_>) -> Vec<String> {
    let of = |verdict| compared(diff, |change| change.verdict == verdict);
    let (slower, faster) = (of(Verdict::Slower), of(Verdict::Faster));
    let mut sentences = Vec::new();
    if slower.is_empty() && faster.is_empty() {
        sentences.push(nothing(diff));
    } else {
        let named = [("slower", &slower), ("faster", &faster)].into_iter().filter(|(_, loops)| !loops.is_empty());
        let parts = named.map(|(word, loops)| format!("{word} beyond the noise of executions: {}", names(loops)));
        sentences.push(parts.collect::<Vec<_>>().join("; "));
        let changed = [slower, faster].concat();
        sentences.extend(together(&changed, diff.before.seconds));
    }
    sentences.extend(load(diff, &of(Verdict::Load)));
    sentences
}

type Compared<'d> = (&'d Pair<'d>, Change);

fn compared<'d>(diff: &'d Diff<'_>, is_meant: impl Fn(&Change) -> bool) -> Vec<Compared<'d>> {
    let both = diff.loops.iter().filter_map(|pair| Some((pair, pair.change?)));
    both.filter(|(_, change)| is_meant(change)).collect()
}

fn names(loops: &[Compared<'_>]) -> String {
    let named = loops.iter().map(|(pair, change)| {
        let ratio = change.ratio().map(|ratio| format!("{} times as long", number(ratio.middle)));
        format!("{} ({})", name(pair), ratio.unwrap_or_default())
    });
    first_names(named, MOST)
}

fn nothing(diff: &Diff<'_>) -> String {
    let both = compared(diff, |_| true).len();
    let unclear = compared(diff, |change| change.verdict == Verdict::Unclear).len();
    let by_load = compared(diff, |change| change.verdict == Verdict::Load);
    let but = if by_load.is_empty() { "" } else { " but by what was taken from its threads" };
    match (both, unclear) {
        (0, _) if diff.loops.is_empty() && diff.tasks.is_empty() => "no loop in either run".to_owned(),
        (0, _) if diff.loops.is_empty() => "no loop in either run; explicit tasks are compared below".to_owned(),
        (0, _) => "no loop is in both runs".to_owned(),
        _ if both == unclear => {
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
fn together(changed: &[Compared<'_>], seconds: f64) -> Option<String> {
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
        let share = percent(more.abs() / seconds);
        let [more, all] = [more.abs(), seconds].map(time);
        format!(
            "for the same number of executions, the new run is about {more} {word}{without}: that is {share} of the old run's {all}"
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

fn load(diff: &Diff<'_>, explained: &[Compared<'_>]) -> Option<String> {
    let sides = [&diff.before.load, &diff.after.load];
    let shares = sides.map(|load| load.taken_share);
    let most = shares.iter().flatten().copied().fold(0.0, f64::max);
    if explained.is_empty() && most < WORTH_A_WORD {
        return None;
    }
    let [before, after] = shares.map(percent);
    let mut text =
        format!("{} {after} of the threads' time in loops in the run after ({before} before)", who_took(sides));
    if !explained.is_empty() {
        text += &format!(": that explains the time of {}", names(explained));
    }
    Some(text)
}

fn who_took(sides: [&Load; 2]) -> String {
    let crowds = ["before", "after"].into_iter().zip(sides).filter_map(|(when, load)| {
        let (threads, processors) = load.crowd?;
        Some(format!("{threads} threads on {processors} processors {when}"))
    });
    let crowds: Vec<String> = crowds.collect();
    if !crowds.is_empty() {
        return format!("threads that are more than processors ({}), or other programs, took", crowds.join(", "));
    }
    let may_be_crowd = sides.iter().any(|load| load.shares_cores || !load.knows_processors);
    let threads = if may_be_crowd { ", a quota or threads that are more than processors" } else { " or a quota" };
    format!("other programs{threads} took")
}

/// What must be said of loops beside their verdict: once, with the names of all of which it holds.
fn remarks(pairs: &[Pair<'_>]) -> Vec<String> {
    let mut remarks: Vec<(String, Vec<String>)> = Vec::new();
    for pair in pairs {
        let Some(text) = remark(pair) else { continue };
        match remarks.iter_mut().find(|(said, _)| *said == text) {
            Some((_, names)) => names.push(name(pair)),
            None => remarks.push((text, vec![name(pair)])),
        }
    }
    remarks.into_iter().map(|(text, names)| format!("{}: {text}", names.join(", "))).collect()
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
        Reason::TripCounts => format!("times do not compare: {}", before_and_after(before, after, iterations)),
        Reason::TeamSizes => format!("times do not compare: {}", before_and_after(before, after, threads)),
        Reason::Processes => format!("times do not compare: {}", before_and_after(before, after, processes)),
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

fn with_and_without(change: &Change) -> String {
    let ratio = |ratio: Option<Interval<95>>| ratio.map_or_else(|| "-".to_owned(), |ratio| ratio.written(number));
    let [elapsed, own] = [change.elapsed, change.own].map(ratio);
    let [before, after] = change.taken_share.map(|share| share.map_or("an unknown part".to_owned(), percent));
    format!(
        "an execution takes {elapsed} times as long, and without what was taken from its threads ({before} before, {after} after) {own}"
    )
}

fn before_and_after(before: &LoopReport, after: &LoopReport, of: fn(&LoopReport) -> String) -> String {
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
    match the_loop.pace.as_ref().map_or(0, |pace| pace.processes) {
        1 => "1 process".to_owned(),
        several => format!("{several} processes"),
    }
}

fn name(pair: &Pair<'_>) -> String {
    pair.after.or(pair.before).map_or_else(String::new, |known| printable(&known.name))
}
