//! Hot lines: where in a loop's body the time goes, of a trace with sampled stacks.

use std::fmt::Write as _;

use anyhow::Result;
use ompchunk_analysis::hot::{Hot, HotLines};
use ompchunk_analysis::{Analysis, LoopReport, Report};

use super::units::{count, counted, percent, time};
use crate::output;
use crate::prose::wrapped;
use crate::signature::short;
use crate::table::{Field, printable, render};

const LINES: usize = 8;
/// Loops whose lines JSON and the page have: as many as have profiles.
const LOOPS: usize = super::page::PICTURES;

/// Lines of the first loops, and of serial code, which go into the report; none of a trace without stacks. The user is told what is
/// missing.
pub fn hot_lines(analysis: &Analysis<'_>, found: &mut Report) -> Result<Vec<Option<Hot>>> {
    if !analysis.has_stacks() {
        return Ok(Vec::new());
    }
    let first = found.loops.len().min(LOOPS);
    let loops: Vec<&LoopReport> = found.loops[..first].iter().collect();
    let HotLines { loops, serial, notes } = analysis.hot_lines(&loops)?;
    found.run.serial_functions = serial;
    for (the_loop, hot) in found.loops.iter_mut().zip(&loops) {
        hot.iter().for_each(|hot| the_loop.with_hot(hot));
    }
    for note in notes {
        output::notice(&note);
    }
    Ok(loops)
}

pub fn text(hot: &Hot, width: Option<usize>) -> String {
    let mut prose =
        format!("  hot lines, from {} in {} of thread time", counted(hot.samples, "sample"), time(hot.seconds));
    if hot.unsampled_seconds > 0.0 {
        let _ = write!(prose, "; in {} of it no sample was taken", time(hot.unsampled_seconds));
    }
    let row = |hot_line: &ompchunk_analysis::hot::HotLine| -> Vec<Field> {
        let [low, high] = hot_line.between;
        let name = hot_line.file.as_deref().map(|file| file.rsplit('/').next().unwrap_or(file));
        let line = match name {
            Some(name) if hot_line.line > 0 => format!("{name}:{}", hot_line.line),
            Some(name) => name.to_owned(),
            None => "not known".to_owned(),
        };
        vec![
            Field::number("share", 0, percent(hot_line.share)),
            Field::number("95 %", 2, format!("{:.0}–{:.0} %", low * 100.0, high * 100.0)),
            Field::number("samples", 3, count(hot_line.samples)),
            Field::text("line", 0, printable(&line)),
            Field::text("function", 1, printable(&short(hot_line.function.as_deref().unwrap_or("not known")))),
        ]
    };
    let rows: Vec<Vec<Field>> = hot.lines.iter().take(LINES).map(row).collect();
    let mut text = format!("\n{}", wrapped(&(prose + "\n"), width));
    text += &render(&rows, 2, width);
    if hot.lines.len() > LINES {
        let _ = writeln!(text, "  {}: --json has all", counted((hot.lines.len() - LINES) as u64, "more line"));
    }
    text
}
