//! The file of stacks. Handlers write to it, so nothing here allocates or waits but beginning and ending.

use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64, Ordering};

use ompchunk_trace_format::Reason;
use ompchunk_trace_format::stacks::encode;
use ompchunk_trace_format::stacks::layout::{BLOCK_SIZE, head};
use ompchunk_trace_format::stacks::{StackMeta, path_beside};

use crate::part::file::PartFile;

pub(crate) struct Output {
    pub(crate) file: PartFile,
    end: AtomicU64,
    max_size: u64,
    /// A [`Reason`]; 0: nothing is lost.
    why: AtomicU32,
}

/// Null: none, or not yet.
static CURRENT: AtomicPtr<Output> = AtomicPtr::new(std::ptr::null_mut());

pub(crate) fn current() -> Option<&'static Output> {
    // SAFETY: null, or leaked by `begin`.
    unsafe { CURRENT.load(Ordering::Acquire).as_ref() }
}

pub(crate) fn begin(part: &Path, meta: &StackMeta, max_size: u64) -> io::Result<()> {
    let file = PartFile::create_at(&path_beside(part))?;
    let bytes = encode::file_head(BLOCK_SIZE, meta);
    if let Err(error) = file.write_at(&bytes, 0) {
        let _ = std::fs::remove_file(&file.path);
        return Err(error);
    }
    let output = Output { file, end: AtomicU64::new(bytes.len() as u64), max_size, why: AtomicU32::new(0) };
    CURRENT.store(Box::into_raw(Box::new(output)), Ordering::Release);
    Ok(())
}

pub(crate) fn leave() {
    CURRENT.store(std::ptr::null_mut(), Ordering::Release);
}

impl Output {
    pub(crate) fn place(&self) -> Option<u64> {
        if self.why().is_some() {
            return None;
        }
        let place = self.end.fetch_add(BLOCK_SIZE as u64, Ordering::Relaxed);
        if place + BLOCK_SIZE as u64 > self.max_size {
            self.lose(Reason::MaxSize);
            return None;
        }
        if self.file.room_for(BLOCK_SIZE as u64).is_err() {
            self.lose(Reason::DiskFull);
            return None;
        }
        Some(place)
    }

    /// Writes a block, or what there is of it. False: it is lost.
    pub(crate) fn write(&self, words: &[u64], place: u64) -> bool {
        let size = size_of_val(words);
        // SAFETY: the words are there, and this many. The architectures that are served store numbers as the file does.
        let written = unsafe { self.file.write_from(words.as_ptr().cast(), size, place) };
        if written.is_err() {
            self.lose(Reason::DiskFull);
        }
        written.is_ok()
    }

    fn lose(&self, why: Reason) {
        let _ = self.why.compare_exchange(0, why.number(), Ordering::Relaxed, Ordering::Relaxed);
    }

    pub(crate) fn why(&self) -> Option<Reason> {
        Reason::from_number(self.why.load(Ordering::Relaxed))
    }

    pub(crate) fn finish(&self) {
        if let Some(why) = self.why() {
            let word = u64::from(why.number()).to_le_bytes();
            let _ = self.file.write_at(&word, head::LOST_REASON as u64);
        }
        // How long it is says whether somebody has cut it since. After a loss it may be shorter than was dealt.
        let size = match self.why() {
            Some(_) => 1,
            None => self.end.load(Ordering::Relaxed),
        };
        let _ = self.file.write_at(&size.to_le_bytes(), head::ENDED as u64);
    }
}
