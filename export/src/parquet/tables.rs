//! The tables: each column beside its value in a row. `docs/export.md` describes them.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use ompchunk_trace_format::tasks::{FINAL, MERGEABLE, MERGED, UNDEFERRED, UNTIED};
use ompchunk_trace_format::{At, Event};

use super::columns::{Cell, Column, Kind, Table, column};
use super::open::Open;
use crate::error::Error;
use crate::process::Process;
use crate::row::whole;
use crate::site::{Code, Sites};
use crate::table::Sums;
use crate::tasks::{EachTask, Moment, Task};

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
    /// The sums of a thread and a loop.
    #[inline]
    pub(super) fn sums(&mut self, thread: u32, the_loop: u32) -> &mut Sums {
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

pub(super) struct TasksOfPart<'p> {
    process: &'p Process<'p>,
    directory: &'p Path,
    /// `None`: they were not recorded one by one.
    each: Option<EachTask>,
}

impl<'p> TasksOfPart<'p> {
    pub(super) fn new(process: &'p Process<'p>, directory: &'p Path) -> TasksOfPart<'p> {
        let is_told = process.part.meta().mode.tasks;
        TasksOfPart { process, directory, each: is_told.then(EachTask::default) }
    }

    #[inline]
    pub(super) fn see(&mut self, at: At, event: &Event<'_>) {
        if let Some(each) = &mut self.each {
            each.see(at, event);
        }
    }

    /// `None`: there was none.
    pub(super) fn finish(self, sites: &Sites<'_>) -> Result<Option<Open>, Error> {
        let tasks = self.each.into_iter().flat_map(EachTask::finish);
        let mut tasks = tasks.peekable();
        if tasks.peek().is_none() {
            return Ok(None);
        }
        let mut to = Open::new(self.directory, "tasks", self.process, TASKS)?;
        for (number, known) in tasks {
            let code = known.creation.and_then(|made| sites.code(made.code));
            to.put(|table| task(table, self.process, code, number, &known));
            if to.has_failed() {
                break;
            }
        }
        Ok(Some(to))
    }
}
