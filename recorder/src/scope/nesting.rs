//! Keeps scopes nested whatever the runtime leaves out, and gives what it tells late the time of its region's end.

use ompchunk_guest::memory;
use ompchunk_trace_format::{Chunk, Event, NOBODY};

use crate::lane::Lane;
use crate::registration::setup;
use crate::scope::region::Shared;
use crate::scope::{AwaitedBlock, NEVER, Running, Scope};

impl Lane {
    pub(crate) fn begin(&mut self, now: u64, scope: Scope, event: &Event<'_>) {
        if self.silence.is_on {
            self.begin_silently(now, scope);
            return;
        }
        if setup::records_all() {
            self.put(now, event);
        } else if matches!(scope, Scope::Loop(_)) {
            self.put(now, event);
            self.mark(now, true, NOBODY);
        } else {
            return self.begin_sparsely(now, scope, event);
        }
        self.push(scope);
    }

    pub(crate) fn push(&mut self, scope: Scope) {
        memory::push(&mut self.scopes, scope);
        self.silence.told = self.scopes.len();
        self.aim();
    }

    /// Ends the innermost scope that `is` one, with what began inside, unless that is around the task or there is none.
    pub(crate) fn end(&mut self, now: u64, is: impl Fn(&Scope) -> bool) {
        for at in (0..self.scopes.len()).rev() {
            if is(&self.scopes[at]) {
                self.unwind(now, at);
                return;
            }
            if matches!(self.scopes[at], Scope::ImplicitTask(..)) {
                return;
            }
        }
    }

    pub(crate) fn end_outer(&mut self, now: u64, is: impl Fn(&Scope) -> bool) {
        if let Some(at) = self.scopes.iter().rposition(is) {
            self.unwind(now, at);
        }
    }

    pub(crate) fn unwind(&mut self, now: u64, depth: usize) {
        while self.scopes.len() > depth {
            let now = self.in_time(now);
            let Some(scope) = self.scopes.pop() else { break };
            let mut ended = None;
            match &scope {
                Scope::ImplicitTask(..) => self.tasks.implicit_ends(now),
                Scope::Parallel(region) => {
                    ended = Some(region.0);
                    self.team_ends(now);
                }
                _ => {}
            }
            if self.was_told(&scope) {
                self.close(now, scope);
            } else if let Scope::Parallel(region) = scope {
                region.end();
            }
            if let Some(region) = ended {
                memory::push(&mut self.regions.0, region);
            }
        }
        self.aim();
    }

    fn close(&mut self, now: u64, scope: Scope) {
        if !setup::records_all() && self.ends_untold(now, &scope) {
            return;
        }
        match scope {
            Scope::Thread(thread) => self.put(now, &Event::ThreadEnd { thread }),
            Scope::Parallel(region) => {
                let parallel = region.number();
                let end = region.end();
                self.put(end, &Event::ParallelEnd { parallel });
            }
            Scope::ImplicitTask(region, _) => {
                let parallel = region.as_ref().map_or(0, Shared::number);
                self.put(now, &Event::ImplicitTaskEnd { parallel });
            }
            Scope::Work(work) => self.put(now, &Event::WorkEnd { work }),
            Scope::Sync(sync) => self.put(now, &Event::SyncEnd(sync)),
            Scope::Wait(sync) => self.put(now, &Event::WaitEnd(sync)),
            Scope::Loop(running) => self.end_loop(now, &running),
            Scope::Acc(event, _) => {
                let end = self.acc.closes(event);
                self.put(now, &Event::AccEnd(end));
            }
        }
    }

    fn end_loop(&mut self, now: u64, running: &Running) {
        let the_loop = running.the_loop;
        if let Some(why) = running.unwanted {
            self.omit(now, the_loop, why);
        } else if running.recorded {
            self.put(now, &Event::LoopEnd { the_loop });
        } else {
            self.block.open = std::ptr::null_mut();
            if let Some(tally) = self.sums.tallies.get_mut(the_loop as usize) {
                tally.ends(now, running.since);
            }
        }
    }

    pub(crate) fn end_counted_chunks(&mut self, now: u64) {
        let tallies = &mut self.sums.tallies;
        for scope in &mut self.scopes {
            let Scope::Loop(running) = scope else { continue };
            if running.recorded {
                // A later sub-block would be of a chunk that is not told.
                running.since = NEVER;
                continue;
            }
            if let Some(tally) = tallies.get_mut(running.the_loop as usize) {
                tally.ends(now, running.since);
            }
            running.since = 0;
        }
    }

    pub(crate) fn chunk(&mut self, now: u64, chunk: &Chunk) {
        if chunk.iterations == 0 {
            // Runtimes tell of a chunk where there is none (a static loop that the plugin did not see).
            return;
        }
        let now = now.max(self.last);
        if let Some(Scope::Acc(..)) = self.scopes.last() {
            self.leave_acc(now);
        }
        let Some(Scope::Loop(running)) = self.scopes.last_mut() else { return };
        if running.recorded {
            let told = match running.block {
                AwaitedBlock::No => Some(*chunk),
                _ => self.block_of(now, chunk),
            };
            if let Some(chunk) = told {
                self.put(now, &Event::Chunk(chunk));
            }
            return;
        }
        if running.unwanted.is_some() {
            return;
        }
        let since = std::mem::replace(&mut running.since, now);
        let the_loop = running.the_loop as usize;
        self.block.open = std::ptr::null_mut();
        if let Some(tally) = self.sums.tallies.get_mut(the_loop) {
            tally.ends(now, since);
            if !tally.chunk(now, chunk.iterations, chunk.create_duration) {
                self.tell_loss(1, 0);
            }
        }
    }

    /// `now`, or the end of the innermost task's region if that was earlier: workers hear of it with the next region.
    pub(crate) fn in_time(&self, now: u64) -> u64 {
        self.innermost_region().and_then(Shared::ended).map_or(now, |end| now.min(end)).max(self.last)
    }

    pub(crate) fn innermost_region(&self) -> Option<&Shared> {
        self.scopes.iter().rev().find_map(|scope| match scope {
            Scope::ImplicitTask(region, _) => Some(region.as_ref()),
            _ => None,
        })?
    }

    pub(crate) fn end_stale_tasks(&mut self, now: u64) {
        loop {
            let innermost =
                self.scopes.iter().rposition(|scope| matches!(scope, Scope::ImplicitTask(..) | Scope::Parallel(_)));
            let Some(at) = innermost else { return };
            let Scope::ImplicitTask(Some(region), _) = &self.scopes[at] else { return };
            if region.ended().is_none() {
                return;
            }
            self.unwind(now, at);
        }
    }
}
