//! `--diff`: two runs side by side.

use std::path::Path;

use anstyle::Style;
use ompchunk_analysis::model::LoopReport;
use ompchunk_analysis::{Diff, Pair};

use super::names::schedule;
use super::units::{GREEN, RED, count, percent, time};
use crate::signature::without_parameters;
use crate::table::{Cell, Column, printable, render};

const COLUMNS: [Column; 9] = [
    Column::number("change", 0),
    Column::number("time", 0),
    Column::number("efficiency", 1),
    Column::number("balance", 3),
    Column::number("chunks", 4),
    Column::number("longest chunk", 6),
    Column::text("schedule", 2),
    Column::text("loop", 0),
    Column::text("function", 5),
];

/// A change of a time that is worth a colour.
const NOTICEABLE: f64 = 0.03;

/// The table, `top` loops of it (0: all).
pub fn text(
    diff: &Diff<'_>,
    before: &Path,
    after: &Path,
    top: usize,
    width: Option<usize>,
) -> String {
    let name = |path: &Path| printable(&path.display().to_string());
    let mut text = format!("before: {}\nafter:  {}\n\n", name(before), name(after));
    let shown = match top {
        0 => diff.loops.len(),
        top => top.min(diff.loops.len()),
    };
    let rows: Vec<Vec<Cell>> = diff.loops[..shown].iter().map(row).collect();
    text += &render(&COLUMNS, &rows, 0, width);
    if shown < diff.loops.len() {
        text += &format!("{} more: --top 0 lists all\n", diff.loops.len() - shown);
    }
    text
}

fn row(pair: &Pair<'_>) -> Vec<Cell> {
    let both = |of: &dyn Fn(&LoopReport) -> String| {
        let side = |it: Option<&LoopReport>| it.map_or("-".to_owned(), of);
        let (before, after) = (side(pair.before), side(pair.after));
        if before == after {
            before
        } else {
            format!("{before} → {after}")
        }
    };
    let cost = |it: Option<&LoopReport>| it.map(LoopReport::cost);
    vec![
        change(cost(pair.before), cost(pair.after)),
        both(&|it| time(it.cost())).into(),
        both(&|it| percent(it.metrics.parallel_efficiency)).into(),
        both(&|it| percent(it.metrics.load_balance.or(it.total_load_balance))).into(),
        both(&|it| count(it.chunks)).into(),
        both(&|it| {
            it.chunk_seconds
                .as_ref()
                .map_or("-".to_owned(), |it| time(it.max))
        })
        .into(),
        both(&schedule).into(),
        both(&|it| it.name.clone()).into(),
        both(&|it| {
            let function = it.identity.function.as_deref();
            function.map_or("-", without_parameters).to_owned()
        })
        .into(),
    ]
}

fn change(before: Option<f64>, after: Option<f64>) -> Cell {
    let (Some(before), Some(after)) = (before, after) else {
        return Cell::from(if after.is_some() { "new" } else { "gone" });
    };
    if before <= 0.0 {
        return Cell::from("-");
    }
    let change = after / before - 1.0;
    let style = match change {
        it if it > NOTICEABLE => RED,
        it if it < -NOTICEABLE => GREEN,
        _ => Style::new(),
    };
    Cell::styled(format!("{:+.1} %", change * 100.0), style)
}
