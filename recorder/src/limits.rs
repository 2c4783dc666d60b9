//! What the kernel lets the process have of files.

use std::io;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::sandbox;

/// The most descriptors. `None`: that may not be asked.
pub(crate) fn descriptors() -> Option<libc::rlim_t> {
    sandbox::allows_rare_calls()
        .then(|| limit_of(libc::RLIMIT_NOFILE))
        .flatten()
}

/// Whether a file of the process may be so large. Asking the kernel for more would also send a signal, whose
/// default is to kill the program.
pub(crate) fn within_limit(size: u64) -> io::Result<()> {
    match largest_file() {
        limit if limit != libc::RLIM_INFINITY && size > limit => {
            Err(io::Error::from_raw_os_error(libc::EFBIG))
        }
        _ => Ok(()),
    }
}

/// As it is now, or was when it could be asked for last.
fn largest_file() -> libc::rlim_t {
    static KNOWN: AtomicU64 = AtomicU64::new(libc::RLIM_INFINITY);
    if sandbox::allows_rare_calls() {
        let limit = limit_of(libc::RLIMIT_FSIZE).unwrap_or(libc::RLIM_INFINITY);
        KNOWN.store(limit, Ordering::Relaxed);
    }
    KNOWN.load(Ordering::Relaxed)
}

fn limit_of(what: libc::__rlimit_resource_t) -> Option<libc::rlim_t> {
    let mut limit = libc::rlimit {
        rlim_cur: 0,
        rlim_max: 0,
    };
    // SAFETY: `limit` outlives the call.
    let known = unsafe { libc::getrlimit(what, &mut limit) } == 0;
    known.then_some(limit.rlim_cur)
}
