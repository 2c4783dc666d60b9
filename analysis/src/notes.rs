//! What must be known before the numbers are believed: what is missing, and where.

use std::collections::{BTreeMap, BTreeSet};

use ompchunk_figures::{are, counted, percent, time};
use ompchunk_trace_format::{Error, Part, Reason, ended, shown};

use crate::model::{LoopReport, Note, OpenAccReport, PartReport, Report};
use crate::part::{LoopSums, PartSums};
use crate::process::Context;

/// One directory may hold ranks of several runs, where the launcher told too little to refuse that.
pub(crate) fn runs(context: &Context<'_>) -> Option<Note> {
    let Context { parts, sums, processes } = context;
    let began = |at: usize| parts[at].meta().started;
    let ended = |at: usize| began(at) as f64 + sums[at].clock.since_start(sums[at].last);
    // The first part of each process, and the one that ends last.
    let mut spans: BTreeMap<usize, (usize, usize)> = BTreeMap::new();
    for (at, process) in processes.of.iter().enumerate() {
        let (first, last) = spans.entry(*process).or_insert((at, at));
        *first = std::cmp::min_by_key(*first, at, |part| began(*part));
        *last = std::cmp::max_by(*last, at, |a, b| ended(*a).total_cmp(&ended(*b)));
    }
    let is_rank = |at: usize| {
        let meta = parts[at].meta();
        meta.rank.is_some() && meta.forked_from.is_none()
    };
    spans.retain(|_, (first, _)| is_rank(*first));
    let ranks = || spans.values().copied();
    let (_, first) = ranks().min_by(|one, other| ended(one.1).total_cmp(&ended(other.1)))?;
    let (last, _) = ranks().max_by_key(|(part, _)| began(*part))?;
    let apart = ended(first) < began(last) as f64;
    let jobs: BTreeSet<_> = ranks().filter_map(|(part, _)| parts[part].meta().job.as_ref()).collect();
    if jobs.len() < 2 && !apart {
        return None;
    }
    let file = |part: &Part| shown(part.path());
    let text = match jobs.len() {
        0 | 1 => format!(
            "{} had ended before {} began: if these are not ranks of one run, report them separately",
            file(parts[first]),
            file(parts[last])
        ),
        jobs => format!("the parts belong to {jobs} jobs: figures for all ranks together mean little"),
    };
    Some(new_note("runs", text))
}

impl Report {
    pub fn skips(&mut self, error: &Error) {
        let text = format!("{error}; the report is without that part (next: {})", error.next());
        self.notes.insert(0, new_note("skipped", text));
    }

    /// Ranks are numbered from 0 without a gap, so that others than the highest are known to be missing. `named`: those, written short.
    pub fn misses(&mut self, named: &str) {
        let text = format!(
            "no part of rank {named} is here: it recorded nothing, or its part is elsewhere; the report is without it"
        );
        self.notes.insert(0, new_note("missing-ranks", text));
    }

    /// A part without an end has none yet: its process still writes it.
    pub fn grows(&mut self, part: usize) {
        let part = &mut self.parts[part];
        part.growing = true;
        let text = format!(
            "{}: process {} is still writing this part, {} so far; what is running is not added up",
            part.name,
            part.pid,
            time(part.seconds)
        );
        let place = self.notes.iter().position(|note| note.code == CUT).unwrap_or(self.notes.len());
        self.notes.retain(|note| note.code != CUT);
        self.notes.insert(place, new_note("growing", text));
        self.notes.splice(place + 1..place + 1, cut(&self.parts));
    }
}

const CUT: &str = "cut";
const NAMED: usize = 3;

/// Parts without an end, in one note: a program may have started hundreds of processes that end by `_exit`.
fn cut(parts: &[PartReport]) -> Option<Note> {
    let is_cut =
        |part_report: &&PartReport| part_report.cut && !part_report.growing && part_report.went_on_in.is_none();
    let cut: Vec<&PartReport> = parts.iter().filter(is_cut).collect();
    let text = match cut[..] {
        [] => return None,
        [part] => format!(
            "{}: the trace is cut at {:.3} s: its process ended without exit (_exit), was killed or crashed, became another \
             program (exec), runs on another machine, could write no more (ulimit -f), or the copy is incomplete; what was running then is not added up",
            part.name, part.seconds
        ),
        _ => {
            let named: Vec<&str> = cut.iter().take(NAMED).map(|cut| cut.name.as_str()).collect();
            let more = match cut.len().saturating_sub(NAMED) {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            format!(
                "{} parts are cut ({}{more}): their processes ended without exit (_exit), were killed or crashed, became other \
                 programs (exec), run on another machine, or the copies are incomplete; what was running then is not added up",
                cut.len(),
                named.join(", ")
            )
        }
    };
    Some(new_note(CUT, text))
}

fn share_lost(part: &PartReport, sums: &PartSums) -> String {
    let there: u64 = sums.loops.iter().map(LoopSums::chunks).sum();
    match part.lost_chunks {
        0 => "none".to_owned(),
        lost => percent(lost as f64 / (lost + there) as f64),
    }
}

/// What a recording that tells no executions still tells, and until when.
fn sums_until(part: &PartReport) -> String {
    let Some(added_up) = part.added_up else { return String::new() };
    let until = if part.cut { format!("; they are as of {:.3} s", part.seconds) } else { String::new() };
    format!(
        "{until}; {} parallel regions took {} of {}, and threads waited {} in all at barriers",
        added_up.regions,
        time(added_up.region_seconds),
        time(part.seconds),
        time(added_up.wait_seconds)
    )
}

pub(crate) fn openacc(parts: &[PartReport], all: &[OpenAccReport], stray: u64) -> Vec<Note> {
    let mut notes = Vec::new();
    if all.is_empty() && stray == 0 {
        return notes;
    }
    let alone = parts.iter().filter(|part| part.runtime.is_empty()).count();
    if alone > 0 {
        let which = match parts.len() {
            1 => "no OpenMP runtime".to_owned(),
            parts => format!("in {alone} of {parts} parts no OpenMP runtime"),
        };
        let text = format!(
            "{which} with a tools interface was there (GCC's has none): only OpenACC was recorded, and nothing is known about \
             OpenMP loops and regions"
        );
        notes.push(new_note("openacc-alone", text));
    }
    let untimed = without_end(all);
    if untimed + stray > 0 {
        let text = format!(
            "the OpenACC runtime reported {untimed} starts without their ends, and {stray} ends without a start: they are counted \
             but have no time"
        );
        notes.push(new_note("openacc-unpaired", text));
    }
    notes
}

fn without_end(all: &[OpenAccReport]) -> u64 {
    all.iter().filter(|operation| operation.lasts()).map(|operation| operation.untimed).sum()
}

/// A note about OpenMP's `target`. There are runtimes that tell of data and kernels only once.
pub(crate) fn target(all: &[OpenAccReport], stray: u64) -> Option<Note> {
    let untimed = without_end(all);
    let text = format!(
        "of target, the OpenMP runtime reported {untimed} operations without an end, and {stray} ends without a begin: they are \
         counted but have no time"
    );
    (untimed + stray > 0).then(|| new_note("target-unpaired", text))
}

/// What chunks wait for is in their time.
pub(crate) fn target_in_chunks(seconds: f64) -> Option<Note> {
    let seconds = Some(seconds).filter(|seconds| *seconds > 0.0).map(time)?;
    let text =
        format!("{seconds} of thread time in operations of target are inside chunks, and count as work of their loops");
    Some(new_note("target-in-chunks", text))
}

/// Parts that somebody made shorter while they were recorded. What that has cost nobody knows.
pub(crate) fn truncated(reports: &[PartReport], parts: &[&Part]) -> Vec<Note> {
    let is_truncated = |part: &Part| part.head().lost_reason == Some(Reason::Truncated);
    reports.iter().zip(parts).filter(|(_, part)| is_truncated(part))
        .map(|(PartReport { name, .. }, _)| Note {
            code: "truncated",
            text: format!(
                "{name}: the file was truncated while it was recorded: chunks and perhaps the names of loops from before are missing, \
                 and sums are too small (record again, and leave the directory alone until the program has ended)"
            ),
        })
        .collect()
}

/// Programs that did not end well: what they recorded may not be what was meant to run.
pub(crate) fn failed(parts: &[&Part]) -> Vec<Note> {
    let known = parts.iter().filter_map(|part| Some((part.meta(), ended::beside(part.path())?)));
    known.map(|(meta, how)| new_note("program-failed", format!("process {} ended {how}", meta.pid))).collect()
}

pub(crate) fn missing(parts: &[PartReport], sums: &[PartSums], loops: &[LoopReport]) -> Vec<Note> {
    let mut cut = cut(parts);
    let mut notes = Vec::new();
    for (part, sums) in parts.iter().zip(sums) {
        if let Some(next) = part.went_on_in.filter(|_| part.cut) {
            notes.push(became_another(part, &parts[next]));
        } else if part.cut {
            notes.extend(cut.take());
        }
        notes.extend(room_ran_out(part, sums));
        notes.extend(left_out_as_asked(part));
        notes.extend(overlap(part, sums));
        notes.extend(disorder(part, sums));
    }
    notes.extend(missing_chunks(loops));
    notes.extend(profiled(loops));
    notes
}

fn new_note(code: &'static str, text: String) -> Note {
    Note { code, text }
}

fn became_another(part: &PartReport, next: &PartReport) -> Note {
    let text = format!(
        "{}: at {:.3} s the process became another program (exec), which is {}; what was running then is \
         not added up",
        part.name, part.seconds, next.name
    );
    new_note("exec", text)
}

fn room_ran_out(part: &PartReport, sums: &PartSums) -> Option<Note> {
    let text = || {
        format!(
            "{}: {}{}, {} of all, and {} are not in the trace for lack of room; \
             executions that miss some are not added up (raise --max-size, or record \
             with --sample or --aggregate)",
            part.name,
            // Threads tell now and then.
            if part.cut { "at least " } else { "" },
            counted(part.lost_chunks, "chunk"),
            share_lost(part, sums),
            counted(part.lost_events, "other record")
        )
    };
    (part.lost_chunks + part.lost_events > 0).then(|| new_note("lost", text()))
}

fn left_out_as_asked(part: &PartReport) -> Option<Note> {
    let name = &part.name;
    match part.sample {
        0 => Some(new_note(
            "aggregate",
            format!("{name}: recorded with --aggregate: no executions, sums per thread only{}", sums_until(part)),
        )),
        1 => None,
        sample => Some(new_note(
            "sample",
            format!(
                "{name}: recorded with --sample {sample}: times and efficiencies come from the recorded executions, about one in \
                 {sample}; chunks and threads count all"
            ),
        )),
    }
}

fn overlap(part: &PartReport, sums: &PartSums) -> Option<Note> {
    let in_loops = sums.loops.iter().map(|the_loop| the_loop.executions.outermost).sum::<f64>() / sums.clock.hertz;
    let text = || {
        format!(
            "{}: loops ran at the same time, in threads that the program itself started: their times \
             add up to {}, more than the {} of the run",
            part.name,
            time(in_loops),
            time(part.seconds)
        )
    };
    // Clocks are not read at one moment.
    (in_loops > part.seconds * 1.01).then(|| new_note("overlap", text()))
}

fn disorder(part: &PartReport, sums: &PartSums) -> Option<Note> {
    let text = || {
        format!(
            "{}: {} {} outside of any loop: ompchunk report --check names what is wrong",
            part.name,
            counted(sums.stray, "chunk"),
            are(sums.stray)
        )
    };
    (sums.stray > 0).then(|| new_note("disorder", text()))
}

fn profiled(loops: &[LoopReport]) -> Option<Note> {
    const NAMED: usize = 5;
    let all = || loops.iter().filter_map(|the_loop| Some(format!("{}: {}", the_loop.name, the_loop.profiled()?)));
    let mut text = all().take(NAMED).collect::<Vec<_>>().join("; ");
    let more = all().count().saturating_sub(NAMED);
    if more > 0 {
        text += &format!("; and so {}", counted(more as u64, "other loop"));
    }
    (!text.is_empty()).then(|| new_note("profiled", text))
}

fn missing_chunks(loops: &[LoopReport]) -> Option<Note> {
    let incomplete = loops.iter().filter(|the_loop| !the_loop.chunks_complete).count();
    let (whose, its) = match incomplete {
        0 => return None,
        1 => ("1 loop was".to_owned(), "its"),
        _ => (format!("{incomplete} loops were"), "their"),
    };
    let text = format!(
        "{whose} compiled without the plugin: {its} single chunks are not known, so all time of threads there counts as work"
    );
    Some(new_note("untold", text))
}
