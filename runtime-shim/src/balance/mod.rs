//! `balanced`: one block of iterations for each thread of a team, so that all take as long.
//!
//! # Why all threads of a team have the same blocks
//!
//! What a loop's iterations cost is kept for each pair of a loop and a region of one thread around the loop's own, as in `turns`. Costs
//! change in one place alone, [`region_ended`]: that one thread is told of a region's end before it begins another, and no thread is
//! in a loop of the ended one any more. So from a region's begin to its end each of its threads reads the same costs, and its block
//! follows from these, its number, the size of the team and the number of iterations. Within regions of several threads, and
//! outside of all, the loop has the runtime's blocks. That depends on the regions alone, so a team decides alike.
//!
//! Where there is no room for another pair, or no memory, there is none for any thread of the team.

mod costs;
mod restless;
mod watch;

use core::alloc::Layout;
use core::ptr;
use core::sync::atomic::{AtomicPtr, AtomicU64, Ordering};

use std::alloc;

use ompchunk_abi::LoopRecord;

use self::costs::{Costs, PIECES, iterations_before, share};
use self::watch::{LARGEST_TEAM, Watch};
use crate::numbers::{ALONE, Numbers};
use crate::runtime::RUNTIME;

pub(crate) use self::restless::begin;

/// Pairs of a region and a loop.
const PLACES: usize = 1 << 12;

/// The addresses of [`Kept`] by the region around and the loop.
static KEPT: Numbers<PLACES> = Numbers::empty();
/// The addresses of the first within a region.
static FIRST: Numbers<PLACES> = Numbers::empty();

/// What stands in place of an address where there was no memory.
const NO_MEMORY: u64 = 1;

/// What is known of a loop in the regions within one. It is never given back: there are at most [`PLACES`].
struct Kept {
    /// As in [`Costs`].
    sums: [AtomicU64; PIECES + 1],
    watch: Watch,
    /// Another loop there.
    next: AtomicPtr<Kept>,
}

impl Kept {
    /// Null: there is no memory.
    fn new() -> *mut Kept {
        const LAYOUT: Layout = Layout::new::<Kept>();
        // SAFETY: it has a size.
        let new = unsafe { alloc::alloc_zeroed(LAYOUT) }.cast::<Kept>();
        // SAFETY: null, or memory of that layout; all of it are atomics, of which zeros are values.
        if let Some(kept) = unsafe { new.as_ref() } {
            match restless::is_on() {
                true => kept.replace(&restless::odd()),
                false => kept.replace(&Costs::even()),
            }
        }
        new
    }

    /// The block of a thread, in iterations before its begin and before its end.
    fn block(&self, thread: u32, team: u32, iterations: u64) -> (u64, u64) {
        // Pairs with `replace`, though the runtime's begin of the region does as well.
        let sum = |piece: usize| self.sums[piece].load(Ordering::Acquire);
        let end = |threads| iterations_before(share(sum, threads, team), iterations);
        (end(thread), end(thread + 1))
    }

    fn costs(&self) -> Costs {
        let mut costs = Costs::even();
        for (sum, kept) in costs.0.iter_mut().zip(&self.sums) {
            *sum = kept.load(Ordering::Acquire);
        }
        costs
    }

    /// No thread is in the loop.
    fn replace(&self, costs: &Costs) {
        for (kept, sum) in self.sums.iter().zip(costs.0) {
            kept.store(sum, Ordering::Release);
        }
    }
}

/// A thread's block of an execution.
pub(crate) struct Block {
    kept: &'static Kept,
    thread: u32,
    team_size: u32,
    /// Iterations of the loop before the block, ...
    pub(crate) begin: u64,
    /// ... and before its end.
    pub(crate) end: u64,
}

/// The calling thread's block of a loop with so many iterations; `None`: the runtime's.
pub(crate) fn block(the_loop: *const LoopRecord, iterations: u64) -> Option<Block> {
    let place = RUNTIME.place_in_only_team()?;
    if place.team_size > LARGEST_TEAM {
        return None;
    }
    let kept = kept(place.around, the_loop)?;
    let (begin, end) = kept.block(place.thread, place.team_size, iterations);
    Some(Block {
        kept,
        thread: place.thread,
        team_size: place.team_size,
        begin,
        end,
    })
}

/// The calling thread is about to run its block.
pub(crate) fn begins(block: &Block) {
    block.kept.watch.begins(block.thread, block.team_size);
}

/// The calling thread has run its block, which was timed.
pub(crate) fn ends(the_loop: *const LoopRecord) {
    let Some(place) = RUNTIME.place_in_only_team() else {
        return;
    };
    if let Some(kept) = kept(place.around, the_loop) {
        kept.watch.ends(place.thread);
    }
}

/// Is the calling thread's block being timed?
pub(crate) fn is_timed(block: &Block) -> bool {
    block.kept.watch.is_on()
}

fn kept(around: usize, the_loop: *const LoopRecord) -> Option<&'static Kept> {
    let place = KEPT.of(around, the_loop.addr())?;
    match place.load(Ordering::Acquire) {
        0 => meet(around, place),
        known => at(known),
    }
}

fn at(address: u64) -> Option<&'static Kept> {
    if address == NO_MEMORY {
        return None;
    }
    // SAFETY: null, or what `meet` has made, which stays.
    unsafe { ptr::with_exposed_provenance::<Kept>(address as usize).as_ref() }
}

/// The first thread that comes to a loop makes what is kept of it, or finds that there is no memory; the others find that.
#[cold]
fn meet(around: usize, place: &'static AtomicU64) -> Option<&'static Kept> {
    let first = FIRST.of(around, ALONE)?;
    let new = Kept::new();
    let address = match new.is_null() {
        true => NO_MEMORY,
        false => new.expose_provenance() as u64,
    };
    if let Err(known) = place.compare_exchange(0, address, Ordering::AcqRel, Ordering::Acquire) {
        if !new.is_null() {
            // SAFETY: `Kept::new` has made it, and nobody else knows it.
            unsafe { alloc::dealloc(new.cast(), Layout::new::<Kept>()) };
        }
        return at(known);
    }
    let kept = at(address)?;
    let mut before = first.load(Ordering::Acquire);
    loop {
        let next = ptr::with_exposed_provenance_mut::<Kept>(before as usize);
        kept.next.store(next, Ordering::Relaxed);
        match first.compare_exchange(before, address, Ordering::AcqRel, Ordering::Acquire) {
            Ok(_) => return Some(kept),
            Err(now) => before = now,
        }
    }
}

/// A region within this one has ended, and no thread is in a loop of it: blocks may change.
pub(crate) fn region_ended(around: usize) {
    let Some(first) = FIRST.of(around, ALONE) else {
        return;
    };
    let mut next = at(first.load(Ordering::Acquire));
    while let Some(kept) = next {
        if let Some(times) = kept.watch.region_ended() {
            correct(kept, &times);
        }
        next = at(kept.next.load(Ordering::Acquire).expose_provenance() as u64);
    }
}

/// Blocks become what would have taken equal times.
fn correct(kept: &Kept, times: &watch::Times) {
    if restless::is_on() {
        return kept.replace(&restless::odd());
    }
    let before = kept.costs();
    let Some(after) = before.after(times.ticks()) else {
        return;
    };
    // What differs from execution to execution is followed half way, else blocks would go to and fro.
    match times.follows_many {
        true => kept.replace(&before.half_way(&after)),
        false => kept.replace(&after),
    }
}
