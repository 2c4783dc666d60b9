//! The part: its head, and which block of the file comes next. Lanes fill their blocks in memory (`slot`).

use std::io;
use std::path::Path;
use std::sync::Arc;

use ompchunk_guest::memory::Grow;
use ompchunk_trace_format::layout::{BLOCK_SIZE, BLOCK_SIZES, HEAD_SIZE, head};
use ompchunk_trace_format::{Head, Lost, Meta, Reason};

use crate::cells::tally;
use crate::lane::room::{BlockPlace, Room, Taken};
use crate::lane::slot::Slot;
use crate::part::file::{Fate, PartFile};
use crate::registration::setup::within_limit;
use crate::tasks::each;

/// The first blocks are kept for what is said at the end, when there may be no other room.
const RESERVED: usize = BLOCK_SIZE;
/// Where the size is limited, blocks are so small that there are this many, so that many threads have some.
const BLOCKS: u64 = 1024;

/// The file system is asked again when this share of it is taken, so that processes together leave some, ...
const SHARE_UNASKED: u64 = 256;
/// ... and after so much.
const MOST_UNASKED: u64 = 1 << 20;

pub(crate) struct Store {
    pub(crate) file: Arc<PartFile>,
    /// As they stand at the start, in case somebody truncates the file.
    head: Vec<u8>,
    slots: Vec<Arc<Slot>>,
    lost: (u64, u64),
    why: Option<Reason>,
    next: u64,
    max_size: u64,
    pub(crate) block_size: usize,
    room: Room,
    /// So many bytes may be taken before the file system is asked again what it has.
    unasked: u64,
    closed: bool,
}

impl Store {
    /// Creates the part's file. `start` is now, on both clocks; the metadata may yet grow by `room`.
    pub(crate) fn create(
        directory: &Path,
        name: &str,
        start: (u64, u64),
        (meta, room): (&Meta, usize),
        max_size: Option<u64>,
    ) -> io::Result<Store> {
        let file = PartFile::create(directory, name)?;
        let block_size = max_size.map_or(BLOCK_SIZE, block_size);
        let head = Head::bytes(start, block_size, meta, room);
        let size = (head.len() + RESERVED) as u64;
        let begun = file
            .room_for(size)
            .map_err(stays_free)
            .and_then(|_| file.reserve(0, size))
            .and_then(|()| file.write_at(&head, 0))
            .and_then(|()| file.set_size(size));
        if let Err(error) = begun {
            let _ = std::fs::remove_file(&file.path);
            return Err(error);
        }
        each::begin_part();
        Ok(Store {
            file: Arc::new(file),
            head,
            slots: Vec::new(),
            lost: (0, 0),
            why: None,
            next: (RESERVED / block_size) as u64,
            max_size: max_size.unwrap_or(u64::MAX),
            block_size,
            room: Room::default(),
            unasked: 0,
            closed: false,
        })
    }

    /// More is known now. Only what fits into the room that was left for it.
    pub(crate) fn replace_meta(&mut self, meta: &Meta) {
        if let Some(bytes) = Head::replace_meta(&mut self.head, meta) {
            let _ = self.file.write_at(bytes, HEAD_SIZE as u64);
        }
    }

    pub(crate) fn slot(&mut self) -> Result<Arc<Slot>, (Reason, io::Error)> {
        if !self.slots.grow(1) {
            return Err(no_memory());
        }
        let made = Slot::new(&self.file, self.block_size);
        let slot = Arc::new(made.map_err(|error| (Reason::Memory, error))?);
        self.slots.push(Arc::clone(&slot));
        Ok(slot)
    }

    /// So many slots, those of which this was asked least lately.
    pub(crate) fn some_slots(&mut self, most: usize) -> Vec<Arc<Slot>> {
        let most = most.min(self.slots.len());
        let some = self.slots[..most].to_vec();
        self.slots.rotate_left(most);
        some
    }

    pub(crate) fn release(&mut self, slot: &Arc<Slot>) {
        self.slots.retain(|it| !Arc::ptr_eq(it, slot));
    }

    /// Where a lane's next block goes, and what others lose by that.
    pub(crate) fn block(
        &mut self,
        lane: u32,
        slot: &Arc<Slot>,
        the_loop: Option<u32>,
    ) -> Result<(u64, Vec<Lost>), (Reason, io::Error)> {
        let mut lost = Vec::new();
        let full = || (Reason::MaxSize, io::ErrorKind::FileTooLarge.into());
        if self.closed || self.room.has_lost(lane) {
            return Err(full());
        }
        if !self.room.grow(lane) {
            return Err(no_memory());
        }
        let offset = self.offset(self.next);
        let end = offset + self.block_size as u64;
        let offset = if let Some(spare) = self.room.spare.pop() {
            spare
        } else if end <= self.max_size {
            within_limit(end).and_then(|()| self.leave_room()).map_err(|error| (Reason::DiskFull, error))?;
            self.next += 1;
            each::part_grows(end, self.max_size);
            offset
        } else {
            let taken = self.room.take(lane).ok_or_else(full)?;
            lost = self.empty(taken);
            taken.written.offset
        };
        self.room.give(lane, slot, BlockPlace { offset, the_loop });
        Ok((offset, lost))
    }

    /// One more block is taken, unless that is room which stays free for the program.
    fn leave_room(&mut self) -> io::Result<()> {
        let more = self.block_size as u64;
        if self.unasked < more {
            let is_placed = |slot: &&Arc<Slot>| !slot.is_nowhere();
            // Blocks of which the file system does not know yet.
            let unwritten = self.slots.iter().filter(is_placed).count() as u64;
            let room = self.file.room_for((unwritten + 1) * more).map_err(stays_free)?;
            self.unasked = more + (room / SHARE_UNASKED).min(MOST_UNASKED);
        }
        self.unasked -= more;
        Ok(())
    }

    fn empty(&self, taken: Taken) -> Vec<Lost> {
        self.write_number(head::MOVED, 1);
        let BlockPlace { offset, the_loop } = taken.written;
        let mut block = vec![0; self.block_size];
        let lost = match self.file.read_at(&mut block, offset) {
            Ok(()) => tally::of_block(&block, the_loop, Reason::MaxSize),
            // Somebody has truncated it: what was in it is missing.
            Err(_) => Vec::new(),
        };
        // All of it: what the next one leaves unused must be zero.
        block.fill(0);
        for place in taken.open.into_iter().chain([offset]) {
            let _ = self.file.write_at(&block, place);
        }
        lost
    }

    fn offset(&self, block: u64) -> u64 {
        self.head.len() as u64 + block * self.block_size as u64
    }

    pub(crate) fn write_reserved(&self, number: usize, block: &[u8]) {
        if number < RESERVED / self.block_size {
            let _ = self.file.write_at(block, self.offset(number as u64));
        }
    }

    /// Adds to the head's counts, which readers may look at any time.
    pub(crate) fn count_lost(&mut self, reason: Reason, chunks: u64, events: u64) {
        self.lost.0 += chunks;
        self.lost.1 += events;
        self.why.get_or_insert(reason);
        self.write_losses();
    }

    fn write_losses(&self) {
        self.write_number(head::LOST_CHUNKS, self.lost.0);
        self.write_number(head::LOST_EVENTS, self.lost.1);
        let why = self.why.map_or(0, Reason::number);
        self.write_number(head::LOST_REASON, u64::from(why));
    }

    fn write_number(&self, at: usize, value: u64) {
        // The reader knows that a file that cannot be written to has no end.
        let _ = self.file.write_at(&value.to_le_bytes(), at as u64);
    }

    pub(crate) fn flush(&self) {
        if !self.closed {
            for slot in &self.slots {
                let _ = slot.write_meanwhile();
            }
        }
    }

    /// Writes the end, and tells what happened to the file meanwhile. `settled`: no thread was still at work.
    pub(crate) fn close(&mut self, end: (u64, u64), settled: bool) -> Fate {
        // Blocks of threads that are still at work, as far as they are. None gets a new one meanwhile: the lock is held.
        self.flush();
        self.closed = true;
        let fate = self.file.fate();
        if fate == Fate::Truncated {
            // With its head what came after can be read; what was cut off nobody knows.
            let _ = self.file.write_at(&self.head, 0);
            self.why = Some(Reason::Truncated);
            self.write_losses();
        }
        // Where the last write failed the file may be too short. Nothing lies behind the last block.
        let _ = self.file.set_size(self.offset(self.next));
        for (at, value) in [
            (head::UNSETTLED, u64::from(!settled)),
            (head::END_TICKS, end.0),
            (head::END_NS, end.1),
            (head::BLOCKS, self.next),
            (head::ENDED, 1),
        ] {
            self.write_number(at, value);
        }
        fate
    }
}

fn stays_free(bytes: u64) -> io::Error {
    let (number, unit) = match bytes >> 20 {
        0 => (bytes >> 10, "KiB"),
        mib => (mib, "MiB"),
    };
    let text = format!("{number} {unit} of its file system stay free for the program");
    io::Error::new(io::ErrorKind::StorageFull, text)
}

fn no_memory() -> (Reason, io::Error) {
    (Reason::Memory, io::ErrorKind::OutOfMemory.into())
}

/// The largest of which there are enough.
fn block_size(max_size: u64) -> usize {
    let fits = (max_size / BLOCKS).clamp(*BLOCK_SIZES.start() as u64, BLOCK_SIZE as u64);
    1 << fits.ilog2()
}
