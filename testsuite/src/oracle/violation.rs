//! What can be wrong with a log, and what is counted in one that is right.

use std::collections::BTreeMap;
use std::fmt;

use crate::log::{Chunk, Dispatch, Iteration, Variable};

/// One finding, on one thread of the log.
#[derive(Debug, Clone, PartialEq)]
pub struct Violation {
    /// Number of the thread in the log.
    pub thread: usize,
    /// The program's number of the loop, if an iteration of it ran there.
    pub the_loop: Option<u64>,
    pub what: What,
}

/// The kinds of finding.
#[derive(Debug, Clone, PartialEq)]
pub enum What {
    /// An event or an iteration while the thread is in no loop.
    OutsideLoop(String),
    /// The log's begin and end events do not nest.
    Unbalanced(String),
    /// Iterations ran that no event had announced.
    Unannounced {
        first: u64,
        /// Which kind of event is missing.
        missing: &'static str,
    },
    /// An event that no iteration followed.
    NothingRan(String),
    /// Several events of one kind before the same iterations.
    Several(String),
    /// The event announced other iterations than those that then ran.
    NotWhatRan {
        /// What was announced, inclusive.
        announced: (u64, u64),
        ran: Vec<u64>,
    },
    /// The two events of one chunk contradict each other.
    Disagree(Dispatch, Chunk),
    /// A chunk below an earlier one of the same thread.
    OutOfOrder {
        /// Its first iteration.
        lower: u64,
        /// The last iteration before it.
        after: u64,
    },
    /// `is_last_chunk` has another value than it should.
    LastFlag {
        chunk: Chunk,
        should_be: u64,
    },
    /// An event names other data than those of the thread's implicit task or parallel region.
    Data(String),
    /// What is said of the user's variable does not fit the program, or this iteration of it.
    Variable(Variable, Option<Iteration>),
    /// Sub-blocks that are not what they should be.
    SubBlock(String),
    /// Loop events that are not what they should be.
    LoopEvent(String),
    /// A duration that cannot be the bookkeeping.
    Duration(f64),
    /// A dispatch event of a kind that does not belong there.
    Kind(u64),
    /// A chunk event in a construct that is not an instrumented loop.
    Uninvited(String),
    /// Threads of one team are in different loops.
    DifferentLoops(Vec<u64>),
    /// An iteration that ran on several threads, or several times.
    Repeated(u64),
    NeverRan(u64),
    /// An iteration outside the iteration space.
    OutOfSpace(u64),
    /// Two implicit tasks of one region carry the same task data.
    SharedTask(u64),
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "thread {}", self.thread)?;
        if let Some(the_loop) = self.the_loop {
            write!(f, ", loop {the_loop}")?;
        }
        write!(f, ": {}", self.what)
    }
}

impl fmt::Display for What {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            What::OutsideLoop(what) => write!(f, "{what} outside of any loop"),
            What::Unbalanced(what) => write!(f, "{what}"),
            What::Unannounced { first, missing } => {
                write!(f, "iterations from {first} on ran without a {missing} event")
            }
            What::NothingRan(event) => write!(f, "no iteration followed {event}"),
            What::Several(events) => write!(f, "several events for one chunk: {events}"),
            What::NotWhatRan { announced: (lower, upper), ran } => {
                write!(f, "announced {lower} to {upper}, but {ran:?} ran")
            }
            What::Disagree(dispatch, chunk) => write!(f, "{dispatch:?} contradicts {chunk:?}"),
            What::OutOfOrder { lower, after } => {
                write!(f, "chunk from {lower} on came after {after}")
            }
            What::LastFlag { chunk, should_be } => {
                write!(f, "is_last_chunk should be {should_be} in {chunk:?}")
            }
            What::Data(what) => write!(f, "{what}"),
            What::Variable(said, None) => write!(f, "{said:?} of the user's variable"),
            What::Variable(said, Some(ran)) => write!(f, "{said:?} does not give {ran:?}"),
            What::LoopEvent(what) | What::SubBlock(what) => write!(f, "{what}"),
            What::Duration(duration) => write!(f, "{duration} is not the duration of bookkeeping"),
            What::Kind(kind) => write!(f, "dispatch event of kind {kind}"),
            What::Uninvited(event) => write!(f, "{event} in a construct that is left alone"),
            What::DifferentLoops(loops) => write!(f, "one execution mixes the loops {loops:?}"),
            What::Repeated(index) => write!(f, "iteration {index} ran more than once"),
            What::NeverRan(index) => write!(f, "iteration {index} never ran"),
            What::OutOfSpace(index) => write!(f, "iteration {index} is none of the loop's"),
            What::SharedTask(task) => write!(f, "two threads carry task data {task}"),
        }
    }
}

#[derive(Debug, Default)]
pub struct Verdict {
    pub violations: Vec<Violation>,
    /// Iterations run per loop.
    pub iterations: BTreeMap<u64, u64>,
    /// Chunks run in instrumented loops.
    pub chunks: u64,
    pub sub_blocks: u64,
    /// Dispatch events of loops whose chunks the runtime deals, and of everything else.
    pub runtimes_own: u64,
}
