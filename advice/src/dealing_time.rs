//! What of a recorded chunk's time was dealing it. The recorder reads the clock when a chunk begins, so what the runtime does until the
//! next one begins is in the chunk's time, unless the bookkeeping was timed. How long that took is known within bounds only: threads
//! that ask at the same time hold each other up. Where chunks take no longer than that, nothing is known of their iterations.

use ompchunk_analysis::profile::{Execution, Piece};
use ompchunk_figures::quantile;

use crate::costs::{Case, Costs, SHARED_LINE, shared};
use crate::schedule::{Kind, Schedule};
use crate::work::Work;
use crate::world::World;

#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct DealingTime {
    pub reading: f64,
    /// With it, and dealing as a thread does it that nobody holds up.
    pub least: f64,
    /// ... as it is expected.
    pub middle: f64,
    /// ... and at most. The same as `least` where nothing was dealt.
    pub most: f64,
    pub timed: Option<f64>,
    /// Iterations cannot be told from dealing.
    pub hidden: Option<Hidden>,
}

/// Chunks that may be nothing but dealing, in nanoseconds: their mean, and the least and the most that dealing takes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hidden {
    pub chunk: f64,
    pub dealing: [f64; 2],
    pub by: By,
}

/// What takes about as long as chunks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum By {
    Dealing,
    /// Storing its event, where dealing was timed.
    Recording,
    /// That, and waiting for cache lines that other threads write to at the same time, where nothing is dealt.
    RecordingAndLines,
}

/// Chunks that take so many times what dealing takes at most tell what their iterations cost.
const TELLING: f64 = 2.0;
/// What the recorder may take for a chunk beside reading the clock, in readings of it.
const STORING: f64 = 4.0;
/// The same where a profile is recorded, and in nanoseconds besides: the price of `budget.rs` in the recorder.
const PROFILING: f64 = 150.0;
/// An iteration takes at least this long on any processor, in nanoseconds.
const LEAST_ITERATION: f64 = 0.1;
/// A smaller share of what they may cost at most is not likely.
const UNLIKELY: f64 = 1.0 / 16.0;

impl DealingTime {
    /// `now`: the schedule that the executions ran under.
    pub fn from_executions(executions: &[&Execution], now: &Schedule, costs: &Costs) -> DealingTime {
        let reading = executions.iter().map(|execution| execution.reading_ns).fold(0.0, f64::max);
        if now.kind == Kind::Static {
            return DealingTime::of_static(executions, now, costs, reading);
        }
        let timed = timed_dealing(executions);
        // What was timed is in no chunk, but storing its event is.
        let [least, middle, most] = match timed {
            Some(_) => [0.0, STORING / 2.0 * reading, STORING * reading],
            None => {
                let own = |case| costs.dealing(now, case).own;
                [costs.least(now), own(Case::Middle), own(Case::Worst)]
            }
        };
        let chunk = (mean_chunk(executions) - reading).max(0.0);
        DealingTime {
            reading,
            least: reading + least,
            middle: reading + middle,
            most: reading + most,
            timed,
            hidden: (chunk <= TELLING * most).then_some(Hidden {
                chunk,
                dealing: [least, most],
                by: if timed.is_some() { By::Recording } else { By::Dealing },
            }),
        }
    }

    /// Short chunks may take no longer than recording them, and neighbours may share cache lines: a chunk's time may be nothing else.
    fn of_static(executions: &[&Execution], now: &Schedule, costs: &Costs, reading: f64) -> DealingTime {
        let always = reading + costs.least(now);
        let known = DealingTime { reading, least: always, middle: always, most: always, timed: None, hidden: None };
        let Some(chunk) = now.chunk else { return known };
        let profiling = executions.iter().any(|execution| execution.divided);
        let own = STORING * reading + if profiling { PROFILING } else { 0.0 };
        let most = own + SHARED_LINE * shared(chunk);
        let took = (mean_chunk(executions) - reading).max(0.0);
        if took > TELLING * most {
            return known;
        }
        DealingTime {
            middle: always + most / 2.0,
            most: always + most,
            hidden: Some(Hidden { chunk: took, dealing: [0.0, most], by: By::RecordingAndLines }),
            ..known
        }
    }

    /// What dealing took is not known well enough to be left alone.
    pub fn is_vague(&self) -> bool {
        self.most > self.least
    }

    /// What all iterations cost together if dealing took so much.
    fn total(&self, pieces: &[Piece], per_chunk: f64) -> f64 {
        let rest = |piece: &Piece| piece.ns - per_chunk * piece.readings as f64;
        let total: f64 = pieces.iter().map(rest).sum();
        total.max(LEAST_ITERATION * trips(pieces) as f64)
    }

    /// What dealing a chunk took if iterations cost so much together.
    fn dealing_beside(&self, pieces: &[Piece], work: f64) -> f64 {
        if let Some(timed) = self.timed {
            return timed;
        }
        let chunks: u64 = pieces.iter().map(|piece| piece.readings).sum();
        (self.total(pieces, self.reading) - work).max(0.0) / chunks.max(1) as f64
    }

    /// The world that is expected, where iterations cannot be told from dealing: all of them alike, and between the least and the most
    /// that they may cost. That they cost next to nothing is possible, and not likely.
    pub fn expected(&self, world: World, pieces: &[Piece]) -> World {
        if self.hidden.is_none() {
            return world;
        }
        let most = self.total(pieces, self.least);
        let least = self.total(pieces, self.most).max(most * UNLIKELY);
        let work = (least * most).sqrt();
        World { work: Work::new([(trips(pieces), work)]), dealing: Some(self.dealing_beside(pieces, work)), ..world }
    }

    /// What iterations cost, as far alike as dealing allows it: what it may explain is no difference.
    pub fn evened(&self, pieces: &[Piece]) -> Work {
        if self.hidden.is_some() {
            return Work::new([(trips(pieces), self.total(pieces, self.least))]);
        }
        let rate = |piece: &Piece, dealing: f64| {
            (piece.ns - dealing * piece.readings as f64).max(0.0) / piece.iterations.max(1) as f64
        };
        let rates = pieces.iter().map(|piece| (rate(piece, self.middle), piece.iterations as f64));
        let usual = quantile(rates, 0.5).unwrap_or(0.0);
        let even = |piece: &Piece| {
            let cost = usual.clamp(rate(piece, self.most), rate(piece, self.least));
            (piece.iterations, cost * piece.iterations as f64)
        };
        Work::new(pieces.iter().map(even))
    }

    /// What iterations cost at least, and what dealing a chunk took then.
    pub fn most_dealing(&self, pieces: &[Piece]) -> (Work, f64) {
        let least_work = |piece: &Piece| {
            let rest = piece.ns - self.most * piece.readings as f64;
            let least = rest.max(LEAST_ITERATION * piece.iterations as f64);
            (piece.iterations, least.min(piece.ns))
        };
        let work = match self.hidden {
            // Whatever it takes, it may be nothing but dealing.
            Some(_) => Work::new([(trips(pieces), LEAST_ITERATION * trips(pieces) as f64)]),
            None => Work::new(pieces.iter().map(least_work)),
        };
        let dealing = self.dealing_beside(pieces, work.total());
        (work, dealing)
    }
}

/// What dealing a chunk took, in the mean, if all executions tell it.
fn timed_dealing(executions: &[&Execution]) -> Option<f64> {
    let timed: Vec<f64> = executions.iter().map(|execution| execution.dealing_ns).collect::<Option<_>>()?;
    (!timed.is_empty()).then(|| timed.iter().sum::<f64>() / timed.len() as f64)
}

fn mean_chunk(executions: &[&Execution]) -> f64 {
    let pieces = || executions.iter().flat_map(|execution| &execution.pieces);
    let chunks: u64 = pieces().map(|piece| piece.readings).sum();
    pieces().map(|piece| piece.ns).sum::<f64>() / chunks.max(1) as f64
}

fn trips(pieces: &[Piece]) -> u64 {
    pieces.iter().map(|piece| piece.iterations).fold(0, u64::saturating_add)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::costs::{Measured, PerChunk};

    fn costs() -> Costs {
        Costs {
            wide: false,
            measured: Some(Measured {
                threads: 2,
                dynamic: PerChunk { alone: 10.0, together: 50.0 },
                ..Measured::default()
            }),
        }
    }

    /// Chunks of ten iterations that take so long.
    fn execution(all: &[f64], dealing_ns: Option<f64>) -> Execution {
        let piece =
            |(at, ns): (usize, &f64)| Piece { first: at as u64 * 10, iterations: 10, ns: *ns, thread: 0, readings: 1 };
        Execution {
            trips: all.len() as u64 * 10,
            pieces: all.iter().enumerate().map(piece).collect(),
            reading_ns: 20.0,
            dealing_ns,
            ..Execution::default()
        }
    }

    #[test]
    fn short_chunks_tell_nothing_of_iterations() {
        let dynamic = Schedule::with_chunk(Kind::Dynamic, 10);
        let short = execution(&[60.0, 320.0], None);
        let found = DealingTime::from_executions(&[&short], &dynamic, &costs());
        assert_eq!((found.least, found.middle, found.most), (30.0, 80.0, 220.0));
        let hidden = found.hidden.expect("hidden");
        assert_eq!((hidden.chunk, hidden.dealing), (170.0, [10.0, 200.0]));
        let (work, dealing) = found.most_dealing(&short.pieces);
        // All of it may be dealing.
        assert_eq!((work.between(0, 10), work.between(10, 20)), (1.0, 1.0));
        assert_eq!(dealing, (340.0 - 2.0) / 2.0);
        let long = execution(&[6000.0, 32_000.0], None);
        let found = DealingTime::from_executions(&[&long], &dynamic, &costs());
        assert!(found.hidden.is_none() && found.is_vague());
        let (work, dealing) = found.most_dealing(&long.pieces);
        assert_eq!((work.between(0, 10), dealing), (5780.0, 200.0));
    }

    /// What was measured of a loop whose neighbours share cache lines: blocks take 0.057 and 0.104 of its time.
    #[test]
    fn short_chunks_of_static_are_not_said_to_be_best() {
        use crate::choose::{Choice, choose};
        use crate::predict::{Allowed, predict};
        use ompchunk_analysis::profile::Thread;
        let run = |chunk: u64, ns: f64, divided: bool| {
            let piece =
                |at: u64| Piece { first: at * chunk, iterations: chunk, ns, thread: (at % 2) as u32, readings: 1 };
            let ends_ns = 500.0 * ns;
            let thread = |thread| Thread { thread, ends_ns, ..Thread::default() };
            let execution = Execution {
                trips: 1000 * chunk,
                pieces: (0..1000).map(piece).collect(),
                threads: vec![thread(0), thread(1)],
                elapsed_ns: ends_ns,
                reading_ns: 10.0,
                divided,
                ..Execution::default()
            };
            let now = Schedule::with_chunk(Kind::Static, chunk);
            let prediction = predict(&[&execution; 4], now, Allowed::Dealt, None, &costs());
            let blocks = prediction.candidates.iter().find(|candidate| candidate.schedule == Schedule::STATIC);
            (blocks.expect("static").ratio, choose(&prediction, None), prediction.hidden)
        };
        for (ns, divided) in [(90.0, true), (500.0, true), (25.0, false), (200.0, false)] {
            let (ratio, choice, hidden) = run(1, ns, divided);
            assert!(ratio.low < 0.057 && ratio.high > 0.9, "{ns}: {ratio:?}");
            assert!(matches!(choice, Choice::Uncertain(best) if best.schedule == Schedule::STATIC), "{ns}: {choice:?}");
            assert!(hidden.is_some_and(|hidden| hidden.by == By::RecordingAndLines && hidden.dealing[1] >= 140.0));
        }
        // Long chunks, and those of which few iterations are beside another's.
        for (chunk, ns, divided) in [(1, 1000.0, true), (1, 400.0, false), (64, 700.0, true), (64, 200.0, false)] {
            assert_eq!(run(chunk, ns, divided).2, None, "{chunk} {ns}");
        }
    }

    #[test]
    fn what_is_typical_is_evened_where_costs_are_vague() {
        let uneven = execution(&[6000.0, 6000.0, 6100.0], None);
        let typical = |now| crate::look::Look::new(&[&uneven], &now, None, &costs()).typical();
        let [dynamic, fixed] = [Kind::Dynamic, Kind::Static].map(|kind| typical(Schedule::with_chunk(kind, 10)));
        assert_eq!(dynamic.between(20, 30), dynamic.between(0, 10));
        assert!(fixed.between(20, 30) > fixed.between(0, 10));
    }

    #[test]
    fn what_was_timed_or_never_dealt_is_known() {
        let timed = execution(&[600.0, 600.0], Some(70.0));
        let dynamic = Schedule::with_chunk(Kind::Dynamic, 10);
        let found = DealingTime::from_executions(&[&timed], &dynamic, &costs());
        assert_eq!(found.timed, Some(70.0));
        assert_eq!((found.least, found.most), (20.0, 100.0));
        let (work, dealing) = found.most_dealing(&timed.pieces);
        assert_eq!((work.total(), dealing), (1000.0, 70.0));
        assert!(found.hidden.is_none());
        // Chunks that take no longer than recording them.
        let short = execution(&[60.0, 90.0], Some(70.0));
        let hidden = DealingTime::from_executions(&[&short], &dynamic, &costs()).hidden;
        assert!(hidden.is_some_and(|hidden| hidden.by == By::Recording && hidden.chunk == 55.0));
        let fixed = Schedule::with_chunk(Kind::Static, 10);
        let found = DealingTime::from_executions(&[&timed], &fixed, &costs());
        assert!(found.timed.is_none() && !found.is_vague());
    }
}
