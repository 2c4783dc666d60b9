//! Traces of recorded runs in the formats of other tools. `docs/export.md` describes each of them, with its units and limits.
//!
//! Data flow: a trace's parts (`process`) -> events -> what is open in each lane, or in each region (`grain`) -> a format.
//! All is streamed but grain graphs, sampled stacks and single explicit tasks. What an export lacks is a [`Notice`].
//!
//! ```no_run
//! use ompchunk_export::{Format, Options, export};
//! use ompchunk_trace_format::Trace;
//!
//! # fn main() -> Result<(), ompchunk_export::Error> {
//! let trace = Trace::open("app.ompchunk".as_ref())?;
//! for notice in export(&trace, Format::Perfetto, "app.pftrace".as_ref(), &Options::default())? {
//!     eprintln!("{notice}");
//! }
//! # Ok(())
//! # }
//! ```

#![allow(missing_docs, reason = "a doc says what the name does not; nobody else uses this")]

mod chrome;
mod error;
mod format;
mod gprofng;
mod grain;
mod name;
mod notice;
mod openacc;
mod otf2;
mod output;
mod parquet;
mod perfetto;
mod process;
mod row;
mod site;
mod speedscope;
mod table;
mod tasks;
mod timeline;
mod walk;

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use ompchunk_trace_format::openacc::is_end;
use ompchunk_trace_format::raw::SYNC_TASKWAIT;
use ompchunk_trace_format::{Event, Trace};

use crate::grain::reference::Reference;
use crate::notice::Notices;
use crate::openacc::OperationRow;
use crate::output::Output;
use crate::process::Process;
use crate::row::Row;
use crate::table::{ChunkRow, LoopRow, Rows, SumRow, is_sum};

pub use crate::grain::{CriticalPath, OnPath, critical_path};
pub use error::Error;
pub use format::{FORMATS, Format, TABLES, Table};
pub use notice::Notice;
pub use process::{Ranks, Selection};

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Options {
    pub loops: Option<Selection>,
    pub ranks: Ranks,
    /// For grain graphs: the trace of the same program's run with one thread, which gives the work deviation.
    pub reference: Option<PathBuf>,
    pub reference_loops: Option<Selection>,
    /// For grain graphs: further metrics, which are problems above this.
    pub limits: Vec<(&'static str, u32)>,
}

/// Exports a trace into a file, which is overwritten, or to standard output (`-`). Returns what the user should know of the result.
pub fn export(trace: &Trace, format: Format, to: &Path, options: &Options) -> Result<Vec<Notice>, Error> {
    export_and_tell(trace, format, to, options, &|_| ())
}

/// The same; `progress` is told, from any thread, of bytes that were read (of OTF2 only).
pub fn export_and_tell(
    trace: &Trace,
    format: Format,
    to: &Path,
    options: &Options,
    progress: &(dyn Fn(u64) + Sync),
) -> Result<Vec<Notice>, Error> {
    let processes = &process::select(trace, &options.ranks, options.loops.as_ref());
    check(processes, format)?;
    let mut reference = read_reference(options)?;
    let mut notices = Notices::default();
    // Opened only by a format: what is wrong with the trace shall not cost the user an older output.
    let output = || Output::open(to, processes);
    match format {
        Format::Gprofng => return gprofng::write(processes, to),
        Format::Speedscope => return speedscope::write(processes, to),
        Format::Parquet => parquet::write(processes, to, &mut notices)?,
        Format::Otf2 => otf2::write(processes, to, &mut notices, progress)?,
        Format::Perfetto => perfetto::write(processes, output()?, &mut notices)?,
        Format::Chrome => chrome::write(processes, output()?, &mut notices)?,
        Format::GraphMl | Format::GraphMlSummary => {
            grain::graphml::write(processes, format, &mut reference, &options.limits, output()?, &mut notices)?;
        }
        Format::TaskStats => grain::task_stats::write(processes, &mut reference, output()?, &mut notices)?,
        Format::Csv(table) => rows(processes, table, Rows::csv(output()?), &mut notices)?,
        Format::Json(table) => rows(processes, table, Rows::Json(output()?), &mut notices)?,
    }
    if let Some(reference) = reference.filter(|_| !matches!(format, Format::Parquet | Format::Otf2)) {
        reference.notices(&mut notices.list);
    }
    Ok(notices.finish(format))
}

type Read = fn(&Process<'_>, &mut Rows, &mut Notices) -> Result<(), Error>;

fn rows(processes: &[Process<'_>], table: Table, mut to: Rows, notices: &mut Notices) -> Result<(), Error> {
    let (names, read): (_, Read) = match table {
        Table::Chunks => (ChunkRow::names(), table::chunks),
        Table::Loops => (LoopRow::names(), table::loops),
        Table::Sums => (SumRow::names(), table::sums),
        Table::OpenAcc => (OperationRow::names(), openacc::rows),
    };
    to.head(&names);
    for process in processes {
        read(process, &mut to, notices)?;
    }
    to.finish()
}

fn read_reference(options: &Options) -> Result<Option<Reference>, Error> {
    let Some(path) = &options.reference else { return Ok(None) };
    let trace = Trace::open(path)?;
    let processes = process::select(&trace, &options.ranks, options.reference_loops.as_ref());
    Ok(Some(Reference::read(&processes)?))
}

fn check(processes: &[Process<'_>], format: Format) -> Result<(), Error> {
    if processes.is_empty() {
        return Err(Error::NoSuchRank);
    }
    let has_loops = |process: &Process<'_>| process.wanted.as_ref().is_none_or(|loops| !loops.is_empty());
    if !processes.iter().any(has_loops) {
        return Err(Error::NoSuchLoop);
    }
    let is_of_chunks =
        !format.has_sums() && !format.is_timeline() && format.table().is_none_or(|table| table == Table::Chunks);
    let has_chunks = |process: &Process<'_>| !process.part.meta().mode.aggregate;
    if is_of_chunks && !processes.iter().any(has_chunks) {
        return Err(Error::OnlyAggregates);
    }
    check_amount(processes, format)
}

/// Chunks that are selected, with the nodes that their bookkeeping has in a graph.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Amount {
    chunks: u64,
    bookkeeping: u64,
    /// Explicit tasks that are told one by one, ...
    tasks: u64,
    /// ... how often they end or are left, ...
    left: u64,
    /// ... and how often something waits for them.
    waits: u64,
}

/// Bytes of a node of a graph and its edge, besides their names. Measured: most of them are keys.
const NODE: u64 = 1050;

/// Nodes that a graph may have: ten times what viewers bear with patience.
const LARGEST_GRAPH: u64 = 1_000_000;

fn check_amount(processes: &[Process<'_>], format: Format) -> Result<(), Error> {
    let is_loop = |event: &Event<'_>| matches!(event, Event::Loop(_));
    let is_task = |event: &Event<'_>| matches!(event, Event::TaskCreate { .. });
    match format {
        // They have more than loops and chunks.
        Format::Perfetto | Format::Chrome | Format::Otf2 | Format::Gprofng | Format::Speedscope => Ok(()),
        Format::Csv(table) | Format::Json(table) => match table {
            Table::Chunks => Amount::count(processes, 1)?.chunks_or(0),
            Table::Loops => any(processes, is_loop, Error::NoLoops),
            Table::Sums => any(processes, is_sum, Error::NoSums),
            Table::OpenAcc => any(processes, is_operation, Error::NoOperations),
        },
        Format::Parquet => {
            let is_row = |event: &Event<'_>| is_loop(event) || is_operation(event) || is_sum(event) || is_task(event);
            any(processes, is_row, Error::NoLoops)
        }
        Format::TaskStats => {
            let amount = Amount::count(processes, 1)?;
            amount.chunks_or(amount.tasks)
        }
        Format::GraphMlSummary => {
            let is_grain = |event: &Event<'_>| matches!(event, Event::Chunk(_)) || is_task(event);
            any(processes, is_grain, Error::NoChunks)
        }
        Format::GraphMl => {
            let amount = Amount::count(processes, u64::MAX)?;
            amount.chunks_or(amount.tasks)?;
            // Without those of regions: of tasks what each did up to where it creates one, is left or waits.
            let nodes = amount.chunks + amount.bookkeeping + amount.tasks + amount.left + 2 * amount.waits;
            let too_large = Error::TooLarge { nodes, bytes: nodes.saturating_mul(NODE) };
            if nodes <= LARGEST_GRAPH { Ok(()) } else { Err(too_large) }
        }
    }
}

fn is_operation(event: &Event<'_>) -> bool {
    match event {
        Event::AccBegin(_) => true,
        Event::AccPoint(point) => !is_end(point.event),
        _ => false,
    }
}

fn any(processes: &[Process<'_>], is_such: impl Fn(&Event<'_>) -> bool, none: Error) -> Result<(), Error> {
    for process in processes {
        let mut found = false;
        process.part.for_each_while(|_, event| {
            found = is_such(event);
            !found
        })?;
        if found {
            return Ok(());
        }
    }
    Err(none)
}

impl Amount {
    /// Counts the chunks of the loops that are selected; `most` are enough.
    fn count(processes: &[Process<'_>], most: u64) -> Result<Amount, Error> {
        let mut found = Amount::default();
        for process in processes {
            let mut lanes = HashMap::new();
            process.part.for_each_while(|at, event| {
                found.add(process, lanes.entry(at.lane).or_default(), event);
                found.chunks < most
            })?;
            if found.chunks >= most {
                break;
            }
        }
        Ok(found)
    }

    /// Are there chunks, or so much else?
    fn chunks_or(self, others: u64) -> Result<(), Error> {
        if self.chunks + others > 0 { Ok(()) } else { Err(Error::NoChunks) }
    }

    /// `open`: the loops that the event's lane executes.
    fn add(&mut self, process: &Process<'_>, open: &mut Vec<u32>, event: &Event<'_>) {
        match event {
            Event::Chunk(chunk) if open.last().is_some_and(|the_loop| process.wants(*the_loop)) => {
                self.chunks += 1;
                self.bookkeeping += u64::from(chunk.create_duration > 0);
            }
            Event::TaskCreate { .. } => self.tasks += 1,
            Event::TaskSchedule { prior, .. } => self.left += u64::from(*prior != 0),
            Event::SyncEnd(sync) if self.tasks > 0 && sync.kind == SYNC_TASKWAIT => self.waits += 1,
            Event::LoopBegin(begin) => open.push(begin.the_loop),
            Event::LoopEnd { the_loop } => {
                let from = open.iter().rposition(|number| number == the_loop);
                open.truncate(from.unwrap_or(open.len()));
            }
            Event::ThreadEnd { .. } => open.clear(),
            _ => {}
        }
    }
}
