//! `ompchunk loops`: loop records as a table or as JSON.

use std::path::Path;
use std::process::ExitCode;

use anyhow::Result;
use ompchunk_loops::{Image, LoopSite, Value};
use serde::Serialize;

use crate::args::Loops;
use crate::output;
use crate::signature::without_parameters;
use crate::table::{Column, render};

/// Prints the loops of a file.
pub fn print(arguments: &Loops) -> Result<ExitCode> {
    let images = ompchunk_loops::read(&arguments.file)?;
    if arguments.json {
        output::print(&json(&arguments.file, &images)?)?;
    } else {
        output::print_styled(&table(&images))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// What to do about an error of this command.
pub fn next(cause: &(dyn std::error::Error + 'static)) -> Option<String> {
    cause.downcast_ref().and_then(ompchunk_loops::Error::next)
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

const COLUMNS: [Column; 7] = [
    Column::text("position", 0),
    Column::text("function", 0),
    Column::text("schedule", 0),
    Column::number("chunk", 0),
    Column::number("start", 0),
    Column::number("step", 0),
    Column::text("can be changed", 0),
];

fn table(images: &[Image]) -> String {
    let mut rows = Vec::new();
    for image in images {
        for the_loop in &image.loops {
            rows.push(vec![
                position(image.member.as_deref(), the_loop).into(),
                without_parameters(&the_loop.function).into(),
                the_loop.schedule.as_str().into(),
                number(the_loop.chunk).into(),
                number(the_loop.start).into(),
                number(the_loop.step).into(),
                change(the_loop).into(),
            ]);
        }
    }
    render(&COLUMNS, &rows, 0, None)
}

/// As editors and terminals understand it, as far as it is known.
fn position(member: Option<&str>, the_loop: &LoopSite) -> String {
    let mut text = member.map_or_else(String::new, |member| format!("{member}: "));
    text += the_loop.file.as_deref().unwrap_or("(no line information)");
    if let Some(line) = the_loop.line {
        text += &format!(":{line}");
        if let Some(column) = the_loop.column {
            text += &format!(":{column}");
        }
    }
    text
}

/// Whether, and if not, why.
fn change(the_loop: &LoopSite) -> String {
    match (the_loop.changeable, the_loop.because, the_loop.barrier) {
        (true, _, true) => "yes".to_owned(),
        (true, _, false) => "yes, but not by *: no barrier follows".to_owned(),
        (false, Some(because), _) => format!("no: {because}"),
        (false, None, _) => "no".to_owned(),
    }
}

fn number(value: Value) -> String {
    match value {
        Value::Constant(value) => value.to_string(),
        Value::RunTime(_) => "run time".to_owned(),
        Value::None => "-".to_owned(),
    }
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
            changeable: true,
            because: None,
            barrier: true,
        };
        Image {
            member: member.map(str::to_owned),
            loops: vec![the_loop],
        }
    }

    #[test]
    fn a_table_for_people() {
        assert_eq!(
            anstream::adapter::strip_str(&table(&[image(None), image(Some("b.o"))])).to_string(),
            "position      function    schedule            chunk  start  step  can be changed\n\
             a.c:3:9       f\\u{1b}[2J  schedule(static,4)      4     -1     -  yes\n\
             b.o: a.c:3:9  f\\u{1b}[2J  schedule(static,4)      4     -1     -  yes\n"
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
