//! Explicit tasks: created, begun, left, ended, and ordered by dependences.

use ompchunk_trace_format::At;
use ompchunk_trace_format::tasks::UNDEFERRED;

use super::read::Reader;
use super::strand::{Kept, Meeting, Path, Strand, add, remove};
use crate::grain::follow::{Follow, FollowTasks, Runs};

impl FollowTasks for Reader<'_> {
    fn create(&mut self, at: At, number: u64, flags: u32, code: u64) {
        let top = self.top(at);
        self.strands.all[top].has_tasks = true;
        self.stop(top, at.ticks);
        let creator = &mut self.strands.all[top];
        let group = self.groups.tasks(creator.place(), code, creator.depth + 1);
        self.groups.group(group).count += 1;
        let own = creator.taskgroups.last();
        match own {
            Some(own) => add(&mut self.taskgroups[*own].tasks, group),
            None => add(&mut creator.meeting, group),
        }
        let created = Strand {
            group,
            number,
            flags,
            creator: (top, creator.serial),
            is_created: true,
            depth: creator.depth + 1,
            region: creator.region,
            phase: creator.phase,
            path: creator.path,
            owner: self.owners.of_tasks(code),
            around: creator.taskgroup(),
            ..Strand::default()
        };
        self.enlist(number, created);
        self.resume(top, at);
    }

    fn wait_by_dependences(&mut self, at: At, number: u64, _flags: u32, _code: u64) {
        let top = self.stop_top(at);
        self.tasks.insert(number, top);
        self.resume(top, at);
    }

    fn creation(&mut self, number: u64, duration: u64) {
        if let Some(strand) = self.tasks.get(&number) {
            self.groups.group(self.strands.all[*strand].group).create(duration);
        }
    }

    fn task_strand(&mut self, at: At, number: u64) -> usize {
        let strand = match self.tasks.get(&number) {
            Some(strand) => *strand,
            None => self.begin_unknown(at, number),
        };
        self.strands.all[strand].begun.get_or_insert(at);
        strand
    }

    fn depends(&mut self, at: At, number: u64, kind: u32, variable: u64) {
        let Some(task) = self.tasks.get(&number).copied() else { return };
        let top = self.top(at);
        let next = self.ends.len() as u32;
        // A taskwait with dependences has the number of the task that waits: what comes later is not behind it.
        let is_wait = task == top;
        let order = match self.strands.all[task].order.filter(|_| !is_wait) {
            Some(order) => order,
            None => {
                self.ends.push(Kept::default());
                next
            }
        };
        let before = self.strands.all[top].depends.get_or_insert_default().add(order, kind, variable);
        let of = &mut self.strands.all[task];
        if !is_wait {
            of.order = Some(order);
        }
        of.before.extend(before);
    }

    fn task_end(&mut self, at: At, number: u64) {
        let Some(strand) = self.tasks.remove(&number) else { return };
        self.leave_strand(at, strand);
        let ended = std::mem::take(&mut self.strands.all[strand]);
        self.strands.free.push(strand);
        let group = self.groups.group(ended.group);
        group.end_task(ended.begun, ended.ticks);
        if !ended.is_created {
            (group.count, group.left_alone) = (group.count + 1, group.left_alone + 1);
        }
        for (group, tasks) in &ended.meeting {
            self.groups.group(*group).left_alone += u64::from(*tasks);
        }
        self.span = self.span.max(ended.path);
        if let Some(order) = ended.order {
            self.ends[order as usize] = ended.path.kept();
        }
        if let Some(taskgroup) = ended.around {
            let path = &mut self.taskgroups[taskgroup].path;
            *path = (*path).max(ended.path);
        }
        let open = ended.region.and_then(|region| self.regions.get_mut(&region));
        if let Some(open) = open {
            open.reach(ended.phase, ended.path);
        }
        let (creator, serial) = ended.creator;
        let creator = self.strands.all.get_mut(creator);
        let Some(creator) = creator.filter(|creator| creator.serial == serial && serial != 0) else { return };
        creator.children = creator.children.max(ended.path);
        if ended.flags & UNDEFERRED != 0 {
            creator.path = creator.path.max(ended.path);
            let meeting = match creator.taskgroups.last() {
                Some(own) => &mut self.taskgroups[*own].tasks,
                None => &mut creator.meeting,
            };
            if remove(meeting, ended.group) {
                self.groups.met.insert((ended.group, creator.group));
            }
        }
    }
}

impl Reader<'_> {
    /// Another thread that is as quick as the clock may have begun it before.
    fn enlist(&mut self, number: u64, created: Strand) {
        let Some(begun) = self.tasks.get(&number).copied() else {
            let strand = self.strand(created);
            self.tasks.insert(number, strand);
            return;
        };
        let begun = &mut self.strands.all[begun];
        begun.path = begun.path.max(created.path);
        begun.owner = created.owner;
        (begun.group, begun.flags, begun.depth) = (created.group, created.flags, created.depth);
        (begun.creator, begun.is_created) = (created.creator, true);
        (begun.region, begun.phase) = (created.region, created.phase);
        begun.around = created.around;
        if let Some(piece) = &mut begun.piece {
            piece.group = created.group;
        }
    }

    /// A task whose creation is not told, at least not yet: as if the implicit task around had created it.
    fn begin_unknown(&mut self, at: At, number: u64) -> usize {
        self.top(at);
        let around = self.strands.depth(at, |strand| !strand.is_explicit());
        let around = around.map(|depth| self.strands.lane(at)[depth]).map(|strand| &self.strands.all[strand]);
        let (place, region, phase, path) = around
            .map_or((0, None, 0, Path::default()), |around| (around.group, around.region, around.phase, around.path));
        let group = self.groups.tasks(place, 0, 1);
        let owner = self.owners.of_tasks(0);
        let strand = self.strand(Strand { group, number, depth: 1, owner, region, phase, path, ..Strand::default() });
        self.tasks.insert(number, strand);
        strand
    }

    /// The strand has waited for these tasks, in a construct that waits for tasks alone or in a barrier.
    pub(super) fn meet(&mut self, strand: usize, meeting: &Meeting, is_alone: bool) {
        let of = &self.strands.all[strand];
        let tasks: u32 = meeting.iter().map(|(_, tasks)| tasks).sum();
        if tasks == 0 {
            return;
        }
        for (group, some) in meeting.iter().filter(|(_, tasks)| *tasks > 0) {
            let waited = of.waits.waited as f64 * f64::from(*some) / f64::from(tasks);
            self.groups.group(*group).waited_for += waited;
            if is_alone {
                self.groups.met.insert((*group, of.group));
            } else {
                self.groups.group(*group).left_alone += u64::from(*some);
            }
        }
        if is_alone {
            let creator = self.groups.group(of.group);
            creator.meetings += 1;
            creator.waited += of.waits.waited;
        }
    }
}
