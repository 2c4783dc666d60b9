//! What the calling thread does, as the collector interface sees it.
//!
//! In thread-local storage, found by `thread_storage`. A signal handler may look at any instant, so each fact is one word, and
//! one that says of another that it counts is written after it.

use core::cell::Cell;
use core::ffi::c_int;
use core::ptr;
use core::sync::atomic::{AtomicI32, AtomicPtr, AtomicU32, AtomicU64, Ordering, compiler_fence};

use super::regions::RegionSlot;

/// The region is one of which the shim did not see the begin, or none: the runtime knows.
pub(crate) const UNSEEN: u64 = u64::MAX;

/// The calling thread. All bits 0 is a thread of which nothing was heard.
#[repr(C)]
pub(crate) struct Collected {
    /// In which session all that follows was heard; 0: none.
    session: AtomicU32,
    /// The state that the event begins whose callback runs; 0: no callback runs.
    announced: AtomicI32,
    /// The state of a wait for a mutex; 0: none.
    waiting: AtomicI32,
    /// Which counter it counts in, plus 1; 0: none yet.
    pub(super) counter: Cell<u32>,
    wait_id: AtomicU64,
    /// 0: none. [`UNSEEN`]: ask the runtime.
    region: AtomicU64,
    /// Where it can be seen whether that lasts: of a worker's. Null: it does.
    place: AtomicPtr<RegionSlot>,
    pub(super) parent: Cell<u64>,
    /// What held before the regions that this thread began.
    pub(super) before: Cell<*mut Before>,
    /// It runs tasks of the team as thread 0.
    pub(super) is_primary: Cell<bool>,
    /// It was made by the runtime.
    pub(super) is_worker: Cell<bool>,
    pub(super) is_idle: Cell<bool>,
    /// Between the begin of its region and that of its task, or between their ends.
    pub(super) is_between: Cell<bool>,
    pub(super) is_reducing: Cell<bool>,
}

/// What a thread was in when it began a region.
pub(super) struct Before {
    region: u64,
    parent: u64,
    of_region: *mut RegionSlot,
    is_primary: bool,
    /// Where the region stands that it began, and its id.
    began: &'static RegionSlot,
    id: u64,
    before: *mut Before,
}

impl Collected {
    pub(super) fn heard_in(&self, session: u32) -> bool {
        self.session.load(Ordering::Relaxed) == session
    }

    /// An event of this session: what was heard in another one counts no more.
    pub(super) fn hear(&self, session: u32) {
        if self.heard_in(session) {
            return;
        }
        self.session.store(0, Ordering::Relaxed);
        compiler_fence(Ordering::SeqCst);
        self.forget();
        self.enter(UNSEEN, ptr::null_mut());
        self.waiting.store(0, Ordering::Relaxed);
        self.is_between.set(false);
        self.is_reducing.set(false);
        // A worker of which the first thing heard is that it begins a task was idle before.
        self.is_idle.set(true);
        compiler_fence(Ordering::SeqCst);
        self.session.store(session, Ordering::Relaxed);
    }

    fn enter(&self, region: u64, place: *mut RegionSlot) {
        self.region.store(0, Ordering::Relaxed);
        compiler_fence(Ordering::SeqCst);
        self.place.store(place, Ordering::Relaxed);
        compiler_fence(Ordering::SeqCst);
        self.region.store(region, Ordering::Relaxed);
    }

    pub(super) fn begin_region(&self, id: u64, place: &'static RegionSlot, parent: u64) {
        let before = Before {
            region: self.region.load(Ordering::Relaxed),
            parent: self.parent.get(),
            of_region: self.place.load(Ordering::Relaxed),
            is_primary: self.is_primary.get(),
            began: place,
            id,
            before: self.before.get(),
        };
        self.before.set(Box::into_raw(Box::new(before)));
        self.is_between.set(true);
        self.parent.set(parent);
        self.is_primary.set(true);
        self.enter(id, ptr::null_mut());
    }

    pub(super) fn end_region(&self) {
        self.is_between.set(false);
        self.is_reducing.set(false);
        let before = self.before.get();
        if before.is_null() {
            // It began before the session.
            return self.enter(UNSEEN, ptr::null_mut());
        }
        // SAFETY: made in `begin_region` on this thread, and taken out of the list here.
        let last = unsafe { Box::from_raw(before) };
        self.before.set(last.before);
        last.began.end(last.id);
        self.parent.set(last.parent);
        self.is_primary.set(last.is_primary);
        self.enter(last.region, last.of_region);
    }

    /// The thread begins to work in a team of another thread's, or in none: `id` 0.
    pub(super) fn join(&self, id: u64, place: Option<&'static RegionSlot>) {
        let place = place.map_or(ptr::null_mut(), |place| ptr::from_ref(place).cast_mut());
        self.is_primary.set(false);
        self.is_between.set(false);
        self.is_reducing.set(false);
        self.waiting.store(0, Ordering::Relaxed);
        self.enter(id, place);
    }

    pub(super) fn forget(&self) {
        let mut next = self.before.replace(ptr::null_mut());
        while !next.is_null() {
            // SAFETY: as in `end_region`.
            next = unsafe { Box::from_raw(next) }.before;
        }
    }

    /// The region that it is in, and whether that lasts. For a signal handler, too.
    pub(super) fn region(&self) -> (u64, bool) {
        let region = self.region.load(Ordering::Relaxed);
        compiler_fence(Ordering::SeqCst);
        let place = self.place.load(Ordering::Relaxed);
        // SAFETY: null, or a place, which stays for good.
        let lasts = unsafe { place.as_ref() }.is_none_or(|place| place.lasts(region));
        (region, lasts)
    }

    /// The thread waits for a mutex from now on.
    pub(super) fn wait(&self, state: c_int, id: u64) {
        self.wait_id.store(id, Ordering::Relaxed);
        compiler_fence(Ordering::SeqCst);
        self.waiting.store(state, Ordering::Relaxed);
    }

    /// It waits no more. The state in which it was; 0: none.
    pub(super) fn go_on(&self) -> c_int {
        self.waiting.swap(0, Ordering::Relaxed)
    }

    /// The mutex for which it waits: the state and its id. For a signal handler, too.
    pub(super) fn waiting(&self) -> Option<(c_int, u64)> {
        let state = self.waiting.load(Ordering::Relaxed);
        compiler_fence(Ordering::SeqCst);
        (state != 0).then(|| (state, self.wait_id.load(Ordering::Relaxed)))
    }

    /// The state that the event announces whose callback runs; 0: no callback runs. For a signal handler, too.
    pub(super) fn announced(&self) -> c_int {
        self.announced.load(Ordering::Relaxed)
    }

    /// A callback begins with such a state, or ends: 0.
    pub(super) fn announce(&self, state: c_int) {
        self.announced.store(state, Ordering::Relaxed);
    }
}
