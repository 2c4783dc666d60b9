//! Tables for pandas and R: one row per chunk, or per loop, as CSV (RFC 4180) or as JSON Lines.

use std::collections::BTreeMap;
use std::io::Write;

use ompchunk_trace_format::{Aggregate, Event, Lost};
use serde::Serialize;

use crate::error::Error;
use crate::notice::Notices;
use crate::output::Output;
use crate::process::Process;
use crate::site::{Site, Sites};
use crate::walk::{Ended, Execution, Walk};

/// A row per chunk. `docs/export.md` describes the columns.
#[derive(Debug, Serialize)]
struct ChunkRow<'a> {
    part: &'a str,
    rank: Option<u64>,
    thread: u32,
    region: u64,
    #[serde(rename = "loop")]
    the_loop: u32,
    file: &'a str,
    line: Option<u32>,
    execution: u32,
    lower: u64,
    iterations: u64,
    first: Option<i128>,
    last: Option<i128>,
    start_ns: f64,
    duration_ns: Option<f64>,
    create_duration_ns: Option<f64>,
}

/// A row per loop and part.
#[derive(Debug, Serialize)]
pub(crate) struct LoopRow<'a> {
    pub(crate) part: &'a str,
    pub(crate) rank: Option<u64>,
    #[serde(rename = "loop")]
    pub(crate) the_loop: u32,
    pub(crate) file: &'a str,
    pub(crate) line: Option<u32>,
    pub(crate) column: Option<u32>,
    pub(crate) function: &'a str,
    pub(crate) construct: &'a str,
    pub(crate) schedule: &'a str,
    pub(crate) instrumented: bool,
    pub(crate) threads: usize,
    pub(crate) executions: u64,
    pub(crate) chunks: u64,
    pub(crate) iterations: u64,
    pub(crate) duration_ns: f64,
    pub(crate) shortest_ns: Option<f64>,
    pub(crate) longest_ns: Option<f64>,
    pub(crate) create_duration_ns: f64,
    pub(crate) aggregated_chunks: u64,
    pub(crate) lost_chunks: u64,
}

/// How rows are written.
pub(crate) enum Rows {
    /// With a line of names first.
    Csv(Box<csv::Writer<Output>>),
    /// An object per line.
    Json(Output),
}

impl Rows {
    pub(crate) fn csv(to: Output) -> Rows {
        // `Output` has a buffer of its own.
        let writer = csv::WriterBuilder::new()
            .terminator(csv::Terminator::CRLF)
            .has_headers(false)
            .from_writer(to);
        Rows::Csv(Box::new(writer))
    }

    /// The names, from a row's fields; also where no row follows.
    pub(crate) fn head(&mut self, names: &[&str]) {
        if let Rows::Csv(to) = self {
            // An output remembers its failures.
            let _ = to.write_record(names);
        }
    }

    pub(crate) fn row(&mut self, row: &impl Serialize) {
        match self {
            Rows::Csv(to) => drop(to.serialize(row)),
            Rows::Json(to) => {
                let _ = serde_json::to_writer(&mut *to, row);
                let _ = to.write_all(b"\n");
            }
        }
    }

    /// There is no point in reading on.
    pub(crate) fn has_failed(&self) -> bool {
        match self {
            Rows::Csv(to) => to.get_ref().has_failed(),
            Rows::Json(to) => to.has_failed(),
        }
    }

    pub(crate) fn finish(self) -> Result<(), Error> {
        match self {
            Rows::Csv(to) => match to.into_inner() {
                Ok(output) => output.finish(),
                Err(_) => unreachable!("an output remembers its failures"),
            },
            Rows::Json(to) => to.finish(),
        }
    }
}

const CHUNK_NAMES: [&str; 15] = [
    "part",
    "rank",
    "thread",
    "region",
    "loop",
    "file",
    "line",
    "execution",
    "lower",
    "iterations",
    "first",
    "last",
    "start_ns",
    "duration_ns",
    "create_duration_ns",
];

const LOOP_NAMES: [&str; 20] = [
    "part",
    "rank",
    "loop",
    "file",
    "line",
    "column",
    "function",
    "construct",
    "schedule",
    "instrumented",
    "threads",
    "executions",
    "chunks",
    "iterations",
    "duration_ns",
    "shortest_ns",
    "longest_ns",
    "create_duration_ns",
    "aggregated_chunks",
    "lost_chunks",
];

/// One row per chunk.
pub(crate) fn chunks(
    processes: &[Process<'_>],
    mut rows: Rows,
    notices: &mut Notices,
) -> Result<(), Error> {
    rows.head(&CHUNK_NAMES);
    for process in processes {
        let mut walk = Walk::default();
        let mut sites = Sites::new(process.wanted.as_ref());
        process.part.for_each_while(|at, event| {
            sites.see(&event);
            notices.see(&event);
            let ended = |it: Ended<'_>| {
                if sites.selected(it.execution.begin.the_loop) {
                    notices.chunks += 1;
                    rows.row(&chunk_row(process, &sites, &it));
                }
            };
            walk.see(at, &event, ended, |_| {});
            !rows.has_failed()
        })?;
        notices.part(process, &sites, walk.stray);
        walk.finish(|it| {
            if sites.selected(it.execution.begin.the_loop) {
                notices.chunks += 1;
                rows.row(&chunk_row(process, &sites, &it));
            }
        });
    }
    rows.finish()
}

fn chunk_row<'a>(process: &'a Process<'_>, sites: &'a Sites<'_>, it: &Ended<'_>) -> ChunkRow<'a> {
    let execution = it.execution;
    let site = sites.get(execution.begin.the_loop);
    let range = site
        .and_then(|site| site.variable(&execution.begin))
        .map(|variable| variable.range(it.chunk.lower, it.chunk.iterations));
    ChunkRow {
        part: &process.name,
        rank: process.part.meta().rank,
        thread: execution.thread,
        region: execution.region,
        the_loop: execution.begin.the_loop,
        file: site.map_or("", |site| &site.file),
        line: site.map(|site| site.line).filter(|line| *line != 0),
        execution: execution.number,
        lower: it.chunk.lower,
        iterations: it.chunk.iterations,
        first: range.map(|range| range.0),
        last: range.map(|range| range.1),
        start_ns: tenths(process.ns(it.begin)),
        duration_ns: it.duration.map(|ticks| tenths(process.duration(ticks))),
        create_duration_ns: (it.chunk.create_duration != 0)
            .then(|| tenths(process.duration(it.chunk.create_duration))),
    }
}

/// Clocks tick every third of a nanosecond at best; more digits would only make files longer.
pub(crate) fn tenths(ns: f64) -> f64 {
    (ns * 10.0).round() / 10.0
}

/// Of a loop, over all executions.
#[derive(Debug, Default)]
pub(crate) struct Sums {
    threads: std::collections::BTreeSet<u32>,
    pub(crate) executions: u64,
    pub(crate) chunks: u64,
    pub(crate) iterations: u64,
    pub(crate) ticks: u64,
    shortest: Option<u64>,
    longest: Option<u64>,
    create: u64,
    aggregated: u64,
    lost: u64,
    work: u32,
}

impl Sums {
    pub(crate) fn begun(&mut self, it: &Execution) {
        self.threads.insert(it.thread);
        self.executions += 1;
        self.work = it.begin.work;
    }

    pub(crate) fn ended(&mut self, it: &Ended<'_>) {
        self.chunks += 1;
        self.iterations = self.iterations.wrapping_add(it.chunk.iterations);
        self.create += it.chunk.create_duration;
        if let Some(ticks) = it.duration {
            self.ticks += ticks;
            self.range(ticks, ticks);
        }
    }

    pub(crate) fn aggregate(&mut self, it: &Aggregate<'_>) {
        self.threads.insert(it.thread);
        self.executions += it.executions;
        self.chunks += it.chunks;
        self.aggregated += it.chunks;
        self.iterations = self.iterations.wrapping_add(it.iterations);
        self.ticks += it.sum;
        self.create += it.create_duration;
        if it.chunks > 0 {
            self.range(it.min, it.max);
        }
    }

    pub(crate) fn lost(&mut self, it: &Lost) {
        self.lost += it.chunks;
    }

    fn range(&mut self, shortest: u64, longest: u64) {
        self.shortest = Some(self.shortest.map_or(shortest, |it| it.min(shortest)));
        self.longest = Some(self.longest.map_or(longest, |it| it.max(longest)));
    }

    pub(crate) fn row<'a>(
        &self,
        process: &'a Process<'_>,
        the_loop: u32,
        site: Option<&'a Site>,
    ) -> LoopRow<'a> {
        let ns = |ticks: u64| tenths(process.duration(ticks));
        LoopRow {
            part: &process.name,
            rank: process.part.meta().rank,
            the_loop,
            file: site.map_or("", |site| &site.file),
            line: site.map(|site| site.line).filter(|it| *it != 0),
            column: site.map(|site| site.column).filter(|it| *it != 0),
            function: site.map_or("", |site| &site.function),
            construct: site.map_or("", |site| site.construct),
            schedule: site.map_or("", |site| site.clause(self.work)),
            instrumented: site.is_some_and(|site| site.instrumented),
            threads: self.threads.len(),
            executions: self.executions,
            chunks: self.chunks,
            iterations: self.iterations,
            duration_ns: ns(self.ticks),
            shortest_ns: self.shortest.map(ns),
            longest_ns: self.longest.map(ns),
            create_duration_ns: ns(self.create),
            aggregated_chunks: self.aggregated,
            lost_chunks: self.lost,
        }
    }
}

/// One row per loop and part, in the order of their numbers.
pub(crate) fn loops(
    processes: &[Process<'_>],
    mut rows: Rows,
    notices: &mut Notices,
) -> Result<(), Error> {
    rows.head(&LOOP_NAMES);
    for process in processes {
        let mut walk = Walk::default();
        let mut sites = Sites::new(process.wanted.as_ref());
        let sums = std::cell::RefCell::new(BTreeMap::<u32, Sums>::new());
        let ended = |it: Ended<'_>| {
            let mut sums = sums.borrow_mut();
            sums.entry(it.execution.begin.the_loop)
                .or_default()
                .ended(&it);
        };
        process.part.for_each(|at, event| {
            sites.see(&event);
            notices.see(&event);
            walk.see(at, &event, ended, |it| {
                let mut sums = sums.borrow_mut();
                sums.entry(it.begin.the_loop).or_default().begun(it);
            });
            let mut sums = sums.borrow_mut();
            match &event {
                Event::Aggregate(it) => sums.entry(it.the_loop).or_default().aggregate(it),
                Event::Lost(it) if it.the_loop != ompchunk_trace_format::NOBODY => {
                    sums.entry(it.the_loop).or_default().lost(it);
                }
                _ => {}
            }
        })?;
        notices.part(process, &sites, walk.stray);
        walk.finish(ended);
        for (the_loop, sums) in &*sums.borrow() {
            if sites.selected(*the_loop) {
                notices.chunks += sums.chunks;
                rows.row(&sums.row(process, *the_loop, sites.get(*the_loop)));
            }
        }
    }
    rows.finish()
}
