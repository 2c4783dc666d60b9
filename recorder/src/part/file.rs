//! The part's file, written by descriptor and never mapped: whatever becomes of it, the program gets no signal from it.
//! Descriptors are the program's: it may close any and open files of its own under the same number. So before each use
//! it is shown, by device and inode, to be that of the file that was created, or the file is opened anew by path. It
//! has a high number, which programs do not come by, never that of a standard stream.

use std::ffi::{CStr, CString};
use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::{FromRawFd, IntoRawFd, RawFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU64, Ordering};

use ompchunk_guest::errno::Errno;
use ompchunk_trace_format::layout::EXTENSION;

use crate::registration::setup::{self, within_limit};

const NONE: RawFd = -1;
const FIRST: RawFd = 3;
/// The highest number that is asked for, below what `select` can take: the process's table grows with it.
const HIGH: libc::rlim_t = 960;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Identity {
    pub(crate) device: u64,
    pub(crate) inode: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fate {
    Whole,
    Truncated,
    Gone,
}

pub(crate) struct PartFile {
    descriptor: AtomicI32,
    pub(crate) identity: Identity,
    pub(crate) path: PathBuf,
    /// The same for the kernel, made beforehand: a signal handler may write.
    name: CString,
    end: AtomicU64,
    truncated: AtomicBool,
}

impl PartFile {
    /// Creates a file that was not there before: an earlier part is never replaced.
    pub(crate) fn create(directory: &Path, name: &str) -> io::Result<PartFile> {
        std::fs::create_dir_all(directory)?;
        // The program may change its directory before the file is needed again.
        let directory = std::path::absolute(directory)?;
        let mut number = 0;
        loop {
            let path = directory.join(match number {
                0 => format!("{name}.{EXTENSION}"),
                _ => format!("{name}.{number}.{EXTENSION}"),
            });
            match PartFile::create_at(&path) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists && number < 10_000 => number += 1,
                other => return other,
            }
        }
    }

    pub(crate) fn create_at(path: &Path) -> io::Result<PartFile> {
        let path = std::path::absolute(path)?;
        let mut options = OpenOptions::new();
        let file = options.read(true).write(true).create_new(true).open(&path)?;
        let known = place(file).and_then(|descriptor| {
            let identity = identity_in(&status(descriptor)?);
            let name = CString::new(path.as_os_str().as_bytes())?;
            Ok((descriptor, identity, name))
        });
        match known {
            Ok((descriptor, identity, name)) => Ok(PartFile {
                descriptor: AtomicI32::new(descriptor),
                identity,
                path,
                name,
                end: AtomicU64::new(0),
                truncated: AtomicBool::new(false),
            }),
            Err(error) => {
                let _ = std::fs::remove_file(&path);
                Err(error)
            }
        }
    }

    pub(crate) fn fate(&self) -> Fate {
        let there = std::fs::symlink_metadata(&self.path);
        let is_there = there.is_ok_and(|there| self.identity == identity_of(&there));
        let has_gone = !(is_there || root_has_changed() && self.has_a_name());
        if has_gone {
            return Fate::Gone;
        }
        if self.truncated.load(Ordering::Relaxed) { Fate::Truncated } else { Fate::Whole }
    }

    fn has_a_name(&self) -> bool {
        let descriptor = self.descriptor.load(Ordering::Acquire);
        status(descriptor).is_ok_and(|status| identity_in(&status) == self.identity && status.st_nlink > 0)
    }

    pub(crate) fn write_at(&self, bytes: &[u8], offset: u64) -> io::Result<()> {
        // SAFETY: a slice is there and this long.
        unsafe { self.write_from(bytes.as_ptr(), bytes.len(), offset) }
    }

    /// From memory that a thread may be storing to. A signal handler may call it: it neither allocates nor waits.
    /// Safety: the memory is mapped and this long.
    pub(crate) unsafe fn write_from(&self, bytes: *const u8, size: usize, offset: u64) -> io::Result<()> {
        let end = offset + size as u64;
        let _errno = Errno::keep();
        within_limit(end)?;
        let mut done = 0;
        while done < size {
            // Before the file's size is looked at: other threads write too, and each says so only afterwards.
            let end = self.end.load(Ordering::Acquire);
            let (descriptor, found) = self.own()?;
            if found < end {
                self.truncated.store(true, Ordering::Relaxed);
            }
            let at = (offset + done as u64) as libc::off_t;
            let from = bytes.wrapping_add(done).cast();
            // SAFETY: the bytes are there, and the descriptor is that of our file, as was seen just now.
            let written = unsafe { libc::pwrite(descriptor, from, size - done, at) };
            match written {
                1.. => done += written as usize,
                0 => return Err(io::ErrorKind::WriteZero.into()),
                _ => try_again()?,
            }
        }
        self.end.fetch_max(end, Ordering::Release);
        Ok(())
    }

    pub(crate) fn read_at(&self, to: &mut [u8], offset: u64) -> io::Result<()> {
        let _errno = Errno::keep();
        let mut done = 0;
        while done < to.len() {
            let (descriptor, _) = self.own()?;
            let at = (offset + done as u64) as libc::off_t;
            let rest = &mut to[done..];
            // SAFETY: the memory is there and this long, and the descriptor is that of our file.
            let read = unsafe { libc::pread(descriptor, rest.as_mut_ptr().cast(), rest.len(), at) };
            match read {
                1.. => done += read as usize,
                0 => return Err(io::ErrorKind::UnexpectedEof.into()),
                _ => try_again()?,
            }
        }
        Ok(())
    }

    /// How much may be taken besides; `Err`: what stays free for the program. A signal handler may call it.
    pub(crate) fn room_for(&self, more: u64) -> Result<u64, u64> {
        let _errno = Errno::keep();
        let room = self.own().ok();
        match room.and_then(|(descriptor, _)| setup::room_beside(descriptor)) {
            Some((room, kept)) => room.checked_sub(more).ok_or(kept),
            None => Ok(0),
        }
    }

    pub(crate) fn reserve(&self, offset: u64, size: u64) -> io::Result<()> {
        within_limit(offset + size)?;
        loop {
            let (descriptor, _) = self.own()?;
            let (offset, size) = (offset as libc::off_t, size as libc::off_t);
            // SAFETY: our file's descriptor; a file system that cannot reserve gets zeros written instead.
            match unsafe { libc::posix_fallocate(descriptor, offset, size) } {
                0 => return Ok(()),
                libc::EINTR => {}
                error => return Err(io::Error::from_raw_os_error(error)),
            }
        }
    }

    pub(crate) fn set_size(&self, size: u64) -> io::Result<()> {
        let _errno = Errno::keep();
        within_limit(size)?;
        let (descriptor, _) = self.own()?;
        // SAFETY: our file's descriptor.
        match unsafe { libc::ftruncate(descriptor, size as libc::off_t) } {
            0 => Ok(()),
            _ => Err(io::Error::last_os_error()),
        }
    }

    fn own(&self) -> io::Result<(RawFd, u64)> {
        let descriptor = self.descriptor.load(Ordering::Acquire);
        if let Ok(Some(size)) = self.size_by(descriptor) {
            return Ok((descriptor, size));
        }
        // The number may be the program's by now: it is let go, not closed.
        let new = place(reopen(&self.name)?)?;
        let Ok(Some(size)) = self.size_by(new) else {
            close(new);
            return Err(lost());
        };
        match self.descriptor.compare_exchange(descriptor, new, Ordering::AcqRel, Ordering::Acquire) {
            Ok(_) => Ok((new, size)),
            Err(theirs) => {
                close(new);
                Ok((theirs, self.size_by(theirs)?.ok_or_else(lost)?))
            }
        }
    }

    fn size_by(&self, descriptor: RawFd) -> io::Result<Option<u64>> {
        let found = status(descriptor)?;
        Ok((identity_in(&found) == self.identity).then_some(found.st_size as u64))
    }
}

impl Drop for PartFile {
    fn drop(&mut self) {
        let descriptor = self.descriptor.swap(NONE, Ordering::AcqRel);
        if let Ok(Some(_)) = self.size_by(descriptor) {
            close(descriptor);
        }
    }
}

/// What the kernel says of a file that is gone: nothing is allocated for it.
fn lost() -> io::Error {
    io::Error::from_raw_os_error(libc::ESTALE)
}

fn identity_of(metadata: &std::fs::Metadata) -> Identity {
    Identity { device: metadata.dev(), inode: metadata.ino() }
}

fn identity_in(found: &libc::stat) -> Identity {
    Identity { device: found.st_dev, inode: found.st_ino }
}

fn status(descriptor: RawFd) -> io::Result<libc::stat> {
    // SAFETY: all zeros is a valid value.
    let mut found: libc::stat = unsafe { std::mem::zeroed() };
    // SAFETY: writes to memory for it; a number that is no descriptor is an error.
    match unsafe { libc::fstat(descriptor, &mut found) } {
        0 => Ok(found),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Opens what is there, but follows no link that somebody has put in its place.
fn reopen(path: &CStr) -> io::Result<File> {
    let flags = libc::O_RDWR | libc::O_CLOEXEC | libc::O_NOFOLLOW;
    // SAFETY: a string that outlives the call.
    let descriptor = unsafe { libc::open(path.as_ptr(), flags) };
    if descriptor < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: just opened, and nobody else's.
    Ok(unsafe { File::from_raw_fd(descriptor) })
}

fn place(file: File) -> io::Result<RawFd> {
    let low = file.into_raw_fd();
    let limit = setup::descriptors().unwrap_or(HIGH);
    for lowest in [HIGH.min(limit / 4 * 3) as RawFd, FIRST] {
        // SAFETY: makes a new descriptor for the same file.
        let high = unsafe { libc::fcntl(low, libc::F_DUPFD_CLOEXEC, lowest.max(FIRST)) };
        if high >= 0 {
            close(low);
            return Ok(high);
        }
    }
    if low >= FIRST {
        return Ok(low);
    }
    let error = io::Error::last_os_error();
    close(low);
    Err(error)
}

fn close(descriptor: RawFd) {
    // SAFETY: the callers have opened it or seen that it is their file's.
    unsafe { libc::close(descriptor) };
}

/// Whether what has just failed may succeed now. A descriptor that was closed since: the next look finds out.
fn try_again() -> io::Result<()> {
    let error = io::Error::last_os_error();
    if matches!(error.raw_os_error(), Some(libc::EINTR | libc::EBADF)) { Ok(()) } else { Err(error) }
}

// A process that changes its root directory (`chroot`) finds other files under the same names, or none: what is not at its path need
// not be gone, and a trace's directory must not be made anew where nobody looks for it.

static ROOT: OnceLock<Option<Identity>> = OnceLock::new();
static DIRECTORY: OnceLock<Option<Identity>> = OnceLock::new();

fn identity(path: &Path) -> Option<Identity> {
    std::fs::metadata(path).ok().map(|found| identity_of(&found))
}

pub(crate) fn remember_root(directory: &Path) {
    ROOT.get_or_init(|| identity(Path::new("/")));
    DIRECTORY.get_or_init(|| identity(directory));
}

fn root_has_changed() -> bool {
    let known = ROOT.get().copied().flatten();
    known.is_some_and(|known| identity(Path::new("/")) != Some(known))
}

/// Whether the path leads elsewhere by now, for a process that has another root.
pub(crate) fn root_hides(directory: &Path) -> bool {
    root_has_changed() && DIRECTORY.get().copied().flatten() != identity(directory)
}
