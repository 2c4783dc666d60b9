//! Tasks that begin behind what they depend on. A runtime tells a `taskwait` for such as a task that does not run: it
//! is created, with its dependences, and is over.

use ompt::raw::Dependence;

use super::{Paths, Strand, What};
use crate::tasks::order::Order;
use crate::tasks::record::Record;

impl Paths {
    /// What the thread runs is ordered by something that is not told.
    pub(crate) fn loses_span(&self) {
        if let Some(team) = self.around().team {
            team.is_lost();
        }
    }

    pub(crate) fn depends(&self, word: usize, created: *mut Record, dependences: &[Dependence]) {
        let Some(creator) = self.running() else { return };
        // SAFETY: null, or of a task that has not begun.
        if let Some(child) = unsafe { created.as_ref() } {
            child.order.change(|child| creator.order.change(|order| order.child_depends(child, dependences)));
        } else if self.innermost_waits_for_some(word) {
            creator.order.change(|order| order.waits(dependences));
        }
    }

    pub(crate) fn wait_for_some_begins(&mut self, now: u64, word: usize) {
        self.goes_on(now);
        if let Some(record) = self.running() {
            record.order.change(Order::expects_to_wait);
        }
        self.push(now, What::WaitForSome(word), std::ptr::null_mut());
    }

    /// It is over. Gives how long the thread really waited.
    pub(crate) fn wait_for_some_ends(&mut self, now: u64, word: usize) -> Option<u64> {
        let place = self.place_of(|what| matches!(what, What::WaitForSome(of) if of == word))?;
        self.pass(now);
        self.cut(place + 1);
        let waited = self.strands.pop()?.ticks;
        let record = self.strands.last().and_then(Strand::runs)?;
        match record.order.change(Order::has_waited) {
            Some(path) => record.waits_for(path),
            None => self.loses_span(),
        }
        Some(waited)
    }

    /// All has lasted until now, and the innermost does something: its `taskwait` is over if the runtime did not say so.
    pub(super) fn goes_on(&mut self, now: u64) {
        self.pass(now);
        if self.strands.last().is_some_and(|innermost| matches!(innermost.what, What::WaitForSome(_))) {
            self.strands.pop();
            self.loses_span();
        }
    }

    fn innermost_waits_for_some(&self, word: usize) -> bool {
        self.strands.last().is_some_and(|innermost| matches!(innermost.what, What::WaitForSome(of) if of == word))
    }
}
