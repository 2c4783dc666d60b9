//! The bars that ompchunk shall clear, and whether a run's figures do. Pure.
//!
//! A figure misses its bar only if all of its 95 % interval does; with many cells, one in twenty of those
//! at the limit does so by chance, which is why the worst is shown by name.

use super::bar::{Bar, Figure};
use super::words::{name_of, ratio, signed};
use crate::results::stats::Interval;
use crate::results::{Cell, Results, Role, Unit};

/// A figure of a difference counts where it is known to this many nanoseconds.
const KNOWN: f64 = 1.0;

/// All bars that the results can tell of.
pub fn of(results: &Results) -> Vec<Bar> {
    let limit = |reads, calls| Limit::of(results, reads, calls);
    let bars = [
        ("nobody listens: ratio to plain at most 1.01, or not beyond A/A", off(results)),
        (
            "nobody listens, per execution of a loop: at most an empty indirect call, or not beyond A/A",
            off_loop(results, limit(0.0, 1.0)),
        ),
        (
            "empty callback: at most 3 empty indirect calls per chunk above plain, beside entering and leaving",
            chunks(results, Role::Event, limit(0.0, 3.0)),
        ),
        (
            "callback with clock: at most 2 reads of the counter and 4 calls per chunk, beside the same",
            chunks(results, Role::Clock, limit(2.0, 4.0)),
        ),
        ("schedule(runtime) costs at least 5 times as much per chunk", dealt(results)),
        (
            "enter and leave: at most 25 empty indirect calls per loop and thread",
            loops(results, Role::Event, limit(0.0, 25.0)),
        ),
        (
            "recorder: at most 1.6 reads of the counter and 3 calls per chunk, beside entering and leaving",
            chunks(results, Role::Recorder, limit(1.6, 3.0)),
        ),
        (
            "recorder, enter and leave: at most 3 reads of the counter and 50 calls per loop and thread",
            loops(results, Role::Recorder, limit(3.0, 50.0)),
        ),
    ];
    bars.into_iter()
        .filter(|(_, figures)| !figures.is_empty())
        .map(|(what, figures)| Bar::of(what, &figures))
        .chain(changed(results))
        .collect()
}

/// Loops under another schedule, a bar per kind: as the same clause in the source.
fn changed(results: &Results) -> Vec<Bar> {
    let of_kind = |kind: &&str| {
        let kind = format!("_{kind}");
        let figures = figures(results, Role::Changed, Unit::Schedule, |cell, variant| {
            cell.body.ends_with(&kind).then(|| off_ratio(results, cell, variant))?
        });
        let what =
            format!("{} at run time: ratio to the clause in the source at most 1.01, or not beyond A/A", &kind[1..]);
        (!figures.is_empty()).then(|| Bar::of(&what, &figures))
    };
    ["dynamic", "guided", "static"].iter().filter_map(of_kind).collect()
}

/// The figures of each variant of a role in each cell of a unit.
fn figures(
    results: &Results,
    role: Role,
    unit: Unit,
    figure: impl Fn(&Cell, &str) -> Option<(f64, bool, String)>,
) -> Vec<Figure> {
    let mut found = Vec::new();
    for cell in results.cells.iter().filter(|cell| cell.unit == unit) {
        for variant in results.with_role(role) {
            if let Some((beyond, missed, says)) = figure(cell, &variant.name) {
                found.push(Figure { beyond, missed, says: format!("{says} ({}; {})", variant.name, name_of(cell)) });
            }
        }
    }
    found
}

fn off(results: &Results) -> Vec<Figure> {
    let ratio = |cell: &Cell, variant: &str| off_ratio(results, cell, variant);
    let mut figures_of_both = figures(results, Role::Off, Unit::Chunk, ratio);
    figures_of_both.extend(figures(results, Role::Off, Unit::Run, ratio));
    figures_of_both
}

/// A ratio that shall be 1, as far as two equal things have it here.
fn off_ratio(results: &Results, cell: &Cell, variant: &str) -> Option<(f64, bool, String)> {
    let this = cell.ratio(variant)?;
    let same = cell.ratio(results.noise()?)?;
    let missed = this.low > 1.01 && !this.overlaps(same);
    let says = format!("{}, A/A {}", ratio(this), ratio(same));
    Some((this.middle - 1.01, missed, says))
}

fn off_loop(results: &Results, limit: Option<Limit>) -> Vec<Figure> {
    figures(results, Role::Off, Unit::Loop, |cell, variant| {
        let limit = limit?;
        let this = cell.above(variant, results.base())?;
        let same = cell.above(results.noise()?, results.base())?;
        let missed = this.low > limit.ns && !this.overlaps(same);
        Some((this.middle - limit.ns, missed, format!("{}, A/A {} ns", limit.says(this), signed(same))))
    })
}

/// A limit made of what things cost in the same run, so that it is one on every machine.
#[derive(Clone, Copy)]
struct Limit {
    ns: f64,
    call: f64,
    /// What a read of the counter takes, if that is part of the limit.
    read: Option<f64>,
}

impl Limit {
    /// So many reads of the processor's counter and empty indirect calls. `None`: the results do not tell of these.
    fn of(results: &Results, reads: f64, calls: f64) -> Option<Limit> {
        let call = results.reference("call")?;
        let read = results.reference("rdtsc")?;
        Some(Limit { ns: reads * read + calls * call, call, read: (reads > 0.0).then_some(read) })
    }

    /// A difference in nanoseconds, and as a multiple.
    fn says(&self, this: Interval) -> String {
        let multiple = match self.read {
            Some(read) => format!("{:.1} reads", this.middle / read),
            None => format!("{:.1} calls", this.middle / self.call),
        };
        format!("{} ns, {multiple}", signed(this))
    }

    fn figure(&self, this: Interval) -> (f64, bool, String) {
        let beyond = this.middle - self.ns;
        (beyond, this.low > self.ns, self.says(this))
    }

    /// The same where the difference is known. Of long chunks nothing can be said to a nanosecond.
    fn figure_if_known(&self, this: Interval) -> Option<(f64, bool, String)> {
        (this.half_width() <= KNOWN).then(|| self.figure(this))
    }
}

/// What chunks cost more, against a limit.
fn chunks(results: &Results, role: Role, limit: Option<Limit>) -> Vec<Figure> {
    figures(results, role, Unit::Chunk, |cell, variant| limit?.figure_if_known(per_chunk(results, cell, variant)?))
}

/// What entering and leaving costs more.
fn loops(results: &Results, role: Role, limit: Option<Limit>) -> Vec<Figure> {
    figures(results, role, Unit::Loop, |cell, variant| Some(limit?.figure(per_loop(results, cell.threads, variant)?)))
}

fn dealt(results: &Results) -> Vec<Figure> {
    figures(results, Role::Dealt, Unit::Chunk, |cell, variant| {
        let dealt = cell.above(variant, results.base())?;
        let ours = cell.above("dispatch", results.base())?;
        // Many chunks per loop, or its start decides; and both known to a fifth, or chance does.
        let is_known = |of: Interval| of.low > 0.0 && of.half_width() < of.middle / 5.0;
        if cell.chunks < 1000 || !is_known(dealt) || !is_known(ours) {
            return None;
        }
        let factor = dealt.middle / ours.middle;
        let says = format!("{factor:.1} times: {} against {} ns", signed(dealt), signed(ours));
        Some((5.0 - factor, dealt.high / ours.low < 5.0, says))
    })
}

/// What a chunk costs more, without its share of what its loop costs more.
fn per_chunk(results: &Results, cell: &Cell, variant: &str) -> Option<Interval> {
    let of_loop = per_loop(results, cell.threads, variant).map_or(0.0, |of| of.middle);
    let share = of_loop / f64::from(cell.chunks);
    let above = cell.above(variant, results.base())?;
    Some(above.map(|ns| ns - share))
}

/// What a loop of one chunk per thread costs more, without that chunk.
fn per_loop(results: &Results, threads: u32, variant: &str) -> Option<Interval> {
    let find = |unit| {
        let mut of_unit = results.cells.iter().filter(move |cell| cell.unit == unit);
        of_unit.find(|cell| cell.body == "empty" && cell.chunk == 1 && cell.threads == threads)
    };
    let above = |cell: &Cell| cell.above(variant, results.base());
    let chunk = above(find(Unit::Chunk)?)?.middle;
    Some(above(find(Unit::Loop)?)?.map(|ns| ns - chunk))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::case::Case;
    use crate::plan::variant::SCHEDULES;
    use crate::results::run::tests::sample;
    use crate::results::{Series, VariantInfo};

    fn of_sample(change: impl Fn(&mut Results)) -> Vec<(usize, usize)> {
        let mut results = sample();
        change(&mut results);
        of(&results).iter().map(|bar| (bar.figures, bar.missed)).collect()
    }

    #[test]
    fn all_met() {
        assert_eq!(of_sample(|_| ()), [(1, 0), (1, 0), (2, 0), (1, 0), (1, 0), (1, 0)]);
        let bars = of(&sample());
        assert!(bars[2].worst.starts_with("+3.49 ["), "{}", bars[2].worst);
        assert!(bars[2].worst.ends_with("(chunk; empty, chunk 1, 2 threads)"), "{}", bars[2].worst);
        assert!(bars[4].worst.starts_with("10.0 times"), "{}", bars[4].worst);
    }

    fn set(results: &mut Results, cell: usize, variant: &str, ns: f64) {
        let of = &mut results.cells[cell].series;
        let series = of.iter_mut().find(|series| series.variant == variant).unwrap();
        series.ns = vec![ns; 4];
        series.log_ratio = vec![(ns / if cell == 0 { 2.0 } else { 60.0 }).ln(); 4];
    }

    #[test]
    fn each_can_be_missed() {
        let missed = |cell, variant: &str, ns| {
            let of = of_sample(|results| set(results, cell, variant, ns));
            of.iter().map(|bar| bar.1).collect::<Vec<_>>()
        };
        assert_eq!(missed(0, "plugin", 2.03), [1, 0, 0, 0, 0, 0]);
        assert_eq!(missed(1, "plugin", 62.5), [0, 1, 0, 0, 0, 0]);
        assert_eq!(missed(0, "chunk", 7.5), [0, 0, 1, 0, 0, 0]);
        assert_eq!(missed(0, "clock", 29.0), [0, 0, 0, 1, 0, 0]);
        assert_eq!(missed(0, "runtime", 16.0), [0, 0, 0, 0, 1, 0]);
        assert_eq!(missed(1, "chunk", 130.0), [0, 0, 0, 0, 0, 1]);
    }

    #[test]
    fn a_changed_loop_is_held_against_its_clause() {
        let bars = |ratio: f64| {
            let mut results = sample();
            let mut cell = Cell::new(Case::new("delay_dynamic", 4, 2, Unit::Schedule));
            let series = |name: &str, ratio: f64| Series {
                variant: name.into(),
                ns: vec![100.0 * ratio; 4],
                log_ratio: vec![ratio.ln(); 4],
            };
            cell.series = vec![series("clause", 1.0), series("clause-again", 1.0), series("changed", ratio)];
            results.variants = SCHEDULES.iter().map(VariantInfo::from).collect();
            results.cells = vec![cell];
            of(&results)
        };
        let of_ratio = |ratio| {
            let bars = bars(ratio);
            assert!(bars[0].what.starts_with("dynamic at run time"), "{bars:?}");
            (bars.len(), bars[0].figures, bars[0].missed)
        };
        assert_eq!(of_ratio(1.005), (1, 1, 0));
        assert_eq!(of_ratio(1.2), (1, 1, 1));
    }

    #[test]
    fn what_two_equal_things_do_too_is_no_miss() {
        let bars = of_sample(|results| {
            set(results, 0, "plugin", 2.1);
            set(results, 0, "plain-again", 2.1);
        });
        assert_eq!(bars[0], (1, 0));
    }
}
