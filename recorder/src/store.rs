//! The file of a part. Each lane maps one block of it, its *slot*, fills that again and again, and has the
//! kernel copy it to the end of the file when it is full.
//!
//! What was stored survives any death of the process, because the slot's pages are the kernel's. And it costs
//! half of mapping the file block by block, since those pages stay in the cache and are not faulted in anew.
//! Slots are reserved before they are mapped, so a full disk is an answer and never a signal.

use std::fs::{File, OpenOptions};
use std::hint::black_box;
use std::io;
use std::os::fd::{AsRawFd, RawFd};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicU64, Ordering};

use ompchunk_trace_format::layout::{BLOCK_SIZE, EXTENSION, head};
use ompchunk_trace_format::{Head, Meta, Reason};

/// The first block is kept for what is said at the end, when there may be no other room.
const RESERVED: u64 = 1;

/// Bytes that are cleared together. For more libc takes an instruction that counters of instructions take for one per
/// byte, so that most of what they tell of a lane would be that.
const PIECE: usize = 1024;
const _: () = assert!(BLOCK_SIZE % PIECE == 0);

/// Mapped bytes of the file.
#[derive(Debug)]
pub(crate) struct Window {
    base: NonNull<u8>,
    size: usize,
}

/// The file and how much of it is used.
#[derive(Debug)]
pub(crate) struct Store {
    file: File,
    path: PathBuf,
    head: Window,
    blocks_from: u64,
    next: u64,
    max_size: u64,
    /// Nothing is taken any more.
    closed: bool,
}

impl Window {
    fn map(file: RawFd, offset: u64, size: usize) -> io::Result<Window> {
        // SAFETY: a new mapping, anywhere; the arguments are checked by the kernel.
        let base = unsafe {
            libc::mmap(
                ptr::null_mut(),
                size,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_SHARED,
                file,
                offset as libc::off_t,
            )
        };
        if base == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        // So that the events' stores need not wait for pages. Older kernels do not know it and do without.
        // SAFETY: the mapping from above.
        unsafe { libc::madvise(base, size, libc::MADV_POPULATE_WRITE) };
        match NonNull::new(base.cast()) {
            Some(base) => Ok(Window { base, size }),
            None => Err(io::ErrorKind::InvalidInput.into()),
        }
    }

    pub(crate) fn base(&self) -> *mut u8 {
        self.base.as_ptr()
    }

    pub(crate) fn size(&self) -> usize {
        self.size
    }
}

impl Drop for Window {
    fn drop(&mut self) {
        // SAFETY: made by `map`, and whoever had pointers into it dropped them with it.
        unsafe { libc::munmap(self.base().cast(), self.size) };
    }
}

/// A lane's own block.
#[derive(Debug)]
pub(crate) struct Slot {
    window: Window,
    file: RawFd,
}

impl Slot {
    /// Where it begins.
    pub(crate) fn base(&self) -> *mut u8 {
        self.window.base()
    }

    /// Copies it to another block of the file.
    pub(crate) fn copy_to(&self, offset: u64) -> io::Result<()> {
        let mut done = 0;
        while done < BLOCK_SIZE {
            // SAFETY: the slot is mapped and this long; the file stays open as long as there are slots.
            let written = unsafe {
                libc::pwrite(
                    self.file,
                    self.base().wrapping_add(done).cast(),
                    BLOCK_SIZE - done,
                    (offset + done as u64) as libc::off_t,
                )
            };
            match written {
                1.. => done += written as usize,
                0 => return Err(io::ErrorKind::WriteZero.into()),
                _ => {
                    let error = io::Error::last_os_error();
                    if error.kind() != io::ErrorKind::Interrupted {
                        return Err(error);
                    }
                }
            }
        }
        Ok(())
    }

    /// Makes it a block that nobody uses. What makes it one goes first: from then on its copy is the block.
    pub(crate) fn clear(&self) {
        // SAFETY: mapped, this long, aligned, and this lane's alone.
        unsafe { self.base().cast::<u32>().write_volatile(0) };
        for piece in (0..BLOCK_SIZE).step_by(PIECE) {
            // Hidden, or the compiler would make it one call again.
            let piece = black_box(self.base().wrapping_add(piece));
            // SAFETY: as above; inside the block.
            unsafe { piece.write_bytes(0, PIECE) };
        }
    }
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
        std::fs::create_dir_all(directory)?;
        let (file, path) = create_new(directory, name)?;
        let bytes = Head::bytes(start, BLOCK_SIZE, meta);
        let size = bytes.len() as u64 + RESERVED * BLOCK_SIZE as u64;
        let mapped = reserve(&file, 0, size)
            .and_then(|()| file.write_all_at(&bytes, 0))
            .and_then(|()| Window::map(file.as_raw_fd(), 0, size as usize));
        let head = match mapped {
            Ok(head) => head,
            Err(error) => {
                // An empty part would only be in the way.
                let _ = std::fs::remove_file(&path);
                return Err(error);
            }
        };
        let store = Store {
            file,
            path,
            head,
            blocks_from: bytes.len() as u64,
            next: RESERVED,
            max_size: max_size.unwrap_or(u64::MAX),
            closed: false,
        };
        store
            .number(head::UNSETTLED)
            .store(1_u64.to_le(), Ordering::Relaxed);
        Ok(store)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// A lane's slot.
    pub(crate) fn slot(&mut self) -> Result<Slot, (Reason, io::Error)> {
        let offset = self.block()?;
        let file = self.file.as_raw_fd();
        reserve(&self.file, offset, BLOCK_SIZE as u64)
            .and_then(|()| Window::map(file, offset, BLOCK_SIZE))
            .map(|window| Slot { window, file })
            .map_err(|error| (Reason::DiskFull, error))
    }

    /// Where the next block goes.
    pub(crate) fn block(&mut self) -> Result<u64, (Reason, io::Error)> {
        let offset = self.blocks_from + self.next * BLOCK_SIZE as u64;
        let end = offset + BLOCK_SIZE as u64;
        if self.closed || end > self.max_size {
            return Err((Reason::MaxSize, io::ErrorKind::FileTooLarge.into()));
        }
        within_limit(end).map_err(|error| (Reason::DiskFull, error))?;
        self.next += 1;
        Ok(offset)
    }

    /// The block that is kept for the end.
    pub(crate) fn reserved(&self) -> *mut u8 {
        self.head.base().wrapping_add(self.blocks_from as usize)
    }

    /// One of the head's numbers of eight bytes, which readers may look at any time.
    fn number(&self, at: usize) -> &AtomicU64 {
        debug_assert!(at % 8 == 0 && at + 8 <= self.head.size());
        // SAFETY: inside the mapping, aligned, and only ever used as an atomic.
        unsafe { AtomicU64::from_ptr(self.head.base().add(at).cast()) }
    }

    pub(crate) fn count_lost(&self, reason: Reason, chunks: u64, events: u64) {
        let add = |at, much: u64| {
            let number = self.number(at);
            let sum = u64::from_le(number.load(Ordering::Relaxed)) + much;
            number.store(sum.to_le(), Ordering::Relaxed);
        };
        add(head::LOST_CHUNKS, chunks);
        add(head::LOST_EVENTS, events);
        let why = self.number(head::LOST_REASON);
        if why.load(Ordering::Relaxed) == 0 {
            why.store(u64::from(reason.number()).to_le(), Ordering::Relaxed);
        }
    }

    /// Writes the end. `settled`: no lane's last block is still in its slot.
    pub(crate) fn close(&mut self, end: (u64, u64), settled: bool) {
        self.closed = true;
        // Where the last copy failed the file may be too short. Nothing lies behind the last block.
        let _ = self
            .file
            .set_len(self.blocks_from + self.next * BLOCK_SIZE as u64);
        for (at, value) in [
            (head::UNSETTLED, u64::from(!settled)),
            (head::END_TICKS, end.0),
            (head::END_NS, end.1),
            (head::BLOCKS, self.next),
            (head::ENDED, 1),
        ] {
            self.number(at).store(value.to_le(), Ordering::Release);
        }
    }
}

/// A file that was not there before: an earlier part is never replaced.
fn create_new(directory: &Path, name: &str) -> io::Result<(File, PathBuf)> {
    let mut number = 0;
    loop {
        let path = directory.join(match number {
            0 => format!("{name}.{EXTENSION}"),
            _ => format!("{name}.{number}.{EXTENSION}"),
        });
        let options = OpenOptions::new()
            .read(true)
            .write(true)
            .create_new(true)
            .open(&path);
        match options {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && number < 10_000 => {
                number += 1;
            }
            other => return other.map(|file| (file, path)),
        }
    }
}

/// Makes a part of the file be there, so that storing to it cannot fail.
fn reserve(file: &File, offset: u64, size: u64) -> io::Result<()> {
    within_limit(offset + size)?;
    loop {
        let (offset, size) = (offset as libc::off_t, size as libc::off_t);
        // SAFETY: the file is open; a file system that cannot reserve gets zeros written instead.
        match unsafe { libc::posix_fallocate(file.as_raw_fd(), offset, size) } {
            0 => return Ok(()),
            libc::EINTR => {}
            error => return Err(io::Error::from_raw_os_error(error)),
        }
    }
}

/// Whether a file of the process may be so large. Asking the kernel for more would also send a signal, whose
/// default is to kill the program.
fn within_limit(size: u64) -> io::Result<()> {
    let mut limit = libc::rlimit {
        rlim_cur: 0,
        rlim_max: 0,
    };
    // SAFETY: `limit` outlives the call.
    let known = unsafe { libc::getrlimit(libc::RLIMIT_FSIZE, &mut limit) } == 0;
    if known && limit.rlim_cur != libc::RLIM_INFINITY && size > limit.rlim_cur {
        return Err(io::Error::from_raw_os_error(libc::EFBIG));
    }
    Ok(())
}
