//! Work and span while the program runs, as in Cilkview: the longest chain of work that leads to where a thread is. A
//! task begins where its creator's chain is, or behind what it depends on (`ordered`). A `taskwait` comes behind the
//! tasks created so far, the end of a `taskgroup` behind all in it, a barrier behind the team's. Waits are in no chain.

use std::ptr;

use ompchunk_guest::memory;
use ompchunk_trace_format::is_barrier;
use ompt::raw::{SYNC_TASKGROUP, SYNC_TASKWAIT, SyncKind, TASK_UNDEFERRED};

use crate::tasks::order::Order;
use crate::tasks::pool::Pool;
use crate::tasks::record::{Part, Record, Team};

#[derive(Default)]
pub(crate) struct Paths {
    pub(crate) pool: Pool,
    strands: Vec<Strand>,
    since: u64,
}

struct Strand {
    what: What,
    record: *mut Record,
    began: u64,
    /// What the thread spent in it, where that is no work.
    ticks: u64,
}

#[derive(Clone, Copy)]
enum What {
    /// In a team, after so many barriers; no team: outside of all regions.
    Implicit(Option<&'static Team>, u32),
    /// By the address of the runtime's word for it.
    Task(usize),
    Wait(SyncKind),
    /// For some of its tasks, by the address of the runtime's word for that `taskwait`.
    WaitForSome(usize),
    Region(&'static Team),
}

#[derive(Clone, Copy)]
pub(crate) struct Created {
    pub(crate) now: u64,
    pub(crate) thread: u32,
    pub(crate) flags: i32,
    pub(crate) has_dependences: bool,
    pub(crate) code: u64,
}

/// Where a task or a wait is: what else it belongs to.
#[derive(Clone, Copy, Default)]
pub(crate) struct Around {
    pub(crate) team: Option<&'static Team>,
    /// The explicit task's construct, by the return address of its creation.
    pub(crate) construct: Option<u64>,
}

#[derive(Clone, Copy)]
pub(crate) struct Ended {
    pub(crate) team: &'static Team,
    pub(crate) elapsed: u64,
    pub(crate) is_outermost: bool,
}

impl Paths {
    pub(crate) fn pass(&mut self, now: u64) {
        let ticks = now.saturating_sub(self.since);
        self.since = now;
        let Some(innermost) = self.strands.last_mut() else { return };
        match innermost.runs() {
            Some(record) => record.works(ticks),
            None => innermost.ticks = innermost.ticks.saturating_add(ticks),
        }
    }

    pub(crate) fn around(&self) -> Around {
        let mut around = Around::default();
        for strand in self.strands.iter().rev() {
            match strand.what {
                What::Task(_) if around.construct.is_none() => {
                    around.construct = strand.runs().map(|record| record.code.get());
                }
                What::Implicit(team, _) => {
                    around.team = team;
                    return around;
                }
                _ => {}
            }
        }
        around
    }

    pub(crate) fn implicit_begins(&mut self, now: u64, team: Option<&'static Team>) {
        self.pass(now);
        let record = self.pool.take(0);
        self.push(now, What::Implicit(team, 0), record);
    }

    /// The innermost implicit task ends. A worker may learn of it when its team is another one's already.
    pub(crate) fn implicit_ends(&mut self, now: u64) {
        if let Some(place) = self.place_of(|what| matches!(what, What::Implicit(..))) {
            self.pass(now);
            self.cut(place);
        }
    }

    pub(crate) fn region_begins(&mut self, now: u64, team: &'static Team) {
        self.goes_on(now);
        let outer = self.strands.iter().find_map(|strand| match strand.what {
            What::Region(team) | What::Implicit(Some(team), _) => Some(team.root()),
            _ => None,
        });
        if let Some(root) = outer {
            team.begin(root);
        }
        self.push(now, What::Region(team), ptr::null_mut());
    }

    /// The innermost region that the thread began is over: what began it goes on behind its longest chain.
    pub(crate) fn region_ends(&mut self, now: u64) -> Option<Ended> {
        let place = self.place_of(|what| matches!(what, What::Region(_)))?;
        self.pass(now);
        self.cut(place + 1);
        let strand = self.strands.pop()?;
        let What::Region(team) = strand.what else { return None };
        if let Some(record) = self.strands.last().and_then(Strand::runs) {
            record.goes_through(team.span());
        }
        let in_team = |strand: &Strand| matches!(strand.what, What::Implicit(Some(_), _));
        if let Some(outer) = self.around().team {
            if team.has_tasks() {
                outer.gets_task();
            }
            if !team.is_known() {
                outer.is_lost();
            }
        }
        Some(Ended { team, elapsed: now.saturating_sub(strand.began), is_outermost: !self.strands.iter().any(in_team) })
    }

    pub(crate) fn creates(&mut self, task: Created) -> *mut Record {
        self.goes_on(task.now);
        let creator = self.strands.iter().rev().find(|strand| strand.can_run());
        let parent = creator.map_or(ptr::null_mut(), |strand| strand.record);
        // SAFETY: null, or of a task that has not ended.
        let known = unsafe { parent.as_ref() };
        let made = self.pool.take(known.map_or(0, Record::path));
        // SAFETY: just taken.
        let record = unsafe { &*made };
        record.depth.set(1 + known.map_or(0, |parent| parent.depth.get()));
        record.created.set(task.now);
        record.thread.set(task.thread);
        record.flags.set(task.flags);
        record.code.set(task.code);
        record.call.set(task.code);
        if task.has_dependences {
            record.order.change(Order::expects);
        }
        record.parent.set(parent);
        if let Some(parent) = known {
            parent.creates(record);
            parent.join();
            record.group.set(parent.inner.get());
            record.inner.set(parent.inner.get());
            // SAFETY: null, or a taskgroup that is not over.
            if let Some(group) = unsafe { parent.inner.get().as_ref() } {
                group.begun.set(true);
            }
        }
        if let Some(team) = self.around().team {
            team.gets_task();
            if known.is_none() {
                team.is_lost();
            }
        }
        made
    }

    pub(crate) fn begins(&mut self, now: u64, word: usize, record: *mut Record) {
        self.pass(now);
        let place = self.place_of(|what| matches!(what, What::Task(of) if of == word));
        if let Some(place) = place {
            return self.cut(self.end_of(place));
        }
        // SAFETY: null, or of a task that has not ended.
        let known = unsafe { record.as_ref() };
        if let Some(untied) = known.filter(|record| record.is_untied()) {
            untied.join();
        }
        if !known.is_some_and(Record::begins_in_order) {
            self.loses_span();
        }
        self.push(now, What::Task(word), record);
    }

    pub(crate) fn leaves(&mut self, now: u64, word: usize) {
        let place = self.place_of(|what| matches!(what, What::Task(of) if of == word));
        if let Some(place) = place {
            self.pass(now);
            self.cut(place);
        }
    }

    /// The caller gives its record back, and is told of its team. Safety: the record is of a task that has not ended.
    pub(crate) unsafe fn ends(&mut self, now: u64, word: usize, task: *mut Record) {
        self.pass(now);
        self.leaves(now, word);
        // SAFETY: the caller's promise.
        leave_groups(unsafe { &*task }, &mut self.pool);
        // SAFETY: the caller's promise; parent and taskgroup outlive it.
        let (record, parent, group) = unsafe {
            let record = &*task;
            (record, record.parent.get().as_ref(), record.group.get().as_ref())
        };
        let path = record.path();
        record.ends_in_order();
        for waits in [parent, group].into_iter().flatten() {
            waits.child_ends(path);
        }
        let implicit = self.strands.iter().rev().find_map(|strand| match strand.what {
            What::Implicit(team, barriers) => team.zip(Some(barriers)),
            _ => None,
        });
        if let Some((team, barriers)) = implicit {
            team.reaches(barriers, path);
            let is_undeferred = record.flags.get() & TASK_UNDEFERRED != 0;
            // A team of one thread runs all tasks like that, whatever the program says.
            if let Some(creator) = parent.filter(|_| is_undeferred && team.size() > 1) {
                creator.waits_for(path);
            }
        }
        // SAFETY: it was a user of the task that created it, until now.
        unsafe { self.pool.leave(record.parent.replace(ptr::null_mut())) };
    }

    /// Gives, at a barrier, what the implicit task worked since that was asked last.
    pub(crate) fn wait_begins(&mut self, now: u64, kind: SyncKind) -> Option<(&'static Team, u64)> {
        self.goes_on(now);
        let worked = self.strands.last().and_then(|innermost| match innermost.what {
            What::Implicit(Some(team), barriers) if is_barrier(kind) => {
                let record = innermost.runs()?;
                team.reaches(barriers, record.path());
                team.has_tasks().then(|| (team, record.take_work()))
            }
            _ => None,
        });
        self.push(now, What::Wait(kind), ptr::null_mut());
        worked
    }

    pub(crate) fn wait_ends(&mut self, now: u64, kind: SyncKind) -> Option<u64> {
        let place = self.place_of(|what| matches!(what, What::Wait(of) if of == kind))?;
        self.pass(now);
        self.cut(place + 1);
        let waited = self.strands.pop()?.ticks;
        let strand = self.strands.last_mut()?;
        match (kind, &mut strand.what) {
            (SYNC_TASKWAIT, _) => {
                let record = strand.runs()?;
                record.waits_for(record.ends());
                record.children_are_over();
            }
            (SYNC_TASKGROUP, _) => end_group(strand.runs()?, &mut self.pool),
            (_, What::Implicit(Some(team), barriers)) if is_barrier(kind) => {
                let longest = team.longest(*barriers);
                *barriers = barriers.wrapping_add(1);
                let record = strand.runs()?;
                record.waits_for(longest);
                record.children_are_over();
            }
            _ => {}
        }
        Some(waited)
    }

    fn running(&self) -> Option<&Record> {
        let innermost = self.strands.iter().rev().find(|strand| strand.can_run());
        innermost.and_then(Strand::runs)
    }

    pub(crate) fn number(&self) -> u32 {
        self.running().map_or(0, Record::number)
    }

    /// A taskgroup begins, whose end is that of a wait. It has a record of its own, for the ends of the tasks in it.
    pub(crate) fn group_begins(&mut self, now: u64, code: u64) {
        self.goes_on(now);
        if let Some(record) = self.strands.last().and_then(Strand::runs) {
            let group = self.pool.take(0);
            // SAFETY: just taken.
            unsafe {
                (*group).parent.set(record.inner.get());
                (*group).code.set(code);
            }
            record.inner.set(group);
        }
    }

    pub(crate) fn clear(&mut self) {
        self.cut(0);
    }

    /// Where what a task is in ends that goes on: behind its waits, before the next task.
    fn end_of(&self, place: usize) -> usize {
        let behind = self.strands.iter().skip(place + 1);
        let waits = behind.take_while(|strand| strand.waits());
        place + 1 + waits.count()
    }

    fn push(&mut self, began: u64, what: What, record: *mut Record) {
        let strand = Strand { what, record, began, ticks: 0 };
        memory::push(&mut self.strands, strand);
    }

    fn place_of(&self, is: impl Fn(What) -> bool) -> Option<usize> {
        self.strands.iter().rposition(|strand| is(strand.what))
    }

    fn cut(&mut self, depth: usize) {
        while self.strands.len() > depth {
            let Some(strand) = self.strands.pop() else { return };
            let Some(record) = strand.runs() else { continue };
            let is_implicit = matches!(strand.what, What::Implicit(..));
            if is_implicit {
                leave_groups(record, &mut self.pool);
            }
            if is_implicit || record.is_untied() {
                // SAFETY: an implicit task, and a part of an untied one, are users of their record.
                unsafe { self.pool.leave(strand.record) };
            }
        }
    }
}

impl Strand {
    fn runs(&self) -> Option<&Record> {
        // SAFETY: null, or of a task that has not ended, or of which this is a user.
        unsafe { self.record.as_ref() }
    }

    fn waits(&self) -> bool {
        matches!(self.what, What::Wait(_) | What::WaitForSome(_))
    }

    fn can_run(&self) -> bool {
        matches!(self.what, What::Implicit(..) | What::Task(_))
    }
}

fn end_group(record: &Record, pool: &mut Pool) {
    let over = record.inner.get();
    if over.is_null() || over == record.group.get() {
        // It is the one of the task's creator.
        return;
    }
    // SAFETY: a taskgroup that is not left yet, and nothing that is in it goes on.
    unsafe {
        record.waits_for((*over).ends());
        record.inner.set((*over).parent.get());
        pool.leave(over);
    }
}

fn leave_groups(record: &Record, pool: &mut Pool) {
    while record.inner.get() != record.group.get() && !record.inner.get().is_null() {
        end_group(record, pool);
    }
}

mod ordered;

impl Paths {
    pub(crate) fn taskloop(&mut self, begins: bool, code: u64) {
        let Some(record) = self.running() else { return };
        let open = record.taskloops.get();
        if !begins {
            record.taskloops.set(open.saturating_sub(1));
            return;
        }
        record.taskloops.set(open.saturating_add(1));
        // The runtime's own code may be where it says that the construct is, and then says where its taskgroup is.
        // SAFETY: null, or a taskgroup that is not over.
        let group = unsafe { record.inner.get().as_ref() };
        let group = group.filter(|group| !group.begun.get() && group.code.get() != 0);
        let code = group.map_or(code, |group| group.code.get());
        record.taskloop.set((code, code));
    }

    pub(crate) fn construct_of(&self, call: u64) -> u64 {
        let Some(record) = self.running() else { return call };
        let (code, creates) = record.taskloop.get();
        match () {
            () if creates == call => code,
            () if record.part.get() != Part::Other && record.call.get() == call => record.code.get(),
            () => call,
        }
    }
}

#[cfg(test)]
mod tests;
