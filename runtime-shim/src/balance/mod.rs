//! `balanced`: one block of iterations for each thread of a team, so that all take as long.
//!
//! # Why all threads of a team have the same blocks
//!
//! What a loop's iterations cost is kept for each pair of a team and a loop. A team is known by its region's data, as in `turns`. Costs
//! change in one place alone, [`region_ended`]: the thread that began a region is told of its end when none of the team is in a
//! loop of it any more, nor in one of the next region, which the same thread will begin. So from a region's begin to its end each
//! of its threads reads the same costs, and its block follows from these, its number, the size of the team and the number of
//! iterations. A region within one of several threads has no such thread to rely on (`turns` says why): there, and outside of all
//! regions, the loop has the runtime's blocks. That depends on the regions alone, so a team decides alike.
//!
//! Where there is no room for another pair, there is none for any thread of the team.

mod costs;
mod restless;
mod watch;

use core::ptr;
use core::sync::atomic::{AtomicPtr, AtomicU64, Ordering};

use ompchunk_abi::LoopRecord;

use self::costs::{Costs, PIECES, iterations_before, share};
use self::watch::{LARGEST_TEAM, Watch};
use crate::numbers::{ALONE, Numbers};
use crate::runtime::RUNTIME;

pub(crate) use self::restless::begin;

/// Pairs of a team and a loop.
const PLACES: usize = 1 << 12;

/// The addresses of [`Kept`] by team and loop.
static KEPT: Numbers<PLACES> = Numbers::empty();
/// The addresses of the first of a team's.
static FIRST: Numbers<PLACES> = Numbers::empty();

/// What is known of a team's loop. It is never given back: there are at most [`PLACES`].
struct Kept {
    /// As in [`Costs`].
    sums: [AtomicU64; PIECES + 1],
    watch: Watch,
    /// Another loop of the team.
    next: AtomicPtr<Kept>,
}

impl Kept {
    fn new() -> Box<Kept> {
        let costs = match restless::is_on() {
            true => restless::odd(),
            false => Costs::even(),
        };
        Box::new(Kept {
            sums: costs.0.map(AtomicU64::new),
            watch: Watch::new(),
            next: AtomicPtr::new(ptr::null_mut()),
        })
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
    let kept = kept(place.team, the_loop)?;
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
    if let Some(kept) = kept(place.team, the_loop) {
        kept.watch.ends(place.thread);
    }
}

/// Is the calling thread's block being timed?
pub(crate) fn is_timed(block: &Block) -> bool {
    block.kept.watch.is_on()
}

fn kept(team: usize, the_loop: *const LoopRecord) -> Option<&'static Kept> {
    let place = KEPT.of(team, the_loop.addr())?;
    let known = ptr::with_exposed_provenance::<Kept>(place.load(Ordering::Acquire) as usize);
    // SAFETY: null, or what `meet` has put there, which stays.
    match unsafe { known.as_ref() } {
        Some(kept) => Some(kept),
        None => meet(team, place),
    }
}

/// The first thread that comes to a loop makes what is kept of it; the others find that.
#[cold]
fn meet(team: usize, place: &'static AtomicU64) -> Option<&'static Kept> {
    let first = FIRST.of(team, ALONE)?;
    let new = Box::into_raw(Kept::new());
    let address = new.expose_provenance() as u64;
    if let Err(known) = place.compare_exchange(0, address, Ordering::AcqRel, Ordering::Acquire) {
        // SAFETY: nobody else knows it.
        drop(unsafe { Box::from_raw(new) });
        let known = ptr::with_exposed_provenance::<Kept>(known as usize);
        // SAFETY: what another thread has put there, which stays.
        return unsafe { known.as_ref() };
    }
    // SAFETY: it stays from now on.
    let kept = unsafe { &*new };
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

/// A team's region has ended, and none of its threads is in a loop: blocks may change.
pub(crate) fn region_ended(team: usize) {
    let Some(first) = FIRST.of(team, ALONE) else {
        return;
    };
    // Of a region within one of several threads, another thread may have begun one at the same address.
    if RUNTIME.is_in_a_team() {
        return;
    }
    let mut next = ptr::with_exposed_provenance::<Kept>(first.load(Ordering::Acquire) as usize);
    // SAFETY: null, or what `meet` has put there, which stays.
    while let Some(kept) = unsafe { next.as_ref() } {
        if let Some(times) = kept.watch.region_ended() {
            correct(kept, &times);
        }
        next = kept.next.load(Ordering::Acquire);
    }
}

/// Blocks become what would have taken equal times.
fn correct(kept: &Kept, times: &watch::Times) {
    if restless::is_on() {
        return kept.replace(&restless::odd());
    }
    let before = kept.costs();
    let Some(after) = before.after(&times.ticks) else {
        return;
    };
    // What differs from execution to execution is followed half way, else blocks would go to and fro.
    match times.follows_many {
        true => kept.replace(&before.half_way(&after)),
        false => kept.replace(&after),
    }
}
