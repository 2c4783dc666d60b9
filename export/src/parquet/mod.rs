//! Parquet, for DuckDB, Polars, Dask, Spark and other readers: four tables, and one each of sums, of OpenACC and of explicit tasks, by rank. Parts are
//! written side by side on all cores, each in one pass (`tables` has the rows, `columns` the files, `open` their names); memory is a
//! row group per table and core, however long the trace, and what is known of each explicit task.

pub(crate) mod columns;
mod open;
mod tables;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use ompchunk_trace_format::{At, Event};
use rayon::prelude::*;

use self::open::{Open, Rare};
use self::tables::{InLoops, REGIONS, Region, THREADS, TasksOfPart};
use crate::error::Error;
use crate::notice::Notices;
use crate::openacc::{Done, OperationRow, Operations};
use crate::output::prepare;
use crate::process::Process;
use crate::row::Row;
use crate::site::Sites;
use crate::sums::SumRow;
use crate::table::{ChunkRow, LoopRow, LoopSums, chunk_row};
use crate::walk::{self, Ended, Execution, Visitor};

pub(crate) fn write(processes: &[Process<'_>], directory: &Path, notices: &mut Notices) -> Result<(), Error> {
    prepare(directory)?;
    let written = Mutex::new(Vec::new());
    let parts = processes.par_iter();
    let parts = parts.map(|process| part(process, directory, &written));
    let of_parts = parts.collect::<Result<Vec<Notices>, Error>>();
    if of_parts.is_err() {
        // Tables of some parts would pass for all of them.
        open::take_back(written.into_inner().unwrap_or_else(PoisonError::into_inner));
    }
    for of_part in of_parts? {
        notices.add(of_part);
    }
    Ok(())
}

fn part(process: &Process<'_>, directory: &Path, written: &Mutex<Vec<PathBuf>>) -> Result<Notices, Error> {
    let mut notices = Notices::default();
    let mut tables = Tables::open(process, directory)?;
    let sites = walk::read(process, &mut notices, &mut tables)?;
    for sums in tables.loops.0.values() {
        notices.chunks += sums.aggregated;
    }
    tables.finish(&sites, written)?;
    Ok(notices)
}

/// The tables of a part, and the state that their rows come from.
struct Tables<'p> {
    process: &'p Process<'p>,
    directory: &'p Path,
    chunks: Open,
    regions: Open,
    openacc: Rare<'p>,
    /// Operations of OpenACC that have not ended.
    operations: Operations,
    sums: Rare<'p>,
    tasks: TasksOfPart<'p>,
    loops: LoopSums,
    threads: InLoops,
    begun: HashMap<u64, Region>,
}

impl<'p> Tables<'p> {
    fn open(process: &'p Process<'_>, directory: &'p Path) -> Result<Tables<'p>, Error> {
        Ok(Tables {
            process,
            directory,
            chunks: Open::new(directory, "chunks", process, &ChunkRow::columns())?,
            regions: Open::new(directory, "regions", process, REGIONS)?,
            openacc: Rare::new(directory, "openacc", process, OperationRow::columns),
            operations: Operations::default(),
            sums: Rare::new(directory, "sums", process, SumRow::columns),
            tasks: TasksOfPart::new(process, directory),
            loops: LoopSums::default(),
            threads: InLoops::default(),
            begun: HashMap::new(),
        })
    }

    fn end_region(&mut self, sites: &Sites<'_>, number: u64, end: u64) {
        if let Some(region) = self.begun.remove(&number) {
            let code = sites.code(region.code);
            let ended = Some(end);
            self.regions.put(|table| tables::region(table, self.process, code, (number, &region), ended));
        }
    }

    /// Writes what is known only at the end: regions without one, loops, threads.
    fn finish(mut self, sites: &Sites<'_>, written: &Mutex<Vec<PathBuf>>) -> Result<(), Error> {
        let process = self.process;
        let mut open: Vec<(u64, Region)> = self.begun.into_iter().collect();
        open.sort_by_key(|(number, region)| (region.begin, *number));
        for (number, region) in &open {
            let code = sites.code(region.code);
            self.regions.put(|table| tables::region(table, process, code, (*number, region), None));
        }
        let mut loops = Open::new(self.directory, "loops", process, &LoopRow::columns())?;
        for (number, sums) in &self.loops.0 {
            loops.put(|table| sums.row(process, *number, sites.get(*number)).put(table));
        }
        let mut threads = Open::new(self.directory, "threads", process, THREADS)?;
        for (of_loop, sums) in self.threads.iter() {
            threads.put(|table| tables::thread(table, process, of_loop, sums));
        }
        let openacc = &mut self.openacc;
        self.operations.finish(|done| put_operation(openacc, process, sites, done));
        let of_openacc = self.openacc.finish()?;
        let of_sums = self.sums.finish()?;
        let of_tasks = self.tasks.finish(sites)?;
        let tables = [self.chunks, self.regions, loops, threads];
        let tables = tables.into_iter().chain(of_openacc);
        let mut tables = tables.chain(of_sums).chain(of_tasks);
        tables.try_for_each(|table| table.finish(written))
    }
}

fn put_operation(openacc: &mut Rare<'_>, process: &Process<'_>, sites: &Sites<'_>, done: &Done) {
    openacc.put(|table| OperationRow::new(process, sites, done).put(table));
}

impl Visitor for Tables<'_> {
    fn begun(&mut self, sites: &Sites<'_>, execution: &Execution) {
        self.loops.begun(sites, execution);
        let in_loop = self.threads.sums(execution.thread, execution.begin.the_loop);
        in_loop.begun(execution);
    }

    #[inline]
    fn ended(&mut self, sites: &Sites<'_>, ended: &Ended<'_>) {
        let the_loop = ended.execution.begin.the_loop;
        self.loops.ended(sites, ended);
        let in_loop = self.threads.sums(ended.execution.thread, the_loop);
        in_loop.ended(ended);
        self.chunks.put(|table| chunk_row(self.process, sites, ended).put(table));
    }

    fn event(&mut self, sites: &Sites<'_>, at: At, event: &Event<'_>) {
        self.loops.event(sites, at, event);
        let (process, openacc) = (self.process, &mut self.openacc);
        self.operations.see(at, event, |done| put_operation(openacc, process, sites, done));
        self.tasks.see(at, event);
        match event {
            Event::ParallelBegin { parallel, requested, code, .. } => {
                let region = Region { begin: at.ticks, requested: *requested, code: *code, team: None };
                self.begun.insert(*parallel, region);
            }
            Event::ImplicitTaskBegin { parallel, team_size, .. } => {
                if let Some(region) = self.begun.get_mut(parallel) {
                    region.team = Some(*team_size);
                }
            }
            Event::ParallelEnd { parallel } => self.end_region(sites, *parallel, at.ticks),
            Event::Sum(sum) => {
                if let Some(row) = SumRow::new(process, sites, sum) {
                    self.sums.put(|table| row.put(table));
                }
            }
            Event::Aggregate(aggregate) if sites.selected(aggregate.the_loop) => {
                let in_loop = self.threads.sums(aggregate.thread, aggregate.the_loop);
                in_loop.aggregate(aggregate);
            }
            _ => {}
        }
    }

    fn has_failed(&self) -> bool {
        self.chunks.has_failed() || self.regions.has_failed() || self.openacc.has_failed() || self.sums.has_failed()
    }
}
