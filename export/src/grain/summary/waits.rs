//! Where strands wait, and which tasks they meet there.

use ompchunk_trace_format::{At, is_barrier};

use super::path::Path;
use super::read::Reader;
use super::strand::{Meeting, Taskgroup};
use crate::grain::follow::FollowWaits;
use crate::name::{TASKGROUP, TASKWAIT};

impl FollowWaits for Reader<'_, '_> {
    fn wait(&mut self, at: At, kind: u32) {
        let top = self.top(at);
        self.stop(top, at.ticks);
        let of = &mut self.strands[top];
        of.waits.push(kind);
        (of.waiting_since, of.waited) = (at.ticks, 0);
    }

    fn sync_begin(&mut self, at: At, kind: u32) {
        let top = self.top(at);
        if kind == TASKGROUP {
            let taskgroup = self.free_taskgroups.pop().unwrap_or_else(|| {
                self.taskgroups.push(Taskgroup::default());
                self.taskgroups.len() - 1
            });
            self.strands[top].taskgroups.push(taskgroup);
        } else if kind == TASKWAIT {
            self.wait(at, kind);
        } else if is_barrier(kind) && self.strands[top].loops.is_empty() {
            self.wait(at, kind);
            self.reach(top);
        }
    }

    fn sync_end(&mut self, at: At, kind: u32) {
        let top = self.top(at);
        self.stop(top, at.ticks);
        let of = &mut self.strands[top];
        if of.waits.last() == Some(&kind) {
            of.waits.pop();
            match kind {
                TASKWAIT => {
                    of.path = of.path.max(of.children);
                    let meeting = std::mem::take(&mut of.meeting);
                    self.meet(top, &meeting, true);
                }
                TASKGROUP => {
                    if let Some(taskgroup) = of.taskgroups.pop() {
                        let ended = std::mem::take(&mut self.taskgroups[taskgroup]);
                        self.free_taskgroups.push(taskgroup);
                        of.path = of.path.max(ended.path);
                        self.meet(top, &ended.tasks, true);
                    }
                }
                _ => self.pass_barrier(top),
            }
        }
        self.resume(top, at.ticks);
    }
}

impl Reader<'_, '_> {
    /// The strand has waited for these tasks, in a construct that waits for tasks alone or in a barrier.
    pub(super) fn meet(&mut self, strand: usize, meeting: &Meeting, is_alone: bool) {
        let of = &self.strands[strand];
        let tasks: u32 = meeting.iter().map(|(_, tasks)| tasks).sum();
        if tasks == 0 {
            return;
        }
        for (group, some) in meeting.iter().filter(|(_, tasks)| *tasks > 0) {
            let waited = of.waited as f64 * f64::from(*some) / f64::from(tasks);
            self.groups.of(*group).waited_for += waited;
            match is_alone {
                true => drop(self.groups.met.insert((*group, of.group))),
                false => self.groups.of(*group).left_alone += u64::from(*some),
            }
        }
        if is_alone {
            let creator = self.groups.of(of.group);
            creator.meetings += 1;
            creator.waited += of.waited;
        }
    }

    fn pass_barrier(&mut self, strand: usize) {
        let meeting = std::mem::take(&mut self.strands[strand].meeting);
        self.meet(strand, &meeting, false);
        let of = &mut self.strands[strand];
        let open = of.region.and_then(|region| self.regions.get(&region));
        if let Some(open) = open.filter(|_| !of.is_explicit()) {
            of.phase += 1;
            of.path = of.path.max(open.path(of.phase));
            (of.has_tasks, of.children) = (false, Path::default());
        }
    }
}
