//! From chunk to chunk of a loop that runs under `static` or `static,c` instead of its own schedule: arithmetic alone.
//!
//! The runtime's `__kmpc_for_static_init_*` gives a thread its first chunk and the stride to the next. It may lie behind the
//! loop's last iteration, and hold iterations beyond it. All numbers are of the width of the loop's variable and may wrap
//! around at its end, so what counts are distances: those of iterations of one loop are exact whatever the signs, and so
//! is the stride as long as chunk times threads fits the width.

/// With larger chunks, a stride could be beyond what 32 bits hold. Dealing them costs next to nothing.
pub(crate) const LARGEST_STEPPED: u32 = 1 << 16;

/// A number of logical iterations' width.
pub(crate) trait Number: Copy + Ord {
    const ZERO: Self;
    const ONE: Self;
    const BITS: u8;
    fn plus(self, right: Self) -> Self;
    fn minus(self, right: Self) -> Self;
    /// As signed numbers: is it less?
    fn is_below(self, right: Self) -> bool;
    fn from_wide(wide: u64) -> Self;
    /// A number with these low bits.
    fn wide(self) -> u64;
    /// The signed number of its bits, extended to 64.
    fn extended(self) -> u64;
}

macro_rules! number {
    ($unsigned:ty, $signed:ty) => {
        impl Number for $unsigned {
            const ZERO: Self = 0;
            const ONE: Self = 1;
            const BITS: u8 = <$unsigned>::BITS as u8;
            #[inline(always)]
            fn plus(self, right: Self) -> Self {
                self.wrapping_add(right)
            }
            #[inline(always)]
            fn minus(self, right: Self) -> Self {
                self.wrapping_sub(right)
            }
            #[inline(always)]
            fn is_below(self, right: Self) -> bool {
                (self as $signed) < (right as $signed)
            }
            #[inline(always)]
            fn from_wide(wide: u64) -> Self {
                wide as Self
            }
            #[inline(always)]
            fn wide(self) -> u64 {
                self.into()
            }
            #[inline(always)]
            fn extended(self) -> u64 {
                i64::from(self as $signed) as u64
            }
        }
    };
}

number!(u32, i32);
number!(u64, i64);
// So that tests see all there is of a width.
#[cfg(test)]
number!(u8, i8);

/// What a thread runs next: both ends included, all of it iterations of the loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Step<N> {
    pub(crate) lower: N,
    pub(crate) upper: N,
    /// The thread runs none after it.
    pub(crate) is_last: bool,
}

/// A loop as it stands before the runtime divides it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Whole<N> {
    pub(crate) first: N,
    pub(crate) last: N,
    pub(crate) is_signed: bool,
}

impl<N: Number> Whole<N> {
    /// Has it no iteration? As many as there are numbers are none to the runtimes, too: the number of them is 0.
    pub(crate) fn is_empty(self) -> bool {
        let ends_before = if self.is_signed { self.last.is_below(self.first) } else { self.last < self.first };
        ends_before || self.number() == N::ZERO
    }

    /// How many iterations it has; `None`: none.
    #[inline(always)]
    pub(crate) fn iterations(self) -> Option<u64> {
        (!self.is_empty()).then(|| self.number().wide())
    }

    /// The same of a loop that is not empty.
    #[inline(always)]
    fn number(self) -> N {
        self.last.minus(self.first).plus(N::ONE)
    }
}

/// The chunk that the runtime gave a thread with `schedule(static,c)`.
pub(crate) fn first<N: Number>(whole: Whole<N>, lower: N, upper: N, stride: N) -> Option<Step<N>> {
    let is_one = !whole.is_empty() && lower.minus(whole.first) <= whole.last.minus(whole.first);
    is_one.then(|| clamped(whole.last, lower, upper.minus(lower), stride))
}

/// The range that it gave with `schedule(static)`. An empty one looks as if it wraps around, but ranges never do.
pub(crate) fn only<N: Number>(whole: Whole<N>, lower: N, upper: N) -> Option<Step<N>> {
    let given = Whole { first: lower, last: upper, ..whole };
    if given.is_empty() {
        return None;
    }
    first(whole, lower, upper, N::ZERO)
}

/// The chunk after that from `lower` to `upper`, which is as long as each but the loop's last.
#[inline(always)]
pub(crate) fn next<N: Number>(last: N, lower: N, upper: N, stride: N) -> Option<Step<N>> {
    if is_last(last, lower, stride) {
        return None;
    }
    Some(clamped(last, lower.plus(stride), upper.minus(lower), stride))
}

/// A last iteration and a stride with which nothing comes after an empty range: not after the one from 1 to 0, nor after the one
/// that begins behind the loop's own last iteration. Programs run one of the two where a thread has no chunk.
pub(crate) fn nowhere<N: Number>(last: N) -> (N, N) {
    let end = if last == N::ONE { N::ONE.plus(N::ONE) } else { N::ONE };
    (end, N::ZERO.minus(N::ONE))
}

#[inline(always)]
fn clamped<N: Number>(last: N, lower: N, length: N, stride: N) -> Step<N> {
    Step { lower, upper: lower.plus(length.min(last.minus(lower))), is_last: is_last(last, lower, stride) }
}

/// Does a stride lead out of the loop? One of 0 leads nowhere.
#[inline(always)]
fn is_last<N: Number>(last: N, lower: N, stride: N) -> bool {
    last.minus(lower) <= stride.minus(N::ONE)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// What `__kmpc_for_static_init_*` gives with `static,c`: older runtimes let the last threads' bounds wrap around.
    pub(crate) fn given(whole: Whole<u8>, chunk: u8, thread: u8, threads: u8, new: bool) -> (u8, u8, u8) {
        let trips = whole.last.wrapping_sub(whole.first).wrapping_add(1);
        let (mut chunk, mut threads) = (chunk, threads);
        if new {
            chunk = chunk.min(trips);
            let chunks = trips / chunk + u8::from(trips % chunk != 0);
            if chunks < threads && thread >= chunks {
                return (whole.last.wrapping_add(1), whole.last, 0);
            }
            threads = threads.min(chunks);
        }
        let lower = whole.first.wrapping_add(chunk * thread);
        let upper = lower.wrapping_add(chunk).wrapping_sub(1);
        (lower, upper, chunk * threads)
    }

    /// How often each iteration runs.
    fn runs(whole: Whole<u8>, chunk: u8, threads: u8, new: bool) -> [u8; 256] {
        let mut runs = [0; 256];
        for thread in 0..threads {
            let (lower, upper, stride) = given(whole, chunk, thread, threads, new);
            let mut step = first(whole, lower, upper, stride);
            while let Some(Step { lower, upper, is_last }) = step {
                for iteration in 0..=upper.wrapping_sub(lower) {
                    runs[usize::from(lower.wrapping_add(iteration))] += 1;
                }
                step = next(whole.last, lower, upper, stride);
                assert_eq!(is_last, step.is_none());
            }
        }
        runs
    }

    #[test]
    fn each_iteration_runs_once_wherever_the_loop_lies() {
        for (is_signed, new) in [(false, false), (false, true), (true, false), (true, true)] {
            for from in 0..=255_u8 {
                for trips in [1, 2, 3, 7, 16, 100, 127, 128, 254, 255] {
                    let last = from.wrapping_add(trips - 1);
                    let whole = Whole { first: from, last, is_signed };
                    if whole.is_empty() {
                        continue;
                    }
                    for (chunk, threads) in [(1, 1), (1, 3), (2, 5), (7, 4), (16, 3), (127, 2), (255, 1)] {
                        let mut right = [0; 256];
                        for iteration in 0..trips {
                            right[usize::from(from.wrapping_add(iteration))] = 1;
                        }
                        let runs = runs(whole, chunk, threads, new);
                        assert!(runs == right, "{whole:?}, {chunk}, {threads}, {new}: {runs:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn what_is_empty_stays_so() {
        let whole = |first: u8, last: u8, is_signed| Whole { first, last, is_signed };
        // Runtimes leave the bounds of an empty loop alone.
        assert_eq!(first(whole(0, 255, true), 0, 255, 0), None);
        assert_eq!(first(whole(0, 255, false), 0, 255, 0), None);
        assert_eq!(first(whole(5, 3, false), 5, 3, 255), None);
        assert_eq!([whole(5, 3, false), whole(5, 9, false)].map(Whole::iterations), [None, Some(5)]);
        assert_eq!(only(whole(0, 9, true), 10, 9), None);
        assert_eq!(only(whole(0, 9, true), 5, 4), None);
        let half = Step { lower: 5, upper: 9, is_last: true };
        assert_eq!(only(whole(0, 9, true), 5, 9), Some(half));
    }

    #[test]
    fn nothing_comes_after_an_empty_range() {
        for last in 0..=255_u8 {
            let (end, stride) = nowhere(last);
            assert_eq!(next(end, 1, 0, stride), None, "{last}");
            assert_eq!(next(end, last.wrapping_add(1), last, stride), None, "{last}");
        }
    }

    #[test]
    fn one_chunk_of_a_team_of_one_is_the_whole_loop() {
        for (from, last, is_signed) in [(0_u8, 254, false), (128, 127 - 1, true), (7, 7, false)] {
            let whole = Whole { first: from, last, is_signed };
            let stride = last.wrapping_sub(from).wrapping_add(1);
            let step = Step { lower: from, upper: last, is_last: true };
            assert_eq!(first(whole, from, last, stride), Some(step));
        }
    }
}
