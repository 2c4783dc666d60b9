//! A loop that was understood, with all that is known of it.

use std::rc::Rc;

use ompchunk_abi::GroupLoop;

use super::call::Call;
use super::end::Ends;
use super::form::Form;
use super::location::Location;
use super::user::UserLoop;
use crate::llvm::{Block, Value};

/// What is planned and emitted from.
pub struct FoundLoop {
    /// The runtime call that starts it.
    pub call: Call,
    /// Where chunks begin.
    pub form: Form,
    /// The calls that end it; none if control leaving it does.
    pub ends: Ends,
    /// How its schedule can be changed, or one of `ompchunk_abi::fixed`.
    pub change: Result<Change, u8>,
    /// What the program may rely on.
    pub promise: Promise,
    /// The loops that are mapped as it is, itself included; none if it is mapped alone.
    pub group: Vec<GroupLoop>,
    /// What else matters where it is.
    pub surroundings: Surroundings,
    /// The user's own start and step.
    pub user: UserLoop,
    /// Where it stands in the source.
    pub location: Location,
}

impl FoundLoop {
    /// A loop of which nothing more is known yet.
    pub fn new(call: Call, form: Form, ends: Ends, user: UserLoop) -> FoundLoop {
        FoundLoop {
            location: Location::from_instruction(call.instruction),
            call,
            form,
            ends,
            change: Err(ompchunk_abi::fixed::UNKNOWN),
            promise: Promise::default(),
            group: Vec::new(),
            surroundings: Surroundings::default(),
            user,
        }
    }

    /// May any thread run any of its iterations?
    pub fn is_free(&self) -> bool {
        self.change.is_ok() && self.promise == Promise::Free
    }

    /// The same in words.
    pub fn bound_sentence(&self) -> Option<&'static str> {
        (self.promise != Promise::Free).then(|| ompchunk_abi::bound::sentence(self.bound()))
    }

    /// What binds it, as one of `ompchunk_abi::bound`; 0 if it is free.
    pub fn bound(&self) -> u8 {
        match self.promise {
            Promise::Free => 0,
            Promise::Bound(bound) => bound,
            Promise::Mapped(_) => ompchunk_abi::bound::PAIR,
        }
    }
}

/// A loop that can run under another schedule.
#[derive(Clone, Copy)]
pub struct Change {
    /// The call of fini after the last iteration; none where the runtime deals the chunks in any case.
    pub end: Option<Value>,
    /// Where a loop over chunks goes after its last chunk.
    pub way_out: Option<Block>,
}

/// Who may rely on which thread runs which iteration of a loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Promise {
    /// Nobody.
    Free,
    /// Somebody, as one of `ompchunk_abi::bound` says.
    Bound(u8),
    /// The loops of its group alone, these calls that start one, in order: they give a thread the same iterations.
    Mapped(Rc<[Value]>),
}

impl Default for Promise {
    fn default() -> Promise {
        Promise::Bound(ompchunk_abi::bound::UNKNOWN)
    }
}

/// What a record says of it beside that.
#[derive(Clone, Copy, Default)]
pub struct Surroundings {
    /// Nothing waits for the other threads between this loop and what comes after it.
    pub no_barrier: bool,
    /// Which thread ran the last iteration is read.
    pub last_read: bool,
    /// Cut into sub-blocks, it may give results that differ in their last bits. None: it cannot be.
    pub reassociated: Option<bool>,
}
