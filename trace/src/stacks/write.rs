//! Writes a file of stacks without running anything: for tests of readers.

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;

use super::StackMeta;
use crate::NOBODY;
use crate::block::bytes_of;
use crate::stacks::encode;
use crate::stacks::layout::{BLOCK_SIZE, block, head};
use crate::stacks::record::{Module, Sample};

/// A file that is being written. One that is dropped without [`StackWriter::finish`] is cut.
#[derive(Debug)]
pub struct StackWriter {
    file: File,
    end: u64,
    modules: u32,
    threads: BTreeMap<u32, Thread>,
}

#[derive(Debug, Default)]
struct Thread {
    sequence: u32,
    words: Vec<u64>,
    stack: Vec<u64>,
    expired: u64,
}

impl StackWriter {
    /// Creates the file.
    pub fn create(path: &Path, meta: &StackMeta) -> io::Result<StackWriter> {
        let file = File::create(path)?;
        let bytes = encode::file_head(BLOCK_SIZE, meta);
        file.write_all_at(&bytes, 0)?;
        Ok(StackWriter { file, end: bytes.len() as u64, modules: 0, threads: BTreeMap::new() })
    }

    /// A module, loaded at its `from`. Gives its number.
    pub fn module(&mut self, module: &Module) -> io::Result<u32> {
        let mut words = Vec::new();
        encode::module(&mut words, self.modules, module.from, module);
        self.put(NOBODY, module.from, &words)?;
        self.modules += 1;
        if let Some(to) = module.to {
            words.clear();
            encode::module_gone(&mut words, to, self.modules - 1);
            self.put(NOBODY, to, &words)?;
        }
        Ok(self.modules - 1)
    }

    /// A sample.
    pub fn sample(&mut self, sample: &Sample<'_>) -> io::Result<()> {
        self.stack(sample.thread, sample.time, sample.frames, |to, same| encode::sample(to, sample, same))?;
        self.threads.entry(sample.thread).or_default().expired += 1;
        Ok(())
    }

    /// The stack at which a thread forked a region.
    pub fn fork(&mut self, thread: u32, time: u64, region: u64, frames: &[u64]) -> io::Result<()> {
        self.stack(thread, time, frames, |to, same| {
            encode::fork(to, time, region, frames, same, None);
        })
    }

    fn stack(
        &mut self,
        thread: u32,
        time: u64,
        frames: &[u64],
        encoded: impl Fn(&mut Vec<u64>, usize),
    ) -> io::Result<()> {
        let before = &self.threads.entry(thread).or_default().stack;
        let mut words = Vec::new();
        encoded(&mut words, encode::common(frames, before));
        if !self.fits(thread, words.len()) {
            words.clear();
            encoded(&mut words, 0);
        }
        self.put(thread, time, &words)?;
        self.threads.entry(thread).or_default().stack = frames.to_vec();
        Ok(())
    }

    fn fits(&self, thread: u32, more: usize) -> bool {
        let words = self.threads.get(&thread).map_or(0, |thread| thread.words.len());
        words > 0 && words + more <= BLOCK_SIZE / 8
    }

    fn put(&mut self, thread: u32, time: u64, words: &[u64]) -> io::Result<()> {
        let fits = self.fits(thread, words.len());
        if !fits {
            self.write(thread)?;
        }
        let to = self.threads.entry(thread).or_default();
        if !fits {
            to.words.extend(encode::block_head(thread, to.sequence, time));
            to.sequence += 1;
        }
        to.words.extend_from_slice(words);
        Ok(())
    }

    fn write(&mut self, thread: u32) -> io::Result<()> {
        let Some(from) = self.threads.get_mut(&thread).filter(|from| !from.words.is_empty()) else {
            return Ok(());
        };
        let mut words = std::mem::take(&mut from.words);
        words[block::SEQUENCE] |= (words.len() as u64 * 8) << 32;
        words[block::EXPIRED] = from.expired;
        words.resize(BLOCK_SIZE / 8, 0);
        self.file.write_all_at(&bytes_of(&words), self.end)?;
        self.end += BLOCK_SIZE as u64;
        Ok(())
    }

    /// Writes what is missing, and the end.
    pub fn finish(mut self) -> io::Result<()> {
        for thread in self.threads.keys().copied().collect::<Vec<_>>() {
            self.write(thread)?;
        }
        self.file.write_all_at(&self.end.to_le_bytes(), head::ENDED as u64)
    }
}
