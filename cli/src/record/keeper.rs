//! Keeps a share of the memory in which recorders fill their blocks: what a killed program had not written is written here.
//!
//! A thread takes shares at a socket with an abstract name, from processes of the same user. The memory is sealed, so it cannot
//! become shorter while it is read; and it is written only into the file that was told, and only if that part has no end.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{File, OpenOptions};
use std::io::{self, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use ompchunk_trace_format::keep::{MOST, PLACE, SIZE, Share};
use ompchunk_trace_format::layout::BLOCK_SIZE;
use ompchunk_trace_format::{BlockHead, Part};
use rustix::event::{EventfdFlags, PollFd, PollFlags, eventfd, poll};
use rustix::fs::SealFlags;
use rustix::mm::{MapFlags, ProtFlags};
use rustix::net::{
    AddressFamily, RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SocketAddrUnix, SocketFlags, SocketType,
    accept_with, bind, listen, recvmsg, socket_with, sockopt,
};

use super::owner;

const BACKLOG: i32 = 1024;
/// A process may lose its core between connecting and sharing, but is not waited for longer. One that ends hangs up.
const PATIENCE: Duration = Duration::from_secs(5);
/// More shares than this are looked through for those whose part has ended.
const MANY: usize = 512;

pub(super) struct Keeper {
    pub(super) name: String,
    stop: OwnedFd,
    thread: JoinHandle<Vec<Kept>>,
}

struct Kept {
    share: Share,
    memory: Memory,
}

#[derive(Clone, Copy)]
enum Left {
    /// It goes on, writes by itself, and has another block in its memory a moment later.
    Alive,
    /// The part has its end, or cannot be read.
    Nothing,
    /// The part has no end.
    Behind { blocks_from: u64, block_size: usize },
}

struct Memory(*const u8);

// SAFETY: a mapping belongs to the process, not to a thread.
unsafe impl Send for Memory {}

impl Keeper {
    /// What it is for is rare: where that is not possible a run does without.
    pub(super) fn start() -> io::Result<Keeper> {
        let name = format!("ompchunk-{}-{:016x}", std::process::id(), fastrand::u64(..));
        let address = SocketAddrUnix::new_abstract_name(name.as_bytes())?;
        let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
        let socket = socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None)?;
        bind(&socket, &address)?;
        listen(&socket, BACKLOG)?;
        let stop = eventfd(0, EventfdFlags::CLOEXEC)?;
        let told = stop.try_clone()?;
        let thread = std::thread::Builder::new().spawn(move || collect(&socket, &told))?;
        Ok(Keeper { name, stop, thread })
    }

    /// The program has ended: writes what it left. Gives the parts that were begun and are not there any more.
    pub(super) fn finish(self) -> BTreeSet<PathBuf> {
        let _ = rustix::io::write(&self.stop, &1_u64.to_ne_bytes());
        let (mut gone, mut parts) = (BTreeSet::new(), BTreeMap::new());
        for kept in self.thread.join().unwrap_or_default() {
            let path = kept.share.path.clone();
            let Some(file) = kept.file() else {
                gone.insert(path);
                continue;
            };
            // Once per part, whose lanes are many: one without an end is looked through.
            let left = *parts.entry(path).or_insert_with(|| kept.left());
            let _ = kept.write(&file, left);
        }
        gone
    }
}

fn collect(socket: &OwnedFd, stop: &OwnedFd) -> Vec<Kept> {
    let mut all = Vec::new();
    let mut next = MANY;
    loop {
        let mut events = [PollFd::new(socket, PollFlags::IN), PollFd::new(stop, PollFlags::IN)];
        match poll(&mut events, None) {
            Err(rustix::io::Errno::INTR) => continue,
            Err(_) => return all,
            Ok(_) => {}
        }
        let stopped = !events[1].revents().is_empty();
        while let Ok(connection) = accept_with(socket, SocketFlags::CLOEXEC) {
            all.extend(take(&connection));
        }
        if stopped {
            return all;
        }
        if all.len() > next {
            all.retain(Kept::is_needed);
            next = MANY.max(2 * all.len());
        }
    }
}

fn take(connection: &OwnedFd) -> Option<Kept> {
    let theirs = sockopt::socket_peercred(connection).ok()?.uid;
    if theirs != rustix::process::geteuid() {
        return None;
    }
    sockopt::set_socket_timeout(connection, sockopt::Timeout::Recv, Some(PATIENCE)).ok()?;
    let mut bytes = vec![0; MOST];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut control = RecvAncillaryBuffer::new(&mut space);
    let flags = RecvFlags::CMSG_CLOEXEC;
    let received = recvmsg(connection, &mut [IoSliceMut::new(&mut bytes)], &mut control, flags).ok()?;
    let share = Share::from_bytes(bytes.get(..received.bytes)?)?;
    let memory = control.drain().find_map(|message| match message {
        RecvAncillaryMessage::ScmRights(mut descriptors) => descriptors.next(),
        _ => None,
    })?;
    Some(Kept { share, memory: Memory::map(&memory)? })
}

impl Memory {
    /// Only memory that cannot become shorter: else reading it could be a signal.
    fn map(memory: &OwnedFd) -> Option<Memory> {
        let seals = rustix::fs::fcntl_get_seals(memory).ok()?;
        let size = rustix::fs::fstat(memory).ok()?.st_size;
        if !seals.contains(SealFlags::SHRINK) || size < SIZE as i64 {
            return None;
        }
        // SAFETY: a new mapping, anywhere, of memory that is this long and stays so.
        let base = unsafe {
            let (read, shared) = (ProtFlags::READ, MapFlags::SHARED);
            rustix::mm::mmap(std::ptr::null_mut(), SIZE, read, shared, memory, 0).ok()?
        };
        Some(Memory(base.cast()))
    }

    /// Where the block belongs; 0: nowhere.
    fn place(&self) -> u64 {
        // SAFETY: inside the mapping, aligned, and both sides use it as an atomic.
        let place = unsafe { AtomicU64::from_ptr(self.0.cast_mut().add(PLACE).cast()) };
        u64::from_le(place.load(Ordering::Acquire))
    }

    fn block(&self) -> Vec<u8> {
        let mut bytes = vec![0; BLOCK_SIZE];
        // SAFETY: mapped and this long.
        unsafe { self.0.copy_to_nonoverlapping(bytes.as_mut_ptr(), BLOCK_SIZE) };
        bytes
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        // SAFETY: mapped by `map`, and nothing of it is used any more.
        let _ = unsafe { rustix::mm::munmap(self.0.cast_mut().cast(), SIZE) };
    }
}

impl Kept {
    /// The part's file, if it is still the one that was told.
    fn file(&self) -> Option<File> {
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK)
            .open(&self.share.path)
            .ok()?;
        let found = file.metadata().ok()?;
        let same = (found.dev(), found.ino()) == (self.share.device, self.share.inode);
        (found.is_file() && same).then_some(file)
    }

    /// Not of a process that has ended: what it left is written. A part that is gone is told at the end.
    fn is_needed(&self) -> bool {
        let Some(file) = self.file() else { return true };
        let left = self.left();
        let _ = self.write(&file, left);
        matches!(left, Left::Alive)
    }

    fn left(&self) -> Left {
        match Part::open(&self.share.path) {
            Ok(part) if part.head().ended || part.head().block_size > BLOCK_SIZE => Left::Nothing,
            Ok(part) if owner::is_growing(&part) => Left::Alive,
            Ok(part) => Left::Behind { blocks_from: part.head().blocks_from, block_size: part.head().block_size },
            Err(_) => Left::Nothing,
        }
    }

    /// Writes the block to its place, in a part that has no end and whose blocks begin there.
    fn write(&self, file: &File, left: Left) -> Option<()> {
        let Left::Behind { blocks_from: from, block_size: size } = left else { return None };
        let place = self.memory.place();
        if place == 0 {
            return None;
        }
        let fits = place >= from && (place - from) % size as u64 == 0;
        let block = self.memory.block();
        if !fits || self.memory.place() != place || BlockHead::from_bytes(&block).is_none() {
            return None;
        }
        file.write_all_at(&block[..size], place).ok()
    }
}
