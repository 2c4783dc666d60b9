//! One lane's events: its chunks by iterations and duration, and its part of the executions that are shown.

use ompchunk_trace_format::{At, Chunk, Event, LoopBegin, Lost, Sync, is_barrier};

use crate::model::LoopReport;
use crate::off_core::Off;
use crate::part::{LoopSums, Sought};
use crate::scan::Visit;
use crate::shown_executions::Run;
use crate::task::{is_between, is_reduction};
use crate::timeline::{Drawn, Frame, Span, Ticks, Which};

pub(super) struct Found {
    /// None until there is a chunk.
    pub(super) heat: Vec<u32>,
    pub(super) drawn: Vec<Drawn>,
}

struct Open {
    slot: Option<usize>,
    /// It is the execution that this frame shows.
    frame: Option<usize>,
    begin: u64,
    chunk: Option<(u64, Chunk)>,
    off: Off,
    thread: u32,
    start: Option<i64>,
    step: Option<i64>,
}

pub(super) struct LanePictures<'a> {
    sought: &'a Sought<Wanted<'a>>,
    pub(super) found: Vec<Found>,
    open: Vec<Open>,
    regions: Vec<u64>,
    /// The shown execution that the thread left last, by slot and frame, as long as it has begun nothing else ...
    after: Option<(usize, usize)>,
    /// ... and in whose barrier, of that kind, it is.
    waits: Option<(usize, usize, u32)>,
    pub(super) lost: Vec<Lost>,
}

impl<'a> LanePictures<'a> {
    pub(super) fn new(sought: &'a Sought<Wanted<'a>>) -> LanePictures<'a> {
        let wanted = sought.loops.iter().map(|(wanted, _)| wanted);
        LanePictures {
            sought,
            found: wanted
                .map(|wanted| Found { heat: Vec::new(), drawn: vec![Drawn::default(); wanted.frames.len()] })
                .collect(),
            open: Vec::new(),
            regions: Vec::new(),
            after: None,
            waits: None,
            lost: Vec::new(),
        }
    }

    pub(super) fn with(mut self, lane: LanePictures<'_>) -> LanePictures<'a> {
        for (found, more) in self.found.iter_mut().zip(lane.found) {
            found.add(more);
        }
        self.lost.extend(lane.lost);
        self
    }

    fn close(&mut self, end: u64) {
        let Some(open) = self.open.last_mut() else { return };
        let (Some(slot), Some((begin, chunk))) = (open.slot, open.chunk.take()) else { return };
        let wanted = &self.sought.loops[slot].0;
        let found = &mut self.found[slot];
        let lasted = end.saturating_sub(begin);
        let off = std::mem::take(&mut open.off).within(lasted);
        let duration = lasted - off.outside();
        found.count(wanted, &chunk, duration);
        if let Some(frame) = open.frame {
            let logical = [chunk.lower, chunk.lower.wrapping_add(chunk.iterations.saturating_sub(1))];
            let span = Span {
                thread: open.thread,
                from: begin,
                to: end,
                chunks: 1,
                longest: duration,
                busy: duration,
                off_core: off.core_time() - off.beside,
                logical,
                user: None,
            };
            let ticks = Ticks { span, start: open.start, step: open.step };
            found.drawn[frame].chunk(&wanted.frames[frame].0, ticks);
        }
    }

    fn begin_chunk(&mut self, ticks: u64, chunk: &Chunk) {
        self.close(ticks);
        if let Some(open) = self.open.last_mut() {
            open.chunk = Some((ticks, *chunk));
        }
    }

    fn begin_loop(&mut self, at: At, begin: &LoopBegin) {
        let slot = self.sought.slot(begin.the_loop);
        let region = self.regions.last().copied().unwrap_or(0);
        let frame = slot.and_then(|slot| self.sought.loops[slot].0.frame(region, at.ticks));
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

    fn end_loop(&mut self, ticks: u64) {
        self.close(ticks);
        self.after = None;
        let Some(open) = self.open.pop() else { return };
        if let (Some(slot), Some(frame)) = (open.slot, open.frame) {
            self.found[slot].drawn[frame].leaves(open.thread, open.begin, ticks);
            self.after = Some((slot, frame));
        }
    }

    fn begin_sync(&mut self, ticks: u64, sync: &Sync) {
        if is_reduction(sync) {
            return;
        }
        let Some((slot, frame)) = self.after.take().filter(|_| is_barrier(sync.kind)) else { return };
        self.found[slot].drawn[frame].arrives(ticks);
        self.waits = Some((slot, frame, sync.kind));
    }
}

impl Found {
    fn add(&mut self, more: Found) {
        if self.heat.is_empty() {
            self.heat = more.heat
        } else {
            add_counts(&mut self.heat, &more.heat)
        }
        for (drawn, more) in self.drawn.iter_mut().zip(more.drawn) {
            drawn.add(more);
        }
    }

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
        let last = chunk.lower.saturating_add(chunk.iterations.saturating_sub(1));
        let column = |iteration: u64| ((iteration as f64 * scale) as usize).min(COLUMNS - 1);
        for column in column(chunk.lower)..=column(last) {
            let count = &mut self.heat[column * ROWS + row];
            *count = count.saturating_add(1);
        }
    }
}

impl Visit for LanePictures<'_> {
    fn visit(&mut self, at: At, event: &Event<'_>) {
        if is_between(event) {
            self.after = None;
        }
        match event {
            Event::Chunk(chunk) => self.begin_chunk(at.ticks, chunk),
            Event::LoopBegin(begin) => self.begin_loop(at, begin),
            Event::LoopEnd { .. } => self.end_loop(at.ticks),
            Event::Recorder(_) | Event::OffCore(_) => {
                for open in &mut self.open {
                    if let Some((begin, _)) = open.chunk {
                        open.off.add_event(event, at.ticks, begin);
                    }
                }
            }
            Event::Lost(lost) => self.lost.push(*lost),
            Event::SyncBegin(sync) => self.begin_sync(at.ticks, sync),
            Event::SyncEnd(sync) => {
                if let Some((slot, frame, _)) = self.waits.take_if(|wait| wait.2 == sync.kind) {
                    self.found[slot].drawn[frame].goes_on(at.ticks);
                }
            }
            Event::ImplicitTaskBegin { parallel, .. } => self.regions.push(*parallel),
            Event::ImplicitTaskEnd { .. } => {
                self.waits = None;
                self.regions.pop();
            }
            _ => {}
        }
    }
}

pub const COLUMNS: usize = 160;
pub const ROWS: usize = 40;

pub(super) struct Wanted<'a> {
    pub(super) sums: &'a LoopSums,
    pub(super) iterations: u64,
    /// Durations in ticks, as logarithms: lowest, and bins per unit.
    pub(super) low: f64,
    pub(super) scale: f64,
    pub(super) frames: Vec<(Frame, Vec<Which>)>,
}

impl<'a> Wanted<'a> {
    pub(super) fn new<'s>(
        the_loop: &LoopReport,
        sums: &'a LoopSums,
        hertz: f64,
        shown: impl Iterator<Item = (Run, &'s [Which])>,
    ) -> Wanted<'a> {
        let threads = the_loop.team_size.map_or(1, |[_, most]| most) as usize;
        let (low, high) = durations(the_loop).unwrap_or((1.0, 2.0));
        let (low, high) = ((low * hertz).ln(), (high * hertz).ln());
        Wanted {
            sums,
            iterations: iterations(the_loop),
            low,
            scale: ROWS as f64 / (high - low),
            frames: shown.map(|(run, which)| (Frame::from_run(run, threads), which.to_vec())).collect(),
        }
    }

    /// The execution that a thread begins then, in that region, if it is shown.
    pub(super) fn frame(&self, region: u64, ticks: u64) -> Option<usize> {
        self.frames.iter().position(|(frame, _)| frame.has(region, ticks))
    }
}

pub(super) fn iterations(the_loop: &LoopReport) -> u64 {
    the_loop.trip_count.map_or(0, |[_, most]| most)
}

/// Shortest and longest, never the same, never zero.
pub(super) fn durations(the_loop: &LoopReport) -> Option<(f64, f64)> {
    let all = the_loop.chunk_seconds.as_ref()?;
    let low = all.min.max(1e-9);
    Some((low, all.max.max(low * 1.1)))
}

pub(super) fn add_counts(sums: &mut [u32], counts: &[u32]) {
    for (sum, count) in sums.iter_mut().zip(counts) {
        *sum = sum.saturating_add(*count);
    }
}
