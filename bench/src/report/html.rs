//! Pages as one HTML file with plots: no script, nothing from a network.

use super::bar::Bar;
use super::page::Page;
use super::plot::{Line, Plot};
use super::table::Table;
use super::tables::{Group, groups};
use super::words::{escaped, loops_of, plain, threads};
use crate::results::stats::Interval;
use crate::results::{Cell, Results, Role, Unit};

const STYLE: &str = include_str!("page.css");

/// All pages.
pub fn render(results: &[Results], pages: &[Page]) -> String {
    let mut text = format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>ompchunk bench</title>\n<style>\n{STYLE}</style></head><body>\n"
    );
    for (results, page) in results.iter().zip(pages) {
        text += &head(page);
        text += &plots(results);
        for shown in &page.tables {
            text += &table(shown);
        }
    }
    text + "</body></html>\n"
}

fn head(page: &Page) -> String {
    let mut text = format!("<h1>{}</h1>\n<dl>\n", escaped(&page.title));
    for (name, value) in &page.facts {
        text += &format!("<dt>{}</dt><dd>{}</dd>\n", escaped(name), escaped(value));
    }
    text += "</dl>\n";
    for warning in &page.warnings {
        text += &format!("<p class=\"warning\">{}</p>\n", escaped(warning));
    }
    if page.bars.is_empty() {
        return text;
    }
    let bars = Table::of_bars(&page.bars, Bar::within);
    let class = |bar: &Bar| if bar.missed == 0 { "met" } else { "missed" };
    let classes: Vec<&str> = page.bars.iter().map(class).collect();
    text + "<table class=\"bars\">"
        + &lines(&bars, |row, column| match column {
            1 => format!(" class=\"{}\"", classes[row]),
            _ => String::new(),
        })
}

fn table(table: &Table) -> String {
    let title = escaped(&plain(&table.title));
    let lines = lines(table, |_, _| String::new());
    format!("<h2>{title}</h2>\n<div class=\"wide\"><table>{}</div>\n", lines.trim_end())
}

/// All of a table but its first tag; fields have attributes.
fn lines(table: &Table, attributes: impl Fn(usize, usize) -> String) -> String {
    let field = |word: &String| escaped(&plain(word));
    let head = table.head.iter().map(|word| format!("<th>{}</th>", field(word)));
    let head: String = head.collect();
    let mut text = format!("<thead><tr>{head}</tr>\n</thead><tbody>\n");
    for (row, words) in table.rows.iter().enumerate() {
        let fields = words.iter().enumerate();
        let fields = fields.map(|(column, word)| format!("<td{}>{}</td>", attributes(row, column), field(word)));
        text += &format!("<tr>{}</tr>\n", fields.collect::<String>());
    }
    text + "</tbody></table>\n"
}

/// The plots of all groups of cells.
fn plots(results: &Results) -> String {
    let plots = groups(results).flat_map(|group| group.plots());
    let drawn = plots.filter(|plot| !plot.lines.is_empty());
    let drawn: String = drawn.map(|plot| plot.svg()).collect();
    format!("<div class=\"plots\">\n{drawn}</div>\n")
}

impl Group<'_> {
    /// Of chunks: the ratios while nobody listens, and what events cost. Of others the ratios of all.
    fn plots(&self) -> Vec<Plot> {
        match self.unit {
            Unit::Schedule => vec![self.ratios(&loops_of(self.body), "chunk size")],
            Unit::Task => vec![self.ratios("tasks", "number of tasks")],
            _ => vec![self.off(), self.events()],
        }
    }

    fn ratios(&self, what: &str, over: &'static str) -> Plot {
        let roles = [Role::Noise, Role::Off, Role::Other, Role::Extensions, Role::Changed];
        let (base, what) = (self.results.base(), plain(what));
        Plot {
            title: format!("Ratio to {base}; {what}, {}", threads(self.threads)),
            unit: "ratio",
            over,
            limit: Some((1.03, "1.03".into())),
            lines: self.lines(&roles, Cell::ratio),
        }
    }

    fn off(&self) -> Plot {
        let roles = [Role::Noise, Role::Off, Role::Other];
        Plot {
            title: format!("Nobody listens: ratio to plain; {}", self.name()),
            unit: "ratio",
            over: "chunk size",
            limit: Some((1.01, "1.01".into())),
            lines: self.lines(&roles, Cell::ratio),
        }
    }

    fn events(&self) -> Plot {
        let roles = [Role::Event, Role::Clock, Role::Recorder, Role::Dealt];
        // Of long chunks nothing can be said to some nanoseconds.
        let is_known = |above: &Interval| above.half_width() < 5.0;
        let above = |cell: &Cell, variant: &str| {
            let above = cell.above(variant, self.results.base());
            above.filter(is_known)
        };
        Plot {
            title: format!("Events: ns per chunk above plain; {}", self.name()),
            unit: "ns",
            over: "chunk size",
            limit: Some((5.0, "5 ns".into())),
            lines: self.lines(&roles, above),
        }
    }

    fn name(&self) -> String {
        format!("body {}, {}", self.body, threads(self.threads))
    }

    /// A line per variant of some roles, if there is a value of it.
    fn lines(&self, roles: &[Role], value: impl Fn(&Cell, &str) -> Option<Interval>) -> Vec<Line> {
        let point = |cell: &Cell, name: &str| Some((cell.chunk, value(cell, name)?));
        let variants = self.results.variants.iter().enumerate();
        let drawn = variants.filter(|(_, variant)| roles.contains(&variant.role));
        let lines = drawn.map(|(colour, variant)| Line {
            name: variant.title.clone(),
            colour,
            points: self.cells().filter_map(|cell| point(cell, &variant.name)).collect(),
        });
        lines.filter(|line| !line.points.is_empty()).collect()
    }
}
