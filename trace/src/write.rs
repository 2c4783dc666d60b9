//! Writes a part without running anything: for tests of readers, and for sample files.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Write};
use std::os::unix::fs::FileExt;
use std::path::Path;

use crate::encode::{self, LONG_GAP, Unit};
use crate::event::{Event, NOBODY};
use crate::head::Head;
use crate::joint;
use crate::layout::{BLOCK_HEAD, BLOCK_MAGIC, BLOCK_SIZE, UNIT, head};
use crate::meta::Meta;

/// A part that is being written. One that is dropped without [`PartWriter::finish`] looks like that of
/// a program that was killed, except that what is not flushed is missing.
#[derive(Debug)]
pub struct PartWriter {
    file: File,
    start: (u64, u64),
    hertz: f64,
    block_size: usize,
    blocks: u64,
    lanes: BTreeMap<u32, Lane>,
    words: Vec<u64>,
}

#[derive(Debug)]
struct Lane {
    sequence: u32,
    thread: u32,
    ticks: u64,
    block: Vec<u8>,
    /// The last record, if it is a chunk that can be the first of a pair.
    open: Option<Unit>,
    /// Where the last record is, and its time, if the next event may go into it.
    joint: Option<(usize, u64)>,
}

impl Lane {
    /// Puts an event into the record before, if it may go there.
    fn join(&mut self, ticks: u64, event: &Event<'_>) -> bool {
        let Some((at, before)) = self.joint.take() else {
            return false;
        };
        let word = |number: usize| {
            let bytes = self.block.get(at + number * 8..)?.first_chunk::<8>()?;
            Some(u64::from_le_bytes(*bytes))
        };
        let unit = word(0).zip(word(1)).map(|(first, second)| [first, second]);
        let joined =
            unit.and_then(|it| joint::join(it, word(2), ticks.wrapping_sub(before), event));
        let Some(joined) = joined else {
            return false;
        };
        for (to, word) in self.block[at..].chunks_exact_mut(8).zip(joined) {
            to.copy_from_slice(&word.to_le_bytes());
        }
        (self.open, self.ticks) = (None, ticks);
        true
    }
}

impl PartWriter {
    /// Creates the file; its clock starts at `start_ticks` and runs as `meta` says.
    pub fn create(path: &Path, meta: &Meta, start_ticks: u64) -> io::Result<PartWriter> {
        PartWriter::with_block_size(path, meta, start_ticks, BLOCK_SIZE)
    }

    /// The same with blocks of another size, a power of two in `layout::BLOCK_SIZES`.
    pub fn with_block_size(
        path: &Path,
        meta: &Meta,
        start_ticks: u64,
        block_size: usize,
    ) -> io::Result<PartWriter> {
        let mut file = File::create(path)?;
        let start = (start_ticks, 0);
        file.write_all(&Head::bytes(start, block_size, meta))?;
        Ok(PartWriter {
            file,
            start,
            hertz: if meta.clock.hertz > 0.0 {
                meta.clock.hertz
            } else {
                1e9
            },
            block_size,
            blocks: 0,
            lanes: BTreeMap::new(),
            words: Vec::new(),
        })
    }

    /// Appends an event. Times of a lane may also go back, for tests of the check.
    pub fn event(&mut self, lane: u32, ticks: u64, event: &Event<'_>) -> io::Result<()> {
        self.words.clear();
        let before = self.lanes.get(&lane).map_or(ticks, |lane| lane.ticks);
        if ticks.abs_diff(before) >= LONG_GAP {
            self.words.extend(encode::time(ticks));
        }
        let gap = self.words.len();
        event.encode(ticks, &mut self.words);
        let size = self.words.len() * 8;
        let full = self
            .lanes
            .get(&lane)
            .is_some_and(|lane| lane.block.len() + size > self.block_size);
        if full {
            self.flush(lane)?;
        }
        let now_ns = (ticks.wrapping_sub(self.start.0) as f64 / self.hertz * 1e9) as u64;
        let to = self.lanes.entry(lane).or_insert_with(|| Lane {
            sequence: 0,
            thread: NOBODY,
            ticks,
            block: Vec::new(),
            open: None,
            joint: None,
        });
        if to.block.is_empty() {
            to.block.extend(BLOCK_MAGIC.to_le_bytes());
            to.block.extend(lane.to_le_bytes());
            to.block.extend(to.sequence.to_le_bytes());
            to.block.extend(to.thread.to_le_bytes());
            to.block.extend(to.ticks.to_le_bytes());
            to.block.extend(ticks.to_le_bytes());
            to.block.extend(now_ns.to_le_bytes());
            to.block.resize(BLOCK_HEAD, 0);
        }
        if to.join(ticks, event) {
            return Ok(());
        }
        let unit = Unit::try_from(&self.words[gap..]).ok();
        let pair = to.open.zip(unit).and_then(|(before, chunk)| {
            encode::pair(before[1], to.ticks, chunk, ticks.wrapping_sub(to.ticks))
        });
        if pair.is_some() {
            to.block.truncate(to.block.len() - UNIT);
        }
        let at = to.block.len() + gap * 8;
        to.joint = joint::opens(event).then_some((at, ticks));
        let words = pair.as_ref().map_or(&self.words[..], |pair| &pair[..]);
        to.block
            .extend(words.iter().flat_map(|word| word.to_le_bytes()));
        to.open = unit.filter(|unit| pair.is_none() && encode::can_be_first(*unit));
        to.ticks = ticks;
        match event {
            Event::ThreadBegin { thread, .. } => to.thread = *thread,
            Event::ThreadEnd { .. } => to.thread = NOBODY,
            _ => {}
        }
        Ok(())
    }

    /// Writes a lane's block, if it has one, with zeros at its end.
    fn flush(&mut self, lane: u32) -> io::Result<()> {
        let Some(lane) = self.lanes.get_mut(&lane) else {
            return Ok(());
        };
        if lane.block.is_empty() {
            return Ok(());
        }
        lane.block.resize(self.block_size, 0);
        self.file.write_all(&lane.block)?;
        lane.block.clear();
        lane.open = None;
        lane.joint = None;
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
        let ns = (end_ticks.wrapping_sub(self.start.0) as f64 / self.hertz * 1e9) as u64;
        for (at, value) in [
            (head::END_TICKS, end_ticks),
            (head::END_NS, ns),
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
