//! `ompchunk export`: which format is meant, and what the user should know of the result.

use std::path::Path;
use std::process::ExitCode;

use anyhow::Result;
use ompchunk_export::{Error, Format, Options, export};
use ompchunk_trace_format::Trace;

use crate::args::Export;
use crate::report;

/// Writes the export.
pub fn write(arguments: &Export) -> Result<ExitCode> {
    let (format, to) = format(arguments);
    let trace = Trace::open(&arguments.trace).map_err(Error::from)?;
    let options = Options {
        the_loop: arguments.the_loop.clone(),
        rank: arguments.rank,
        reference: arguments.reference.clone(),
    };
    for notice in export(&trace, format, to, &options)? {
        report::notice(&notice);
    }
    Ok(ExitCode::SUCCESS)
}

fn format(arguments: &Export) -> (Format, &Path) {
    let (csv, json) = if arguments.loops {
        (Format::LoopsCsv, Format::LoopsJson)
    } else {
        (Format::Csv, Format::Json)
    };
    let all = [
        (Format::Perfetto, &arguments.perfetto),
        (Format::Chrome, &arguments.chrome),
        (Format::GraphMl, &arguments.graphml),
        (Format::TaskStats, &arguments.task_stats),
        (csv, &arguments.csv),
        (json, &arguments.json),
    ];
    let mut given = all
        .into_iter()
        .filter_map(|(format, to)| Some((format, to.as_deref()?)));
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
        assert_eq!(of(&["--csv", "x"]), Format::Csv);
        assert_eq!(of(&["--json", "x", "--loops"]), Format::LoopsJson);
        for words in [
            &[][..],
            &["--csv", "x", "--json", "y"],
            &["--graphml", "x", "--loops"],
            &["--loops"],
            &["--csv", "x", "--reference", "y"],
        ] {
            assert!(parsed(words).is_err(), "{words:?}");
        }
    }
}
