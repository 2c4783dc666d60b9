//! One execution, thread by thread: its chunks, those that are shorter than a bin put together, and when each thread came
//! to the loop, left it and went on after the barrier. What of it is work is in chunks; all the rest a picture can name.

use ompchunk_trace_format::{Clock, Lost, NOBODY};
use serde::{Serialize, Serializer};

use crate::part::LoopSums;
use crate::shown_executions::Run;

/// Bins of time in all rows of a timeline together, and the fewest and most in one row.
const BINS: usize = 6_000;
const BINS_PER_ROW: std::ops::RangeInclusive<usize> = 60..=800;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Which {
    Longest,
    Median,
    Uneven,
    /// No execution is complete, and this is the longest that has all threads' ends.
    Incomplete,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Timeline {
    /// Why it is shown: there may be several reasons.
    pub which: Vec<Which>,
    pub part: usize,
    /// When it began, from the start of the part.
    pub begin_seconds: f64,
    pub seconds: f64,
    pub rows: Vec<Row>,
    /// Its chunks: those that are shorter than a bin are put together.
    pub spans: Vec<Span>,
}

/// A thread in an execution. Times are in nanoseconds from its begin.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Row {
    pub thread: u32,
    pub begin: u64,
    pub end: u64,
    /// From when to when it was at the barrier right after the loop; `None`: there was none, or other work came first.
    pub barrier: Option<[u64; 2]>,
    /// From when to when chunks of it were lost.
    pub lost: Vec<[u64; 2]>,
}

/// One chunk, or several short ones after each other, in nanoseconds; a list of numbers in JSON, as there are thousands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    pub thread: u32,
    pub from: u64,
    pub to: u64,
    pub chunks: u64,
    pub longest: u64,
    /// Time in chunks, of what is between `from` and `to`.
    pub busy: u64,
    /// The part of that not on a core.
    pub off_core: u64,
    pub logical: [u64; 2],
    pub user: Option<[i128; 2]>,
}

impl Serialize for Span {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let [first, last] = self.logical;
        let [first_value, last_value] = [0, 1].map(|end| self.user.map(|user| user[end]));
        let Span { thread, from, to: until, chunks, longest, busy, off_core, .. } = self;
        let all = (thread, from, until, chunks, longest, busy, off_core, first, last, first_value, last_value);
        all.serialize(to)
    }
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Frame {
    run: Run,
    bin: u64,
}

impl Frame {
    pub(crate) fn from_run(run: Run, threads: usize) -> Frame {
        let (least, most) = (*BINS_PER_ROW.start(), *BINS_PER_ROW.end());
        let bins = (BINS / threads.max(1)).clamp(least, most) as u64;
        Frame { run, bin: (run.ticks() / bins).max(1) }
    }

    /// A thread that begins the loop then, in that region, begins this execution.
    pub(crate) fn has(&self, region: u64, ticks: u64) -> bool {
        self.run.region == region && (self.run.begin..=self.run.end).contains(&ticks)
    }

    /// When something was lost: what is less than a bin apart is one, so there are no more than there are bins.
    fn stretches<'l>(&self, lost: impl Iterator<Item = &'l &'l Lost>) -> impl Iterator<Item = (u64, u64)> {
        let (begin, end) = (self.run.begin, self.run.end);
        let mut all: Vec<(u64, u64)> = lost.map(|lost| (lost.from.max(begin), lost.to.min(end))).collect();
        all.sort_unstable();
        let mut apart: Vec<(u64, u64)> = Vec::new();
        for (from, to) in all {
            match apart.last_mut() {
                Some(last) if from <= last.1.saturating_add(self.bin) => last.1 = last.1.max(to),
                _ => apart.push((from, to)),
            }
        }
        apart.into_iter()
    }

    fn bin(&self, ticks: u64) -> u64 {
        ticks / self.bin
    }
}

/// A [`Span`] in ticks.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ticks {
    /// Without the user's values.
    pub(crate) span: Span,
    pub(crate) start: Option<i64>,
    pub(crate) step: Option<i64>,
}

/// A [`Row`] in ticks. A barrier whose end is not known yet has none.
#[derive(Debug, Clone, Copy)]
struct ThreadTimes {
    thread: u32,
    begin: u64,
    end: u64,
    barrier: Option<(u64, Option<u64>)>,
}

#[derive(Debug, Clone, Default)]
pub(crate) struct Drawn {
    spans: Vec<Ticks>,
    places: Vec<ThreadTimes>,
}

impl Drawn {
    /// Appends a chunk, or puts it to those of the same bin.
    pub(crate) fn chunk(&mut self, frame: &Frame, ticks: Ticks) {
        let span = &ticks.span;
        let last = self.spans.last_mut().map(|last| &mut last.span).filter(|last| {
            let both_short = last.longest < frame.bin && span.longest < frame.bin;
            last.thread == span.thread && both_short && frame.bin(last.from) == frame.bin(span.from)
        });
        match last {
            Some(last) => {
                last.to = span.to;
                last.longest = last.longest.max(span.longest);
                last.chunks += span.chunks;
                last.busy += span.busy;
                last.off_core += span.off_core;
                last.logical = [last.logical[0].min(span.logical[0]), last.logical[1].max(span.logical[1])];
            }
            None => self.spans.push(ticks),
        }
    }

    pub(crate) fn leaves(&mut self, thread: u32, begin: u64, end: u64) {
        self.places.push(ThreadTimes { thread, begin, end, barrier: None });
    }

    /// The thread that left last comes to a barrier, ...
    pub(crate) fn arrives(&mut self, ticks: u64) {
        if let Some(place) = self.places.last_mut() {
            place.barrier = Some((ticks, None));
        }
    }

    /// ... and goes on.
    pub(crate) fn goes_on(&mut self, ticks: u64) {
        let last = self.places.last_mut();
        if let Some((_, end)) = last.and_then(|place| place.barrier.as_mut()) {
            *end = Some(ticks);
        }
    }

    pub(crate) fn add(&mut self, other: Drawn) {
        self.spans.extend(other.spans);
        self.places.extend(other.places);
    }

    /// All lanes' together. `lost` are the part's, `the_loop` its sums there.
    pub(crate) fn timeline(
        self,
        (part, which): (usize, Vec<Which>),
        frame: &Frame,
        clock: &Clock,
        the_loop: &LoopSums,
        lost: &[Lost],
    ) -> Timeline {
        let scale = Scale { begin: frame.run.begin, hertz: clock.hertz };
        let is_near = |lost: &&Lost| lost.from <= frame.run.end && lost.to >= frame.run.begin;
        let is_of_loop = |lost: &&Lost| lost.the_loop == NOBODY || the_loop.numbers.contains(&lost.the_loop);
        let lost: Vec<&Lost> = lost.iter().filter(is_of_loop).filter(is_near).collect();
        let mut rows = self.rows(frame, scale, &lost);
        rows.sort_by_key(|row| (row.thread, row.begin));
        let mut spans: Vec<Span> = self.spans.iter().map(|ticks| ticks.span(scale, the_loop)).collect();
        spans.sort_by_key(|span| (span.thread, span.from));
        Timeline {
            which,
            part,
            begin_seconds: clock.since_start(scale.begin) / 1e9,
            seconds: frame.run.ticks() as f64 / clock.hertz,
            rows,
            spans,
        }
    }

    fn rows(&self, frame: &Frame, scale: Scale, lost: &[&Lost]) -> Vec<Row> {
        // A worker may learn that it may go on when its next region begins: all go on when the first does.
        let known = self.places.iter().filter_map(|place| place.barrier?.1);
        let released = known.min().unwrap_or(frame.run.end).max(frame.run.end);
        let row = |place: &ThreadTimes| {
            let barrier = place.barrier.map(|(from, _)| (from, released.max(from)));
            let is_of_thread = |lost: &&&Lost| [place.thread, NOBODY].contains(&lost.thread);
            let stretches = frame.stretches(lost.iter().filter(is_of_thread));
            Row {
                thread: place.thread,
                begin: scale.since(place.begin),
                end: scale.since(place.end),
                barrier: barrier.map(|stretch| scale.stretch(stretch)),
                lost: stretches.map(|stretch| scale.stretch(stretch)).collect(),
            }
        };
        self.places.iter().map(row).collect()
    }
}

#[derive(Clone, Copy)]
struct Scale {
    begin: u64,
    hertz: f64,
}

impl Scale {
    fn nanos(self, ticks: u64) -> u64 {
        (ticks as f64 / self.hertz * 1e9).round() as u64
    }

    fn since(self, ticks: u64) -> u64 {
        self.nanos(ticks.saturating_sub(self.begin))
    }

    fn stretch(self, (from, to): (u64, u64)) -> [u64; 2] {
        [self.since(from), self.since(to)]
    }
}

impl Ticks {
    fn span(&self, scale: Scale, the_loop: &LoopSums) -> Span {
        let values = the_loop.variable.values(self.start, self.step);
        let span = self.span;
        Span {
            from: scale.since(span.from),
            to: scale.since(span.to),
            longest: scale.nanos(span.longest),
            busy: scale.nanos(span.busy),
            off_core: scale.nanos(span.off_core),
            user: values.map(|values| span.logical.map(|iteration| values.at(iteration))),
            ..span
        }
    }
}
