//! Explicit tasks: created, begun, left, ended, and ordered by dependences.

use ompchunk_trace_format::At;
use ompchunk_trace_format::tasks::{OF_CREATOR, UNDEFERRED, is_end};

use super::build::Builder;
use super::graph::{Kind, NOWHERE, Task};
use super::strand::{Strand, Tip, Whose};
use crate::grain::follow::{Follow, FollowTasks};
use crate::grain::region::GrainPath;

impl FollowTasks for Builder<'_, '_> {
    fn create(&mut self, at: At, number: u64, flags: u32, code: u64) {
        let top = self.top(at);
        self.strands[top].has_tasks = true;
        self.stop(top, at.ticks, true);
        let index = self.known(number);
        let tip = self.strands[top].tip;
        let creator = self.resolve(tip, at.ticks);
        let of = &mut self.strands[top];
        of.children.push(index);
        let child_number = of.created;
        of.created += 1;
        let own_group = of.groups.last().copied();
        let meeting = match own_group {
            Some(group) => &mut self.groups[group as usize].meeting,
            None => &mut of.meeting,
        };
        let meeting = *meeting.get_or_insert_with(|| self.graph.meeting());
        self.graph.meetings[meeting as usize].tasks += 1;
        let group = of.group();
        if let Some(group) = group {
            self.groups[group as usize].members.push(index);
        }
        let (parent, phase) = (of.task(), of.phase);
        if let Some(parent) = parent.filter(|_| flags & OF_CREATOR != 0) {
            self.graph.tasks[parent as usize].is_creator = true;
        }
        let depth = parent.map_or(0, |parent| self.graph.tasks[parent as usize].depth);
        let task = &mut self.graph.tasks[index as usize];
        (task.parent, task.phase, task.depth) = (parent, phase, depth + 1);
        (task.flags, task.code, task.creator) = (flags, code, creator);
        task.created_on = at.thread;
        (task.meeting, task.child_number, task.group) = (meeting, child_number, group);
        if let Some((creator, first)) = creator.zip(task.first) {
            // Another thread was as quick as the clock.
            self.graph.edge(creator, first, Kind::Create);
        }
        if let Some(region) = self.regions.get_mut(phase.0 as usize) {
            region.tasks.push(index);
        }
        self.resume(top, at.thread, at.ticks);
    }

    fn wait_by_dependences(&mut self, at: At, number: u64, flags: u32, code: u64) {
        let top = self.top(at);
        self.stop(top, at.ticks, false);
        let join = self.join(top, at.ticks);
        self.append(top, join, at.ticks);
        let index = self.known(number);
        let task = &mut self.graph.tasks[index as usize];
        (task.flags, task.code, task.is_joined) = (flags, code, true);
        (task.first, task.last) = (Some(join), Some(join));
        self.resume(top, at.thread, at.ticks);
    }

    fn creation(&mut self, number: u64, duration: u64) {
        if let Some(task) = self.numbers.get(&number) {
            self.graph.tasks[*task as usize].creation = Some(duration);
        }
    }

    fn switch(&mut self, at: At, prior: u64, status: u32, next: u64) {
        let top = self.top(at);
        self.stop(top, at.ticks, false);
        if prior != 0 && is_end(status) {
            self.end(at, prior);
        }
        match next {
            0 => self.leave_tasks(at),
            next => self.enter(at, next),
        }
        let top = self.top(at);
        self.resume(top, at.thread, at.ticks);
    }

    fn depends(&mut self, at: At, number: u64, kind: u32, variable: u64) {
        let index = self.known(number);
        let top = self.top(at);
        let depends = self.strands[top].depends.get_or_insert_default();
        let before = depends.add(index, kind, variable);
        let pairs = before.into_iter().map(|before| [before, index]);
        self.depends.extend(pairs);
    }
}

impl Builder<'_, '_> {
    /// A task of that number, which may not have been told yet.
    fn known(&mut self, number: u64) -> u32 {
        let next = self.graph.tasks.len() as u32;
        let index = *self.numbers.entry(number).or_insert(next);
        if index == next {
            self.graph.tasks.push(Task::of(number));
        }
        index
    }

    /// The lane goes on with what is no explicit task.
    fn leave_tasks(&mut self, at: At) {
        let lane = self.lanes.entry(at.lane).or_default();
        let strands = &self.strands;
        let is_other = |strand: &usize| strands[*strand].task().is_none();
        if let Some(depth) = lane.iter().rposition(is_other) {
            self.leave(at, depth + 1);
        }
    }

    /// The lane begins a task, or goes on with it.
    fn enter(&mut self, at: At, number: u64) {
        let index = self.known(number);
        let strand = match self.of_tasks.get(&index) {
            Some(strand) => *strand,
            None => self.begin(at, index),
        };
        let lane = self.lanes.entry(at.lane).or_default();
        match lane.iter().position(|known| *known == strand) {
            Some(depth) => self.leave(at, depth + 1),
            None => lane.push(strand),
        }
    }

    fn begin(&mut self, at: At, index: u32) -> usize {
        let around = self.around(at);
        let task = &mut self.graph.tasks[index as usize];
        if task.phase == NOWHERE && task.creator.is_none() {
            task.phase = around.1;
        }
        let tip = task.creator.map_or(around.0, Tip::Creation);
        let (phase, path) = (task.phase, around.2.task(task.child_number));
        let group = task.group;
        let mut strand = Strand::new(Whose::Task(index), tip, phase, path);
        strand.around = group;
        let strand = self.strand(strand);
        self.of_tasks.insert(index, strand);
        strand
    }

    /// The implicit task that the lane is in: where it is.
    fn around(&mut self, at: At) -> (Tip, (u32, u32), GrainPath) {
        self.top(at);
        let lane = self.lanes.entry(at.lane).or_default();
        let around = lane.iter().rev().map(|strand| &self.strands[*strand]);
        let mut around = around.filter(|strand| strand.task().is_none());
        let nothing = (Tip::Start, NOWHERE, GrainPath::default());
        around.next().map_or(nothing, |strand| match strand.whose {
            Whose::Implicit(region) => {
                let tip = Tip::Phase(region, strand.phase.1);
                (tip, strand.phase, strand.path)
            }
            _ => (Tip::Start, NOWHERE, strand.path),
        })
    }

    fn end(&mut self, at: At, number: u64) {
        let index = self.known(number);
        let Some(strand) = self.of_tasks.remove(&index) else {
            return;
        };
        let lane = self.lanes.entry(at.lane).or_default();
        if let Some(depth) = lane.iter().position(|known| *known == strand) {
            self.leave(at, depth);
        }
        let tip = self.strands[strand].tip;
        let last = match tip {
            Tip::Node(last) => Some(last),
            _ => None,
        };
        self.free.push(strand);
        let task = &mut self.graph.tasks[index as usize];
        task.last = last;
        if task.flags & UNDEFERRED != 0 {
            task.is_joined = last.is_some();
            if let Some(meeting) = self.graph.meetings.get_mut(task.meeting as usize) {
                meeting.tasks = meeting.tasks.saturating_sub(1);
            }
            let top = self.top(at);
            self.strands[top].behind.extend(last);
        }
    }
}
