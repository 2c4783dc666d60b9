//! From the threads' parts of an execution to the execution. A lane's block is in the file when it is full, so
//! a lane is one block behind the others at most, and few executions wait for their last thread; what waits is
//! bounded, for traces in which the last thread never comes.

use std::collections::{BTreeMap, HashMap};

use crate::lane::Share;

/// Executions that may wait: more than there are in a block of the usual size.
const MOST_WAITING: usize = 1 << 16;

/// A loop's executions, added up, in ticks. Only those of which every thread's part is there.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Executions {
    pub(crate) count: u64,
    /// Executions that are not added up, because something of them is missing.
    pub(crate) incomplete: u64,
    /// From the first thread's begin to the last thread's end.
    pub(crate) time: u64,
    /// The same times the number of threads.
    pub(crate) capacity: u64,
    pub(crate) busy: u64,
    /// Work of the busiest thread.
    pub(crate) busiest: u64,
    /// Work of the average thread.
    pub(crate) average: f64,
    pub(crate) trips: Option<(u64, u64)>,
    pub(crate) team: Option<(u32, u32)>,
    /// Threads that ran no chunk.
    pub(crate) idle: u64,
    /// The longest: begin, end, region.
    pub(crate) longest: Option<(u64, u64, u64)>,
    pub(crate) work: u32,
}

#[derive(Debug, Default)]
struct Waiting {
    shares: u32,
    team_size: u32,
    begin: u64,
    end: u64,
    busy: u64,
    busiest: u64,
    iterations: u64,
    count: u64,
    idle: u64,
    told: bool,
    whole: bool,
    work: u32,
}

/// Executions that are not complete yet.
#[derive(Debug, Default)]
pub(crate) struct Join {
    /// Something was lost or the end is missing: an execution is complete if all its iterations are there.
    lossy: bool,
    /// By region, place in it, and loop: the oldest first.
    waiting: BTreeMap<(u64, (u64, u64), u32), Waiting>,
    pub(crate) loops: HashMap<u32, Executions>,
}

impl Join {
    pub(crate) fn new(lossy: bool) -> Join {
        Join {
            lossy,
            ..Join::default()
        }
    }

    pub(crate) fn add(&mut self, share: &Share) {
        if share.region == 0 || share.team_size <= 1 {
            let mut alone = Waiting::default();
            alone.add(share);
            self.done(share.the_loop, share.region, &alone);
            return;
        }
        let key = (share.region, share.place, share.the_loop);
        let execution = self.waiting.entry(key).or_default();
        execution.add(share);
        if execution.shares >= execution.team_size {
            let execution = self.waiting.remove(&key).unwrap_or_default();
            self.done(share.the_loop, share.region, &execution);
        } else if self.waiting.len() > MOST_WAITING {
            self.give_up();
        }
    }

    /// All has been read.
    pub(crate) fn finish(&mut self) {
        while self.give_up() {}
    }

    /// The oldest waits in vain.
    fn give_up(&mut self) -> bool {
        let Some(((_, _, the_loop), _)) = self.waiting.pop_first() else {
            return false;
        };
        self.loops.entry(the_loop).or_default().incomplete += 1;
        true
    }

    fn done(&mut self, the_loop: u32, region: u64, it: &Waiting) {
        let loops = self.loops.entry(the_loop).or_default();
        loops.work = it.work;
        let missing = self.lossy && it.told && it.iterations != it.count;
        if !it.whole || missing {
            loops.incomplete += 1;
            return;
        }
        let time = it.end.saturating_sub(it.begin);
        loops.count += 1;
        loops.time = loops.time.saturating_add(time);
        loops.capacity = loops
            .capacity
            .saturating_add(time.saturating_mul(it.team_size.into()));
        loops.busy = loops.busy.saturating_add(it.busy);
        loops.busiest = loops.busiest.saturating_add(it.busiest);
        loops.average += it.busy as f64 / f64::from(it.team_size);
        loops.idle += it.idle;
        loops.trips = Some(widen(loops.trips, it.count));
        loops.team = Some(widen(loops.team, it.team_size));
        if loops
            .longest
            .is_none_or(|(begin, end, _)| time > end - begin)
        {
            loops.longest = Some((it.begin, it.begin + time, region));
        }
    }
}

impl Waiting {
    fn add(&mut self, share: &Share) {
        if self.shares == 0 {
            *self = Waiting {
                team_size: share.team_size,
                begin: share.begin,
                count: share.count,
                told: share.told,
                whole: true,
                work: share.work,
                ..Waiting::default()
            };
        }
        self.shares += 1;
        self.begin = self.begin.min(share.begin);
        self.end = self.end.max(share.end);
        self.busy += share.busy;
        self.busiest = self.busiest.max(share.busy);
        self.iterations = self.iterations.wrapping_add(share.iterations);
        self.whole &= share.whole;
        self.idle += u64::from(share.told && share.chunks == 0);
    }
}

impl Executions {
    /// Those of another number of the same loop.
    pub(crate) fn add(&mut self, other: &Executions) {
        self.count += other.count;
        self.incomplete += other.incomplete;
        self.time = self.time.saturating_add(other.time);
        self.capacity = self.capacity.saturating_add(other.capacity);
        self.busy = self.busy.saturating_add(other.busy);
        self.busiest = self.busiest.saturating_add(other.busiest);
        self.average += other.average;
        self.idle += other.idle;
        if let Some((low, high)) = other.trips {
            self.trips = Some(widen(Some(widen(self.trips, low)), high));
        }
        if let Some((low, high)) = other.team {
            self.team = Some(widen(Some(widen(self.team, low)), high));
        }
        let length = |it: &(u64, u64, u64)| it.1 - it.0;
        if other.longest.as_ref().map(length) > self.longest.as_ref().map(length) {
            self.longest = other.longest;
        }
        self.work = self.work.max(other.work);
    }
}

fn widen<T: Ord + Copy>(range: Option<(T, T)>, value: T) -> (T, T) {
    range.map_or((value, value), |(low, high)| {
        (low.min(value), high.max(value))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn share(region: u64, ordinal: u64, busy: u64) -> Share {
        Share {
            the_loop: 1,
            region,
            team_size: 2,
            place: (0, ordinal),
            thread: 0,
            begin: 10,
            end: 10 + busy,
            busy,
            chunks: 1,
            iterations: 5,
            count: 10,
            work: 10,
            told: true,
            whole: true,
        }
    }

    #[test]
    fn an_execution_is_what_all_threads_did() {
        let mut join = Join::default();
        join.add(&share(1, 0, 30));
        join.add(&share(1, 1, 10));
        join.add(&share(1, 0, 10));
        let found = &join.loops[&1];
        assert_eq!((found.count, found.time, found.capacity), (1, 30, 60));
        assert_eq!((found.busy, found.busiest, found.average), (40, 30, 20.0));
        assert_eq!(found.longest, Some((10, 40, 1)));
        join.finish();
        assert_eq!(join.loops[&1].incomplete, 1);
        assert_eq!(join.loops[&1].count, 1);
    }

    #[test]
    fn what_waits_is_bounded() {
        let mut join = Join::default();
        for ordinal in 0..(MOST_WAITING as u64 + 5) {
            join.add(&share(1, ordinal, 1));
        }
        assert_eq!(join.waiting.len(), MOST_WAITING);
        assert_eq!(join.loops[&1].incomplete, 5);
    }

    #[test]
    fn where_something_was_lost_all_iterations_are_wanted() {
        let mut join = Join::new(true);
        join.add(&share(1, 0, 30));
        join.add(&Share {
            iterations: 4,
            ..share(1, 0, 10)
        });
        assert_eq!((join.loops[&1].count, join.loops[&1].incomplete), (0, 1));
    }
}
