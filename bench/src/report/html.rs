//! Pages as one HTML file with plots: no script, nothing from a network.

use super::page::Page;
use super::plot::{Line, Plot};
use super::table::Table;
use super::tables::groups;
use super::words::{escaped, loops_of};
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
        for of in &page.tables {
            text += &table(of);
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
    text += "<table class=\"bars\"><thead><tr><th>bar</th><th>figures within it</th><th>worst</th></tr></thead><tbody>\n";
    for bar in &page.bars {
        let class = if bar.missed == 0 { "met" } else { "missed" };
        text += &format!(
            "<tr><td>{}</td><td class=\"{class}\">{} of {}</td><td>{}</td></tr>\n",
            escaped(&bar.what),
            bar.figures - bar.missed,
            bar.figures,
            escaped(&bar.worst)
        );
    }
    text + "</tbody></table>\n"
}

fn table(table: &Table) -> String {
    let row = |words: &[String], tag: &str| {
        let cells: Vec<String> = words
            .iter()
            .map(|word| format!("<{tag}>{}</{tag}>", escaped(&word.replace('`', ""))))
            .collect();
        format!("<tr>{}</tr>\n", cells.concat())
    };
    let mut text = format!(
        "<h2>{}</h2>\n<div class=\"wide\"><table><thead>{}</thead><tbody>\n",
        escaped(&table.title.replace('`', "")),
        row(&table.head, "th")
    );
    for words in &table.rows {
        text += &row(words, "td");
    }
    text + "</tbody></table></div>\n"
}

/// For each body and number of threads: the ratios while nobody listens, and what events cost. Of the thesis'
/// evaluation, the ratios of all.
fn plots(results: &Results) -> String {
    let mut text = String::from("<div class=\"plots\">\n");
    for (unit, threads, body) in groups(results) {
        let lines =
            |roles: &[Role], value: &dyn Fn(&Cell, &str) -> Option<Interval>| -> Vec<Line> {
                let cells = || {
                    results.cells.iter().filter(|cell| {
                        cell.unit == unit && cell.threads == threads && cell.body == body
                    })
                };
                let variants = results.variants.iter().enumerate();
                variants
                    .filter(|(_, variant)| roles.contains(&variant.role))
                    .map(|(colour, variant)| Line {
                        name: variant.title.clone(),
                        colour,
                        points: cells()
                            .filter_map(|cell| Some((cell.chunk, value(cell, &variant.name)?)))
                            .collect(),
                    })
                    .filter(|line| !line.points.is_empty())
                    .collect()
            };
        let ratio = |cell: &Cell, name: &str| cell.ratio(name);
        let thread = if threads == 1 { "thread" } else { "threads" };
        let of_chunks = || {
            let of = format!("body {body}, {threads} {thread}");
            let off = Plot {
                title: format!("Nobody listens: ratio to plain; {of}"),
                unit: "ratio",
                over: "chunk size",
                limit: Some((1.01, "1.01".into())),
                lines: lines(&[Role::Noise, Role::Off, Role::Other], &ratio),
            };
            let events = [Role::Event, Role::Clock, Role::Recorder, Role::Dealt];
            let on = Plot {
                title: format!("Events: ns per chunk above plain; {of}"),
                unit: "ns",
                over: "chunk size",
                limit: Some((5.0, "5 ns".into())),
                lines: lines(&events, &|cell, name| {
                    // Of long chunks nothing can be said to some nanoseconds.
                    cell.above(name, results.base())
                        .filter(|above| above.half_width() < 5.0)
                }),
            };
            vec![off, on]
        };
        let of_thesis = |of: String, over| {
            let roles = [
                Role::Noise,
                Role::Off,
                Role::Other,
                Role::Extensions,
                Role::Changed,
            ];
            let (base, of) = (results.base(), of.replace('`', ""));
            vec![Plot {
                title: format!("Ratio to {base}; {of}, {threads} {thread}"),
                unit: "ratio",
                over,
                limit: Some((1.03, "1.03".into())),
                lines: lines(&roles, &ratio),
            }]
        };
        let plots = match unit {
            Unit::Schedule => of_thesis(loops_of(body), "chunk size"),
            Unit::Task => of_thesis("tasks".into(), "number of tasks"),
            _ => of_chunks(),
        };
        for plot in plots.iter().filter(|plot| !plot.lines.is_empty()) {
            text += &plot.svg();
        }
    }
    text + "</div>\n"
}
