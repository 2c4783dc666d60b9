//! One line per cell and variant, for spreadsheets and scripts. RFC 4180.

use csv::{Terminator, WriterBuilder};

use crate::results::{Cell, Results, Series, Unit};

const HEAD: &str = "suite,compiler,flags,runtime,unit,body,chunk,threads,variant,ns,ns_low,ns_high,\
                    ratio,ratio_low,ratio_high,blocks,resolved";

/// All files under one head.
pub fn render(files: &[Results]) -> String {
    let mut text = WriterBuilder::new().terminator(Terminator::CRLF).from_writer(Vec::new());
    // Writing to memory does not fail.
    let _ = text.write_record(HEAD.split(','));
    for results in files {
        for cell in &results.cells {
            for series in &cell.series {
                let _ = text.write_record(fields(results, cell, series));
            }
        }
    }
    String::from_utf8(text.into_inner().unwrap_or_default()).unwrap_or_default()
}

fn fields(results: &Results, cell: &Cell, series: &Series) -> Vec<String> {
    let setup = &results.setup;
    let unit = match cell.unit {
        Unit::Chunk => "chunk",
        Unit::Loop => "loop",
        Unit::Schedule => "schedule",
        Unit::Task => "task",
        Unit::Run => "run",
    };
    let mut fields = vec![
        results.suite.clone(),
        setup.compiler.clone(),
        setup.flags.clone(),
        setup.runtime.clone(),
        unit.to_owned(),
        cell.body.clone(),
        cell.chunk.to_string(),
        cell.threads.to_string(),
        series.variant.clone(),
    ];
    let intervals = [cell.ns(&series.variant), cell.ratio(&series.variant)];
    for interval in intervals.into_iter().flatten() {
        let numbers = [interval.middle, interval.low, interval.high];
        fields.extend(numbers.map(|number| number.to_string()));
    }
    fields.extend([series.ns.len().to_string(), cell.resolved.to_string()]);
    fields
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::run::tests::sample;

    #[test]
    fn as_many_fields_as_the_head_names() {
        let mut results = sample();
        results.setup.compiler = "clang \"22\", Debian".into();
        let text = render(&[results]);
        let lines: Vec<&str> = text.split("\r\n").collect();
        assert_eq!(lines.len(), 1 + 7 + 4 + 1);
        assert!(
            lines[1].starts_with("chunk,\"clang \"\"22\"\", Debian\",,,chunk,empty,1,2,plain,2,2,2,1,"),
            "{}",
            lines[1]
        );
        for line in &lines[1..12] {
            // The compiler's comma is within quotes.
            assert_eq!(line.split(',').count() - 1, HEAD.split(',').count(), "{line}");
        }
    }
}
