//! Executions of a phase of which not all threads have told their part. Nearly always there is one, which takes no memory of
//! its own: what a phase has used is used again.

use std::collections::BTreeMap;

use crate::share::Share;

/// By occurrence and loop.
type Key = (u64, u32);

/// An execution, as far as it was told.
#[derive(Debug, Default)]
pub(crate) struct Pending {
    pub(crate) shares: Vec<Share>,
    pub(crate) nested: bool,
}

/// Those of a phase.
#[derive(Debug, Default)]
pub(crate) struct AllPending {
    one: Option<(Key, Pending)>,
    others: BTreeMap<Key, Pending>,
    /// For the next.
    spare: Vec<Vec<Share>>,
}

/// So many are kept for the next.
const SPARE: usize = 4;

impl AllPending {
    pub(crate) fn len(&self) -> usize {
        usize::from(self.one.is_some()) + self.others.len()
    }

    /// Adds a thread's part. Gives the execution once all parts are there, and says whether it is the first.
    pub(crate) fn add(&mut self, share: &Share) -> (bool, Option<Pending>) {
        let key = (share.occurrence.nth, share.the_loop);
        let is_one = self.one.as_ref().is_some_and(|(execution, _)| *execution == key);
        let is_new = !is_one && (self.others.is_empty() || !self.others.contains_key(&key));
        let new = |spare: &mut Vec<Vec<Share>>| Pending { shares: spare.pop().unwrap_or_default(), nested: false };
        let pending = if is_one || (is_new && self.one.is_none()) {
            let spare = &mut self.spare;
            &mut self.one.get_or_insert_with(|| (key, new(spare))).1
        } else {
            let spare = &mut self.spare;
            self.others.entry(key).or_insert_with(|| new(spare))
        };
        pending.shares.push(*share);
        // The thread that began the region is in the other loop's chunk.
        pending.nested |= share.nested;
        if (pending.shares.len() as u64) < u64::from(pending.shares[0].team_size) {
            return (is_new, None);
        }
        let whole = match self.one.take_if(|(execution, _)| *execution == key) {
            Some((_, execution)) => Some(execution),
            None => self.others.remove(&key),
        };
        (is_new, whole)
    }

    /// Gives back what an execution has used.
    pub(crate) fn give_back(&mut self, mut pending: Pending) {
        if self.spare.len() < SPARE {
            pending.shares.clear();
            self.spare.push(pending.shares);
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
