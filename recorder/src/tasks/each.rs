//! Tasks that are told one by one, as long as there is room: a part stays for what is around them and for all sums.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use ompchunk_trace_format::Reason;

use super::record::Record;

/// The next number that no lane has. 0 is no task.
static NEXT: AtomicU64 = AtomicU64::new(1);
const BATCH: u64 = 1024;

/// Tasks that are created from now on have no room.
static IS_FULL: AtomicBool = AtomicBool::new(false);

/// Creations of which a lane knows the numbers: what one took is told behind it, and others may come between.
const LATEST: usize = 8;

pub(crate) fn begin_part() {
    IS_FULL.store(false, Ordering::Relaxed);
}

/// The part has grown up to `end`, of so many bytes at most: from three quarters on no task is told any more.
pub(crate) fn part_grows(end: u64, max_size: u64) {
    if end > max_size / 4 * 3 {
        IS_FULL.store(true, Ordering::Relaxed);
    }
}

#[derive(Default)]
pub(crate) struct Each {
    next: u64,
    end: u64,
    /// By the records' addresses.
    latest: [(usize, u32); LATEST],
    at: usize,
    /// The number of a `taskwait` whose dependences are told next.
    pub(crate) taskwait: u32,
    /// The lane had none for some task of the part.
    pub(crate) no_room: bool,
}

impl Each {
    /// A number that no task of the process has, or 0: there is none left.
    pub(crate) fn number(&mut self) -> u32 {
        if self.next == self.end {
            self.next = NEXT.fetch_add(BATCH, Ordering::Relaxed);
            self.end = self.next.saturating_add(BATCH);
        }
        let number = u32::try_from(self.next).ok();
        self.next += 1;
        self.no_room |= number.is_none();
        number.unwrap_or(0)
    }

    pub(crate) fn has_no_room(&mut self) -> bool {
        self.no_room |= IS_FULL.load(Ordering::Relaxed);
        self.no_room
    }

    /// Why tasks are lost, if the lane itself has room.
    pub(crate) fn why_lost(&self) -> Option<Reason> {
        self.no_room.then_some(Reason::MaxSize)
    }

    /// The lane has created one of that number, or that is not told: the record may have been that of one that is.
    pub(crate) fn created(&mut self, record: *mut Record, number: u32) {
        self.latest[self.at] = (record.addr(), number);
        self.at = (self.at + 1) % LATEST;
    }

    /// The number of a task that the lane created lately. Not asked of the record, which may be another task's by now.
    pub(crate) fn number_of(&self, record: *mut Record) -> u32 {
        let newest_first = (1..=LATEST).map(|back| self.latest[(self.at + LATEST - back) % LATEST]);
        let mut same = newest_first.filter(|(of, _)| *of == record.addr());
        same.next().map_or(0, |(_, number)| number)
    }
}
