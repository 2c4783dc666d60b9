//! Explicit tasks of two runs, below their loops: by construct. Nothing where neither run has any.

use ompchunk_analysis::TaskPair;
use ompchunk_analysis::model::ConstructReport;

use super::top::{rest, shown};
use super::units::{count, time};
use crate::prose::wrapped;
use crate::table::{Field, printable, render};

/// The table, `top` rows of it (0: all).
pub fn text(pairs: &[TaskPair<'_>], top: usize, width: Option<usize>, to: &mut String) {
    if pairs.is_empty() {
        return;
    }
    let head = "\nexplicit tasks; work is their own time, and change is that of work: sums of one run each, so without a verdict; creation is the mean of one task\n";
    *to += &wrapped(head, width);
    let shown = shown(top, pairs.len());
    let rows: Vec<Vec<Field>> = pairs[..shown].iter().map(row).collect();
    *to += &render(&rows, 0, width);
    rest(pairs.len() - shown, to);
}

fn row(pair: &TaskPair<'_>) -> Vec<Field> {
    let both = |of: &dyn Fn(&ConstructReport) -> String| {
        let side = |found: Option<&ConstructReport>| found.map_or_else(|| "-".to_owned(), of);
        let (before, after) = (side(pair.before), side(pair.after));
        match before == after {
            true => before,
            false => format!("{before} → {after}"),
        }
    };
    let change = match (pair.before, pair.after) {
        (Some(before), Some(after)) if before.work_seconds > 0.0 => {
            let ratio = after.work_seconds / before.work_seconds;
            format!("{:+.1} %", (ratio - 1.0) * 100.0)
        }
        (Some(_), Some(_)) => "-".to_owned(),
        (None, _) => "new".to_owned(),
        (_, None) => "gone".to_owned(),
    };
    let function = |of: &ConstructReport| of.site.function.clone();
    vec![
        Field::number("tasks", 0, both(&|of| count(of.created))),
        Field::number("change", 2, change),
        Field::number("work", 0, both(&|of| time(of.work_seconds))),
        Field::number("creation", 1, both(&|of| time(of.mean_creation()))),
        Field::text("created at", 0, printable(&both(&|of| of.site.name.clone()))),
        Field::text("function", 3, printable(&both(&|of| function(of).unwrap_or_else(|| "-".to_owned())))),
    ]
}
