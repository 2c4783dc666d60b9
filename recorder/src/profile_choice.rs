//! Which executions of loops with chunks of the thread's own are told, where a profile is wanted: as many as the loop's
//! `budget` has credit for. The shim asks each thread as it begins its part; what is not told runs as if nobody
//! listened. Threads of a team come to the same loops in the same order: the first that is asked so often in its region
//! decides for all. Where one has counted otherwise, as after a pause, an execution is told in part, and readers take
//! it for one that is not. No answer decides which iterations a thread runs.

pub(crate) mod budget;
pub(crate) mod execution_filter;
pub(crate) mod sub_blocks;

use std::ffi::{c_int, c_uint, c_void};
use std::ptr;

use ompchunk_abi::LoopRecord;
use ompt::raw::{Data, SCOPE_BEGIN, SCOPE_END, is_loop};

use crate::callbacks::inquiry::INQUIRY;
use crate::callbacks::work::{work, work_slowly};
use crate::clock;
use crate::lane::Lane;
use crate::profile_choice::budget::Heard;
use crate::recorder::{self, guard};
use crate::scope::Scope;

/// `ompt_callback_wanted`. Safety: the shim's arguments.
pub(crate) unsafe extern "C" fn wanted(the_loop: *const LoopRecord, chunk: u64) -> c_int {
    let lane = recorder::current();
    // SAFETY: null, or the calling thread's lane, of which no reference is alive: the program calls, not the recorder.
    let Some(lane) = (unsafe { lane.as_mut() }) else { return 1 };
    let mut answer = true;
    guard(|| answer = lane.wants(the_loop, chunk));
    c_int::from(answer)
}

impl Lane {
    fn wants(&mut self, the_loop: *const LoopRecord, chunk: u64) -> bool {
        self.heard.asked = ptr::null();
        let is_in_a_loop = matches!(self.scopes.last(), Some(Scope::Loop(_)));
        let budget = budget::find(the_loop.addr());
        let tasks = self.scopes.iter().filter(|scope| matches!(scope, Scope::ImplicitTask(..))).count();
        let region = self.innermost_region().map(|region| (region.number(), region.answers()));
        let wanted = match region {
            _ if is_in_a_loop => return true,
            Some((_, answers)) if answers.are_all() => return true,
            Some((region, answers)) => answers.answer(self.heard.times.next(tasks, region), || budget.grants()),
            None => budget.grants(),
        };
        if self.silence.is_on {
            return true;
        }
        self.heard = Heard { asked: the_loop, chunk, wanted, times: self.heard.times, ..Heard::default() };
        wanted
    }

    /// The loop begins that the thread was asked of, if it is that. True: it is not told.
    fn begins_heard(&mut self, count: u64) -> bool {
        let asked = std::mem::replace(&mut self.heard.asked, ptr::null());
        if asked.is_null() || asked != INQUIRY.current_loop() {
            return false;
        }
        let team = self.scopes.iter().rev().find_map(Scope::task).map_or(1, |task| task.team_size.max(1).into());
        let heard = &mut self.heard;
        let of_thread = heard.chunk.saturating_mul(team);
        (heard.runs, heard.since) = (asked, clock::ticks());
        heard.chunks = if heard.wanted { count.div_ceil(of_thread.max(1)) } else { 0 };
        heard.is_unrecorded = !heard.wanted;
        heard.is_unrecorded
    }

    fn ends_heard(&mut self) {
        let runs = std::mem::replace(&mut self.heard.runs, ptr::null());
        if !runs.is_null() {
            let took = clock::ticks().saturating_sub(self.heard.since);
            budget::find(runs.addr()).book(took, budget::cost(self.heard.chunks, self.heard.chunk));
        }
    }

    pub(crate) fn tells_all_within(&self) -> bool {
        let is_in_a_loop = self.scopes.iter().any(|scope| matches!(scope, Scope::Loop(_)));
        is_in_a_loop || self.innermost_region().is_some_and(|region| region.answers().are_all())
    }
}

/// [`work`] where a profile is recorded.
pub(crate) unsafe extern "C" fn work_of_profile<const COUNTER: bool>(
    kind: c_uint,
    endpoint: c_uint,
    parallel_data: *mut Data,
    task_data: *mut Data,
    count: u64,
    code: *const c_void,
) {
    let lane = recorder::current();
    let mut is_unrecorded = false;
    // SAFETY: null, or the calling thread's lane, of which no reference is alive.
    if let Some(lane) = unsafe { lane.as_mut() }.filter(|_| is_loop(kind)) {
        match endpoint {
            SCOPE_BEGIN => is_unrecorded = lane.begins_heard(count),
            SCOPE_END if !lane.silence.is_on && lane.running_loops() == 1 => lane.ends_heard(),
            _ => {}
        }
    }
    // SAFETY: the runtime's arguments, as they came; the lane is the calling thread's, and no reference to it is alive.
    unsafe {
        if is_unrecorded {
            work_slowly(kind, endpoint, parallel_data, task_data, count, code);
            (*lane).heard.is_unrecorded = false;
        } else {
            work::<COUNTER>(kind, endpoint, parallel_data, task_data, count, code);
        }
    }
}
