//! The limits of this process, before it reads or writes many or large files. It starts no program of the user's that would
//! inherit them.

/// A file that would grow beyond `ulimit -f` is an error like a full disk, not the end without a word.
pub fn for_large_exports() {
    // SAFETY: no handler; what would be a signal is an error of the call that writes.
    unsafe { libc::signal(libc::SIGXFSZ, libc::SIG_IGN) };
}

/// Opens as many files as it may: of each rank one is read, and shells set a soft limit of 1024.
pub fn for_many_parts() {
    let mut files = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: a place for the limit.
    if unsafe { libc::getrlimit(libc::RLIMIT_NOFILE, &mut files) } != 0 {
        return;
    }
    files.rlim_cur = files.rlim_max;
    // SAFETY: a limit that is there; if it is refused, the old one still holds.
    unsafe { libc::setrlimit(libc::RLIMIT_NOFILE, &files) };
}
