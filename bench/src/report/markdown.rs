//! Pages as Markdown.

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
        text += "\n| bar | figures within it | worst |\n|---|---|---|\n";
    }
    for bar in &page.bars {
        let missed = if bar.missed == 0 { "" } else { " **missed**" };
        let (within, of) = (bar.figures - bar.missed, bar.figures);
        text += &format!(
            "| {} | {within} of {of}{missed} | {} |\n",
            escaped(&bar.what),
            escaped(&bar.worst)
        );
    }
    for of in &page.tables {
        text += &format!("\n### {}\n\n{}", of.title, table(of));
    }
    text
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
    text.replace('\\', "\\\\")
        .replace('|', "\\|")
        .replace('<', "&lt;")
}
