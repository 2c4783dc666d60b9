//! `balanced`: one block of iterations for each thread of a team, so that all take as long. `adaptive`: that, or as compiled, or dealt,
//! whichever turns out to be faster.
//!
//! # Why all threads of a team run a loop in the same way
//!
//! What is known of a loop is kept for each pair of the loop and a region of one thread around the loop's own, as in `turns`. It
//! changes in one place alone, [`region_ended`]: that one thread is told of a region's end before it begins another, and no thread is
//! in a loop of the ended one any more. So from a region's begin to its end each of its threads reads the same way to run and the same
//! costs, and its block follows from these, its number, the size of the team and the number of iterations. Within regions of several
//! threads, and outside of all, the loop has the runtime's blocks, or runs as compiled. That depends on the regions alone, so a team
//! decides alike.
//!
//! Where there is no room for another pair, or no memory, there is none for any thread of the team.
//!
//! # Why all loops of a group give a thread the same iterations
//!
//! They have one [`Key`], so what is known is kept once for all of them. From a region's begin to its end all read the same way to run
//! and the same costs, whichever of them comes first. A thread's block follows from these, its number, the size of the team and the
//! number of iterations, and from nothing else: not from the width of the loop's variable or its direction. That the last thread keeps
//! the last iteration, and that a loop with fewer iterations than threads has the runtime's blocks, holds for all of a group or for
//! none. Chunks under `static` are mapped alike by the runtime, and the trial of a group has no dealt ones ([`plan::Can`]). A group has one
//! word of `quiet_loops`.
//!
//! A group's times are what its loops took together, thread by thread: no barrier is between them.
//!
//! How it is decided: `part_times` takes times, `correction` (for `balanced`) or `trial` (for `adaptive`) makes a `plan` of them for the next
//! regions, `loop_store` keeps to it, and `learned_file` keeps it for the next run.

pub(crate) mod block_parts;
pub(crate) mod equal_blocks;

use core::ptr;
use core::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64, Ordering};

use ompchunk_abi::LoopRecord;

use crate::balance::costs::{at_chunk, only_chunk, with_last};
use crate::balance::loop_store::Kept;
use crate::balance::part_times::LARGEST_TEAM;
use crate::balance::quiet_loops::Quiet;
use crate::overrides::group::Key;
use crate::runtime::{PlaceInTeam, RUNTIME};
use crate::thread::numbers::{ALONE, Numbers};
use crate::{thread::numbers, thread::thread_storage};

mod correction;
mod costs;
mod learned_file;
mod loop_store;
mod part_times;
pub(crate) mod plan;
mod quiet_loops;
mod restless_blocks;
mod rounds;
mod summary;
mod trial;

pub(crate) use self::costs::block_of;
pub(crate) use self::loop_store::Subject;
pub(crate) use self::part_times::processor_time;
pub(crate) use self::summary::end;

const PLACES: usize = 1 << 12;

/// The addresses of [`Kept`] by the region around and the loop.
static KEPT: Numbers<PLACES> = Numbers::empty();
/// The addresses of [`Around`] by the region.
static AROUND: Numbers<PLACES> = Numbers::empty();
/// The words of `quiet_loops` by the loop, or by the number of several records ([`Key::is_of_several`]).
static QUIET: Numbers<PLACES> = Numbers::empty();

/// What stands in place of an address where there was no memory.
const NO_MEMORY: u64 = 1;

/// The loops of the regions within one. It is never given back.
struct Around {
    /// Its own, from 1 on.
    number: u32,
    first: AtomicPtr<Kept>,
    /// The loops that were timed in this region.
    has_run: AtomicPtr<Kept>,
    /// How many regions will have ended when a loop is timed again.
    due: AtomicU64,
}

/// Reads what the user says of it. Before any loop has asked.
pub(crate) fn begin() {
    restless_blocks::begin();
    learned_file::begin();
}

#[derive(Clone, Copy)]
pub(crate) struct Seat {
    pub(crate) kept: &'static Kept,
    around: &'static Around,
    pub(crate) place: PlaceInTeam,
}

/// Does `adaptive` have the loop run as compiled, without a look at anything else?
#[inline(always)]
pub(crate) fn is_quiet(loop_record: *const LoopRecord) -> bool {
    let met = numbers::images_met() as u32;
    QUIET.alone_at_first(loop_record.addr()).is_some_and(|word| quiet_loops::is_quiet(word, met))
}

/// The same of a loop that is one of a group.
#[inline]
pub(crate) fn is_quiet_group(loop_record: *const LoopRecord) -> bool {
    let met = numbers::images_met() as u32;
    Key::at_hand(loop_record, met)
        .and_then(|key| QUIET.alone_at_first(key.number()))
        .is_some_and(|word| quiet_loops::is_quiet(word, met))
}

/// The calling thread's; `None`: what is kept of the loop does not count here.
pub(crate) fn seat(subject: &Subject) -> Option<Seat> {
    let (place, around) = place_and_around()?;
    if place.team_size > LARGEST_TEAM {
        return None;
    }
    let kept = kept(place.around, around, subject)?;
    kept.stamp();
    Some(Seat { kept, around, place })
}

/// The calling thread's in an execution that has begun, of a loop of which what is known is kept by `key`.
pub(crate) fn seat_again(key: Key) -> Option<Seat> {
    let (place, around) = place_and_around()?;
    let word = KEPT.number_for(place.around, key.number())?;
    // SAFETY: 0, or what `meet` has put there.
    let kept = unsafe { kept_at(word.load(Ordering::Acquire)) }?;
    Some(Seat { kept, around, place })
}

fn place_and_around() -> Option<(PlaceInTeam, &'static Around)> {
    let standing = thread_storage::standing();
    if let Some((place, kept)) = standing.place() {
        // SAFETY: what was put there below, which stays.
        return Some((place, unsafe { kept.cast::<Around>().as_ref() }?));
    }
    let place = RUNTIME.place_in_only_team()?;
    let around = around(place.around)?;
    standing.keep_place(place, ptr::from_ref(around).cast());
    Some((place, around))
}

/// Has a loop more chunks than its team has threads? If not, all of them run at once under its own schedule.
#[inline(always)]
pub(crate) const fn has_more_chunks(iterations: u64, chunk: u64, team: u64) -> bool {
    iterations.div_ceil(chunk) > team
}

#[inline(always)]
pub(crate) fn team_size() -> Option<u32> {
    thread_storage::standing().place().map(|(place, _)| place.team_size)
}

/// The seat in a loop of which the thread has just found in its `CachedSchedule` what is kept.
pub(crate) fn seat_of(kept: *const ()) -> Option<Seat> {
    let (place, around) = thread_storage::standing().place()?;
    // SAFETY: what `Chosen::keep` and `place_and_around` have put there, which stays.
    unsafe { Some(Seat { kept: kept.cast::<Kept>().as_ref()?, around: around.cast::<Around>().as_ref()?, place }) }
}

impl Seat {
    #[inline]
    pub(crate) fn is_timed(&self) -> bool {
        self.kept.watch.is_on()
    }

    /// Iterations before begin and end of the thread's block, which cuts no chunk of `whole`; `None`: the runtime's blocks.
    pub(crate) fn block(&self, iterations: u64, whole: u32) -> Option<(u64, u64)> {
        let PlaceInTeam { thread, team_size, .. } = self.place;
        let chunk = u64::from(whole);
        let block = match has_more_chunks(iterations, chunk, team_size.into()) {
            true => {
                let (before, until) = block_of(self.kept.shares(thread, team_size), iterations);
                (at_chunk(before, iterations, whole), at_chunk(until, iterations, whole))
            }
            false if whole == 1 => return None,
            false => only_chunk(thread, iterations, chunk),
        };
        Some(if self.kept.keeps_last { with_last(block, (thread, team_size), iterations, whole) } else { block })
    }

    /// The thread is about to run its part, which is timed.
    pub(crate) fn begins(&self) {
        if !self.kept.has_run.swap(true, Ordering::AcqRel) {
            let kept = ptr::from_ref(self.kept).cast_mut();
            push(&self.around.has_run, &self.kept.next_run, kept);
        }
        self.kept.watch.begins(self.place.thread, self.place.team_size);
    }

    pub(crate) fn ends(&self) {
        self.kept.watch.ends(self.place.thread);
    }
}

fn push(first: &AtomicPtr<Kept>, next: &AtomicPtr<Kept>, kept: *mut Kept) {
    let mut before = first.load(Ordering::Acquire);
    loop {
        next.store(before, Ordering::Relaxed);
        match first.compare_exchange(before, kept, Ordering::AcqRel, Ordering::Acquire) {
            Ok(_) => return,
            Err(now) => before = now,
        }
    }
}

fn around(address: usize) -> Option<&'static Around> {
    let place = AROUND.number_for(address, ALONE)?;
    match place.load(Ordering::Acquire) {
        0 => meet_around(place),
        // SAFETY: what `meet_around` has made, which stays.
        known => unsafe { kept_at(known) },
    }
}

#[cold]
fn meet_around(place: &'static AtomicU64) -> Option<&'static Around> {
    static MADE: AtomicU32 = AtomicU32::new(0);
    let new = Box::into_raw(Box::new(Around {
        number: MADE.fetch_add(1, Ordering::Relaxed) + 1,
        first: AtomicPtr::new(ptr::null_mut()),
        has_run: AtomicPtr::new(ptr::null_mut()),
        due: AtomicU64::new(u64::MAX),
    }));
    let address = new.expose_provenance() as u64;
    match place.compare_exchange(0, address, Ordering::AcqRel, Ordering::Acquire) {
        // SAFETY: just made.
        Ok(_) => unsafe { kept_at(address) },
        // SAFETY: nobody else knows it; and the other stays.
        Err(known) => unsafe {
            drop(Box::from_raw(new));
            kept_at(known)
        },
    }
}

fn kept(address: usize, around: &'static Around, subject: &Subject) -> Option<&'static Kept> {
    let place = KEPT.number_for(address, subject.key.number())?;
    match place.load(Ordering::Acquire) {
        0 => meet(around, subject, place),
        // SAFETY: what `meet` has put there, which stays.
        known => unsafe { kept_at(known) },
    }
}

/// Safety: the address of something that stays, or [`NO_MEMORY`], or 0.
unsafe fn kept_at<T>(address: u64) -> Option<&'static T> {
    match address {
        NO_MEMORY => None,
        // SAFETY: the caller's promise.
        _ => unsafe { ptr::with_exposed_provenance::<T>(address as usize).as_ref() },
    }
}

/// The first thread that comes to a loop makes what is kept of it, or finds that there is no memory; the others find that.
#[cold]
fn meet(around: &'static Around, subject: &Subject, place: &'static AtomicU64) -> Option<&'static Kept> {
    let number = if subject.key.is_of_several() { subject.key.number() } else { ptr::from_ref(subject.record).addr() };
    // Before anything is kept, so that what is kept can follow from whether another knows the loop. None: it is never quiet.
    let met = QUIET.number_for(number, ALONE).map(|word| Quiet::meet(word, around.number));
    let new = Kept::new(subject, met.map(|(quiet, _)| quiet), met.is_none_or(|(_, is_first)| is_first));
    let address = if new.is_null() { NO_MEMORY } else { new.expose_provenance() as u64 };
    if let Err(known) = place.compare_exchange(0, address, Ordering::AcqRel, Ordering::Acquire) {
        // SAFETY: `Kept::new` has made it, and nobody else knows it; and the other stays.
        unsafe {
            if !new.is_null() {
                Kept::drop(new);
            }
            return kept_at(known);
        }
    }
    // SAFETY: it stays from now on.
    let kept = unsafe { kept_at::<Kept>(address) }?;
    push(&around.first, &kept.next, new);
    Some(kept)
}

/// A region within this one has ended, the so-manieth, and no thread is in a loop of it: what is kept may change.
pub(crate) fn region_ended(address: usize, ended: u64) {
    let Some(place) = AROUND.number_for(address, ALONE) else { return };
    // SAFETY: null, or what `meet_around` has made.
    let Some(around) = (unsafe { kept_at::<Around>(place.load(Ordering::Acquire)) }) else { return };
    let mut next = around.has_run.swap(ptr::null_mut(), Ordering::AcqRel);
    // SAFETY: what is in the list stays.
    while let Some(kept) = unsafe { next.as_ref() } {
        next = kept.next_run.load(Ordering::Relaxed);
        kept.has_run.store(false, Ordering::Release);
        kept.region_ended(ended);
        if !kept.watch.is_on() {
            let due = kept.due.load(Ordering::Relaxed);
            around.due.fetch_min(due, Ordering::Relaxed);
        }
    }
    if ended >= around.due.load(Ordering::Relaxed) {
        wake(around, ended);
    }
}

#[cold]
fn wake(around: &Around, ended: u64) {
    let mut soonest = u64::MAX;
    let mut next = around.first.load(Ordering::Acquire);
    // SAFETY: what is in the list stays.
    while let Some(kept) = unsafe { next.as_ref() } {
        kept.wake(ended);
        if !kept.watch.is_on() {
            soonest = soonest.min(kept.due.load(Ordering::Relaxed));
        }
        next = kept.next.load(Ordering::Acquire);
    }
    around.due.store(soonest, Ordering::Relaxed);
}

fn all_kept() -> impl Iterator<Item = &'static Kept> {
    // SAFETY: 0, or what `meet` has put there, which stays.
    KEPT.all().filter_map(|address| unsafe { kept_at(address) })
}
