//! Results as text. Everything comes from the results, nothing is measured or asked here.

use ompchunk_figures::{Interval, number, time};

use crate::results::{Cell, Results, Series, Unit};

/// Words in rows, the first of them the head; the first column is a name.
type Table = Vec<Vec<String>>;

pub fn text(results: &Results) -> String {
    let setup = &results.setup;
    let mut text = match results.suite {
        "program" => format!("{} without and with the plugin\n\n", setup.program),
        _ => "What a chunk costs here\n\n".to_owned(),
    };
    text += &named(&facts(results));
    for warning in &results.warnings {
        text += &format!("  WARNING: {warning}\n");
    }
    let open = results.cells.iter().filter(|cell| !cell.resolved).count();
    if open > 0 {
        let all = results.cells.len();
        text +=
            &format!("  WARNING: {open} of {all} are not known to 1 %: the time was up before; see the intervals\n");
    }
    if results.suite != "program" {
        let variants: Vec<_> = results.variants.iter().map(|of| (of.name, of.title.to_owned())).collect();
        text += &format!("\nVariants\n{}", named(&variants));
    }
    for (title, table) in tables(results) {
        text += &format!("\n{title}\n{}", columns(&table));
    }
    text
}

fn named(lines: &[(&str, String)]) -> String {
    let width = lines.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    let said = lines.iter().filter(|(_, value)| !value.is_empty());
    said.map(|(name, value)| format!("  {name:<width$}  {value}\n")).collect()
}

fn facts(results: &Results) -> Vec<(&'static str, String)> {
    let setup = &results.setup;
    let blocks = results.cells.iter().filter_map(|cell| Some(cell.series.first()?.blocks.ns.len()));
    let (least, most) = (blocks.clone().min().unwrap_or(0), blocks.max().unwrap_or(0));
    let pinned: Vec<String> = setup.pinned.iter().map(u32::to_string).collect();
    let legend = Interval::<95>::legend();
    let measured = format!("{}, {least} to {most} blocks per figure; {legend}", time(setup.seconds));
    vec![
        ("processor", format!("{}, {} cores", setup.cpu, setup.cores)),
        ("system", setup.system.clone()),
        ("compiler", format!("{}, {}", setup.compiler, setup.flags)),
        // Where it is says nothing to others.
        ("runtime", setup.runtime.rsplit('/').next().unwrap_or_default().to_owned()),
        ("threads pinned to CPUs", pinned.join(", ")),
        ("measured", measured),
    ]
}

fn tables(results: &Results) -> Vec<(String, Table)> {
    if results.suite == "program" {
        return results.cells.iter().map(|cell| ("Runs".to_owned(), runs(results, cell))).collect();
    }
    let mut tables = Vec::new();
    for body in ["empty", "flops"] {
        let of_body = |cell: &&Cell| cell.unit == Unit::Chunk && cell.body == body;
        let cells: Vec<&Cell> = results.cells.iter().filter(of_body).collect();
        if let Some(first) = cells.first() {
            let title = format!("ns per chunk of plain clang, and above it: body {body}, {} threads", first.threads);
            tables.push((title, sizes(results, &cells)));
        }
    }
    let loops: Vec<&Cell> = results.cells.iter().filter(|cell| cell.unit == Unit::Loop).collect();
    if let Some(first) = loops.first() {
        let title = format!("ns per execution of a loop of one chunk per thread: {} threads", first.threads);
        tables.push((title, sizes(results, &loops)));
    }
    tables
}

/// A row per chunk size: nanoseconds of the base, and what each variant takes above it.
fn sizes(results: &Results, cells: &[&Cell]) -> Table {
    let head = std::iter::once("chunk").chain(results.variants.iter().map(|variant| variant.name));
    let figure =
        |series: &Series| series.above_ns.map_or_else(|| number(series.ns.middle), |above| format!("{above:+.2}"));
    let row = |cell: &&Cell| std::iter::once(cell.chunk.to_string()).chain(cell.series.iter().map(figure)).collect();
    std::iter::once(head.map(str::to_owned).collect()).chain(cells.iter().map(row)).collect()
}

/// A row per variant: what a run takes.
fn runs(results: &Results, cell: &Cell) -> Table {
    let head = ["", "a run", "ratio to plain", "pairs"].map(str::to_owned).into();
    let rows = results.variants.iter().zip(&cell.series).map(|(variant, series)| {
        vec![
            variant.title.to_owned(),
            time(series.ns.middle / 1e9),
            series.ratio.map_or("-".to_owned(), |ratio| format!("{ratio:.3}")),
            series.blocks.ns.len().to_string(),
        ]
    });
    std::iter::once(head).chain(rows).collect()
}

fn columns(table: &Table) -> String {
    let count = table.first().map_or(0, Vec::len);
    let width = |column: usize| table.iter().map(|row| row[column].len()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..count).map(width).collect();
    let mut text = String::new();
    for row in table {
        let mut line = format!("  {:<width$}", row[0], width = widths[0]);
        for (word, width) in row.iter().zip(&widths).skip(1) {
            line += &format!("  {word:>width$}");
        }
        text += line.trim_end();
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan;
    use crate::results::{Blocks, Setup};

    fn results(suite: &'static str, mut cells: Vec<Cell>) -> Results {
        let variants = plan::of_program(false);
        for cell in &mut cells {
            let blocks = |ns: f64| Blocks { ns: vec![ns; 4], log_ratio: vec![(ns / 2e6).ln(); 4] };
            cell.conclude(&variants, vec![blocks(2e6), blocks(2e6), blocks(2.5e6)]);
        }
        let mut results = Results::new(suite, Setup { program: "./app 1".into(), ..Setup::default() }, variants);
        results.cells = cells;
        results
    }

    #[test]
    fn a_program() {
        let text = text(&results("program", vec![Cell::new("./app 1", 0, 2, Unit::Run)]));
        assert!(text.starts_with("./app 1 without and with the plugin\n"), "{text}");
        assert!(text.contains("\n  plugin, no shim          2.50 ms           1.250      4\n"), "{text}");
        assert!(text.contains("WARNING: 1 of 1 are not known to 1 %"), "{text}");
    }

    #[test]
    fn a_table_per_body_and_one_for_loops() {
        let text = text(&results(
            "chunk",
            vec![
                Cell::new("empty", 1, 2, Unit::Chunk),
                Cell::new("empty", 4096, 2, Unit::Chunk),
                Cell::new("flops", 1, 2, Unit::Chunk),
                Cell::new("empty", 1, 2, Unit::Loop),
            ],
        ));
        assert!(text.contains("body empty, 2 threads\n") && text.contains("body flops, 2 threads\n"), "{text}");
        assert!(text.contains("loop of one chunk per thread"), "{text}");
        assert!(text.contains("\n  4096   2000000"), "{text}");
        assert!(text.contains("+500000.00\n"), "{text}");
    }
}
