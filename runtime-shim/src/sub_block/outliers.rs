//! Which iterations of a loop took most, so that they come in short sub-blocks the next time.
//!
//! Sizes follow the iterations before. Where a few iterations take as long as thousands of their neighbours, they end up within one
//! long sub-block, each time, and no profile can say which of them it was. So the places where that happened are kept, a few per
//! thread and loop, and divided the next time, again and again until single iterations stand alone.
//!
//! As for sizes, whatever stands here may be wrong, and decides nothing else.

use core::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

const PLACES: usize = 4;
/// Sub-blocks of a place at most.
const PARTS: u64 = 32;
/// Nanoseconds of an execution for each sub-block of its places: a hundred times what one costs, with somebody who listens.
const PER_PART: u64 = 1 << 14;
/// A sub-block is to be divided that takes so many times as long as it was meant to.
const TIMES: u64 = 4;

/// Some consecutive iterations, by their bounds in the program, and how they are divided.
struct OutlierSlot {
    from: AtomicU64,
    /// 0: no place.
    iterations: AtomicU64,
    /// Iterations of a sub-block.
    size: AtomicU64,
}

impl OutlierSlot {
    fn has(&self, iteration: u64) -> bool {
        iteration.wrapping_sub(self.from.load(Relaxed)) < self.iterations.load(Relaxed)
    }
}

/// The places of a loop on a thread.
pub(crate) struct Costly {
    places: [OutlierSlot; PLACES],
    /// How many are in use; these come first.
    used: AtomicU32,
    /// Which one is given up next.
    turn: AtomicU32,
    /// The longest sub-block of this execution, of those that can be divided.
    from: AtomicU64,
    iterations: AtomicU64,
    took: AtomicU64,
}

impl Costly {
    pub(crate) const fn new() -> Costly {
        Costly {
            places: [const {
                OutlierSlot { from: AtomicU64::new(0), iterations: AtomicU64::new(0), size: AtomicU64::new(0) }
            }; PLACES],
            used: AtomicU32::new(0),
            turn: AtomicU32::new(0),
            from: AtomicU64::new(0),
            iterations: AtomicU64::new(0),
            took: AtomicU64::new(0),
        }
    }

    fn places(&self) -> &[OutlierSlot] {
        let used = self.used.load(Relaxed) as usize;
        &self.places[..used.min(PLACES)]
    }

    /// How many iterations a sub-block from `begin` has that would have so many, at least one.
    #[inline]
    pub(crate) fn cut(&self, begin: u64, size: u64) -> u64 {
        match self.used.load(Relaxed) {
            0 => size,
            _ => self.cut_at_places(begin, size),
        }
    }

    #[inline(never)]
    fn cut_at_places(&self, begin: u64, mut size: u64) -> u64 {
        for place in self.places() {
            let (from, iterations) = (place.from.load(Relaxed), place.iterations.load(Relaxed));
            let (within, before) = (begin.wrapping_sub(from), from.wrapping_sub(begin));
            if within < iterations {
                let rest = (iterations - within).min(place.size.load(Relaxed));
                size = size.min(rest.max(1));
            } else if before < size {
                size = before.max(1);
            }
        }
        size
    }

    /// Whether a sub-block that begins there is part of a place.
    pub(crate) fn has(&self, begin: u64) -> bool {
        self.places().iter().any(|place| place.has(begin))
    }

    /// A sub-block took so long, and was meant to take `target`.
    pub(crate) fn observe(&self, from: u64, iterations: u64, took: u64, target: u64) {
        let is_long = took / TIMES >= target && took > self.took.load(Relaxed);
        if is_long && iterations > 1 {
            self.from.store(from, Relaxed);
            self.iterations.store(iterations, Relaxed);
            self.took.store(took, Relaxed);
        }
    }

    /// An execution is over, which took so long.
    pub(crate) fn end(&self, execution: u64) {
        let took = self.took.swap(0, Relaxed);
        let parts = (execution / PER_PART / PLACES as u64).min(PARTS);
        if parts < 2 {
            // It is too short to be looked at so closely.
            self.used.store(0, Relaxed);
        } else if took != 0 {
            self.divide(self.from.load(Relaxed), self.iterations.load(Relaxed), parts);
        }
    }

    /// The next time, these iterations come in so many parts, and some on both sides with them: what is dear may go on there.
    fn divide(&self, from: u64, iterations: u64, parts: u64) {
        let used = self.places().len();
        // A sub-block is part of a place or of none. That places overlap is no harm: the shortest size counts.
        let number = match self.places().iter().position(|place| place.has(from)) {
            Some(number) => number,
            None if used < PLACES => used,
            None => self.turn.fetch_add(1, Relaxed) as usize % PLACES,
        };
        let widened = iterations.saturating_mul(2).max(parts);
        let begin = from.wrapping_sub((widened - iterations) / 2);
        let place = &self.places[number];
        place.from.store(begin, Relaxed);
        place.iterations.store(widened, Relaxed);
        place.size.store(widened.div_ceil(parts), Relaxed);
        self.used.store(used.max(number + 1) as u32, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONG: u64 = 10_000_000;

    /// Sub-blocks of an execution whose iterations take 1 µs, but for some.
    fn run(costly: &Costly, trips: u64, size: u64, dear: &[(u64, u64)]) -> Vec<(u64, u64)> {
        let (mut begin, mut sub_blocks, mut execution) = (0, Vec::new(), 0);
        while begin < trips {
            let iterations = costly.cut(begin, size.min(trips - begin));
            assert!(iterations >= 1 && iterations <= trips - begin);
            let end = begin + iterations;
            let dear_here = dear.iter().filter(|(from, _)| (begin..end).contains(from));
            let took = iterations * 1000 + dear_here.map(|(_, time)| time).sum::<u64>();
            costly.observe(begin, iterations, took, size * 1000);
            sub_blocks.push((begin, iterations));
            (begin, execution) = (end, execution + took);
        }
        costly.end(execution);
        sub_blocks
    }

    fn is_alone(sub_blocks: &[(u64, u64)], iteration: u64) -> bool {
        sub_blocks.contains(&(iteration, 1))
    }

    #[test]
    fn single_iterations_soon_stand_alone() {
        let costly = Costly::new();
        let dear = [(70_123, LONG), (3, LONG * 2), (70_900, LONG), (99_999, LONG)];
        let mut sub_blocks = Vec::new();
        for _ in 0..14 {
            sub_blocks = run(&costly, 100_000, 2048, &dear);
        }
        for (iteration, _) in dear {
            assert!(is_alone(&sub_blocks, iteration), "{iteration}");
        }
        assert!(sub_blocks.len() < 100_000 / 2048 + 6 + 2 * PLACES + PLACES * PARTS as usize);
    }

    #[test]
    fn what_moves_a_little_stays_within() {
        let costly = Costly::new();
        let mut found = 0;
        for turn in 0..40 {
            let dear = 700 + turn % 8;
            let sub_blocks = run(&costly, 1000, 100, &[(dear, LONG)]);
            found += u64::from(is_alone(&sub_blocks, dear));
        }
        assert!(found > 30, "{found}");
    }

    #[test]
    fn short_executions_and_even_ones_are_left_alone() {
        let costly = Costly::new();
        for _ in 0..8 {
            assert_eq!(run(&costly, 100, 10, &[(50, 20_000)]).len(), 10);
            assert_eq!(run(&costly, 100_000, 1000, &[]).len(), 100);
        }
        // Places are given up when executions become short.
        run(&costly, 1000, 100, &[(5, LONG)]);
        assert!(costly.has(5));
        run(&costly, 10, 10, &[]);
        assert!(!costly.has(5));
    }

    #[test]
    fn any_bounds() {
        let numbers = [0, 1, 77, u64::MAX / 2, u64::MAX - 1, u64::MAX];
        let costly = Costly::new();
        for from in numbers {
            for iterations in numbers {
                costly.observe(from, iterations, u64::MAX, 1);
                costly.end(LONG);
                for begin in numbers {
                    for size in &numbers[1..] {
                        assert!((1..=*size).contains(&costly.cut(begin, *size)));
                    }
                }
            }
        }
    }
}
