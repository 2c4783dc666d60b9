//! From what a strand runs to nodes: pieces begin, end, and come behind each other.

use ompchunk_trace_format::NOBODY;

use super::build::Builder;
use super::graph::{Drawn, Edge, Kind, NOWHERE, Node, What};
use super::strand::{Piece, Strand, Tip, Whose};

impl Builder<'_, '_> {
    /// A strand, in the place of one that is over.
    pub(super) fn strand(&mut self, strand: Strand) -> usize {
        match self.free.pop() {
            Some(free) => {
                self.strands[free] = strand;
                free
            }
            None => {
                self.strands.push(strand);
                self.strands.len() - 1
            }
        }
    }

    /// It runs from now on, unless it waits.
    pub(super) fn resume(&mut self, strand: usize, thread: u32, now: u64) {
        let of = &mut self.strands[strand];
        if !of.waits.is_empty() {
            of.waiting_since = now;
            return;
        }
        if of.piece.is_some() {
            return;
        }
        let in_chunk = of.loops.last().and_then(|running| running.grain);
        let what = match (in_chunk, of.whose) {
            (Some((grain, fragment)), _) => What::Chunk { grain, fragment },
            (None, Whose::Task(task)) => What::Task { task, fragment: self.graph.tasks[task as usize].fragments },
            (None, Whose::Implicit(region)) => What::Implicit(region),
            (None, Whose::Initial(_)) => What::Implicit(NOWHERE.0),
        };
        of.piece = Some(Piece { what, thread, cpu: self.cpus.get(&thread).copied(), begin: now, off: 0 });
    }

    /// It stops. `must`: there is to be a node, however short it was.
    pub(super) fn stop(&mut self, strand: usize, now: u64, must: bool) {
        let of = &mut self.strands[strand];
        if !of.waits.is_empty() {
            of.waited += now.saturating_sub(of.waiting_since);
            of.waiting_since = now;
        }
        let Some(piece) = of.piece.take() else {
            return;
        };
        let ticks = now.saturating_sub(piece.begin).saturating_sub(piece.off);
        let is_drawn = match piece.what {
            What::Task { fragment, .. } | What::Chunk { fragment, .. } => fragment == 0 || ticks > 0,
            _ => of.has_tasks && ticks > 0,
        };
        if is_drawn || must {
            self.draw(strand, &piece, now, Some(ticks));
        }
    }

    /// The part is cut in it.
    pub(super) fn cut(&mut self, strand: usize) {
        if let Some(piece) = self.strands[strand].piece.take() {
            let is_grain = matches!(piece.what, What::Task { .. } | What::Chunk { .. });
            if is_grain {
                self.draw(strand, &piece, piece.begin, None);
            }
        }
    }

    fn draw(&mut self, strand: usize, piece: &Piece, now: u64, ticks: Option<u64>) {
        let node = self.graph.node(Drawn {
            what: piece.what,
            thread: piece.thread,
            cpu: piece.cpu,
            begin: piece.begin,
            end: now,
            ticks,
        });
        let add = |sum: Option<u64>| Some(sum? + ticks?);
        match piece.what {
            What::Task { task, .. } => {
                let task = &mut self.graph.tasks[task as usize];
                task.first.get_or_insert(node);
                task.fragments += 1;
                task.ticks = add(task.ticks);
            }
            What::Chunk { grain, .. } => {
                let of = &mut self.graph.grains[grain as usize].0;
                of.ticks = add(of.ticks);
                if let Some(running) = self.strands[strand].loops.last_mut()
                    && let Some((_, fragments)) = &mut running.grain
                {
                    *fragments += 1;
                }
            }
            _ => {}
        }
        self.append(strand, node, piece.begin);
    }

    /// A node comes behind all that the strand did before.
    pub(super) fn append(&mut self, strand: usize, node: Node, at: u64) {
        let tip = self.strands[strand].tip;
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
        for earlier in std::mem::take(&mut self.strands[strand].behind) {
            self.graph.edge(earlier, node, Kind::Sync);
        }
        self.strands[strand].tip = Tip::Node(node);
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

    /// What the strand did since the last barrier comes before the next one.
    pub(super) fn reaches(&mut self, strand: usize) {
        let of = &self.strands[strand];
        let (Whose::Implicit(region), Tip::Node(last)) = (of.whose, of.tip) else {
            return;
        };
        let phase = of.phase.1;
        self.regions[region as usize].reaches(phase, last, &mut self.graph);
        for earlier in std::mem::take(&mut self.strands[strand].behind) {
            self.regions[region as usize].reaches(phase, earlier, &mut self.graph);
        }
    }

    /// A node where the strand meets others.
    pub(super) fn join(&mut self, strand: usize, now: u64) -> Node {
        let (region, _) = self.strands[strand].phase;
        let region = (region != NOWHERE.0).then_some(region);
        self.graph.point(What::Join(region), NOBODY, now)
    }

    /// The strand goes on behind these tasks, and has waited for them.
    pub(super) fn meet(&mut self, strand: usize, tasks: Vec<u32>, meeting: Option<u32>, now: u64) {
        let waited = self.strands[strand].waited;
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
        for earlier in last {
            self.graph.edge(earlier, join, Kind::Sync);
        }
    }

    /// The end of the part: what is open has no end, but comes before what would be behind it.
    pub(super) fn finish(&mut self) {
        let open: Vec<usize> = self.lanes.values().flatten().copied().collect();
        let waiting: Vec<usize> = self.of_tasks.values().copied().collect();
        for strand in open.iter().chain(&waiting) {
            self.cut(*strand);
        }
        for index in (0..self.regions.len() as u32).rev() {
            if self.regions[index as usize].ended {
                continue;
            }
            for strand in open.iter().chain(&waiting).copied() {
                let of = &self.strands[strand];
                match (of.whose, of.tip) {
                    (Whose::Implicit(region), _) if region == index => self.reaches(strand),
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
            let of = &self.strands[strand];
            if let (Whose::Initial(_), Tip::Node(last)) = (of.whose, of.tip) {
                self.graph.ends.push(last);
            }
        }
        self.finish_tasks();
    }

    /// What is behind tasks: by dependences, and of those outside of all regions the end.
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
                let kind = Kind::Depend;
                self.graph.edges.push(Edge { from, to, kind });
            }
        }
    }
}
