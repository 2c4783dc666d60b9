//! One line per cell and variant, for spreadsheets and scripts. RFC 4180.

use crate::results::{Results, Unit};

const HEAD: &str = "suite,compiler,flags,runtime,unit,body,chunk,threads,variant,ns,ns_low,ns_high,\
                    ratio,ratio_low,ratio_high,blocks,resolved";

/// All files under one head.
pub fn render(all: &[Results]) -> String {
    let mut text = format!("{HEAD}\r\n");
    for results in all {
        let setup = &results.setup;
        for cell in &results.cells {
            let unit = match cell.unit {
                Unit::Chunk => "chunk",
                Unit::Loop => "loop",
                Unit::Schedule => "schedule",
                Unit::Task => "task",
                Unit::Run => "run",
            };
            for series in &cell.series {
                let numbers = [cell.ns(&series.variant), cell.ratio(&series.variant)];
                let numbers = numbers.into_iter().flatten();
                let numbers = numbers.flat_map(|of| [of.estimate, of.low, of.high]);
                let mut fields: Vec<String> = [
                    &results.suite,
                    &setup.compiler,
                    &setup.flags,
                    &setup.runtime,
                    unit,
                    &cell.body,
                ]
                .map(quoted)
                .into();
                fields.extend([cell.chunk.to_string(), cell.threads.to_string()]);
                fields.push(quoted(&series.variant));
                fields.extend(numbers.map(|number| number.to_string()));
                fields.extend([series.ns.len().to_string(), cell.resolved.to_string()]);
                text += &fields.join(",");
                text += "\r\n";
            }
        }
    }
    text
}

fn quoted(field: &str) -> String {
    if field.contains(['"', ',', '\r', '\n']) {
        format!("\"{}\"", field.replace('"', "\"\""))
    } else {
        field.to_owned()
    }
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
            lines[1]
                .starts_with("chunk,\"clang \"\"22\"\", Debian\",,,chunk,empty,1,2,plain,2,2,2,1,"),
            "{}",
            lines[1]
        );
        for line in &lines[1..12] {
            // The compiler's comma is within quotes.
            assert_eq!(
                line.split(',').count() - 1,
                HEAD.split(',').count(),
                "{line}"
            );
        }
    }
}
