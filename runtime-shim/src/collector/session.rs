//! Whether a collector has started, what it has registered, and who is in its callbacks right now.
//!
//! A session lasts from START to STOP. One word holds its phase and number, so two STARTs cannot both win, and what was registered
//! in an earlier session is known to be old.

use core::ffi::c_int;
use core::sync::atomic::{AtomicBool, AtomicI32, AtomicU32, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use super::codes::{Code, EVENTS};
use super::regions;
use super::thread::Collected;
use crate::slot::{Function, Slot};
use crate::{occupancy, start::report, thread::thread_storage};

pub(super) type Callback = unsafe extern "C" fn(event: c_int);
// SAFETY: a function pointer of the C ABI.
unsafe impl Function for Callback {}

const STOPPED: u32 = 0;
const STARTED: u32 = 1;
/// Between the two, in either direction.
const CHANGING: u32 = 2;
const PHASE: u32 = 3;
/// One session more.
const NEXT: u32 = PHASE + 1;

static SESSION: AtomicU32 = AtomicU32::new(STOPPED);
static PAUSED: AtomicBool = AtomicBool::new(false);
static CALLBACKS: [Slot<Callback>; EVENTS] = [const { Slot::empty() }; EVENTS];
/// The process that started: a child of it has none of its other threads.
static PROCESS: AtomicI32 = AtomicI32::new(0);
/// The last id of a region before the session.
static IDS_BEFORE: AtomicU64 = AtomicU64::new(0);

/// How many threads count in one counter, at best one.
const COUNTERS: usize = 64;

/// Alone in its cache line.
#[repr(align(64))]
struct Counter(AtomicU32);

struct Counters([Counter; COUNTERS]);

static IN_CALLBACKS: Counters = Counters::new();
static IN_RUNTIME: Counters = Counters::new();

impl Counters {
    const fn new() -> Self {
        Self([const { Counter(AtomicU32::new(0)) }; COUNTERS])
    }

    fn during<T>(&self, here: &Collected, body: impl FnOnce() -> T) -> T {
        static THREADS: AtomicU32 = AtomicU32::new(0);
        if here.counter.get() == 0 {
            let number = THREADS.fetch_add(1, Ordering::Relaxed);
            here.counter.set(number % COUNTERS as u32 + 1);
        }
        let counter = &self.0[(here.counter.get() - 1) as usize].0;
        let process = PROCESS.load(Ordering::SeqCst);
        occupancy::enter(counter);
        let result = body();
        // Not in a child that has started to count anew meanwhile.
        if PROCESS.load(Ordering::SeqCst) == process {
            occupancy::leave(counter);
        }
        result
    }

    fn reset(&self) {
        for counter in &self.0 {
            counter.0.store(0, Ordering::SeqCst);
        }
    }

    /// Waits until nobody is there, at most that long, after what they look at was taken away. False: somebody is.
    fn wait(&self, most: Duration) -> bool {
        let begin = Instant::now();
        occupancy::taken_away();
        for counter in &self.0 {
            while !occupancy::is_empty(&counter.0) {
                if begin.elapsed() > most {
                    return false;
                }
                std::thread::sleep(Duration::from_micros(50));
            }
        }
        true
    }
}

#[inline]
pub(super) fn number() -> Option<u32> {
    let word = SESSION.load(Ordering::SeqCst);
    (word & PHASE == STARTED).then_some(word)
}

/// Whether a collector has ever started, or is about to: it may start again.
pub(super) fn was_one() -> bool {
    SESSION.load(Ordering::SeqCst) != STOPPED
}

/// START. False: a collector has started already.
pub(super) fn start() -> bool {
    let Some(word) = leave(STOPPED) else { return false };
    IDS_BEFORE.store(regions::last_id(), Ordering::SeqCst);
    PAUSED.store(false, Ordering::SeqCst);
    // SAFETY: `getpid` has no preconditions.
    let process = unsafe { libc::getpid() };
    if PROCESS.swap(process, Ordering::SeqCst) != process {
        // What the parent's threads counted is over.
        IN_CALLBACKS.reset();
        IN_RUNTIME.reset();
    }
    SESSION.store(word.wrapping_add(NEXT) | STARTED, Ordering::SeqCst);
    true
}

/// Begins to change the phase if it is this one. One of several callers gets the word, without its phase.
fn leave(phase: u32) -> Option<u32> {
    let word = SESSION.load(Ordering::SeqCst);
    let free = word & !PHASE;
    let left = word & PHASE == phase
        && SESSION.compare_exchange(word, free | CHANGING, Ordering::SeqCst, Ordering::SeqCst).is_ok();
    left.then_some(free)
}

/// STOP, and `meanwhile` before another may start. False: no collector has started. Returns when no other thread is in a
/// callback, so that the collector's library may be closed; not from inside one, where several could wait for each other.
pub(super) fn stop(meanwhile: impl FnOnce()) -> bool {
    let Some(word) = leave(STARTED) else { return false };
    for callback in &CALLBACKS {
        callback.set(None);
    }
    meanwhile();
    let waits = thread_storage::collected().announced() == 0 && has_all_threads();
    if waits && !IN_CALLBACKS.wait(Duration::from_secs(1)) {
        report::complain(format_args!(
            "a callback of the collector still runs on another thread, a second after OMP_REQ_STOP. Do not close the \
             collector's library before it has returned"
        ));
    }
    SESSION.store(word | STOPPED, Ordering::SeqCst);
    true
}

/// Not in a child of the process that started: what counts there is gone.
fn has_all_threads() -> bool {
    // SAFETY: `getpid` has no preconditions.
    PROCESS.load(Ordering::SeqCst) == unsafe { libc::getpid() }
}

pub(super) fn register(event: usize, callback: Option<Callback>) -> Code {
    let Some(session) = number() else { return Code::Sequence };
    CALLBACKS[event].set(callback);
    if number() == Some(session) {
        return Code::Ok;
    }
    // Stopped at the same moment: either STOP has cleared the place after this, or this does.
    CALLBACKS[event].set(None);
    Code::Sequence
}

pub(super) fn pause(paused: bool) {
    PAUSED.store(paused, Ordering::SeqCst);
}

pub(super) fn registered() -> impl Iterator<Item = c_int> {
    (0..EVENTS).filter(|event| CALLBACKS[*event].is_set()).map(|event| event as c_int)
}

pub(super) fn is_of_now(id: u64) -> bool {
    id > IDS_BEFORE.load(Ordering::SeqCst)
}

/// An event of the calling thread. `state`: what it is in from now on.
/// What a callback itself does in OpenMP is no event, or one that locks would call itself without end.
#[inline]
pub(super) fn send(here: &Collected, event: c_int, state: c_int) {
    if CALLBACKS[event as usize].is_set() && here.announced() == 0 && !PAUSED.load(Ordering::SeqCst) {
        deliver(here, event, state);
    }
}

#[inline(never)]
fn deliver(here: &Collected, event: c_int, state: c_int) {
    IN_CALLBACKS.during(here, || {
        if let Some(callback) = CALLBACKS[event as usize].get() {
            here.announce(state);
            // SAFETY: a collector registers functions of this type. Its library stays while they run: see `stop`.
            unsafe { callback(event) };
            here.announce(0);
        }
    });
}

/// Whether the runtime has handed over its entry points, and has not ended.
static ATTACHED: AtomicBool = AtomicBool::new(false);

pub(super) fn attach() {
    ATTACHED.store(true, Ordering::SeqCst);
}

pub(super) fn is_attached() -> bool {
    ATTACHED.load(Ordering::SeqCst)
}

/// Runs `body`, which calls the runtime, while it may be called.
pub(super) fn call_runtime<T>(here: &Collected, body: impl FnOnce() -> Option<T>) -> Option<T> {
    if !is_attached() {
        return None;
    }
    // It may have ended since.
    IN_RUNTIME.during(here, || is_attached().then(body).flatten())
}

/// The runtime ends: it must not be called any more, and no thread is in it because of us.
pub(super) fn detach() {
    ATTACHED.store(false, Ordering::SeqCst);
    // Also while a session begins or ends, which asks the runtime too.
    if was_one() && has_all_threads() {
        IN_RUNTIME.wait(Duration::from_millis(100));
    }
}
