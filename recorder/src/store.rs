//! The part: its head, and which block of the file comes next. What is written goes through `file`; lanes fill their
//! blocks in memory (`slot`).

use std::io;
use std::path::Path;
use std::sync::Arc;

use ompchunk_trace_format::layout::{BLOCK_SIZE, head};
use ompchunk_trace_format::{Head, Meta, Reason};

use crate::file::{Fate, PartFile, within_limit};
use crate::slot::Slot;

/// The first block is kept for what is said at the end, when there may be no other room.
const RESERVED: u64 = 1;

/// The file and how much of it is used.
#[derive(Debug)]
pub(crate) struct Store {
    file: Arc<PartFile>,
    /// As they stand at the start, in case somebody truncates the file.
    head: Vec<u8>,
    /// Of all lanes.
    slots: Vec<Arc<Slot>>,
    lost: (u64, u64),
    why: Option<Reason>,
    next: u64,
    max_size: u64,
    /// Nothing is taken any more.
    closed: bool,
}

impl Store {
    /// Creates the part's file. `start` is now, on both clocks.
    pub(crate) fn create(
        directory: &Path,
        name: &str,
        start: (u64, u64),
        meta: &Meta,
        max_size: Option<u64>,
    ) -> io::Result<Store> {
        let file = PartFile::create(directory, name)?;
        let head = Head::bytes(start, BLOCK_SIZE, meta);
        let size = head.len() as u64 + RESERVED * BLOCK_SIZE as u64;
        let begun = file
            .reserve(0, size)
            .and_then(|()| file.write_at(&head, 0))
            .and_then(|()| file.set_size(size));
        if let Err(error) = begun {
            // An empty part would only be in the way.
            let _ = std::fs::remove_file(file.path());
            return Err(error);
        }
        Ok(Store {
            file: Arc::new(file),
            head,
            slots: Vec::new(),
            lost: (0, 0),
            why: None,
            next: RESERVED,
            max_size: max_size.unwrap_or(u64::MAX),
            closed: false,
        })
    }

    pub(crate) fn path(&self) -> &Path {
        self.file.path()
    }

    /// A lane's slot, which has no place yet.
    pub(crate) fn slot(&mut self) -> Result<Arc<Slot>, (Reason, io::Error)> {
        let made = Slot::new(&self.file).map_err(|error| (Reason::DiskFull, error));
        let slot = Arc::new(made?);
        self.slots.push(Arc::clone(&slot));
        Ok(slot)
    }

    /// Nothing is stored in the slot any more.
    pub(crate) fn release(&mut self, slot: &Arc<Slot>) {
        self.slots.retain(|it| !Arc::ptr_eq(it, slot));
    }

    /// Where the next block goes.
    pub(crate) fn block(&mut self) -> Result<u64, (Reason, io::Error)> {
        let offset = self.offset(self.next);
        let end = offset + BLOCK_SIZE as u64;
        if self.closed || end > self.max_size {
            return Err((Reason::MaxSize, io::ErrorKind::FileTooLarge.into()));
        }
        within_limit(end).map_err(|error| (Reason::DiskFull, error))?;
        self.next += 1;
        Ok(offset)
    }

    fn offset(&self, block: u64) -> u64 {
        self.head.len() as u64 + block * BLOCK_SIZE as u64
    }

    /// Writes the block that is kept for the end.
    pub(crate) fn write_reserved(&self, block: &[u8]) {
        let _ = self.file.write_at(block, self.offset(0));
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

    /// One of the head's numbers of eight bytes.
    fn write_number(&self, at: usize, value: u64) {
        // Of a file that cannot be written to the reader knows that it has no end.
        let _ = self.file.write_at(&value.to_le_bytes(), at as u64);
    }

    /// Writes the end, and tells what happened to the file meanwhile. `settled`: no thread was still at work.
    pub(crate) fn close(&mut self, end: (u64, u64), settled: bool) -> Fate {
        self.closed = true;
        // Of threads that are still at work: as far as they are. None gets a new block from now on.
        for slot in &self.slots {
            let _ = slot.write(BLOCK_SIZE);
        }
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
