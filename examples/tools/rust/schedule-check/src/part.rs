//! A thread's part of a parallel region: what it ran there of each loop.

use std::collections::HashMap;
use std::sync::Arc;

use crate::book::Region;
use crate::execution::{Execution, Who};
use crate::promise::Promise;

/// Most executions that are kept of a thread in a region.
const MOST: usize = 512;

/// The tool's value of an implicit task.
#[derive(Debug, Default)]
pub(crate) struct Part {
    /// None where the runtime does not say which.
    pub(crate) region: Option<Arc<Region>>,
    pub(crate) who: Who,
    /// A loop that the runtime has begun, and of which the plugin's code has told nothing yet.
    pub(crate) begun: Option<Begun>,
    /// The loop that the thread is in.
    pub(crate) open: Option<Execution>,
    seen: HashMap<(Promise, u64), Vec<Execution>>,
    kept: usize,
    /// Executions were forgotten: there were too many.
    pub(crate) forgot: bool,
}

/// What the runtime says of a loop that begins.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Begun {
    /// How many iterations it has.
    pub(crate) count: u64,
    /// The return address of the call into the runtime.
    pub(crate) code: usize,
}

impl Part {
    pub(crate) fn new(region: Option<Arc<Region>>, who: Who) -> Part {
        Part { region, who, ..Part::default() }
    }

    /// The latest executions of the loops that promise the thread the same iterations as this one.
    pub(crate) fn promised_with(&self, done: &Execution) -> &[Execution] {
        let key = (done.promise, done.count);
        match done.promise {
            Promise::Unknown => &[],
            _ => self.seen.get(&key).map_or(&[], Vec::as_slice),
        }
    }

    /// Keeps it for those that come, in place of the one before of the same loop.
    pub(crate) fn keep(&mut self, done: Execution) {
        if done.promise == Promise::Unknown {
            return;
        }
        let key = (done.promise, done.count);
        let alike = self.seen.entry(key).or_default();
        let is_the_loop = |before: &&mut Execution| std::ptr::eq(before.the_loop, done.the_loop);
        if let Some(before) = alike.iter_mut().find(is_the_loop) {
            *before = done;
            return;
        }
        if self.kept >= MOST {
            self.seen.clear();
            (self.kept, self.forgot) = (0, true);
        }
        self.seen.entry(key).or_default().push(done);
        self.kept += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::book::tests::known;

    fn done(line: u32, count: u64) -> Execution {
        Execution::begin(known(line), count, (34, 0)).unwrap()
    }

    #[test]
    fn the_latest_of_each_loop_with_as_many_iterations() {
        let mut part = Part::default();
        let (first, second) = (done(1, 10), done(2, 10));
        part.keep(first.clone());
        part.keep(first.clone());
        part.keep(done(3, 11));
        assert_eq!(part.promised_with(&second).len(), 1);
        part.keep(second.clone());
        assert_eq!(part.promised_with(&first).len(), 2);
        assert!(part.promised_with(&done(1, 12)).is_empty());
        assert!(!part.forgot);
    }

    #[test]
    fn memory_has_a_bound_and_says_so() {
        let mut part = Part::default();
        let the_loop = done(1, 0);
        for count in 0..10_000 {
            let mut of_so_many = the_loop.clone();
            of_so_many.count = count;
            part.keep(of_so_many);
            assert!(part.kept <= MOST);
        }
        assert!(part.forgot);
    }
}
