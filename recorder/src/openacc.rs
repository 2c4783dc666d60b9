//! A profiling library in the sense of OpenACC (`acc_prof.h`): a runtime loads it by `ACC_PROFLIB` and gives it the function by
//! which it asks for events. Nothing is recorded, opened or measured before the first of them comes: programs that
//! have OpenACC's runtime and never use it pay for the registration alone.
//!
//! There need be no OMPT runtime at all. Where there is one too, whichever comes first begins the part, and both write to it.

use std::ffi::c_void;
use std::panic::catch_unwind;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::thread;

use ompchunk_guest::floats::Floats;
use ompchunk_trace_format::Settings;

use crate::acc_prof::{Callback, EVENTS, Lookup, REGISTER, Register};
use crate::complain::say;
use crate::guard::guard;
use crate::setup::{Setup, Source};
use crate::starter::NEW;
use crate::{acc_prof, clock, fork, recorder, setup, starter};

/// Runtimes that have asked, by their function: a library that is named twice would else be told all twice.
static RUNTIMES: [AtomicUsize; 8] = [const { AtomicUsize::new(0) }; 8];

/// The part has begun.
const ON: u32 = 1;
/// It cannot, and that was said.
const REFUSED: u32 = 2;
/// [`NEW`]: no event has come yet.
static STATE: AtomicU32 = AtomicU32::new(NEW);
/// The process that is about to begin it; 0: none. Of a parent that forked meanwhile, nobody.
static STARTER: AtomicU32 = AtomicU32::new(0);

/// Called by an OpenACC runtime when it has loaded this library.
///
/// # Safety
///
/// The functions are the runtime's, or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn acc_register_library(
    register: Option<Register>,
    _unregister: Option<Register>,
    _lookup: Option<Lookup>,
) {
    guard(|| {
        let Some(register) = register else { return };
        if !is_new(register as *const () as usize) {
            return;
        }
        for (event, callback) in EVENTS.zip(CALLBACKS) {
            // SAFETY: the runtime's function, which may be called now; each callback stays as long as this library.
            unsafe { register(event as i32, callback, REGISTER) };
        }
    });
}

/// The first time that this runtime asks.
fn is_new(address: usize) -> bool {
    for slot in &RUNTIMES {
        match slot.compare_exchange(0, address, Ordering::Relaxed, Ordering::Relaxed) {
            Ok(_) => return true,
            Err(known) if known == address => return false,
            Err(_) => {}
        }
    }
    // More runtimes than anybody has.
    false
}

/// Some event has come: the part lasts until the process ends, not only until the OMPT runtime does.
pub(crate) fn is_in_use() -> bool {
    STATE.load(Ordering::Acquire) == ON
}

/// Which event it is does not depend on what the runtime passes.
unsafe extern "C" fn happens<const EVENT: u32>(info: *mut c_void, event_info: *mut c_void, _api: *mut c_void) {
    guard(|| {
        if STATE.load(Ordering::Acquire) != ON && !begins() {
            return;
        }
        // SAFETY: what the runtime passes to a callback of this event.
        let (operation, site) = unsafe { acc_prof::read(EVENT, info, event_info) };
        recorder::with_lane_of_device(|lane| {
            let now = lane.now();
            lane.steer(now);
            lane.look(now);
            lane.acc_happens(now, operation, &site);
            lane.done(now);
        });
    });
}

/// The first event. False: nothing is recorded, and it was said why.
#[cold]
fn begins() -> bool {
    let known = starter::begin(&STATE, &STARTER, std::process::id(), thread::yield_now);
    if known != NEW {
        return known == ON;
    }
    let begun = catch_unwind(start).unwrap_or_else(|_| Err("the recorder failed".into()));
    let state = match begun {
        Ok(()) => ON,
        Err(message) => {
            say(format_args!("{message}"));
            REFUSED
        }
    };
    starter::begun(&STATE, &STARTER, state);
    state == ON
}

fn start() -> Result<(), String> {
    let _floats = Floats::keep();
    setup::refuse_privileges()?;
    fork::watch();
    let (directory, settings, clock) = (setup::directory(), Settings::read()?, clock::start());
    recorder::start(Setup { directory, settings, clock, source: Source::default() })
}

macro_rules! callbacks {
    ($($event:literal)*) => { [$(happens::<$event>),*] };
}

/// Callbacks of the events from 1 on.
const CALLBACKS: [Callback; 25] = callbacks!(1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25);
const _: () = assert!(CALLBACKS.len() == ompchunk_trace_format::openacc::LAST_EVENT as usize);
