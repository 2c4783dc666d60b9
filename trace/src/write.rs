//! Writes a part without running anything: for tests of readers, and for sample files.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Write};
use std::os::unix::fs::FileExt;
use std::path::Path;

use crate::block::{bytes_of, u64_at};
use crate::encode::{self, LONG_GAP, Unit};
use crate::event::{Event, NOBODY};
use crate::head::Head;
use crate::joint;
use crate::layout::{BLOCK_MAGIC, BLOCK_SIZE, UNIT, head};
use crate::meta::Meta;

/// A part that is being written. Dropped without [`PartWriter::finish`] it is a killed program's, less what is not flushed.
#[derive(Debug)]
pub struct PartWriter {
    file: File,
    start: (u64, u64),
    hertz: f64,
    block_size: usize,
    blocks: u64,
    lanes: BTreeMap<u32, LaneWriter>,
    words: Vec<u64>,
}

#[derive(Debug, Default)]
struct LaneWriter {
    sequence: u32,
    thread: u32,
    ticks: u64,
    block: Vec<u8>,
    /// The last record, if it is a chunk that can be the first of a pair.
    open: Option<Unit>,
    /// Where the last record is, and its time, if the next event may go into it.
    joint: Option<(usize, u64)>,
}

impl LaneWriter {
    fn begin_block(&mut self, lane: u32, ticks: u64, now_ns: u64) {
        if self.block.is_empty() {
            let word = |low: u32, high: u32| u64::from(low) | u64::from(high) << 32;
            let (first, second) = (word(BLOCK_MAGIC, lane), word(self.sequence, self.thread));
            self.block.extend(bytes_of(&[first, second, self.ticks, ticks, now_ns, 0]));
        }
    }

    fn join(&mut self, ticks: u64, event: &Event<'_>) -> bool {
        let Some((at, before)) = self.joint.take() else { return false };
        let record = &self.block[at..];
        let unit = [u64_at(record, 0), u64_at(record, 8)];
        let region = (record.len() > UNIT).then(|| u64_at(record, UNIT));
        let joined = joint::join(unit, region, ticks.wrapping_sub(before), event);
        if let Some(joined) = joined {
            self.block[at..at + UNIT].copy_from_slice(&bytes_of(&joined));
            (self.open, self.ticks) = (None, ticks);
        }
        joined.is_some()
    }

    /// The record begins at `gap`; a chunk may go into the unit of the one before.
    fn append(&mut self, ticks: u64, event: &Event<'_>, words: &[u64], gap: usize) {
        let unit = Unit::try_from(&words[gap..]).ok();
        let pair = self
            .open
            .zip(unit)
            .and_then(|(before, chunk)| encode::pair(before[1], self.ticks, chunk, ticks.wrapping_sub(self.ticks)));
        if pair.is_some() {
            self.block.truncate(self.block.len() - UNIT);
        }
        let at = self.block.len() + gap * 8;
        self.joint = joint::opens(event).then_some((at, ticks));
        let stored = pair.as_ref().map_or(words, |pair| &pair[..]);
        self.block.extend(bytes_of(stored));
        self.open = unit.filter(|unit| pair.is_none() && encode::is_plain_chunk(*unit));
        self.ticks = ticks;
        match event {
            Event::ThreadBegin { thread, .. } => self.thread = *thread,
            Event::ThreadEnd { .. } => self.thread = NOBODY,
            _ => {}
        }
    }
}

impl PartWriter {
    /// Creates the file; its clock starts at `start_ticks` and runs as `meta` says.
    pub fn create(path: &Path, meta: &Meta, start_ticks: u64) -> io::Result<PartWriter> {
        PartWriter::with_block_size(path, meta, start_ticks, BLOCK_SIZE)
    }

    /// The same with blocks of another size, a power of two in `layout::BLOCK_SIZES`.
    pub fn with_block_size(path: &Path, meta: &Meta, start_ticks: u64, block_size: usize) -> io::Result<PartWriter> {
        let mut file = File::create(path)?;
        let start = (start_ticks, 0);
        file.write_all(&Head::bytes(start, block_size, meta, 0))?;
        let hertz = meta.clock.hertz;
        Ok(PartWriter {
            file,
            start,
            hertz: if hertz > 0.0 { hertz } else { 1e9 },
            block_size,
            blocks: 0,
            lanes: BTreeMap::new(),
            words: Vec::new(),
        })
    }

    /// Appends an event. Times of a lane may also go back, for tests of the check.
    pub fn event(&mut self, lane: u32, ticks: u64, event: &Event<'_>) -> io::Result<()> {
        let now_ns = self.ns(ticks);
        let begun =
            self.lanes.entry(lane).or_insert_with(|| LaneWriter { thread: NOBODY, ticks, ..LaneWriter::default() });
        self.words.clear();
        if ticks.abs_diff(begun.ticks) >= LONG_GAP {
            self.words.extend(encode::time(ticks));
        }
        let gap = self.words.len();
        event.encode(ticks, &mut self.words);
        if begun.block.len() + self.words.len() * 8 > self.block_size {
            self.flush(lane)?;
        }
        if let Some(to) = self.lanes.get_mut(&lane) {
            to.begin_block(lane, ticks, now_ns);
            if !to.join(ticks, event) {
                to.append(ticks, event, &self.words, gap);
            }
        }
        Ok(())
    }

    fn ns(&self, ticks: u64) -> u64 {
        (ticks.wrapping_sub(self.start.0) as f64 / self.hertz * 1e9) as u64
    }

    /// With zeros at its end.
    fn flush(&mut self, lane: u32) -> io::Result<()> {
        let lane = self.lanes.get_mut(&lane);
        let Some(lane) = lane.filter(|lane| !lane.block.is_empty()) else {
            return Ok(());
        };
        lane.block.resize(self.block_size, 0);
        self.file.write_all(&lane.block)?;
        lane.block.clear();
        (lane.open, lane.joint) = (None, None);
        lane.sequence += 1;
        self.blocks += 1;
        Ok(())
    }

    /// Writes what is left, without an end: as after a kill.
    pub fn abandon(mut self) -> io::Result<()> {
        self.flush_all()
    }

    /// Writes what is left and the end.
    pub fn finish(mut self, end_ticks: u64) -> io::Result<()> {
        self.flush_all()?;
        for (at, value) in [
            (head::END_TICKS, end_ticks),
            (head::END_NS, self.ns(end_ticks)),
            (head::BLOCKS, self.blocks),
            (head::ENDED, 1),
        ] {
            self.file.write_all_at(&value.to_le_bytes(), at as u64)?;
        }
        Ok(())
    }

    fn flush_all(&mut self) -> io::Result<()> {
        let lanes: Vec<u32> = self.lanes.keys().copied().collect();
        lanes.into_iter().try_for_each(|lane| self.flush(lane))
    }
}
