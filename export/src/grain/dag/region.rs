//! Regions that have not ended: between two barriers a fork and a join, where anything is between them.

use ompchunk_trace_format::NOBODY;

use super::graph::{Graph, Kind, Node, What};
use super::strand::Tip;
use crate::grain::path::GrainPath;

/// A region while it lasts.
#[derive(Debug)]
pub(super) struct Open {
    /// Its place in [`Graph::regions`].
    pub(super) index: u32,
    /// What its begin is behind.
    pub(super) entry: Tip,
    pub(super) path: GrainPath,
    pub(super) nested: u32,
    phases: Vec<Option<(Node, Node)>>,
    /// Its explicit tasks.
    pub(super) tasks: Vec<u32>,
    /// The strand that began it.
    pub(super) owner: usize,
    pub(super) ended: bool,
}

impl Open {
    pub(super) fn new(index: u32, owner: usize, entry: Tip, path: GrainPath) -> Open {
        Open { index, entry, path, nested: 0, phases: Vec::new(), tasks: Vec::new(), owner, ended: false }
    }

    /// The fork and the join around what is between two barriers, which from now on is something.
    pub(super) fn phase(&mut self, number: u32, graph: &mut Graph, at: u64) -> (Node, Node) {
        let number = number as usize;
        if self.phases.len() <= number {
            self.phases.resize(number + 1, None);
        }
        *self.phases[number].get_or_insert_with(|| {
            let fork = graph.point(What::Fork(self.index), NOBODY, at);
            let join = graph.point(What::Join(Some(self.index)), NOBODY, at);
            (fork, join)
        })
    }

    /// What ends before a barrier comes before it, if there is anything between that and the barrier before.
    pub(super) fn reaches(&self, number: u32, last: Node, graph: &mut Graph) {
        if let Some((_, join)) = self.phases.get(number as usize).copied().flatten() {
            graph.edge(last, join, Kind::Sync);
        }
    }

    /// The region is over: its phases come one after the other, behind what began it. Gives the first fork and the last join.
    pub(super) fn close(&mut self, entry: Option<Node>, graph: &mut Graph, at: u64) -> (Node, Node) {
        self.ended = true;
        for task in std::mem::take(&mut self.tasks) {
            let task = task as usize;
            let (is_joined, last, (_, phase)) = {
                let task = &graph.tasks[task];
                (task.is_joined, task.last, task.phase)
            };
            if let Some(last) = last.filter(|_| !is_joined) {
                let (_, join) = self.phase(phase, graph, at);
                graph.edge(last, join, Kind::Sync);
                graph.tasks[task].is_joined = true;
            }
        }
        if self.phases.iter().flatten().next().is_none() {
            let (fork, join) = self.phase(0, graph, at);
            graph.edge(fork, join, Kind::Sync);
        }
        let mut before = entry.map(|entry| (entry, Kind::Scope));
        let mut ends: Option<(Node, Node)> = None;
        for (fork, join) in self.phases.iter().flatten() {
            if let Some((before, kind)) = before {
                graph.edge(before, *fork, kind);
            }
            before = Some((*join, Kind::Continue));
            ends = Some((ends.map_or(*fork, |(first, _)| first), *join));
        }
        ends.expect("at least one phase")
    }
}
