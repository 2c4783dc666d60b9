//! `ompchunk export`: which format is meant, and what the user should know of the result.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Result;
use ompchunk_analysis::{Analysis, LoopReport, is_meant};
use ompchunk_export::{Error, Format, Options, Ranks, Selection, export_and_tell};
use ompchunk_trace_format::{Part, Trace, parts_in};

use crate::args::Export;
use crate::limits;
use crate::output;
use crate::report::command::quoted;
use crate::report::{self, Opened};
use crate::table::printable;

/// What to do about an error of this command.
pub fn next(cause: &(dyn std::error::Error + 'static)) -> Option<String> {
    let of_export = cause.downcast_ref().map(|error: &Error| error.next().to_owned());
    of_export.or_else(|| cause.downcast_ref().map(TraceAsOutput::next))
}

/// The words are in another order than they were meant: the trace stands where the output's name does.
#[derive(Debug, thiserror::Error)]
#[error("{} is a trace, and the option of a format names what to write", printable(&.0.to_string_lossy()))]
struct TraceAsOutput(PathBuf);

impl TraceAsOutput {
    fn next(&self) -> String {
        let trace = quoted(&self.0.to_string_lossy());
        format!("ompchunk export {trace} --csv FILE, or another format in the same way")
    }

    /// It is an error if the output is a directory with parts.
    fn refuse(to: &Path) -> Result<(), TraceAsOutput> {
        match parts_in(to) {
            Ok(parts) if !parts.is_empty() => Err(TraceAsOutput(to.to_owned())),
            _ => Ok(()),
        }
    }
}

/// Writes the export.
pub fn write(arguments: &Export) -> Result<ExitCode> {
    let (format, to) = format(arguments);
    TraceAsOutput::refuse(to)?;
    limits::for_large_exports();
    let ranks = Ranks(arguments.ranks.clone());
    let trace = [readable(arguments, to, &ranks)?];
    // Says which ranks there are.
    let parts = report::parts(&trace, &arguments.ranks)?;
    let options = options(arguments, ranks, &parts)?;
    let [trace] = &trace;
    let bar = match format {
        Format::Otf2 => report::bar(&parts),
        _ => indicatif::ProgressBar::hidden(),
    };
    let written = export_and_tell(trace, format, to, &options, &|bytes| bar.inc(bytes));
    bar.finish_and_clear();
    for notice in written? {
        output::notice(&notice);
    }
    Ok(ExitCode::SUCCESS)
}

/// All parts that can be read, as one trace; says which cannot.
fn readable(arguments: &Export, to: &Path, ranks: &Ranks) -> Result<Trace> {
    let opened = report::open(&arguments.traces)?;
    let parts: usize = opened.iter().map(|opened| opened.parts.len()).sum();
    // Of one part, standard output has what there is, for as long as somebody reads it.
    let opened: Vec<Opened> = match to == Path::new("-") && parts == 1 {
        true => opened,
        false => opened.into_iter().map(|opened| opened.readable(ranks)).collect::<Result<_>>()?,
    };
    for error in opened.iter().flat_map(|opened| &opened.skipped) {
        output::notice(&format!("{error}; the export is without that part (next: {})", error.next()));
    }
    let parts = opened.into_iter().flat_map(|opened| opened.parts).collect();
    Ok(Trace { parts })
}

/// What the arguments select of these parts, and of the reference.
fn options(arguments: &Export, ranks: Ranks, parts: &[&Part]) -> Result<Options> {
    let mut options = Options {
        ranks,
        reference: arguments.reference.clone(),
        scatter_limit: arguments.scatter_limit,
        ..Options::default()
    };
    let patterns = &arguments.loop_patterns;
    if patterns.is_empty() {
        return Ok(options);
    }
    // A number is one of the report's.
    let analysis = report::read(parts)?;
    let meant = loops_that(&analysis, |found| patterns.iter().any(|pattern| is_meant(found, pattern)));
    if meant.is_empty() {
        report::missing(patterns)?;
    }
    options.loops = Some(selection(&analysis, &meant));
    if let Some(path) = &options.reference {
        options.reference_loops = Some(same_loops(path, &meant)?);
    }
    Ok(options)
}

/// The same loops in another trace: there, they may have other numbers.
fn same_loops(path: &Path, meant: &[&LoopReport]) -> Result<Selection> {
    let trace = Trace::open(path).map_err(Error::from)?;
    let parts: Vec<&Part> = trace.parts.iter().collect();
    let analysis = report::read(&parts)?;
    let same = loops_that(&analysis, |found| meant.iter().any(|meant| meant.identity == found.identity));
    Ok(selection(&analysis, &same))
}

fn loops_that<'a>(analysis: &'a Analysis<'_>, is_selected: impl Fn(&LoopReport) -> bool) -> Vec<&'a LoopReport> {
    let loops = analysis.report.loops.iter();
    loops.filter(|found| is_selected(found)).collect()
}

fn selection(analysis: &Analysis<'_>, loops: &[&LoopReport]) -> Selection {
    let mut selection = Selection::default();
    for (part, number) in loops.iter().flat_map(|the_loop| analysis.numbers(the_loop)) {
        selection.add(part.path(), number);
    }
    selection
}

fn format(arguments: &Export) -> (Format, &Path) {
    let (csv, json) = match arguments {
        Export { loops: true, .. } => (Format::LoopsCsv, Format::LoopsJson),
        Export { openacc: true, .. } => (Format::OpenAccCsv, Format::OpenAccJson),
        Export { sums: true, .. } => (Format::SumsCsv, Format::SumsJson),
        _ => (Format::Csv, Format::Json),
    };
    let graph = match arguments.summarize {
        true => Format::GraphMlSummary,
        false => Format::GraphMl,
    };
    let all = [
        (Format::Perfetto, &arguments.perfetto),
        (Format::Chrome, &arguments.chrome),
        (graph, &arguments.graphml),
        (Format::TaskStats, &arguments.task_stats),
        (csv, &arguments.csv),
        (json, &arguments.json),
        (Format::Parquet, &arguments.parquet),
        (Format::Otf2, &arguments.otf2),
        (Format::Gprofng, &arguments.gprofng),
        (Format::Speedscope, &arguments.speedscope),
    ];
    let mut given = all.into_iter().filter_map(|(format, to)| Some((format, to.as_deref()?)));
    given.next().expect("clap asks for one")
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::args::{Arguments, Command};

    fn parsed(words: &[&str]) -> Result<Export, clap::Error> {
        let words = ["ompchunk", "export", "app.ompchunk"].iter().chain(words);
        match Arguments::try_parse_from(words)?.command {
            Command::Export(export) => Ok(export),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn exactly_one_format() {
        let of = |words: &[&str]| format(&parsed(words).expect("valid")).0;
        assert_eq!(of(&["--perfetto", "x"]), Format::Perfetto);
        assert_eq!(of(&["--task-stats", "-"]), Format::TaskStats);
        assert_eq!(of(&["--graphml", "x"]), Format::GraphMl);
        assert_eq!(of(&["--graphml", "x", "--summarize"]), Format::GraphMlSummary);
        assert_eq!(of(&["--csv", "x"]), Format::Csv);
        assert_eq!(of(&["--parquet", "x"]), Format::Parquet);
        assert_eq!(of(&["--otf2", "x"]), Format::Otf2);
        assert_eq!(of(&["--gprofng", "x.er"]), Format::Gprofng);
        assert_eq!(of(&["--speedscope", "-"]), Format::Speedscope);
        assert_eq!(of(&["--json", "x", "--loops"]), Format::LoopsJson);
        assert_eq!(of(&["--csv", "x", "--openacc"]), Format::OpenAccCsv);
        assert_eq!(of(&["--json", "x", "--openacc"]), Format::OpenAccJson);
        assert_eq!(of(&["--csv", "x", "--sums"]), Format::SumsCsv);
        assert_eq!(of(&["--json", "x", "--sums", "--loop", "1"]), Format::SumsJson);
        for words in [
            &[][..],
            &["--sums"],
            &["--csv", "x", "--loops", "--sums"],
            &["--csv", "x", "--openacc", "--sums"],
            &["--parquet", "x", "--sums"],
            &["--otf2", "x", "--sums"],
            &["--csv", "x", "--json", "y"],
            &["--graphml", "x", "--loops"],
            &["--csv", "x", "--summarize"],
            &["--graphml", "x", "--summarize", "--reference", "y"],
            &["--loops"],
            &["--openacc"],
            &["--csv", "x", "--loops", "--openacc"],
            &["--csv", "x", "--openacc", "--loop", "1"],
            &["--parquet", "x", "--openacc"],
            &["--chrome", "x", "--openacc"],
            &["--parquet", "x", "--loops"],
            &["--parquet", "x", "--csv", "y"],
            &["--otf2", "x", "--loops"],
            &["--speedscope", "x", "--loops"],
            &["--speedscope", "x", "--csv", "y"],
            &["--speedscope", "x", "--summarize"],
            &["--gprofng", "x.er", "--loops"],
            &["--gprofng", "x.er", "--otf2", "y"],
            &["--gprofng", "x.er", "--reference", "y"],
            &["--otf2", "x", "--reference", "y"],
            &["--csv", "x", "--reference", "y"],
        ] {
            assert!(parsed(words).is_err(), "{words:?}");
        }
    }
}
