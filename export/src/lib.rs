//! Traces of recorded runs in the formats of other tools. `docs/export.md` describes each of them, with
//! its units and limits.
//!
//! Data flow: a trace's parts (`process`) -> events -> what is open in each lane (`timeline`, `walk`, `operations`) or
//! what each region consists of (`grain`) -> a format -> an `output`, or the files of `parquet`, `otf2` and `gprofng`. Everything but grain graphs
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

mod amount;
mod chrome;
mod directory;
mod error;
mod format;
mod gprofng;
mod grain;
mod name;
mod notice;
mod openacc;
mod operations;
mod otf2;
mod output;
mod parquet;
mod perfetto;
mod process;
mod selection;
mod site;
mod sums;
mod table;
mod timeline;
mod walk;

use std::path::{Path, PathBuf};

use ompchunk_trace_format::Trace;

pub use error::Error;
pub use format::Format;
pub use notice::Notice;
pub use selection::{Ranks, Selection};

use crate::grain::reference::Reference;
use crate::notice::Notices;
use crate::output::Output;
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
}

/// Exports a trace into a file, which is overwritten, or to standard output (`-`). Returns what the user
/// should know of the result.
pub fn export(
    trace: &Trace,
    format: Format,
    to: &Path,
    options: &Options,
) -> Result<Vec<Notice>, Error> {
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
    let processes = process::of(trace, &options.ranks, options.loops.as_ref());
    if processes.is_empty() {
        return Err(Error::NoSuchRank);
    }
    let is_empty = |it: &process::Process<'_>| it.wanted.as_ref().is_some_and(|all| all.is_empty());
    if processes.iter().all(is_empty) {
        return Err(Error::NoSuchLoop);
    }
    let sums = matches!(
        format,
        Format::LoopsCsv | Format::LoopsJson | Format::Parquet
    );
    let timeline = matches!(
        format,
        Format::Perfetto | Format::Chrome | Format::Otf2 | Format::Gprofng
    );
    let operations = matches!(format, Format::OpenAccCsv | Format::OpenAccJson);
    let openacc = timeline || operations || format == Format::Parquet;
    let added_up = matches!(format, Format::SumsCsv | Format::SumsJson);
    let mut modes = processes.iter().map(|it| it.part.meta().mode.aggregate);
    if !sums && !timeline && !operations && !added_up && modes.all(|aggregate| aggregate) {
        return Err(Error::OnlyAggregates);
    }
    amount::check(&processes, format)?;
    let mut reference = None;
    if let Some(path) = &options.reference {
        let trace = Trace::open(path)?;
        let processes = process::of(&trace, &options.ranks, options.reference_loops.as_ref());
        reference = Some(Reference::read(&processes)?);
    }
    if format == Format::Gprofng {
        return gprofng::write(&processes, to);
    }
    let mut notices = Notices::default();
    if format == Format::Parquet {
        parquet::write(&processes, to, &mut notices)?;
        return Ok(notices.finish(sums || operations, openacc));
    }
    if format == Format::Otf2 {
        otf2::write(&processes, to, &mut notices, progress)?;
        return Ok(notices.finish(sums || operations, openacc));
    }
    // Only now: what is wrong with the trace shall not cost the user an older output.
    let output = Output::open(to, &processes)?;
    let seen = &mut notices;
    match format {
        Format::Perfetto => perfetto::write(&processes, output, seen),
        Format::Chrome => chrome::write(&processes, output, seen),
        Format::GraphMl => grain::graphml::write(&processes, &mut reference, output, seen),
        Format::TaskStats => grain::task_stats::write(&processes, &mut reference, output, seen),
        Format::Csv => table::chunks(&processes, Rows::csv(output), seen),
        Format::Json => table::chunks(&processes, Rows::Json(output), seen),
        Format::LoopsCsv => table::loops(&processes, Rows::csv(output), seen),
        Format::LoopsJson => table::loops(&processes, Rows::Json(output), seen),
        Format::OpenAccCsv => operations::rows(&processes, Rows::csv(output), seen),
        Format::OpenAccJson => operations::rows(&processes, Rows::Json(output), seen),
        Format::SumsCsv => return sums::rows(&processes, Rows::csv(output)),
        Format::SumsJson => return sums::rows(&processes, Rows::Json(output)),
        Format::Parquet | Format::Otf2 | Format::Gprofng => unreachable!("it is no file"),
    }?;
    if let Some(reference) = reference {
        reference.notices(&mut notices.list);
    }
    Ok(notices.finish(sums || operations, openacc))
}
