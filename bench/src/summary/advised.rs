//! The page about advice: the figures that sum it up, each program's advice, and the predictions that were worst. Every number
//! comes from the data.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use anyhow::Result;

use super::advice::{self, NAMES, read};
use super::page::DATA;
use crate::plan::corpus::{ALL, Program};
use crate::report::markdown::{escaped, table};
use crate::report::table::Table;
use crate::results::advice::{Candidate, Case, Figures, Span};
use crate::results::advised::Advised;

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
    let mut text = "# Advice, measured\n\n`make bench-advice` measures, and writes this page from the data in [data](data), where all \
        candidates are.\nEach program of the corpus (`bench/corpus`) has a loop of which it is known whether `schedule(static)` \
        balances it, and why not.\nIt is recorded with `ompchunk record --profile` and asked about with `ompchunk advise`; then each \
        candidate and the schedule as it is\ntake turns within one process, twice, in processes of their own. A ratio is to the \
        schedule as it is: below 1 is faster.\n"
        .to_owned();
    let _ = write!(text, "\n## The corpus\n\n{}", table(&corpus()));
    if runs.is_empty() {
        return text
            + "\nNo measurement is kept here yet: one that says something needs a quiet machine for some hours.\n";
    }
    let columns: Vec<(String, &Advised, &str)> = runs.iter().flat_map(columns).collect();
    let _ = write!(
        text,
        "\n## What was measured\n\n{}\n## Figures\n\n{}\n",
        table(&facts(runs)),
        table(&figures(&columns))
    );
    text += "The *error* is how far the middle of the prediction is from what was measured, as a share of that. An interval *holds* a \
        measurement if\nits middle is inside. *Regret* is how much longer than the best candidate the advised one takes: the best is \
        chosen by one of the two\nmeasurements and its time taken from the other one, each way. Advice is *harmful* if all of the measured \
        interval is slower, by more than\ntwo halves of equal executions seem to differ.\n";
    for (title, run, runtime) in &columns {
        let _ = write!(text, "\n## {title}\n\n{}", table(&programs(run, runtime)));
    }
    for (title, run, runtime) in &columns {
        let worst = worst(run, runtime);
        if !worst.rows.is_empty() {
            let _ = write!(text, "\n## {}, {title}\n\n{}", worst.title, table(&worst));
        }
    }
    let mut doubts = String::new();
    for (name, run) in runs {
        for warning in &run.warnings {
            let _ = writeln!(doubts, "- {name}: {}", escaped(warning));
        }
    }
    if !doubts.is_empty() {
        let _ = write!(text, "\n## What is doubtful\n\n{doubts}");
    }
    text
}

/// What is measured, and why it is out of balance.
fn corpus() -> Table {
    let row = |it: &Program| {
        let cause = it.cause.unwrap_or("balanced").to_owned();
        vec![it.file.to_owned(), it.line().to_string(), cause]
    };
    Table {
        title: String::new(),
        head: ["program", "line of its loop", "out of balance, as"]
            .map(str::to_owned)
            .into(),
        rows: ALL.iter().map(row).collect(),
    }
}

/// A column per run and runtime.
fn columns<'a>((_, run): &'a Named) -> Vec<(String, &'a Advised, &'a str)> {
    let loaded = match run.loaded {
        0 => String::new(),
        count => format!(", beside {count} busy processes"),
    };
    let of = |runtime: &&'a str| (format!("{runtime}{loaded}"), run, *runtime);
    run.runtimes().iter().map(of).collect()
}

fn facts(runs: &[Named]) -> Table {
    let mut names: Vec<&str> = Vec::new();
    for (name, _) in runs.iter().flat_map(|(_, run)| &run.facts) {
        if !names.contains(&&**name) {
            names.push(name);
        }
    }
    let row = |name: &&str| {
        let of = |(_, run): &Named| {
            let found = run.facts.iter().find(|it| it.0 == **name);
            found.map_or(String::new(), |it| it.1.clone())
        };
        std::iter::once((*name).to_owned())
            .chain(runs.iter().map(of))
            .collect()
    };
    Table {
        title: String::new(),
        head: std::iter::once(String::new())
            .chain(runs.iter().map(|it| it.0.to_owned()))
            .collect(),
        rows: names.iter().map(row).collect(),
    }
}

fn figures(columns: &[(String, &Advised, &str)]) -> Table {
    let of = |(_, run, runtime): &(String, &Advised, &str)| {
        Figures::of(run.cases.iter().filter(|it| it.runtime == *runtime))
    };
    let figures: Vec<Figures> = columns.iter().map(of).collect();
    let row = |name: &str, word: &dyn Fn(&Figures) -> String| -> Vec<String> {
        std::iter::once(name.to_owned())
            .chain(figures.iter().map(word))
            .collect()
    };
    let rows = vec![
        row("candidates", &|it| it.candidates.to_string()),
        row("median error", &|it| percent(it.median_error)),
        row("share of candidates with an error of at most 10 %", &|it| {
            percent(it.within_tenth)
        }),
        row("the same of its two measurements, from each other", &|it| {
            percent(it.repeated)
        }),
        row("predicted interval holds what was measured", &|it| {
            percent(it.covered[0])
        }),
        row("... and what was measured again", &|it| {
            percent(it.covered[1])
        }),
        row(
            "half of the width of the predicted intervals, median",
            &|it| percent(it.half_width),
        ),
        row("regret, median", &|it| {
            it.regret.map_or("-".into(), |it| percent(it.0))
        }),
        row("regret, worst", &|it| {
            it.regret.map_or("-".into(), |it| percent(it.1))
        }),
        row(
            "another schedule advised, of these measured faster",
            &|it| format!("{}, {}", it.advised, it.faster),
        ),
        row("harmful advice", &|it| it.slower.to_string()),
        row("balanced programs, and advice to leave it", &|it| {
            format!("{} of {}", it.left, it.balanced)
        }),
        row("programs without an answer", &|it| it.failed.to_string()),
    ];
    Table {
        title: String::new(),
        head: std::iter::once(String::new())
            .chain(columns.iter().map(|it| it.0.clone()))
            .collect(),
        rows,
    }
}

fn programs(run: &Advised, runtime: &str) -> Table {
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
    let row = |case: &Case| {
        let mut words = vec![
            case.program.clone(),
            case.cause.clone().unwrap_or("balanced".into()),
            case.seconds_of_one()
                .map_or("-".into(), |it| format!("{:.2} ms", it * 1e3)),
        ];
        if let Some(why) = &case.failed {
            words.extend([
                why.clone(),
                "-".into(),
                "-".into(),
                "-".into(),
                "-".into(),
                "-".into(),
            ]);
            return words;
        }
        let advised = case.advised();
        words.push(case.advice.clone().unwrap_or("leave it".into()));
        words.push(
            advised
                .and_then(|it| it.predicted)
                .map_or("-".into(), shown),
        );
        words.push(advised.map_or("-".into(), |it| shown(it.both)));
        words.push(advised.map_or("-".into(), |it| {
            format!("{:?}", it.verdict()).to_lowercase()
        }));
        let (best, ratio) = case.best();
        words.push(format!("{best}, {ratio:.3}"));
        words.push(case.regret().map_or("-".into(), percent));
        words
    };
    let cases = run.cases.iter().filter(|it| it.runtime == runtime);
    Table {
        title: String::new(),
        head: head.map(str::to_owned).into(),
        rows: cases.map(row).collect(),
    }
}

fn worst(run: &Advised, runtime: &str) -> Table {
    let cases = run.cases.iter().filter(|it| it.runtime == runtime);
    let mut all: Vec<(f64, &Case, &Candidate)> = cases
        .flat_map(|case| case.candidates.iter().map(move |it| (case, it)))
        .filter_map(|(case, it)| Some((it.error()?, case, it)))
        .collect();
    all.sort_by(|a, b| b.0.total_cmp(&a.0));
    let row = |(error, case, it): &(f64, &Case, &Candidate)| {
        vec![
            case.program.clone(),
            it.schedule.clone(),
            it.predicted.map_or("-".into(), shown),
            shown(it.both),
            percent(*error),
        ]
    };
    Table {
        title: "The worst predictions".into(),
        head: ["program", "schedule", "predicted", "measured", "error"]
            .map(str::to_owned)
            .into(),
        rows: all.iter().take(WORST).map(row).collect(),
    }
}

fn shown(of: Span) -> String {
    format!("{:.3} [{:.3}, {:.3}]", of.middle, of.low, of.high)
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
        assert!(text.contains("| stencil.c | 9 | balanced |"), "{text}");
        assert!(
            text.contains("No measurement") && !text.contains("## Figures"),
            "{text}"
        );
    }
}
