//! What threads share: the part and its lanes. Reached when a thread begins, a block is full or a loop is new.

pub(crate) mod complain;
pub(crate) mod file;
pub(crate) mod finish;
pub(crate) mod fork;
pub(crate) mod meta;
pub(crate) mod store;

use std::collections::BTreeMap;
use std::sync::Arc;

use ompchunk_trace_format::{Lost, Reason};

use crate::clock::CpuOfThreads;
use crate::lane::Lane;
use crate::lane::slot::Slot;
use crate::lock::Lock;
use crate::loops::objects::Identity;
use crate::part::store::Store;
use crate::registration::setup::Setup;

pub(crate) static SHARED: Lock<Shared> = Lock::new(Shared {
    setup: None,
    store: None,
    lanes: Vec::new(),
    free: Vec::new(),
    loops: BTreeMap::new(),
    sites: BTreeMap::new(),
    losses: Vec::new(),
    next_lane: FIRST_LANE,
    next_thread: 0,
    cpu: CpuOfThreads::none(),
    finished: false,
    complained: false,
    forked_from: None,
});

/// Lane 0 is the recorder's own, for the block that is kept for the end.
pub(crate) const FIRST_LANE: u32 = 1;

pub(crate) struct Shared {
    pub(crate) setup: Option<Setup>,
    pub(crate) store: Option<Store>,
    pub(crate) lanes: Vec<*mut Lane>,
    pub(crate) free: Vec<*mut Lane>,
    pub(crate) loops: BTreeMap<Identity, u32>,
    pub(crate) sites: BTreeMap<Vec<u8>, u32>,
    pub(crate) losses: Vec<Lost>,
    pub(crate) next_lane: u32,
    pub(crate) next_thread: u32,
    pub(crate) cpu: CpuOfThreads,
    pub(crate) finished: bool,
    pub(crate) complained: bool,
    pub(crate) forked_from: Option<u32>,
}

// SAFETY: lanes are leaked boxes; who may use one is decided by its owner and its state.
unsafe impl Send for Shared {}

pub(crate) fn loop_number(identity: Identity) -> u32 {
    let mut shared = SHARED.lock();
    let next = shared.loops.len() as u32;
    *shared.loops.entry(identity).or_insert(next)
}

/// More sites than this have no number: who names each event otherwise shall not fill the memory.
const MOST_SITES: usize = 1 << 16;

/// The number of a site of OpenACC's; `None`: there are too many.
pub(crate) fn site_number(key: &[u8]) -> Option<u32> {
    let mut shared = SHARED.lock();
    if let Some(number) = shared.sites.get(key) {
        return Some(*number);
    }
    let next = shared.sites.len();
    (next < MOST_SITES).then(|| {
        shared.sites.insert(key.to_vec(), next as u32);
        next as u32
    })
}

pub(crate) fn slot() -> Result<Arc<Slot>, Reason> {
    let made = match &mut SHARED.lock().store {
        Some(store) => store.slot(),
        None => return Err(Reason::DiskFull),
    };
    made.map_err(|(reason, error)| failed(reason, &error))
}

/// Where the lane's next block goes. The slot stops being the block before in the same step: who writes the end sees one of both.
pub(crate) fn block(lane: u32, slot: &Arc<Slot>, the_loop: Option<u32>) -> Result<u64, Reason> {
    let mut shared = SHARED.lock();
    let Some(store) = &mut shared.store else { return Err(Reason::DiskFull) };
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

pub(crate) fn release(slot: &Arc<Slot>) {
    if let Some(store) = &mut SHARED.lock().store {
        store.release(slot);
    }
}

pub(crate) fn failed(reason: Reason, error: &std::io::Error) -> Reason {
    SHARED.lock().complain_once(reason, error);
    reason
}

pub(crate) fn tell_lost(lane: &mut Lane) {
    let mut shared = SHARED.lock();
    let finished = shared.finished;
    lane.tell_lost(shared.store.as_mut().filter(|_| !finished));
}
