//! The pieces of one thread's part of an execution, and of all threads' together. Few are kept one by one; many are
//! counted in windows of equal size.

use crate::profile::model::Piece;

/// More, and they are counted in windows.
const MOST: usize = 1 << 15;
const WINDOWS: u64 = 1 << 13;

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Pieces {
    /// One by one, in ticks; the thread is not set yet.
    Few(Vec<Piece>),
    Many(Windows),
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Windows {
    width: u64,
    all: Vec<Window>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct Window {
    iterations: u64,
    ticks: f64,
    /// A piece that is in several has its reading in the first.
    readings: u64,
    /// [`NO_THREAD`], an index, or [`Piece::SEVERAL`].
    thread: u32,
}

const NO_THREAD: u32 = u32::MAX - 1;

impl Default for Pieces {
    fn default() -> Pieces {
        Pieces::Few(Vec::new())
    }
}

impl Pieces {
    pub(crate) fn add(&mut self, trips: u64, piece: Piece) {
        match self {
            Pieces::Few(all) if all.len() < MOST => all.push(piece),
            Pieces::Few(all) => {
                let mut windows = Windows::new(trips);
                all.iter().for_each(|piece| windows.add(piece));
                windows.add(&piece);
                *self = Pieces::Many(windows);
            }
            Pieces::Many(windows) => windows.add(&piece),
        }
    }
}

impl Windows {
    pub(crate) fn new(trips: u64) -> Windows {
        let width = trips.div_ceil(WINDOWS).max(1);
        let empty = Window { iterations: 0, ticks: 0.0, readings: 0, thread: NO_THREAD };
        Windows { width, all: vec![empty; trips.div_ceil(width) as usize] }
    }

    /// What is beyond the loop's end is not counted, and then iterations are missing.
    fn add(&mut self, piece: &Piece) {
        let per_iteration = piece.density();
        let (mut at, mut left) = (piece.first, piece.iterations);
        let mut readings = piece.readings;
        while left > 0 {
            let number = at / self.width;
            let Some(window) = self.all.get_mut(number as usize) else { return };
            let room = self.width - at % self.width;
            let some = left.min(room);
            window.iterations = window.iterations.saturating_add(some);
            window.ticks += per_iteration * some as f64;
            window.readings += std::mem::take(&mut readings);
            window.thread = match window.thread {
                NO_THREAD => piece.thread,
                same if same == piece.thread => same,
                _ => Piece::SEVERAL,
            };
            left -= some;
            // The last window of a loop of 2^64 - 1 iterations.
            at = at.saturating_add(some);
        }
    }

    fn add_all(&mut self, other: &Windows, thread: u32) {
        for (to, from) in self.all.iter_mut().zip(&other.all) {
            if from.iterations == 0 {
                continue;
            }
            to.iterations = to.iterations.saturating_add(from.iterations);
            to.ticks += from.ticks;
            to.readings += from.readings;
            to.thread = match to.thread {
                NO_THREAD => thread,
                same if same == thread => same,
                _ => Piece::SEVERAL,
            };
        }
    }
}

/// Puts the threads' pieces in order, in nanoseconds. `None` if they are not the loop's iterations, each once. `by_value`: they may be named
/// by the program's own values.
pub(crate) fn joined(trips: u64, of_threads: Vec<Pieces>, ns_per_tick: f64, by_value: bool) -> Option<Vec<Piece>> {
    let of = |pieces: &Pieces| match pieces {
        Pieces::Few(all) => all.len(),
        Pieces::Many(_) => usize::MAX,
    };
    let total = of_threads.iter().map(of).fold(0, usize::saturating_add);
    let mut all = if total <= MOST { few(of_threads) } else { many(trips, of_threads)? };
    if by_value {
        number(&mut all);
    }
    let mut next = 0;
    for piece in &mut all {
        if piece.first != next || piece.iterations > trips - next {
            return None;
        }
        next += piece.iterations;
        piece.ns *= ns_per_tick;
    }
    (next == trips).then_some(all)
}

/// Numbers iterations from 0. Where pieces begin, and how many iterations are in them, tells the first value and the step.
fn number(all: &mut [Piece]) {
    all.sort_unstable_by_key(|piece| piece.first as i64);
    let [lowest, .., highest] = all else {
        return all.iter_mut().for_each(|only| only.first = 0);
    };
    let (lowest, highest, last) = (lowest.first, highest.first, highest.iterations);
    let before = all.iter().map(|piece| piece.iterations).fold(0, u64::saturating_add) - last;
    let step = (highest.wrapping_sub(lowest) / before.max(1)).max(1);
    for piece in all {
        let apart = piece.first.wrapping_sub(lowest);
        // What does not fit stays out of the loop.
        piece.first = if apart % step == 0 { apart / step } else { u64::MAX };
    }
}

fn few(of_threads: Vec<Pieces>) -> Vec<Piece> {
    let mut all = Vec::new();
    for (thread, pieces) in of_threads.into_iter().enumerate() {
        if let Pieces::Few(pieces) = pieces {
            all.extend(pieces.into_iter().map(|piece| Piece { thread: thread as u32, ..piece }));
        }
    }
    all.sort_unstable_by_key(|piece| piece.first);
    all
}

fn many(trips: u64, of_threads: Vec<Pieces>) -> Option<Vec<Piece>> {
    let mut windows = Windows::new(trips);
    for (thread, pieces) in of_threads.into_iter().enumerate() {
        let thread = thread as u32;
        match pieces {
            Pieces::Few(all) => all.into_iter().for_each(|piece| windows.add(&Piece { thread, ..piece })),
            Pieces::Many(of_thread) => windows.add_all(&of_thread, thread),
        }
    }
    let width = windows.width;
    let mut all = Vec::with_capacity(windows.all.len());
    for (number, piece) in windows.all.iter().enumerate() {
        let first = number as u64 * width;
        // All of them, or two threads ran one and nobody another.
        if piece.iterations != width.min(trips - first) {
            return None;
        }
        all.push(Piece {
            first,
            iterations: piece.iterations,
            ns: piece.ticks,
            thread: piece.thread,
            readings: piece.readings,
        });
    }
    Some(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn piece(first: u64, iterations: u64, ns: f64) -> Piece {
        Piece { first, iterations, ns, thread: 0, readings: 1 }
    }

    fn pieces(trips: u64, all: &[Piece]) -> Pieces {
        let mut to = Pieces::default();
        all.iter().for_each(|piece| to.add(trips, *piece));
        to
    }

    #[test]
    fn few_pieces_stay_as_they_are() {
        let one = pieces(10, &[piece(0, 3, 30.0), piece(5, 5, 5.0)]);
        let other = pieces(10, &[piece(3, 2, 8.0)]);
        let all = joined(10, vec![one, other], 2.0, false).unwrap();
        let told: Vec<_> = all.iter().map(|joined| (joined.first, joined.ns, joined.thread)).collect();
        assert_eq!(told, [(0, 60.0, 0), (3, 16.0, 1), (5, 10.0, 0)]);
    }

    /// As GCC's and flang's loops have them: from 3 on, from -5 in steps of 2, and what is none of these.
    #[test]
    fn values_become_numbers() {
        let firsts = |trips, all: &[Piece]| {
            let all = joined(trips, vec![pieces(trips, all)], 1.0, true)?;
            Some(all.iter().map(|piece| piece.first).collect::<Vec<_>>())
        };
        let value = |value: i64| value as u64;
        assert_eq!(firsts(10, &[piece(7, 4, 1.0), piece(3, 4, 1.0), piece(11, 2, 1.0)]), Some(vec![0, 4, 8]));
        assert_eq!(firsts(5, &[piece(1, 2, 1.0), piece(value(-5), 3, 1.0)]), Some(vec![0, 3]));
        assert_eq!(firsts(2, &[piece(9, 2, 1.0)]), Some(vec![0]));
        assert_eq!(firsts(6, &[piece(3, 2, 1.0), piece(6, 2, 1.0), piece(7, 2, 1.0)]), None);
        assert_eq!(firsts(9, &[piece(3, 2, 1.0), piece(5, 2, 1.0)]), None);
    }

    #[test]
    fn each_iteration_once() {
        for wrong in [
            &[piece(0, 3, 1.0), piece(4, 6, 1.0)][..],
            &[piece(0, 5, 1.0), piece(4, 6, 1.0)],
            &[piece(0, 9, 1.0)],
            &[piece(0, 11, 1.0)],
            &[],
        ] {
            assert_eq!(joined(10, vec![pieces(10, wrong)], 1.0, false), None, "{wrong:?}");
        }
        assert_eq!(joined(0, vec![Pieces::default()], 1.0, false), Some(Vec::new()));
    }

    /// As `schedule(static,1)` deals them.
    #[test]
    fn a_million_pieces_become_windows() {
        let trips = 1_000_000;
        let mut threads = vec![Pieces::default(); 2];
        for i in 0..trips {
            threads[i as usize % 2].add(trips, piece(i, 1, (i / 1000) as f64));
        }
        let all = joined(trips, threads.clone(), 1.0, false).unwrap();
        assert!(all.len() <= WINDOWS as usize);
        let total: f64 = all.iter().map(|joined| joined.ns).sum();
        assert_eq!(total, (0..trips).map(|i| (i / 1000) as f64).sum::<f64>());
        assert_eq!(all.iter().map(|joined| joined.readings).sum::<u64>(), trips);
        assert!(all.iter().all(|joined| joined.thread == Piece::SEVERAL));
        // One of them is missing, another comes twice.
        threads[0] = Pieces::default();
        for i in (0..trips).step_by(2) {
            threads[0].add(trips, piece(if i == 500_000 { 0 } else { i }, 1, 1.0));
        }
        assert_eq!(joined(trips, threads, 1.0, false), None);
    }

    #[test]
    fn huge_loops() {
        let trips = u64::MAX;
        let half = trips / 2;
        let one = pieces(trips, &[piece(0, half, 1e9)]);
        let other = pieces(trips, &[piece(half, trips - half, 3e9)]);
        let all = joined(trips, vec![one, other], 1.0, false).unwrap();
        assert_eq!(all.len(), 2);
        let mut many = Pieces::default();
        let step = trips / 50_000;
        for i in 0..50_000 {
            many.add(trips, piece(i * step, step, 1.0));
        }
        many.add(trips, piece(50_000 * step, trips - 50_000 * step, 0.0));
        let all = joined(trips, vec![many], 1.0, false).unwrap();
        let total: f64 = all.iter().map(|joined| joined.ns).sum();
        assert!((total - 50_000.0).abs() < 1e-6, "{total}");
    }
}
