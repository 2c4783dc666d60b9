//! A slot: the memory in which a lane fills its block, before the block is written to its place in the file.
//!
//! It is this process's own, never a file's: nothing that happens to the trace hurts the program. `ompchunk record`
//! gets a share and writes what is there when the program is killed; without it, that leaves all but the last moments.

use std::hint::black_box;
use std::io::IoSlice;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, AsRawFd, FromRawFd, OwnedFd};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::{io, ptr};

use ompchunk_guest::errno::Errno;
use ompchunk_guest::memory::Grow;
use ompchunk_trace_format::keep::{PLACE, SIZE, Share};
use ompchunk_trace_format::layout::{BLOCK_HEAD, BLOCK_SIZE, UNIT};
use rustix::net::{
    AddressFamily, SendAncillaryBuffer, SendAncillaryMessage, SendFlags, SocketAddrUnix, SocketFlags, SocketType,
    connect, sendmsg, socket_with, sockopt,
};

use crate::part::file::PartFile;
use crate::registration::setup::within_limit;
use crate::{lane::claim, lane::unit};

/// Bytes cleared together. For more libc takes an instruction that counters of instructions take for one per byte.
const PIECE: usize = 1024;
const _: () = assert!(BLOCK_SIZE % PIECE == 0);

pub(crate) struct Slot {
    base: NonNull<u8>,
    file: Arc<PartFile>,
    pub(crate) size: usize,
    /// Held while the block is written, so that its place is not given to others meanwhile.
    writing: Mutex<()>,
    /// It has been given a place, and is not yet the block that belongs there.
    moving: AtomicBool,
    /// Records in it still change: it is not taken from its lane.
    changing: AtomicBool,
    /// What was in it when another thread wrote it last, in short.
    written: AtomicU64,
    pub(crate) is_kept: bool,
}

impl Slot {
    pub(crate) fn new(file: &Arc<PartFile>, size: usize) -> io::Result<Slot> {
        let _errno = Errno::keep();
        // Memory that is shared is a file for the kernel.
        let shared = within_limit(SIZE as u64).and_then(|()| shared_memory());
        let (base, is_kept) = match shared {
            Ok((memory, base)) => (base, hand_over(&memory, file).is_some()),
            // A kernel or a sandbox that does not let us.
            Err(_) => (map(-1, libc::MAP_SHARED | libc::MAP_ANONYMOUS)?, false),
        };
        Ok(Slot {
            base,
            file: Arc::clone(file),
            size: size.min(BLOCK_SIZE),
            writing: Mutex::new(()),
            moving: AtomicBool::new(false),
            changing: AtomicBool::new(false),
            written: AtomicU64::new(0),
            is_kept,
        })
    }

    pub(crate) fn base(&self) -> *mut u8 {
        self.base.as_ptr()
    }

    pub(crate) fn is_moving(&self) -> bool {
        self.moving.load(Ordering::Acquire)
    }

    pub(crate) fn set_moving(&self, moving: bool) {
        self.moving.store(moving, Ordering::Release);
    }

    /// Whether something in it still changes. To be asked after the place was taken.
    pub(crate) fn is_changing(&self) -> bool {
        claim::is_begun(&self.changing)
    }

    /// Something in it changes from now on. False: others have taken its place.
    pub(crate) fn changes(&self) -> bool {
        claim::begin(&self.changing, self.place())
    }

    pub(crate) fn changes_no_more(&self) {
        claim::end(&self.changing);
    }

    fn writing(&self) -> MutexGuard<'_, ()> {
        self.writing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn is_nowhere(&self) -> bool {
        self.where_to().is_none()
    }

    fn where_to(&self) -> Option<u64> {
        Some(u64::from_le(self.place().load(Ordering::Acquire))).filter(|place| *place != 0)
    }

    /// Where in the file the block belongs; 0: nowhere yet.
    fn place(&self) -> &AtomicU64 {
        // SAFETY: inside the mapping, aligned, and only ever used as an atomic.
        unsafe { AtomicU64::from_ptr(self.base().add(PLACE).cast()) }
    }

    /// From now on it is no block of the file's. Gives where it was one.
    pub(crate) fn leave_place(&self) -> u64 {
        let _writing = self.writing();
        claim::take(self.place())
    }

    /// Makes it empty. Only while it has no place.
    pub(crate) fn clear(&self) {
        for piece in (0..self.size).step_by(PIECE) {
            // Hidden, or the compiler would make it one call again.
            let piece = black_box(self.base().wrapping_add(piece));
            // SAFETY: mapped, this long, aligned, and this lane's alone.
            unsafe { piece.write_bytes(0, PIECE) };
        }
    }

    pub(crate) fn take_place(&self, place: u64) {
        self.place().store(place.to_le(), Ordering::Release);
    }

    /// Writes so many of its bytes to its place in the file, if it has one. For its own thread.
    pub(crate) fn write(&self, used: usize) -> io::Result<()> {
        let _writing = self.writing();
        let Some(place) = self.where_to() else { return Ok(()) };
        // SAFETY: mapped and this long.
        unsafe { self.file.write_from(self.base(), used.min(self.size), place) }
    }

    /// What is in it, while its thread may be storing to it. Each unit is as it was at some moment, and no record is there in part.
    fn copy_meanwhile(&self) -> Vec<[u64; 2]> {
        let words = self.base().cast::<u64>();
        let unit = |unit| {
            // SAFETY: mapped, this long and aligned.
            [0, 1].map(|at| unsafe { AtomicU64::from_ptr(words.add(2 * unit + at)) })
        };
        unit::copy_all((0..self.size / UNIT).map(unit))
    }

    fn write_copy(&self, copy: &[[u64; 2]], place: u64) -> io::Result<()> {
        // SAFETY: the slice, which is this long.
        unsafe { self.file.write_from(copy.as_ptr().cast(), size_of_val(copy), place) }
    }

    /// Writes all of it for a thread that may be at work. The kernel would copy its memory in any order.
    pub(crate) fn write_meanwhile(&self) -> io::Result<()> {
        let _writing = self.writing();
        self.where_to().map_or(Ok(()), |place| self.write_copy(&self.copy_meanwhile(), place))
    }

    pub(crate) fn write_if_changed(&self) {
        // Whoever writes it now writes it.
        let Ok(_writing) = self.writing.try_lock() else { return };
        let Some(place) = self.where_to() else { return };
        let copy = self.copy_meanwhile();
        let sum =
            copy.iter().flatten().fold(1_u64, |sum, word| sum.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(*word));
        if self.written.swap(sum, Ordering::Relaxed) != sum {
            let _ = self.write_copy(&copy, place);
        }
    }

    /// Makes what of it has reached the file be no block, as it is counted as lost.
    pub(crate) fn withdraw(&self) {
        let place = self.leave_place();
        if place != 0 {
            let _ = self.file.write_at(&[0; BLOCK_HEAD], place);
        }
    }

    /// A copy of the block; empty if there is no memory for it.
    pub(crate) fn copy(&self, used: usize) -> Vec<u8> {
        let (mut bytes, size) = (Vec::new(), used.min(self.size));
        if bytes.grow(size) {
            bytes.resize(size, 0);
        }
        // SAFETY: mapped and this long.
        unsafe { self.base().copy_to_nonoverlapping(bytes.as_mut_ptr(), bytes.len()) };
        bytes
    }
}

// SAFETY: memory that stays mapped as long as the slot; what is stored to it is decided by the lane that it is of.
unsafe impl Send for Slot {}
// SAFETY: as above; what several threads use of it is atomic, or only copied.
unsafe impl Sync for Slot {}

impl Drop for Slot {
    fn drop(&mut self) {
        // SAFETY: mapped by `map`, and whoever had pointers into it dropped them with it.
        unsafe { libc::munmap(self.base().cast(), SIZE) };
    }
}

/// Memory that can be shared with another process, and that no one can make shorter.
fn shared_memory() -> io::Result<(OwnedFd, NonNull<u8>)> {
    let fail = || Err(io::Error::last_os_error());
    // SAFETY: a string and flags.
    let memory = unsafe { libc::memfd_create(c"ompchunk".as_ptr(), libc::MFD_CLOEXEC | libc::MFD_ALLOW_SEALING) };
    if memory < 0 {
        return fail();
    }
    // SAFETY: just made, and nobody else's.
    let memory = unsafe { OwnedFd::from_raw_fd(memory) };
    let raw = memory.as_raw_fd();
    // Only such memory has seals, so a descriptor that has become the program's own file fails here.
    // SAFETY: plain system calls on a descriptor.
    let made = unsafe {
        libc::fcntl(raw, libc::F_GET_SEALS) == 0
            && libc::ftruncate(raw, SIZE as libc::off_t) == 0
            && libc::fcntl(raw, libc::F_ADD_SEALS, libc::F_SEAL_SHRINK | libc::F_SEAL_GROW) == 0
    };
    if !made {
        return fail();
    }
    // Memory that is there cannot be missing later, which would be a signal.
    // SAFETY: as above.
    if unsafe { libc::posix_fallocate(raw, 0, SIZE as libc::off_t) } != 0 {
        return fail();
    }
    let base = map(raw, libc::MAP_SHARED)?;
    Ok((memory, base))
}

fn map(memory: i32, flags: i32) -> io::Result<NonNull<u8>> {
    let protection = libc::PROT_READ | libc::PROT_WRITE;
    // SAFETY: a new mapping, anywhere; the arguments are checked by the kernel.
    let base = unsafe { libc::mmap(ptr::null_mut(), SIZE, protection, flags, memory, 0) };
    if base == libc::MAP_FAILED {
        return Err(io::Error::last_os_error());
    }
    // So that the events' stores need not wait for pages. Older kernels do not know it and do without.
    // SAFETY: the mapping from above.
    unsafe { libc::madvise(base, SIZE, libc::MADV_POPULATE_WRITE) };
    NonNull::new(base.cast()).ok_or_else(|| io::ErrorKind::InvalidInput.into())
}

// The keeper. No descriptor stays open, and nothing waits: one that is not there or busy is done without.

/// The name of its socket; set once, before the first lane.
static NAME: OnceLock<String> = OnceLock::new();

pub(crate) fn start(keeper: &str) {
    let _ = NAME.set(keeper.to_owned());
}

/// Shares the memory, if somebody keeps it; `None`: nobody does.
fn hand_over(memory: &OwnedFd, file: &PartFile) -> Option<()> {
    let name = NAME.get().filter(|name| !name.is_empty())?;
    let address = SocketAddrUnix::new_abstract_name(name.as_bytes()).ok()?;
    let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
    let socket = socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None).ok()?;
    connect(&socket, &address).ok()?;
    // Anybody can take such a name: memory is for the same user alone.
    let theirs = sockopt::socket_peercred(&socket).ok()?.uid;
    if theirs != rustix::process::geteuid() {
        return None;
    }
    let identity = file.identity;
    let message = Share::bytes(&file.path, identity.device, identity.inode);
    let descriptors = [memory.as_fd()];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    control.push(SendAncillaryMessage::ScmRights(&descriptors)).then_some(())?;
    sendmsg(&socket, &[IoSlice::new(&message)], &mut control, SendFlags::NOSIGNAL).ok()?;
    Some(())
}
