//! What a task, explicit or not, has done so far: where in the graph it is.

use std::collections::HashMap;

use ompchunk_trace_format::{At, raw};

use super::graph::{Graph, Kind, Node, Task, What};
use crate::grain::follow::{Runs, Waits};
use crate::grain::region::{Begun, GrainPath};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Whose {
    #[default]
    Initial,
    /// A thread's of a region, by its place in the graph.
    Implicit(u32),
    Task(u32),
}

/// Behind what comes next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Tip {
    #[default]
    Start,
    Node(Node),
    /// The begin of a region, or of what is behind so many barriers in it.
    Phase(u32, u32),
    Creation(Node),
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Piece {
    pub(super) what: What,
    pub(super) at: At,
}

pub(super) struct Running {
    pub(super) begun: Begun,
    /// The chunk that it is in, and how many parts of it are drawn.
    pub(super) grain: Option<(u32, u32)>,
}

#[derive(Debug, Default)]
pub(super) struct Group {
    pub(super) members: Vec<u32>,
    pub(super) meeting: Option<u32>,
}

#[derive(Default)]
pub(crate) struct Strand {
    pub(super) whose: Whose,
    pub(super) tip: Tip,
    /// What else comes before the next node: undeferred tasks.
    pub(super) behind: Vec<Node>,
    pub(super) piece: Option<Piece>,
    pub(super) loops: Vec<Running>,
    pub(super) executions: HashMap<u32, u32>,
    /// Created and not waited for by itself.
    pub(super) children: Vec<u32>,
    pub(super) created: u32,
    pub(super) meeting: Option<u32>,
    /// Its own taskgroups, innermost last; places in a list of all.
    pub(super) groups: Vec<u32>,
    /// The one that it was created in.
    pub(super) around: Option<u32>,
    pub(super) waits: Waits,
    /// Its region, and barriers before; for an explicit task those of its creator.
    pub(super) phase: (u32, u32),
    /// It has explicit tasks since the last barrier.
    pub(super) has_tasks: bool,
    pub(super) depends: Option<Box<Depends>>,
    pub(super) path: GrainPath,
    pub(super) nested: u32,
}

impl Strand {
    pub(super) fn task(&self) -> Option<u32> {
        match self.whose {
            Whose::Task(task) => Some(task),
            _ => None,
        }
    }

    pub(super) fn group(&self) -> Option<u32> {
        self.groups.last().copied().or(self.around)
    }
}

impl Runs for Strand {
    fn waits(&mut self) -> &mut Waits {
        &mut self.waits
    }

    fn is_explicit(&self) -> bool {
        self.task().is_some()
    }

    fn is_in_loop(&self) -> bool {
        !self.loops.is_empty()
    }
}

#[derive(Default)]
pub(super) struct Open {
    /// Its place in [`Graph::regions`].
    pub(super) index: u32,
    pub(super) entry: Tip,
    pub(super) nested: u32,
    pub(super) phases: Vec<Option<(Node, Node)>>,
    pub(super) tasks: Vec<u32>,
    pub(super) owner: usize,
    pub(super) ended: bool,
}

impl Open {
    /// The fork and the join around what is between two barriers, which from now on is something.
    pub(super) fn phase(&mut self, number: u32, graph: &mut Graph, at: u64) -> (Node, Node) {
        let number = number as usize;
        if self.phases.len() <= number {
            self.phases.resize(number + 1, None);
        }
        *self.phases[number].get_or_insert_with(|| {
            let fork = graph.point(What::Fork(self.index), at);
            let join = graph.point(What::Join(Some(self.index)), at);
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
            let Task { is_joined, last, phase: (_, phase), .. } = graph.tasks[task];
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

/// Which tasks of one creator `depend` clauses put behind which, by address, as the specification says.
#[derive(Debug, Default)]
pub(crate) struct Depends {
    variables: HashMap<u64, Variable>,
    /// The last task that is behind all of them, and before all that follow.
    all: Option<u32>,
}

/// The tasks that named an address last, which may run side by side, and those before.
#[derive(Debug, Default)]
struct Variable {
    class: u32,
    before: Vec<u32>,
    now: Vec<u32>,
}

impl Depends {
    /// A task has that dependence. Gives the tasks right before it.
    pub(crate) fn add(&mut self, task: u32, kind: u32, variable: u64) -> Vec<u32> {
        match kind {
            raw::DEPENDENCE_OUT_ALL_MEMORY | raw::DEPENDENCE_INOUT_ALL_MEMORY => {
                let mut before: Vec<u32> = self.all.into_iter().collect();
                for (_, variable) in self.variables.drain() {
                    before.extend(variable.now);
                }
                self.all = Some(task);
                before.retain(|earlier| *earlier != task);
                before
            }
            raw::DEPENDENCE_IN
            | raw::DEPENDENCE_OUT
            | raw::DEPENDENCE_INOUT
            | raw::DEPENDENCE_MUTEXINOUTSET
            | raw::DEPENDENCE_INOUTSET => self.name(task, kind, variable),
            // For loops, or from a later version.
            _ => Vec::new(),
        }
    }

    fn name(&mut self, task: u32, kind: u32, variable: u64) -> Vec<u32> {
        let all = self.all;
        let known = self.variables.entry(variable);
        let known = known.or_insert_with(|| Variable { now: Vec::from_iter(all), ..Variable::default() });
        let class = if kind == raw::DEPENDENCE_OUT { raw::DEPENDENCE_INOUT } else { kind };
        let may_run_beside = class == known.class && class != raw::DEPENDENCE_INOUT;
        if !may_run_beside {
            known.class = class;
            known.before = std::mem::take(&mut known.now);
        }
        known.now.push(task);
        known.before.iter().copied().filter(|earlier| *earlier != task).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_reads_is_behind_who_wrote_and_before_who_writes_next() {
        let mut depends = Depends::default();
        assert!(depends.add(0, raw::DEPENDENCE_OUT, 8).is_empty());
        assert_eq!(depends.add(1, raw::DEPENDENCE_IN, 8), [0]);
        assert_eq!(depends.add(2, raw::DEPENDENCE_IN, 8), [0]);
        assert!(depends.add(3, raw::DEPENDENCE_IN, 16).is_empty());
        assert_eq!(depends.add(4, raw::DEPENDENCE_INOUT, 8), [1, 2]);
        assert_eq!(depends.add(5, raw::DEPENDENCE_OUT, 8), [4]);
        assert_eq!(depends.add(6, raw::DEPENDENCE_INOUTSET, 8), [5]);
        assert_eq!(depends.add(7, raw::DEPENDENCE_INOUTSET, 8), [5]);
        assert_eq!(depends.add(8, raw::DEPENDENCE_MUTEXINOUTSET, 8), [6, 7]);
        assert_eq!(depends.add(8, raw::DEPENDENCE_MUTEXINOUTSET, 8), [6, 7]);
        assert_eq!(depends.add(9, raw::DEPENDENCE_IN, 8), [8, 8]);
    }

    #[test]
    fn all_memory_is_between_all() {
        let mut depends = Depends::default();
        depends.add(0, raw::DEPENDENCE_OUT, 8);
        depends.add(1, raw::DEPENDENCE_IN, 16);
        let mut before = depends.add(2, raw::DEPENDENCE_INOUT_ALL_MEMORY, 0);
        before.sort_unstable();
        assert_eq!(before, [0, 1]);
        assert_eq!(depends.add(3, raw::DEPENDENCE_IN, 8), [2]);
        assert_eq!(depends.add(4, raw::DEPENDENCE_IN, 99), [2]);
    }
}
