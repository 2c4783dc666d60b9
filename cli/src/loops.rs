//! `ompchunk loops`: loop records as a table or as JSON.

use std::path::Path;
use std::process::ExitCode;

use anyhow::Result;
use serde::Serialize;

use crate::args::Loops;
use crate::records::{self, Image, LoopSite, Value};
use crate::report;

/// Prints the loops of a file.
pub fn print(arguments: &Loops) -> Result<ExitCode> {
    let images = records::read(&arguments.file)?;
    let text = if arguments.json {
        json(&arguments.file, &images)?
    } else {
        table(&images)
    };
    report::print(&text)?;
    Ok(ExitCode::SUCCESS)
}

#[derive(Serialize)]
struct Listing<'a> {
    /// Of this format.
    version: u32,
    file: String,
    loops: Vec<Entry<'a>>,
}

#[derive(Serialize)]
struct Entry<'a> {
    member: Option<&'a str>,
    #[serde(flatten)]
    the_loop: &'a LoopSite,
}

fn json(file: &Path, images: &[Image]) -> Result<String> {
    let loops = images.iter().flat_map(|image| {
        image.loops.iter().map(|the_loop| Entry {
            member: image.member.as_deref(),
            the_loop,
        })
    });
    let listing = Listing {
        version: 1,
        file: file.display().to_string(),
        loops: loops.collect(),
    };
    Ok(serde_json::to_string_pretty(&listing)? + "\n")
}

fn table(images: &[Image]) -> String {
    let head = ["position", "function", "schedule", "chunk", "start", "step"];
    let mut rows = vec![head.map(str::to_owned)];
    for image in images {
        for the_loop in &image.loops {
            rows.push([
                position(image.member.as_deref(), the_loop),
                the_loop.function.clone(),
                the_loop.schedule.clone(),
                number(the_loop.chunk),
                number(the_loop.start),
                number(the_loop.step),
            ]);
        }
    }
    for cell in rows.iter_mut().flatten() {
        *cell = printable(cell);
    }
    let widths: Vec<usize> = (0..head.len())
        .map(|column| {
            let width = |row: &[String; 6]| row[column].chars().count();
            rows.iter().map(width).max().unwrap_or(0)
        })
        .collect();
    let mut text = String::new();
    for row in &rows {
        let cells = row
            .iter()
            .zip(&widths)
            .enumerate()
            .map(|(column, (cell, width))| {
                // Text to the left, numbers to the right.
                if column < 3 {
                    format!("{cell:width$}")
                } else {
                    format!("{cell:>width$}")
                }
            });
        text += cells.collect::<Vec<_>>().join("  ").trim_end();
        text.push('\n');
    }
    text
}

/// As editors and terminals understand it, as far as it is known.
fn position(member: Option<&str>, the_loop: &LoopSite) -> String {
    let mut text = member.map_or_else(String::new, |member| format!("{member}: "));
    text += the_loop.file.as_deref().unwrap_or("(compiled without -g)");
    if let Some(line) = the_loop.line {
        text += &format!(":{line}");
        if let Some(column) = the_loop.column {
            text += &format!(":{column}");
        }
    }
    text
}

fn number(value: Value) -> String {
    match value {
        Value::Constant(value) => value.to_string(),
        Value::RunTime(_) => "run time".to_owned(),
        Value::None => "-".to_owned(),
    }
}

/// A terminal obeys what files may contain.
fn printable(text: &str) -> String {
    text.chars().fold(String::new(), |mut text, c| {
        if c.is_control() {
            text.extend(c.escape_default());
        } else {
            text.push(c);
        }
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn image(member: Option<&str>) -> Image {
        let the_loop = LoopSite {
            file: Some("a.c".into()),
            line: Some(3),
            column: Some(9),
            function: "f\u{1b}[2J".into(),
            symbol: "f".into(),
            construct: "for",
            schedule: "schedule(static,4)".into(),
            chunk: Value::Constant(4),
            start: Value::Constant(-1),
            step: Value::None,
            variable_bits: Some(32),
        };
        Image {
            member: member.map(str::to_owned),
            loops: vec![the_loop],
        }
    }

    #[test]
    fn a_table_for_people() {
        assert_eq!(
            table(&[image(None), image(Some("b.o"))]),
            "position      function    schedule            chunk  start  step\n\
             a.c:3:9       f\\u{1b}[2J  schedule(static,4)      4     -1     -\n\
             b.o: a.c:3:9  f\\u{1b}[2J  schedule(static,4)      4     -1     -\n"
        );
    }

    #[test]
    fn json_for_programs() {
        let text = json(Path::new("b.a"), &[image(Some("b.o"))]).unwrap();
        let value: serde_json::Value = serde_json::from_str(&text).unwrap();
        let the_loop = &value["loops"][0];
        assert_eq!(the_loop["member"], "b.o");
        assert_eq!(the_loop["start"], -1);
        assert!(the_loop["step"].is_null());
    }
}
