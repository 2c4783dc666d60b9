//! What pictures of a loop need, binned while a trace is read a second time: when the first pass has told the
//! ranges, a picture has a fixed size whatever the number of chunks.

use std::collections::HashMap;

use ompchunk_trace_format::{At, Chunk, Error, Event, Part};
use serde::Serialize;

use crate::model::LoopReport;
use crate::part::{LoopSums, PartSums};
use crate::scan::{Visit, scan};

/// Bins of iterations.
pub const COLUMNS: usize = 160;
/// Bins of durations.
pub const ROWS: usize = 40;
/// Bins of time in all rows of a timeline together, and the fewest and most in one row.
const BINS: usize = 12_000;
const BINS_PER_ROW: std::ops::RangeInclusive<usize> = 60..=800;

/// The pictures of one loop.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Pictures {
    /// The longest execution, thread by thread; `None` if no execution is told completely.
    pub timeline: Option<Timeline>,
    /// Chunks by iterations and duration; `None` if no chunk is told.
    pub heat: Option<Heat>,
}

/// One execution.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Timeline {
    /// In which part.
    pub part: usize,
    /// When it began, from the start of the part.
    pub begin_seconds: f64,
    /// How long it took.
    pub seconds: f64,
    /// Its chunks: those that are shorter than a bin are put together.
    pub spans: Vec<Span>,
}

/// One chunk, or several short ones after each other.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Span {
    /// The thread.
    pub thread: u32,
    /// From the execution's begin.
    pub from: f64,
    /// Likewise.
    pub to: f64,
    /// How many chunks.
    pub chunks: u64,
    /// The longest of them.
    pub longest: f64,
    /// Time in chunks, of what is between `from` and `to`.
    pub busy: f64,
    /// Lowest and highest logical iteration.
    pub logical: [u64; 2],
    /// The user's values there.
    pub user: Option<[i128; 2]>,
}

/// How many chunks ran which iterations in which time.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Heat {
    /// Iterations, divided evenly into [`COLUMNS`].
    pub iterations: u64,
    /// Durations, divided evenly by their logarithm into [`ROWS`].
    pub seconds: [f64; 2],
    /// Column by column, the shortest duration first. A chunk counts in every column that it has a part of.
    pub counts: Vec<u32>,
}

/// What is wanted of a loop.
struct Wanted<'a> {
    sums: &'a LoopSums,
    iterations: u64,
    /// Durations in ticks, as logarithms: lowest, and bins per unit.
    low: f64,
    scale: f64,
    /// The execution: begin, end, region.
    execution: Option<(u64, u64, u64)>,
    bin: u64,
}

/// Reads parts again for the pictures of some loops, each named with the sums of the parts that have it.
pub(crate) fn pictures(
    parts: &[&Part],
    sums: &[PartSums],
    loops: &[&LoopReport],
    progress: &(dyn Fn(u64) + Sync),
) -> Result<Vec<Pictures>, Error> {
    let mut all = vec![Pictures::default(); loops.len()];
    // The part with the longest execution has the timeline.
    let length = |part: usize, it: &LoopSums| {
        let longest = it.executions.longest.map(|(begin, end, _)| end - begin);
        longest.map(|ticks| ticks as f64 / sums[part].clock.hertz)
    };
    let mut where_longest: Vec<Option<(usize, f64)>> = vec![None; loops.len()];
    for (part, sums) in sums.iter().enumerate() {
        for (at, the_loop) in loops.iter().enumerate() {
            let found = sums
                .loops
                .iter()
                .find(|it| it.identity == the_loop.identity);
            if let Some(seconds) = found.and_then(|it| length(part, it)) {
                if where_longest[at].is_none_or(|(_, most)| seconds > most) {
                    where_longest[at] = Some((part, seconds));
                }
            }
        }
    }
    for (number, (part, sums)) in parts.iter().zip(sums).enumerate() {
        let mut wanted = Vec::new();
        let mut places = Vec::new();
        for (at, the_loop) in loops.iter().enumerate() {
            let found = sums
                .loops
                .iter()
                .find(|it| it.identity == the_loop.identity);
            if let Some(found) = found.filter(|_| the_loop.chunks_complete) {
                let timeline = where_longest[at].is_some_and(|(part, _)| part == number);
                wanted.push(Wanted::new(the_loop, found, sums.clock.hertz, timeline));
                places.push(at);
            }
        }
        let numbers: HashMap<u32, usize> = wanted
            .iter()
            .enumerate()
            .flat_map(|(at, it)| it.sums.numbers.iter().map(move |number| (*number, at)))
            .collect();
        let lanes = scan(
            part,
            || Lane::new(&wanted, &numbers),
            |_, bytes| progress(bytes),
        )?;
        for lane in lanes {
            for (slot, mut found) in lane.found.into_iter().enumerate() {
                let to = &mut all[places[slot]];
                let the_loop = loops[places[slot]];
                if let Some((low, high)) = durations(the_loop).filter(|_| !found.heat.is_empty()) {
                    let heat = to.heat.get_or_insert_with(|| Heat {
                        iterations: iterations(the_loop),
                        seconds: [low, high],
                        counts: vec![0; COLUMNS * ROWS],
                    });
                    for (all, one) in heat.counts.iter_mut().zip(&found.heat) {
                        *all = all.saturating_add(*one);
                    }
                }
                if let Some((begin, end, _)) = wanted[slot].execution {
                    let seconds = |ticks: u64| ticks as f64 / sums.clock.hertz;
                    let timeline = to.timeline.get_or_insert_with(|| Timeline {
                        part: number,
                        begin_seconds: sums.clock.since_start(begin) / 1e9,
                        seconds: seconds(end - begin),
                        spans: Vec::new(),
                    });
                    timeline.spans.extend(
                        found
                            .spans
                            .drain(..)
                            .map(|it| it.span(begin, &wanted[slot], seconds)),
                    );
                }
            }
        }
    }
    for it in &mut all {
        if let Some(timeline) = &mut it.timeline {
            let key = |it: &Span| (it.thread, it.from);
            timeline.spans.sort_by(|one, other| {
                let ((a, b), (c, d)) = (key(one), key(other));
                a.cmp(&c).then(b.total_cmp(&d))
            });
        }
    }
    Ok(all)
}

impl<'a> Wanted<'a> {
    fn new(the_loop: &LoopReport, sums: &'a LoopSums, hertz: f64, timeline: bool) -> Wanted<'a> {
        let threads = the_loop.team_size.map_or(1, |[_, most]| most.max(1)) as usize;
        let (least, most) = (*BINS_PER_ROW.start(), *BINS_PER_ROW.end());
        let bins = (BINS / threads).clamp(least, most) as u64;
        let execution = sums.executions.longest.filter(|_| timeline);
        let (low, high) = durations(the_loop).unwrap_or((1.0, 2.0));
        let (low, high) = ((low * hertz).ln(), (high * hertz).ln());
        Wanted {
            sums,
            iterations: iterations(the_loop),
            low,
            scale: ROWS as f64 / (high - low),
            execution,
            bin: execution.map_or(1, |(begin, end, _)| ((end - begin) / bins).max(1)),
        }
    }
}

fn iterations(the_loop: &LoopReport) -> u64 {
    the_loop.trip_count.map_or(0, |[_, most]| most)
}

/// Shortest and longest, never the same, never zero.
fn durations(the_loop: &LoopReport) -> Option<(f64, f64)> {
    let all = the_loop.chunk_seconds.as_ref()?;
    let low = all.min.max(1e-9);
    Some((low, all.max.max(low * 1.1)))
}

#[derive(Debug, Default, Clone)]
struct Found {
    heat: Vec<u32>,
    spans: Vec<Ticks>,
}

/// A [`Span`] in ticks.
#[derive(Debug, Clone, Copy)]
struct Ticks {
    thread: u32,
    from: u64,
    to: u64,
    chunks: u64,
    longest: u64,
    busy: u64,
    logical: [u64; 2],
    start: Option<i64>,
    step: Option<i64>,
}

impl Ticks {
    fn span(self, begin: u64, wanted: &Wanted<'_>, seconds: impl Fn(u64) -> f64) -> Span {
        let values = wanted.sums.variable.values(self.start, self.step);
        let [low, high] = self.logical;
        Span {
            thread: self.thread,
            from: seconds(self.from.saturating_sub(begin)),
            to: seconds(self.to.saturating_sub(begin)),
            chunks: self.chunks,
            longest: seconds(self.longest),
            busy: seconds(self.busy),
            logical: self.logical,
            user: values.map(|values| [values.at(low), values.at(high)]),
        }
    }
}

struct Open {
    slot: Option<usize>,
    /// It is the execution that the timeline shows.
    shown: bool,
    chunk: Option<(u64, Chunk)>,
    /// The recorder's own time in it.
    recorder: u64,
    thread: u32,
    start: Option<i64>,
    step: Option<i64>,
}

struct Lane<'a> {
    wanted: &'a [Wanted<'a>],
    numbers: &'a HashMap<u32, usize>,
    found: Vec<Found>,
    open: Vec<Open>,
    regions: Vec<u64>,
}

impl<'a> Lane<'a> {
    fn new(wanted: &'a [Wanted<'a>], numbers: &'a HashMap<u32, usize>) -> Lane<'a> {
        Lane {
            wanted,
            numbers,
            found: vec![Found::default(); wanted.len()],
            open: Vec::new(),
            regions: Vec::new(),
        }
    }

    fn close(&mut self, end: u64) {
        let Some(open) = self.open.last_mut() else {
            return;
        };
        let (Some(slot), Some((begin, chunk))) = (open.slot, open.chunk.take()) else {
            return;
        };
        let wanted = &self.wanted[slot];
        let found = &mut self.found[slot];
        let recorder = std::mem::take(&mut open.recorder);
        let duration = end.saturating_sub(begin).saturating_sub(recorder);
        found.count(wanted, &chunk, duration);
        if open.shown {
            let logical = [
                chunk.lower,
                chunk.lower.wrapping_add(chunk.iterations.saturating_sub(1)),
            ];
            found.span(
                wanted,
                Ticks {
                    thread: open.thread,
                    from: begin,
                    to: end,
                    chunks: 1,
                    longest: duration,
                    busy: duration,
                    logical,
                    start: open.start,
                    step: open.step,
                },
            );
        }
    }
}

impl Found {
    fn count(&mut self, wanted: &Wanted<'_>, chunk: &Chunk, duration: u64) {
        if wanted.iterations == 0 {
            return;
        }
        if self.heat.is_empty() {
            self.heat = vec![0; COLUMNS * ROWS];
        }
        let row = (((duration.max(1) as f64).ln() - wanted.low) * wanted.scale) as usize;
        let row = row.min(ROWS - 1);
        let scale = COLUMNS as f64 / wanted.iterations as f64;
        let last = chunk
            .lower
            .saturating_add(chunk.iterations.saturating_sub(1));
        let column = |iteration: u64| ((iteration as f64 * scale) as usize).min(COLUMNS - 1);
        for column in column(chunk.lower)..=column(last) {
            let count = &mut self.heat[column * ROWS + row];
            *count = count.saturating_add(1);
        }
    }

    /// Appends a chunk, or puts it to those of the same bin.
    fn span(&mut self, wanted: &Wanted<'_>, it: Ticks) {
        let bin = |ticks: u64| ticks / wanted.bin;
        let last = self.spans.last_mut().filter(|last| {
            let both_short = last.longest < wanted.bin && it.longest < wanted.bin;
            last.thread == it.thread && both_short && bin(last.from) == bin(it.from)
        });
        match last {
            Some(last) => {
                last.to = it.to;
                last.chunks += 1;
                last.longest = last.longest.max(it.longest);
                last.busy += it.busy;
                last.logical = [
                    last.logical[0].min(it.logical[0]),
                    last.logical[1].max(it.logical[1]),
                ];
            }
            None => self.spans.push(it),
        }
    }
}

impl Visit for Lane<'_> {
    fn see(&mut self, at: At, event: &Event<'_>) {
        match event {
            Event::Chunk(chunk) => {
                self.close(at.ticks);
                if let Some(open) = self.open.last_mut() {
                    open.chunk = Some((at.ticks, *chunk));
                }
            }
            Event::LoopBegin(begin) => {
                let slot = self.numbers.get(&begin.the_loop).copied();
                let region = self.regions.last().copied().unwrap_or(0);
                let execution = slot.and_then(|slot| self.wanted[slot].execution);
                self.open.push(Open {
                    slot,
                    shown: execution.is_some_and(|(from, to, of)| {
                        of == region && (from..=to).contains(&at.ticks)
                    }),
                    chunk: None,
                    recorder: 0,
                    thread: at.thread,
                    start: begin.start,
                    step: begin.step,
                });
            }
            Event::LoopEnd { .. } => {
                self.close(at.ticks);
                self.open.pop();
            }
            Event::Recorder(it) => {
                let chunks = self.open.iter_mut().filter(|open| open.chunk.is_some());
                chunks.for_each(|open| open.recorder += it.ticks);
            }
            Event::ImplicitTaskBegin { parallel, .. } => self.regions.push(*parallel),
            Event::ImplicitTaskEnd { .. } => {
                self.regions.pop();
            }
            _ => {}
        }
    }
}
