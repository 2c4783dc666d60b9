//! Traces of recorded runs in the formats of other tools. `docs/export.md` describes each of them, with
//! its units and limits.
//!
//! Data flow: a trace's parts (`process`) -> events -> what is open in each lane (`timeline`, `walk`) or
//! what each region consists of (`grain`) -> a format -> an `output`. Everything but grain graphs
//! streams: memory does not grow with the trace. What an export cannot show is a [`Notice`].
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

mod chrome;
mod error;
mod grain;
mod name;
mod notice;
mod output;
mod perfetto;
mod process;
mod site;
mod table;
mod timeline;
mod walk;

use std::path::{Path, PathBuf};

use ompchunk_trace_format::Trace;

pub use error::Error;
pub use notice::Notice;

use crate::grain::reference::Reference;
use crate::notice::Notices;
use crate::output::Output;
use crate::table::Rows;

/// What to write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Perfetto's protobuf, for ui.perfetto.dev and `trace_processor`.
    Perfetto,
    /// The Trace Event Format of chrome://tracing.
    Chrome,
    /// The grain graph, for yEd and Cytoscape.
    GraphMl,
    /// The grain graph as a table, for the prototype of its authors.
    TaskStats,
    /// One row per chunk.
    Csv,
    /// One JSON object per chunk and line.
    Json,
    /// One row per loop.
    LoopsCsv,
    /// One JSON object per loop and line.
    LoopsJson,
}

/// Which part of a trace.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Options {
    /// Only loops that have this in their position (`app.c:17:3`) or function.
    pub the_loop: Option<String>,
    /// Only this rank.
    pub rank: Option<u64>,
    /// For grain graphs: the trace of the same program's run with one thread, which gives the work deviation.
    pub reference: Option<PathBuf>,
}

/// Exports a trace into a file, which is overwritten, or to standard output (`-`). Returns what the user
/// should know of the result.
pub fn export(
    trace: &Trace,
    format: Format,
    to: &Path,
    options: &Options,
) -> Result<Vec<Notice>, Error> {
    let processes = process::of(trace, options.rank);
    if let Some(rank) = options.rank.filter(|_| processes.is_empty()) {
        return Err(Error::NoSuchRank(rank));
    }
    let sums = matches!(format, Format::LoopsCsv | Format::LoopsJson);
    let timeline = matches!(format, Format::Perfetto | Format::Chrome);
    let mut modes = processes.iter().map(|it| it.part.meta().mode.aggregate);
    if !sums && !timeline && modes.all(|aggregate| aggregate) {
        return Err(Error::OnlyAggregates);
    }
    let filter = options.the_loop.as_deref();
    let mut reference = None;
    if let Some(path) = &options.reference {
        let trace = Trace::open(path)?;
        let processes = process::of(&trace, options.rank);
        reference = Some(Reference::read(&processes, filter)?);
    }
    // Only now: what is wrong with the trace shall not cost the user an older output.
    let output = Output::open(to, &processes)?;
    let mut notices = Notices::default();
    let seen = &mut notices;
    match format {
        Format::Perfetto => perfetto::write(&processes, filter, output, seen),
        Format::Chrome => chrome::write(&processes, filter, output, seen),
        Format::GraphMl => grain::graphml::write(&processes, filter, &mut reference, output, seen),
        Format::TaskStats => {
            grain::task_stats::write(&processes, filter, &mut reference, output, seen)
        }
        Format::Csv => table::chunks(&processes, filter, Rows::csv(output), seen),
        Format::Json => table::chunks(&processes, filter, Rows::Json(output), seen),
        Format::LoopsCsv => table::loops(&processes, filter, Rows::csv(output), seen),
        Format::LoopsJson => table::loops(&processes, filter, Rows::Json(output), seen),
    }?;
    if let Some(reference) = reference {
        reference.notices(&mut notices.list);
    }
    match filter {
        Some(text) if !notices.any_loop => Err(Error::NoSuchLoop(text.to_owned())),
        _ => Ok(notices.finish(sums)),
    }
}
