//! Executions of a phase of which not all threads have told their part. Nearly always there is one, which takes no memory of
//! its own: what a phase has used is used again.

use std::collections::BTreeMap;

use crate::share::Share;

/// By place and loop.
type Key = (u64, u32);

/// An execution, as far as it was told.
#[derive(Debug, Default)]
pub(crate) struct Waiting {
    pub(crate) shares: Vec<Share>,
    pub(crate) nested: bool,
}

/// Those of a phase.
#[derive(Debug, Default)]
pub(crate) struct AllWaiting {
    one: Option<(Key, Waiting)>,
    others: BTreeMap<Key, Waiting>,
    /// For the next.
    spare: Vec<Vec<Share>>,
}

/// So many are kept for the next.
const SPARE: usize = 4;

impl AllWaiting {
    pub(crate) fn len(&self) -> usize {
        usize::from(self.one.is_some()) + self.others.len()
    }

    /// Adds a thread's part. Gives the execution once all parts are there, and says whether it is the first.
    pub(crate) fn add(&mut self, share: &Share) -> (bool, Option<Waiting>) {
        let key = (share.place.1, share.the_loop);
        let is_one = self
            .one
            .as_ref()
            .is_some_and(|(execution, _)| *execution == key);
        let is_new = !is_one && (self.others.is_empty() || !self.others.contains_key(&key));
        let new = |spare: &mut Vec<Vec<Share>>| Waiting {
            shares: spare.pop().unwrap_or_default(),
            nested: false,
        };
        let waiting = if is_one || (is_new && self.one.is_none()) {
            let spare = &mut self.spare;
            &mut self.one.get_or_insert_with(|| (key, new(spare))).1
        } else {
            let spare = &mut self.spare;
            self.others.entry(key).or_insert_with(|| new(spare))
        };
        waiting.shares.push(*share);
        // The thread that began the region is in the other loop's chunk.
        waiting.nested |= share.nested;
        if (waiting.shares.len() as u64) < u64::from(waiting.shares[0].team_size) {
            return (is_new, None);
        }
        let whole = match self.one.take_if(|(execution, _)| *execution == key) {
            Some((_, execution)) => Some(execution),
            None => self.others.remove(&key),
        };
        (is_new, whole)
    }

    /// Gives back what an execution has used.
    pub(crate) fn give_back(&mut self, mut waiting: Waiting) {
        if self.spare.len() < SPARE {
            waiting.shares.clear();
            self.spare.push(waiting.shares);
        }
    }

    /// The loops of those that wait in vain; there are none afterwards.
    pub(crate) fn clear(&mut self, mut see: impl FnMut(u32)) {
        let one = self.one.take().into_iter();
        let others = std::mem::take(&mut self.others);
        for ((_, the_loop), execution) in one.chain(others) {
            see(the_loop);
            self.give_back(execution);
        }
    }
}
