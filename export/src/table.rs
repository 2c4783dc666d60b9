//! Tables for pandas and R: one row per chunk, or per loop, as CSV (RFC 4180) or as JSON Lines.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;

use ompchunk_trace_format::{Aggregate, At, Event, Lost, NOBODY};
use serde::Serialize;

use crate::error::Error;
use crate::notice::Notices;
use crate::output::Output;
use crate::process::Process;
use crate::row::{Exact, Known, Ns, Row, row, tenths};
use crate::site::{Site, Sites};
use crate::walk::{self, Ended, Execution, Visitor};

row! {
    /// A row per chunk. `docs/export.md` describes the columns.
    ChunkRow<'a> {
        both part: &'a str;
        text rank: Option<u64>;
        both thread: u32;
        both region: u64;
        both the_loop "loop": u32;
        text file: &'a str;
        text line: Option<u32>;
        both execution: u32;
        both lower: u64;
        both iterations: u64;
        both first: Option<i128>;
        both last: Option<i128>;
        both start_ns: Ns;
        both duration_ns: Option<Ns>;
        parquet duration_ticks: Option<u64>;
        both create_duration_ns: Option<Ns>;
        both cpu: Option<u32>;
    }
}

row! {
    /// A row per loop and part.
    LoopRow<'a> {
        both part: &'a str;
        text rank: Option<u64>;
        both the_loop "loop": u32;
        parquet name: &'a str;
        both file: Known<'a>;
        both line: Option<u32>;
        both column: Option<u32>;
        both function: Known<'a>;
        both construct: Known<'a>;
        both schedule: Known<'a>;
        both instrumented: bool;
        both threads: usize;
        both executions: u64;
        both chunks: u64;
        both iterations: u64;
        both duration_ns: Exact;
        parquet duration_ticks: u64;
        both shortest_ns: Option<f64>;
        both longest_ns: Option<f64>;
        both create_duration_ns: f64;
        both aggregated_chunks: u64;
        both lost_chunks: u64;
        parquet ticks_per_second: f64;
    }
}

pub(crate) enum Rows {
    /// With a line of names first.
    Csv(Box<csv::Writer<Output>>),
    /// An object per line.
    Json(Output),
}

impl Rows {
    pub(crate) fn csv(to: Output) -> Rows {
        // `Output` has a buffer of its own.
        let writer = csv::WriterBuilder::new().terminator(csv::Terminator::CRLF).has_headers(false).from_writer(to);
        Rows::Csv(Box::new(writer))
    }

    /// The names; also where no row follows.
    pub(crate) fn head<R: Row>(&mut self) {
        if let Rows::Csv(to) = self {
            // An output remembers its failures.
            let _ = to.write_record(R::names());
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

pub(crate) fn chunks(processes: &[Process<'_>], mut rows: Rows, notices: &mut Notices) -> Result<(), Error> {
    rows.head::<ChunkRow<'_>>();
    for process in processes {
        let mut chunks = ChunkRows { process, rows: &mut rows };
        walk::read(process, notices, &mut chunks)?;
    }
    rows.finish()
}

struct ChunkRows<'a, 'p> {
    process: &'a Process<'p>,
    rows: &'a mut Rows,
}

impl Visitor for ChunkRows<'_, '_> {
    fn ended(&mut self, sites: &Sites<'_>, ended: &Ended<'_>) {
        self.rows.row(&chunk_row(self.process, sites, ended));
    }

    fn has_failed(&self) -> bool {
        self.rows.has_failed()
    }
}

pub(crate) fn chunk_row<'a>(process: &'a Process<'_>, sites: &'a Sites<'_>, ended: &Ended<'_>) -> ChunkRow<'a> {
    let Ended { execution, chunk, .. } = ended;
    let site = sites.get(execution.begin.the_loop);
    let variable = site.and_then(|site| site.variable(&execution.begin));
    let range = variable.map(|variable| variable.range(chunk.lower, chunk.iterations));
    let created = Some(chunk.create_duration).filter(|ticks| *ticks != 0);
    let ns = |ticks: u64| Ns(process.duration(ticks));
    ChunkRow {
        part: &process.name,
        rank: process.part.meta().rank,
        thread: execution.thread,
        region: execution.region,
        the_loop: execution.begin.the_loop,
        file: site.map_or("", |site| &site.file),
        line: site.map(|site| site.line).filter(|line| *line != 0),
        execution: execution.number,
        lower: chunk.lower,
        iterations: chunk.iterations,
        first: range.map(|range| range.0),
        last: range.map(|range| range.1),
        start_ns: Ns(process.ns(ended.begin)),
        duration_ns: ended.duration.map(ns),
        duration_ticks: ended.duration,
        create_duration_ns: created.map(ns),
        cpu: ended.cpu,
    }
}

/// Sums of a loop, over all executions.
#[derive(Debug, Default)]
pub(crate) struct Sums {
    threads: BTreeSet<u32>,
    pub(crate) executions: u64,
    pub(crate) chunks: u64,
    pub(crate) iterations: u64,
    pub(crate) ticks: u64,
    shortest: Option<u64>,
    longest: Option<u64>,
    create: u64,
    pub(crate) aggregated: u64,
    lost: u64,
    work: u32,
}

impl Sums {
    pub(crate) fn begun(&mut self, execution: &Execution) {
        self.threads.insert(execution.thread);
        self.executions += 1;
        self.work = execution.begin.work;
    }

    pub(crate) fn ended(&mut self, ended: &Ended<'_>) {
        self.chunks += 1;
        self.iterations = self.iterations.wrapping_add(ended.chunk.iterations);
        self.create += ended.chunk.create_duration;
        if let Some(ticks) = ended.duration {
            self.ticks += ticks;
            self.range(ticks, ticks);
        }
    }

    pub(crate) fn aggregate(&mut self, aggregate: &Aggregate<'_>) {
        self.threads.insert(aggregate.thread);
        self.executions += aggregate.executions;
        self.chunks += aggregate.chunks;
        self.aggregated += aggregate.chunks;
        self.iterations = self.iterations.wrapping_add(aggregate.iterations);
        self.ticks += aggregate.sum;
        self.create += aggregate.create_duration;
        if aggregate.chunks > 0 {
            self.range(aggregate.min, aggregate.max);
        }
    }

    fn lost(&mut self, lost: &Lost) {
        self.lost += lost.chunks;
    }

    fn range(&mut self, shortest: u64, longest: u64) {
        self.shortest = Some(self.shortest.unwrap_or(shortest).min(shortest));
        self.longest = Some(self.longest.unwrap_or(longest).max(longest));
    }

    pub(crate) fn row<'a>(&self, process: &'a Process<'_>, the_loop: u32, site: Option<&'a Site>) -> LoopRow<'a> {
        let ns = |ticks: u64| tenths(process.duration(ticks));
        LoopRow {
            part: &process.name,
            rank: process.part.meta().rank,
            the_loop,
            name: site.map_or("?", |site| &site.short),
            file: Known(site.map_or("", |site| &site.file)),
            line: site.map(|site| site.line).filter(|line| *line != 0),
            column: site.map(|site| site.column).filter(|column| *column != 0),
            function: Known(site.map_or("", |site| &site.function)),
            construct: Known(site.map_or("", |site| site.construct)),
            schedule: Known(site.map_or("", |site| site.clause(self.work))),
            instrumented: site.is_some_and(|site| site.instrumented),
            threads: self.threads.len(),
            executions: self.executions,
            chunks: self.chunks,
            iterations: self.iterations,
            duration_ns: Exact(process.duration(self.ticks)),
            duration_ticks: self.ticks,
            shortest_ns: self.shortest.map(ns),
            longest_ns: self.longest.map(ns),
            create_duration_ns: ns(self.create),
            aggregated_chunks: self.aggregated,
            lost_chunks: self.lost,
            ticks_per_second: process.part.clock().hertz,
        }
    }
}

/// Sums of a part, by the numbers of its loops.
#[derive(Debug, Default)]
pub(crate) struct LoopSums(pub(crate) BTreeMap<u32, Sums>);

impl LoopSums {
    #[inline]
    fn sums(&mut self, the_loop: u32) -> &mut Sums {
        self.0.entry(the_loop).or_default()
    }
}

impl Visitor for LoopSums {
    fn begun(&mut self, _: &Sites<'_>, execution: &Execution) {
        self.sums(execution.begin.the_loop).begun(execution);
    }

    fn ended(&mut self, _: &Sites<'_>, ended: &Ended<'_>) {
        self.sums(ended.execution.begin.the_loop).ended(ended);
    }

    fn event(&mut self, sites: &Sites<'_>, _: At, event: &Event<'_>) {
        match event {
            Event::Aggregate(aggregate) if sites.selected(aggregate.the_loop) => {
                self.sums(aggregate.the_loop).aggregate(aggregate);
            }
            Event::Lost(lost) if lost.the_loop != NOBODY && sites.selected(lost.the_loop) => {
                self.sums(lost.the_loop).lost(lost);
            }
            _ => {}
        }
    }
}

/// One row per loop and part, in the order of their numbers.
pub(crate) fn loops(processes: &[Process<'_>], mut rows: Rows, notices: &mut Notices) -> Result<(), Error> {
    rows.head::<LoopRow<'_>>();
    for process in processes {
        let mut loops = LoopSums::default();
        let sites = walk::read(process, notices, &mut loops)?;
        for (the_loop, sums) in &loops.0 {
            notices.chunks += sums.aggregated;
            rows.row(&sums.row(process, *the_loop, sites.get(*the_loop)));
        }
    }
    rows.finish()
}
