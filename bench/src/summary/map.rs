//! A run at a glance, as SVG: a field per body and size, with the highest ratio to the base on any number of threads, and a colour that
//! tells how far it is from the base. Fields of what is not known to differ have the colour of no difference, whatever
//! the number.

use std::fmt::Write as _;

use super::rows::Row;
use super::run::Run;
use crate::plan::case::{ascending, distinct};
use crate::report::words::escaped;
use crate::results::stats::Interval;
use crate::results::{Role, Unit};

/// A ratio that is as good as one.
const EQUAL: f64 = 1.01;
/// From which ratio on each further colour is used; the first is that of no difference.
const STEPS: [f64; 5] = [1.0, 1.1, 1.5, 3.0, 10.0];
const WIDTH: usize = 36;
const HEIGHT: usize = 15;
/// Where the names of bodies end.
const LEFT: usize = 92;
/// From one block to the next one.
const ACROSS: usize = LEFT + 13 * WIDTH + 16;

const STYLE: &str = "text{font:10px sans-serif;fill:#1f2328}.t{font-weight:bold;font-size:11px}.n{text-anchor:end}\
    .v{text-anchor:middle}.c0{fill:#c7e9c0}.c1{fill:#ffffb2}.c2{fill:#fed976}.c3{fill:#feb24c}\
    .c4{fill:#fd8d3c}.c5{fill:#f03b20}@media(prefers-color-scheme:dark){text{fill:#e6edf3}.v{fill:#1f2328}}";

/// What is drawn together: one variant, or several of which the slowest counts.
struct Block<'a> {
    title: String,
    unit: Unit,
    variants: Vec<&'a str>,
}

/// The whole picture.
pub fn svg(run: &Run) -> String {
    let mut body = String::new();
    let (mut down, mut tallest) = (4, 0);
    let blocks = blocks(run);
    for (at, block) in blocks.iter().enumerate() {
        let column = at % 2;
        if column == 0 {
            down += tallest;
            tallest = 0;
        }
        let height = draw(&mut body, run, block, (column * ACROSS, down));
        tallest = tallest.max(height);
    }
    let (width, height) = (blocks.len().min(2) * ACROSS, down + tallest);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" role=\"img\" aria-label=\"{}\">\n\
         <style>{STYLE}</style>\n{body}</svg>\n",
        escaped(&run.title)
    )
}

fn blocks(run: &Run) -> Vec<Block<'_>> {
    let mut blocks = Vec::new();
    for unit in [Unit::Chunk, Unit::Schedule, Unit::Task] {
        if run.of_unit(unit).next().is_none() {
            continue;
        }
        let of = match unit {
            Unit::Task => "tasks: ",
            _ => "",
        };
        let off: Vec<&str> = run.with_role(Role::Off).map(|of| &*of.name).collect();
        if !off.is_empty() {
            blocks.push(Block {
                title: format!("{of}nobody listens: the slowest of {}", off.join(", ")),
                unit,
                variants: off,
            });
        }
        let drawn = run.variants.iter().filter(|variant| {
            let left_out = [Role::Base, Role::Noise, Role::Off, Role::Other];
            !left_out.contains(&variant.role)
        });
        blocks.extend(drawn.map(|variant| Block {
            title: format!("{of}{}", variant.title),
            unit,
            variants: vec![&variant.name],
        }));
    }
    blocks
}

/// Draws a block; the answer is its height.
fn draw(to: &mut String, run: &Run, block: &Block<'_>, (x, y): (usize, usize)) -> usize {
    let rows = || run.of_unit(block.unit);
    let sizes = ascending(rows().map(|row| row.chunk));
    let bodies = distinct(rows().map(|row| &row.body));
    let across = |column: usize| x + LEFT + column * WIDTH;
    // Writing to a string does not fail.
    let _ = writeln!(to, "<text class=\"t\" x=\"{x}\" y=\"{}\">{}</text>", y + 12, escaped(&block.title));
    for (column, size) in sizes.iter().enumerate() {
        let _ = writeln!(
            to,
            "<text class=\"v\" style=\"fill:#808080\" x=\"{}\" y=\"{}\">{size}</text>",
            across(column) + WIDTH / 2,
            y + 26
        );
    }
    for (line, body) in bodies.iter().enumerate() {
        let top = y + 30 + line * HEIGHT;
        let _ = writeln!(
            to,
            "<text class=\"n\" x=\"{}\" y=\"{}\">{}</text>",
            x + LEFT - 4,
            top + 11,
            escaped(&body.replace('_', " "))
        );
        for (column, size) in sizes.iter().enumerate() {
            let of_field = rows().filter(|row| row.body == **body && row.chunk == *size);
            let drawn = of_field.filter(|row| block.variants.contains(&&*row.variant));
            let slowest =
                drawn.filter_map(|row| Some((row, row.ratio()?))).max_by(|a, b| a.1.middle.total_cmp(&b.1.middle));
            if let Some((row, ratio)) = slowest {
                let colour = colour(ratio, same(run, row));
                field(to, (across(column), top), colour, ratio);
            }
        }
    }
    30 + bodies.len() * HEIGHT + 14
}

fn field(to: &mut String, (left, top): (usize, usize), colour: usize, ratio: Interval) {
    let _ = writeln!(
        to,
        "<rect class=\"c{colour}\" x=\"{left}\" y=\"{top}\" width=\"35\" height=\"14\"/><text class=\"v\" x=\"{}\" y=\"{}\">{}</text>",
        left + WIDTH / 2,
        top + 11,
        number(ratio.middle)
    );
}

/// What the base once more has in the case of a row.
fn same(run: &Run, row: &Row) -> Option<Interval> {
    let noise = &run.with_role(Role::Noise).next()?.name;
    let mut rows = run.rows.iter();
    let same = rows.find(|same| same.variant == *noise && same.is_beside(row));
    same?.ratio()
}

fn colour(ratio: Interval, same: Option<Interval>) -> usize {
    if ratio.low <= EQUAL || same.is_some_and(|same| same.overlaps(ratio)) {
        return 0;
    }
    STEPS.iter().filter(|step| ratio.middle >= **step).count()
}

fn number(ratio: f64) -> String {
    match ratio {
        large if large >= 9.95 => format!("{large:.0}"),
        middle if middle >= 1.995 => format!("{middle:.1}"),
        small => format!("{small:.2}"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::run::tests::small;
    use super::*;

    #[test]
    fn a_field_per_body_and_size() {
        let text = svg(&small());
        // Nobody listens, two events, the clock, dealt at run time; nothing was recorded.
        assert_eq!(text.matches("<rect").count(), 5, "{text}");
        assert!(text.contains("class=\"c0\""), "{text}");
        assert!(text.contains(">16</text>"), "{text}");
        assert!(!text.contains("NaN") && !text.contains("inf"), "{text}");
    }

    #[test]
    fn colours_tell_what_is_known() {
        let of = |low, middle| Interval { low, middle, high: 2.0 * middle - low };
        assert_eq!(colour(of(1.0, 1.3), None), 0, "may be equal");
        assert_eq!(colour(of(1.02, 1.05), None), 1);
        assert_eq!(colour(of(1.02, 1.05), Some(of(0.9, 1.0))), 0, "as A/A");
        assert_eq!(colour(of(11.0, 12.0), None), 5);
    }
}
