//! The part that this process writes, its lanes and their threads: everything that threads share. Reached
//! when a thread begins, a block is full or a loop is new, never per chunk.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use ompchunk_trace_format::{Event, Lost, Reason, environment};

use crate::clock::{self, Measured};
use crate::entries::Entries;
use crate::finish;
use crate::fork;
use crate::lane::{Lane, PARKED, RUNNING, TAKEN, this_thread};
use crate::lock::Lock;
use crate::loops::Identity;
use crate::meta::{self, Source};
use crate::objects;
use crate::off_core::Seen;
use crate::own;
use crate::region::Region;
use crate::say::say;
use crate::scope::Scope;
use crate::settings::Settings;
use crate::slot::Slot;
use crate::steer;
use crate::store::Store;
use crate::unwanted;

/// The shim's inquiry functions.
pub(crate) static ENTRIES: Entries = Entries::none();

/// One of so many executions is recorded chunk by chunk; 0: none.
static SAMPLE: AtomicU64 = AtomicU64::new(1);
/// The clock's rate.
static HERTZ: AtomicU64 = AtomicU64::new(0);

pub(crate) static SHARED: Lock<Shared> = Lock::new(Shared {
    setup: None,
    store: None,
    lanes: Vec::new(),
    free: Vec::new(),
    loops: BTreeMap::new(),
    losses: Vec::new(),
    regions: Vec::new(),
    next_lane: FIRST_LANE,
    next_thread: 0,
    finished: false,
    complained: false,
    forked_from: None,
});

/// Lane 0 is the recorder's own, for the block that is kept for the end.
const FIRST_LANE: u32 = 1;

/// What is needed to begin a part, also in a forked process.
pub(crate) struct Setup {
    pub(crate) settings: Settings,
    pub(crate) clock: Measured,
    pub(crate) source: Source,
}

pub(crate) struct Shared {
    pub(crate) setup: Option<Setup>,
    pub(crate) store: Option<Store>,
    pub(crate) lanes: Vec<*mut Lane>,
    pub(crate) free: Vec<*mut Lane>,
    /// Numbers, by what the loops are.
    loops: BTreeMap<Identity, u32>,
    pub(crate) losses: Vec<Lost>,
    /// Regions that have ended and can be used again.
    regions: Vec<&'static Region>,
    next_lane: u32,
    next_thread: u32,
    pub(crate) finished: bool,
    pub(crate) complained: bool,
    forked_from: Option<u32>,
}

// SAFETY: lanes are leaked boxes; who may use one is decided by its owner and its state.
unsafe impl Send for Shared {}

thread_local! {
    static LANE: Cell<*mut Lane> = const { Cell::new(ptr::null_mut()) };
}

/// Begins the part. The error is for the user.
pub(crate) fn start(setup: Setup) -> Result<(), String> {
    let sample = if setup.settings.aggregate {
        0
    } else {
        setup.settings.sample
    };
    SAMPLE.store(sample, Ordering::Relaxed);
    own::start(setup.clock.read);
    HERTZ.store(setup.clock.hertz as u64, Ordering::Relaxed);
    objects::start();
    unwanted::start(&setup.settings);
    if let Some(time) = setup.settings.time {
        steer::ends_after(clock::ticks(), time);
    }
    let mut shared = SHARED.lock();
    shared.setup = Some(setup);
    let created = shared.create();
    if created.is_err() {
        shared.finished = true;
    }
    created
}

/// Whether an execution is recorded chunk by chunk, after `seen` earlier ones.
pub(crate) fn is_recorded(seen: u64) -> bool {
    match SAMPLE.load(Ordering::Relaxed) {
        0 => false,
        1 => true,
        one_of => seen % one_of == 0,
    }
}

/// Whether some are and others are not.
pub(crate) fn records_some() -> bool {
    SAMPLE.load(Ordering::Relaxed) > 1
}

/// Whether every execution is.
pub(crate) fn records_all() -> bool {
    SAMPLE.load(Ordering::Relaxed) == 1
}

/// The loop's number.
pub(crate) fn loop_number(identity: Identity) -> u32 {
    let mut shared = SHARED.lock();
    let next = shared.loops.len() as u32;
    *shared.loops.entry(identity).or_insert(next)
}

/// A region that can be used again.
pub(crate) fn free_region() -> Option<&'static Region> {
    SHARED.lock().regions.pop()
}

/// Nobody uses the region any more.
pub(crate) fn reuse_region(region: &'static Region) {
    SHARED.lock().regions.push(region);
}

/// A lane's slot.
pub(crate) fn slot() -> Result<Arc<Slot>, Reason> {
    from_store(Store::slot)
}

/// Where the lane's next block goes. From then on the slot is not the block before any more: in one step, so that
/// whoever writes the end sees the one or the other.
pub(crate) fn block(lane: u32, slot: &Arc<Slot>, the_loop: Option<u32>) -> Result<u64, Reason> {
    let mut shared = SHARED.lock();
    let Some(store) = &mut shared.store else {
        return Err(Reason::DiskFull);
    };
    let (place, lost) = match store.block(lane, slot, the_loop) {
        Ok(found) => found,
        Err((reason, error)) => {
            drop(shared);
            return Err(failed(reason, &error));
        }
    };
    slot.set_moving(true);
    slot.leave_place();
    shared.take_from_others(&lost);
    Ok(place)
}

/// Nothing is stored in the slot any more.
pub(crate) fn release(slot: &Arc<Slot>) {
    if let Some(store) = &mut SHARED.lock().store {
        store.release(slot);
    }
}

/// Writes so many bytes of a slot to where they stay.
pub(crate) fn keep(slot: &Slot, used: usize) -> Result<(), Reason> {
    slot.write(used)
        .map_err(|error| failed(Reason::DiskFull, &error))
}

/// A time on the part's clock.
pub(crate) fn ticks_of(time: Duration) -> u64 {
    (HERTZ.load(Ordering::Relaxed) as f64 * time.as_secs_f64()) as u64
}

fn from_store<R>(
    ask: impl FnOnce(&mut Store) -> Result<R, (Reason, std::io::Error)>,
) -> Result<R, Reason> {
    let answer = match &mut SHARED.lock().store {
        Some(store) => ask(store),
        None => return Err(Reason::DiskFull),
    };
    answer.map_err(|(reason, error)| failed(reason, &error))
}

/// Tells the user, once.
pub(crate) fn failed(reason: Reason, error: &std::io::Error) -> Reason {
    let mut shared = SHARED.lock();
    shared.complain_once(reason, error);
    reason
}

/// Adds what a lane has lost to the part's head.
pub(crate) fn tell_lost(lane: &mut Lane) {
    let mut shared = SHARED.lock();
    let finished = shared.finished;
    lane.tell_lost(shared.store.as_mut().filter(|_| !finished));
}

/// What a thread's lane says first.
pub(crate) fn thread_begin(thread: u32) -> Event<'static> {
    const INITIAL: u32 = 1;
    thread_begin_as(thread, INITIAL)
}

fn thread_begin_as(thread: u32, kind: u32) -> Event<'static> {
    Event::ThreadBegin {
        thread,
        // SAFETY: takes nothing and cannot fail.
        os_thread: unsafe { libc::gettid() } as u32,
        kind,
    }
}

/// The calling thread's lane, or null.
pub(crate) fn current() -> *mut Lane {
    LANE.try_with(Cell::get).unwrap_or(ptr::null_mut())
}

/// Does something with the calling thread's lane, which it gets if it has none. `None`: nothing is recorded.
pub(crate) fn with_lane<R>(work: impl FnOnce(&mut Lane) -> R) -> Option<R> {
    let lane = attached()?;
    if lane.scopes.is_empty() {
        begin_thread(lane, ompt::raw::THREAD_UNKNOWN);
    }
    Some(work(lane))
}

/// The calling thread's lane in a forked process that has no part yet. What begins there is said again if it
/// ever has one.
pub(crate) fn waiting_lane() -> Option<&'static mut Lane> {
    fork::settle();
    if SHARED.lock().store.is_some() {
        return None;
    }
    ready().filter(|lane| !lane.attached)
}

/// A thread begins.
pub(crate) fn thread_begins(kind: u32) {
    if let Some(lane) = waiting_lane() {
        lane.scopes.clear();
        lane.steer_anew();
        lane.thread = next_thread();
        lane.push(Scope::Thread(lane.thread));
        // Not in a part.
        lane.told = 0;
        return;
    }
    let Some(lane) = attached() else { return };
    if !lane.scopes.is_empty() {
        // A runtime that starts over, as after fork.
        let now = lane.now();
        lane.unwind(now, 0);
    }
    begin_thread(lane, kind);
}

/// A thread ends; its lane is free for another.
pub(crate) fn thread_ends() {
    if waiting_lane().is_some() {
        return;
    }
    let Some(lane) = attached() else { return };
    let now = lane.now();
    lane.flush(now);
    lane.unwind(now, 0);
    lane.end_sums();
    lane.release_blocks();
    lane.leave_full();
    let mut shared = SHARED.lock();
    shared.take_losses(lane);
    if lane.is_left {
        lane.detach();
    }
    lane.owner = 0;
    lane.thread = ompchunk_trace_format::NOBODY;
    shared.free.push(lane);
    drop(shared);
    let _ = LANE.try_with(|cell| cell.set(ptr::null_mut()));
}

fn begin_thread(lane: &mut Lane, kind: u32) {
    let thread = next_thread();
    let now = lane.now();
    lane.steer_anew();
    // The lane may have been another thread's.
    lane.seen = Seen::default();
    (lane.flushed, lane.flushes) = (now, 0);
    lane.begin(now, Scope::Thread(thread), &thread_begin_as(thread, kind));
    // After the event, so that a block that begins with it says that the lane was nobody's.
    lane.thread = thread;
}

fn next_thread() -> u32 {
    let mut shared = SHARED.lock();
    shared.next_thread += 1;
    shared.next_thread - 1
}

/// The thread's lane, taken back if it was parked.
fn ready() -> Option<&'static mut Lane> {
    fork::settle();
    let mut lane = current();
    if lane.is_null() {
        lane = SHARED.lock().acquire()?;
        LANE.try_with(|cell| cell.set(lane)).ok()?;
    }
    // SAFETY: lanes are never freed; `state` is atomic, so it may be looked at whoever has the lane.
    let state = unsafe { &*ptr::addr_of!((*lane).state) };
    match state.load(Ordering::Acquire) {
        RUNNING => {}
        PARKED => {
            state
                .compare_exchange(PARKED, RUNNING, Ordering::AcqRel, Ordering::Acquire)
                .ok()?;
        }
        _ => return None,
    }
    // SAFETY: the calling thread's lane, not taken by whoever finishes the part; no other reference to it
    // is alive, since callbacks do not interrupt each other.
    Some(unsafe { &mut *lane })
}

/// The same with a number in the part, which begins if need be.
fn attached() -> Option<&'static mut Lane> {
    let lane = ready()?;
    if lane.attached {
        return Some(lane);
    }
    if !SHARED.lock().attach(lane) {
        lane.state.store(TAKEN, Ordering::Release);
        return None;
    }
    lane.tell_anew();
    Some(lane)
}

impl Shared {
    /// Begins this process's part.
    fn create(&mut self) -> Result<(), String> {
        let Some(setup) = &self.setup else {
            return Err("there is no recorder".into());
        };
        let meta = meta::collect(setup, self.forked_from);
        let directory = &setup.settings.directory;
        let name = environment::part_name(meta.rank, meta.pid);
        let store = Store::create(
            directory,
            &name,
            clock::both(),
            &meta,
            setup.settings.max_size,
        )
        .map_err(|error| {
            format!(
                "cannot record into {}: {error}. The program runs without. Choose another place with \
                 ompchunk record -o DIR, or make room there",
                directory.display()
            )
        })?;
        self.store = Some(store);
        finish::is_ours();
        Ok(())
    }

    fn acquire(&mut self) -> Option<*mut Lane> {
        if self.finished || self.setup.is_none() {
            return None;
        }
        let lane = match self.free.pop() {
            Some(lane) => {
                // SAFETY: a free lane, which nobody else uses.
                self.refresh(unsafe { &mut *lane });
                lane
            }
            None => {
                let lane = Box::into_raw(Box::new(Lane::new()));
                self.lanes.push(lane);
                lane
            }
        };
        // SAFETY: a free lane, which nobody else uses.
        unsafe { (*lane).owner = this_thread() };
        Some(lane)
    }

    /// Gives a lane its number, in a part that is begun if this is the first lane of a forked process.
    fn attach(&mut self, lane: &mut Lane) -> bool {
        if self.finished {
            return false;
        }
        if self.store.is_none() {
            if let Err(message) = self.create() {
                self.finished = true;
                say(format_args!("{message}"));
                return false;
            }
        }
        lane.number = self.next_lane;
        self.next_lane += 1;
        lane.attached = true;
        true
    }

    /// After fork, in the child: the parent's part is the parent's. A new one begins with the next event.
    pub(crate) fn forget_parent(&mut self, parent: u32) {
        self.store = None;
        self.forked_from = Some(parent);
        self.losses.clear();
        self.loops.clear();
        self.next_lane = FIRST_LANE;
        self.complained = false;
        let mine = current();
        for lane in std::mem::take(&mut self.lanes) {
            // SAFETY: the only thread of this process is here; the others' lanes are nobody's any more.
            unsafe { (*lane).detach() };
            if lane == mine {
                // SAFETY: as above. In the child the thread's control block is where it was.
                unsafe { (*lane).state.store(RUNNING, Ordering::Release) };
                self.lanes.push(lane);
            }
        }
        // Those of the other threads leak: a few bytes each, and their scopes refer to regions.
        self.free.clear();
    }
}
