//! Threads' parts become executions, and some of these are kept. What waits for its last thread is bounded.

use std::collections::{BTreeMap, VecDeque};

use crate::profile::lane::{Lane, Part};
use crate::profile::model::{Execution, First, KEPT, Profile, Thread};
use crate::profile::pieces::{Pieces, joined};

/// Executions that may wait: a lane's block is in the file when it is full.
const MOST_WAITING: usize = 1 << 14;
/// Pieces that they may have.
const MOST_PIECES: usize = 1 << 22;

/// Region, place in it, loop.
type Key = (u64, (u64, u64), u32);

/// Executions of one part of the trace.
pub(crate) struct Gather<'a> {
    part: usize,
    ns_per_tick: f64,
    reading_ns: f64,
    /// One of so many is kept, by loop.
    every: &'a [u64],
    to: &'a mut [Profile],
    waiting: BTreeMap<Key, Vec<Part>>,
    order: VecDeque<Key>,
    chunks: usize,
    /// Loops of which an execution was seen.
    begun: Vec<bool>,
}

impl<'a> Gather<'a> {
    pub(crate) fn new(
        part: usize,
        (ns_per_tick, reading_ns): (f64, f64),
        every: &'a [u64],
        to: &'a mut [Profile],
    ) -> Gather<'a> {
        Gather {
            part,
            ns_per_tick,
            reading_ns,
            every,
            begun: vec![false; to.len()],
            to,
            waiting: BTreeMap::new(),
            order: VecDeque::new(),
            chunks: 0,
        }
    }

    /// What lanes have to tell.
    pub(crate) fn take(&mut self, lanes: &mut [Lane<'_>]) {
        for lane in lanes {
            for (slot, facts) in lane.facts.drain(..) {
                self.to[slot].facts = facts;
            }
            for slot in lane.untold.drain(..) {
                self.to[slot].untold += 1;
            }
            for part in lane.parts.drain(..) {
                self.add(part);
            }
        }
    }

    fn add(&mut self, part: Part) {
        if part.region == 0 || part.team_size <= 1 {
            self.done(vec![part]);
            return;
        }
        let key = (part.region, part.place, part.number);
        let size = weight(&part);
        self.chunks += size;
        let team = part.team_size as usize;
        let parts = self.waiting.entry(key).or_insert_with(|| {
            self.order.push_back(key);
            Vec::new()
        });
        parts.push(part);
        if parts.len() >= team {
            let parts = self.waiting.remove(&key).unwrap_or_default();
            self.chunks -= parts.iter().map(weight).sum::<usize>();
            self.done(parts);
        }
        while self.waiting.len() > MOST_WAITING || self.chunks > MOST_PIECES {
            if !self.give_up() {
                return;
            }
        }
        // Those that are done stay in the queue until the oldest is.
        while let Some(first) = self.order.front() {
            if self.waiting.contains_key(first) {
                break;
            }
            self.order.pop_front();
        }
    }

    /// The oldest waits in vain.
    fn give_up(&mut self) -> bool {
        while let Some(key) = self.order.pop_front() {
            if let Some(parts) = self.waiting.remove(&key) {
                self.chunks -= parts.iter().map(weight).sum::<usize>();
                self.to[parts[0].slot].incomplete += 1;
                return true;
            }
        }
        false
    }

    /// All has been read.
    pub(crate) fn finish(&mut self) {
        while self.give_up() {}
    }

    /// All threads' parts are there.
    fn done(&mut self, mut parts: Vec<Part>) {
        let Some(first) = parts.first() else {
            return;
        };
        let (slot, trips, work) = (first.slot, first.trips, first.work);
        let is_first = !std::mem::replace(&mut self.begun[slot], true);
        let to = &mut self.to[slot];
        let begin = parts.iter().map(|part| part.begin).min().unwrap_or(0);
        let end = parts.iter().map(|part| part.end).max().unwrap_or(0);
        let broken = parts.iter().any(|part| part.broken || part.trips != trips);
        if broken || end < begin {
            to.incomplete += 1;
            return;
        }
        // As the team counts them, so that each has the block that it would have again.
        parts.sort_by_key(|part| (part.index, part.thread));
        let ns = |ticks: u64| ticks as f64 * self.ns_per_tick;
        let threads = parts.iter().map(|part| Thread {
            thread: part.thread,
            arrives_ns: ns(part.begin - begin),
            ends_ns: ns(part.end.saturating_sub(begin)),
            taken_ns: ns(part.taken),
        });
        let mut execution = Execution {
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
            dealing_ns: dealing(&parts)
                .map(|ticks| (ticks * self.ns_per_tick - self.reading_ns).max(0.0)),
            pieces: Vec::new(),
        };
        let pieces = parts.into_iter().map(|part| part.pieces).collect();
        let Some(pieces) = joined(trips, pieces, self.ns_per_tick) else {
            to.incomplete += 1;
            return;
        };
        execution.pieces = pieces;
        let wanted = to.complete % self.every[slot] == 0;
        to.complete += 1;
        to.elapsed_ns += execution.elapsed_ns;
        if is_first {
            to.firsts.push(First {
                trips,
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
fn dealing(parts: &[Part]) -> Option<f64> {
    let chunks: u64 = parts.iter().map(|part| part.chunks).sum();
    let timed: u64 = parts.iter().map(|part| part.timed.0).sum();
    let ticks: f64 = parts.iter().map(|part| part.timed.1 as f64).sum();
    (chunks > 0 && timed == chunks).then(|| ticks / chunks as f64)
}

/// Pieces that it may hold.
fn weight(part: &Part) -> usize {
    match &part.pieces {
        Pieces::Few(all) => all.len() + 1,
        Pieces::Many(_) => 1 << 13,
    }
}
