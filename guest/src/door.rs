//! The one door through which a library says something in the user's process: standard error, as long as it is what the process
//! began with.
//!
//! Descriptors are the program's. One that closes them all, as daemons do, may have a file of its own under the number of standard
//! error, and that file is nobody else's to write to. So device and inode are remembered when the library begins, and looked at before each
//! line; where they are others, nothing is said. No descriptor is kept open for it: whoever reads a pipe to its end would wait for us.
//!
//! A library may begin late, with the program's first parallel region. So the command says what standard error was ([`run::STDERR`]). Of
//! pipes and terminals, which hold no data, that need not be true: commands between may have led them elsewhere.
//!
//! Nothing that is written sends the program a signal: neither a pipe that nobody reads nor a file that may not grow.

use std::mem::MaybeUninit;
use std::os::unix::ffi::OsStrExt;
use std::sync::OnceLock;
use std::{io, ptr};

use ompchunk_abi::run;

use crate::errno::Errno;

/// Device and inode.
type Identity = (u64, u64);

/// Identity of standard error; `None`: the door stays shut.
static STDERR: OnceLock<Option<Identity>> = OnceLock::new();

/// To be called first thing in the process, and as often as one likes. What panics say goes through the door from then on.
pub fn begin() {
    let begins = STDERR.get().is_none();
    STDERR.get_or_init(inherited);
    if begins {
        std::panic::set_hook(Box::new(|panic| write_line(&panic.to_string())));
    }
}

/// One line, by one `write`, so that threads' and processes' do not mix. Errors are ignored, and `errno` is as before.
pub fn write_line(text: &str) {
    let line = format!("ompchunk: {text}\n");
    let _errno = Errno::keep();
    if is_open(line.len() as u64) {
        let _ = without_signals(|| {
            // Calls no function of libc, which a sanitizer may have replaced and which is a point of cancellation.
            // SAFETY: pointer and length of a slice.
            let written = unsafe { libc::syscall(libc::SYS_write, libc::STDERR_FILENO, line.as_ptr(), line.len()) };
            if written < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
        });
    }
}

/// Writes to files with the signals held back on this thread that failing sends, and takes those back that it has sent.
pub fn without_signals<R>(write: impl FnOnce() -> io::Result<R>) -> io::Result<R> {
    let mut both = MaybeUninit::<libc::sigset_t>::zeroed();
    let mut before = MaybeUninit::<libc::sigset_t>::zeroed();
    let mut pending = MaybeUninit::<libc::sigset_t>::zeroed();
    // SAFETY: all sets are valid memory, initialised by zeroing and by the calls.
    let held = unsafe {
        libc::sigemptyset(both.as_mut_ptr());
        for signal in [libc::SIGPIPE, libc::SIGXFSZ] {
            libc::sigaddset(both.as_mut_ptr(), signal);
        }
        if !is_filtered() {
            libc::sigpending(pending.as_mut_ptr());
        }
        libc::pthread_sigmask(libc::SIG_BLOCK, both.as_ptr(), before.as_mut_ptr()) == 0
    };
    let result = write();
    if !held {
        return result;
    }
    for signal in [libc::SIGPIPE, libc::SIGXFSZ] {
        // SAFETY: as above; a zero timeout makes `sigtimedwait` return at once.
        unsafe {
            let was_pending = libc::sigismember(pending.as_ptr(), signal) == 1;
            if result.is_err() && !was_pending {
                let mut sent = MaybeUninit::<libc::sigset_t>::zeroed();
                libc::sigemptyset(sent.as_mut_ptr());
                libc::sigaddset(sent.as_mut_ptr(), signal);
                let at_once = MaybeUninit::<libc::timespec>::zeroed();
                libc::sigtimedwait(sent.as_ptr(), ptr::null_mut(), at_once.as_ptr());
            }
        }
    }
    // SAFETY: as it was before.
    unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, before.as_ptr(), ptr::null_mut()) };
    result
}

/// What standard error is, as [`run::STDERR`] says it of a process that inherits it.
pub fn standard_error() -> Option<String> {
    status().map(|found| told(identity(&found)))
}

fn told((device, inode): Identity) -> String {
    format!("{device}:{inode}")
}

fn inherited() -> Option<Identity> {
    let found = status()?;
    let identity = identity(&found);
    let holds_data = !matches!(found.st_mode & libc::S_IFMT, libc::S_IFIFO | libc::S_IFCHR);
    let text = std::env::var_os(run::VARIABLE).unwrap_or_default();
    let is_another = run::told(text.as_bytes(), run::STDERR).is_some_and(|known| *known != *told(identity).as_bytes());
    (!(holds_data && is_another)).then_some(identity)
}

/// Whether so many bytes may be written.
fn is_open(bytes: u64) -> bool {
    let Some(known) = *STDERR.get_or_init(inherited) else { return false };
    status().is_some_and(|found| {
        let is_file = found.st_mode & libc::S_IFMT == libc::S_IFREG;
        identity(&found) == known && (!is_file || is_filtered() || has_room(found.st_size as u64, bytes))
    })
}

/// Whether a file of this size may grow so much: not half of a line.
fn has_room(size: u64, bytes: u64) -> bool {
    let mut limit = libc::rlimit { rlim_cur: libc::RLIM_INFINITY, rlim_max: libc::RLIM_INFINITY };
    // SAFETY: moves nothing, and `limit` outlives the call.
    let at = unsafe {
        libc::getrlimit(libc::RLIMIT_FSIZE, &mut limit);
        libc::lseek(libc::STDERR_FILENO, 0, libc::SEEK_CUR)
    };
    let end = size.max(at.max(0) as u64).saturating_add(bytes);
    end <= limit.rlim_cur
}

/// The process may be killed for a system call that is rare: it has a filter.
fn is_filtered() -> bool {
    // SAFETY: takes no pointers. Filters name it, since libc itself calls it.
    unsafe { libc::prctl(libc::PR_GET_SECCOMP) != 0 }
}

fn identity(found: &libc::stat) -> Identity {
    (found.st_dev, found.st_ino)
}

fn status() -> Option<libc::stat> {
    let mut found = MaybeUninit::<libc::stat>::zeroed();
    // SAFETY: writes to memory for it; all zeros is a valid value too.
    unsafe {
        let known = libc::fstat(libc::STDERR_FILENO, found.as_mut_ptr()) == 0;
        known.then(|| found.assume_init())
    }
}
