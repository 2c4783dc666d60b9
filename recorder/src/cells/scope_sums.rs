//! With `--aggregate` and `--sample` scopes are added up, so that a recording does not grow with time. `--sample`: with
//! an execution that is told, so is what is around it and what follows up to the end of the next barrier. All threads
//! of a team tell the same executions, so they tell the same barriers.

use ompchunk_guest::memory::Grow;
use ompchunk_trace_format::sum::word;
use ompchunk_trace_format::{AccOperation, Event, NOBODY, Sum, SumOf, is_barrier};

use crate::cells::{Cells, Durations, Key, Mark};
use crate::lane::Lane;
use crate::part;
use crate::registration::setup;
use crate::scope::{Running, Scope, acc_place, acc_sum_of};
use ompt::raw::SYNC_REDUCTION;

const DURATIONS: Durations = [word::SUM, word::MIN, word::MAX];

/// So many events at most are told after an execution that is told, where no barrier comes.
const MOST_AFTER: u8 = 16;

impl Lane {
    /// Begins a scope that is told only if it belongs to an execution that is. For lanes that do not tell all.
    pub(crate) fn begin_sparsely(&mut self, now: u64, scope: Scope, event: &Event<'_>) {
        let told = match scope {
            Scope::Thread(_) | Scope::ImplicitTask(None, _) => true,
            Scope::Parallel(_) | Scope::ImplicitTask(..) => false,
            _ => self.is_telling(),
        };
        let mut after = NOBODY;
        if let Scope::Wait(_) = scope {
            after = self.innermost(|scope| matches!(scope, Scope::Sync(_))).map_or(NOBODY, |sync| sync.after);
        } else if matches!(&scope, Scope::Sync(sync) if sync.kind == SYNC_REDUCTION) {
            // It lies in a barrier or beside one.
        } else if let Some(task) = self.task() {
            let last = std::mem::replace(&mut task.after, NOBODY);
            match &scope {
                Scope::Sync(sync) if is_barrier(sync.kind) && task.executions == 1 => after = last,
                // What comes after a region is not the loop's before it.
                Scope::Parallel(_) => task.telling = 0,
                _ => {}
            }
        }
        if told {
            self.put(now, event);
        }
        self.mark(now, told, after);
        self.push(scope);
    }

    pub(crate) fn mark(&mut self, since: u64, told: bool, after: u32) {
        let mark = Mark { since, told, telling: 0, executions: 0, after, omitted: None };
        let depth = self.scopes.len();
        let marks = &mut self.sums.marks;
        if marks.len() <= depth && marks.grow(depth + 1 - marks.len()) {
            marks.resize(depth + 1, mark);
        }
        if let Some(place) = marks.get_mut(depth) {
            *place = mark;
        }
    }

    /// A scope ends that was just taken off. False: its begin was told, and so is its end.
    pub(crate) fn ends_untold(&mut self, now: u64, scope: &Scope) -> bool {
        let Some(mark) = self.sums.marks.get(self.scopes.len()).copied() else { return false };
        // What is not recorded is not added up.
        let now = if self.silence.is_on { now.min(self.sums.paused) } else { now };
        if let Scope::Loop(running) = scope {
            self.execution_ends(running, mark.since, now);
            return false;
        }
        if matches!(scope, Scope::Sync(sync) if is_barrier(sync.kind)) {
            if let Some(task) = self.task() {
                (task.executions, task.telling) = (0, 0);
                task.omitted = None;
            }
        }
        !mark.told && self.adds_up_scope(scope, mark, now)
    }

    fn execution_ends(&mut self, running: &Running, since: u64, now: u64) {
        let the_loop = running.the_loop;
        if let Some(task) = self.task() {
            task.executions = task.executions.saturating_add(1);
            task.after = the_loop;
            if let Some(why) = running.unwanted {
                task.after = NOBODY;
                task.omitted = Some((the_loop, why));
            }
            if running.recorded {
                task.telling = MOST_AFTER;
            }
        }
        if !running.recorded && running.unwanted.is_none() {
            self.add_up(SumOf::Loop, 0, 0, the_loop, since, now);
        }
    }

    /// Adds up a scope whose begin was not told. False: it is told by now.
    fn adds_up_scope(&mut self, scope: &Scope, mark: Mark, now: u64) -> bool {
        let (what, of, code, to) = match scope {
            Scope::Parallel(region) if region.is_told() => {
                // By another thread of the team.
                self.tell_scopes();
                self.put(mark.since, &region.begin_event());
                return false;
            }
            Scope::Parallel(region) => {
                let is_nested = self.innermost_region().is_some();
                let to = if self.silence.is_on { region.end().min(now) } else { region.end() };
                (SumOf::Parallel, is_nested.into(), region.code(), to)
            }
            Scope::ImplicitTask(Some(region), _) => (SumOf::ImplicitTask, 0, region.code(), now),
            Scope::Work(work) => (SumOf::Work, *work, 0, now),
            Scope::Sync(sync) => (SumOf::Sync, sync.kind, sync.code, now),
            Scope::Wait(sync) => (SumOf::Wait, sync.kind, sync.code, now),
            Scope::Acc(event, place) => {
                if !self.acc.closes(*event).told {
                    self.tell_without_length(scope, mark.since);
                    return true;
                }
                (acc_sum_of(*event), *event, *place, now)
            }
            Scope::Thread(_) | Scope::ImplicitTask(None, _) | Scope::Loop(_) => return false,
        };
        self.add_up(what, of, code, mark.after, mark.since, to);
        true
    }

    fn tell_without_length(&mut self, scope: &Scope, since: u64) {
        let since = self.time_of_definitions(since);
        if let Some(Event::AccBegin(operation)) = scope.begin_event() {
            self.put(since, &Event::AccPoint(operation));
        }
    }

    pub(crate) fn tell_acc_point(&mut self, now: u64, what: AccOperation) {
        if setup::records_all() || self.is_telling() {
            self.put(now, &Event::AccPoint(what));
        } else {
            let (of, place) = (acc_sum_of(what.event), acc_place(&what));
            self.add_up(of, what.event, place, NOBODY, now, now);
        }
    }

    pub(crate) fn add_up(&mut self, what: SumOf, of: u32, code: u64, the_loop: u32, from: u64, to: u64) {
        let key = Key { what, of, code, the_loop };
        self.add(key, (from, to), 1);
    }

    /// Adds up what may go on elsewhere: `ended` is 0 or 1.
    pub(crate) fn add(&mut self, key: Key, (from, to): (u64, u64), ended: u64) {
        let Some(mut cells) = self.sums.of_scopes.find(key).or_else(|| self.begin_sum(key, from)) else {
            // Its begin and its end.
            return self.lose_events(to, 2);
        };
        cells.duration(DURATIONS, to.saturating_sub(from));
        cells.set(word::TO, to);
        cells.add(word::COUNT, ended);
        if to >= self.block.due {
            self.keep_up_at(to);
        }
    }

    /// `None`: there is no room.
    fn begin_sum(&mut self, key: Key, from: u64) -> Option<Cells> {
        let Key { what, of, code, the_loop } = key;
        let (thread, [count, sum, min, max], to) = (self.holder.thread, [0; 4], from);
        let zero = Sum { thread, what, of, code, the_loop, count, sum, min, max, from, to };
        // Before the record is there: one that nobody finds again would be begun each time.
        if !self.sums.of_scopes.grow() {
            return None;
        }
        let cells = self.in_place(&Event::Sum(zero))?;
        self.sums.of_scopes.put(key, cells);
        Some(cells)
    }

    pub(crate) fn tell_scopes(&mut self) {
        let scopes = std::mem::take(&mut self.scopes);
        for (depth, scope) in scopes.iter().enumerate() {
            let Some(mark) = self.sums.marks.get_mut(depth).filter(|mark| !mark.told) else { continue };
            let since = mark.since;
            mark.told = true;
            if let Scope::Parallel(region) | Scope::ImplicitTask(Some(region), _) = scope {
                region.mark_told();
            }
            if let Some(event) = scope.begin_event() {
                self.put(since, &event);
            }
        }
        self.scopes = scopes;
    }

    /// Whether what happens in an execution that nobody wants is told now; else it is when one is told after it.
    pub(crate) fn tells_omitted(&mut self) -> bool {
        let Some(task) = self.task() else { return setup::records_all() };
        let is_told = setup::records_all() || task.telling > 0;
        if is_told {
            task.omitted = None;
        }
        is_told
    }

    pub(crate) fn tell_omitted(&mut self, now: u64) {
        let task = self.task();
        if let Some((the_loop, why)) = task.and_then(|task| task.omitted.take()) {
            let now = self.time_of_definitions(now);
            self.put(now, &Event::Omitted { the_loop, why });
        }
    }

    pub(crate) fn tells_inside(&self) -> bool {
        if setup::records_all() {
            return true;
        }
        let is_structure = self.scopes.last().is_none_or(Scope::is_structure);
        let mark = self.sums.marks.get(self.scopes.len().wrapping_sub(1));
        !is_structure && mark.is_some_and(|mark| mark.told)
    }

    pub(crate) fn inside_for(&self, now: u64) -> u64 {
        let mark = self.sums.marks.get(self.scopes.len().wrapping_sub(1));
        mark.filter(|_| !setup::records_all()).map_or(u64::MAX, |mark| now.saturating_sub(mark.since))
    }

    pub(crate) fn pause_sums(&mut self, now: u64) {
        if setup::records_all() {
            return;
        }
        self.sums.paused = now;
        let told = |scope: &Scope| matches!(scope, Scope::Parallel(region) if region.is_told());
        if self.scopes.iter().any(told) {
            self.tell_scopes();
        }
    }

    pub(crate) fn resume_sums(&mut self, now: u64) {
        let gap = now.saturating_sub(self.sums.paused);
        for mark in self.sums.marks.iter_mut().take(self.silence.told) {
            mark.since = now.min(mark.since.saturating_add(gap));
        }
        let scopes = std::mem::take(&mut self.scopes);
        self.silence.since.clear();
        for mut scope in scopes {
            if self.scopes.len() >= self.silence.told {
                let told = matches!(scope, Scope::Thread(_) | Scope::ImplicitTask(None, _) | Scope::Loop(_));
                if told {
                    self.replay(now, &mut scope);
                } else if let Scope::Parallel(region) = &scope {
                    self.know_code(now, region.code() as usize);
                }
                self.mark(now, told, NOBODY);
            }
            self.scopes.push(scope);
        }
        self.silence.told = self.scopes.len();
        self.aim();
    }

    /// All scopes were told, in a forked process.
    pub(crate) fn told_all(&mut self, now: u64) {
        if setup::records_all() {
            return;
        }
        let scopes = std::mem::take(&mut self.scopes);
        for scope in scopes {
            self.mark(now, true, NOBODY);
            self.scopes.push(scope);
        }
    }

    fn innermost(&mut self, is: impl Fn(&Scope) -> bool) -> Option<&mut Mark> {
        let at = self.scopes.iter().rposition(is)?;
        self.sums.marks.get_mut(at)
    }

    fn task(&mut self) -> Option<&mut Mark> {
        self.innermost(|scope| matches!(scope, Scope::ImplicitTask(..)))
    }

    fn is_telling(&mut self) -> bool {
        let Some(task) = self.task().filter(|task| task.telling > 0) else { return false };
        task.telling -= 1;
        true
    }

    pub(crate) fn end_sums(&mut self) {
        for tally in &mut self.sums.tallies {
            tally.cells = None;
        }
        self.sums.of_scopes.clear();
        self.sums.of_tasks = Default::default();
        self.sums.is_in_block = false;
    }

    /// Writes blocks that are full and still change, until `enough` says so: each in its turn.
    pub(crate) fn write_changing(&mut self, mut enough: impl FnMut() -> bool) {
        for _ in 0..self.sums.blocks.len() {
            if enough() {
                return;
            }
            let next = self.sums.next % self.sums.blocks.len();
            let slot = &self.sums.blocks[next];
            let _ = slot.write(slot.size);
            self.sums.next = next + 1;
        }
    }

    /// Lets go of blocks in which nothing changes any more. One that cannot be written stays, for the end.
    pub(crate) fn release_blocks(&mut self) {
        let blocks = std::mem::take(&mut self.sums.blocks);
        for slot in blocks {
            match slot.write(slot.size) {
                Ok(()) => {
                    slot.leave_place();
                    part::release(&slot);
                }
                Err(_) => self.sums.blocks.push(slot),
            }
        }
    }
}
