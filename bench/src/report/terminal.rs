//! Pages as text in columns.

use super::page::Page;
use super::table::Table;
use super::words::plain;

/// All pages.
pub fn render(pages: &[Page]) -> String {
    let pages: Vec<String> = pages.iter().map(page).collect();
    pages.join("\n")
}

fn page(page: &Page) -> String {
    let mut text = format!("{}\n\n", page.title);
    let names = page.facts.iter().map(|(name, _)| name.len());
    let width = names.max().unwrap_or(0);
    for (name, value) in &page.facts {
        text += &format!("  {name:<width$}  {value}\n");
    }
    for warning in &page.warnings {
        text += &format!("  WARNING: {warning}\n");
    }
    for shown in &page.tables {
        text += &format!("\n{}\n{}", plain(&shown.title), table(shown));
    }
    if !page.bars.is_empty() {
        text += "\nBars\n";
    }
    for bar in &page.bars {
        let mark = if bar.missed == 0 { "met   " } else { "MISSED" };
        text += &format!("  {mark}  {:>10}  {}\n", bar.within(), bar.what);
        text += &format!("  {:20}worst: {}\n", "", bar.worst);
    }
    text
}

fn table(table: &Table) -> String {
    let rows = || std::iter::once(&table.head).chain(&table.rows);
    let widths: Vec<usize> =
        (0..table.head.len()).map(|column| rows().map(|row| row[column].len()).max().unwrap_or(0)).collect();
    let mut text = String::new();
    for row in rows() {
        let mut line = String::from(" ");
        for (column, (word, width)) in row.iter().zip(&widths).enumerate() {
            let word = plain(word);
            line += &match column {
                0 => format!(" {word:<width$}"),
                _ => format!("  {word:>width$}"),
            };
        }
        text += line.trim_end();
        text.push('\n');
    }
    text
}
