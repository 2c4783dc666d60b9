//! A lane's block: begun in the slot, written when it is full, now and then before, and at the end.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use std::{io, ptr};

use ompchunk_guest::memory;
use ompchunk_trace_format::Reason;
use ompchunk_trace_format::layout::{BLOCK_HEAD, BLOCK_MAGIC, block};

use crate::lane::slot::Slot;
use crate::lane::{Joint, Lane};
use crate::part::SHARED;
use crate::{cells::tally, clock, part, registration::setup, steer};

/// An unfinished block whose memory somebody keeps is written so often.
const OFTEN: Duration = Duration::from_millis(250);
/// One whose memory nobody keeps is written in one of so many ticks, ...
const SHARE: u64 = 100;
/// ... at most for so long at once after a while without, and only with so much left.
const MOST_CREDIT: Duration = Duration::from_millis(1);
const LEAST_CREDIT: Duration = Duration::from_micros(10);
/// So many blocks of other threads are written at once.
const MANY: usize = 128;

static OTHERS: AtomicU64 = AtomicU64::new(0);

impl Lane {
    /// Makes room for the next records: what is in the slot goes to the file, and the slot becomes a new block.
    pub(crate) fn next_block(&mut self) -> bool {
        let the_loop = self.running();
        let made = match self.block.slot.take() {
            None => part::slot(),
            Some(slot) => slot
                .write(slot.size)
                .map_err(|error| part::failed(Reason::DiskFull, &error))
                .map(|()| slot.clone())
                .inspect_err(|_| self.block.slot = Some(slot))
                .and_then(|slot| self.leave(slot)),
        };
        let placed = made.and_then(|slot| {
            let place = part::block(self.block.number, &slot, the_loop);
            self.block.slot = Some(Arc::clone(&slot));
            Ok((slot, place?))
        });
        let (slot, place) = match placed {
            Ok(placed) => placed,
            Err(reason) => {
                self.lose_taken();
                self.block.full = Some(reason);
                self.block.limit = ptr::null_mut();
                self.block.end = self.block.cursor;
                return false;
            }
        };
        slot.clear();
        slot.changes_no_more();
        let base = slot.base();
        if self.block.due == u64::MAX {
            self.block.due = self.last;
        }
        begin_block(base, self.block.number, self.block.sequence, self.holder.thread, self.last);
        slot.take_place(place);
        slot.set_moving(false);
        self.block.sequence += 1;
        self.block.open = ptr::null_mut();
        self.block.joint = Joint::default();
        self.block.cursor = base.wrapping_add(BLOCK_HEAD).cast();
        self.block.end = base.wrapping_add(slot.size).cast();
        self.block.begun_in = the_loop;
        self.aim();
        true
    }

    /// The memory of the next block, after this one: the same, unless something in it still changes.
    fn leave(&mut self, slot: Arc<Slot>) -> Result<Arc<Slot>, Reason> {
        if !std::mem::replace(&mut self.sums.is_in_block, false) {
            return Ok(slot);
        }
        memory::push(&mut self.sums.blocks, slot);
        part::slot()
    }

    fn used(&self, slot: &Slot) -> usize {
        (self.block.cursor as usize).saturating_sub(slot.base() as usize)
    }

    /// Writes the block as it is, in case the program is killed: now and then where somebody keeps the memory, else
    /// whenever a thread records something, as long as it takes no more than a hundredth of the thread's time.
    #[cold]
    #[inline(never)]
    pub(crate) fn keep_up(&mut self) {
        self.keep_up_at(self.last);
    }

    /// `now`: the last record is not the last that happened.
    pub(crate) fn keep_up_at(&mut self, now: u64) {
        if now >= steer::until() {
            steer::expire();
        }
        self.write_early(now);
        self.block.due = self.block.due.min(steer::until());
    }

    fn write_early(&mut self, now: u64) {
        let Some(slot) = self.block.slot.clone().filter(|_| self.block.full.is_none()) else {
            self.block.due = u64::MAX;
            return;
        };
        // Where it fails, it fails again when the block is full; then something is done about it.
        let used = self.used(&slot);
        let write = || slot.write(used).is_ok();
        if slot.is_kept || setup::times_alone() {
            write();
            let mut more = true;
            self.write_changing(|| !std::mem::take(&mut more));
            self.block.due = now + clock::ticks_of(OFTEN);
            return;
        }
        let [most, least] = [MOST_CREDIT, LEAST_CREDIT].map(clock::ticks_of);
        self.block.credit = most.min(self.block.credit + now.saturating_sub(self.block.credited) / SHARE);
        self.block.credited = now;
        if self.block.credit >= least {
            let begin = clock::ticks();
            write();
            let most = self.block.credit.saturating_sub(least);
            self.write_changing(|| clock::ticks().saturating_sub(begin) > most);
            write_others(now);
            let spent = clock::ticks().saturating_sub(begin);
            self.block.credit = self.block.credit.saturating_sub(spent);
        }
        self.block.due = now + least.saturating_sub(self.block.credit) * SHARE;
    }

    /// Writes the last block, for the end. What is in a block that has no room in the file is lost.
    pub(crate) fn settle(&mut self) {
        self.settle_or(|error| {
            part::failed(Reason::DiskFull, error);
        });
    }

    /// For who holds the lock, and tells the user in another way.
    pub(crate) fn settle_or(&mut self, mut tell: impl FnMut(&io::Error)) {
        self.lose_taken();
        for slot in std::mem::take(&mut self.sums.blocks) {
            self.settle_block(&slot, slot.size, &mut tell);
        }
        if let Some(slot) = self.block.slot.take() {
            let used = self.used(&slot);
            self.settle_block(&slot, used, &mut tell);
        }
    }

    fn settle_block(&mut self, slot: &Slot, used: usize, tell: &mut impl FnMut(&io::Error)) {
        if used == 0 {
            return;
        }
        match slot.write(used) {
            Ok(()) => {
                slot.leave_place();
            }
            Err(error) => {
                let reason = Reason::DiskFull;
                tell(&error);
                slot.withdraw();
                self.block.full = Some(reason);
                self.lose_block(&slot.copy(used), reason);
            }
        }
    }

    /// The place of the lane's block was given to a lane that had less.
    pub(crate) fn is_taken_from(&self) -> bool {
        let is_nowhere = self.block.slot.as_ref().is_some_and(|slot| slot.is_nowhere());
        is_nowhere && !self.block.cursor.is_null()
    }

    fn lose_taken(&mut self) {
        if let Some(slot) = self.block.slot.take_if(|slot| slot.is_nowhere()) {
            self.lose_block(&slot.copy(slot.size), Reason::MaxSize);
            self.block.full = self.block.full.or(Some(Reason::MaxSize));
        }
    }

    /// A thread ends in a lane that has no room: the next one has its share again, in a lane that begins anew.
    pub(crate) fn leave_full(&mut self) {
        let slot = self.block.slot.clone();
        if self.block.full.is_none() && !self.is_taken_from() {
            return;
        }
        self.settle();
        if let Some(slot) = slot {
            part::release(&slot);
        }
        self.holder.is_left = true;
    }

    fn lose_block(&mut self, block: &[u8], reason: Reason) {
        for lost in tally::of_block(block, self.block.begun_in, reason) {
            self.sums.unreported_loss.0 += lost.chunks;
            self.sums.unreported_loss.1 += lost.events;
            let tally = self.sums.tallies.get_mut(lost.the_loop as usize);
            tally.unwrap_or(&mut self.sums.unplaced).lost_all(&lost);
        }
    }
}

/// Who records nothing any more writes nothing: now and then one thread does for all, a few of many at once.
fn write_others(now: u64) {
    let before = OTHERS.load(Ordering::Relaxed);
    let is_due = now.saturating_sub(before) > clock::ticks_of(OFTEN);
    let relaxed = Ordering::Relaxed;
    if is_due && OTHERS.compare_exchange(before, now, relaxed, relaxed).is_ok() {
        let some = {
            let mut shared = SHARED.lock();
            let open = !shared.finished;
            shared.store.as_mut().filter(|_| open).map(|store| store.some_slots(MANY)).unwrap_or_default()
        };
        some.iter().for_each(|slot| slot.write_if_changed());
    }
}

/// Writes the head of a block; the word that makes it one comes last.
pub(crate) fn begin_block(base: *mut u8, lane: u32, sequence: u32, thread: u32, ticks: u64) {
    let (now_ticks, now_ns) = clock::both();
    let word = |at: usize, value: u32| {
        // SAFETY: the block is mapped, this thread's and aligned; `at` is inside its head.
        unsafe { base.add(at).cast::<u32>().write_volatile(value.to_le()) };
    };
    let long = |at: usize, value: u64| {
        // SAFETY: as above.
        unsafe { base.add(at).cast::<u64>().write_volatile(value.to_le()) };
    };
    word(block::LANE, lane);
    word(block::SEQUENCE, sequence);
    word(block::THREAD, thread);
    long(block::TICKS, ticks);
    long(block::NOW_TICKS, now_ticks);
    long(block::NOW_NS, now_ns);
    word(0, BLOCK_MAGIC);
}
