//! Pages that sum runs up, in Markdown: what was measured where, which bars were met, and what is doubtful. Every number
//! comes from the data.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use anyhow::Result;

use super::map;
use super::run::Run;
use crate::report::markdown::{escaped, table};
use crate::report::table::Table;
use crate::report::tables::instructions;
use crate::report::words::signed;
use crate::results::Unit;

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
        let runs = self
            .runs
            .iter()
            .map(named)
            .collect::<Result<Vec<Named>>>()?;
        let mut files = vec![(PathBuf::from(self.file), self.text(&runs))];
        for (name, run) in &runs {
            files.push((Path::new(DATA).join(format!("{name}.svg")), map::svg(run)));
        }
        Ok(files)
    }

    fn text(&self, runs: &[Named]) -> String {
        let mut text = format!(
            "# {}\n\n{}\n\n## What was measured\n\n{}",
            self.title,
            self.intro,
            self.measured(runs)
        );
        text += "\n## Bars\n\nHow many figures of each run are within each bar. A figure misses a bar only if all of its 95 % interval \
                 does.\n\n";
        text += &bars(runs);
        let base = runs.first().and_then(|(_, run)| run.variants.first());
        let _ = write!(
            text,
            "\n## At a glance\n\nThe highest ratio to `{}` on any number of threads, by body and chunk size. Green: not known to \
             differ, as the interval\nreaches 1.01 or what two equal builds differ by (A/A).\n",
            base.map_or("", |base| &base.name)
        );
        for (name, run) in runs {
            let (title, runtime) = (&run.title, run.fact("runtime"));
            let _ = write!(
                text,
                "\n{title}, {runtime}:\n\n![{title}, {runtime}]({}/{name}.svg)\n",
                self.data
            );
        }
        let executions: Vec<&Named> = runs.iter().filter(|(_, run)| has_loops(run)).collect();
        if !executions.is_empty() {
            text += "\n## One execution of a loop\n\nNanoseconds above the base, of a loop of one chunk per thread.\n\n";
            text += &table(&loops(&executions));
        }
        for (name, run) in runs {
            if !run.instructions.is_empty() {
                let counted = instructions(&run.instructions, &run.variants);
                let _ = write!(
                    text,
                    "\n## {}, {name}\n\n{}",
                    counted.title,
                    table(&counted)
                );
            }
            if let Some(published) = &run.published {
                let _ = write!(text, "\n## {}\n\n{}", published.title, table(published));
            }
        }
        text + &doubts(runs)
    }

    /// A row per fact, a column per run.
    fn measured(&self, runs: &[Named]) -> String {
        let mut names: Vec<&str> = Vec::new();
        for (name, _) in runs.iter().flat_map(|(_, run)| &run.facts) {
            if !names.contains(&&**name) {
                names.push(name);
            }
        }
        let mut rows = vec![row("benchmark", runs, |_, run| escaped(&run.title))];
        rows.extend(
            names
                .iter()
                .map(|name| row(name, runs, |_, run| escaped(run.fact(name)))),
        );
        rows.push(row("bodies", runs, |_, run| bodies(run)));
        rows.push(row("chunk sizes", runs, |_, run| {
            span(run, |unit| matches!(unit, Unit::Chunk | Unit::Schedule))
        }));
        rows.push(row("tasks", runs, |_, run| {
            span(run, |unit| unit == Unit::Task)
        }));
        for reference in runs.iter().take(1).flat_map(|(_, run)| &run.references) {
            rows.push(row(&reference.title, runs, |_, run| {
                let found = run.references.iter().find(|of| of.name == reference.name);
                found.map_or(String::new(), |of| format!("{:.2} ns", of.ns))
            }));
        }
        rows.push(row("data", runs, |name, _| {
            format!(
                "[figures]({0}/{name}.csv), [run]({0}/{name}.json)",
                self.data
            )
        }));
        rows.retain(|row| row[1..].iter().any(|word| !word.is_empty()));
        lines(&head("", runs), &rows)
    }
}

fn head(first: &str, runs: &[Named]) -> Vec<String> {
    let names = runs.iter().map(|(name, _)| (*name).to_owned());
    std::iter::once(first.to_owned()).chain(names).collect()
}

fn row(first: &str, runs: &[Named], word: impl Fn(&str, &Run) -> String) -> Vec<String> {
    let words = runs.iter().map(|(name, run)| word(name, run));
    std::iter::once(escaped(first)).chain(words).collect()
}

/// A table of words that are Markdown already.
fn lines(head: &[String], rows: &[Vec<String>]) -> String {
    let mut text = format!("| {} |\n|{}\n", head.join(" | "), "---|".repeat(head.len()));
    for row in rows {
        let _ = writeln!(text, "| {} |", row.join(" | "));
    }
    text
}

/// A row per bar, and below the table the worst figure of those that are missed.
fn bars(runs: &[Named]) -> String {
    let mut what: Vec<&str> = Vec::new();
    for bar in runs.iter().flat_map(|(_, run)| &run.bars) {
        if !what.contains(&&*bar.what) {
            what.push(&bar.what);
        }
    }
    let mut missed = String::new();
    let mut rows = Vec::new();
    for what in what {
        rows.push(row(what, runs, |_, run| {
            let Some(bar) = run.bars.iter().find(|bar| bar.what == what) else {
                return String::new();
            };
            let within = format!("{} of {}", bar.figures - bar.missed, bar.figures);
            match bar.missed {
                0 => format!("met, {within}"),
                _ => format!("**missed**, {within}"),
            }
        }));
        for (name, run) in runs {
            for bar in run
                .bars
                .iter()
                .filter(|bar| bar.what == what && bar.missed > 0)
            {
                let (what, worst) = (escaped(what), escaped(&bar.worst));
                let _ = writeln!(missed, "- {name}, {what}: {worst}");
            }
        }
    }
    let table = lines(&head("", runs), &rows);
    if missed.is_empty() {
        return table;
    }
    format!("{table}\nThe worst figure of each that is missed:\n\n{missed}")
}

fn bodies(run: &Run) -> String {
    let mut bodies: Vec<String> = Vec::new();
    for row in &run.rows {
        let body = format!("`{}`", row.body);
        if !bodies.contains(&body) {
            bodies.push(body);
        }
    }
    bodies.join(", ")
}

/// The smallest and the largest size of some units.
fn span(run: &Run, is_wanted: impl Fn(Unit) -> bool) -> String {
    let rows = run.rows.iter().filter(|row| is_wanted(row.unit));
    let sizes: BTreeSet<u32> = rows.map(|row| row.chunk).collect();
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
        let threads: BTreeSet<u32> = run.of_unit(Unit::Loop).map(|row| row.threads).collect();
        columns.extend(threads.into_iter().map(|threads| (*name, run, threads)));
    }
    let mut head = vec![String::new()];
    head.extend(columns.iter().map(|(name, _, threads)| {
        let thread = if *threads == 1 { "thread" } else { "threads" };
        format!("{name}, {threads} {thread}")
    }));
    let variants = runs.first().map_or(&[][..], |(_, run)| &run.variants);
    let of_variant = |variant: &crate::results::VariantInfo| {
        let mut words = vec![variant.title.clone()];
        words.extend(columns.iter().map(|(_, run, threads)| {
            let mut rows = run.of_unit(Unit::Loop);
            let found = rows.find(|row| row.variant == variant.name && row.threads == *threads);
            found.and_then(|row| row.above()).map_or("-".into(), signed)
        }));
        words
    };
    Table {
        title: String::new(),
        head,
        rows: variants.iter().skip(1).map(of_variant).collect(),
    }
}

/// What makes the runs doubtful.
fn doubts(runs: &[Named]) -> String {
    let mut text = String::new();
    for (name, run) in runs {
        for warning in &run.warnings {
            let _ = writeln!(text, "- {name}: {}", escaped(warning));
        }
    }
    if text.is_empty() {
        return text;
    }
    format!("\n## What is doubtful\n\n{text}")
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
        slow.instructions = vec![Instructions {
            variant: "plain".into(),
            execution: 195.0,
            chunk: None,
        }];
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
