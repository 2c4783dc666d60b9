//! `ompchunk loops`: loop records as a table or as JSON.

use std::path::Path;
use std::process::ExitCode;

use anyhow::Result;
use ompchunk_toolchain::loops::{GroupSite, Image, LoopSite, Value, bound};
use ompchunk_trace_format::name::demangle;
use serde::Serialize;

use crate::args::Loops;
use crate::signature::short;
use crate::stock::Site;
use crate::table::{Field, printable, render};
use crate::{output, report, stock};

pub fn print(arguments: &Loops) -> Result<ExitCode> {
    let sites = stock::sites(std::slice::from_ref(&arguments.file));
    let mut images = ompchunk_toolchain::loops::read(&arguments.file).or_else(|why| {
        if sites.is_empty() {
            return Err(why);
        }
        output::notice(&why);
        output::notice(&format!("next: {}", why.next()));
        Ok(Vec::new())
    })?;
    if !sites.is_empty() {
        images.push(Image { member: None, loops: sites.into_iter().flatten().map(without_plugin).collect() });
    }
    let inside = ompchunk_toolchain::loops::schedules_inside(&arguments.file);
    if arguments.json {
        return Ok(output::print(&json(&arguments.file, &images, inside)?).map(|()| ExitCode::SUCCESS)?);
    }
    output::print_styled(&table(&images, report::terminal_width()))?;
    if let Some(inside) = inside {
        output::print(&format!(
            "\nschedules inside, unless OMPCHUNK_SCHEDULE is set:\n{}\n",
            inside.trim_end().lines().map(printable).collect::<Vec<_>>().join("\n")
        ))?;
    }
    Ok(ExitCode::SUCCESS)
}

#[derive(Serialize)]
struct Listing<'a> {
    version: u32,
    file: String,
    loops: Vec<Entry<'a>>,
    schedules: Option<String>,
}

#[derive(Serialize)]
struct Entry<'a> {
    member: Option<&'a str>,
    #[serde(flatten)]
    the_loop: &'a LoopSite,
}

fn json(file: &Path, images: &[Image], schedules: Option<String>) -> Result<String> {
    let loops = images
        .iter()
        .flat_map(|image| image.loops.iter().map(|the_loop| Entry { member: image.member.as_deref(), the_loop }));
    let listing = Listing { version: 1, file: file.display().to_string(), loops: loops.collect(), schedules };
    Ok(serde_json::to_string_pretty(&listing)? + "\n")
}

/// A static loop, or sections, of which the file has no more than the call that begins it.
fn without_plugin(site: Site) -> LoopSite {
    LoopSite {
        line: Some(site.line).filter(|line| *line != 0),
        function: demangle(&site.function, &site.file),
        file: Some(site.file),
        symbol: site.function,
        construct: "for or sections",
        schedule: "static".to_owned(),
        changeable: site.stays.is_none(),
        because: site.stays,
        bound: Some(site.the_loop.against.unwrap_or(bound::sentence(bound::STOCK))),
        ..LoopSite::default()
    }
}

/// As wide as it must be where `width` is not known: a pipe's lines are whole.
fn table(images: &[Image], width: Option<usize>) -> String {
    let mut rows = Vec::new();
    // On a narrow terminal the schedule says the chunk, and of most loops start and step are no news.
    let leave = |rank: u8| width.map_or(0, |_| rank);
    for image in images {
        for the_loop in &image.loops {
            rows.push(vec![
                Field::text("position", 0, position(image.member.as_deref(), the_loop)),
                Field::text("function", 0, short(&the_loop.function)),
                Field::text("schedule", 0, the_loop.schedule.as_str()),
                Field::number("chunk", leave(1), number(the_loop.chunk)),
                Field::number("start", leave(3), number(the_loop.start)),
                Field::number("step", leave(2), number(the_loop.step)),
                Field::prose("can be changed", change(the_loop)),
            ]);
        }
    }
    render(&rows, 0, width)
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

fn change(the_loop: &LoopSite) -> String {
    if !the_loop.changeable {
        return the_loop.because.map_or_else(|| "no".to_owned(), |because| format!("no: {because}"));
    }
    match (the_loop.free, &the_loop.group[..]) {
        (true, _) => "yes".to_owned(),
        (false, []) => {
            let how = match the_loop.barrier {
                None => "by name, to balanced or adaptive; with a chunk size, to static or static,c",
                Some(_) if the_loop.insist => "by '!' and name",
                Some(_) => "by name",
            };
            format!("{how}: {}", the_loop.bound.unwrap_or_default())
        }
        (false, group) => with_group(the_loop, group),
    }
}

fn with_group(the_loop: &LoopSite, group: &[GroupSite]) -> String {
    let others: Vec<String> = group
        .iter()
        .filter(|site| site.line != the_loop.line)
        .filter_map(|site| Some(site.line?.to_string()))
        .collect();
    let with = match &others[..] {
        [] => "loops around it".to_owned(),
        [only] => format!("line {only}"),
        lines => format!("lines {}", lines.join(", ")),
    };
    if group.iter().all(|site| site.changeable) {
        format!("with {with}, to static,c, balanced or adaptive: {}", bound::sentence(bound::PAIR))
    } else {
        format!("no: one of its group, with {with}, cannot be changed")
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
            barrier: Some(true),
            free: true,
            bound: None,
            insist: false,
            group: Vec::new(),
        };
        Image { member: member.map(str::to_owned), loops: vec![the_loop] }
    }

    #[test]
    fn a_table_for_people() {
        assert_eq!(
            anstream::adapter::strip_str(&table(&[image(None), image(Some("b.o"))], None)).to_string(),
            "position      function    schedule            chunk  start  step  can be changed\n\
             a.c:3:9       f\\u{1b}[2J  schedule(static,4)      4     -1     -  yes\n\
             b.o: a.c:3:9  f\\u{1b}[2J  schedule(static,4)      4     -1     -  yes\n"
        );
    }

    #[test]
    fn what_is_not_free_says_why() {
        let mut the_loop = image(None).loops.remove(0);
        (the_loop.free, the_loop.bound) = (false, Some(bound::sentence(bound::NOWAIT)));
        assert!(change(&the_loop).starts_with("by name: code behind it"));
        the_loop.insist = true;
        assert!(change(&the_loop).starts_with("by '!' and name: "));
        let site = |line, changeable| GroupSite { line: Some(line), changeable };
        the_loop.group = vec![site(3, true), site(5, true)];
        assert!(change(&the_loop).starts_with("with line 5, to static,c, balanced or adaptive: another loop"));
        the_loop.group.push(site(7, false));
        assert_eq!(change(&the_loop), "no: one of its group, with lines 5, 7, cannot be changed");
    }

    #[test]
    fn json_for_programs() {
        let text = json(Path::new("b.a"), &[image(Some("b.o"))], None).unwrap();
        let value: serde_json::Value = serde_json::from_str(&text).unwrap();
        let the_loop = &value["loops"][0];
        assert_eq!(the_loop["member"], "b.o");
        assert_eq!(the_loop["start"], -1);
        assert!(the_loop["step"].is_null());
    }
}
