//! From what a strand runs to nodes: pieces begin, end, and come behind each other; explicit tasks are created, begin and end.

use ompchunk_trace_format::At;
use ompchunk_trace_format::tasks::{OF_CREATOR, UNDEFERRED};

use super::build::Builder;
use super::graph::{Drawn, Kind, NOWHERE, Node, Task, What};
use super::strand::{Piece, Strand, Tip, Whose};
use crate::grain::follow::{Follow, FollowTasks};
use crate::grain::region::GrainPath;

impl Builder<'_> {
    /// It stops. `must`: there is to be a node, however short it was.
    pub(super) fn halt(&mut self, strand: usize, now: u64, must: bool) {
        let of = &mut self.strands.all[strand];
        of.waits.settle(now);
        let Some(piece) = of.piece.take() else { return };
        let ticks = now.saturating_sub(piece.at.ticks).saturating_sub(of.waits.off);
        let is_drawn = match piece.what {
            What::Task { fragment, .. } | What::Chunk { fragment, .. } => fragment == 0 || ticks > 0,
            _ => of.has_tasks && ticks > 0,
        };
        if is_drawn || must {
            self.draw(strand, &piece, now, Some(ticks));
        }
    }

    fn draw(&mut self, strand: usize, piece: &Piece, now: u64, ticks: Option<u64>) {
        let Piece { what, at } = *piece;
        let node = self.graph.node(Drawn { what, at, end: now, ticks });
        let add = |sum: Option<u64>| Some(sum? + ticks?);
        match what {
            What::Task { task, .. } => {
                let task = &mut self.graph.tasks[task as usize];
                task.first.get_or_insert(node);
                task.fragments += 1;
                task.ticks = add(task.ticks);
            }
            What::Chunk { grain, .. } => {
                let of = &mut self.graph.grains[grain as usize].0;
                of.ticks = add(of.ticks);
                if let Some(running) = self.strands.all[strand].loops.last_mut()
                    && let Some((_, fragments)) = &mut running.grain
                {
                    *fragments += 1;
                }
            }
            _ => {}
        }
        self.append(strand, node, at.ticks);
    }

    pub(super) fn append(&mut self, strand: usize, node: Node, at: u64) {
        let tip = self.strands.all[strand].tip;
        let from = self.resolve(tip, at);
        let is_fork = |node: Node| matches!(self.graph.nodes[node as usize].what, What::Fork(_));
        let is_join = matches!(self.graph.nodes[node as usize].what, What::Join(_));
        let kind = match tip {
            _ if is_join => Kind::Sync,
            Tip::Creation(_) => Kind::Create,
            _ if from.is_some_and(is_fork) => Kind::Create,
            _ => Kind::Continue,
        };
        match from {
            Some(from) => self.graph.edge(from, node, kind),
            None => self.graph.begins.push(node),
        }
        let behind = std::mem::take(&mut self.strands.all[strand].behind);
        behind.into_iter().for_each(|earlier| self.graph.edge(earlier, node, Kind::Sync));
        self.strands.all[strand].tip = Tip::Node(node);
    }

    /// The node that is meant, which is made if it is a region's; `None`: nothing comes before.
    pub(super) fn resolve(&mut self, tip: Tip, at: u64) -> Option<Node> {
        match tip {
            Tip::Start => None,
            Tip::Node(node) | Tip::Creation(node) => Some(node),
            Tip::Phase(region, phase) => {
                let open = &mut self.regions[region as usize];
                Some(open.phase(phase, &mut self.graph, at).0)
            }
        }
    }

    pub(super) fn join(&mut self, strand: usize, now: u64) -> Node {
        let (region, _) = self.strands.all[strand].phase;
        let region = (region != NOWHERE.0).then_some(region);
        self.graph.point(What::Join(region), now)
    }

    pub(super) fn meet(&mut self, strand: usize, tasks: Vec<u32>, meeting: Option<u32>, now: u64) {
        let waited = self.strands.all[strand].waits.waited;
        if let Some(meeting) = meeting {
            self.graph.meetings[meeting as usize].waited = waited;
        }
        let mut last = Vec::new();
        for task in tasks {
            let is_over = !self.of_tasks.contains_key(&task);
            let task = &mut self.graph.tasks[task as usize];
            if is_over && !task.is_joined {
                task.is_joined = task.last.is_some();
                last.extend(task.last);
            }
        }
        if last.is_empty() {
            return;
        }
        let join = self.join(strand, now);
        self.append(strand, join, now);
        last.into_iter().for_each(|earlier| self.graph.edge(earlier, join, Kind::Sync));
    }

    /// The end of the part: what is open has no end, but comes before what would be behind it.
    pub(super) fn finish(&mut self) {
        let mut open: Vec<usize> = self.strands.lanes.values().flatten().copied().collect();
        let mut waiting: Vec<usize> = self.of_tasks.values().copied().collect();
        // As they began, whatever the order of the maps.
        open.sort_unstable();
        waiting.sort_unstable();
        for strand in open.iter().chain(&waiting) {
            let cut = self.strands.all[*strand].piece.take();
            if let Some(piece) = cut.filter(|piece| matches!(piece.what, What::Task { .. } | What::Chunk { .. })) {
                self.draw(*strand, &piece, piece.at.ticks, None);
            }
        }
        for index in (0..self.regions.len() as u32).rev() {
            if self.regions[index as usize].ended {
                continue;
            }
            for strand in open.iter().chain(&waiting).copied() {
                let of = &self.strands.all[strand];
                match (of.whose, of.tip) {
                    (Whose::Implicit(region), _) if region == index => self.reach_barrier(strand),
                    (Whose::Task(task), Tip::Node(last)) if of.phase.0 == index => {
                        self.graph.tasks[task as usize].last = Some(last);
                    }
                    _ => {}
                }
            }
            let begin = self.graph.regions[index as usize].begin;
            self.close_region(index, begin);
        }
        for strand in open {
            let of = &self.strands.all[strand];
            if let (Whose::Initial, Tip::Node(last)) = (of.whose, of.tip) {
                self.graph.ends.push(last);
            }
        }
        self.finish_tasks();
    }

    fn finish_tasks(&mut self) {
        for task in &mut self.graph.tasks {
            if let Some(last) = task.last.filter(|_| !task.is_joined) {
                task.is_joined = true;
                self.graph.ends.push(last);
            }
        }
        let mut depends = std::mem::take(&mut self.depends);
        depends.sort_unstable();
        depends.dedup();
        for [before, after] in depends {
            let [before, after] = [before, after].map(|task| &self.graph.tasks[task as usize]);
            if let (Some(from), Some(to)) = (before.last, after.first) {
                self.graph.edge(from, to, Kind::Depend);
            }
        }
    }

    /// A task of that number, which may not have been told yet.
    fn known(&mut self, number: u64) -> u32 {
        let next = self.graph.tasks.len() as u32;
        let index = *self.numbers.entry(number).or_insert(next);
        if index == next {
            self.graph.tasks.push(Task::new(number));
        }
        index
    }

    /// The implicit task that the lane is in: where it is.
    fn around(&mut self, at: At) -> (Tip, (u32, u32), GrainPath) {
        self.top(at);
        let nothing = (Tip::Start, NOWHERE, GrainPath::default());
        let around = self.strands.depth(at, |strand| strand.task().is_none());
        let around = around.map(|depth| self.strands.lane(at)[depth]);
        around.map(|strand| &self.strands.all[strand]).map_or(nothing, |strand| match strand.whose {
            Whose::Implicit(region) => (Tip::Phase(region, strand.phase.1), strand.phase, strand.path),
            _ => (Tip::Start, NOWHERE, strand.path),
        })
    }
}

impl FollowTasks for Builder<'_> {
    fn create(&mut self, at: At, number: u64, flags: u32, code: u64) {
        let top = self.top(at);
        self.strands.all[top].has_tasks = true;
        self.halt(top, at.ticks, true);
        let index = self.known(number);
        let tip = self.strands.all[top].tip;
        let creator = self.resolve(tip, at.ticks);
        let of = &mut self.strands.all[top];
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
        self.resume(top, at);
    }

    fn wait_by_dependences(&mut self, at: At, number: u64, flags: u32, code: u64) {
        let top = self.stop_top(at);
        let join = self.join(top, at.ticks);
        self.append(top, join, at.ticks);
        let index = self.known(number);
        let task = &mut self.graph.tasks[index as usize];
        (task.flags, task.code, task.is_joined) = (flags, code, true);
        (task.first, task.last) = (Some(join), Some(join));
        self.resume(top, at);
    }

    fn creation(&mut self, number: u64, duration: u64) {
        if let Some(task) = self.numbers.get(&number) {
            self.graph.tasks[*task as usize].creation = Some(duration);
        }
    }

    fn depends(&mut self, at: At, number: u64, kind: u32, variable: u64) {
        let index = self.known(number);
        let top = self.top(at);
        let before = self.strands.all[top].depends.get_or_insert_default().add(index, kind, variable);
        self.depends.extend(before.into_iter().map(|before| [before, index]));
    }

    fn task_strand(&mut self, at: At, number: u64) -> usize {
        let index = self.known(number);
        if let Some(strand) = self.of_tasks.get(&index) {
            return *strand;
        }
        let around = self.around(at);
        let task = &mut self.graph.tasks[index as usize];
        if task.phase == NOWHERE && task.creator.is_none() {
            task.phase = around.1;
        }
        let tip = task.creator.map_or(around.0, Tip::Creation);
        let strand = self.strands.add(Strand {
            whose: Whose::Task(index),
            tip,
            phase: task.phase,
            path: around.2.task(task.child_number),
            around: task.group,
            ..Strand::default()
        });
        self.of_tasks.insert(index, strand);
        strand
    }

    fn task_end(&mut self, at: At, number: u64) {
        let index = self.known(number);
        let Some(strand) = self.of_tasks.remove(&index) else { return };
        self.leave_strand(at, strand);
        let last = match self.strands.all[strand].tip {
            Tip::Node(last) => Some(last),
            _ => None,
        };
        self.strands.free.push(strand);
        let task = &mut self.graph.tasks[index as usize];
        task.last = last;
        if task.flags & UNDEFERRED != 0 {
            task.is_joined = last.is_some();
            if let Some(meeting) = self.graph.meetings.get_mut(task.meeting as usize) {
                meeting.tasks = meeting.tasks.saturating_sub(1);
            }
            let top = self.top(at);
            self.strands.all[top].behind.extend(last);
        }
    }
}
