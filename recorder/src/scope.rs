//! What a thread has begun and not ended.

pub(crate) mod end_time;
pub(crate) mod nesting;
pub(crate) mod region;
pub(crate) mod users;

use std::collections::BTreeMap;
use std::ffi::c_uint;

use ompchunk_abi::{CONSTRUCT_SECTIONS, LOOP_FROM_ONE, LoopRecord};
use ompchunk_guest::memory;
use ompchunk_trace_format::target::{self, is_of_target};
use ompchunk_trace_format::{AccDetail, AccEnd, AccOperation, Event, SumOf, Sync, Unwanted};

use crate::callbacks::inquiry::Override;
use crate::scope::region::Shared;

#[derive(Clone, Copy, Default)]
pub(crate) struct Running {
    pub(crate) the_loop: u32,
    /// Chunk by chunk; otherwise counted.
    pub(crate) recorded: bool,
    /// Neither.
    pub(crate) unwanted: Option<Unwanted>,
    /// The plugin's loop, not one that only the runtime tells of.
    pub(crate) instrumented: bool,
    /// From the shim and the code: a loop without the plugin, inside one with, has the same record and another address.
    pub(crate) record: *const LoopRecord,
    pub(crate) code: usize,
    /// `ompt_work_t`
    pub(crate) work: u32,
    pub(crate) changed: Option<Override>,
    /// When the chunk began that is counted, or of which sub-blocks are told; 0: none; [`NEVER`]: no more are, of this execution.
    pub(crate) since: u64,
    pub(crate) way: Way,
    pub(crate) block: AwaitedBlock,
}

/// What a runtime tells of a static loop that the plugin did not see: one chunk of each thread's.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum AwaitedBlock {
    #[default]
    No,
    /// It is to come, in a loop of so many iterations, ...
    Of(u64),
    /// ... which are perhaps a part of a loop of `distribute`, so that any number may be the first.
    OfPart(u64),
    Told,
}

impl Running {
    pub(crate) fn first_iteration(&self) -> u64 {
        // SAFETY: null, or the constant record of what this thread is in.
        let record = unsafe { self.record.as_ref() };
        record.filter(|_| self.instrumented).map_or(0, |record| u64::from(record.flags & LOOP_FROM_ONE != 0))
    }

    pub(crate) fn is_sections(&self) -> bool {
        // SAFETY: null, or the constant record of what this thread is in.
        let record = unsafe { self.record.as_ref() };
        self.instrumented && record.is_some_and(|record| record.construct == CONSTRUCT_SECTIONS)
    }
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Way {
    /// In the short way, in which it may end, ...
    Short,
    /// ... in the long one, ...
    #[default]
    Long,
    /// ... or in the long one, and its page faults are counted.
    Measured,
}

pub(crate) const NEVER: u64 = u64::MAX;

pub(crate) enum Scope {
    Thread(u32),
    Parallel(Shared),
    /// `None`: the initial task.
    ImplicitTask(Option<Shared>, Task),
    Work(u32),
    Sync(Sync),
    Wait(Sync),
    Loop(Running),
    /// An operation of OpenACC or of `target`: its start's event, and the place as [`acc_place`] has it.
    Acc(u32, u64),
}

/// What is said again in a forked process.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Task {
    pub(crate) index: u32,
    pub(crate) team_size: u32,
    pub(crate) flags: u32,
    /// Barriers that it passed and that are not told.
    pub(crate) missed: u64,
}

impl Scope {
    pub(crate) fn running(&self) -> Option<&Running> {
        if let Scope::Loop(running) = self { Some(running) } else { None }
    }

    pub(crate) fn task(&self) -> Option<&Task> {
        if let Scope::ImplicitTask(_, task) = self { Some(task) } else { None }
    }

    /// What its begin said, as far as that is still known; `None`: others say that.
    pub(crate) fn begin_event(&self) -> Option<Event<'static>> {
        Some(match self {
            Scope::Thread(_) | Scope::Loop(_) => return None,
            Scope::Parallel(region) => region.begin_event(),
            Scope::ImplicitTask(region, task) => Event::ImplicitTaskBegin {
                parallel: region.as_ref().map_or(0, Shared::number),
                index: task.index,
                team_size: task.team_size,
                flags: task.flags,
            },
            Scope::Work(work) => Event::WorkBegin { work: *work, count: 0, code: 0 },
            Scope::Sync(sync) => Event::SyncBegin(*sync),
            Scope::Wait(sync) => Event::WaitBegin(*sync),
            Scope::Acc(event, place) => Event::AccBegin(bare(*event, *place)),
        })
    }
}

/// What a thread runs of explicit tasks, innermost last, each with what it took itself, since when.
#[derive(Default)]
pub(crate) struct Grains {
    pub(crate) fragments: Vec<Fragment>,
    since: u64,
}

pub(crate) struct Fragment {
    pub(crate) what: What,
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
    pub(crate) fn is_any(&self) -> bool {
        !self.fragments.is_empty()
    }

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

/// Where an operation is: of OpenACC the site, of `target` the return address.
pub(crate) fn acc_place(what: &AccOperation) -> u64 {
    if is_of_target(what.event) { what.detail.code() } else { what.site.into() }
}

fn bare(event: u32, place: u64) -> AccOperation {
    let mut what = AccOperation::bare(event);
    if is_of_target(event) {
        what.detail = AccDetail::from_numbers(event, [None, None, (place != 0).then_some(place)]);
    } else {
        what.site = place as u32;
    }
    what
}

pub(crate) fn acc_sum_of(event: u32) -> SumOf {
    if is_of_target(event) { SumOf::Target } else { SumOf::OpenAcc }
}

#[derive(Default)]
pub(crate) struct Acc {
    pub(crate) known: BTreeMap<Vec<u8>, u32>,
    /// The scope that ends now does because the runtime says so.
    pub(crate) ends: bool,
    /// Ends that are still to come, of starts that were not told or that something else has ended, by their start's event.
    pub(crate) unseen: Unseen,
    pub(crate) key: Vec<u8>,
}

pub(crate) struct Unseen([u16; target::END as usize]);

impl Default for Unseen {
    fn default() -> Unseen {
        Unseen([0; target::END as usize])
    }
}

impl Acc {
    pub(crate) fn begin_thread(&mut self) {
        self.unseen = Unseen::default();
    }

    /// A scope is closed that began with this event. What it says of that.
    pub(crate) fn closes(&mut self, event: u32) -> AccEnd {
        if !self.ends {
            self.expect(event);
        }
        AccEnd { event, told: self.ends }
    }

    pub(crate) fn expect(&mut self, event: u32) {
        if let Some(count) = self.unseen.0.get_mut(event as usize) {
            *count = count.saturating_add(1);
        }
    }

    pub(crate) fn was_expected(&mut self, start: u32) -> bool {
        match self.unseen.0.get_mut(start as usize) {
            Some(count) if *count > 0 => {
                *count -= 1;
                true
            }
            _ => false,
        }
    }
}
