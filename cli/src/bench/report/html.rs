//! Pages as one HTML file with plots: no script, nothing from a network.

use super::super::results::{Cell, Results, Unit};
use super::super::stats::Interval;
use super::super::variant::Role;
use super::Page;
use super::plot::{Line, Plot};
use super::table::Table;

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

/// For each body and number of threads: the ratios while nobody listens, and what events cost.
fn plots(results: &Results) -> String {
    let mut groups: Vec<(u32, &str)> = Vec::new();
    for cell in results.cells.iter().filter(|cell| cell.unit == Unit::Chunk) {
        if !groups.contains(&(cell.threads, &cell.body)) {
            groups.push((cell.threads, &cell.body));
        }
    }
    let mut text = String::from("<div class=\"plots\">\n");
    for (threads, body) in groups {
        let cells = || {
            let all = results.cells.iter();
            all.filter(|cell| {
                cell.unit == Unit::Chunk && cell.threads == threads && cell.body == body
            })
        };
        let lines =
            |roles: &[Role], value: &dyn Fn(&Cell, &str) -> Option<Interval>| -> Vec<Line> {
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
        let of = format!(
            "body {body}, {threads} thread{}",
            if threads == 1 { "" } else { "s" }
        );
        let off = Plot {
            title: format!("Nobody listens: ratio to plain; {of}"),
            unit: "ratio",
            limit: Some((1.01, "1.01".into())),
            lines: lines(&[Role::Noise, Role::Off, Role::Other], &|cell, name| {
                cell.ratio(name)
            }),
        };
        let on = Plot {
            title: format!("Events: ns per chunk above plain; {of}"),
            unit: "ns",
            limit: Some((5.0, "5 ns".into())),
            lines: lines(&[Role::Event, Role::Clock, Role::Dealt], &|cell, name| {
                // Of long chunks nothing can be said to some nanoseconds.
                cell.above(name, results.base())
                    .filter(|above| above.half_width() < 5.0)
            }),
        };
        for plot in [off, on] {
            if !plot.lines.is_empty() {
                text += &plot.svg();
            }
        }
    }
    text + "</div>\n"
}

/// Text for HTML, also within quotes.
pub fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::super::super::results::tests::sample;
    use super::super::render as report;
    use crate::args::Format;

    #[test]
    fn one_file_that_needs_nothing() {
        let text = report(&[sample(), sample()], Format::Html);
        assert_eq!(text.matches("<svg").count(), 4);
        assert_eq!(text.matches("<svg").count(), text.matches("</svg>").count());
        for foreign in ["http://", "https://", "<script", "src=", "@import", "url("] {
            assert!(!text.contains(foreign), "{foreign}");
        }
        assert!(text.contains("A &lt;fast&gt; CPU"));
    }

    #[test]
    fn markdown_and_text_say_the_same() {
        for format in [Format::Markdown, Format::Terminal] {
            let text = report(&[sample()], format);
            assert!(text.contains("16.0 [16.0, 16.0]"), "{text}");
            assert!(text.contains("1 of 2 cells are not known to 1 %"), "{text}");
        }
        let text = report(&[sample()], Format::Markdown);
        let columns: Vec<usize> = text
            .lines()
            .skip_while(|line| !line.starts_with("| chunk"))
            .take(3)
            .map(|line| line.matches('|').count())
            .collect();
        assert!(
            columns.iter().all(|count| *count == columns[0]),
            "{columns:?}"
        );
    }
}
