//! The threads of this process, each with its lane, and the part that they begin. Never reached per chunk.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;
use std::sync::atomic::Ordering;
use std::time::Duration;

use ompchunk_guest::memory;
use ompchunk_guest::memory::Grow;
use ompchunk_trace_format::{Event, Mode, environment};

use crate::clock::{CpuOfThreads, Seen};
use crate::lane::lane_owner::{RUNNING, TAKEN};
use crate::lane::{Lane, this_thread};
use crate::part::complain::print;
use crate::part::store::Store;
use crate::part::{FIRST_LANE, SHARED, Shared};
use crate::registration::setup::{Setup, Source};
use crate::scope::Scope;
use crate::stacks::control as stacks;
use crate::{
    clock, clock::own_time, lane::lane_owner, lane::slot, loops::objects, part::file, part::fork, part::meta,
    profile_choice::execution_filter, registration::setup, steer,
};

thread_local! {
    static LANE: Cell<*mut Lane> = const { Cell::new(ptr::null_mut()) };
    static ALONE: Cell<bool> = const { Cell::new(false) };
    static END: EndOfThread = const { EndOfThread };
    /// The recorder is at work in the thread, and may allocate memory.
    static AT_WORK: Cell<bool> = const { Cell::new(false) };
}

struct EndOfThread;

impl Drop for EndOfThread {
    fn drop(&mut self) {
        if ALONE.try_with(|it| it.replace(false)).unwrap_or(false) {
            let _ = catch_unwind(thread_ends);
        }
    }
}

/// Begins the part, or joins one that has begun: OMPT and OpenACC share it. The error is for the user.
pub(crate) fn start(setup: Setup) -> Result<(), String> {
    let mut shared = SHARED.lock();
    if shared.setup.is_some() {
        return shared.join(setup.source);
    }
    let Mode { aggregate, sample, seconds, .. } = setup.settings.mode;
    setup::start_sampling(if aggregate { 0 } else { sample });
    own_time::start(setup.clock.read);
    clock::set_rate(setup.clock.hertz);
    objects::start();
    execution_filter::start(&setup.settings.mode);
    slot::start(&setup.settings.keeper);
    if let Some(seconds) = seconds {
        steer::ends_after(clock::ticks(), Duration::from_secs_f64(seconds));
    }
    shared.setup = Some(setup);
    let created = shared.create();
    if created.is_err() {
        shared.finished = true;
    }
    created
}

pub(crate) fn thread_begin(thread: u32, kind: u32) -> Event<'static> {
    Event::ThreadBegin { thread, os_thread: clock::os_thread() as u32, kind }
}

pub(crate) fn current() -> *mut Lane {
    LANE.try_with(Cell::get).unwrap_or(ptr::null_mut())
}

/// Does something with the calling thread's lane, which it gets if it has none, unless nothing is recorded.
pub(crate) fn with_lane(work: impl FnOnce(&mut Lane)) {
    let Some(lane) = attached() else { return };
    if lane.scopes.is_empty() {
        begin_thread(lane, ompt::raw::THREAD_UNKNOWN);
    }
    work(lane);
}

/// The way out of the runtime into what the recorder does: nothing unwinds back, and what that does itself is no event.
pub(crate) fn guard(work: impl FnOnce()) {
    let before = AT_WORK.try_with(|at_work| at_work.replace(true));
    let _ = catch_unwind(AssertUnwindSafe(work));
    if let Ok(before) = before {
        let _ = AT_WORK.try_with(|at_work| at_work.set(before));
    }
}

/// An event comes out of the recorder's own work: the program's `malloc` may take a lock of OpenMP's.
pub(crate) fn is_its_own() -> bool {
    AT_WORK.try_with(Cell::get).unwrap_or(true)
}

#[inline(always)]
pub(crate) fn guard_lane(work: impl FnOnce(&mut Lane)) {
    guard(|| with_lane(work));
}

/// For OpenACC and `target`. Of a thread that no OMPT runtime knows no end is told: between two events its lane may be taken.
pub(crate) fn with_lane_of_device(work: impl FnOnce(&mut Lane, u64)) {
    let Some(lane) = attached() else { return };
    if lane.scopes.is_empty() {
        begin_thread(lane, ompt::raw::THREAD_UNKNOWN);
        let _ = ALONE.try_with(|it| it.set(true));
        // The first thread's end is the end of the process, at which more may come.
        if !clock::is_first_thread() {
            let _ = END.try_with(|_| ());
        }
    }
    let now = lane.now();
    lane.steer(now);
    lane.look(now);
    work(lane, now);
    lane.done(now);
    let is_idle = !lane.scopes.iter().any(|scope| matches!(scope, Scope::Acc(..)));
    if is_idle && ALONE.try_with(Cell::get).unwrap_or(false) {
        lane.park();
    }
}

/// The calling thread's lane in a forked process that has no part yet. What begins there is said again if it ever has one.
pub(crate) fn waiting_lane() -> Option<&'static mut Lane> {
    fork::settle();
    if SHARED.lock().store.is_some() {
        return None;
    }
    ready().filter(|lane| !lane.block.attached)
}

pub(crate) fn thread_begins(kind: u32) {
    if let Some(lane) = waiting_lane() {
        lane.scopes.clear();
        lane.steer_anew();
        lane.holder.thread = next_thread();
        lane.push(Scope::Thread(lane.holder.thread));
        lane.silence.told = 0;
        return;
    }
    let Some(lane) = attached() else { return };
    if ALONE.try_with(|it| it.replace(false)).unwrap_or(false) && !lane.scopes.is_empty() {
        // It is known already, by OpenACC.
        return;
    }
    if !lane.scopes.is_empty() {
        // A runtime that starts over, as after fork.
        let now = lane.now();
        lane.unwind(now, 0);
    }
    begin_thread(lane, kind);
}

pub(crate) fn thread_ends() {
    if waiting_lane().is_some() {
        return;
    }
    let Some(lane) = attached() else { return };
    stacks::thread_ends(lane);
    let now = lane.now();
    lane.end_grains(now);
    lane.flush(now);
    if clock::is_first_thread() {
        lane.tell_cpu();
    }
    lane.unwind(now, 0);
    lane.tasks.clear();
    lane.end_sums();
    lane.release_blocks();
    lane.leave_full();
    let mut shared = SHARED.lock();
    shared.take_losses(lane);
    shared.cpu.ends();
    if lane.holder.is_left {
        lane.detach();
    }
    lane.holder.owner = 0;
    lane.holder.thread = ompchunk_trace_format::NOBODY;
    memory::push(&mut shared.free, lane);
    drop(shared);
    let _ = LANE.try_with(|cell| cell.set(ptr::null_mut()));
}

fn begin_thread(lane: &mut Lane, kind: u32) {
    let thread = next_thread();
    let now = lane.now();
    lane.steer_anew();
    lane.acc.begin_thread();
    // The lane may have been another thread's.
    lane.seen = Seen::default();
    lane.sums.faults.begun = None;
    lane.loops.recent.clear();
    (lane.sums.flushed, lane.sums.flushes) = (now, 0);
    lane.begin(now, Scope::Thread(thread), &thread_begin(thread, kind));
    // After the event, so that a block that begins with it says that the lane was nobody's.
    lane.holder.thread = thread;
    stacks::thread_begins(lane);
}

fn next_thread() -> u32 {
    let mut shared = SHARED.lock();
    shared.cpu.begins();
    shared.next_thread += 1;
    shared.next_thread - 1
}

fn ready() -> Option<&'static mut Lane> {
    fork::settle();
    let mut lane = current();
    if lane.is_null() {
        lane = SHARED.lock().acquire()?;
        LANE.try_with(|cell| cell.set(lane)).ok()?;
    }
    // SAFETY: lanes are never freed; `state` is atomic, so it may be looked at whoever has the lane.
    let state = unsafe { &*ptr::addr_of!((*lane).holder.state) };
    if !lane_owner::is_mine(state) {
        return None;
    }
    // SAFETY: the calling thread's lane, not taken by others, and unreferenced: callbacks do not interrupt each other.
    let lane = unsafe { &mut *lane };
    if memory::is_short() {
        lane.give_up();
        return None;
    }
    Some(lane)
}

fn attached() -> Option<&'static mut Lane> {
    let lane = ready()?;
    if lane.block.attached {
        return Some(lane);
    }
    if !SHARED.lock().attach(lane) {
        lane.loops.recent.close();
        lane.holder.state.store(TAKEN, Ordering::Release);
        return None;
    }
    lane.tell_anew();
    if !lane.scopes.is_empty() {
        stacks::thread_begins(lane);
    }
    Some(lane)
}

/// Bytes that what is known of an OMPT runtime takes in the metadata, and more.
const ROOM_FOR_RUNTIME: usize = 3 << 10;

impl Shared {
    /// The other of the two begins as well, and is told of in the part's metadata if it is the OMPT runtime.
    fn join(&mut self, source: Source) -> Result<(), String> {
        if self.finished {
            return Err("nothing is recorded, as was said".into());
        }
        if let Some(setup) = self.setup.as_mut().filter(|_| source.is_runtime()) {
            setup.source = source;
            let meta = meta::collect(setup, self.forked_from);
            if let Some(store) = &mut self.store {
                store.replace_meta(&meta);
            }
        }
        Ok(())
    }

    fn create(&mut self) -> Result<(), String> {
        let Some(setup) = &self.setup else { return Err("there is no recorder".into()) };
        let meta = meta::collect(setup, self.forked_from);
        let directory = &setup.directory;
        if file::root_hides(directory) {
            return Err(format!(
                "process {} is not recorded: it has another root directory (chroot), where {} is not that of the trace. Mount it \
                 there, or run ompchunk record below that root",
                meta.pid,
                directory.display()
            ));
        }
        let name = environment::part_name(meta.rank, meta.pid);
        let room = if setup.source.is_runtime() { 0 } else { ROOM_FOR_RUNTIME };
        let store =
            Store::create(directory, &name, clock::both(), (&meta, room), meta.mode.max_size).map_err(|error| {
                let next = match error.raw_os_error() {
                    Some(libc::EMFILE) => "Raise the limit of open files (ulimit -n)",
                    _ => "Choose another place with ompchunk record -o DIR, or make room there",
                };
                format!("cannot record into {}: {error}. The program runs without. {next}", directory.display())
            })?;
        file::remember_root(directory);
        stacks::begin_part(&store.file.path, &meta, meta.mode.max_size);
        self.store = Some(store);
        fork::is_ours();
        Ok(())
    }

    fn acquire(&mut self) -> Option<*mut Lane> {
        if self.finished || self.setup.is_none() {
            return None;
        }
        if memory::is_short() {
            self.complain_of_memory();
            return None;
        }
        let lane = match self.free.pop() {
            Some(lane) => {
                // SAFETY: a free lane, which nobody else uses.
                self.refresh(unsafe { &mut *lane });
                lane
            }
            None if self.lanes.grow(1) => {
                let lane = Box::into_raw(Box::new(Lane::new()));
                self.lanes.push(lane);
                lane
            }
            None => return None,
        };
        // SAFETY: a free lane, which nobody else uses.
        unsafe { (*lane).holder.owner = this_thread() };
        Some(lane)
    }

    /// Gives a lane its number, in a part that is begun if this is the first lane of a forked process.
    fn attach(&mut self, lane: &mut Lane) -> bool {
        if self.finished {
            return false;
        }
        if self.store.is_none()
            && let Err(message) = self.create()
        {
            self.finished = true;
            print(format_args!("{message}"));
            return false;
        }
        lane.block.number = self.next_lane;
        self.next_lane += 1;
        lane.block.attached = true;
        true
    }

    /// Before fork: in the child, the calling thread's block is the parent's.
    pub(crate) fn close_short_way(&self) {
        // SAFETY: null, or the calling thread's lane, of which no reference is alive: the program forks, not the recorder.
        if let Some(lane) = unsafe { current().as_mut() } {
            lane.loops.recent.close();
        }
    }

    /// After fork, in the child: the parent's part is the parent's. A new one begins with the next event.
    pub(crate) fn forget_parent(&mut self, parent: u32) {
        self.store = None;
        self.forked_from = Some(parent);
        self.losses.clear();
        self.loops.clear();
        self.sites.clear();
        self.next_lane = FIRST_LANE;
        self.cpu = CpuOfThreads::none();
        self.complained = false;
        let mine = current();
        for lane in std::mem::take(&mut self.lanes) {
            // SAFETY: the only thread of this process is here; the others' lanes are nobody's any more.
            unsafe { (*lane).detach() };
            if lane == mine {
                // SAFETY: as above. In the child the thread's control block is where it was.
                unsafe { (*lane).holder.state.store(RUNNING, Ordering::Release) };
                self.lanes.push(lane);
            }
        }
        // Lanes of the other threads leak: a few bytes each, and their scopes refer to regions.
        self.free.clear();
    }
}
