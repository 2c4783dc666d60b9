//! Results as text: tables and bars (`table`, `bars`) are made once, each format only writes them down.

mod bars;
mod csv;
mod format;
mod html;
mod markdown;
mod plot;
mod table;
mod terminal;
mod thesis;

use self::bars::Bar;
pub use self::format::Format;
use self::table::Table;
use super::results::{Results, Unit};

/// What all formats but CSV show of one file.
struct Page {
    title: String,
    /// Where and how: a name and what it is.
    facts: Vec<(String, String)>,
    warnings: Vec<String>,
    bars: Vec<Bar>,
    tables: Vec<Table>,
}

/// In the wanted format.
pub fn render(results: &[Results], format: Format) -> String {
    match format {
        Format::Csv => csv::render(results),
        Format::Terminal => terminal::render(&pages(results)),
        Format::Markdown => markdown::render(&pages(results)),
        Format::Html => html::render(results, &pages(results)),
    }
}

fn pages(results: &[Results]) -> Vec<Page> {
    results.iter().map(page).collect()
}

fn page(results: &Results) -> Page {
    let setup = &results.setup;
    let title = match results.suite.as_str() {
        "program" => format!("{} without and with the plugin", setup.program),
        "schedules-of-program" => {
            format!("{} as compiled and under other schedules", setup.program)
        }
        "thesis" => format!("The thesis' evaluation, {}", setup.flags),
        "schedules" => format!("Schedules at run time and in the source, {}", setup.flags),
        suite => format!("The {suite} benchmark, {}", setup.flags),
    };
    let mut facts = Vec::new();
    let mut fact = |name: &str, value: String| {
        if !value.is_empty() {
            facts.push((name.to_owned(), value));
        }
    };
    fact("processor", format!("{}, {} cores", setup.cpu, setup.cores));
    fact("system", setup.system.clone());
    if !setup.compiler.is_empty() {
        fact("compiler", format!("{}, {}", setup.compiler, setup.flags));
    }
    // One line, whatever its text is like.
    let schedules: Vec<&str> = setup.schedules.split_whitespace().collect();
    fact("schedules", ompchunk_schedules::shown(&schedules.join(" ")));
    // Where it is says nothing to others.
    let runtime = setup.runtime.rsplit('/').next().unwrap_or_default();
    fact("runtime", runtime.to_owned());
    let cpus: Vec<String> = setup.pinned.iter().map(u32::to_string).collect();
    fact("threads pinned to CPUs", cpus.join(", "));
    let blocks = results.cells.iter().filter_map(|cell| cell.series.first());
    let blocks: Vec<usize> = blocks.map(|series| series.ns.len()).collect();
    let (least, most) = (blocks.iter().min(), blocks.iter().max());
    fact(
        "measured",
        format!(
            "{:.0} s, {} to {} blocks per cell, seed {}",
            setup.seconds,
            least.unwrap_or(&0),
            most.unwrap_or(&0),
            setup.seed
        ),
    );
    let mut repeated: Vec<usize> = results.cells.iter().map(|cell| cell.rounds).collect();
    repeated.sort_unstable();
    if results.suite == "thesis" {
        let (least, most) = (repeated.first(), repeated.last());
        fact(
            "outer repetitions",
            format!(
                "{} to {} per block, by what a cell takes",
                least.unwrap_or(&0),
                most.unwrap_or(&0)
            ),
        );
    }
    for reference in &results.references {
        fact(&reference.title, format!("{:.2} ns", reference.ns));
    }
    let mut warnings = results.warnings.clone();
    let open = results.cells.iter().filter(|cell| !cell.resolved).count();
    if open > 0 {
        warnings.push(format!(
            "{open} of {} cells are not known to 1 %: the time was up before; see their intervals",
            results.cells.len()
        ));
    }
    Page {
        title,
        facts,
        warnings,
        bars: bars::of(results),
        tables: table::of(results),
    }
}

/// Loops of a schedule with chunks of different sizes, which cells call `body_kind` where there are several bodies.
fn loops_of(body: &str) -> String {
    match body.split_once('_') {
        Some((body, kind)) => format!("`schedule({kind}, chunk)`, body `{body}`"),
        None => format!("`schedule({body}, chunk)`"),
    }
}

/// A cell's name.
fn name_of(cell: &super::results::Cell) -> String {
    let threads = if cell.threads == 1 {
        "thread"
    } else {
        "threads"
    };
    match cell.unit {
        Unit::Loop => format!("a loop of one chunk per thread, {} {threads}", cell.threads),
        Unit::Chunk | Unit::Schedule => format!(
            "{}, chunk {}, {} {threads}",
            cell.body, cell.chunk, cell.threads
        ),
        Unit::Task => format!("{} tasks, {} {threads}", cell.chunk, cell.threads),
        Unit::Run => cell.body.clone(),
    }
}
