//! Whether a thread is on a core. A chunk in which the operating system gave the core to somebody else is as long as an
//! expensive one; the thread's own CPU clock tells the two apart. It is read where a callback goes the long way and the
//! last reading is [`SHORT`] ago or more. All that lasts so long goes that way, so whoever is taken off a core for as
//! long is seen, and what is short pays nothing.

use std::time::Duration;

use ompchunk_guest::memory::Grow;
use ompchunk_trace_format::{Event, OffCore, Times};

use crate::clock;
use crate::clock_cache::SHORT;
use crate::lane::Lane;
use crate::scope::Scope;

/// What is less says nothing: interrupts take that much, ...
const LEAST: Duration = Duration::from_micros(20);
/// ... and this share of the time; clocks differ by less.
const LEAST_SHARE: u64 = 64;

impl Lane {
    /// A callback goes the long way, for an event at `now`. The first that it does with the lane.
    #[inline]
    pub(crate) fn look(&mut self, now: u64) {
        self.gap = now.saturating_sub(self.last);
        if now.saturating_sub(self.seen.at) >= SHORT {
            self.read_cpu(now);
        }
    }

    /// Whether it was read for the event at `now`.
    pub(crate) fn has_looked(&self, now: u64) -> bool {
        self.seen.at >= now
    }

    #[cold]
    #[inline(never)]
    fn read_cpu(&mut self, now: u64) {
        self.off = None;
        if let Some(found) = self.measure(now) {
            // A core is lost in system calls too, and so after `now`: then it is no matter of what has ended.
            let after = clock::ticks().saturating_sub(now);
            let after = match after >= SHORT / 8 {
                true => found.ticks.min(after),
                false => 0,
            };
            self.off = Some(OffCore { ticks: after, ..found }).filter(|it| it.ticks > 0);
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
        if self.silent {
            // A record now would come before the begins of what the thread is in when it goes on.
            return;
        }
        match self.scopes.last() {
            Some(Scope::Loop(running)) if running.unwanted.is_some() => {}
            Some(Scope::Loop(running)) if !running.recorded => {
                let the_loop = running.the_loop;
                let within = OffCore { ticks: found.ticks.min(self.gap).min(self.inside_for(now)), ..found };
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
        let at = self.times.iter().position(|time| time.the_loop == the_loop);
        let at = match at {
            Some(at) => at,
            None if self.times.grow(1) => {
                self.times.push(Times { the_loop, ..Times::default() });
                self.times.len() - 1
            }
            None => return None,
        };
        self.times.get_mut(at)
    }

    /// Writes them, beside the aggregates.
    pub(crate) fn tell_times(&mut self, now: u64) {
        let now = self.in_time(now);
        self.tell_faults(now);
        for mut times in std::mem::take(&mut self.times) {
            if self.full.is_none() {
                times.thread = self.thread;
                self.put(now, &Event::Times(times));
            }
        }
        self.tell_rest(now);
        self.tell_storing(now);
    }
}
