//! How long executions of a loop take, in the order in which they end: added up in stretches of consecutive ones, so that it is seen
//! how their time changes in the course of a run, in memory that does not grow with their number.

use crate::merge::Merge;
use crate::share::Share;

/// Stretches that are kept. When there are more, neighbours are put together.
const MOST: usize = 64;

/// Consecutive executions, in ticks.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Stretch {
    pub(crate) begin: u64,
    pub(crate) count: u64,
    /// From first begin to last end without the recorder, added up.
    pub(crate) elapsed: f64,
    /// What of it was not taken from the threads.
    pub(crate) own: f64,
}

#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Stretches {
    /// By begin, once others were added.
    all: Vec<Stretch>,
    /// How often neighbours were put together: a full stretch has two to the power of this.
    doubled: u32,
    /// Iterations of all executions, and the threads of their teams.
    pub(crate) iterations: f64,
    pub(crate) threads: f64,
}

impl Stretches {
    /// An execution, of which all threads' shares are there.
    pub(crate) fn add_execution(&mut self, shares: &[Share]) {
        let Some(first) = shares.first() else { return };
        self.iterations += first.count as f64;
        self.threads += f64::from(first.team_size.max(1));
        self.put(Stretch {
            begin: shares.iter().map(|share| share.begin).min().unwrap_or(0),
            count: 1,
            elapsed: elapsed(shares) as f64,
            own: own(shares),
        });
    }

    pub(crate) fn all(&self) -> &[Stretch] {
        &self.all
    }

    fn put(&mut self, stretch: Stretch) {
        match self.all.last_mut() {
            Some(open) if open.count < 1 << self.doubled => open.take_in(&stretch),
            _ => self.all.push(stretch),
        }
        if self.all.len() > MOST {
            self.halve();
        }
    }

    fn halve(&mut self) {
        let pairs = self.all.chunks(2).map(|pair| {
            let mut both = pair[0];
            pair[1..].iter().for_each(|second| both.take_in(second));
            both
        });
        self.all = pairs.collect();
        // 2^40 executions take months.
        self.doubled = (self.doubled + 1).min(40);
    }
}

impl Merge for Stretches {
    fn take_in(&mut self, more: &Stretches) {
        merge_fields!(self, more: iterations, threads; max doubled);
        self.all.extend(&more.all);
        self.all.sort_by_key(|stretch| stretch.begin);
        while self.all.len() > MOST {
            self.halve();
        }
    }
}

impl Merge for Stretch {
    fn take_in(&mut self, more: &Stretch) {
        self.begin = self.begin.min(more.begin);
        merge_fields!(self, more: count, elapsed, own);
    }
}

/// From the first begin to the last end, less the recorder's own work on the thread with most of it.
fn elapsed(shares: &[Share]) -> u64 {
    let begin = shares.iter().map(|share| share.begin).min().unwrap_or(0);
    let end = shares.iter().map(|share| share.end).max().unwrap_or(0);
    let recorder = |share: &Share| share.off.recorder.saturating_add(share.between.recorder);
    end.saturating_sub(begin).saturating_sub(shares.iter().map(recorder).max().unwrap_or(0))
}

/// What it would have taken if threads had kept their cores: the longest that a thread was in it and on its core. Where chunks are
/// dealt, a thread that loses its core leaves its chunks to others, so there it is the average thread's.
fn own(shares: &[Share]) -> f64 {
    let on_core = |share: &Share| {
        let inside = share.end.saturating_sub(share.begin);
        [share.off, share.between]
            .iter()
            .fold(inside, |rest, off| rest.saturating_sub(off.taken().saturating_add(off.outside())))
    };
    if shares.iter().any(Share::is_dealt) {
        let sum: f64 = shares.iter().map(|share| on_core(share) as f64).sum();
        return sum / shares.len().max(1) as f64;
    }
    shares.iter().map(on_core).max().unwrap_or(0) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn share(begin: u64, end: u64, preempted: u64) -> Share {
        let mut share = Share::of_test(begin, end);
        share.off.preempted = preempted;
        share
    }

    #[test]
    fn what_was_taken_is_no_own_time() {
        let mut stretches = Stretches::default();
        stretches.add_execution(&[share(100, 160, 20), share(110, 155, 0)]);
        let [found] = stretches.all() else { panic!("{stretches:?}") };
        assert_eq!((found.elapsed, found.own), (60.0, 45.0));
        assert_eq!((stretches.iterations, stretches.threads), (10.0, 2.0));
    }

    /// The other thread does what this one would have done.
    #[test]
    fn where_chunks_are_dealt_all_pay_for_what_was_taken() {
        let dealt = |end, preempted| Share { work: 12, ..share(100, end, preempted) };
        let mut stretches = Stretches::default();
        stretches.add_execution(&[dealt(160, 20), dealt(160, 0)]);
        assert_eq!(stretches.all()[0].own, 50.0);
    }

    #[test]
    fn many_executions_take_no_more_room_and_none_is_left_out() {
        let mut stretches = Stretches::default();
        for number in 0..100_001_u64 {
            stretches.add_execution(&[share(number * 100, number * 100 + 10, 0)]);
            assert!(stretches.all().len() <= MOST);
        }
        let all = stretches.all();
        assert!(all.len() > MOST / 4);
        assert_eq!(all.iter().map(|stretch| stretch.count).sum::<u64>(), 100_001);
        assert_eq!(all.iter().map(|stretch| stretch.elapsed).sum::<f64>(), 1_000_010.0);
        let full = &all[..all.len() - 1];
        assert!(full.iter().all(|stretch| stretch.count == full[0].count));
    }

    #[test]
    fn two_numbers_of_a_loop_are_in_the_order_of_their_executions() {
        let (mut odd, mut even) = (Stretches::default(), Stretches::default());
        for number in 0..100_u64 {
            let to = if number % 2 == 0 { &mut even } else { &mut odd };
            to.add_execution(&[share(number * 100, number * 100 + 10, 0)]);
        }
        even.take_in(&odd);
        assert!(even.all().len() <= MOST);
        assert_eq!(even.all().iter().map(|stretch| stretch.count).sum::<u64>(), 100);
        assert!(even.all().windows(2).all(|pair| pair[0].begin < pair[1].begin));
        let nothing = Stretches::default();
        let mut found = Stretches::default();
        found.take_in(&nothing);
        assert_eq!(found, nothing);
    }
}
