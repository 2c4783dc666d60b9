//! Tables: which figures stand where, in words. Pure.

use super::table::Table;
use super::words::{loops_of, number, ratio, signed};
use crate::results::{Cell, Instructions, Results, Unit, VariantInfo};

/// The names of the first two columns of a table of ratios, and what the second one's nanoseconds are divided by.
type Columns = (&'static str, &'static str, f64);

/// A table per number of threads and body, one for loops, or one for a program.
pub fn of(results: &Results) -> Vec<Table> {
    let mut tables = Vec::new();
    for (unit, threads, body) in groups(results) {
        let of_group =
            |cell: &&Cell| cell.unit == unit && cell.threads == threads && cell.body == body;
        let cells: Vec<&Cell> = results.cells.iter().filter(of_group).collect();
        let thread = if threads == 1 { "thread" } else { "threads" };
        let (title, columns): (String, Columns) = match unit {
            Unit::Schedule => (
                format!("{}, {threads} {thread}", loops_of(body)),
                ("chunk", "us per loop", 1000.0),
            ),
            Unit::Task => (
                format!("Tasks, {threads} {thread}"),
                ("tasks", "ns per task", 1.0),
            ),
            _ => (
                format!("Body `{body}`, {threads} {thread}"),
                ("chunk", "ns per chunk", 1.0),
            ),
        };
        tables.push(ratios(results, &cells, title, columns));
    }
    let loops: Vec<&Cell> = of_unit(results, Unit::Loop);
    if !loops.is_empty() {
        tables.push(executions(results, &loops));
        tables.extend(multiples(results, &loops));
    }
    if !results.instructions.is_empty() {
        tables.push(instructions(&results.instructions, &results.variants));
    }
    let runs = of_unit(results, Unit::Run);
    if !runs.is_empty() {
        tables.push(program(results, &runs));
    }
    tables
}

/// What shares a table or a plot: cells that differ in their size alone.
pub fn groups(results: &Results) -> Vec<(Unit, u32, &str)> {
    let mut groups = Vec::new();
    for cell in &results.cells {
        let group = (cell.unit, cell.threads, cell.body.as_str());
        let has_sizes = !matches!(cell.unit, Unit::Loop | Unit::Run);
        if has_sizes && !groups.contains(&group) {
            groups.push(group);
        }
    }
    groups
}

fn of_unit(results: &Results, unit: Unit) -> Vec<&Cell> {
    results
        .cells
        .iter()
        .filter(|cell| cell.unit == unit)
        .collect()
}

/// A row per cell: nanoseconds of the base, then each variant's ratio.
fn ratios(
    results: &Results,
    cells: &[&Cell],
    title: String,
    (size, unit, divisor): Columns,
) -> Table {
    let base = results.base();
    let mut head = vec![size.to_owned(), format!("{base}, {unit}")];
    head.extend(
        results.variants[1..]
            .iter()
            .map(|variant| variant.name.clone()),
    );
    let rows = cells.iter().map(|cell| {
        let mut row = vec![
            cell.chunk.to_string(),
            cell.ns(base)
                .map_or("-".into(), |ns| number(ns.estimate / divisor)),
        ];
        row.extend(
            results.variants[1..]
                .iter()
                .map(|variant| cell.ratio(&variant.name).map_or("-".into(), ratio)),
        );
        row
    });
    Table {
        title,
        rows: rows.collect(),
        head,
    }
}

/// A row per variant, a column per number of threads: nanoseconds above the base.
fn executions(results: &Results, cells: &[&Cell]) -> Table {
    let base = results.base();
    let mut head = vec!["a loop of one chunk per thread".to_owned()];
    for cell in cells {
        head.push(format!(
            "ns with {} thread{}",
            cell.threads,
            if cell.threads == 1 { "" } else { "s" }
        ));
        head.push(format!("above {base}"));
    }
    let rows = results.variants.iter().map(|variant| {
        let mut row = vec![variant.title.clone()];
        for cell in cells {
            row.push(
                cell.ns(&variant.name)
                    .map_or("-".into(), |ns| number(ns.estimate)),
            );
            let above = (variant.name != base)
                .then(|| cell.above(&variant.name, base))
                .flatten();
            row.push(above.map_or("-".into(), signed));
        }
        row
    });
    Table {
        title: "Executions of a loop".into(),
        rows: rows.collect(),
        head,
    }
}

/// A row per variant: what an execution costs above the base in what was measured in the same run, so that it can be
/// compared from machine to machine.
fn multiples(results: &Results, cells: &[&Cell]) -> Option<Table> {
    let references = [("call", "empty calls"), ("rdtsc", "reads of the counter")];
    let references: Vec<(f64, &str)> = references
        .iter()
        .filter_map(|(name, title)| Some((results.reference(name)?, *title)))
        .collect();
    let mut head = vec![format!("above {}, as multiples", results.base())];
    for cell in cells {
        let thread = if cell.threads == 1 {
            "thread"
        } else {
            "threads"
        };
        head.extend(
            references
                .iter()
                .map(|(_, title)| format!("{title}, {} {thread}", cell.threads)),
        );
    }
    let rows =
        results.variants[1..].iter().map(|variant| {
            let mut row = vec![variant.title.clone()];
            for cell in cells {
                let above = cell.above(&variant.name, results.base());
                row.extend(references.iter().map(|(ns, _)| {
                    above.map_or("-".into(), |above| signed(above.map(|it| it / ns)))
                }));
            }
            row
        });
    let rows = rows.collect();
    (!references.is_empty()).then(|| Table {
        title: "Executions of a loop, as multiples".into(),
        head,
        rows,
    })
}

/// A row per variant that was counted.
pub fn instructions(counted: &[Instructions], variants: &[VariantInfo]) -> Table {
    let name = variants.first().map(|base| &base.name);
    let base = counted.iter().find(|of| Some(&of.variant) == name);
    let count = |count: Option<f64>| count.map_or("-".into(), |count| format!("{count:.0}"));
    let above = |this: Option<f64>, base: Option<f64>| {
        let both = this.zip(base);
        both.map_or("-".into(), |(this, base)| format!("{:+.0}", this - base))
    };
    let rows = counted.iter().map(|of| {
        let info = variants.iter().find(|info| info.name == of.variant);
        let base_chunk = base.and_then(|base| base.chunk);
        vec![
            info.map_or(of.variant.clone(), |info| info.title.clone()),
            count(Some(of.execution)),
            above(Some(of.execution), base.map(|base| base.execution)),
            count(of.chunk),
            above(of.chunk, base_chunk),
        ]
    });
    Table {
        title: "Instructions, 1 thread, by callgrind".into(),
        head: [
            "",
            "an execution of a loop of one chunk",
            "above plain",
            "a chunk more",
            "above plain",
        ]
        .map(str::to_owned)
        .into(),
        rows: rows.collect(),
    }
}

fn program(results: &Results, cells: &[&Cell]) -> Table {
    let mut rows = Vec::new();
    for cell in cells {
        for variant in &results.variants {
            let ms = cell.ns(&variant.name).map(|ns| ns.map(|ns| ns / 1e6));
            let is_base = variant.name == results.base();
            let of_base = (!is_base).then(|| cell.ratio(&variant.name)).flatten();
            rows.push(vec![
                variant.title.clone(),
                ms.map_or("-".into(), |ms| number(ms.estimate)),
                of_base.map_or("-".into(), ratio),
                cell.of(&variant.name)
                    .map_or(0, |series| series.ns.len())
                    .to_string(),
            ]);
        }
    }
    Table {
        title: "Runs".into(),
        head: vec![
            String::new(),
            "ms per run".to_owned(),
            format!("ratio to {}", results.base()),
            "pairs".to_owned(),
        ],
        rows,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::run::tests::sample;

    #[test]
    fn a_table_per_body_and_one_for_loops() {
        let tables = of(&sample());
        assert_eq!(tables.len(), 3);
        assert_eq!(tables[0].title, "Body `empty`, 2 threads");
        let row = &tables[0].rows[0];
        assert_eq!(row[..3], ["1", "2.00", "1.000 [1.000, 1.000]"]);
        let at = tables[0]
            .head
            .iter()
            .position(|name| name == "runtime")
            .unwrap();
        assert_eq!(row[at], "16.0 [16.0, 16.0]");
        assert_eq!(row[at + 1], "-", "what was not measured has no number");
        let loops = tables[1]
            .rows
            .iter()
            .find(|row| row[0] == "plugin, no shim")
            .unwrap();
        assert_eq!(loops[1..], ["61.0", "+1.00 [+1.00, +1.00]"]);
        let multiples = tables[2]
            .rows
            .iter()
            .find(|row| row[0] == "empty chunk callback");
        assert_eq!(
            multiples.unwrap()[1..],
            ["+20.00 [+20.00, +20.00]", "+3.33 [+3.33, +3.33]"]
        );
    }

    #[test]
    fn instructions_that_were_counted() {
        let mut results = sample();
        results.instructions = [("plain", 195.0, Some(10.0)), ("dispatch", 440.0, None)]
            .map(|(variant, execution, chunk)| Instructions {
                variant: variant.into(),
                execution,
                chunk,
            })
            .into();
        let tables = of(&results);
        let table = tables.last().unwrap();
        assert_eq!(table.rows[0], ["plain clang", "195", "+0", "10", "+0"]);
        assert_eq!(
            table.rows[1],
            ["empty dispatch callback", "440", "+245", "-", "-"]
        );
    }
}
