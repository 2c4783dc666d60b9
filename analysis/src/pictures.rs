//! What pictures of a loop need, binned while a trace is read a second time: when the first pass has told the
//! ranges, a picture has a fixed size whatever the number of chunks.

use std::collections::HashMap;

use ompchunk_trace_format::{At, Chunk, Error, Event, Lost, OffCore, Part};
use serde::Serialize;

use crate::chosen::{Chosen, Run, median};
use crate::model::LoopReport;
use crate::off::Off;
use crate::part::{LoopSums, PartSums};
use crate::scan::{Visit, scan};
use crate::task::{is_barrier, is_reduction};
use crate::timeline::{Drawn, Frame, Ticks, Timeline, Which};

/// Bins of iterations.
pub const COLUMNS: usize = 160;
/// Bins of durations.
pub const ROWS: usize = 40;
/// The pictures of one loop.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Pictures {
    /// Some executions, thread by thread: the first is the one to begin with; none where no execution is told completely.
    pub timelines: Vec<Timeline>,
    /// Chunks by iterations and duration; `None` if no chunk is told.
    pub heat: Option<Heat>,
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
    /// The executions of this part that are shown, with what for.
    frames: Vec<(Frame, Vec<Which>)>,
}

/// Reads parts again for the pictures of some loops, each named with the sums of the parts that have it.
pub(crate) fn pictures(
    parts: &[&Part],
    sums: &[PartSums],
    loops: &[&LoopReport],
    progress: &(dyn Fn(u64) + Sync),
) -> Result<Vec<Pictures>, Error> {
    let mut all = vec![Pictures::default(); loops.len()];
    let shown: Vec<Vec<Shown>> = loops.iter().map(|the_loop| shown(the_loop, sums)).collect();
    for (number, (part, sums)) in parts.iter().zip(sums).enumerate() {
        let mut wanted = Vec::new();
        let mut places = Vec::new();
        for (at, the_loop) in loops.iter().enumerate() {
            let found = sums
                .loops
                .iter()
                .find(|it| it.identity == the_loop.identity);
            if let Some(found) = found.filter(|_| the_loop.chunks_complete) {
                let here = shown[at].iter().filter(|shown| shown.part == number);
                wanted.push(Wanted::new(the_loop, found, sums.clock.hertz, here));
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
        let frames = wanted.iter().map(|it| it.frames.len());
        let mut drawn: Vec<Vec<Drawn>> = frames
            .map(|frames| vec![Drawn::default(); frames])
            .collect();
        let mut lost = Vec::new();
        for lane in lanes {
            for (slot, found) in lane.found.into_iter().enumerate() {
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
                for (to, one) in drawn[slot].iter_mut().zip(found.drawn) {
                    to.add(one);
                }
            }
            lost.extend(lane.lost);
        }
        for (slot, drawn) in drawn.into_iter().enumerate() {
            let wanted = &wanted[slot];
            for (drawn, (frame, which)) in drawn.into_iter().zip(&wanted.frames) {
                let what = (number, which.clone());
                let timeline = drawn.timeline(what, frame, &sums.clock, wanted.sums, &lost);
                all[places[slot]].timelines.push(timeline);
            }
        }
    }
    for it in &mut all {
        it.timelines
            .sort_by_key(|timeline| timeline.which.first().copied());
    }
    Ok(all)
}

/// An execution that is shown.
struct Shown {
    part: usize,
    run: Run,
    which: Vec<Which>,
}

/// Which executions of a loop: one that is chosen twice is shown once.
fn shown(the_loop: &LoopReport, sums: &[PartSums]) -> Vec<Shown> {
    let seconds = |part: usize, ticks: u64| ticks as f64 / sums[part].clock.hertz;
    let parts: Vec<(usize, &Chosen)> = sums
        .iter()
        .enumerate()
        .flat_map(|(part, sums)| {
            let same = sums
                .loops
                .iter()
                .find(|it| it.identity == the_loop.identity);
            same.map(|the_loop| (part, &the_loop.executions.chosen))
        })
        .collect();
    let longest = |of: fn(&Chosen) -> Option<Run>| {
        let all = parts
            .iter()
            .filter_map(|(part, it)| of(it).map(|run| (*part, run)));
        all.reduce(|one, other| {
            let length = |(part, run): &(usize, Run)| seconds(*part, run.ticks());
            if length(&other) > length(&one) {
                other
            } else {
                one
            }
        })
    };
    let uneven = parts
        .iter()
        .filter_map(|(part, it)| it.uneven.map(|(balance, run)| (balance, *part, run)))
        .min_by(|one, other| one.0.total_cmp(&other.0));
    let mut all: Vec<Shown> = Vec::new();
    for (which, found) in [
        (Which::Longest, longest(|it| it.longest)),
        (Which::Median, median(&parts, seconds)),
        (Which::Uneven, uneven.map(|(_, part, run)| (part, run))),
    ] {
        let Some((part, run)) = found else { continue };
        match all.iter_mut().find(|it| (it.part, it.run) == (part, run)) {
            Some(same) => same.which.push(which),
            None => all.push(Shown {
                part,
                run,
                which: vec![which],
            }),
        }
    }
    if let (true, Some((part, run))) = (all.is_empty(), longest(|it| it.incomplete)) {
        all.push(Shown {
            part,
            run,
            which: vec![Which::Incomplete],
        });
    }
    all
}

impl<'a> Wanted<'a> {
    fn new<'s>(
        the_loop: &LoopReport,
        sums: &'a LoopSums,
        hertz: f64,
        shown: impl Iterator<Item = &'s Shown>,
    ) -> Wanted<'a> {
        let threads = the_loop.team_size.map_or(1, |[_, most]| most) as usize;
        let (low, high) = durations(the_loop).unwrap_or((1.0, 2.0));
        let (low, high) = ((low * hertz).ln(), (high * hertz).ln());
        Wanted {
            sums,
            iterations: iterations(the_loop),
            low,
            scale: ROWS as f64 / (high - low),
            frames: shown
                .map(|shown| (Frame::of(shown.run, threads), shown.which.clone()))
                .collect(),
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
    /// Of each frame.
    drawn: Vec<Drawn>,
}

struct Open {
    slot: Option<usize>,
    /// It is the execution that this frame shows.
    frame: Option<usize>,
    begin: u64,
    chunk: Option<(u64, Chunk)>,
    /// What of it is not work.
    off: Off,
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
    /// The shown execution that the thread left last, by slot and frame, as long as it has begun nothing else ...
    after: Option<(usize, usize)>,
    /// ... and in whose barrier, of that kind, it is.
    waits: Option<(usize, usize, u32)>,
    lost: Vec<Lost>,
}

impl<'a> Lane<'a> {
    fn new(wanted: &'a [Wanted<'a>], numbers: &'a HashMap<u32, usize>) -> Lane<'a> {
        Lane {
            wanted,
            numbers,
            found: wanted
                .iter()
                .map(|it| Found {
                    heat: Vec::new(),
                    drawn: vec![Drawn::default(); it.frames.len()],
                })
                .collect(),
            open: Vec::new(),
            regions: Vec::new(),
            after: None,
            waits: None,
            lost: Vec::new(),
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
        let lasted = end.saturating_sub(begin);
        let off = std::mem::take(&mut open.off).within(lasted);
        let duration = lasted - off.outside();
        found.count(wanted, &chunk, duration);
        if let Some(frame) = open.frame {
            let logical = [
                chunk.lower,
                chunk.lower.wrapping_add(chunk.iterations.saturating_sub(1)),
            ];
            let ticks = Ticks {
                thread: open.thread,
                from: begin,
                to: end,
                chunks: 1,
                longest: duration,
                busy: duration,
                off_core: off.core_time() - off.beside,
                logical,
                start: open.start,
                step: open.step,
            };
            found.drawn[frame].chunk(&wanted.frames[frame].0, ticks);
        }
    }

    /// Anything but what only tells of the recording.
    fn begins_something(event: &Event<'_>) -> bool {
        !matches!(
            event,
            Event::Chunk(_)
                | Event::Recorder(_)
                | Event::OffCore(_)
                | Event::Times(_)
                | Event::Lost(_)
                | Event::Loop(_)
                | Event::Code(_)
                | Event::Aggregate(_)
                | Event::Sum(_)
                | Event::Tasks(_)
                | Event::TaskRegion(_)
                | Event::Barriers { .. }
                | Event::LeftOut(_)
                | Event::Resume
                | Event::WaitBegin(_)
                | Event::WaitEnd(_)
        )
    }

    fn barrier(&mut self, ticks: u64, sync: &ompchunk_trace_format::Sync) {
        let Some((slot, frame)) = self.after.take().filter(|_| is_barrier(sync.kind)) else {
            return;
        };
        self.found[slot].drawn[frame].arrives(ticks);
        self.waits = Some((slot, frame, sync.kind));
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
}

impl Visit for Lane<'_> {
    fn visit(&mut self, at: At, event: &Event<'_>) {
        match event {
            Event::Chunk(chunk) => {
                self.close(at.ticks);
                if let Some(open) = self.open.last_mut() {
                    open.chunk = Some((at.ticks, *chunk));
                }
            }
            Event::LoopBegin(begin) => {
                self.after = None;
                let slot = self.numbers.get(&begin.the_loop).copied();
                let region = self.regions.last().copied().unwrap_or(0);
                let frame = slot.and_then(|slot| {
                    let mut frames = self.wanted[slot].frames.iter();
                    frames.position(|(frame, _)| frame.has(region, at.ticks))
                });
                self.open.push(Open {
                    slot,
                    frame,
                    begin: at.ticks,
                    chunk: None,
                    off: Off::default(),
                    thread: at.thread,
                    start: begin.start,
                    step: begin.step,
                });
            }
            Event::LoopEnd { .. } => {
                self.close(at.ticks);
                self.after = None;
                let Some(open) = self.open.pop() else { return };
                if let (Some(slot), Some(frame)) = (open.slot, open.frame) {
                    self.found[slot].drawn[frame].leaves(open.thread, open.begin, at.ticks);
                    self.after = Some((slot, frame));
                }
            }
            Event::Recorder(recorder) => {
                let chunks = self.open.iter_mut().filter(|open| open.chunk.is_some());
                chunks.for_each(|open| open.off.record(recorder));
            }
            Event::OffCore(off_core) if off_core.ticks != OffCore::UNKNOWN => {
                for open in &mut self.open {
                    if let Some((begin, _)) = open.chunk {
                        open.off.find(off_core, at.ticks.saturating_sub(begin));
                    }
                }
            }
            Event::Lost(lost) => self.lost.push(*lost),
            Event::SyncBegin(sync) if is_reduction(sync) => {}
            Event::SyncBegin(sync) => self.barrier(at.ticks, sync),
            Event::SyncEnd(sync) => {
                if let Some((slot, frame, _)) = self.waits.take_if(|wait| wait.2 == sync.kind) {
                    self.found[slot].drawn[frame].goes_on(at.ticks);
                }
            }
            Event::ImplicitTaskBegin { parallel, .. } => {
                self.after = None;
                self.regions.push(*parallel);
            }
            Event::ImplicitTaskEnd { .. } => {
                (self.after, self.waits) = (None, None);
                self.regions.pop();
            }
            other if Lane::begins_something(other) => self.after = None,
            _ => {}
        }
    }
}
