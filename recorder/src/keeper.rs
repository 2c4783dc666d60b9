//! Gives `ompchunk record` a share of a lane's memory, so that what is in it outlives the program. Without it, by hand
//! or on another machine, a program that is killed leaves what was written: all but the last moments.
//!
//! No descriptor stays open, and nothing waits: a keeper that is not there or busy is done without.

use std::io::IoSlice;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::OnceLock;

use ompchunk_trace_format::keep::Share;
use rustix::net::{
    AddressFamily, SendAncillaryBuffer, SendAncillaryMessage, SendFlags, SocketAddrUnix, SocketFlags, SocketType,
    connect, sendmsg, socket_with, sockopt,
};

use crate::file::PartFile;

/// The socket's; set once, before the first lane.
static NAME: OnceLock<String> = OnceLock::new();

pub(crate) fn start(name: &str) {
    let _ = NAME.set(name.to_owned());
}

/// Shares the memory, if somebody keeps it; says whether.
pub(crate) fn hand_over(memory: &OwnedFd, file: &PartFile) -> bool {
    try_to(memory, file).is_some()
}

fn try_to(memory: &OwnedFd, file: &PartFile) -> Option<()> {
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
    let identity = file.identity();
    let message = Share::bytes(file.path(), identity.device, identity.inode);
    let descriptors = [memory.as_fd()];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    control.push(SendAncillaryMessage::ScmRights(&descriptors)).then_some(())?;
    sendmsg(&socket, &[IoSlice::new(&message)], &mut control, SendFlags::NOSIGNAL).ok()?;
    Some(())
}
