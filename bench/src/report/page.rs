//! A page: what all formats but CSV show of one file.

use super::bar::Bar;
use super::table::Table;
use super::{bars, tables, thesis};
use crate::results::Results;

/// What all formats but CSV show of one file.
pub struct Page {
    /// Which benchmark.
    pub title: String,
    /// Where and how: a name and what it is.
    pub facts: Vec<(String, String)>,
    /// What makes it doubtful.
    pub warnings: Vec<String>,
    /// The bars, and how they were met.
    pub bars: Vec<Bar>,
    /// All figures.
    pub tables: Vec<Table>,
}

/// One per file.
pub fn pages(results: &[Results]) -> Vec<Page> {
    results.iter().map(page).collect()
}

/// Of one file.
pub fn page(results: &Results) -> Page {
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
    let mut facts = facts(results);
    for reference in &results.references {
        let costs = format!("{:.2} ns", reference.ns);
        facts.push((reference.title.clone(), costs));
    }
    let mut warnings = results.warnings.clone();
    let open = results.cells.iter().filter(|cell| !cell.resolved).count();
    if open > 0 {
        warnings.push(format!(
            "{open} of {} cells are not known to 1 %: the time was up before; see their intervals",
            results.cells.len()
        ));
    }
    let tables = thesis::table(results).into_iter();
    Page {
        title,
        facts,
        warnings,
        bars: [bars::of(results), thesis::bars(results)].concat(),
        tables: tables.chain(tables::of(results)).collect(),
    }
}

/// Where and how something was measured: names, and what they are.
pub fn facts(results: &Results) -> Vec<(String, String)> {
    let setup = &results.setup;
    let mut facts = Vec::new();
    let mut fact = |name: &str, value: String| {
        if !value.is_empty() {
            facts.push((name.to_owned(), value));
        }
    };
    fact("processor", setup.processor());
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
    let firsts = results.cells.iter().filter_map(|cell| cell.series.first());
    let blocks = from_to(firsts.map(|series| series.ns.len()));
    let (seconds, seed) = (setup.seconds, setup.seed);
    let measured = format!("{seconds:.0} s, {blocks} blocks per cell, seed {seed}");
    fact("measured", measured);
    if results.suite == "thesis" {
        let repeated = from_to(results.cells.iter().map(|cell| cell.rounds));
        let how = format!("{repeated} per block, by what a cell takes");
        fact("outer repetitions", how);
    }
    facts
}

/// The least and the most.
fn from_to(counts: impl Iterator<Item = usize>) -> String {
    let counts: Vec<usize> = counts.collect();
    let (least, most) = (counts.iter().min(), counts.iter().max());
    format!("{} to {}", least.unwrap_or(&0), most.unwrap_or(&0))
}
