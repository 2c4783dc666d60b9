//! The end of the recording: open scopes are closed, what is only in memory is written, the part gets its end.
//! Comes from the runtime's finalization, or from `exit` where the runtime does not tell.

use std::sync::atomic::Ordering;

use ompchunk_trace_format::layout::{BLOCK_HEAD, BLOCK_SIZE};
use ompchunk_trace_format::{Event, Lost, NOBODY, Reason};

use crate::block;
use crate::clock;
use crate::lane::{Lane, PARKED, TAKEN};
use crate::quick::Recent;
use crate::recorder::{self, SHARED, Shared};

/// Losses that are kept apart by loop and thread; beyond that they are added up.
const MOST_LOSSES: usize = 1000;

impl Lane {
    /// The thread's part is over: what it added up stays as it is, and what had no room is lost.
    pub(crate) fn flush(&mut self, now: u64) {
        for at in 0..self.tallies.len() {
            let chunks = self.tallies[at].end_aggregate(now);
            self.lost_chunks(chunks);
        }
        self.end_sums();
    }
}

/// Finishes the part, once.
pub(crate) fn finish() {
    let mine = recorder::current();
    if !mine.is_null() {
        // SAFETY: the calling thread's lane; if it is taken already, nothing is done with it.
        let lane = unsafe { &mut *mine };
        if lane.state.swap(TAKEN, Ordering::AcqRel) != TAKEN && lane.attached {
            close(lane, true);
        }
    }
    let (lanes, free) = {
        let mut shared = SHARED.lock();
        if shared.finished || shared.store.is_none() {
            return;
        }
        (shared.lanes.clone(), std::mem::take(&mut shared.free))
    };
    let mut settled = true;
    for lane in lanes {
        // SAFETY: lanes are never freed, and the state is atomic.
        let state = unsafe { &*std::ptr::addr_of!((*lane).state) };
        let take = |from| {
            state
                .compare_exchange(from, TAKEN, Ordering::AcqRel, Ordering::Acquire)
                .is_ok()
        };
        let parked = take(PARKED);
        if parked || lane == mine || free.contains(&lane) {
            state.store(TAKEN, Ordering::Release);
            // SAFETY: parked means that the thread has left it, and taken that it will not come back; or it
            // is this thread's, or it is free and nobody can get it any more.
            let lane = unsafe { &mut *lane };
            if parked {
                close(lane, false);
            }
            lane.settle();
        } else {
            settled = false;
        }
    }
    let mut shared = SHARED.lock();
    if shared.finished {
        return;
    }
    shared.gather_losses();
    shared.write_losses();
    shared.finished = true;
    let fate = shared
        .store
        .as_mut()
        .map(|it| it.close(clock::both(), settled));
    if let Some(fate) = fate {
        shared.tell_fate(fate);
    }
}

/// Closes what is open in a lane that is taken. A thread that waits in a region that goes on is left as it is.
fn close(lane: &mut Lane, own: bool) {
    let now = lane.now();
    let waits = lane
        .innermost_region()
        .is_some_and(|region| region.ended().is_none());
    if own || !waits {
        lane.unwind(now, 0);
    }
    lane.flush(now);
}

impl Shared {
    /// Keeps what a lane's thread has lost, for the end.
    pub(crate) fn take_losses(&mut self, lane: &mut Lane) {
        let finished = self.finished;
        lane.tell_lost(self.store.as_mut().filter(|_| !finished));
        let reason = lane.full.unwrap_or(Reason::DiskFull);
        let thread = lane.thread;
        let of_loops = lane
            .tallies
            .iter()
            .enumerate()
            .filter_map(|(the_loop, tally)| tally.loss(the_loop as u32, thread, reason));
        let others = lane.unplaced.loss(NOBODY, thread, reason);
        let found: Vec<Lost> = of_loops.chain(others).collect();
        for lost in found {
            self.add_loss(lost);
        }
        lane.tallies.clear();
        lane.recent = Recent::none();
        lane.unplaced = Default::default();
    }

    fn add_loss(&mut self, lost: Lost) {
        if self.losses.len() < MOST_LOSSES {
            self.losses.push(lost);
            return;
        }
        if let Some(last) = self.losses.last_mut() {
            *last = Lost {
                reason: last.reason,
                the_loop: NOBODY,
                thread: NOBODY,
                chunks: last.chunks + lost.chunks,
                iterations: last.iterations.wrapping_add(lost.iterations),
                events: last.events + lost.events,
                from: last.from.min(lost.from),
                to: last.to.max(lost.to),
            };
        }
    }

    fn gather_losses(&mut self) {
        for lane in self.lanes.clone() {
            // SAFETY: lanes are never freed, and the state is atomic.
            let taken = unsafe { (*lane).state.load(Ordering::Acquire) } == TAKEN;
            if taken {
                // SAFETY: taken by `finish`, so nobody else uses it.
                self.take_losses(unsafe { &mut *lane });
            }
        }
    }

    /// Into the block that is kept for it.
    fn write_losses(&mut self) {
        let Some(store) = self.store.as_ref().filter(|_| !self.losses.is_empty()) else {
            return;
        };
        let now = clock::ticks();
        let mut block = vec![0_u64; BLOCK_SIZE / 8];
        block::begin_block(block.as_mut_ptr().cast(), 0, 0, NOBODY, now);
        let mut words = Vec::new();
        for lost in &self.losses {
            Event::Lost(*lost).encode(now, &mut words);
        }
        words.truncate((BLOCK_SIZE - BLOCK_HEAD) / 8);
        for (to, word) in block[BLOCK_HEAD / 8..].iter_mut().zip(&words) {
            *to = word.to_le();
        }
        let bytes: Vec<u8> = block.iter().flat_map(|word| word.to_ne_bytes()).collect();
        store.write_reserved(&bytes);
    }
}
