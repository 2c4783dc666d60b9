//! Whether the process records now, in one word for all threads: the program says so (`callbacks`), or `--for` is over.
//! While nothing is recorded the shim has no callback for chunks. The runtime keeps its own: it may not survive that
//! one is taken away while a thread is about to call it.

pub(crate) mod silence;

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use ompchunk_trace_format::Paused;

use crate::clock;
use crate::lock::Lock;
use ompt::raw::{AnyFn, EVENT_SUB_BLOCK, Event, SetCallbackFn};

pub(crate) const PAUSED: u64 = 1;
pub(crate) const ENDED: u64 = 2;
const BY_TIME: u64 = 4;
/// Above these bits: how often that changed.
const CHANGE: u64 = 8;

static STATE: AtomicU64 = AtomicU64::new(0);
/// When `--for` is over, in ticks.
static UNTIL: AtomicU64 = AtomicU64::new(u64::MAX);
/// Chunks are divided into sub-blocks, where the recorder asked for them.
static DIVIDED: AtomicBool = AtomicBool::new(true);
static CHANGES: Lock<()> = Lock::new(());
static CHUNKS: OnceLock<Callbacks> = OnceLock::new();
static FORGOTTEN: AtomicBool = AtomicBool::new(false);

struct Callbacks {
    set: SetCallbackFn,
    events: Vec<(Event, AnyFn)>,
}

/// The word: lanes keep the one that they saw last.
#[inline(always)]
pub(crate) fn state() -> u64 {
    STATE.load(Ordering::Acquire)
}

pub(crate) fn is_paused(state: u64) -> bool {
    state & PAUSED != 0
}

pub(crate) fn why(state: u64) -> Paused {
    match state & BY_TIME {
        0 => Paused::ByProgram,
        _ => Paused::ByTime,
    }
}

/// These are to be taken away while nothing is recorded. Only of the shim: see above.
pub(crate) fn takes_away(set: SetCallbackFn, events: Vec<(Event, AnyFn)>) {
    let _ = CHUNKS.set(Callbacks { set, events });
}

/// The runtime and the shim may be unloaded: nothing is asked of them any more.
pub(crate) fn forget_runtime() {
    let _changes = CHANGES.lock();
    FORGOTTEN.store(true, Ordering::Relaxed);
}

/// The shim's callbacks, as long as it is there. To be called by who holds the lock of changes.
fn chunks() -> Option<&'static Callbacks> {
    CHUNKS.get().filter(|_| !FORGOTTEN.load(Ordering::Relaxed))
}

pub(crate) fn ends_after(now: u64, time: Duration) {
    let until = now.saturating_add(clock::ticks_of(time));
    UNTIL.store(until, Ordering::Relaxed);
}

/// When the time is over; never, if that was seen.
pub(crate) fn until() -> u64 {
    UNTIL.load(Ordering::Relaxed)
}

pub(crate) fn expire() {
    UNTIL.store(u64::MAX, Ordering::Relaxed);
    change(|state| state | PAUSED | ENDED | if is_paused(state) { 0 } else { BY_TIME });
}

/// Changes the state, and the shim's callbacks with it. False: it has ended before.
pub(crate) fn change(to: impl FnOnce(u64) -> u64) -> bool {
    let _changes = CHANGES.lock();
    let before = STATE.load(Ordering::Relaxed);
    if before & ENDED != 0 {
        return false;
    }
    let after = to(before);
    if after == before {
        return true;
    }
    let starts = is_paused(before) && !is_paused(after);
    let stops = !is_paused(before) && is_paused(after);
    // A loop that runs now may have lost chunks as soon as the callbacks are gone: so first it is said that they may be.
    STATE.store(after.wrapping_add(CHANGE), Ordering::SeqCst);
    if let Some(chunks) = chunks().filter(|_| starts || stops) {
        for (event, callback) in &chunks.events {
            let divided = *event != EVENT_SUB_BLOCK || DIVIDED.load(Ordering::Relaxed);
            // SAFETY: the shim's own, which can be called at any time; each callback has the type of its event.
            unsafe { (chunks.set)(*event, (starts && divided).then_some(*callback)) };
        }
    }
    true
}

/// Chunks that begin from now on are divided, or not. Where somebody else changes something at this moment, it stays as it is.
pub(crate) fn divide(on: bool) {
    if DIVIDED.load(Ordering::Relaxed) == on {
        return;
    }
    let Some(_changes) = CHANGES.try_lock() else { return };
    DIVIDED.store(on, Ordering::Relaxed);
    let Some(chunks) = chunks().filter(|_| !is_paused(STATE.load(Ordering::Relaxed))) else { return };
    for (event, callback) in chunks.events.iter().filter(|(event, _)| *event == EVENT_SUB_BLOCK) {
        // SAFETY: as in `change`.
        unsafe { (chunks.set)(*event, on.then_some(*callback)) };
    }
}
