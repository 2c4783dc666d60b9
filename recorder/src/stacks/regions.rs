//! The stack at which a region was forked, taken when it ends, and only if a stack was sampled in it.

use std::ffi::{c_int, c_void};
use std::ptr;

use ompt::raw::Data;

use crate::callbacks::parallel_end;
use crate::clock;
use crate::lane::lane_owner;
use crate::recorder::{self, guard};
use crate::scope::Scope;
use crate::stacks::control::{look, look_at};
use crate::stacks::handler::walk;
use crate::stacks::output;
use crate::stacks::registers::MachineState;

pub(crate) unsafe extern "C" fn parallel_end_with_stacks(
    parallel_data: *mut Data,
    task: *mut Data,
    flags: c_int,
    code: *const c_void,
) {
    guard(region_ends);
    // SAFETY: the runtime's arguments, as they came.
    unsafe { parallel_end(parallel_data, task, flags, code) };
}

fn region_ends() {
    let lane = recorder::current();
    if lane.is_null() {
        return;
    }
    // SAFETY: lanes are never freed, and the state is atomic.
    if !lane_owner::is_mine(unsafe { &*ptr::addr_of!((*lane).holder.state) }) {
        return;
    }
    // SAFETY: the calling thread's, which whoever finishes the part has not taken; no other reference to it is alive.
    let lane = unsafe { &*lane };
    let now = clock::ticks();
    look(now);
    if let Some(thread) = lane.holder.sampler {
        look_at(thread, now);
    }
    let region = lane.scopes.iter().rev().find_map(|scope| match scope {
        Scope::Parallel(region) => Some(region),
        _ => None,
    });
    let Some((thread, region)) = lane.holder.sampler.zip(region) else { return };
    if lane.silence.is_on || !region.take_sampled() {
        return;
    }
    let Some(output) = output::current() else { return };
    thread.busy(|samples| {
        let cut = walk(thread, &MachineState::here(), samples);
        samples.skip(samples.state.own);
        samples.fork(thread.number, now, region.number(), cut, output);
    });
}
