//! Ids of parallel regions, and how the threads of a team learn theirs.
//!
//! `ompt_data_t` is the tool's, and the runtimes tell of a region's begin under another address than that of its threads'
//! data. What all of them agree on is the task that encountered the region: while it lasts, that task encounters no other.
//! So its address leads to the id, from before the team runs until the region has ended.
//!
//! Places are never taken away, so a signal handler may look at one whose region is over.

use core::ptr;
use core::sync::atomic::{AtomicPtr, AtomicU64, AtomicUsize, Ordering};

use ompchunk_guest::memory;

/// Places in a table. Where they do not suffice there is a further table, which stays.
const PLACES: usize = 1 << 10;
/// How far from its own place a task is looked for.
const REACH: usize = 64;

/// Nothing was ever here: a search ends.
const EMPTY: usize = 0;
/// Something was here: a search goes on. No task has this address.
const LEFT: usize = 1;

pub(crate) struct RegionSlot {
    task: AtomicUsize,
    id: AtomicU64,
}

struct Table {
    places: [RegionSlot; PLACES],
    next: AtomicPtr<Table>,
}

impl Table {
    const fn empty() -> Self {
        Self {
            places: [const { RegionSlot { task: AtomicUsize::new(EMPTY), id: AtomicU64::new(0) } }; PLACES],
            next: AtomicPtr::new(ptr::null_mut()),
        }
    }

    fn reach(&self, task: usize) -> impl Iterator<Item = &RegionSlot> {
        let hash = (task >> 4).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - PLACES.ilog2());
        (0..REACH).map(move |step| &self.places[(hash + step) % PLACES])
    }

    fn next(&self) -> Option<&'static Table> {
        // SAFETY: null, or a table that `further` has made and nobody takes away.
        unsafe { self.next.load(Ordering::Acquire).as_ref() }
    }

    /// `None`: there is no memory for one more.
    fn further(&self) -> Option<&'static Table> {
        if let Some(next) = self.next() {
            return Some(next);
        }
        if memory::is_short() {
            return None;
        }
        let new = Box::into_raw(Box::new(Table::empty()));
        let put = self.next.compare_exchange(ptr::null_mut(), new, Ordering::AcqRel, Ordering::Acquire);
        let next = match put {
            Ok(_) => new,
            Err(anothers) => {
                // SAFETY: made above, and nobody has seen it.
                drop(unsafe { Box::from_raw(new) });
                anothers
            }
        };
        // SAFETY: as in `next`.
        unsafe { next.as_ref() }
    }
}

static FIRST: Table = Table::empty();
/// The slot of regions for which there is no memory: no task is found there.
static NOWHERE: RegionSlot = RegionSlot { task: AtomicUsize::new(EMPTY), id: AtomicU64::new(0) };
/// The last id. 0 is no region.
static LAST: AtomicU64 = AtomicU64::new(0);

/// Ids of regions whose begin the shim saw are below this; others, made of the address of the runtime's data, above.
pub(crate) const BY_ADDRESS: u64 = 1 << 63;

pub(crate) fn new_id() -> u64 {
    LAST.fetch_add(1, Ordering::Relaxed) + 1
}

pub(crate) fn last_id() -> u64 {
    // An exchange, which no id that was handed out before escapes.
    LAST.fetch_add(0, Ordering::Relaxed)
}

/// A task encounters a region. Only the thread that runs the task calls this.
pub(crate) fn begin(task: usize, id: u64) -> &'static RegionSlot {
    let place = find(task).unwrap_or_else(|| take(task));
    place.id.store(id, Ordering::Release);
    place
}

fn find(task: usize) -> Option<&'static RegionSlot> {
    let mut table = Some(&FIRST);
    while let Some(here) = table {
        for place in here.reach(task) {
            match place.task.load(Ordering::Acquire) {
                EMPTY => break,
                address if address == task => return Some(place),
                _ => {}
            }
        }
        table = here.next();
    }
    None
}

fn take(task: usize) -> &'static RegionSlot {
    let mut table = &FIRST;
    loop {
        for place in table.reach(task) {
            let before = place.task.load(Ordering::Relaxed);
            let is_free = before == EMPTY || before == LEFT;
            let taken =
                is_free && place.task.compare_exchange(before, task, Ordering::AcqRel, Ordering::Relaxed).is_ok();
            if taken {
                return place;
            }
        }
        let Some(further) = table.further() else { return &NOWHERE };
        table = further;
    }
}

/// The region that the task encountered, if it lasts.
pub(crate) fn around_task(task: usize) -> Option<(&'static RegionSlot, u64)> {
    let place = find(task)?;
    let id = place.id.load(Ordering::Acquire);
    (id != 0).then_some((place, id))
}

impl RegionSlot {
    /// Whether this region has not ended. For a signal handler, too.
    pub(crate) fn lasts(&self, id: u64) -> bool {
        self.id.load(Ordering::Acquire) == id
    }

    /// The region has ended, unless another is here already.
    pub(crate) fn end(&self, id: u64) {
        let ended = self.id.compare_exchange(id, 0, Ordering::AcqRel, Ordering::Relaxed);
        if ended.is_ok() {
            self.task.store(LEFT, Ordering::Release);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_region_is_found_while_it_lasts() {
        let (task, id) = (0x7000_1000, new_id());
        assert!(around_task(task).is_none());
        let place = begin(task, id);
        assert_eq!(around_task(task).map(|found| found.1), Some(id));
        assert!(place.lasts(id));
        // The same task in a region inside, as a serialised one has it.
        let inner = new_id();
        let inner_place = begin(task, inner);
        assert!(ptr::eq(place, inner_place) && !place.lasts(id));
        inner_place.end(inner);
        place.end(id);
        assert!(around_task(task).is_none() && !place.lasts(inner));
    }

    /// More tasks than the first table has places, and all found, from all threads.
    #[test]
    fn there_is_always_room() {
        let threads: Vec<_> = (0..8).map(|thread| std::thread::spawn(move || begin_and_end_regions(thread))).collect();
        for thread in threads {
            thread.join().expect("it found all of its regions");
        }
    }

    fn begin_and_end_regions(thread: usize) {
        let base = 0x10_0000_0000 + (thread << 24);
        let mine: Vec<_> = (0..1000)
            .map(|number| (base + number * 64, new_id()))
            .map(|(task, id)| (task, id, begin(task, id)))
            .collect();
        for (task, id, place) in &mine {
            let (found, found_id) = around_task(*task).expect("it lasts");
            assert!(ptr::eq(found, *place) && found_id == *id);
        }
        for (_, id, place) in &mine {
            place.end(*id);
        }
        assert!(mine.iter().all(|(task, ..)| around_task(*task).is_none()));
    }
}
