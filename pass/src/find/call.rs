//! One call that starts a loop, as it was read.

use ompchunk_abi::schedule::{ChunkSize, Clause};

use super::init::Entry;
use crate::llvm::Value;

/// Which construct the loop belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Construct {
    /// `for`: its iterations are dealt to the threads of a team.
    For,
    /// `distribute`: to the teams of a league.
    Distribute,
    /// `sections`: each iteration is a section.
    Sections,
}

/// A well-formed call for a loop.
pub struct Call {
    pub instruction: Value,
    /// Another call right before it, that deals the same loop. flang deals a `distribute parallel do` that has a
    /// chunk size in `dist_schedule` twice: to the threads of each team, and then what they got to the teams.
    pub earlier: Option<Value>,
    pub construct: Construct,
    /// Does `ident_t` say that this is such a loop? clang's own code generation says it always,
    /// OpenMPIRBuilder never.
    pub marked: bool,
    /// Is there a chunk size, and so a loop over chunks?
    pub chunked: bool,
    pub entry: Entry,
    /// `enum sched_type` with modifier bits.
    pub schedule: u32,
    /// The variables that the runtime fills in: at this call, or for a chunk that it deals at the call that
    /// asks for it.
    pub lower: Value,
    pub upper: Value,
    pub stride: Value,
    /// The chunk size, if constant.
    pub chunk: Option<i64>,
}

impl Call {
    /// Where the loop starts.
    pub fn start(&self) -> Value {
        self.earlier.unwrap_or(self.instruction)
    }

    /// Its schedule as the user wrote it.
    pub fn clause(&self) -> Clause {
        let chunk = match self.chunk {
            _ if !self.chunked => ChunkSize::None,
            Some(chunk) => ChunkSize::Known(chunk),
            None => ChunkSize::RunTime,
        };
        Clause { schedule: self.schedule, chunk }
    }
}
