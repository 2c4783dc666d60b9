//! Whether a thread is on a core, by its CPU clock, read where a callback goes the long way and the last reading is
//! [`SHORT`] ago or more: who is off a core for so long is seen, and what is short pays nothing. And on which, if that is asked for.

use std::time::Duration;

use ompchunk_guest::memory::Grow;
use ompchunk_trace_format::{Event, OffCore, Recorder, Sum, Times};

use crate::clock::{self, SHORT};
use crate::faults;
use crate::lane::Lane;
use crate::recorder::guard_lane;
use crate::registration::setup;
use crate::scope::{Scope, Way};

/// What is less than this and that share of the time says nothing: interrupts take so much, and clocks differ.
const LEAST: Duration = Duration::from_micros(20);
const LEAST_SHARE: u64 = 64;

impl Lane {
    /// A callback goes the long way, for an event at `now`. The first that it does with the lane.
    #[inline]
    pub(crate) fn look(&mut self, now: u64) {
        self.seen.gap = now.saturating_sub(self.last);
        if now.saturating_sub(self.seen.at) >= SHORT {
            self.read_cpu(now);
        }
    }

    #[cold]
    #[inline(never)]
    fn read_cpu(&mut self, now: u64) {
        self.seen.off = None;
        if let Some(found) = self.measure(now) {
            // A core is lost in system calls too, and so after `now`: then it is no matter of what has ended.
            let after = clock::ticks().saturating_sub(now);
            let after = if after >= SHORT / 8 { found.ticks.min(after) } else { 0 };
            self.seen.off = Some(OffCore { ticks: after, ..found }).filter(|it| it.ticks > 0);
            let before = OffCore { ticks: found.ticks - after, ..found };
            if before.ticks > 0 {
                self.was_off(now, before);
            }
        }
    }

    /// Time off a core since this was called before, if it is more than noise.
    pub(crate) fn measure(&mut self, now: u64) -> Option<OffCore> {
        if !clock::has_cpu() {
            return None;
        }
        let Some(cpu) = clock::thread_cpu() else {
            // As where a program has forbidden itself the system call.
            clock::forget_cpu();
            let unknown = OffCore { ticks: OffCore::UNKNOWN, since: 0, voluntary: 0, involuntary: 0, core: None };
            let at = self.in_time(now);
            self.put(at, &Event::OffCore(unknown));
            return None;
        };
        let at = clock::ticks();
        let before = self.seen;
        (self.seen.at, self.seen.cpu) = (at, cpu);
        if before.at == 0 {
            self.seen.usage = clock::usage();
            return None;
        }
        let since = at.saturating_sub(before.at);
        let off = since.saturating_sub(clock::ticks_of(Duration::from_nanos(cpu.saturating_sub(before.cpu))));
        if off < clock::ticks_of(LEAST) + since / LEAST_SHARE {
            return None;
        }
        self.seen.usage = clock::usage();
        let both = before.usage.zip(self.seen.usage);
        let switches = both.map_or((0, 0), |(before, now)| {
            let more = |now: u64, before: u64| now.wrapping_sub(before).min(u32::MAX.into()) as u32;
            (more(now.voluntary, before.voluntary), more(now.involuntary, before.involuntary))
        });
        Some(OffCore { ticks: off, since, voluntary: switches.0, involuntary: switches.1, core: clock::core() })
    }

    fn was_off(&mut self, now: u64, found: OffCore) {
        if self.silence.is_on {
            // A record now would come before the begins of what the thread is in when it goes on.
            return;
        }
        match self.scopes.last() {
            Some(Scope::Loop(running)) if running.unwanted.is_some() => {}
            Some(Scope::Loop(running)) if !running.recorded => {
                let the_loop = running.the_loop;
                let within = OffCore { ticks: found.ticks.min(self.seen.gap).min(self.inside_for(now)), ..found };
                if let Some(times) = self.counted(the_loop) {
                    times.add(&within);
                }
            }
            // Who waits for others, or for work, need not be on a core.
            Some(Scope::Loop(_) | Scope::Work(_) | Scope::ImplicitTask(..) | Scope::Parallel(_))
                if self.tells_inside() && self.in_time(now) == now =>
            {
                self.put(now, &Event::OffCore(found))
            }
            _ => {}
        }
    }

    /// Sums of a loop that is not told chunk by chunk. `None`: there is no memory for them.
    pub(crate) fn counted(&mut self, the_loop: u32) -> Option<&mut Times> {
        let at = match self.sums.times.iter().position(|time| time.the_loop == the_loop) {
            Some(at) => at,
            None if self.sums.times.grow(1) => {
                self.sums.times.push(Times { the_loop, ..Times::default() });
                self.sums.times.len() - 1
            }
            None => return None,
        };
        self.sums.times.get_mut(at)
    }

    /// The thread is in an execution that is measured. What is inside is a part of it.
    pub(crate) fn measures_faults(&self) -> bool {
        let is_measured = |scope: &Scope| matches!(scope, Scope::Loop(running) if running.way == Way::Measured);
        self.scopes.iter().any(is_measured)
    }

    /// An execution has begun at `now`. The last that is done then, so that the recorder's own faults are not in it.
    pub(crate) fn begin_faults(&mut self, now: u64) {
        let Some(Scope::Loop(running)) = self.scopes.last() else { return };
        if running.way == Way::Measured {
            let the_loop = running.the_loop as usize;
            if let Some(tally) = self.sums.tallies.get_mut(the_loop) {
                tally.faults.begins();
            }
            self.sums.faults.begun = Some((now, clock::usage()));
        }
    }

    /// It ends at `now`. The first that is done then.
    pub(crate) fn end_faults(&mut self, now: u64) {
        let Some(Scope::Loop(running)) = self.scopes.last() else { return };
        let (the_loop, code, is_measured) = (running.the_loop, running.code, running.way == Way::Measured);
        let begun = self.sums.faults.begun.take().filter(|_| is_measured);
        // For others it may only be known when the thread was heard of last.
        let at_least = if setup::records_all() { self.seen.gap } else { self.inside_for(now) };
        let lasted = begun.map_or(at_least, |(begun, _)| now.saturating_sub(begun));
        let is_long = lasted >= faults::long();
        let Some(tally) = self.sums.tallies.get_mut(the_loop as usize) else { return };
        let is_first = tally.seen == 1;
        tally.faults.ends(is_long, is_measured);
        if is_long {
            self.loops.recent.forget(code);
        }
        if let Some((since, Some(before))) = begun
            && let Some(after) = clock::usage()
        {
            let span = (since, now);
            self.sums.faults.measured(the_loop, is_first, span, (before, after));
        }
    }

    pub(crate) fn tell_times(&mut self, now: u64) {
        let now = self.in_time(now);
        let thread = self.holder.thread;
        for sum in std::mem::take(&mut self.sums.faults.sums) {
            if self.block.full.is_none() {
                self.put(now, &Event::Sum(Sum { thread, ..sum }));
            }
        }
        for times in std::mem::take(&mut self.sums.times) {
            if self.block.full.is_none() {
                self.put(now, &Event::Times(Times { thread, ..times }));
            }
        }
        if self.sums.before > 0 && self.block.full.is_none() {
            let rest = Recorder { ticks: 0, preempted: 0, before: self.take_before() };
            self.put(self.in_time(now), &Event::Recorder(rest));
        }
        if let Some(sum) = self.sums.storing.take().filter(|_| self.block.full.is_none()) {
            self.put(now, &Event::Sum(Sum { thread, ..sum }));
        }
    }

    fn record_cpu(&mut self, cpu: u32) {
        let is_counted = matches!(self.scopes.last(), Some(Scope::Loop(running)) if !running.recorded);
        let is_recorded = self.seen.recorded_cpu == Some(cpu);
        if is_recorded || is_counted || self.silence.is_on || self.block.full.is_some() || !self.tells_inside() {
            return;
        }
        self.seen.recorded_cpu = Some(cpu);
        // It has no time of its own: the clock is read for the grain.
        self.put(self.last, &Event::OnCpu { cpu });
    }
}

/// What callbacks also look at where a chunk or a task begins; `()`: nothing. They have a build for each, so that other recordings do no
/// more for it.
pub(crate) trait Also {
    /// Safety: `lane` gives null or the calling thread's lane, and no reference to it is alive.
    unsafe fn look(_lane: impl FnOnce() -> *mut Lane) {}
}

impl Also for () {}

/// On which processor it begins; told where it is another than before.
pub(crate) enum Processor {}

impl Also for Processor {
    #[inline(always)]
    unsafe fn look(lane: impl FnOnce() -> *mut Lane) {
        let (lane, Some(cpu)) = (lane(), clock::core()) else { return };
        // SAFETY: the caller's promise.
        let is_recorded = !lane.is_null() && unsafe { (*lane).seen.recorded_cpu } == Some(cpu);
        if !is_recorded {
            record_cpu(cpu);
        }
    }
}

#[cold]
#[inline(never)]
fn record_cpu(cpu: u32) {
    guard_lane(|lane| lane.record_cpu(cpu));
}
