//! The processes of a trace: their names, and one time for all of them.

use std::collections::{HashMap, HashSet};
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use ompchunk_analysis::sampled::Entry;
use ompchunk_trace_format::{NOBODY, Part, Trace};

use crate::name::last_component;

/// The number that Linux gives no process: from here on there is room for numbers of our own.
pub(crate) const BEYOND_PIDS: u32 = 1 << 22;

pub(crate) struct Process<'t> {
    pub(crate) part: &'t Part,
    /// Counted from 0 in the order of the trace.
    pub(crate) index: usize,
    /// The part's file without its extension: `rank-3`, `pid-4711`; of several traces perhaps `app-2-rank-3`. Different in all parts.
    pub(crate) name: String,
    /// The process's number; of parts that share one (other machines, another program), all but the first get another.
    pub(crate) pid: u32,
    /// Another part is of the same process, which then became this program.
    is_later: bool,
    pub(crate) wanted: Option<HashSet<u32>>,
    /// Nanoseconds from the trace's beginning to this part's.
    offset: f64,
}

impl Process<'_> {
    /// Nanoseconds from the trace's beginning.
    pub(crate) fn ns(&self, ticks: u64) -> f64 {
        self.offset + self.part.clock().since_start(ticks)
    }

    pub(crate) fn duration(&self, ticks: u64) -> f64 {
        self.part.clock().duration(ticks)
    }

    pub(crate) fn wants_entry(&self, entry: &Entry) -> bool {
        self.wanted.is_none() || entry.the_loop != NOBODY && self.wants(entry.the_loop)
    }

    pub(crate) fn wants(&self, the_loop: u32) -> bool {
        self.wanted.as_ref().is_none_or(|wanted| wanted.contains(&the_loop))
    }

    pub(crate) fn title(&self) -> String {
        let meta = self.part.meta();
        let program = last_component(meta.command.first().map_or("?", String::as_str));
        let later = if self.is_later { format!(" (process {} after exec)", meta.pid) } else { String::new() };
        match meta.rank {
            Some(rank) => format!("rank {rank}: {program}{later}"),
            None => format!("{program}{later}"),
        }
    }
}

pub(crate) fn select<'t>(trace: &'t Trace, ranks: &Ranks, loops: Option<&Selection>) -> Vec<Process<'t>> {
    let (mut pids, mut names) = (HashSet::new(), HashSet::new());
    let mut processes = Vec::new();
    for (part, offset) in trace.parts.iter().zip(offsets(&trace.parts)) {
        let index = processes.len();
        let meta = part.meta();
        if !ranks.have(meta.rank) {
            continue;
        }
        processes.push(Process {
            part,
            index,
            name: unique(part, &mut names),
            pid: if pids.insert(meta.pid) { meta.pid } else { BEYOND_PIDS + index as u32 },
            is_later: trace.parts.iter().any(|before| !before.head().ended && before.meta().is_followed_by(meta)),
            wanted: loops.map(|loops| loops.get(part.path()).cloned().unwrap_or_default()),
            offset,
        });
    }
    processes
}

/// What the part's file is called; with the directory in front where that was there, and a number where both were.
fn unique(part: &Part, names: &mut HashSet<String>) -> String {
    let stem = |path: Option<&Path>| path.and_then(Path::file_stem).unwrap_or_default().to_string_lossy().into_owned();
    let file = stem(Some(part.path()));
    let whole = format!("{}-{file}", stem(part.path().parent()));
    let numbered = (2..).map(|number| format!("{whole}-{number}"));
    let mut candidates = [file, whole.clone()].into_iter().chain(numbered);
    candidates.find(|name| names.insert(name.clone())).expect("numbers do not end")
}

/// Within a machine `CLOCK_MONOTONIC` is the same for all processes; between machines there is only the time of day.
fn offsets(parts: &[Part]) -> Vec<f64> {
    let Some(first) = parts.first() else { return Vec::new() };
    let difference = |from: u64, subtracted: u64| (i128::from(from) - i128::from(subtracted)) as f64;
    let offset = |part: &Part| {
        let mut on_host = parts.iter().filter(|peer| peer.meta().host == part.meta().host);
        let reference = on_host.next().unwrap_or(part);
        let within = difference(part.clock().start_ns, reference.clock().start_ns);
        within + difference(reference.meta().started, first.meta().started)
    };
    let mut offsets: Vec<f64> = parts.iter().map(offset).collect();
    let earliest = offsets.iter().copied().fold(f64::INFINITY, f64::min);
    offsets.iter_mut().for_each(|offset| *offset -= earliest);
    offsets
}

/// Some loops of a trace, by the paths of its parts and their numbers in each.
pub type Selection = HashMap<PathBuf, HashSet<u32>>;

/// Some ranks; none: all.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Ranks(pub Vec<RangeInclusive<u64>>);

impl Ranks {
    pub fn have(&self, rank: Option<u64>) -> bool {
        let is_named = |rank| self.0.iter().any(|range| range.contains(&rank));
        self.0.is_empty() || rank.is_some_and(is_named)
    }
}
