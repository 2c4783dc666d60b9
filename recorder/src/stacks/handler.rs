//! What a timer's signal does. It comes between any two instructions of the program, so it allocates nothing, takes no lock,
//! touches no thread-local storage but `errno`, and unwinds with what was prepared.

use std::ffi::{c_int, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;
use std::sync::atomic::{AtomicPtr, AtomicU64, Ordering, compiler_fence};
use std::time::Duration;

use framehop::{FrameAddress, Unwinder as _};
use ompchunk_trace_format::NOBODY;
use ompchunk_trace_format::stacks::layout::MOST_FRAMES;
use ompchunk_trace_format::stacks::{Cut, Sample};
use ompt::raw::{AnyFn, GetStateFn};

use crate::callbacks::inquiry::function;
use crate::clock;
use crate::lane::lane_owner::{PARKED, RUNNING};
use crate::lane::{Lane, this_thread};
use crate::stacks::modules::Modules;
use crate::stacks::registers::{MachineState, RED_ZONE};
use crate::stacks::thread::{self, Samples, Thread};
use crate::stacks::{hazard, modules, output, rest};

const OFTEN: Duration = Duration::from_millis(250);

static TICKS: AtomicU64 = AtomicU64::new(u64::MAX);
static GET_STATE: AtomicPtr<()> = AtomicPtr::new(ptr::null_mut());

pub(crate) fn prepare(get_state: Option<AnyFn>) {
    TICKS.store(clock::ticks_of(OFTEN), Ordering::Relaxed);
    let address = get_state.map_or(ptr::null_mut(), |function| function as *mut ());
    GET_STATE.store(address, Ordering::Relaxed);
}

/// The beginning of `siginfo_t` as the kernel fills it in for a timer.
#[repr(C)]
struct TimerInfo {
    signal: c_int,
    error: c_int,
    code: c_int,
    _padding: c_int,
    timer: c_int,
    overrun: c_int,
    value: usize,
}

pub(crate) unsafe extern "C" fn handle(_: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    // SAFETY: the kernel's, for the time of the call.
    let info = unsafe { &*info.cast::<TimerInfo>() };
    if info.code != libc::SI_TIMER {
        return;
    }
    let Some(thread) = thread::find(info.value, this_thread()) else { return };
    if rest::begin(&thread.in_handler, &thread::OVER) && !thread.is_off.load(Ordering::Relaxed) {
        // SAFETY: `errno` is there as long as the thread.
        let errno = unsafe { *libc::__errno_location() };
        // SAFETY: the kernel's.
        let place = unsafe { MachineState::of_signal(context) };
        // Nothing in there panics that is known; if it does, this sample is missing, and the program goes on.
        let _ = catch_unwind(AssertUnwindSafe(|| sample(thread, &place, info.overrun)));
        // SAFETY: as above.
        unsafe { *libc::__errno_location() = errno };
    }
    rest::end(&thread.in_handler);
}

fn sample(thread: &Thread, place: &MachineState, overrun: c_int) {
    if thread.is_busy.load(Ordering::Relaxed) {
        thread.missed.fetch_add(1 + overrun.max(0) as u64, Ordering::Relaxed);
        return;
    }
    compiler_fence(Ordering::SeqCst);
    // SAFETY: the thread is not busy with them, and handlers do not interrupt each other: all signals are blocked.
    let samples = unsafe { &mut *thread.samples };
    let missed = thread.missed.swap(0, Ordering::Relaxed);
    samples.state.busy += u64::from(missed > 0);
    samples.state.expired += 1 + missed + overrun.max(0) as u64;
    let Some(output) = output::current() else { return };
    let time = clock::ticks();
    let Some(cpu) = clock::thread_cpu() else { return };
    let cut = walk(thread, place, samples);
    let Some((region, the_loop)) = within(thread, samples, cut) else {
        samples.state.cpu = cpu;
        return;
    };
    let (state, wait_id) = state();
    let (thread, cpu_ns) = (thread.number, cpu.saturating_sub(samples.state.cpu));
    let sample = Sample { thread, time, cpu_ns, state, wait_id, region, the_loop, frames: &[], cut };
    samples.state.cpu = cpu;
    let often = TICKS.load(Ordering::Relaxed);
    samples.sample(sample, output, often);
}

pub(crate) fn walk(thread: &Thread, place: &MachineState, samples: &mut Samples) -> Option<Cut> {
    let cut = match modules::current(&thread.using) {
        Some(modules) => {
            let cut = unwind(modules, place, samples);
            // What the recorder itself is doing there, it may be doing to the lane.
            let frames = &samples.frames[..samples.state.depth];
            samples.state.in_recorder = frames.iter().any(|frame| modules.is_own(*frame));
            let own = frames.iter().take_while(|frame| modules.is_own(**frame));
            samples.state.own = own.count();
            cut
        }
        None => {
            (samples.frames[0], samples.state.depth) = (place.pc, 1);
            samples.state.in_recorder = true;
            Some(Cut::NotUnwound)
        }
    };
    hazard::leave(&thread.using);
    cut
}

/// Region and loop. Not known where the lane may be changing: the recorder may be on the stack. `None`: a pause.
fn within(thread: &Thread, samples: &Samples, cut: Option<Cut>) -> Option<(u64, u32)> {
    let unknown = Some((0, NOBODY));
    let is_known = matches!(cut, None | Some(Cut::TooDeep)) && !samples.state.in_recorder;
    if !is_known {
        return unknown;
    }
    let lane = thread.lane.cast::<Lane>();
    // SAFETY: lanes are never freed, and the state is atomic.
    let state = unsafe { &*ptr::addr_of!((*lane).holder.state) };
    let state = state.load(Ordering::Acquire);
    if state != RUNNING && state != PARKED {
        return unknown;
    }
    // SAFETY: this thread's lane, which nobody takes while it is sampled; no function that changes it is on the stack.
    let lane = unsafe { &*lane };
    let region = lane.innermost_region().filter(|region| !region.is_over());
    if let Some(region) = region {
        region.sample();
    }
    let number = region.map_or(0, |region| region.number());
    Some((number, lane.running().unwrap_or(NOBODY))).filter(|_| !lane.silence.is_on)
}

fn state() -> (u32, u64) {
    let Some(function) = function::<GetStateFn>(&GET_STATE) else { return (ompt::raw::STATE_UNDEFINED as u32, 0) };
    let mut wait_id = 0;
    // SAFETY: async-signal-safe, says the specification; `wait_id` outlives the call.
    let state = unsafe { function(&mut wait_id) };
    (state as u32, wait_id)
}

/// What unwinding may take of the stack, and something for the program's own handlers.
const ROOM: u64 = 48 << 10;

/// Stores the stack from `place` on in `samples`, and says why it is not whole.
fn unwind(modules: &Modules, place: &MachineState, samples: &mut Samples) -> Option<Cut> {
    let (low, high) = samples.state.stack;
    samples.frames[0] = place.pc;
    samples.state.depth = 1;
    if !(low..high).contains(&place.sp) {
        return Some(Cut::OtherStack);
    }
    if place.sp - low < ROOM {
        return Some(Cut::LittleStack);
    }
    let from = place.sp - RED_ZONE as u64;
    let mut read = |address: u64| {
        let inside = address % 8 == 0 && address >= from && address.saturating_add(8) <= high;
        if !inside {
            return Err(());
        }
        // SAFETY: this thread's stack, above where it is or in its red zone, is mapped; others may change words.
        Ok(unsafe { (address as *const u64).read_volatile() })
    };
    let mut registers = place.registers;
    let mut address = FrameAddress::from_instruction_pointer(place.pc);
    loop {
        if !modules.know(address.address_for_lookup()) {
            return Some(Cut::NotUnwound);
        }
        let next = modules.unwinder.unwind_frame(address, &mut registers, &mut samples.cache, &mut read);
        let next = match next {
            Ok(Some(next)) => next,
            // The root says that it has no caller, or that it returns to nowhere.
            Ok(None) => return None,
            Err(framehop::Error::ReturnAddressIsNull) => return None,
            Err(_) => return Some(Cut::NotUnwound),
        };
        let found = FrameAddress::from_return_address(next)?;
        if samples.state.depth == MOST_FRAMES {
            return Some(Cut::TooDeep);
        }
        samples.frames[samples.state.depth] = next;
        samples.state.depth += 1;
        address = found;
    }
}
