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

#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum What {
    #[error("{0} outside of any loop")]
    OutsideLoop(String),
    /// The log's begin and end events do not nest.
    #[error("{0}")]
    Unbalanced(String),
    #[error("iterations from {first} on ran without a {missing} event")]
    Unannounced { first: u64, missing: &'static str },
    #[error("no iteration followed {0}")]
    NothingRan(String),
    #[error("several events for one chunk: {0}")]
    Several(String),
    #[error("announced {} to {}, but {ran:?} ran", announced.0, announced.1)]
    NotWhatRan { announced: (u64, u64), ran: Vec<u64> },
    #[error("{0:?} contradicts {1:?}")]
    Disagree(Dispatch, Chunk),
    #[error("chunk from {lower} on came after {after}")]
    OutOfOrder { lower: u64, after: u64 },
    #[error("is_last_chunk should be {should_be} in {chunk:?}")]
    LastFlag { chunk: Chunk, should_be: u64 },
    /// An event names other data than those of the thread's implicit task or parallel region.
    #[error("{0}")]
    Data(String),
    #[error("{:?} {}", .0, of_iteration(.1.as_ref()))]
    Variable(Variable, Option<Iteration>),
    #[error("{0}")]
    SubBlock(String),
    #[error("{0}")]
    LoopEvent(String),
    #[error("{0} is not the duration of bookkeeping")]
    Duration(f64),
    #[error("dispatch event of kind {0}")]
    Kind(u64),
    #[error("{0} in a construct that is left alone")]
    Uninvited(String),
    #[error("one execution mixes the loops {0:?}")]
    DifferentLoops(Vec<u64>),
    #[error("iteration {0} ran more than once")]
    Repeated(u64),
    #[error("iteration {0} never ran")]
    NeverRan(u64),
    #[error("iteration {0} is none of the loop's")]
    OutOfSpace(u64),
    #[error("two threads carry task data {0}")]
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

fn of_iteration(ran: Option<&Iteration>) -> String {
    ran.map_or_else(|| "of the user's variable".to_owned(), |ran| format!("does not give {ran:?}"))
}

#[derive(Debug, Default)]
pub struct Verdict {
    pub violations: Vec<Violation>,
    pub iterations: BTreeMap<u64, u64>,
    pub chunks: u64,
    pub sub_blocks: u64,
    /// Dispatch events of loops whose chunks the runtime deals, and of everything else.
    pub runtimes_own: u64,
}
