//! Tables: which figures stand where, in words. Pure.

use super::table::{Table, known, row};
use super::words::{loops_of, number, ratio, signed, threads};
use crate::plan::case::distinct;
use crate::results::{Cell, Instructions, Results, Unit, VariantInfo};

/// The names of the first two columns of a table of ratios, and what the second one's nanoseconds are divided by.
type Columns = (&'static str, &'static str, f64);

/// A table per number of threads and body, one for loops, or one for a program.
pub fn of(results: &Results) -> Vec<Table> {
    let mut tables: Vec<Table> = groups(results).map(|group| ratios(&group)).collect();
    let of_unit = |unit| -> Vec<&Cell> {
        let cells = results.cells.iter();
        cells.filter(|cell| cell.unit == unit).collect()
    };
    let loops = of_unit(Unit::Loop);
    if !loops.is_empty() {
        tables.push(executions(results, &loops));
        tables.extend(multiples(results, &loops));
    }
    if !results.instructions.is_empty() {
        tables.push(instructions(&results.instructions, &results.variants));
    }
    let runs = of_unit(Unit::Run);
    if !runs.is_empty() {
        tables.push(program(results, &runs));
    }
    tables
}

/// What shares a table or a plot: cells that differ in their size alone.
pub struct Group<'a> {
    pub results: &'a Results,
    pub unit: Unit,
    pub threads: u32,
    pub body: &'a str,
}

impl<'a> Group<'a> {
    /// The cells, in the order of the results.
    pub fn cells(&self) -> impl Iterator<Item = &'a Cell> {
        let group = (self.unit, self.threads, self.body);
        let cells = self.results.cells.iter();
        cells.filter(move |cell| (cell.unit, cell.threads, &*cell.body) == group)
    }
}

/// All groups, in the order of their first cells.
pub fn groups(results: &Results) -> impl Iterator<Item = Group<'_>> {
    let has_sizes = |cell: &&Cell| !matches!(cell.unit, Unit::Loop | Unit::Run);
    let sized = results.cells.iter().filter(has_sizes);
    let names = distinct(sized.map(|cell| (cell.unit, cell.threads, cell.body.as_str())));
    names.into_iter().map(|(unit, threads, body)| Group { results, unit, threads, body })
}

/// A row per cell of a group: nanoseconds of the base, then each variant's ratio.
fn ratios(group: &Group<'_>) -> Table {
    let (results, body) = (group.results, group.body);
    let (what, (size, per, divisor)): (String, Columns) = match group.unit {
        Unit::Schedule => (loops_of(body), ("chunk", "us per loop", 1000.0)),
        Unit::Task => ("Tasks".to_owned(), ("tasks", "ns per task", 1.0)),
        _ => (format!("Body `{body}`"), ("chunk", "ns per chunk", 1.0)),
    };
    let (base, others) = (results.base(), &results.variants[1..]);
    let names = others.iter().map(|variant| variant.name.clone());
    let head = row(size, row(format!("{base}, {per}"), names));
    let of_cell = |cell: &Cell| {
        let ns = known(cell.ns(base), |ns| number(ns.middle / divisor));
        let ratios = others.iter().map(|variant| known(cell.ratio(&variant.name), ratio));
        row(cell.chunk.to_string(), row(ns, ratios))
    };
    let title = format!("{what}, {}", threads(group.threads));
    Table::new(title, head, group.cells().map(of_cell))
}

/// A row per variant, a column per number of threads: nanoseconds above the base.
fn executions(results: &Results, cells: &[&Cell]) -> Table {
    let base = results.base();
    let names = cells.iter().flat_map(|cell| {
        let ns = format!("ns with {}", threads(cell.threads));
        [ns, format!("above {base}")]
    });
    let of_variant = |variant: &VariantInfo| {
        let name = &variant.name;
        let words = cells.iter().flat_map(|cell| {
            let above = cell.above(name, base).filter(|_| name != base);
            [known(cell.ns(name), |ns| number(ns.middle)), known(above, signed)]
        });
        row(&variant.title, words)
    };
    Table::new(
        "Executions of a loop",
        row("a loop of one chunk per thread", names),
        results.variants.iter().map(of_variant),
    )
}

/// A row per variant: what an execution costs above the base in what was measured in the same run, so that it can be
/// compared from machine to machine.
fn multiples(results: &Results, cells: &[&Cell]) -> Option<Table> {
    let references = [("call", "empty calls"), ("rdtsc", "reads of the counter")];
    let references: Vec<(f64, &str)> =
        references.iter().filter_map(|(name, title)| Some((results.reference(name)?, *title))).collect();
    let names = cells.iter().flat_map(|cell| {
        let threads = threads(cell.threads);
        references.iter().map(move |(_, title)| format!("{title}, {threads}"))
    });
    let of_variant = |variant: &VariantInfo| {
        let words = cells.iter().flat_map(|cell| {
            let above = cell.above(&variant.name, results.base());
            let multiple = move |ns: f64| known(above, |above| signed(above.map(|more| more / ns)));
            references.iter().map(move |(ns, _)| multiple(*ns))
        });
        row(&variant.title, words)
    };
    (!references.is_empty()).then(|| {
        Table::new(
            "Executions of a loop, as multiples",
            row(format!("above {}, as multiples", results.base()), names),
            results.variants[1..].iter().map(of_variant),
        )
    })
}

/// A row per variant that was counted.
pub fn instructions(counted: &[Instructions], variants: &[VariantInfo]) -> Table {
    let name = variants.first().map(|base| &base.name);
    let base = counted.iter().find(|of| Some(&of.variant) == name);
    let base_chunk = base.and_then(|base| base.chunk);
    let count = |count| known(count, |count: f64| format!("{count:.0}"));
    let above =
        |this: Option<f64>, base: Option<f64>| known(this.zip(base), |(this, base)| format!("{:+.0}", this - base));
    let of_variant = |of: &Instructions| {
        let info = variants.iter().find(|info| info.name == of.variant);
        vec![
            info.map_or(of.variant.clone(), |info| info.title.clone()),
            count(Some(of.execution)),
            above(Some(of.execution), base.map(|base| base.execution)),
            count(of.chunk),
            above(of.chunk, base_chunk),
        ]
    };
    let head = ["", "an execution of a loop of one chunk", "above plain", "a chunk more", "above plain"];
    let title = "Instructions, 1 thread, by callgrind";
    Table::new(title, head, counted.iter().map(of_variant))
}

/// A row per variant: what a run takes.
fn program(results: &Results, cells: &[&Cell]) -> Table {
    let base = results.base();
    let of_cell = |cell: &&Cell, variant: &VariantInfo| {
        let name = &variant.name;
        let of_base = cell.ratio(name).filter(|_| name != base);
        let pairs = cell.of(name).map_or(0, |series| series.ns.len());
        vec![
            variant.title.clone(),
            known(cell.ns(name), |ns| number(ns.middle / 1e6)),
            known(of_base, ratio),
            pairs.to_string(),
        ]
    };
    let rows = cells.iter().flat_map(|cell| {
        let variants = results.variants.iter();
        variants.map(move |variant| of_cell(cell, variant))
    });
    let of_base = format!("ratio to {base}");
    Table::new("Runs", ["", "ms per run", &of_base, "pairs"], rows)
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
        let mut names = tables[0].head.iter();
        let column = names.position(|name| name == "runtime").unwrap();
        assert_eq!(row[column], "16.0 [16.0, 16.0]");
        assert_eq!(row[column + 1], "-", "what was not measured has no number");
        let loops = tables[1].rows.iter().find(|row| row[0] == "plugin, no shim").unwrap();
        assert_eq!(loops[1..], ["61.0", "+1.00 [+1.00, +1.00]"]);
        let multiples = tables[2].rows.iter().find(|row| row[0] == "empty chunk callback");
        assert_eq!(multiples.unwrap()[1..], ["+20.00 [+20.00, +20.00]", "+3.33 [+3.33, +3.33]"]);
    }

    #[test]
    fn instructions_that_were_counted() {
        let mut results = sample();
        results.instructions = [("plain", 195.0, Some(10.0)), ("dispatch", 440.0, None)]
            .map(|(variant, execution, chunk)| Instructions { variant: variant.into(), execution, chunk })
            .into();
        let tables = of(&results);
        let table = tables.last().unwrap();
        assert_eq!(table.rows[0], ["plain clang", "195", "+0", "10", "+0"]);
        assert_eq!(table.rows[1], ["empty dispatch callback", "440", "+245", "-", "-"]);
    }
}
