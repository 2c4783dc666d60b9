//! Traces of recorded runs in the formats of other tools. `docs/export.md` describes each of them, with its units and limits.
//!
//! Data flow: a trace's parts (`process`) -> events -> what is open in each lane (`timeline`, `walk`, `openacc`) or
//! what each region consists of (`grain`) -> a format -> an `output`, or the files of `parquet`, `otf2` and `gprofng`. Everything but grain graphs and sampled stacks
//! streams: memory does not grow with the trace, but for what tables and OTF2 know of single explicit tasks. What an export cannot show is a [`Notice`].
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

mod amount;
mod chrome;
mod critical_path;
mod directory;
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
mod selection;
mod site;
mod speedscope;
mod stack_names;
mod sums;
mod table;
mod task_constructs;
mod tasks;
mod timeline;
mod walk;

use std::path::{Path, PathBuf};

use ompchunk_trace_format::Trace;

pub use critical_path::{CriticalPath, OnPath, critical_path};
pub use error::Error;
pub use format::{FORMATS, Format, TABLES, Table};
pub use notice::Notice;
pub use selection::{Ranks, Selection};

use crate::grain::reference::Reference;
use crate::notice::Notices;
use crate::output::Output;
use crate::process::Process;
use crate::table::Rows;

/// Which part of a trace.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Options {
    /// Only these loops.
    pub loops: Option<Selection>,
    /// Only these ranks.
    pub ranks: Ranks,
    /// For grain graphs: the trace of the same program's run with one thread, which gives the work deviation.
    pub reference: Option<PathBuf>,
    /// Of the reference, only these loops.
    pub reference_loops: Option<Selection>,
    /// For grain graphs: a larger `scatter` is a problem, in numbers of processors; `None`: none is.
    pub scatter_limit: Option<u32>,
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
    let processes = &process::of(trace, &options.ranks, options.loops.as_ref());
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
            let limit = options.scatter_limit;
            grain::graphml::write(processes, format, &mut reference, limit, output()?, &mut notices)?;
        }
        Format::TaskStats => {
            grain::task_stats::write(processes, &mut reference, output()?, &mut notices)?;
        }
        Format::Csv(table) => rows(processes, table, Rows::csv(output()?), &mut notices)?,
        Format::Json(table) => rows(processes, table, Rows::Json(output()?), &mut notices)?,
    }
    if let Some(reference) = reference.filter(|_| format.is_file()) {
        reference.notices(&mut notices.list);
    }
    Ok(notices.finish(format))
}

fn rows(processes: &[Process<'_>], table: Table, to: Rows, notices: &mut Notices) -> Result<(), Error> {
    match table {
        Table::Chunks => table::chunks(processes, to, notices),
        Table::Loops => table::loops(processes, to, notices),
        Table::Sums => sums::rows(processes, to, notices),
        Table::OpenAcc => openacc::table::rows(processes, to, notices),
    }
}

fn read_reference(options: &Options) -> Result<Option<Reference>, Error> {
    let Some(path) = &options.reference else {
        return Ok(None);
    };
    let trace = Trace::open(path)?;
    let processes = process::of(&trace, &options.ranks, options.reference_loops.as_ref());
    Ok(Some(Reference::read(&processes)?))
}

/// Does the trace have what is asked for, and can the format show that?
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
    amount::check(processes, format)
}
