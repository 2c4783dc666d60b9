//! The thesis' published figures beside those of a run of its evaluation. Pure.

use super::bar::{Bar, Figure};
use super::table::{Table, known};
use super::words::{name_of, percent};
use crate::results::stats::{Interval, median};
use crate::results::{Cell, Results, Role, Unit};

/// A group of figures, and what the thesis has for it.
struct Row {
    what: &'static str,
    role: Role,
    /// Which variants, if a role has several.
    variant: Option<&'static str>,
    cells: fn(&Cell) -> bool,
    /// The most that it reports (chapter 5), in per cent of the time without; 0 where it reports no difference, none where nothing is known to us.
    published: Option<f64>,
}

const fn row(
    what: &'static str,
    (role, variant): (Role, Option<&'static str>),
    cells: fn(&Cell) -> bool,
    published: Option<f64>,
) -> Row {
    Row { what, role, variant, cells, published }
}

const PLUGIN: (Role, Option<&str>) = (Role::Off, Some("plugin"));
const TOOL: (Role, Option<&str>) = (Role::Off, Some("tool"));
const STOCK: (Role, Option<&str>) = (Role::Other, Some("stock-tool"));
const STOCK_CALLBACKS: (Role, Option<&str>) = (Role::Other, Some("stock-callbacks"));
const CALLBACKS: (Role, Option<&str>) = (Role::Extensions, None);

#[rustfmt::skip]
const ROWS: &[Row] = &[
    row("no tool, loops", PLUGIN, is_loop, Some(3.0)),
    row("no tool, tasks", PLUGIN, is_task, Some(1.7)),
    row("tool without callbacks, loops", TOOL, is_loop, Some(3.0)),
    row("tool without callbacks, tasks", TOOL, is_task, Some(2.7)),
    row("tool without callbacks, nothing of ompchunk, tasks", STOCK, is_task, None),
    row("the runtime's own callbacks, nothing of ompchunk, tasks", STOCK_CALLBACKS, is_task, None),
    row("callbacks, static, chunks below 16", CALLBACKS, |cell| cell.body == "static" && cell.chunk < 16, Some(46.0)),
    row("callbacks, static, chunks from 16", CALLBACKS, |cell| cell.body == "static" && cell.chunk >= 16, Some(1.0)),
    row("callbacks, dynamic", CALLBACKS, |cell| cell.body == "dynamic", Some(2.7)),
    row("callbacks, guided", CALLBACKS, |cell| cell.body == "guided", Some(2.7)),
    row("callbacks, task creation", CALLBACKS, is_task, Some(0.0)),
];

fn is_loop(cell: &Cell) -> bool {
    cell.unit == Unit::Schedule
}

fn is_task(cell: &Cell) -> bool {
    cell.unit == Unit::Task
}

/// The ratios of a row, with their cells.
fn ratios<'a>(results: &'a Results, row: &Row) -> Vec<(&'a Cell, Interval)> {
    let is_of_row = |name: &str| row.variant.is_none_or(|variant| variant == name);
    let variants = results.with_role(row.role);
    variants
        .filter(|variant| is_of_row(&variant.name))
        .flat_map(|variant| {
            let cells = results.cells.iter();
            let cells = cells.filter(|cell| cell.unit != Unit::Chunk && (row.cells)(cell));
            cells.filter_map(|cell| Some((cell, cell.ratio(&variant.name)?)))
        })
        .collect()
}

fn of_run(results: &Results) -> impl Iterator<Item = (&'static Row, Vec<(&Cell, Interval)>)> {
    let is_thesis = results.suite == "thesis";
    let rows = ROWS.iter().filter(move |_| is_thesis);
    rows.map(|row| (row, ratios(results, row))).filter(|(_, found)| !found.is_empty())
}

fn printed(most: f64) -> String {
    match most {
        0.0 => "no difference".to_owned(),
        _ => format!("at most {most} %"),
    }
}

/// Published and ours, row by row.
pub fn table(results: &Results) -> Option<Table> {
    let of_row = |(row, found): (&Row, Vec<(&Cell, Interval)>)| {
        let middles: Vec<f64> = found.iter().map(|(_, of)| of.middle).collect();
        let by_middle = |a: &&(&Cell, Interval), b: &&(&Cell, Interval)| a.1.middle.total_cmp(&b.1.middle);
        let worst = found.iter().max_by(by_middle);
        vec![
            row.what.to_owned(),
            known(row.published, printed),
            format!("{:+.1} %", 100.0 * (median(&middles) - 1.0)),
            known(worst, |(_, of)| percent(*of)),
            known(worst, |(cell, _)| name_of(cell)),
        ]
    };
    let title = "More time than plain clang, beside the thesis' figures";
    let head = ["", "thesis", "median here", "worst here", "where"];
    let table = Table::new(title, head, of_run(results).map(of_row));
    (!table.rows.is_empty()).then_some(table)
}

/// Each published figure as a bar: missed where all of an interval is above it and not so of A/A.
pub fn bars(results: &Results) -> Vec<Bar> {
    let bars = of_run(results).filter_map(|(row, found)| {
        let most = row.published?;
        let limit = 1.0 + most / 100.0;
        let figures = found.into_iter().map(|(cell, of)| figure(results, cell, of, limit));
        let what = match most {
            0.0 => format!("{}: as long as plain, as in the thesis", row.what),
            _ => format!("{}: at most the thesis' {most} % more than plain", row.what),
        };
        Some(Bar::of(&what, &figures.collect::<Vec<Figure>>()))
    });
    bars.collect()
}

fn figure(results: &Results, cell: &Cell, of: Interval, limit: f64) -> Figure {
    let same = results.noise().and_then(|name| cell.ratio(name));
    let is_noise = same.is_some_and(|same| same.overlaps(of));
    let same = same.map_or(String::new(), |same| format!(", A/A {}", percent(same)));
    Figure {
        beyond: of.middle - limit,
        missed: of.low > limit && !is_noise,
        says: format!("{}{same} ({})", percent(of), name_of(cell)),
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use crate::plan::case::Case;
    use crate::plan::variant::THESIS;
    use crate::results::run::tests::sample;
    use crate::results::{Series, VariantInfo};

    /// A small result of the thesis' evaluation, with known numbers.
    pub fn thesis() -> Results {
        let mut results = sample();
        results.suite = "thesis".into();
        results.variants = THESIS.iter().map(VariantInfo::from).collect();
        let cell = |body: &str, size, unit, callbacks: f64| {
            let mut cell = Cell::new(Case::new(body, size, 2, unit));
            let ratios = [1.0, 1.0, 1.01, 0.99, 1.0, 1.02, callbacks];
            let series = THESIS.iter().zip(ratios).map(|(variant, ratio)| Series {
                variant: variant.name.into(),
                ns: vec![400.0 * ratio; 4],
                log_ratio: vec![f64::ln(ratio); 4],
            });
            cell.series = series.collect();
            cell
        };
        results.cells = vec![
            cell("static", 1, Unit::Schedule, 1.2),
            cell("static", 16, Unit::Schedule, 1.02),
            cell("dynamic", 1, Unit::Schedule, 1.3),
            cell("task", 1000, Unit::Task, 1.05),
        ];
        results
    }

    #[test]
    fn published_and_ours() {
        let table = table(&thesis()).unwrap();
        let row = |what: &str| table.rows.iter().find(|row| row[0] == what).unwrap();
        assert_eq!(
            row("callbacks, static, chunks below 16")[1..],
            ["at most 46 %", "+20.0 %", "+20.0 [+20.0, +20.0] %", "static, chunk 1, 2 threads"]
        );
        assert_eq!(row("callbacks, dynamic")[1], "at most 2.7 %");
        assert_eq!(row("callbacks, task creation")[1], "no difference");
        assert!(!table.rows.iter().any(|row| row[0] == "callbacks, guided"));
        assert!(super::table(&sample()).is_none());
    }

    #[test]
    fn a_figure_above_the_published_one_is_a_miss() {
        let missed = |results: &Results| {
            let bars = bars(results);
            bars.iter().map(|bar| (bar.figures, bar.missed)).collect::<Vec<_>>()
        };
        // 20 % are less than 46, 2 % more than 1, 30 % more than 2.7, and 5 % are a difference.
        let fine = [(3, 0), (1, 0), (3, 0), (1, 0), (1, 0)];
        let expected = [&fine[..], &[(1, 1); 3]].concat();
        assert_eq!(missed(&thesis()), expected);
        let mut noisy = thesis();
        noisy.cells[3].series[1].log_ratio = vec![0.0, 0.1, 0.0, 0.1];
        assert_eq!(missed(&noisy)[7], (1, 0), "two equal things differ as much");
        let mut slow = thesis();
        slow.cells[0].series[6].log_ratio = vec![0.5; 4];
        assert_eq!(missed(&slow)[4], (1, 1));
    }
}
