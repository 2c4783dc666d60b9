//! Which iterations a thread gets, by the rules of the runtimes (libomp and libiomp5): pure arithmetic, without time.

use std::ops::Range;

/// A thread's block under `static`: all have the same number, the first ones one more.
pub fn block(trips: u64, threads: u64, thread: u64) -> Range<u64> {
    let threads = threads.max(1);
    let (small, more) = (trips / threads, trips % threads);
    let first = thread * small + thread.min(more);
    first..first + small + u64::from(thread < more)
}

/// The chunk sizes of `guided`, in the order in which they are dealt.
#[derive(Debug, Clone)]
pub struct Guided {
    left: u64,
    chunk: u64,
    /// Fewer left, and the rest goes in chunks.
    least: u64,
    share: f64,
}

/// With it, what is left is divided by twice the number of threads, ...
const SHARE: f64 = 0.5;
/// ... until so many chunks per thread are left.
const REST: u64 = 2;

impl Guided {
    /// For a loop. One thread has all at once.
    pub fn new(trips: u64, threads: u64, chunk: u64) -> Guided {
        let (chunk, threads) = (chunk.max(1), threads.max(1));
        let dealt = (2 * u128::from(chunk) + 1) * u128::from(threads);
        let least = match threads {
            1 => 0,
            _ if dealt >= u128::from(trips) => u64::MAX,
            _ => REST.saturating_mul(threads).saturating_mul(chunk.saturating_add(1)),
        };
        Guided { left: trips, chunk, least, share: if threads == 1 { 1.0 } else { SHARE / threads as f64 } }
    }
}

impl Iterator for Guided {
    type Item = u64;

    fn next(&mut self) -> Option<u64> {
        if self.left == 0 {
            return None;
        }
        let due = if self.left < self.least { self.chunk } else { (self.left as f64 * self.share) as u64 };
        let size = due.clamp(1, self.left);
        self.left -= size;
        Some(size)
    }
}

/// What a thread still has of its part under `nonmonotonic:dynamic`, in chunks; others may take from the end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Own {
    /// The thread has begun, or another has taken all of its part.
    active: bool,
    chunks: Range<u64>,
}

impl Own {
    /// As a loop begins. `None` where there are fewer chunks than threads: then they come from one place.
    pub fn all(chunks: u64, threads: u64) -> Option<Vec<Own>> {
        (threads > 1 && chunks >= threads).then(|| {
            let of = |thread| Own { active: false, chunks: block(chunks, threads, thread) };
            (0..threads).map(of).collect()
        })
    }

    /// The thread begins: what nobody has taken by now is its own.
    pub fn begin(&mut self) {
        self.active = true;
    }

    pub fn take(&mut self) -> Option<u64> {
        self.chunks.next()
    }
}

/// A thread without chunks of its own takes some of another's: all if that one has not begun, a quarter if it has more
/// than seven, else one. `victim` is where it looked last. Gives the first of the new chunks; the rest is its own.
pub fn steal(parts: &mut [Own], thread: usize, victim: &mut usize) -> Option<u64> {
    let threads = parts.len();
    for _ in 1..threads {
        if *victim == thread {
            *victim = (*victim + 1) % threads;
        }
        let part = &mut parts[*victim];
        let left = part.chunks.end - part.chunks.start;
        if left == 0 {
            part.active = true;
            *victim = (*victim + 1) % threads;
            continue;
        }
        let taken = match part.active {
            false => left,
            true if left > 7 => left / 4,
            true => 1,
        };
        part.active = true;
        let end = part.chunks.end;
        part.chunks.end -= taken;
        parts[thread].chunks = end - taken..end;
        return parts[thread].take();
    }
    None
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn blocks_differ_by_one() {
        let blocks: Vec<_> = (0..4).map(|thread| block(10, 4, thread)).collect();
        assert_eq!(blocks, [0..3, 3..6, 6..8, 8..10]);
        let few: Vec<_> = (0..4).map(|thread| block(2, 4, thread)).collect();
        assert_eq!(few, [0..1, 1..2, 2..2, 2..2]);
        assert_eq!(block(u64::MAX, 3, 2).end, u64::MAX);
    }

    #[test]
    fn guided_as_libomp_has_it() {
        // What is left is divided by 2 * 2 while at least 2 * 2 * (1 + 1) are left.
        let sizes: Vec<u64> = Guided::new(100, 2, 1).collect();
        assert_eq!(sizes[..6], [25, 18, 14, 10, 8, 6]);
        assert!(sizes.ends_with(&[1, 1, 1]));
        assert_eq!(Guided::new(9, 2, 4).collect::<Vec<_>>(), [4, 4, 1]);
        assert_eq!(Guided::new(9, 1, 4).collect::<Vec<_>>(), [9]);
        assert_eq!(Guided::new(0, 4, 1).count(), 0);
        assert!(Guided::new(u64::MAX, 4, 1 << 40).count() < 1000);
    }

    #[test]
    fn a_quarter_is_stolen_from_the_end() {
        let mut parts = Own::all(100, 2).unwrap();
        parts.iter_mut().for_each(Own::begin);
        while parts[1].take().is_some() {}
        let mut victim = 0;
        assert_eq!(parts[0].take(), Some(0));
        assert_eq!(steal(&mut parts, 1, &mut victim), Some(38));
        assert_eq!(parts[0].chunks, 1..38);
        assert_eq!(parts[1].chunks, 39..50);
    }

    #[test]
    fn who_has_not_begun_loses_all() {
        let mut parts = Own::all(8, 2).unwrap();
        parts[1].begin();
        while parts[1].take().is_some() {}
        assert_eq!(steal(&mut parts, 1, &mut 0), Some(0));
        assert_eq!(parts[0].take(), None);
        assert_eq!(Own::all(1, 2), None);
    }

    proptest! {
        #[test]
        fn each_iteration_once(trips in 0u64..5000, threads in 1u64..9, chunk in 1u64..70) {
            let blocks: u64 = (0..threads).map(|thread| block(trips, threads, thread)).map(|thread| thread.end - thread.start).sum();
            prop_assert_eq!(blocks, trips);
            prop_assert_eq!(Guided::new(trips, threads, chunk).sum::<u64>(), trips);
            let Some(mut parts) = Own::all(trips, threads) else {
                return Ok(());
            };
            let mut seen = vec![0; trips as usize];
            let mut victims: Vec<usize> = (1..=threads as usize).map(|thread| thread % threads as usize).collect();
            // Threads of different speeds.
            let mut more = true;
            while more {
                more = false;
                for thread in 0..threads as usize {
                    parts[thread].begin();
                    for _ in 0..=thread {
                        let next = parts[thread].take().or_else(|| steal(&mut parts, thread, &mut victims[thread]));
                        if let Some(chunk) = next {
                            seen[chunk as usize] += 1;
                            more = true;
                        }
                    }
                }
            }
            prop_assert!(seen.iter().all(|times| *times == 1));
        }
    }
}
