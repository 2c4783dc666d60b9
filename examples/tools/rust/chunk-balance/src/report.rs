//! From the rows of all threads to the text. Pure: no clock, no runtime.

use std::collections::BTreeMap;
use std::fmt;

use chunk_tool::{Running, Source};

/// The whole report.
pub(crate) struct Report<'a> {
    /// Rows of one loop stand together.
    pub(crate) rows: Vec<Row>,
    pub(crate) source: Source<'a>,
    pub(crate) outside: u64,
}

impl Counts {
    fn add(&mut self, other: &Counts) {
        self.runs += other.runs;
        self.chunks += other.chunks;
        self.iterations = self.iterations.wrapping_add(other.iterations);
        self.busy += other.busy;
        self.longest = self.longest.max(other.longest);
        self.bookkeeping += other.bookkeeping;
    }
}

/// One row per loop and thread number, the loops in the order in which they were first seen. Several
/// threads of the operating system may have had the same number in their teams.
pub(crate) fn merge(rows: impl Iterator<Item = Row>) -> Vec<Row> {
    let mut merged: BTreeMap<Key, Row> = BTreeMap::new();
    let mut first_seen: BTreeMap<usize, f64> = BTreeMap::new();
    for row in rows.filter(|row| row.counts.runs > 0 || row.counts.chunks > 0) {
        let first = first_seen.entry(row.who.identity()).or_insert(row.first_seen);
        *first = first.min(row.first_seen);
        merged.entry(key(&row.who)).and_modify(|sum| sum.counts.add(&row.counts)).or_insert(row);
    }
    let mut rows: Vec<Row> = merged.into_values().collect();
    // A stable sort keeps each loop's threads in order.
    rows.sort_by(|a, b| {
        let time = |row: &Row| first_seen[&row.who.identity()];
        time(a).total_cmp(&time(b)).then_with(|| key(&a.who).cmp(&key(&b.who)))
    });
    rows
}

impl fmt::Display for Report<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Source { extension, runtime } = self.source;
        let from = if extension { "ompchunk and the runtime" } else { "the runtime alone" };
        writeln!(f, "chunk-balance: chunk events from {from}; {runtime}")?;
        let same_loop = |a: &Row, b: &Row| a.who.identity() == b.who.identity();
        for (number, rows) in self.rows.chunk_by(same_loop).enumerate() {
            print_loop(f, number + 1, rows)?;
        }
        if self.rows.is_empty() {
            writeln!(f, "no loop was reported")?;
        }
        if self.outside > 0 {
            writeln!(f, "{} events belonged to no loop that the runtime announced", self.outside)?;
        }
        Ok(())
    }
}

fn print_loop(f: &mut fmt::Formatter<'_>, number: usize, rows: &[Row]) -> fmt::Result {
    let who = &rows[0].who;
    write!(f, "\nloop {number}  {}  {}", who.name(), who.schedule())?;
    if let Some(function) = who.function() {
        write!(f, "  in {function}")?;
    }
    writeln!(f, "\n  thread    runs   chunks   iterations     busy ms  longest ms bookkeeping us")?;
    let mut sum = Counts::default();
    let mut busiest = 0f64;
    for row in rows {
        print_row(f, &row.who.thread_num.to_string(), &row.counts)?;
        writeln!(f)?;
        sum.add(&row.counts);
        busiest = busiest.max(row.counts.busy);
    }
    print_row(f, "all", &sum)?;
    if sum.busy > 0.0 {
        let imbalance = busiest * rows.len() as f64 / sum.busy - 1.0;
        write!(f, "  imbalance {:.1} %", imbalance * 100.0)?;
    }
    writeln!(f)
}

fn print_row(f: &mut fmt::Formatter<'_>, label: &str, counts: &Counts) -> fmt::Result {
    let Counts { runs, chunks, iterations, .. } = counts;
    let (busy, longest) = (counts.busy / 1e6, counts.longest / 1e6);
    let bookkeeping = counts.bookkeeping / 1e3;
    write!(f, "{label:>8} {runs:>7} {chunks:>8} {iterations:>12} {busy:>11.3} {longest:>11.3}")?;
    write!(f, " {bookkeeping:>14.3}")
}

/// Which loop, and the thread's number in its team.
pub(crate) type Key = (usize, i32);

/// One row of the report while it is being counted.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Row {
    pub(crate) who: Running,
    pub(crate) first_seen: f64,
    pub(crate) counts: Counts,
}

#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Counts {
    pub(crate) runs: u64,
    pub(crate) chunks: u64,
    pub(crate) iterations: u64,
    pub(crate) busy: f64,
    pub(crate) longest: f64,
    pub(crate) bookkeeping: f64,
}

pub(crate) fn key(running: &Running) -> Key {
    (running.identity(), running.thread_num)
}

#[cfg(test)]
mod tests {
    use super::*;
    use chunk_tool::Running;

    fn row(code: usize, thread_num: i32, first_seen: f64, busy: f64) -> Row {
        let who = Running { code, record: None, work: 10, thread_num };
        let counts = Counts { runs: 1, chunks: 2, iterations: 20, busy, longest: busy, bookkeeping: 0.0 };
        Row { who, first_seen, counts }
    }

    #[test]
    fn loops_stand_in_the_order_of_their_first_thread() {
        let rows = [row(1, 1, 9.0, 1.0), row(2, 0, 3.0, 1.0), row(1, 0, 2.0, 1.0), row(2, 1, 1.0, 1.0)];
        let order: Vec<Key> = merge(rows.into_iter()).iter().map(|row| key(&row.who)).collect();
        assert_eq!(order, [(2, 0), (2, 1), (1, 0), (1, 1)]);
    }

    #[test]
    fn threads_of_one_number_are_one_row() {
        let rows = merge([row(1, 0, 1.0, 5.0), row(1, 0, 2.0, 7.0)].into_iter());
        assert_eq!(rows.len(), 1);
        assert_eq!((rows[0].counts.chunks, rows[0].counts.busy, rows[0].counts.longest), (4, 12.0, 7.0));
    }

    #[test]
    fn imbalance_is_the_busiest_over_the_mean() {
        let rows = merge([row(1, 0, 1.0, 3e6), row(1, 1, 2.0, 1e6)].into_iter());
        let text = Report { rows, source: Source { extension: false, runtime: "" }, outside: 0 }.to_string();
        assert!(text.ends_with("imbalance 50.0 %\n"), "{text}");
    }
}
