//! Threads' parts become executions, and some of these are kept. What waits for its last thread is bounded.

use std::collections::{BTreeMap, VecDeque};

use crate::profile::lane::{LaneProfile, ProfiledShare};
use crate::profile::model::{Execution, First, KEPT, Profile, Thread};
use crate::profile::pieces::{Pieces, joined};
use crate::share::Occurrence;

/// Executions that may wait between two batches: a lane's block is in the file when it is full, so it is one block behind at most.
const MOST_WAITING: usize = 1 << 16;
const MOST_PIECES: usize = 1 << 22;

type Key = (u64, Occurrence, u32);

pub(crate) struct Gather<'a> {
    part: usize,
    lossy: bool,
    ns_per_tick: f64,
    reading_ns: f64,
    /// One of so many is kept, by loop.
    every: &'a [u64],
    to: &'a mut [Profile],
    waiting: BTreeMap<Key, Vec<ProfiledShare>>,
    order: VecDeque<Key>,
    pieces: usize,
    begun: Vec<bool>,
}

impl<'a> Gather<'a> {
    pub(crate) fn new(
        (part, lossy): (usize, bool),
        (ns_per_tick, reading_ns): (f64, f64),
        every: &'a [u64],
        to: &'a mut [Profile],
    ) -> Gather<'a> {
        Gather {
            part,
            lossy,
            ns_per_tick,
            reading_ns,
            every,
            begun: vec![false; to.len()],
            to,
            waiting: BTreeMap::new(),
            order: VecDeque::new(),
            pieces: 0,
        }
    }

    pub(crate) fn take(&mut self, lanes: &mut [LaneProfile<'_>]) {
        for lane in lanes {
            for (slot, facts) in lane.facts.drain(..) {
                self.to[slot].facts = facts;
            }
            for slot in lane.without_chunks.drain(..) {
                self.to[slot].without_chunks += 1;
            }
            for part in lane.parts.drain(..) {
                self.add(part);
            }
        }
        // Only now: the lanes of a batch come one after the other, and all executions of it wait for the last one.
        while self.waiting.len() > MOST_WAITING || self.pieces > MOST_PIECES {
            if !self.give_up() {
                return;
            }
        }
    }

    fn add(&mut self, part: ProfiledShare) {
        if part.region == 0 || part.team_size <= 1 {
            self.done(vec![part]);
            return;
        }
        let key = (part.region, part.occurrence, part.number);
        self.pieces += weight(&part);
        let team = part.team_size as usize;
        let parts = self.waiting.entry(key).or_insert_with(|| {
            self.order.push_back(key);
            Vec::new()
        });
        parts.push(part);
        if parts.len() >= team {
            let parts = self.waiting.remove(&key).unwrap_or_default();
            self.pieces -= parts.iter().map(weight).sum::<usize>();
            self.done(parts);
        }
        // What is done stays in the queue until the oldest is.
        while let Some(first) = self.order.front() {
            if self.waiting.contains_key(first) {
                break;
            }
            self.order.pop_front();
        }
    }

    fn give_up(&mut self) -> bool {
        while let Some(key) = self.order.pop_front() {
            if let Some(parts) = self.waiting.remove(&key) {
                self.pieces -= parts.iter().map(weight).sum::<usize>();
                self.to[parts[0].slot].incomplete += 1;
                return true;
            }
        }
        false
    }

    pub(crate) fn finish(&mut self) {
        while self.give_up() {}
    }

    fn done(&mut self, parts: Vec<ProfiledShare>) {
        let Some(slot) = parts.first().map(|part| part.slot) else { return };
        let is_first = !std::mem::replace(&mut self.begun[slot], true);
        if parts.iter().any(|part| part.costly) && !parts.iter().any(|part| part.broken) {
            self.to[slot].unprofiled += 1;
            return;
        }
        let is_whole = !self.lossy && !parts.iter().any(|part| part.broken);
        let are_many = parts.iter().any(|part| matches!(part.pieces, Pieces::Many(_)));
        let is_stock = !self.to[slot].facts.instrumented;
        match self.assembled(parts, is_first) {
            Some(execution) => self.keep(slot, execution),
            // Counted by the program's own values, whose first one is not known then.
            None if is_whole && is_stock && are_many => self.to[slot].without_chunks += 1,
            None if is_whole => self.to[slot].partial += 1,
            None => self.to[slot].incomplete += 1,
        }
    }

    /// `None`: something is missing.
    fn assembled(&self, mut parts: Vec<ProfiledShare>, is_first: bool) -> Option<Execution> {
        let (slot, trips, work) = parts.first().map(|part| (part.slot, part.trips, part.work))?;
        let begin = parts.iter().map(|part| part.begin).min()?;
        let end = parts.iter().map(|part| part.end).max()?;
        let broken = parts.iter().any(|part| part.broken || part.trips != trips);
        if broken || end < begin {
            return None;
        }
        // As the team counts them, so that each has the block that it would have again.
        parts.sort_by_key(|part| (part.index, part.thread));
        let taken = |part: &mut ProfiledShare| std::mem::take(&mut part.pieces);
        let pieces = parts.iter_mut().map(taken).collect();
        let pieces = joined(trips, pieces, self.ns_per_tick, !self.to[slot].facts.instrumented)?;
        let ns = |ticks: u64| ticks as f64 * self.ns_per_tick;
        let threads = parts.iter().map(|part| Thread {
            thread: part.thread,
            arrives_ns: ns(part.begin - begin),
            ends_ns: ns(part.end.saturating_sub(begin)),
            taken_ns: ns(part.taken),
        });
        Some(Execution {
            part: self.part,
            trips,
            work,
            threads: threads.collect(),
            elapsed_ns: ns(end - begin),
            reading_ns: self.reading_ns,
            chunks: parts.iter().map(|part| part.chunks).sum(),
            largest: parts.iter().map(|part| part.largest).max().unwrap_or(0),
            divided: parts.iter().any(|part| part.divided),
            nested: parts.iter().any(|part| part.nested),
            in_nested_team: parts.iter().any(|part| part.in_nested_team),
            first: is_first,
            dealing_ns: dealing(&parts).map(|ticks| (ticks * self.ns_per_tick - self.reading_ns).max(0.0)),
            pieces,
        })
    }

    /// Adds it up, and keeps it whole if it is one of those that are kept.
    fn keep(&mut self, slot: usize, execution: Execution) {
        let to = &mut self.to[slot];
        let wanted = to.complete % self.every[slot] == 0;
        to.complete += 1;
        to.elapsed_ns += execution.elapsed_ns;
        if execution.first {
            to.firsts.push(First {
                trips: execution.trips,
                threads: execution.threads.len(),
                elapsed_ns: execution.elapsed_ns,
            });
        }
        if wanted && (to.executions.len() as u64) < 2 * KEPT {
            to.executions.push(execution);
        }
    }
}

/// Ticks of bookkeeping per chunk; `None`: not that of all chunks was timed.
fn dealing(parts: &[ProfiledShare]) -> Option<f64> {
    let chunks: u64 = parts.iter().map(|part| part.chunks).sum();
    let timed: u64 = parts.iter().map(|part| part.timed.0).sum();
    let ticks: f64 = parts.iter().map(|part| part.timed.1 as f64).sum();
    (chunks > 0 && timed == chunks).then(|| ticks / chunks as f64)
}

fn weight(part: &ProfiledShare) -> usize {
    match &part.pieces {
        Pieces::Few(all) => all.len() + 1,
        Pieces::Many(_) => 1 << 13,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;

    /// Many short executions are in a batch: the second lane's come after all of the first one's.
    #[test]
    fn lanes_of_a_batch_come_one_after_the_other() {
        let wanted = HashMap::new();
        let executions = MOST_WAITING as u64 + 5;
        let lane = |thread: u32| {
            let mut lane = LaneProfile::new(&wanted);
            lane.parts.extend((1..=executions).map(|region| ProfiledShare {
                region,
                team_size: 2,
                thread,
                index: thread,
                begin: 10,
                end: 20,
                ..ProfiledShare::default()
            }));
            lane
        };
        let mut profiles = [Profile::default()];
        for lossy in [true, false] {
            let mut lanes = [lane(0), lane(1)];
            // Some iterations of the last did not run.
            lanes.iter_mut().for_each(|lane| lane.parts.last_mut().unwrap().trips = 5);
            let mut gather = Gather::new((0, lossy), (1.0, 0.0), &[1], &mut profiles);
            gather.take(&mut lanes);
            gather.finish();
        }
        let [profile] = profiles;
        assert_eq!((profile.complete, profile.incomplete, profile.partial), (2 * executions - 2, 1, 1));
    }
}
