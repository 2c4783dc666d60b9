//! What a task, explicit or not, has done so far: where in the graph it is.

use std::collections::HashMap;

use ompchunk_trace_format::Values;

use super::depends::Depends;
use super::graph::{Node, What};
use crate::grain::path::GrainPath;
use crate::grain::region::Execution;

/// Whose it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Whose {
    /// The initial task, and the number of initial tasks before.
    Initial(usize),
    /// A thread's of a region, by its place in the graph.
    Implicit(u32),
    /// An explicit task.
    Task(u32),
}

/// Behind what comes next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tip {
    /// Nothing: the program begins.
    Start,
    Node(Node),
    /// The begin of a region, or of what is behind so many barriers in it.
    Phase(u32, u32),
    /// The point where a task was created.
    Creation(Node),
}

/// What runs now.
#[derive(Debug, Clone, Copy)]
pub(super) struct Piece {
    pub(super) what: What,
    pub(super) thread: u32,
    pub(super) cpu: Option<u32>,
    pub(super) begin: u64,
    /// Of the recorder's own.
    pub(super) off: u64,
}

/// A loop that a task is in.
#[derive(Debug)]
pub(super) struct Running {
    pub(super) execution: Execution,
    pub(super) path: GrainPath,
    pub(super) variable: Option<Values>,
    pub(super) shown: bool,
    /// The chunk that it is in, and how many parts of it are drawn.
    pub(super) grain: Option<(u32, u32)>,
}

/// Tasks that were created in a taskgroup, and where they meet.
#[derive(Debug, Default)]
pub(super) struct Group {
    pub(super) members: Vec<u32>,
    pub(super) meeting: Option<u32>,
}

#[derive(Debug)]
pub(super) struct Strand {
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
    /// The meeting of those, if there is one.
    pub(super) meeting: Option<u32>,
    /// Of its own, innermost last; places in a list of all.
    pub(super) groups: Vec<u32>,
    /// The one that it was created in.
    pub(super) around: Option<u32>,
    /// Kinds of what it waits in.
    pub(super) waits: Vec<u32>,
    pub(super) waiting_since: u64,
    pub(super) waited: u64,
    /// Its region, and barriers before. Of an explicit task those of its creator.
    pub(super) phase: (u32, u32),
    /// It has explicit tasks since the last barrier.
    pub(super) has_tasks: bool,
    pub(super) depends: Option<Box<Depends>>,
    pub(super) path: GrainPath,
    pub(super) nested: u32,
}

impl Strand {
    pub(super) fn new(whose: Whose, tip: Tip, phase: (u32, u32), path: GrainPath) -> Strand {
        Strand {
            whose,
            tip,
            behind: Vec::new(),
            piece: None,
            loops: Vec::new(),
            executions: HashMap::new(),
            children: Vec::new(),
            created: 0,
            meeting: None,
            groups: Vec::new(),
            around: None,
            waits: Vec::new(),
            waiting_since: 0,
            waited: 0,
            phase,
            has_tasks: false,
            depends: None,
            path,
            nested: 0,
        }
    }

    pub(super) fn task(&self) -> Option<u32> {
        match self.whose {
            Whose::Task(task) => Some(task),
            _ => None,
        }
    }

    /// The taskgroup that a task is in which it creates now.
    pub(super) fn group(&self) -> Option<u32> {
        self.groups.last().copied().or(self.around)
    }
}
