//! Pages as Markdown.

use super::bar::Bar;
use super::page::Page;
use super::table::Table;

/// All pages.
pub fn render(pages: &[Page]) -> String {
    let pages: Vec<String> = pages.iter().map(page).collect();
    pages.join("\n")
}

fn page(page: &Page) -> String {
    let mut text = format!("## {}\n\n", escaped(&page.title));
    for (name, value) in &page.facts {
        text += &format!("- {}: {}\n", escaped(name), escaped(value));
    }
    for warning in &page.warnings {
        text += &format!("- **Warning**: {}\n", escaped(warning));
    }
    if !page.bars.is_empty() {
        let within = |bar: &Bar| match bar.missed {
            0 => bar.within(),
            _ => format!("{} **missed**", bar.within()),
        };
        text += &format!("\n{}", table(&Table::of_bars(&page.bars, within)));
    }
    for shown in &page.tables {
        text += &format!("\n### {}\n\n{}", shown.title, table(shown));
    }
    text
}

/// A list of what is doubtful of some runs; nothing if nothing is.
pub fn doubts<'a>(runs: impl Iterator<Item = (&'a str, &'a Vec<String>)>) -> String {
    let doubts = runs.flat_map(|(name, warnings)| {
        let line = move |warning: &String| format!("- {name}: {}\n", escaped(warning));
        warnings.iter().map(line)
    });
    let doubts: String = doubts.collect();
    match doubts.is_empty() {
        true => doubts,
        false => format!("\n## What is doubtful\n\n{doubts}"),
    }
}

/// A table; its words are escaped.
pub fn table(table: &Table) -> String {
    let line = |row: &[String]| {
        let cells: Vec<String> = row.iter().map(|word| escaped(word)).collect();
        format!("| {} |\n", cells.join(" | "))
    };
    let mut text = line(&table.head);
    text += &format!("|{}\n", "---|".repeat(table.head.len()));
    for row in &table.rows {
        text += &line(row);
    }
    text
}

/// A text that shall mean nothing in a table.
pub fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('|', "\\|").replace('<', "&lt;")
}
