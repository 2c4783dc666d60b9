//! Joins threads' parts of an execution. A lane's block is in the file when it is full, so a lane is one block behind at most and few
//! executions wait for their last thread; what waits is bounded, for traces in which the last thread never comes.

use std::collections::BTreeMap;

use crate::merge::{Lengths, Merge};
use crate::phase::{Leave, Phase, Times};
use crate::share::Share;
use crate::shown_executions::{Chosen, Run};
use crate::stretches::Stretches;
use crate::task::ByNumber;

/// Executions that may wait: more than there are in a block of the usual size.
const MOST_WAITING: usize = 1 << 16;
/// Phases that are kept for the next, ...
const SPARE: usize = 256;
/// ... and executions of each.
const SPARE_OF_PHASE: usize = 4;

/// A loop's executions, added up, in ticks. Only those of which every thread's part is there.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Executions {
    pub(crate) count: u64,
    pub(crate) incomplete: u64,
    /// What they took, as [`Phase`] apportions it.
    pub(crate) times: Times,
    pub(crate) trips: Option<[u64; 2]>,
    pub(crate) team: Option<[u32; 2]>,
    pub(crate) chosen: Chosen,
    /// Thread time in chunks and in the recorder beside them, and what of both was taken from the threads.
    pub(crate) busy: u64,
    pub(crate) taken: u64,
    /// The first: begin and length.
    pub(crate) first: Option<(u64, u64)>,
    /// From first begin to last end, less what one thread was off its core at most; more than `time` where loops overlap.
    pub(crate) elapsed: u64,
    pub(crate) stretches: Stretches,
    /// Executions in which the average thread works much less than the busiest.
    pub(crate) uneven: u64,
    /// Time to begin the regions in which it comes first.
    pub(crate) starts: Lengths,
    /// Executions within a chunk of another loop ...
    pub(crate) nested: u64,
    /// Executions of which the runtime tells some chunks only.
    pub(crate) without_chunks: u64,
    /// ... and the time of the others.
    pub(crate) outermost: f64,
    pub(crate) waits: BTreeMap<u32, u64>,
    pub(crate) work: u32,
}

/// Less of the busiest thread's work, and an execution is uneven.
const EVEN: f64 = 0.8;

/// What a team does between two barriers: the executions that are not complete yet, and the phase of those that are.
#[derive(Debug, Default)]
struct Between {
    waiting: AllPending,
    phase: Phase,
}

#[derive(Debug, Default)]
pub(crate) struct Join {
    /// Something was lost or the end is missing: an execution is complete if all its iterations are there.
    lossy: bool,
    /// By region and barriers that were passed: the oldest first.
    between: BTreeMap<(u64, u64), Box<Between>>,
    #[expect(clippy::vec_box, reason = "a box goes back and forth between the two")]
    spare: Vec<Box<Between>>,
    waiting: usize,
    pub(crate) loops: ByNumber<Executions>,
}

impl Join {
    pub(crate) fn new(lossy: bool) -> Join {
        Join { lossy, ..Join::default() }
    }

    pub(crate) fn add(&mut self, share: &Share) {
        if share.region == 0 || share.team_size <= 1 {
            let mut phase = Phase::default();
            self.done(&[*share], share.nested, &mut phase);
            self.apportion(&mut phase);
            return;
        }
        let key = (share.region, share.occurrence.barriers);
        let spare = &mut self.spare;
        let between = self.between.entry(key).or_insert_with(|| spare.pop().unwrap_or_default());
        let (is_new, whole) = between.waiting.add(share);
        self.waiting += usize::from(is_new);
        if let Some(execution) = whole {
            self.waiting -= 1;
            let mut phase = std::mem::take(&mut between.phase);
            self.done(&execution.shares, execution.nested, &mut phase);
            if let Some(between) = self.between.get_mut(&key) {
                between.phase = phase;
                between.waiting.give_back(execution);
            }
        } else if self.waiting + self.between.len() > MOST_WAITING {
            self.give_up();
        }
    }

    /// A thread has come to the end of a phase. All its shares were added before.
    pub(crate) fn leave(&mut self, leave: Leave) {
        let key = (leave.region, leave.barriers);
        // Where it was given up, it is not begun again.
        let Some(between) = self.between.get_mut(&key) else { return };
        between.phase.leaves(leave);
        if !between.phase.is_over() {
            return;
        }
        if let Some(between) = self.between.remove(&key) {
            self.settle(between);
        }
    }

    pub(crate) fn finish(&mut self) {
        while self.give_up() {}
    }

    fn give_up(&mut self) -> bool {
        let Some((_, between)) = self.between.pop_first() else { return false };
        self.settle(between);
        true
    }

    fn settle(&mut self, mut between: Box<Between>) {
        self.waiting -= between.waiting.len();
        let loops = &mut self.loops;
        between.waiting.clear(|the_loop| loops.entry(the_loop).or_default().incomplete += 1);
        self.apportion(&mut between.phase);
        if self.spare.len() < SPARE {
            between.phase.clear();
            self.spare.push(between);
        }
    }

    fn apportion(&mut self, phase: &mut Phase) {
        phase.apportion(|portion| {
            let loops = self.loops.entry(portion.the_loop).or_default();
            loops.times.take_in(&portion.times);
            if !portion.nested {
                loops.outermost += portion.times.time;
            }
            if let Some(start) = portion.start {
                loops.starts.take_in(&Lengths { count: 1, ticks: start, longest: start });
            }
            for (thread, wait) in &portion.waits {
                loops.waits.entry(*thread).or_default().take_in(wait);
            }
        });
    }

    fn done(&mut self, shares: &[Share], nested: bool, phase: &mut Phase) {
        let Some(first) = shares.first() else { return };
        let iterations = shares.iter().map(|share| share.iterations).fold(0, u64::wrapping_add);
        // Where threads did not agree, those that told their chunks are not all there is.
        let is_costly = shares.iter().any(|share| share.costly);
        let misses_iterations = self.lossy && !is_costly && first.told && iterations != first.count;
        let is_whole = !misses_iterations && shares.iter().all(|share| share.whole);
        let loops = self.loops.entry(first.the_loop).or_default();
        loops.work = first.work;
        // Who has no chunk has none where the others have all iterations.
        let is_told = is_costly || iterations == first.count || shares.iter().all(|share| share.told);
        loops.without_chunks += u64::from(!is_told);
        let run = Run::from_shares(shares);
        if is_whole {
            phase.executed(shares, nested);
            loops.add_execution(first, shares, run, nested);
        } else {
            loops.incomplete += 1;
            loops.chosen.misses(run);
        }
    }
}

impl Executions {
    fn add_execution(&mut self, first: &Share, shares: &[Share], run: Run, nested: bool) {
        let length = run.ticks().saturating_sub(shares.iter().map(Share::not_work).max().unwrap_or(0));
        self.count += 1;
        self.nested += u64::from(nested);
        self.elapsed.take_in(&length);
        self.stretches.add_execution(shares);
        for share in shares {
            self.busy += share.busy + share.off.beside;
            self.taken += share.off.taken() + share.off.beside;
        }
        self.uneven += u64::from(is_uneven(first, shares));
        self.trips.take_in(&Some([first.count; 2]));
        self.team.take_in(&Some([first.team_size; 2]));
        self.chosen.consider(run, shares);
        if self.first.is_none_or(|(begin, _)| run.begin < begin) {
            self.first = Some((run.begin, length));
        }
    }
}

/// Those of another number of the same loop.
impl Merge for Executions {
    fn take_in(&mut self, other: &Executions) {
        merge_fields!(
            self, other: count, incomplete, times, trips, team, chosen, busy, taken, elapsed, stretches, uneven, starts, nested,
            without_chunks, outermost, waits; max work
        );
        self.first = self.first.into_iter().chain(other.first).min();
    }
}

/// Whether the average thread works much less than the busiest; where the runtime deals, also by the clock.
fn is_uneven(first: &Share, shares: &[Share]) -> bool {
    let is_uneven_in = |of: fn(&Share) -> u64| {
        let busiest = shares.iter().map(of).max().unwrap_or(0);
        let sum: u64 = shares.iter().map(of).sum();
        (sum as f64) < busiest as f64 * f64::from(first.team_size) * EVEN
    };
    is_uneven_in(Share::work) && (!first.is_dealt() || is_uneven_in(|share| share.busy))
}

type Key = (u64, u32);

#[derive(Debug, Default)]
pub(crate) struct Pending {
    pub(crate) shares: Vec<Share>,
    pub(crate) nested: bool,
}

/// Executions of which not all threads have told their part: nearly always one, so what a phase has used is used again.
#[derive(Debug, Default)]
pub(crate) struct AllPending {
    one: Option<(Key, Pending)>,
    others: BTreeMap<Key, Pending>,
    spare: Vec<Vec<Share>>,
}

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

    pub(crate) fn give_back(&mut self, mut pending: Pending) {
        if self.spare.len() < SPARE_OF_PHASE {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::share::Occurrence;

    fn share(region: u64, ordinal: u64, busy: u64) -> Share {
        Share {
            region,
            occurrence: Occurrence { barriers: 0, nth: ordinal },
            thread: u32::from(busy != 30),
            ..Share::of_test(10, 10 + busy)
        }
    }

    #[test]
    fn an_execution_is_what_all_threads_did() {
        let mut join = Join::default();
        join.add(&share(1, 0, 30));
        join.add(&share(1, 1, 10));
        join.add(&share(1, 0, 10));
        join.finish();
        let found = &join.loops[&1];
        assert_eq!((found.count, found.times.time), (1, 30.0));
        assert_eq!((found.times.busiest, found.times.average), (30.0, 20.0));
        let longest = Run { begin: 10, end: 40, region: 1 };
        assert_eq!(found.chosen.longest, Some(longest));
        assert_eq!(found.chosen.uneven, Some((2.0 / 3.0, longest)));
        assert_eq!(found.incomplete, 1);
    }

    #[test]
    fn who_is_alone_waits_for_nobody() {
        for alone in [Share { region: 0, ..share(1, 0, 30) }, Share { team_size: 1, ..share(1, 0, 30) }] {
            let mut join = Join::default();
            join.add(&alone);
            assert_eq!((join.waiting, join.between.len(), join.loops[&1].times.time), (0, 0, 30.0));
        }
    }

    #[test]
    fn a_lost_core_makes_no_dealt_loop_uneven() {
        let is_uneven = |work: u32| {
            let mut shares = [Share { work, ..share(1, 0, 30) }, Share { work, ..share(1, 0, 30) }];
            shares[0].off.preempted = 25;
            super::is_uneven(&shares[0], &shares)
        };
        assert_eq!((is_uneven(10), is_uneven(11)), (true, false));
    }

    #[test]
    fn what_waits_is_bounded() {
        let mut join = Join::default();
        for ordinal in 0..(MOST_WAITING as u64 + 5) {
            join.add(&share(1 + ordinal, 0, 1));
        }
        assert!(join.waiting + join.between.len() <= MOST_WAITING);
        join.finish();
        assert_eq!(join.loops[&1].incomplete, MOST_WAITING as u64 + 5);
    }

    #[test]
    fn where_something_was_lost_all_iterations_are_wanted() {
        let mut join = Join::new(true);
        join.add(&share(1, 0, 30));
        join.add(&Share { iterations: 4, ..share(1, 0, 10) });
        assert_eq!((join.loops[&1].count, join.loops[&1].incomplete), (0, 1));
    }
}
