//! What a thread runs of explicit tasks: begun and not ended, one inside the other, each with what it took itself.

use std::ffi::c_uint;

use ompchunk_guest::memory;

/// What a thread does that is a task's, innermost last, since when.
#[derive(Debug, Default)]
pub(crate) struct Grains {
    pub(crate) fragments: Vec<Fragment>,
    since: u64,
}

/// A task that has begun here, or a wait, with what was inside.
#[derive(Debug)]
pub(crate) struct Fragment {
    pub(crate) what: What,
    /// What it took itself so far.
    pub(crate) ticks: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum What {
    /// By the address of the runtime's word for it.
    Task(usize),
    /// The kind of the wait, and the return address of the call.
    Wait(c_uint, u64),
}

impl Grains {
    /// The thread runs a task, or waits.
    pub(crate) fn is_any(&self) -> bool {
        !self.fragments.is_empty()
    }

    /// The innermost one has lasted until now.
    pub(crate) fn pass(&mut self, now: u64) {
        if let Some(innermost) = self.fragments.last_mut() {
            innermost.ticks = innermost.ticks.saturating_add(now.saturating_sub(self.since));
        }
        self.since = now;
    }

    pub(crate) fn begin(&mut self, now: u64, what: What) {
        self.pass(now);
        memory::push(&mut self.fragments, Fragment { what, ticks: 0 });
    }

    pub(crate) fn place_of(&self, is: impl Fn(What) -> bool) -> Option<usize> {
        self.fragments.iter().rposition(|fragment| is(fragment.what))
    }

    /// The code of the wait that all others are inside of; `None`: they are in none.
    pub(crate) fn outermost_wait(&self) -> Option<u64> {
        match self.fragments.first()?.what {
            What::Wait(_, code) => Some(code),
            What::Task(_) => None,
        }
    }
}
