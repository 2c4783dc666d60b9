//! What a recording left out because it was asked to, so that nobody takes what is there for all.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use ompchunk_figures::{counted, time, were};
use ompchunk_trace_format::name::demangle;
use ompchunk_trace_format::select::Names;
use ompchunk_trace_format::{Event, LoopDefinition, NOBODY, Paused, Unwanted};

use crate::prose::first_names;
use crate::table::printable;

const NAMED: usize = 5;

#[derive(Debug, Default)]
pub(super) struct PartLeftOut {
    executions: BTreeMap<(Unwanted, u32), HashMap<u32, u64>>,
    /// The lowest thread and its lane: where the program itself runs.
    first: Option<(u32, u32)>,
    silent: HashMap<u32, (u64, Paused)>,
    pauses: HashMap<u32, Vec<(u64, u64, Paused)>>,
}

#[derive(Debug, Default)]
pub(super) struct LeftOut {
    meant: BTreeSet<String>,
    names: BTreeSet<String>,
    executions: BTreeMap<Unwanted, (BTreeSet<String>, u64)>,
    /// By process: seconds that were not recorded, how often, and the last reason.
    silence: Vec<(f64, usize, Paused)>,
}

impl PartLeftOut {
    pub(super) fn follow(&mut self, lane: u32, ticks: u64, event: &Event<'_>) {
        match event {
            Event::LeftOut(left_out) if left_out.the_loop != NOBODY => {
                let threads = self.executions.entry((left_out.why, left_out.the_loop)).or_default();
                *threads.entry(left_out.thread).or_default() += left_out.executions;
            }
            Event::ThreadBegin { thread, .. } => {
                let this = (*thread, lane);
                self.first = Some(self.first.map_or(this, |first| first.min(this)));
            }
            Event::Pause(why) => {
                self.silent.insert(lane, (ticks, *why));
            }
            Event::Resume => {
                if let Some((since, why)) = self.silent.remove(&lane) {
                    self.pauses.entry(lane).or_default().push((since, ticks, why));
                }
            }
            _ => {}
        }
    }
}

impl LeftOut {
    pub(super) fn defines(
        &mut self,
        loop_definition: &LoopDefinition<'_>,
        object: &[u8],
        offset: u64,
        patterns: &[String],
    ) {
        if patterns.is_empty() {
            return;
        }
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let (file, symbol, object) = (text(loop_definition.file), text(loop_definition.function), text(object));
        let function = demangle(&symbol, &file);
        let line = Some(loop_definition.line).filter(|line| *line != 0);
        let names = Names {
            file: line.map(|_| file.as_str()).filter(|file| !file.is_empty()),
            line,
            column: Some(loop_definition.column).filter(|column| *column != 0),
            function: Some(function.as_str()).filter(|function| !function.is_empty()),
            symbol: Some(symbol.as_str()).filter(|symbol| !symbol.is_empty()),
            object: Some(object.as_str()).filter(|_| line.is_none()),
            offset: line.is_none().then_some(offset),
        };
        self.names.insert(name(loop_definition, &object, offset));
        let meant = patterns.iter().filter(|pattern| names.are_meant(pattern));
        self.meant.extend(meant.cloned());
    }

    /// `loops` names the part's loops; `end` is when it ended, in ticks at this rate.
    pub(super) fn add(&mut self, part: PartLeftOut, loops: impl Fn(u32) -> String, end: u64, hertz: f64) {
        for ((why, the_loop), threads) in part.executions {
            let (names, executions) = self.executions.entry(why).or_default();
            names.insert(loops(the_loop));
            // Threads of a team have executions together.
            *executions += threads.values().copied().max().unwrap_or(0);
        }
        // Other threads fall silent and go on when they come to it.
        let Some((_, lane)) = part.first else { return };
        let mut spans = part.pauses.get(&lane).cloned().unwrap_or_default();
        spans.extend(part.silent.get(&lane).map(|(since, why)| (*since, end.max(*since), *why)));
        let Some(&(_, _, why)) = spans.last() else { return };
        let ticks: u64 = spans.iter().map(|(from, until, _)| until - from).sum();
        self.silence.push((ticks as f64 / hertz, spans.len(), why));
    }

    pub(super) fn text(&self, patterns: &[String]) -> String {
        let mut text = String::new();
        let longest = self.silence.iter().max_by(|one, other| one.0.total_cmp(&other.0));
        if let Some((seconds, times, why)) = longest {
            let what = match (why, times) {
                (Paused::ByTime, _) => "--for".to_owned(),
                (_, 1) => "the program paused it (omp_control_tool)".to_owned(),
                (_, times) => format!("the program paused it {times} times (omp_control_tool)"),
            };
            let of = match self.silence.len() {
                1 => String::new(),
                parts => format!(", in the process with most, of {parts}"),
            };
            text += &format!("ompchunk: {} were not recorded{of}: {what}\n", time(*seconds));
        }
        for (why, (names, executions)) in &self.executions {
            let loops = counted(names.len() as u64, "loop");
            let which = match why {
                Unwanted::Loop => "that --loop does not name",
                Unwanted::Skipped => "at the beginning (--skip)",
                Unwanted::Costly | Unwanted::Other(_) => "for a reason that a later version knows",
            };
            let (times, were) = (counted(*executions, "execution"), were(*executions));
            text += &format!("ompchunk: {times} of {loops} {were} left out {which}\n");
        }
        for pattern in patterns.iter().filter(|pattern| !self.meant.contains(*pattern)) {
            let names = format!("; these are {}", first_names(self.names.iter(), NAMED));
            let names = if self.names.is_empty() { "" } else { &names };
            text += &format!("ompchunk: --loop {pattern} matches none of the loops that ran{names}\n");
        }
        text
    }
}

/// `a.c:7`, or `app+0x12`.
pub(super) fn name(loop_definition: &LoopDefinition<'_>, object: &str, offset: u64) -> String {
    match loop_definition.line {
        0 => in_object(object, offset),
        line => format!("{}:{line}", base(&String::from_utf8_lossy(loop_definition.file))),
    }
}

pub(super) fn in_object(object: &str, offset: u64) -> String {
    format!("{}+{offset:#x}", base(object))
}

pub(super) fn base(path: &str) -> String {
    printable(path.rsplit('/').next().unwrap_or(path))
}
