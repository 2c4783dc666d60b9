//! Parquet, for DuckDB, Polars, Dask, Spark and other readers. Parts are written side by side on all cores, each in one pass;
//! memory is a row group per table and core (`columns`) and what is known of each task. A file gets its name when whole.

pub(crate) mod columns;

use std::collections::{BTreeMap, HashMap};
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use ompchunk_trace_format::{At, Event};
use rayon::prelude::*;

use self::columns::Table;
use crate::error::Error;
use crate::notice::Notices;
use crate::openacc::{OperationRow, Operations};
use crate::output::prepare;
use crate::process::Process;
use crate::row::{Exact, Known, Ns, Row, row};
use crate::site::{Code, Sites};
use crate::table::{ChunkRow, LoopRow, LoopSums, SumRow, Sums, TaskRow};
use crate::tasks::EachTask;
use crate::walk::{self, Ended, Execution, Visitor};

pub(crate) fn write(processes: &[Process<'_>], directory: &Path, notices: &mut Notices) -> Result<(), Error> {
    prepare(directory)?;
    let written = Mutex::new(Vec::new());
    let parts = processes.par_iter().map(|process| part(process, directory, &written));
    let of_parts = parts.collect::<Result<Vec<Notices>, Error>>();
    if of_parts.is_err() {
        // Tables of some parts would pass for all of them.
        take_back(written.into_inner().unwrap_or_else(PoisonError::into_inner));
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

struct Tables<'p> {
    process: &'p Process<'p>,
    directory: &'p Path,
    chunks: Open<'p>,
    regions: Open<'p>,
    openacc: Open<'p>,
    operations: Operations,
    sums: Open<'p>,
    /// `None`: they were not recorded one by one.
    tasks: Option<EachTask>,
    loops: LoopSums,
    threads: InLoops,
    begun: HashMap<u64, Region>,
}

impl<'p> Tables<'p> {
    fn open(process: &'p Process<'_>, directory: &'p Path) -> Result<Tables<'p>, Error> {
        Ok(Tables {
            process,
            directory,
            chunks: Open::new::<ChunkRow<'_>>(directory, "chunks", process)?,
            regions: Open::new::<RegionRow<'_>>(directory, "regions", process)?,
            openacc: Open::rare(directory, "openacc", process),
            operations: Operations::default(),
            sums: Open::rare(directory, "sums", process),
            tasks: process.part.meta().mode.tasks.then(EachTask::default),
            loops: LoopSums::default(),
            threads: InLoops::default(),
            begun: HashMap::new(),
        })
    }

    /// Writes what is known only at the end: regions without one, loops, threads, tasks.
    fn finish(mut self, sites: &Sites<'_>, written: &Mutex<Vec<PathBuf>>) -> Result<(), Error> {
        let Tables { process, directory, .. } = self;
        let mut open: Vec<(u64, Region)> = self.begun.into_iter().collect();
        open.sort_by_key(|(number, region)| (region.begin, *number));
        for (number, region) in open {
            let code = sites.code(region.code);
            self.regions.put(&RegionRow { process, code, number, region: &region, end: None });
        }
        let mut loops = Open::new::<LoopRow<'_>>(directory, "loops", process)?;
        for (the_loop, sums) in &self.loops.0 {
            loops.put(&LoopRow { process, the_loop: *the_loop, site: sites.get(*the_loop), sums });
        }
        let mut threads = Open::new::<ThreadRow<'_>>(directory, "threads", process)?;
        for ((thread, the_loop), index) in self.threads.indices {
            threads.put(&ThreadRow { process, thread, the_loop, sums: &self.threads.sums[index] });
        }
        self.operations.finish(|done| self.openacc.put(&OperationRow { process, sites, done }));
        let mut tasks = Open::rare(directory, "tasks", process);
        for (number, task) in self.tasks.into_iter().flat_map(EachTask::finish) {
            let code = task.creation.and_then(|made| sites.code(made.code));
            tasks.put(&TaskRow { process, code, number, task: &task });
            if tasks.has_failed() {
                break;
            }
        }
        let tables = [self.chunks, self.regions, loops, threads, self.openacc, self.sums, tasks];
        tables.into_iter().try_for_each(|table| table.finish(written))
    }
}

impl Visitor for Tables<'_> {
    fn begun(&mut self, sites: &Sites<'_>, execution: &Execution) {
        self.loops.begun(sites, execution);
        self.threads.sums(execution.thread, execution.begin.the_loop).begun(execution);
    }

    #[inline]
    fn ended(&mut self, sites: &Sites<'_>, ended: &Ended<'_>) {
        let the_loop = ended.execution.begin.the_loop;
        self.loops.ended(sites, ended);
        self.threads.sums(ended.execution.thread, the_loop).ended(ended);
        self.chunks.put(&ChunkRow { process: self.process, sites, ended });
    }

    fn event(&mut self, sites: &Sites<'_>, at: At, event: &Event<'_>) {
        self.loops.event(sites, at, event);
        let process = self.process;
        self.operations.follow(at, event, |done| self.openacc.put(&OperationRow { process, sites, done }));
        if let Some(tasks) = &mut self.tasks {
            tasks.follow(at, event);
        }
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
            Event::ParallelEnd { parallel } => {
                if let Some(region) = self.begun.remove(parallel) {
                    let (code, end) = (sites.code(region.code), Some(at.ticks));
                    self.regions.put(&RegionRow { process, code, number: *parallel, region: &region, end });
                }
            }
            Event::Sum(sum) => {
                if let Some(row) = SumRow::new(process, sites, sum) {
                    self.sums.put(&row);
                }
            }
            Event::Aggregate(aggregate) if sites.selected(aggregate.the_loop) => {
                self.threads.sums(aggregate.thread, aggregate.the_loop).aggregate(aggregate);
            }
            _ => {}
        }
    }

    fn has_failed(&self) -> bool {
        self.chunks.has_failed() || self.regions.has_failed() || self.openacc.has_failed() || self.sums.has_failed()
    }
}

/// A table of a part: `DIR/TABLE/rank=N/PART.parquet`, as engines find partitions. Nothing that is there is touched.
struct Open<'p> {
    process: &'p Process<'p>,
    directory: &'p Path,
    name: &'static str,
    /// `None`: there was no row yet.
    begun: Option<Result<Begun, Error>>,
    failed: Option<io::Error>,
}

struct Begun {
    path: PathBuf,
    /// Its name until it is whole. Engines leave out what begins with a dot.
    meanwhile: PathBuf,
    table: Option<Table>,
}

/// What engines take for no rank at all.
const NO_RANK: &str = "__HIVE_DEFAULT_PARTITION__";

impl<'p> Open<'p> {
    /// Has a file only where there is a row.
    fn rare(directory: &'p Path, name: &'static str, process: &'p Process<'p>) -> Open<'p> {
        Open { process, directory, name, begun: None, failed: None }
    }

    fn new<R: Row>(directory: &'p Path, name: &'static str, process: &'p Process<'p>) -> Result<Open<'p>, Error> {
        let mut open = Open::rare(directory, name, process);
        open.begun = Some(Ok(open.begin::<R>()?));
        Ok(open)
    }

    fn begin<R: Row>(&self) -> Result<Begun, Error> {
        let rank = self.process.part.meta().rank;
        let rank = rank.map_or_else(|| NO_RANK.to_owned(), |rank| rank.to_string());
        let within = self.directory.join(self.name).join(format!("rank={rank}"));
        fs::create_dir_all(&within).map_err(|cause| Error::write(&within, cause))?;
        let file = format!("{}.parquet", self.process.name);
        let (meanwhile, path) = (within.join(format!(".{file}")), within.join(file));
        let file = File::create_new(&meanwhile).map_err(|cause| Error::write(&meanwhile, cause))?;
        let table = Table::new(file, &R::columns()).map_err(|cause| Error::write(&path, cause))?;
        Ok(Begun { path, meanwhile, table: Some(table) })
    }

    /// A row, unless the table could not be begun, or an earlier row not be written.
    #[inline]
    fn put<R: Row>(&mut self, row: &R) {
        if self.begun.is_none() {
            self.begun = Some(self.begin::<R>());
        }
        if let (Some(Ok(Begun { table: Some(table), .. })), None) = (&mut self.begun, &self.failed) {
            self.failed = row.put(table).err();
        }
    }

    fn has_failed(&self) -> bool {
        self.failed.is_some() || matches!(self.begun, Some(Err(_)))
    }

    fn finish(self, written: &Mutex<Vec<PathBuf>>) -> Result<(), Error> {
        let Some(mut begun) = self.begun.transpose()? else { return Ok(()) };
        let whole = match (self.failed, begun.table.take()) {
            (Some(cause), _) => Err(cause),
            (None, table) => table.map_or(Ok(()), Table::finish),
        };
        let named = whole.and_then(|()| fs::rename(&begun.meanwhile, &begun.path));
        named.map_err(|cause| Error::write(&begun.path, cause))?;
        let mut written = written.lock().unwrap_or_else(PoisonError::into_inner);
        written.push(begun.path.clone());
        Ok(())
    }
}

impl Drop for Begun {
    fn drop(&mut self) {
        // The error that led here is the one that is told; what is whole has another name.
        let _ = fs::remove_file(&self.meanwhile);
    }
}

/// Removes what was written, and the directories above it, as far as they are empty.
fn take_back(files: Vec<PathBuf>) {
    for path in files {
        let _ = fs::remove_file(&path);
        path.ancestors().skip(1).take(2).for_each(|directory| drop(fs::remove_dir(directory)));
    }
}

row! {
    ThreadRow<'a> { process: &'a Process<'a>, thread: u32, the_loop: u32, sums: &'a Sums, }
    "part": &str = &process.name;
    "host": &str = &process.part.meta().host;
    "thread": u32 = *thread;
    "loop": u32 = *the_loop;
    "executions": u64 = sums.executions;
    "chunks": u64 = sums.chunks;
    "iterations": u64 = sums.iterations;
    "duration_ns": Exact = Exact(process.duration(sums.ticks));
    "duration_ticks": u64 = sums.ticks;
}

row! {
    RegionRow<'a> { process: &'a Process<'a>, code: Option<&'a Code>, number: u64, region: &'a Region, end: Option<u64>, }
    let took = |end: u64| Ns(process.duration(end.saturating_sub(region.begin)));
    "part": &str = &process.name;
    "region": u64 = *number;
    "requested": u32 = region.requested;
    "threads": Option<u32> = region.team;
    "at": Known = Known(code.map_or("", |code| &code.label));
    "start_ns": Ns = Ns(process.ns(region.begin));
    "duration_ns": Option<Ns> = end.map(took);
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Region {
    begin: u64,
    requested: u32,
    code: u64,
    team: Option<u32>,
}

#[derive(Debug, Default)]
struct InLoops {
    sums: Vec<Sums>,
    indices: BTreeMap<(u32, u32), usize>,
    /// A chunk is of the same thread and loop as the one before, as a rule.
    last: Option<((u32, u32), usize)>,
}

impl InLoops {
    #[inline]
    fn sums(&mut self, thread: u32, the_loop: u32) -> &mut Sums {
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
}
