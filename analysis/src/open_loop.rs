//! A thread's part of an execution that has not ended: its chunks, one after the other, go into the sums of the loop.

use ompchunk_trace_format::{Chunk, LoopBegin};

use crate::histogram::Durations;
use crate::merge::Merge;
use crate::off_core::Off;
use crate::share::{Share, Sums, Tells, sums_of};

#[derive(Debug, Default)]
pub(crate) struct LaneLoop {
    pub(crate) number: u32,
    pub(crate) tells: Tells,
    pub(crate) durations: Durations,
    pub(crate) extremes: Option<[u64; 2]>,
    pub(crate) worst: Worst,
    /// Where its first chunk begins: clang counts iterations from 0 on, flang from 1, GCC by the program's own values.
    pub(crate) lowest: Option<i64>,
    pub(crate) threads: Vec<(u32, Sums)>,
    pub(crate) lost: Loss,
    /// Parts of executions that were added up, of which the runtime may tell some chunks only.
    pub(crate) partial_aggregates: u64,
    pub(crate) left_out: LeftOut,
}

/// Executions that nobody wanted, as the thread with most of them has it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct LeftOut {
    /// `--loop` names others.
    pub(crate) unnamed: u64,
    pub(crate) skipped: u64,
}

#[derive(Debug, Default)]
pub(crate) struct Open {
    /// Its loop's place in the lane.
    pub(crate) slot: usize,
    pub(crate) share: Share,
    /// Since when, and which.
    chunk: Option<(u64, Chunk)>,
    pub(crate) paused: bool,
    off: Off,
    shortest: u64,
    longest: u64,
    bookkeeping: u64,
    timed: u64,
    before_chunks: u64,
    start: Option<i64>,
    step: Option<i64>,
}

impl Open {
    pub(crate) fn new(slot: usize, share: Share, begin: &LoopBegin) -> Open {
        Open { slot, share, shortest: u64::MAX, start: begin.start, step: begin.step, ..Open::default() }
    }

    /// What is not work now, and since when: in the chunk, or between chunks.
    pub(crate) fn off_since(&mut self) -> (&mut Off, u64) {
        match self.chunk {
            Some((begin, _)) => (&mut self.off, begin),
            None => (&mut self.share.between, self.share.begin),
        }
    }

    /// The chunk before ends.
    #[inline]
    pub(crate) fn begin_chunk(&mut self, ticks: u64, chunk: Chunk, lane_loop: &mut LaneLoop) {
        if !self.share.told {
            if !lane_loop.tells.once_told() {
                return;
            }
            self.share.told = true;
        }
        match self.chunk.replace((ticks, chunk)) {
            Some(before) => self.end_chunk(before, ticks, lane_loop),
            None => self.before_chunks = self.without_chunk(ticks).saturating_sub(chunk.create_duration),
        }
        self.bookkeeping += chunk.create_duration;
        self.timed += u64::from(chunk.create_duration != 0);
    }

    /// What the thread needed to get to its first chunk, or to none. Within another loop that is a part of the other's chunk.
    fn without_chunk(&self, ticks: u64) -> u64 {
        let lasted = if self.share.nested { 0 } else { ticks.saturating_sub(self.share.begin) };
        let off = self.share.between.within(lasted);
        lasted - off.outside() - off.taken()
    }

    #[inline]
    fn end_chunk(&mut self, (begin, chunk): (u64, Chunk), end: u64, lane_loop: &mut LaneLoop) {
        // Times that go back are a damaged order, and the check names them.
        let mut duration = end.saturating_sub(begin);
        let mut off = Off::default();
        if !self.off.is_none() {
            off = std::mem::take(&mut self.off).within(duration);
            duration -= off.outside();
            self.share.off.take_in(&off);
        }
        self.share.busy += duration;
        self.share.chunks += 1;
        self.share.iterations = self.share.iterations.wrapping_add(chunk.iterations);
        self.shortest = self.shortest.min(duration);
        self.longest = self.longest.max(duration);
        lane_loop.durations.add(duration);
        lane_loop.lowest = lowest(lane_loop.lowest, Some(chunk.lower as i64));
        if lane_loop.worst.wants(duration) {
            lane_loop.worst.add(Long {
                duration,
                off,
                begin,
                thread: self.share.thread,
                lower: chunk.lower,
                iterations: chunk.iterations,
                start: self.start,
                step: self.step,
            });
        }
    }

    /// The thread leaves the loop. `whole`: it is known when; else its last chunk is not counted.
    pub(crate) fn end(mut self, ticks: u64, whole: bool, lane_loop: &mut LaneLoop) -> Share {
        let whole = whole && !self.paused;
        let last = self.chunk.take();
        match last {
            Some(last) if whole => self.end_chunk(last, ticks, lane_loop),
            Some(_) => {}
            None => self.before_chunks = self.without_chunk(ticks),
        }
        let share = &mut self.share;
        (share.whole, share.end) = (whole, ticks);
        share.told = !share.costly && (share.told || lane_loop.tells.none(share.count, share.team_size));
        if !share.told {
            self.before_chunks = 0;
        }
        if !share.told && whole {
            // Without its chunks, all of its time counts as work.
            let lasted = ticks.saturating_sub(share.begin);
            share.off = std::mem::take(&mut share.between).within(lasted);
            share.busy = lasted - share.off.outside();
        }
        self.add_to(lane_loop);
        self.share
    }

    fn add_to(&self, lane_loop: &mut LaneLoop) {
        let share = &self.share;
        if share.chunks > 0 {
            lane_loop.extremes.take_in(&Some([self.shortest, self.longest]));
        }
        let sums = sums_of(&mut lane_loop.threads, share.thread);
        sums.executions += u64::from(share.whole);
        sums.chunks += share.chunks;
        sums.iterations = sums.iterations.saturating_add(share.iterations);
        sums.busy += share.busy;
        sums.off.take_in(&share.off);
        sums.off.take_in(&share.between);
        sums.bookkeeping += self.bookkeeping;
        sums.timed += self.timed;
        sums.before_chunks += if share.whole { self.before_chunks } else { 0 };
        if share.costly {
            sums.costly_executions += u64::from(share.whole);
            sums.costly_busy = sums.costly_busy.saturating_add(share.busy);
        }
    }
}

#[inline]
pub(crate) fn lowest(one: Option<i64>, another: Option<i64>) -> Option<i64> {
    one.into_iter().chain(another).min()
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Loss {
    pub(crate) chunks: u64,
    pub(crate) iterations: u64,
    pub(crate) events: u64,
    pub(crate) span: Option<[u64; 2]>,
}

merge!(Loss: chunks, iterations, events, span);

pub const KEPT: usize = 10;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Long {
    /// Ticks.
    pub duration: u64,
    /// What of it is not work; the recorder's is beside it.
    pub off: Off,
    pub begin: u64,
    pub thread: u32,
    pub lower: u64,
    pub iterations: u64,
    pub start: Option<i64>,
    pub step: Option<i64>,
}

/// The longest so far, the longest first; of equal ones those that came first.
#[derive(Debug, Clone, Default)]
pub struct Worst {
    kept: Vec<Long>,
    least: Option<u64>,
}

impl Worst {
    #[inline]
    pub fn wants(&self, duration: u64) -> bool {
        // `None` is less than everything.
        self.least < Some(duration)
    }

    #[cold]
    pub fn add(&mut self, long: Long) {
        let key = |long: &Long| (std::cmp::Reverse(long.duration), long.begin, long.thread, long.lower);
        self.kept.insert(self.kept.partition_point(|kept| key(kept) < key(&long)), long);
        self.kept.truncate(KEPT);
        if self.kept.len() == KEPT {
            self.least = self.kept.last().map(|kept| kept.duration);
        }
    }

    pub fn kept(&self) -> &[Long] {
        &self.kept
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_the_longest() {
        let mut worst = Worst::default();
        for duration in 0..100u64 {
            let duration = duration * 37 % 100;
            if worst.wants(duration) {
                worst.add(Long {
                    duration,
                    off: Off::default(),
                    begin: 0,
                    thread: 0,
                    lower: duration,
                    iterations: 1,
                    start: None,
                    step: None,
                });
            }
        }
        let kept: Vec<u64> = worst.kept().iter().map(|kept| kept.duration).collect();
        assert_eq!(kept, (90..100).rev().collect::<Vec<_>>());
        assert!(!worst.wants(90) && worst.wants(91));
    }
}
