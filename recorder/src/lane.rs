//! Where one thread writes. Storing a chunk is the hot path: no lock, allocation or system call, nothing that panics.

pub(crate) mod block;
pub(crate) mod claim;
pub(crate) mod lane_owner;
pub(crate) mod recent_loops;
pub(crate) mod records;
pub(crate) mod room;
pub(crate) mod short_way;
pub(crate) mod slot;
pub(crate) mod unit;

use std::collections::{HashMap, HashSet};
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64};

use ompchunk_trace_format::encode::{self, LONG_GAP};
use ompchunk_trace_format::target::is_of_target;
use ompchunk_trace_format::{Event, NOBODY, Reason, Sum, Times};

use crate::cells::tally::Tally;
use crate::cells::{CellsBy, Key, Mark};
use crate::clock::{self, SHORT, Seen};
use crate::faults::Faults;
use crate::lane::lane_owner::RUNNING;
use crate::lane::recent_loops::Recent;
use crate::lane::slot::Slot;
use crate::part::store::Store;
use crate::profile_choice::budget::Heard;
use crate::scope::region::Regions;
use crate::scope::{Acc, AwaitedBlock, Grains, Running, Scope};
use crate::stacks::thread::Thread;
use crate::tasks::each::Each;
use crate::tasks::paths::Paths;

#[derive(Default)]
pub(crate) struct Joint {
    pub(crate) at: *mut u64,
    /// Where the lane's cursor was after it: it still is there if nothing came after.
    pub(crate) end: *mut u64,
    pub(crate) ticks: u64,
}

/// The block that is being written, and what of the part the lane has.
#[derive(Default)]
#[repr(C)]
pub(crate) struct Block {
    pub(crate) cursor: *mut u64,
    /// Chunks go straight into the block as long as `cursor` is before it; null when each must be looked at.
    pub(crate) limit: *mut u64,
    /// Where `cursor` was after a chunk's record that the next chunk may go into: it still is there if nothing came after.
    pub(crate) open: *mut u64,
    /// Where the block ends, or, when no record may follow, where it is left.
    pub(crate) end: *mut u64,
    pub(crate) joint: Joint,
    /// From this time on the block is to be written though it is not full.
    pub(crate) due: u64,
    /// Ticks that such writing may take where nobody keeps the memory, and when some were last added.
    pub(crate) credit: u64,
    pub(crate) credited: u64,
    pub(crate) slot: Option<Arc<Slot>>,
    pub(crate) sequence: u32,
    pub(crate) begun_in: Option<u32>,
    pub(crate) full: Option<Reason>,
    /// The lane's number in the part, if it has one.
    pub(crate) number: u32,
    pub(crate) attached: bool,
}

/// Whose the lane is.
#[derive(Default)]
#[repr(C)]
pub(crate) struct Holder {
    /// The thread, by the address of its control block; 0: nobody's.
    pub(crate) owner: usize,
    pub(crate) sampler: Option<&'static Thread>,
    pub(crate) state: AtomicU32,
    pub(crate) thread: u32,
    /// The thread ended when the lane had no room, so the next thread gets a fresh share.
    pub(crate) is_left: bool,
}

/// What the lane knows of loops.
#[derive(Default)]
pub(crate) struct Loops {
    pub(crate) recent: Recent,
    /// Definitions that the lane has: by address, the loop's number, or nothing for an address of code.
    pub(crate) known: HashMap<usize, u32>,
    /// As long as these stand still, what was at an address still is: images that the shim has met, and the epoch.
    pub(crate) met: u64,
    pub(crate) epoch: u64,
    pub(crate) unwanted: HashSet<u32>,
    /// `cursor` after it was told that the thread was in a loop that nobody wants to know.
    pub(crate) omitted: *mut u64,
}

/// Whether the lane tells what happens.
#[derive(Default)]
pub(crate) struct Silence {
    pub(crate) is_on: bool,
    /// What `steer` said when the lane looked last.
    pub(crate) steered: u64,
    /// How many of `scopes` are told, and when the others began.
    pub(crate) told: usize,
    pub(crate) since: Vec<u64>,
    /// Loops and the like that began before a pause and have not ended.
    pub(crate) below: usize,
}

/// What is added up, and told now and then.
#[derive(Default)]
pub(crate) struct Sums {
    pub(crate) tallies: Vec<Tally>,
    pub(crate) unplaced: Tally,
    /// Of scopes that are not told, by their depth.
    pub(crate) marks: Vec<Mark>,
    pub(crate) of_scopes: CellsBy<Key>,
    /// Of explicit tasks, by return address: of their constructs, and of regions that have some.
    pub(crate) of_tasks: [CellsBy<u64>; 2],
    /// Blocks that are full and hold records that still change, and the next one to be written.
    pub(crate) blocks: Vec<Arc<Slot>>,
    pub(crate) next: usize,
    /// The block that is being written holds such a record.
    pub(crate) is_in_block: bool,
    pub(crate) paused: u64,
    pub(crate) faults: Faults,
    /// What the recorder took, and time off a core, in loops that have no record per chunk: one for each loop.
    pub(crate) times: Vec<Times>,
    /// The recorder's own ticks that have no record yet.
    pub(crate) before: u64,
    /// What callbacks took to store events: too little for a record of each.
    pub(crate) storing: Option<Sum>,
    /// Chunks and other events that were lost and that the part's head does not count yet.
    pub(crate) unreported_loss: (u64, u64),
    /// When what is counted besides was told last, and when at the earliest it is again.
    pub(crate) flushed: u64,
    pub(crate) flushes: u64,
}

#[derive(Default)]
#[repr(C)]
pub struct Lane {
    pub(crate) holder: Holder,
    pub(crate) block: Block,
    pub(crate) last: u64,
    pub(crate) scopes: Vec<Scope>,
    pub(crate) regions: Regions,
    /// The chunks of the innermost loop, or of the last, come as chunk events, so dispatch events repeat them.
    pub(crate) repeats: bool,
    /// What dispatch events of the innermost loop call its iteration 0.
    pub(crate) first: u64,
    pub(crate) loops: Loops,
    pub(crate) silence: Silence,
    pub(crate) sums: Sums,
    pub(crate) seen: Seen,
    pub(crate) acc: Acc,
    /// When its thread asked for a lock or the like that it does not have yet; 0: it did not.
    pub(crate) asked: u64,
    pub(crate) grains: Grains,
    pub(crate) tasks: Paths,
    pub(crate) each: Each,
    pub(crate) heard: Heard,
    words: Vec<u64>,
}

impl Block {
    fn none() -> Block {
        Block { due: u64::MAX, ..Block::default() }
    }
}

impl Lane {
    pub(crate) fn new() -> Lane {
        Lane {
            block: Block::none(),
            holder: Holder { state: AtomicU32::new(RUNNING), thread: NOBODY, ..Holder::default() },
            scopes: Vec::with_capacity(16),
            words: Vec::with_capacity(256),
            ..Lane::default()
        }
    }

    /// False: it has another form, or does not go straight into the block. Safety: `lane` is the calling thread's.
    #[inline(always)]
    pub unsafe fn store_chunk(
        lane: *mut Lane,
        now: u64,
        lower: u64,
        iterations: u64,
        create_duration: u64,
        last: bool,
    ) -> bool {
        // SAFETY: the caller's promise; no reference to the lane is alive, as no slow path is running.
        // `limit` is null or the end of a mapped block that `cursor` is in, in steps of a unit.
        unsafe {
            let (at, before) = ((*lane).block.cursor, (*lane).last);
            let apart = now.wrapping_sub(before);
            // Chunks that are long can afford the way on which the block is written to the file now and then.
            let odd = ((lower | iterations) >> 32) | (create_duration >> 24);
            if at >= (*lane).block.limit || apart >= SHORT || odd != 0 || iterations == 0 {
                return false;
            }
            let chunk = encode::chunk(now, lower, iterations, create_duration, last);
            (*lane).last = now;
            if (*lane).block.open == at {
                // Nothing came after that chunk, so its time is the lane's.
                let word = u64::from_le(at.sub(1).read());
                if let Some([first, second]) = encode::pair(word, before, chunk, apart) {
                    unit::extend([word_at(at.sub(2)), word_at(at.sub(1))], [first, second]);
                    (*lane).block.open = ptr::null_mut();
                    return true;
                }
            }
            let [first, second] = chunk;
            unit::prepare(word_at(at.add(1)), second);
            unit::publish(word_at(at), first);
            let next = at.add(2);
            (*lane).block.cursor = next;
            (*lane).block.open = if encode::is_plain_chunk(chunk) { next } else { ptr::null_mut() };
            true
        }
    }

    /// Time passes without a record: no chunk may go into the record of one before.
    pub(crate) fn pass(&mut self, now: u64) {
        self.last = now;
        self.block.open = ptr::null_mut();
    }

    /// Now, but never before the last record.
    pub(crate) fn now(&self) -> u64 {
        clock::ticks().max(self.last)
    }

    pub(crate) fn put(&mut self, ticks: u64, event: &Event<'_>) {
        let ticks = ticks.max(self.last);
        if self.block.full.is_none() {
            if self.join(ticks, event) {
                self.stored(ticks);
                return;
            }
            let mut words = std::mem::take(&mut self.words);
            words.clear();
            event.encode(ticks, &mut words);
            let written = self.append(ticks, &words);
            let size = words.len();
            self.words = words;
            if written {
                self.note_joint(ticks, event, size);
                self.stored(ticks);
                return;
            }
        }
        self.pass(ticks);
        self.lose(ticks, event);
    }

    /// Appends a record of that time. False: there is no room, now and from now on.
    pub(crate) fn append(&mut self, ticks: u64, words: &[u64]) -> bool {
        let gap = ticks - self.last >= LONG_GAP;
        // In a new block the time is relative to the block's, which is the lane's last.
        (!gap || self.write(&encode::time(ticks))) && self.write(words)
    }

    fn stored(&mut self, ticks: u64) {
        self.last = ticks;
        if ticks >= self.block.due {
            self.keep_up();
        }
    }

    /// Appends a record's words. False: there is no room, now and from now on.
    fn write(&mut self, words: &[u64]) -> bool {
        let room = (self.block.end as usize).saturating_sub(self.block.cursor as usize);
        if room < words.len() * 8 && !self.next_block() {
            return false;
        }
        let Some((first, rest)) = words.split_first() else { return true };
        // SAFETY: `cursor` has room for the words up to `end`: a block holds the largest record.
        unsafe {
            for (number, word) in rest.iter().enumerate() {
                unit::prepare(word_at(self.block.cursor.add(number + 1)), *word);
            }
            unit::publish(word_at(self.block.cursor), *first);
            self.block.cursor = self.block.cursor.add(words.len());
        }
        true
    }

    pub(crate) fn aim(&mut self) {
        // If a chunk comes inside an operation of OpenACC or of `target`, it is of the loop around that.
        let is_away = matches!(self.scopes.last(), Some(Scope::Acc(..)));
        let top = self.scopes.iter().rev().find(|scope| !matches!(scope, Scope::Acc(..))).and_then(Scope::running);
        let recorded = top.is_some_and(|running| running.recorded) && self.block.full.is_none() && !is_away;
        // Each chunk that a block may be is looked at.
        let looks = top.is_some_and(|running| running.block != AwaitedBlock::No);
        self.block.limit = if recorded && !looks { self.block.end } else { ptr::null_mut() };
        self.repeats = top.is_some_and(|running| running.instrumented);
        self.first = top.map_or(0, Running::first_iteration);
        self.aim_short_way();
    }

    /// How many loops the thread is in.
    pub(crate) fn running_loops(&self) -> usize {
        self.scopes.iter().filter(|scope| matches!(scope, Scope::Loop(_))).count()
    }

    pub(crate) fn running(&self) -> Option<u32> {
        self.scopes.iter().rev().find_map(Scope::running).map(|running| running.the_loop)
    }

    pub(crate) fn tell_lost(&mut self, store: Option<&mut Store>) {
        let (chunks, events) = std::mem::take(&mut self.sums.unreported_loss);
        if let Some((store, reason)) = store.zip(self.why_lost()).filter(|_| chunks + events > 0) {
            store.count_lost(reason, chunks, events);
        }
    }

    /// Forgets the part: its file, numbers and definitions. What the thread is doing stays.
    pub(crate) fn detach(&mut self) {
        self.block = Block::none();
        // What may be of a thread that stood still within it is not freed, and hashing asks for no new keys.
        let Loops { recent, known, met, epoch, unwanted, omitted } = &mut self.loops;
        (*recent, *met, *epoch, *omitted) = (Recent::default(), 0, 0, ptr::null_mut());
        known.clear();
        unwanted.clear();
        let Sums { flushed, flushes, mut tallies, mut times, .. } = std::mem::take(&mut self.sums);
        tallies.clear();
        times.clear();
        self.sums = Sums { flushed, flushes, tallies, times, ..Sums::default() };
        self.seen = Seen::default();
        self.silence.told = 0;
        self.silence.since.clear();
        self.leave_chunks();
        self.holder.is_left = false;
        self.holder.sampler = None;
        self.asked = 0;
        self.each.no_room = false;
        self.acc.known.clear();
        for scope in &mut self.scopes {
            // In another part sites have other numbers.
            if let Scope::Acc(event, place) = scope {
                if !is_of_target(*event) {
                    *place = NOBODY.into();
                }
            }
        }
    }
}

/// Others may copy it at any time. Safety: mapped and aligned, as long as the lane has the block.
#[inline(always)]
pub(crate) unsafe fn word_at<'block>(at: *mut u64) -> &'block AtomicU64 {
    // SAFETY: the caller's promise.
    unsafe { AtomicU64::from_ptr(at) }
}

/// The address of the calling thread's control block: a name for the thread that costs one load.
#[inline(always)]
pub(crate) fn this_thread() -> usize {
    let address: usize;
    #[cfg(target_arch = "x86_64")]
    // SAFETY: the first word of the control block is its own address (x86-64 ABI, variant II).
    unsafe {
        core::arch::asm!("mov {}, fs:0", out(reg) address, options(nostack, readonly, preserves_flags));
    }
    #[cfg(target_arch = "aarch64")]
    // SAFETY: reads a register that user code may read.
    unsafe {
        core::arch::asm!("mrs {}, tpidr_el0", out(reg) address, options(nomem, nostack, preserves_flags));
    }
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    {
        // SAFETY: always works, and never gives 0.
        address = unsafe { libc::pthread_self() } as usize;
    }
    address
}

/// Whether that is the calling thread's [`this_thread`].
#[inline(always)]
pub(crate) fn is_this_thread(owner: usize) -> bool {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: as in `this_thread`; no register is written.
    unsafe {
        core::arch::asm!("cmp {}, fs:0", "jne {}", in(reg) owner, label { return false }, options(nostack, readonly));
    }
    cfg!(target_arch = "x86_64") || owner == this_thread()
}

#[cfg(test)]
mod tests;
