//! Executions of loops of which page faults are counted, as [`crate::faults`] says.

use ompchunk_trace_format::Event;

use crate::clock;
use crate::faults;
use crate::lane::Lane;
use crate::sampling;
use crate::scope::{Scope, Way};

impl Lane {
    /// The thread is in an execution that is measured. What is inside is a part of it.
    pub(crate) fn measures_faults(&self) -> bool {
        let is_measured = |scope: &Scope| matches!(scope, Scope::Loop(running) if running.way == Way::Measured);
        self.scopes.iter().any(is_measured)
    }

    /// An execution has begun at `now`. The last that is done then, so that the recorder's own faults are not in it.
    pub(crate) fn begin_faults(&mut self, now: u64) {
        let Some(Scope::Loop(running)) = self.scopes.last() else {
            return;
        };
        if running.way == Way::Measured {
            let the_loop = running.the_loop as usize;
            if let Some(tally) = self.tallies.get_mut(the_loop) {
                tally.faults.begins();
            }
            self.faults.begun = Some((now, clock::usage()));
        }
    }

    /// It ends at `now`. The first that is done then.
    pub(crate) fn end_faults(&mut self, now: u64) {
        let Some(Scope::Loop(running)) = self.scopes.last() else {
            return;
        };
        let (the_loop, code, is_measured) = (running.the_loop, running.code, running.way == Way::Measured);
        let begun = self.faults.begun.take().filter(|_| is_measured);
        // For others it may only be known when the thread was heard of last.
        let at_least = match sampling::records_all() {
            true => self.gap,
            false => self.inside_for(now),
        };
        let lasted = begun.map_or(at_least, |(begun, _)| now.saturating_sub(begun));
        let is_long = lasted >= faults::long();
        let Some(tally) = self.tallies.get_mut(the_loop as usize) else {
            return;
        };
        let is_first = tally.seen == 1;
        tally.faults.ends(is_long, is_measured);
        if is_long {
            self.recent.forget(code);
        }
        if let Some((since, Some(before))) = begun
            && let Some(after) = clock::usage()
        {
            let span = (since, now);
            self.faults.measured(the_loop, is_first, span, (before, after));
        }
    }

    /// Writes what is not told yet.
    pub(crate) fn tell_faults(&mut self, now: u64) {
        for mut sum in std::mem::take(&mut self.faults.sums) {
            if self.full.is_none() {
                sum.thread = self.thread;
                self.put(now, &Event::Sum(sum));
            }
        }
    }
}
