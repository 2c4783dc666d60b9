//! Pages that sum runs up, in Markdown: what was measured where, which bars were met, and what is doubtful. Every number
//! comes from the data.

use std::path::{Path, PathBuf};

use anyhow::Result;

use super::map;
use super::rows::Row;
use super::run::Run;
use crate::plan::case::{ascending, distinct};
use crate::report::markdown::{doubts, escaped, table};
use crate::report::table::{Table, known, row};
use crate::report::tables::instructions;
use crate::report::words::{signed, threads};
use crate::results::{Unit, VariantInfo};

/// Where the data are, from the top of the tree.
pub const DATA: &str = "docs/data";

/// A page of the tree.
pub struct Page {
    /// Its file, from the top of the tree.
    pub file: &'static str,
    /// The data, from the page.
    data: &'static str,
    title: &'static str,
    /// What a reader must know first.
    intro: &'static str,
    /// The runs that it sums up.
    pub runs: &'static [&'static str],
}

/// All of them. A new one is a row here.
pub const ALL: &[Page] = &[
    Page {
        file: "BENCHMARKS.md",
        data: "docs/data",
        title: "What ompchunk costs",
        intro: "`make bench` measures, and writes this page from the data in [docs/data](docs/data), where all figures \
                are.\n[docs/benchmarking.md](docs/benchmarking.md) has the method, the bodies and variants, and what these numbers \
                do not tell.",
        runs: &["chunk-O2", "chunk-O3", "thesis"],
    },
    Page {
        file: "docs/schedules-measured.md",
        data: "data",
        title: "Schedules at run time against clauses in the source",
        intro: "`make bench-schedules` measures, and writes this page from the data in [data](data), where all figures \
                are.\n[benchmarking.md](benchmarking.md) has the method. `changed` runs under `OMPCHUNK_SCHEDULE`, with no clause \
                in the source;\nits ratios are to plain clang with the clause in the source.",
        runs: &["schedules-libiomp5", "schedules-libomp"],
    },
];

type Named = (&'static str, Run);

impl Page {
    /// The page and its pictures as the data have them, with their paths from the top of the tree.
    pub fn files(&self, tree: &Path) -> Result<Vec<(PathBuf, String)>> {
        let data = tree.join(DATA);
        let named = |name: &&'static str| Ok((*name, Run::read(&data, name)?));
        let runs = self.runs.iter().map(named);
        let runs = runs.collect::<Result<Vec<Named>>>()?;
        let mut files = vec![(PathBuf::from(self.file), self.text(&runs))];
        for (name, run) in &runs {
            files.push((Path::new(DATA).join(format!("{name}.svg")), map::svg(run)));
        }
        Ok(files)
    }

    fn text(&self, runs: &[Named]) -> String {
        let mut text =
            format!("# {}\n\n{}\n\n## What was measured\n\n{}", self.title, self.intro, table(&self.measured(runs)));
        text += "\n## Bars\n\nHow many figures of each run are within each bar. A figure misses a bar only if all of its 95 % interval \
                 does.\n\n";
        text += &bars(runs);
        text += &self.pictures(runs);
        let executions: Vec<&Named> = runs.iter().filter(|(_, run)| has_loops(run)).collect();
        if !executions.is_empty() {
            text +=
                "\n## One execution of a loop\n\nNanoseconds above the base, of a loop of one chunk per thread.\n\n";
            text += &table(&loops(&executions));
        }
        for (name, run) in runs {
            if !run.instructions.is_empty() {
                let counted = instructions(&run.instructions, &run.variants);
                text += &format!("\n## {}, {name}\n\n{}", counted.title, table(&counted));
            }
            if let Some(published) = &run.published {
                text += &format!("\n## {}\n\n{}", published.title, table(published));
            }
        }
        text + &doubts(runs.iter().map(|(name, run)| (*name, &run.warnings)))
    }

    fn pictures(&self, runs: &[Named]) -> String {
        let base = runs.first().and_then(|(_, run)| run.variants.first());
        let mut text = format!(
            "\n## At a glance\n\nThe highest ratio to `{}` on any number of threads, by body and chunk size. Green: not known to \
             differ, as the interval\nreaches 1.01 or what two equal builds differ by (A/A).\n",
            base.map_or("", |base| &base.name)
        );
        for (name, run) in runs {
            let title = format!("{}, {}", run.title, run.fact("runtime"));
            text += &format!("\n{title}:\n\n![{title}]({}/{name}.svg)\n", self.data);
        }
        text
    }

    /// A row per fact, a column per run.
    fn measured(&self, runs: &[Named]) -> Table {
        let of_runs =
            |name: &str, word: &dyn Fn(&str, &Run) -> String| row(name, runs.iter().map(|(name, run)| word(name, run)));
        let mut rows = vec![of_runs("benchmark", &|_, run| run.title.clone())];
        let names = runs.iter().flat_map(|(_, run)| &run.facts);
        for name in distinct(names.map(|(name, _)| name)) {
            rows.push(of_runs(name, &|_, run| run.fact(name).to_owned()));
        }
        let is_of_loops = |unit| matches!(unit, Unit::Chunk | Unit::Schedule);
        rows.push(of_runs("bodies", &|_, run| bodies(run)));
        rows.push(of_runs("chunk sizes", &|_, run| span(run, is_of_loops)));
        rows.push(of_runs("tasks", &|_, run| span(run, |unit| unit == Unit::Task)));
        for reference in runs.iter().take(1).flat_map(|(_, run)| &run.references) {
            rows.push(of_runs(&reference.title, &|_, run| {
                let found = run.references.iter().find(|of| of.name == reference.name);
                found.map_or(String::new(), |of| format!("{:.2} ns", of.ns))
            }));
        }
        rows.push(of_runs("data", &|name, _| format!("[figures]({0}/{name}.csv), [run]({0}/{name}.json)", self.data)));
        rows.retain(|row| row[1..].iter().any(|word| !word.is_empty()));
        Table::new("", head(runs), rows)
    }
}

fn head(runs: &[Named]) -> Vec<String> {
    row("", runs.iter().map(|(name, _)| (*name).to_owned()))
}

/// A row per bar, and below the table the worst figure of those that are missed.
fn bars(runs: &[Named]) -> String {
    let bars = runs.iter().flat_map(|(_, run)| &run.bars);
    let mut missed = String::new();
    let mut rows = Vec::new();
    for what in distinct(bars.map(|bar| &bar.what)) {
        let of_run = |run: &'_ Run| run.bars.iter().find(|bar| bar.what == *what).cloned();
        let met = runs.iter().map(|(_, run)| match of_run(run) {
            None => String::new(),
            Some(bar) if bar.missed == 0 => format!("met, {}", bar.within()),
            Some(bar) => format!("**missed**, {}", bar.within()),
        });
        rows.push(row(what, met));
        for (name, run) in runs {
            if let Some(bar) = of_run(run).filter(|bar| bar.missed > 0) {
                let (what, worst) = (escaped(what), escaped(&bar.worst));
                missed += &format!("- {name}, {what}: {worst}\n");
            }
        }
    }
    let met = table(&Table::new("", head(runs), rows));
    match missed.is_empty() {
        true => met,
        false => format!("{met}\nThe worst figure of each that is missed:\n\n{missed}"),
    }
}

fn bodies(run: &Run) -> String {
    let bodies = distinct(run.rows.iter().map(|row| &row.body));
    let bodies: Vec<String> = bodies.iter().map(|body| format!("`{body}`")).collect();
    bodies.join(", ")
}

/// The smallest and the largest size of some units.
fn span(run: &Run, is_wanted: impl Fn(Unit) -> bool) -> String {
    let rows = run.rows.iter().filter(|row| is_wanted(row.unit));
    let sizes = ascending(rows.map(|row| row.chunk));
    match (sizes.first(), sizes.last()) {
        (Some(first), Some(last)) => format!("{first} to {last}"),
        _ => String::new(),
    }
}

fn has_loops(run: &Run) -> bool {
    run.of_unit(Unit::Loop).next().is_some()
}

/// A row per variant, a column per run and number of threads.
fn loops(runs: &[&Named]) -> Table {
    let mut columns = Vec::new();
    for (name, run) in runs {
        let teams = ascending(run.of_unit(Unit::Loop).map(|row| row.threads));
        columns.extend(teams.into_iter().map(|team| (*name, run, team)));
    }
    let names = columns.iter().map(|(name, _, team)| format!("{name}, {}", threads(*team)));
    let of_variant = |variant: &VariantInfo| {
        let words = columns.iter().map(|(_, run, team)| {
            let mut rows = run.of_unit(Unit::Loop);
            let found = rows.find(|row| row.variant == variant.name && row.threads == *team);
            known(found.and_then(Row::above), signed)
        });
        row(&variant.title, words)
    };
    let variants = runs.first().map_or(&[][..], |(_, run)| &run.variants);
    Table::new("", row("", names), variants.iter().skip(1).map(of_variant))
}

#[cfg(test)]
mod tests {
    use super::super::run::tests::small;
    use super::*;
    use crate::results::Instructions;

    #[test]
    fn a_page_of_two_runs() {
        let mut slow = small();
        slow.bars[0].missed = 1;
        slow.warnings = vec!["two | things".into()];
        slow.instructions = vec![Instructions { variant: "plain".into(), execution: 195.0, chunk: None }];
        let text = ALL[0].text(&[("one", small()), ("two", slow)]);
        for says in [
            "| met, 1 of 1 | **missed**, 0 of 1 |",
            "- two, nobody listens",
            "| bodies | `empty` | `empty` |",
            "(docs/data/two.svg)",
            "| plugin, no shim | +1.00 [+1.00, +1.00] | +1.00 [+1.00, +1.00] |",
            "- two: two \\| things",
            "| plain clang | 195 | +0 | - | - |",
            "A &lt;fast> CPU",
        ] {
            assert!(text.contains(says), "{says}: {text}");
        }
        for line in text.lines().filter(|line| line.starts_with('|')) {
            assert!(line.ends_with('|') && !line.contains("NaN"), "{line}");
        }
    }
}
