//! `ompchunk export`: which format is meant, and what the user should know of the result.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Result;
use ompchunk_analysis::{Analysis, LoopReport, is_meant};
use ompchunk_export::{Error, Format, Options, Ranks, Selection, Table, export_and_tell};
use ompchunk_toolchain::Failure;
use ompchunk_trace_format::{Part, Trace};

use crate::args::Export;
use crate::output;
use crate::report::command::quoted;
use crate::report::{self, Opened};
use crate::table::printable;

/// The words are each right; it is an error if they are not together.
fn asked(arguments: &Export) -> Result<(Format, &[PathBuf], &Path), Failure> {
    let Export { to: format, table, .. } = arguments;
    let format = table.map_or(*format, |table| format.with_table(table));
    let is_of_operations = format.table() == Some(Table::OpenAcc);
    let unused = [
        (table.is_some() && format.table().is_none(), "--table", "csv and json"),
        (arguments.reference.is_some() && !format.has_reference(), "--reference", "graphml and task-stats"),
        (arguments.scatter_limit.is_some() && !format.has_problems(), "--scatter-limit", "graphml"),
        (!arguments.loop_patterns.is_empty() && is_of_operations, "--loop", "what is in loops"),
    ];
    if let Some((_, option, formats)) = unused.into_iter().find(|(is_unused, ..)| *is_unused) {
        let next = format!("leave {option} away; it is for {formats}");
        return Err(Failure::new(format!("{option} changes nothing here"), next));
    }
    let mistaken = |what: &str, trace: &str| {
        let next = format!("ompchunk export {} --to csv FILE, or another format in the same way", quoted(trace));
        Err(Failure::new(what, next))
    };
    let ([traces @ .., to], 2..) = (arguments.paths.as_slice(), arguments.paths.len()) else {
        return mistaken("what to write is not named", "TRACE");
    };
    // From a pipe nothing may be read.
    if (to.is_file() || to.is_dir()) && Trace::open(to).is_ok() {
        let path = to.to_string_lossy();
        return mistaken(&format!("{} is a trace, and what to write comes last", printable(&path)), &path);
    }
    Ok((format, traces, to))
}

pub fn write(arguments: &Export) -> Result<ExitCode> {
    let (format, traces, to) = asked(arguments)?;
    // A file that would grow beyond `ulimit -f` is an error like a full disk, not the end without a word.
    // SAFETY: no handler; what would be a signal is an error of the call that writes.
    unsafe { libc::signal(libc::SIGXFSZ, libc::SIG_IGN) };
    let ranks = Ranks(arguments.ranks.clone());
    let trace = readable(traces, to, &ranks)?;
    // Says which ranks there are.
    let parts = report::parts(std::slice::from_ref(&trace), &arguments.ranks)?;
    let options = options(arguments, ranks, &parts)?;
    let bar = if format == Format::Otf2 { report::bar(&parts) } else { indicatif::ProgressBar::hidden() };
    let written = export_and_tell(&trace, format, to, &options, &|bytes| bar.inc(bytes));
    bar.finish_and_clear();
    for notice in written? {
        output::notice(&notice);
    }
    Ok(ExitCode::SUCCESS)
}

fn readable(traces: &[PathBuf], to: &Path, ranks: &Ranks) -> Result<Trace> {
    let opened = report::open(traces)?;
    let parts: usize = opened.iter().map(|opened| opened.parts.len()).sum();
    // Standard output has what there is of one part, for as long as somebody reads it.
    let opened: Vec<Opened> = if to == Path::new("-") && parts == 1 {
        opened
    } else {
        opened.into_iter().map(|opened| opened.readable(ranks)).collect::<Result<_>>()?
    };
    for error in opened.iter().flat_map(|opened| &opened.skipped) {
        output::notice(&format!("{error}; the export is without that part (next: {})", error.next()));
    }
    let parts = opened.into_iter().flat_map(|opened| opened.parts).collect();
    Ok(Trace { parts })
}

fn options(arguments: &Export, ranks: Ranks, parts: &[&Part]) -> Result<Options> {
    let mut options = Options {
        ranks,
        reference: arguments.reference.clone(),
        limits: Vec::from_iter(arguments.scatter_limit.map(|most| ("scatter", most))),
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
    analysis.report.loops.iter().filter(|found| is_selected(found)).collect()
}

fn selection(analysis: &Analysis<'_>, loops: &[&LoopReport]) -> Selection {
    let mut selection = Selection::default();
    for (part, number) in loops.iter().flat_map(|the_loop| analysis.numbers(the_loop)) {
        selection.entry(part.path().to_owned()).or_default().insert(number);
    }
    selection
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use clap::Parser;

    use super::*;
    use crate::args::{Arguments, Command, translated};

    fn parsed(words: &[&str]) -> Result<Format> {
        let words: Vec<OsString> =
            ["ompchunk", "export", "app.ompchunk"].iter().chain(words).map(OsString::from).collect();
        match Arguments::try_parse_from(translated(&words))?.command {
            Command::Export(export) => Ok(asked(&export)?.0),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn options_of_a_format_alone() {
        let format = |words: &[&str]| parsed(words).expect("valid");
        assert_eq!(format(&["--to", "perfetto", "x"]), Format::Perfetto);
        assert_eq!(format(&["--to", "json", "--table", "loops", "x"]), Format::Json(Table::Loops));
        assert_eq!(format(&["x", "--to=csv", "--table=sums", "--loop=1"]), Format::Csv(Table::Sums));
        assert_eq!(format(&["--to", "task-stats", "-", "--reference", "y"]), Format::TaskStats);
        assert_eq!(format(&["--to", "graphml-summary", "-", "--scatter-limit", "3"]), Format::GraphMlSummary);
        for words in [
            "x", "--to csv", "--to csv --to json x", "--to unknown x", "--to csv --table unknown x",
            "--to parquet --table chunks x", "--to csv --table openacc --loop 1 x",
            "--to graphml-summary --reference y x", "--to otf2 --reference y x", "--to task-stats --scatter-limit 3 x",
        ] {
            let words: Vec<&str> = words.split(' ').collect();
            assert!(parsed(&words).is_err(), "{words:?}");
        }
    }

    #[test]
    fn former_options() {
        let format = |words: &[&str]| parsed(words).expect("valid");
        assert_eq!(format(&["--perfetto", "x"]), Format::Perfetto);
        assert_eq!(format(&["--task-stats=-"]), Format::TaskStats);
        assert_eq!(format(&["--graphml", "x"]), Format::GraphMl);
        assert_eq!(format(&["--graphml", "x", "--summarize"]), Format::GraphMlSummary);
        assert_eq!(format(&["--csv", "x", "--openacc"]), Format::Csv(Table::OpenAcc));
        assert_eq!(format(&["--json", "x", "--sums", "--loop", "1"]), Format::Json(Table::Sums));
        for words in [
            "--csv", "--sums", "--csv x --loops --sums", "--parquet x --openacc", "--csv x --json y",
            "--csv x --openacc --loop 1", "--graphml x --summarize --reference y",
        ] {
            let words: Vec<&str> = words.split(' ').collect();
            assert!(parsed(&words).is_err(), "{words:?}");
        }
    }
}
