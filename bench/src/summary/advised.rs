//! The page about advice: the figures that sum it up, each program's advice, and the predictions that were worst. Every number
//! comes from the data.

use std::path::{Path, PathBuf};

use anyhow::Result;

use super::advice::{self, NAMES, read};
use super::page::DATA;
use crate::plan::case::distinct;
use crate::plan::corpus::{ALL, Program};
use crate::report::markdown::{doubts, table};
use crate::report::table::{Table, known, row};
use crate::results::advice::{Candidate, Case, Figures};
use crate::results::advised::Advised;
use crate::results::stats::Interval;

/// The page, from the top of the tree.
pub const FILE: &str = "docs/advice-measured.md";

/// How many of the worst predictions are shown.
const WORST: usize = 20;

type Named = (&'static str, Advised);

/// The page of what was measured, which need not be in the tree.
pub fn of_files(files: &[PathBuf]) -> Result<String> {
    let named = |file: &PathBuf| {
        let run = Advised::read(file)?;
        Ok((NAMES[usize::from(run.loaded > 0)], run))
    };
    let runs = files.iter().map(named).collect::<Result<Vec<Named>>>()?;
    Ok(text(&runs))
}

/// Puts what was measured into the data of a tree.
pub fn keep(tree: &Path, file: &Path) -> Result<()> {
    advice::keep(&Advised::read(file)?, &tree.join(DATA)).map(drop)
}

/// The page as the data have it, and the corpus.
pub fn page(tree: &Path) -> Result<(PathBuf, String)> {
    let data = tree.join(DATA);
    let mut runs: Vec<Named> = Vec::new();
    for name in NAMES {
        runs.extend(read(&data, name)?.map(|run| (name, run)));
    }
    Ok((PathBuf::from(FILE), text(&runs)))
}

fn text(runs: &[Named]) -> String {
    let mut text = "# Advice, measured\n\n`make bench-advice` measures, and writes this page from the data in [data](data), which \
        have all candidates.\nEach program of the corpus (`bench/corpus`) has a loop. It is known whether \
        `schedule(static)` balances that loop, and why not.\n`ompchunk record --profile` records the program, and \
        `ompchunk advise` gives its advice. Then each candidate and the current schedule\ntake turns within one \
        process, twice, in separate processes. Ratios are relative to the current schedule: below 1 is faster.\n"
        .to_owned();
    text += &section("The corpus", &corpus());
    if runs.is_empty() {
        return text
            + "\nNo measurement is kept here yet: one that says something needs a quiet machine for some hours.\n";
    }
    let columns: Vec<Column> = runs.iter().flat_map(columns).collect();
    text += &section("What was measured", &facts(runs));
    text += &section("Figures", &figures(&columns));
    text += "\nThe *error* is the distance between the middle of the prediction and the measurement, as a share of the \
        latter. An interval *holds* a\nmeasurement if its middle is inside. *Regret* is how much longer the advised \
        candidate takes than the best one. One of the two\nmeasurements chooses the best and the other one gives its \
        time, each way. Advice is *harmful* if the whole measured interval is slower,\nby more than two halves of \
        equal executions seem to differ.\n";
    for column in &columns {
        text += &section(&column.title, &programs(column));
    }
    for column in &columns {
        let worst = worst(column);
        if !worst.rows.is_empty() {
            text += &section(&format!("{}, {}", worst.title, column.title), &worst);
        }
    }
    text + &doubts(runs.iter().map(|(name, run)| (*name, &run.warnings)))
}

fn section(title: &str, shown: &Table) -> String {
    format!("\n## {title}\n\n{}", table(shown))
}

/// What is measured, and why it is out of balance.
fn corpus() -> Table {
    let of_program = |program: &Program| {
        let cause = program.cause.unwrap_or("balanced").to_owned();
        vec![program.file.to_owned(), program.line().to_string(), cause]
    };
    let head = ["program", "line of its loop", "out of balance, as"];
    Table::new("", head, ALL.iter().map(of_program))
}

/// A run on one runtime.
struct Column<'a> {
    title: String,
    run: &'a Advised,
    runtime: &'a str,
}

impl<'a> Column<'a> {
    fn cases(&self) -> impl Iterator<Item = &'a Case> {
        let runtime = self.runtime;
        self.run.cases.iter().filter(move |case| case.runtime == runtime)
    }
}

/// A column per run and runtime.
fn columns((_, run): &Named) -> Vec<Column<'_>> {
    let loaded = match run.loaded {
        0 => String::new(),
        count => format!(", beside {count} busy processes"),
    };
    let runtimes = run.runtimes().into_iter();
    let columns = runtimes.map(|runtime| Column { title: format!("{runtime}{loaded}"), run, runtime });
    columns.collect()
}

fn facts(runs: &[Named]) -> Table {
    let names = runs.iter().flat_map(|(_, run)| &run.facts);
    let names = distinct(names.map(|(name, _)| name));
    let of_fact = |name: &String| {
        let values = runs.iter().map(|(_, run)| {
            let found = run.facts.iter().find(|(known, _)| known == name);
            found.map_or(String::new(), |(_, value)| value.clone())
        });
        row(name, values)
    };
    let head = row("", runs.iter().map(|(name, _)| (*name).to_owned()));
    Table::new("", head, names.into_iter().map(of_fact))
}

/// A figure in words.
type Word = fn(&Figures) -> String;

/// What is said of all cases of a column.
const FIGURES: [(&str, Word); 13] = [
    ("candidates", |figures| figures.candidates.to_string()),
    ("median error", |figures| percent(figures.median_error)),
    ("share of candidates with an error of at most 10 %", |figures| percent(figures.within_tenth)),
    ("the same of its two measurements, from each other", |figures| percent(figures.repeated)),
    ("predicted interval holds what was measured", |figures| percent(figures.covered[0])),
    ("... and what was measured again", |figures| percent(figures.covered[1])),
    ("half of the width of the predicted intervals, median", |figures| percent(figures.half_width)),
    ("regret, median", |figures| known(figures.regret, |(median, _)| percent(median))),
    ("regret, worst", |figures| known(figures.regret, |(_, worst)| percent(worst))),
    ("another schedule advised, of these measured faster", |figures| {
        format!("{}, {}", figures.advised, figures.faster)
    }),
    ("harmful advice", |figures| figures.slower.to_string()),
    ("balanced programs, and advice to leave it", |figures| format!("{} of {}", figures.left, figures.balanced)),
    ("programs without an answer", |figures| figures.failed.to_string()),
];

fn figures(columns: &[Column]) -> Table {
    let of_column = |column: &Column| Figures::of(column.cases());
    let found: Vec<Figures> = columns.iter().map(of_column).collect();
    let rows = FIGURES.map(|(name, word)| row(name, found.iter().map(word)));
    let titles = columns.iter().map(|column| column.title.clone());
    Table::new("", row("", titles), rows)
}

fn programs(column: &Column) -> Table {
    let head = [
        "program",
        "out of balance, as",
        "one execution",
        "advice",
        "predicted",
        "measured",
        "verdict",
        "best",
        "regret",
    ];
    Table::new("", head, column.cases().map(of_case))
}

fn of_case(case: &Case) -> Vec<String> {
    let mut words = vec![
        case.program.clone(),
        case.cause.clone().unwrap_or("balanced".into()),
        known(case.seconds_of_one(), |seconds| format!("{:.2} ms", seconds * 1e3)),
    ];
    if let Some(why) = &case.failed {
        words.push(why.clone());
        words.extend(vec!["-".to_owned(); 5]);
        return words;
    }
    let advised = case.advised();
    let (best, ratio) = case.best();
    words.extend([
        case.advice.clone().unwrap_or("leave it".into()),
        known(advised.and_then(|candidate| candidate.predicted), shown),
        known(advised, |candidate| shown(candidate.both)),
        known(advised, |candidate| format!("{:?}", candidate.verdict()).to_lowercase()),
        format!("{best}, {ratio:.3}"),
        known(case.regret(), percent),
    ]);
    words
}

fn worst(column: &Column) -> Table {
    let candidates = column.cases().flat_map(|case| case.candidates.iter().map(move |candidate| (case, candidate)));
    let mut predicted: Vec<(f64, &Case, &Candidate)> =
        candidates.filter_map(|(case, candidate)| Some((candidate.error()?, case, candidate))).collect();
    predicted.sort_by(|a, b| b.0.total_cmp(&a.0));
    let of_candidate = |(error, case, candidate): &(f64, &Case, &Candidate)| {
        vec![
            case.program.clone(),
            candidate.schedule.clone(),
            known(candidate.predicted, shown),
            shown(candidate.both),
            percent(*error),
        ]
    };
    let head = ["program", "schedule", "predicted", "measured", "error"];
    let worst = predicted.iter().take(WORST).map(of_candidate);
    Table::new("The worst predictions", head, worst)
}

fn shown(Interval { low, middle, high }: Interval) -> String {
    format!("{middle:.3} [{low:.3}, {high:.3}]")
}

fn percent(of: f64) -> String {
    match of.is_finite() {
        true => format!("{:.1} %", 100.0 * of),
        false => "-".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::advice::tests::small;
    use super::*;

    #[test]
    fn a_page_of_two_runs() {
        let mut loaded = small();
        loaded.loaded = 4;
        loaded.warnings = vec!["two | things".into()];
        loaded.cases[1].failed = Some("no loop".into());
        let text = text(&[("advice", small()), ("advice-loaded", loaded)]);
        for says in [
            "|  | libomp | libomp, beside 4 busy processes |",
            "| harmful advice | 0 | 0 |",
            "| balanced programs, and advice to leave it | 1 of 1 | 0 of 1 |",
            "| another schedule advised, of these measured faster | 1, 1 | 1, 1 |",
            "| covariance | a triangle | 2.00 ms | guided | 0.610 [0.598, 0.622] | 0.600 [0.588, 0.612] | faster | dynamic,4, 0.500 | 20.0 % |",
            "| stencil | balanced | 2.00 ms | leave it | - | - | - | as it is, 1.000 | 0.0 % |",
            "| covariance | dynamic,4 |",
            "- advice-loaded: two \\| things",
            "A &lt;fast> CPU",
        ] {
            assert!(text.contains(says), "{says}: {text}");
        }
        assert!(!text.contains("NaN"), "{text}");
    }

    #[test]
    fn without_data_there_are_no_figures() {
        let folder = tempfile::tempdir().unwrap();
        let (file, text) = page(folder.path()).unwrap();
        assert_eq!(file, Path::new(FILE));
        assert!(text.contains("| stencil.c | 8 | balanced |"), "{text}");
        assert!(text.contains("No measurement") && !text.contains("## Figures"), "{text}");
    }
}
