//! The end of the recording, from the runtime's finalization, or from `exit` where the runtime does not tell.

use std::io::ErrorKind;
use std::sync::atomic::Ordering;
use std::time::Duration;

use ompchunk_guest::floats::Floats;
use ompchunk_guest::memory;
use ompchunk_trace_format::layout::{BLOCK_HEAD, UNIT};
use ompchunk_trace_format::sum::{CPU_OTHERS, CPU_OWN};
use ompchunk_trace_format::{Event, Lost, NOBODY, Reason, Sum, SumOf};

use crate::cells::tally::add_loss;
use crate::clock;
use crate::lane::Lane;
use crate::lane::block;
use crate::lane::lane_owner::{self, TAKEN};
use crate::part::fork;
use crate::part::{SHARED, Shared};
use crate::profile_choice::execution_filter;
use crate::recorder;
use crate::registration::setup;
use crate::stacks::control as stacks;

/// Losses that are kept apart by loop and thread; beyond that they are added up.
const MOST_LOSSES: usize = 1000;

/// What is counted besides is told so often, so that a program that is killed leaves some.
const OFTEN: Duration = Duration::from_millis(250);

impl Lane {
    pub(crate) fn flush(&mut self, now: u64) {
        self.sums.flushed = now;
        let now = self.time_of_definitions(now);
        self.tell_left_out(now);
        self.tell_times(now);
    }

    /// Flushes if that was some time ago; where not all is told, after twice as long each time: the file does not grow with time.
    pub(crate) fn flush_sometimes(&mut self, now: u64) {
        let all = setup::records_all();
        let apart = clock::ticks_of(OFTEN).saturating_mul(1 << self.sums.flushes.min(40));
        let some = !self.silence.is_on && (!all || execution_filter::is_some());
        if some && now.saturating_sub(self.sums.flushed) > apart {
            self.flush(now);
            self.sums.flushes += u64::from(!all);
        }
    }

    pub(crate) fn tell_cpu(&mut self) {
        let both = SHARED.lock().cpu.both();
        let Some(both) = both.filter(|_| self.block.full.is_none()) else { return };
        let now = self.now();
        for ((count, ns), of) in both.into_iter().zip([CPU_OWN, CPU_OTHERS]) {
            let sum = clock::ticks_of(Duration::from_nanos(ns));
            let (thread, what, the_loop) = (self.holder.thread, SumOf::Cpu, NOBODY);
            let (min, max, from, to) = (0, 0, now, now);
            self.put(now, &Event::Sum(Sum { thread, what, of, code: 0, the_loop, count, sum, min, max, from, to }));
        }
    }

    /// The process has no memory left: what is in the lane is written out of the reserve; what follows nobody counts.
    #[cold]
    pub(crate) fn give_up(&mut self) {
        stacks::thread_ends(self);
        if self.block.attached {
            close(self, true);
            self.settle();
        }
        self.loops.recent.close();
        self.holder.state.store(TAKEN, Ordering::Release);
        SHARED.lock().complain_of_memory();
    }
}

/// Finishes the part, once. A process that was made without libc's knowledge has its parent's memory, and leaves the part alone.
pub(crate) fn finish() {
    if !fork::is_writer() {
        return;
    }
    let _floats = Floats::keep();
    // Handlers look at lanes.
    stacks::stop();
    let mine = recorder::current();
    if !mine.is_null() {
        // SAFETY: the calling thread's lane; if it is taken already, nothing is done with it.
        let lane = unsafe { &mut *mine };
        if lane.holder.state.swap(TAKEN, Ordering::AcqRel) != TAKEN && lane.block.attached {
            lane.loops.recent.close();
            lane.tell_cpu();
            close(lane, true);
        }
    }
    let free = {
        let mut shared = SHARED.lock();
        if shared.finished || shared.store.is_none() {
            return;
        }
        std::mem::take(&mut shared.free)
    };
    let mut settled = !memory::is_short();
    let lane_of = |number| SHARED.lock().lanes.get(number).copied();
    for lane in (0..).map_while(lane_of) {
        // SAFETY: lanes are never freed, and the state is atomic.
        let state = unsafe { &*std::ptr::addr_of!((*lane).holder.state) };
        let parked = lane_owner::take(state);
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
    if let Some(fate) = shared.store.as_mut().map(|store| store.close(clock::both(), settled)) {
        shared.tell_fate(fate);
    }
    drop(shared);
    stacks::finish();
}

/// Closes what is open in a lane that is taken. A thread that waits in a region that goes on is left as it is.
fn close(lane: &mut Lane, own: bool) {
    let now = lane.now();
    lane.end_grains(now);
    lane.flush(now);
    let waits = lane.innermost_region().is_some_and(|region| region.ended().is_none());
    if own || !waits {
        lane.unwind(now, 0);
    }
    lane.end_sums();
}

impl Shared {
    pub(crate) fn take_from_others(&mut self, lost: &[Lost]) {
        for lost in lost {
            self.add_loss(*lost);
            if let Some(store) = &mut self.store {
                store.count_lost(Reason::MaxSize, lost.chunks, lost.events);
            }
        }
        if let Some(why) = lost.first() {
            let reason = Reason::from_number(why.reason).unwrap_or(Reason::MaxSize);
            self.complain_once(reason, &ErrorKind::FileTooLarge.into());
        }
    }

    /// A free lane whose last block was taken begins anew: its next thread has its share again.
    pub(crate) fn refresh(&mut self, lane: &mut Lane) {
        if lane.is_taken_from() {
            if let Some((store, slot)) = self.store.as_mut().zip(lane.block.slot.as_ref()) {
                store.release(slot);
            }
            // The lock is held.
            lane.settle_or(|error| self.complain_once(Reason::DiskFull, error));
            self.take_losses(lane);
            lane.detach();
        }
    }

    pub(crate) fn take_losses(&mut self, lane: &mut Lane) {
        let finished = self.finished;
        lane.tell_lost(self.store.as_mut().filter(|_| !finished));
        let reason = lane.why_lost().unwrap_or(Reason::DiskFull);
        let thread = lane.holder.thread;
        let of_loops = lane
            .sums
            .tallies
            .iter()
            .enumerate()
            .filter_map(|(the_loop, tally)| tally.loss(the_loop as u32, thread, reason));
        let others = lane.sums.unplaced.loss(NOBODY, thread, reason);
        for lost in of_loops.chain(others) {
            self.add_loss(lost);
        }
        lane.sums.tallies.clear();
        lane.loops.recent.clear();
        lane.sums.unplaced = Default::default();
    }

    fn add_loss(&mut self, lost: Lost) {
        let key = |lost: &Lost| (lost.reason, lost.the_loop, lost.thread);
        if let Some(same) = self.losses.iter_mut().find(|loss| key(loss) == key(&lost)) {
            add_loss(same, &lost);
        } else if self.losses.len() < MOST_LOSSES {
            self.losses.push(lost);
        } else if let Some(last) = self.losses.last_mut() {
            (last.the_loop, last.thread) = (NOBODY, NOBODY);
            add_loss(last, &lost);
        }
    }

    fn gather_losses(&mut self) {
        for number in 0..self.lanes.len() {
            let lane = self.lanes[number];
            // SAFETY: lanes are never freed, and the state is atomic.
            let taken = unsafe { (*lane).holder.state.load(Ordering::Acquire) } == TAKEN;
            if taken {
                // SAFETY: taken by `finish`, so nobody else uses it.
                self.take_losses(unsafe { &mut *lane });
            }
        }
    }

    fn write_losses(&mut self) {
        let Some(store) = self.store.as_ref().filter(|_| !self.losses.is_empty()) else { return };
        let now = clock::ticks();
        let size = store.block_size;
        let fit = (size - BLOCK_HEAD) / (4 * UNIT);
        for (number, losses) in self.losses.chunks(fit).enumerate() {
            let mut block = vec![0_u64; size / 8];
            block::begin_block(block.as_mut_ptr().cast(), 0, number as u32, NOBODY, now);
            let mut words = Vec::new();
            for lost in losses {
                Event::Lost(*lost).encode(now, &mut words);
            }
            for (to, word) in block[BLOCK_HEAD / 8..].iter_mut().zip(&words) {
                *to = word.to_le();
            }
            let bytes: Vec<u8> = block.iter().flat_map(|word| word.to_ne_bytes()).collect();
            store.write_reserved(number, &bytes);
        }
    }
}
