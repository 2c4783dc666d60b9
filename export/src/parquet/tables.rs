//! The tables: each column beside its value in a row. `docs/export.md` describes them.

use std::collections::BTreeMap;
use std::io;

use ompchunk_trace_format::Sum;
use ompchunk_trace_format::tasks::{FINAL, MERGEABLE, MERGED, UNDEFERRED, UNTIED};

use super::columns::{Cell, Column, Kind, Table, column};
use crate::openacc::operations::Done;
use crate::openacc::table::OperationRow;
use crate::process::Process;
use crate::site::{Code, Site, Sites};
use crate::sums::SumRow;
use crate::table::{LoopRow, Sums};
use crate::tasks::{Moment, Task};
use crate::walk::Ended;

/// Declares a table's columns, and the function that writes a row: `"name": Kind = value`, where `Kind optional` may be missing.
macro_rules! table {
    (
        $(#[$about:meta])*
        $columns:ident, $row:ident($table:ident, $($argument:ident: $type:ty),*) {
            $(let $local:tt = $init:expr;)*
            $($name:literal: $kind:ident $($optional:ident)? = $value:expr;)*
        }
    ) => {
        $(#[$about])*
        pub(super) const $columns: &[Column] =
            &[$(column($name, Kind::$kind)$(.$optional())?),*];

        $(#[$about])*
        pub(super) fn $row($table: &mut Table, $($argument: $type),*) -> io::Result<()> {
            $(let $local = $init;)*
            let cells = [$(Cell::from($value)),*];
            $table.row(cells)
        }
    };
}

table! {
    /// A row per chunk.
    CHUNKS, chunk(table, process: &Process<'_>, part: Cell, site: Option<&Site>, ended: &Ended<'_>) {
        let execution = ended.execution;
        let (lower, iterations) = (ended.chunk.lower, ended.chunk.iterations);
        let create = ended.chunk.create_duration;
        let variable = site.and_then(|site| site.variable(&execution.begin));
        let range = variable.map(|variable| variable.range(lower, iterations));
        let ns = |ticks: u64| whole(process.duration(ticks));
        "part": Text = part;
        "thread": U32 = execution.thread;
        "region": U64 = execution.region;
        "loop": U32 = execution.begin.the_loop;
        "execution": U32 = execution.number;
        "lower": U64 = lower;
        "iterations": U64 = iterations;
        "first": I64 optional = signed(range.map(|range| range.0));
        "last": I64 optional = signed(range.map(|range| range.1));
        "start_ns": I64 = whole(process.ns(ended.begin));
        "duration_ns": I64 optional = ended.duration.map(ns);
        "duration_ticks": U64 optional = ended.duration;
        "create_duration_ns": I64 optional = (create != 0).then(|| ns(create));
        "cpu": U32 optional = ended.cpu;
    }
}

table! {
    /// A row per loop and part. `site`: the loop's place; `ticks`: of its chunks.
    LOOPS, a_loop(table, process: &Process<'_>, site: Option<&Site>, row: &LoopRow<'_>, ticks: u64) {
        "part": Text = table.text(row.part);
        "loop": U32 = row.the_loop;
        "name": Text = table.text(site.map_or("?", |site| &site.short));
        "file": Text optional = text(table, row.file);
        "line": U32 optional = row.line;
        "column": U32 optional = row.column;
        "function": Text optional = text(table, row.function);
        "construct": Text optional = text(table, row.construct);
        "schedule": Text optional = text(table, row.schedule);
        "instrumented": Bool = row.instrumented;
        "threads": U64 = row.threads as u64;
        "executions": U64 = row.executions;
        "chunks": U64 = row.chunks;
        "iterations": U64 = row.iterations;
        "duration_ns": F64 = process.duration(ticks);
        "duration_ticks": U64 = ticks;
        "shortest_ns": F64 optional = row.shortest_ns;
        "longest_ns": F64 optional = row.longest_ns;
        "create_duration_ns": F64 = row.create_duration_ns;
        "aggregated_chunks": U64 = row.aggregated_chunks;
        "lost_chunks": U64 = row.lost_chunks;
        "ticks_per_second": F64 = process.part.clock().hertz;
    }
}

table! {
    /// A row per sum.
    SUMS, sum(table, process: &Process<'_>, sum: &Sum, row: &SumRow<'_>) {
        "part": Text = table.text(row.part);
        "thread": U32 = row.thread;
        "what": Text = table.text(row.what);
        "kind": Text optional = text(table, row.kind.unwrap_or_default());
        "within": Text optional = text(table, row.within.unwrap_or_default());
        "loop": U32 optional = row.the_loop;
        "at": Text optional = text(table, row.at.unwrap_or_default());
        "count": U64 = row.count;
        "duration_ns": F64 = process.duration(sum.sum);
        "duration_ticks": U64 = sum.sum;
        "shortest_ns": F64 = row.shortest_ns;
        "longest_ns": F64 = row.longest_ns;
        "from_ns": I64 = whole(process.ns(sum.from));
        "to_ns": I64 = whole(process.ns(sum.to));
        "ticks_per_second": F64 = process.part.clock().hertz;
    }
}

table! {
    /// A row per thread and loop.
    THREADS, thread(table, process: &Process<'_>, of: (u32, u32), sums: &Sums) {
        "part": Text = table.text(&process.name);
        "host": Text = table.text(&process.part.meta().host);
        "thread": U32 = of.0;
        "loop": U32 = of.1;
        "executions": U64 = sums.executions;
        "chunks": U64 = sums.chunks;
        "iterations": U64 = sums.iterations;
        "duration_ns": F64 = process.duration(sums.ticks);
        "duration_ticks": U64 = sums.ticks;
    }
}

table! {
    /// A row per parallel region.
    REGIONS, region(
        table, process: &Process<'_>, code: Option<&Code>, region: (u64, &Region), end: Option<u64>
    ) {
        let (number, region) = region;
        let took = end.map(|end| whole(process.duration(end.saturating_sub(region.begin))));
        "part": Text = table.text(&process.name);
        "region": U64 = number;
        "requested": U32 = region.requested;
        "threads": U32 optional = region.team;
        "at": Text optional = text(table, code.map_or("", |code| &code.label));
        "start_ns": I64 = whole(process.ns(region.begin));
        "duration_ns": I64 optional = took;
    }
}

table! {
    /// A row per operation of OpenACC and of OpenMP's `target`.
    OPENACC, operation(table, process: &Process<'_>, sites: &Sites<'_>, done: &Done) {
        let row = OperationRow::of(process, sites, done);
        "part": Text = table.text(row.part);
        "thread": U32 = row.thread;
        "depth": U32 = row.depth;
        "operation": Text = table.text(row.operation);
        "construct": Text optional = text(table, row.construct.unwrap_or_default());
        "file": Text optional = text(table, row.file.unwrap_or_default());
        "line": U32 optional = row.line;
        "function": Text optional = text(table, row.function.unwrap_or_default());
        "name": Text optional = text(table, row.name.unwrap_or_default());
        "start_ns": I64 = whole(process.ns(done.begin));
        "duration_ns": I64 optional = done.duration.map(|ticks| whole(process.duration(ticks)));
        "duration_ticks": U64 optional = done.duration;
        "async": I64 optional = row.asynchronous;
        "async_queue": I64 optional = row.async_queue;
        "implicit": Bool optional = row.implicit;
        "device_type": I64 optional = row.device_type.map(i64::from);
        "device_number": I64 optional = row.device_number.map(i64::from);
        "bytes": U64 optional = row.bytes;
        "host_ptr": U64 optional = row.host_ptr;
        "device_ptr": U64 optional = row.device_ptr;
        "num_gangs": U64 optional = row.num_gangs;
        "num_workers": U64 optional = row.num_workers;
        "vector_length": U64 optional = row.vector_length;
        "model": Text = table.text(row.model);
        "at": Text optional = text(table, row.at.unwrap_or_default());
        "teams": U64 optional = row.teams;
        "ticks_per_second": F64 = process.part.clock().hertz;
    }
}

table! {
    /// A row per explicit task that is told one by one.
    TASKS, task(table, process: &Process<'_>, code: Option<&Code>, number: u64, task: &Task) {
        let made = task.creation;
        let ns = |moment: Moment| whole(process.ns(moment.ticks));
        let took = |ticks: u64| whole(process.duration(ticks));
        "part": Text = table.text(&process.name);
        "task": U64 = number;
        "parent": U64 optional = made.map(|made| made.parent);
        "at": Text optional = text(table, code.map_or("", |code| &code.label));
        "function": Text optional = text(table, code.map_or("", |code| &code.function));
        "created_by": U32 optional = made.map(|made| made.at.thread);
        "created_ns": I64 optional = made.map(|made| ns(made.at));
        "create_duration_ns": I64 optional = Some(task.creating).filter(|ticks| *ticks != 0).map(took);
        "begun_by": U32 optional = task.begin.map(|begin| begin.thread);
        "begin_ns": I64 optional = task.begin.map(ns);
        "cpu": U32 optional = task.cpu;
        "ended_by": U32 optional = task.end.map(|end| end.thread);
        "end_ns": I64 optional = task.end.map(ns);
        "status": Text optional = text(table, task.status().unwrap_or_default());
        "running_ns": I64 optional = task.running().map(took);
        "running_ticks": U64 optional = task.running();
        "fragments": U32 = task.fragments;
        "dependences": U32 = task.dependences;
        "creator": Bool = task.is_creator;
        "undeferred": Bool optional = task.has(UNDEFERRED);
        "untied": Bool optional = task.has(UNTIED);
        "final": Bool optional = task.has(FINAL);
        "mergeable": Bool optional = task.has(MERGEABLE);
        "merged": Bool optional = task.has(MERGED);
        "ticks_per_second": F64 = process.part.clock().hertz;
    }
}

/// Nothing is nothing, and no empty text.
fn text(table: &mut Table, text: &str) -> Cell {
    match text {
        "" => Cell::NOTHING,
        text => table.text(text),
    }
}

/// `None`: a signed number of 64 bits is too narrow.
fn signed(value: Option<i128>) -> Option<i64> {
    value.and_then(|value| i64::try_from(value).ok())
}

/// Of millions of rows, whole nanoseconds take a third of the room; ticks are exact.
fn whole(ns: f64) -> i64 {
    // None is negative.
    (ns + 0.5) as i64
}

/// A region that has begun.
#[derive(Debug, Clone, Copy)]
pub(super) struct Region {
    pub(super) begin: u64,
    pub(super) requested: u32,
    pub(super) code: u64,
    pub(super) team: Option<u32>,
}

/// What each thread did in each loop, all executions added up.
#[derive(Debug, Default)]
pub(super) struct InLoops {
    sums: Vec<Sums>,
    indices: BTreeMap<(u32, u32), usize>,
    /// A chunk is of the same thread and loop as the one before, as a rule.
    last: Option<((u32, u32), usize)>,
}

impl InLoops {
    /// Of a thread and a loop.
    #[inline]
    pub(super) fn of(&mut self, thread: u32, the_loop: u32) -> &mut Sums {
        let key = (thread, the_loop);
        let index = match self.last {
            Some((last, index)) if last == key => index,
            _ => {
                let next = self.sums.len();
                let index = *self.indices.entry(key).or_insert(next);
                if index == next {
                    self.sums.push(Sums::default());
                }
                self.last = Some((key, index));
                index
            }
        };
        &mut self.sums[index]
    }

    /// In the order of threads.
    pub(super) fn iter(&self) -> impl Iterator<Item = ((u32, u32), &Sums)> {
        let indices = self.indices.iter();
        indices.map(|(key, index)| (*key, &self.sums[*index]))
    }
}
