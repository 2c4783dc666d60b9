//! Tables for pandas and R: a row per chunk, per loop, or per sum, as CSV (RFC 4180) or as JSON Lines.
//! Sums are what a recording has in place of events: waits for locks and explicit tasks always, and with `--aggregate` or `--sample` regions,
//! worksharing, barriers and waits. Nothing of them is a moment, so timelines have none.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;

use ompchunk_trace_format::sum::{MUTEX_IN_TASK, TASK_IN_WAIT, TASK_WAITS, mutex_name};
use ompchunk_trace_format::tasks::{FINAL, MERGEABLE, MERGED, UNDEFERRED, UNTIED};
use ompchunk_trace_format::{Aggregate, At, Event, NOBODY, Sum, SumOf};
use serde::Serialize;

use crate::error::Error;
use crate::name;
use crate::notice::{Notice, Notices};
use crate::output::{Output, finish_csv};
use crate::process::Process;
use crate::row::{Exact, Known, Ns, row, tenths};
use crate::site::{Code, Site, Sites};
use crate::tasks::Task;
use crate::walk::{self, Ended, Execution, Visitor};

row! {
    /// A row per chunk. `docs/export.md` describes the columns.
    ChunkRow<'a> { process: &'a Process<'a>, sites: &'a Sites<'a>, ended: &'a Ended<'a>, }
    let Ended { execution, chunk, .. } = ended;
    let site = sites.get(execution.begin.the_loop);
    let variable = site.and_then(|site| site.variable(&execution.begin));
    let range = variable.map(|variable| variable.range(chunk.lower, chunk.iterations));
    let ns = |ticks: u64| Ns(process.duration(ticks));
    "part": &str = &process.name;
    "rank" in text: Option<u64> = process.part.meta().rank;
    "thread": u32 = execution.thread;
    "region": u64 = execution.region;
    "loop": u32 = execution.begin.the_loop;
    "file" in text: &str = site.map_or("", |site| &site.file);
    "line" in text: Option<u32> = site.map(|site| site.line).filter(|line| *line != 0);
    "execution": u32 = execution.number;
    "lower": u64 = chunk.lower;
    "iterations": u64 = chunk.iterations;
    "first": Option<i128> = range.map(|range| range.0);
    "last": Option<i128> = range.map(|range| range.1);
    "start_ns": Ns = Ns(process.ns(ended.at.ticks));
    "duration_ns": Option<Ns> = ended.duration.map(ns);
    "duration_ticks" in parquet: Option<u64> = ended.duration;
    "create_duration_ns": Option<Ns> = Some(chunk.create_duration).filter(|ticks| *ticks != 0).map(ns);
    "cpu": Option<u32> = ended.at.cpu;
}

row! {
    /// A row per explicit task, in Parquet.
    TaskRow<'a> { process: &'a Process<'a>, code: Option<&'a Code>, number: u64, task: &'a Task, }
    let made = task.creation;
    let ns = |ticks: u64| Ns(process.ns(ticks));
    let took = |ticks: u64| Ns(process.duration(ticks));
    "part": &str = &process.name;
    "task": u64 = *number;
    "parent": Option<u64> = made.map(|made| made.parent);
    "at": Known = Known(code.map_or("", |code| &code.label));
    "function": Known = Known(code.map_or("", |code| &code.function));
    "created_by": Option<u32> = made.map(|made| made.at.thread);
    "created_ns": Option<Ns> = made.map(|made| ns(made.at.ticks));
    "create_duration_ns": Option<Ns> = Some(task.creating).filter(|ticks| *ticks != 0).map(took);
    "begun_by": Option<u32> = task.begin.map(|begin| begin.thread);
    "begin_ns": Option<Ns> = task.begin.map(|begin| ns(begin.ticks));
    "cpu": Option<u32> = task.begin.and_then(|begin| begin.cpu);
    "ended_by": Option<u32> = task.end.map(|end| end.thread);
    "end_ns": Option<Ns> = task.end.map(|end| ns(end.ticks));
    "status": Option<&str> = task.status();
    "running_ns": Option<Ns> = task.running().map(took);
    "running_ticks": Option<u64> = task.running();
    "fragments": u32 = task.fragments;
    "dependences": u32 = task.dependences;
    "creator": bool = task.is_creator;
    "undeferred": Option<bool> = task.has(UNDEFERRED);
    "untied": Option<bool> = task.has(UNTIED);
    "final": Option<bool> = task.has(FINAL);
    "mergeable": Option<bool> = task.has(MERGEABLE);
    "merged": Option<bool> = task.has(MERGED);
    "ticks_per_second": f64 = process.part.clock().hertz;
}

row! {
    LoopRow<'a> { process: &'a Process<'a>, the_loop: u32, site: Option<&'a Site>, sums: &'a Sums, }
    let ns = |ticks: u64| tenths(process.duration(ticks));
    "part": &str = &process.name;
    "rank" in text: Option<u64> = process.part.meta().rank;
    "loop": u32 = *the_loop;
    "name" in parquet: &str = site.map_or("?", |site| &site.short);
    "file": Known = Known(site.map_or("", |site| &site.file));
    "line": Option<u32> = site.map(|site| site.line).filter(|line| *line != 0);
    "column": Option<u32> = site.map(|site| site.column).filter(|column| *column != 0);
    "function": Known = Known(site.map_or("", |site| &site.function));
    "construct": Known = Known(site.map_or("", |site| site.construct));
    "schedule": Known = Known(site.map_or("", |site| site.clause(sums.work)));
    "instrumented": bool = site.is_some_and(|site| site.instrumented);
    "threads": usize = sums.threads.len();
    "executions": u64 = sums.executions;
    "chunks": u64 = sums.chunks;
    "iterations": u64 = sums.iterations;
    "duration_ns": Exact = Exact(process.duration(sums.ticks));
    "duration_ticks" in parquet: u64 = sums.ticks;
    "shortest_ns": Option<f64> = sums.shortest.map(ns);
    "longest_ns": Option<f64> = sums.longest.map(ns);
    "create_duration_ns": f64 = ns(sums.create);
    "aggregated_chunks": u64 = sums.aggregated;
    "lost_chunks": u64 = sums.lost;
    "ticks_per_second" in parquet: f64 = process.part.clock().hertz;
}

pub(crate) enum Rows {
    /// With a line of names first.
    Csv(Box<csv::Writer<Output>>),
    Json(Output),
}

impl Rows {
    pub(crate) fn csv(to: Output) -> Rows {
        // `Output` has a buffer of its own.
        let writer = csv::WriterBuilder::new().terminator(csv::Terminator::CRLF).has_headers(false).from_writer(to);
        Rows::Csv(Box::new(writer))
    }

    /// The names; also where no row follows.
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

    pub(crate) fn has_failed(&self) -> bool {
        match self {
            Rows::Csv(to) => to.get_ref().has_failed(),
            Rows::Json(to) => to.has_failed(),
        }
    }

    pub(crate) fn finish(self) -> Result<(), Error> {
        match self {
            Rows::Csv(to) => finish_csv(*to),
            Rows::Json(to) => to.finish(),
        }
    }
}

pub(crate) fn chunks(process: &Process<'_>, rows: &mut Rows, notices: &mut Notices) -> Result<(), Error> {
    walk::read(process, notices, &mut ChunkRows { process, rows })?;
    Ok(())
}

struct ChunkRows<'a, 'p> {
    process: &'a Process<'p>,
    rows: &'a mut Rows,
}

impl Visitor for ChunkRows<'_, '_> {
    fn ended(&mut self, sites: &Sites<'_>, ended: &Ended<'_>) {
        self.rows.row(&ChunkRow { process: self.process, sites, ended });
    }

    fn has_failed(&self) -> bool {
        self.rows.has_failed()
    }
}

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

    fn range(&mut self, shortest: u64, longest: u64) {
        self.shortest = Some(self.shortest.unwrap_or(shortest).min(shortest));
        self.longest = Some(self.longest.unwrap_or(longest).max(longest));
    }
}

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
                self.sums(lost.the_loop).lost += lost.chunks;
            }
            _ => {}
        }
    }
}

pub(crate) fn loops(process: &Process<'_>, rows: &mut Rows, notices: &mut Notices) -> Result<(), Error> {
    let mut loops = LoopSums::default();
    let sites = walk::read(process, notices, &mut loops)?;
    for (the_loop, sums) in &loops.0 {
        notices.chunks += sums.aggregated;
        rows.row(&LoopRow { process, the_loop: *the_loop, site: sites.get(*the_loop), sums });
    }
    Ok(())
}

/// Where sums have the construct around them, in bits (`docs/trace-format.md`).
const WORK: u32 = 16;

row! {
    /// A row per sum. `docs/export.md` describes the columns; what is not known is missing.
    SumRow<'a> { process: &'a Process<'a>, sites: &'a Sites<'a>, sum: &'a Sum, what: What, }
    let ns = |ticks: u64| tenths(process.duration(ticks));
    "part": &str = &process.name;
    "rank" in text: Option<u64> = process.part.meta().rank;
    "thread": u32 = sum.thread;
    "what": &str = what.name;
    "kind": Option<&str> = what.kind;
    "within": Option<&str> = what.within;
    "loop": Option<u32> = Some(sum.the_loop).filter(|number| *number != NOBODY);
    "at": Option<&str> = sites.code(sum.code).map(|code| code.label.as_str());
    "count": u64 = sum.count;
    "duration_ns": Exact = Exact(process.duration(sum.sum));
    "duration_ticks" in parquet: u64 = sum.sum;
    "shortest_ns": f64 = ns(sum.min);
    "longest_ns": f64 = ns(sum.max);
    "from_ns": Ns = Ns(process.ns(sum.from));
    "to_ns": Ns = Ns(process.ns(sum.to));
    "ticks_per_second" in parquet: f64 = process.part.clock().hertz;
}

impl<'a> SumRow<'a> {
    /// `None`: the table has none of these, or not of this loop.
    pub(crate) fn new(process: &'a Process<'_>, sites: &'a Sites<'_>, sum: &'a Sum) -> Option<Self> {
        let what = What::from_sum(sum).filter(|_| sites.selected(sum.the_loop))?;
        Some(SumRow { process, sites, sum, what })
    }
}

/// Is it one that the table has? Those of OpenACC and of `target` are in the report only.
pub(crate) fn is_sum(event: &Event<'_>) -> bool {
    matches!(event, Event::Sum(sum) if What::from_sum(sum).is_some())
}

pub(crate) struct What {
    name: &'static str,
    kind: Option<&'static str>,
    within: Option<&'static str>,
}

impl What {
    fn from_sum(sum: &Sum) -> Option<What> {
        let (name, kind, within) = match sum.what {
            SumOf::Parallel => ("region", None, (sum.of == 1).then_some("region")),
            SumOf::ImplicitTask => ("implicit task", None, None),
            SumOf::Work => ("worksharing", Some(name::work(sum.of)), None),
            SumOf::Sync => ("synchronization", Some(name::sync(sum.of)), None),
            SumOf::Wait => ("wait", Some(name::sync(sum.of)), None),
            SumOf::Loop => ("loop", None, None),
            SumOf::Mutex => ("mutex", Some(mutex_name(sum.of & 0xff)), around_mutex(sum)),
            SumOf::Task => match sum.of & 0xff {
                TASK_WAITS => ("wait", None, Some("task")),
                TASK_IN_WAIT => ("task", None, Some("wait")),
                _ => ("task", None, construct(sum)),
            },
            SumOf::OpenAcc | SumOf::Target | SumOf::Storing | SumOf::Faults | SumOf::Cpu | SumOf::Other(_) => {
                return None;
            }
        };
        Some(What { name, kind, within })
    }
}

fn around_mutex(sum: &Sum) -> Option<&'static str> {
    if sum.of & MUTEX_IN_TASK != 0 {
        Some("task")
    } else if sum.the_loop != NOBODY {
        Some("loop")
    } else {
        construct(sum)
    }
}

/// The worksharing around it, other than a loop.
fn construct(sum: &Sum) -> Option<&'static str> {
    let work = sum.of >> WORK;
    (work != 0).then(|| name::work(work))
}

pub(crate) fn sums(process: &Process<'_>, rows: &mut Rows, notices: &mut Notices) -> Result<(), Error> {
    let mut sites = Sites::for_process(process);
    process.part.for_each_while(|_, event| {
        sites.follow(event);
        if let Event::Sum(sum) = event
            && let Some(row) = SumRow::new(process, &sites, sum)
        {
            rows.row(&row);
        }
        !rows.has_failed()
    })?;
    notices.list.extend(Notice::of_part(process));
    Ok(())
}
