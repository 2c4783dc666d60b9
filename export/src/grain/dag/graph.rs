//! Nodes and edges, and what they stand for.

use ompchunk_trace_format::tasks::WAIT_BY_DEPENDENCES;

use crate::grain::region::{Grain, GrainPath};

pub(crate) type Node = u32;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum What {
    /// A region begins, or goes on behind a barrier: by its place in [`Graph::regions`].
    Fork(u32),
    /// Threads of a region meet, or tasks meet the one that waits for them; in which region.
    Join(Option<u32>),
    /// What came before a chunk, and that chunk.
    Bookkeeping(u32),
    /// A part of a chunk between points where its thread creates tasks, waits or runs something else.
    Chunk { grain: u32, fragment: u32 },
    /// The same of an explicit task.
    Task { task: u32, fragment: u32 },
    /// The same of an implicit task that has explicit ones; its region.
    Implicit(u32),
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Drawn {
    pub(crate) what: What,
    pub(crate) thread: u32,
    /// The processor that the thread was told to be on.
    pub(crate) cpu: Option<u32>,
    pub(crate) begin: u64,
    pub(crate) end: u64,
    /// What it took, without the recorder's own time; `None`: it has no end.
    pub(crate) ticks: Option<u64>,
}

/// Why something comes after something else.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Kind {
    Create,
    Continue,
    Sync,
    Scope,
    Depend,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Edge {
    pub(crate) from: Node,
    pub(crate) to: Node,
    pub(crate) kind: Kind,
}

#[derive(Debug, Clone, Default)]
pub(crate) struct Task {
    /// As the trace has it.
    pub(crate) number: u64,
    /// Who created it: an explicit task.
    pub(crate) parent: Option<u32>,
    pub(crate) code: u64,
    pub(crate) flags: u32,
    /// Explicit tasks around it, and itself.
    pub(crate) depth: u32,
    pub(crate) created_on: u32,
    /// Its number among the tasks of its creator, from 0.
    pub(crate) child_number: u32,
    /// Ticks that creating it took, where that was timed.
    pub(crate) creation: Option<u64>,
    /// What its creator had done by then.
    pub(crate) creator: Option<Node>,
    pub(crate) first: Option<Node>,
    pub(crate) last: Option<Node>,
    pub(crate) fragments: u32,
    /// Ticks of all of them; `None`: it has no end.
    pub(crate) ticks: Option<u64>,
    /// Where it meets its creator.
    pub(crate) meeting: u32,
    /// The taskgroup that it was created in.
    pub(crate) group: Option<u32>,
    /// The runtime's own, made to create tasks of a `taskloop`.
    pub(crate) is_creator: bool,
    /// Something comes behind it that waits for it.
    pub(crate) is_joined: bool,
    /// The region it is in, and after how many barriers.
    pub(crate) phase: (u32, u32),
}

impl Task {
    /// The task of that number in the trace; nothing else is told of it yet.
    pub(crate) fn new(number: u64) -> Task {
        Task { number, depth: 1, ticks: Some(0), meeting: u32::MAX, phase: NOWHERE, ..Task::default() }
    }

    /// What it took in all; `None`: not known, as it has no end.
    pub(crate) fn own_ticks(&self) -> Option<u64> {
        self.ticks.filter(|_| self.last.is_some())
    }

    /// It is not what a `taskwait` with dependences is told as.
    pub(crate) fn runs(&self) -> bool {
        self.flags & WAIT_BY_DEPENDENCES == 0
    }
}

/// The region, and barriers before, of what is in no region.
pub(crate) const NOWHERE: (u32, u32) = (u32::MAX, 0);

/// Where tasks meet the one that created them.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Meeting {
    pub(crate) tasks: u32,
    /// Ticks that this one waited there and had nothing else to run.
    pub(crate) waited: u64,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Region {
    pub(crate) id: u64,
    pub(crate) begin: u64,
    pub(crate) threads: u32,
    pub(crate) code: u64,
    pub(crate) path: GrainPath,
}

#[derive(Debug, Default)]
pub(crate) struct Graph {
    pub(crate) nodes: Vec<Drawn>,
    pub(crate) edges: Vec<Edge>,
    pub(crate) tasks: Vec<Task>,
    /// Chunks, each with its region.
    pub(crate) grains: Vec<(Grain, u64)>,
    pub(crate) regions: Vec<Region>,
    pub(crate) meetings: Vec<Meeting>,
    /// What initial tasks did first.
    pub(crate) begins: Vec<Node>,
    /// ... and last.
    pub(crate) ends: Vec<Node>,
}

impl Graph {
    pub(crate) fn node(&mut self, drawn: Drawn) -> Node {
        self.nodes.push(drawn);
        (self.nodes.len() - 1) as Node
    }

    /// A node where something begins or meets.
    pub(crate) fn point(&mut self, what: What, thread: u32, at: u64) -> Node {
        self.node(Drawn { what, thread, cpu: None, begin: at, end: at, ticks: Some(0) })
    }

    pub(crate) fn edge(&mut self, from: Node, to: Node, kind: Kind) {
        self.edges.push(Edge { from, to, kind });
    }

    /// The processor that a task began on.
    pub(crate) fn cpu(&self, task: &Task) -> Option<u32> {
        self.nodes[task.first? as usize].cpu
    }

    /// A task's share of what its creator waited where they meet, in ticks.
    pub(crate) fn sync(&self, task: &Task) -> Option<f64> {
        let meeting = self.meetings.get(task.meeting as usize)?;
        Some(match meeting.tasks {
            // Undeferred ones wait for nobody, and nobody for them.
            0 => 0.0,
            tasks => meeting.waited as f64 / f64::from(tasks),
        })
    }

    /// What a task took, through what creating it and waiting for it took.
    pub(crate) fn parallel_benefit(&self, task: &Task) -> Option<f64> {
        let ticks = task.own_ticks()?;
        let costs = task.creation? as f64 + self.sync(task)?;
        (costs > 0.0).then(|| ticks as f64 / costs)
    }

    pub(crate) fn meeting(&mut self) -> u32 {
        self.meetings.push(Meeting::default());
        (self.meetings.len() - 1) as u32
    }
}
