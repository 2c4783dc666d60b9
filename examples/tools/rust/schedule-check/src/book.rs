//! What was found, of all threads together.

use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

use chunk_tool::Known;

use crate::execution::{Execution, Who};
use crate::text;

/// Two loops that promise a thread the same iterations, or one that promises them in each execution. By address, the lower first.
pub(crate) type Pair = (usize, usize);

/// Most pairs, loops and places that are told apart.
const MOST: usize = 4096;
/// Most lines about what moved.
const MOST_LINES: usize = 50;

/// A parallel region: which pairs were compared in it, and whether a thread's iterations differed.
#[derive(Debug, Default)]
pub(crate) struct Region(Mutex<HashMap<Pair, bool>>);

/// In how many regions something was the case.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Regions {
    pub(crate) compared: u64,
    pub(crate) moved: u64,
}

/// The whole.
#[derive(Debug, Default)]
pub(crate) struct Book(Mutex<Entries>);

/// What stands in it.
#[derive(Debug, Default)]
pub(crate) struct Entries {
    /// Loops that were watched, and whether they ever ran under another schedule than their source's.
    pub(crate) loops: HashMap<usize, (&'static Known, bool)>,
    pub(crate) pairs: HashMap<Pair, (&'static Known, &'static Known, Regions)>,
    /// Regions in which anything was compared.
    pub(crate) regions: u64,
    /// Loops whose chunks went to others than their clause says.
    pub(crate) strays: HashSet<usize>,
    /// Where loops began that were compiled without the plugin.
    pub(crate) unseen: HashSet<usize>,
    /// Something was not noted, for there was too much.
    pub(crate) is_full: bool,
    lines: usize,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Book {
    /// For the end.
    pub(crate) fn read(&self) -> MutexGuard<'_, Entries> {
        lock(&self.0)
    }

    /// A loop began that was compiled without the plugin.
    pub(crate) fn note_unseen(&self, code: usize) {
        let mut entries = self.read();
        if entries.unseen.len() < MOST {
            entries.unseen.insert(code);
        }
    }

    /// A thread forgot what it ran.
    pub(crate) fn note_full(&self) {
        self.read().is_full = true;
    }

    /// A thread has run its part of a loop.
    pub(crate) fn add_execution(&self, done: &Execution, who: Who) {
        let mut entries = self.read();
        let key = address(done.the_loop);
        if entries.loops.len() < MOST || entries.loops.contains_key(&key) {
            let state = entries.loops.entry(key).or_insert((done.the_loop, false));
            state.1 |= done.is_changed();
        } else {
            entries.is_full = true;
        }
        if done.stray.is_some() && entries.strays.insert(key) {
            entries.print_line(|| text::of_stray(done, who));
        }
    }

    /// Two executions of one region that promise the thread the same iterations.
    pub(crate) fn compare(&self, region: Option<&Region>, before: &Execution, done: &Execution, who: Who) {
        let differs = !before.own.is_same(&done.own);
        let pair = pair(before, done);
        let news = region.map_or(News::default(), |region| region.add_pair(pair, differs));
        if !news.is_any() && !differs {
            return;
        }
        let mut entries = self.read();
        entries.regions += u64::from(news.first_of_region);
        if entries.pairs.len() >= MOST && !entries.pairs.contains_key(&pair) {
            entries.is_full = true;
            return;
        }
        let new = (before.the_loop, done.the_loop, Regions::default());
        let regions = &mut entries.pairs.entry(pair).or_insert(new).2;
        regions.compared += u64::from(news.compared);
        let is_first = differs && regions.moved == 0;
        // In a region that the runtime does not name, too: at least that one.
        regions.moved += u64::from(news.moved || is_first);
        if is_first {
            entries.print_line(|| text::of_pair(before, done, who));
        }
    }
}

impl Entries {
    fn print_line(&mut self, line: impl FnOnce() -> String) {
        self.lines += 1;
        if self.lines <= MOST_LINES {
            text::print(&line());
        }
    }
}

/// What a comparison adds to what is known of a region.
#[derive(Debug, Clone, Copy, Default)]
struct News {
    first_of_region: bool,
    compared: bool,
    moved: bool,
}

impl News {
    fn is_any(self) -> bool {
        self.compared || self.moved
    }
}

impl Region {
    fn add_pair(&self, pair: Pair, differs: bool) -> News {
        let mut pairs = lock(&self.0);
        let first_of_region = pairs.is_empty();
        if pairs.len() >= MOST && !pairs.contains_key(&pair) {
            return News::default();
        }
        let before = pairs.get(&pair).copied();
        pairs.insert(pair, differs || before == Some(true));
        News { first_of_region, compared: before.is_none(), moved: differs && before != Some(true) }
    }
}

fn address(the_loop: &'static Known) -> usize {
    std::ptr::from_ref(the_loop).addr()
}

fn pair(before: &Execution, done: &Execution) -> Pair {
    let (left, right) = (address(before.the_loop), address(done.the_loop));
    (left.min(right), left.max(right))
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use ompt::raw::{CONSTRUCT_FOR, LoopRecord};

    /// A static loop of that line.
    pub(crate) fn known(line: u32) -> &'static Known {
        let record = LoopRecord {
            size: 64,
            abi_version: 3,
            construct: CONSTRUCT_FOR,
            bits: 32,
            flags: 0,
            schedule: 34,
            chunk: 0,
            start: 0,
            step: 0,
            line,
            column: 1,
            function: 0,
            file: 0,
            variable_bits: 0,
            fixed: 0,
            bound: 0,
            reserved: 0,
            group: 0,
        };
        Box::leak(Box::new(Known { record, function: "f".into(), file: "a.c".into() }))
    }

    fn ran(the_loop: &'static Known, ranges: &[(u64, u64)]) -> Execution {
        let mut execution = Execution::begin(the_loop, 10, (34, 0)).unwrap();
        for (first, last) in ranges {
            execution.own.add(*first, *last);
        }
        execution
    }

    const WHO: Who = Who { number: 1, threads: 2 };

    #[test]
    fn a_pair_counts_once_in_each_region() {
        let book = Book::default();
        let (left, right) = (known(1), known(2));
        let half = [(0, 4)];
        for other in [&half[..], &[(0, 4)], &[(0, 3), (9, 9)]] {
            let region = Region::default();
            for _thread in 0..3 {
                let (left, right) = (ran(left, &half), ran(right, other));
                book.compare(Some(&region), &left, &right, WHO);
                book.compare(Some(&region), &right, &left, WHO);
            }
        }
        let entries = book.read();
        let (_, _, regions) = entries.pairs.values().next().unwrap();
        assert_eq!((regions.compared, regions.moved), (3, 1));
        assert_eq!((entries.pairs.len(), entries.regions), (1, 3));
    }

    #[test]
    fn a_region_without_a_name_is_one_at_least() {
        let book = Book::default();
        let (left, right) = (known(1), known(2));
        for _ in 0..3 {
            book.compare(None, &ran(left, &[(0, 4)]), &ran(right, &[(5, 9)]), WHO);
        }
        let entries = book.read();
        let (_, _, regions) = entries.pairs.values().next().unwrap();
        assert_eq!((regions.compared, regions.moved), (0, 1));
    }
}
