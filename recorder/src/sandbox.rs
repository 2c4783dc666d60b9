//! Whether a system call may be made that the recorder can do without. A program may have a filter (seccomp) that kills whoever
//! makes a call that it does not name, and nothing says beforehand what it names. So where a program has filtered its own
//! calls, such a call is not made.

use std::fs;
use std::sync::atomic::{AtomicU8, Ordering::Relaxed};

/// The program may filter its calls at any time, so it is asked before each.
const ASKED_EACH_TIME: u8 = 0;
/// A filter was there before the program, as in a container: what is around it lives with the call.
const AROUND_THE_PROGRAM: u8 = 1;
/// The program has a filter.
const FORBIDDEN: u8 = 2;

static STATE: AtomicU8 = AtomicU8::new(ASKED_EACH_TIME);

/// Looks for filters that are there at the beginning. Files are read for that, which the recorder must be able to anyhow.
pub(crate) fn start() {
    let own = fs::read_to_string("/proc/thread-self/status").unwrap_or_default();
    let state = match field(&own, "Seccomp:") {
        Some(0) | None => ASKED_EACH_TIME,
        Some(_) if is_inherited(&own) => AROUND_THE_PROGRAM,
        Some(_) => FORBIDDEN,
    };
    STATE.store(state, Relaxed);
}

/// As many filters as its parent has.
fn is_inherited(own: &str) -> bool {
    const FILTERS: &str = "Seccomp_filters:";
    let parent = std::os::unix::process::parent_id();
    let parent = fs::read_to_string(format!("/proc/{parent}/status")).unwrap_or_default();
    let filters = field(own, FILTERS);
    filters.is_some() && filters == field(&parent, FILTERS)
}

fn field(status: &str, name: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix(name))?;
    line.trim().parse().ok()
}

/// Whether the calling thread may make a call that not every filter names.
pub(crate) fn allows_rare_calls() -> bool {
    match STATE.load(Relaxed) {
        ASKED_EACH_TIME => {
            // SAFETY: takes no pointers. Filters name it, since libc itself calls it.
            let is_free = unsafe { libc::prctl(libc::PR_GET_SECCOMP) } == 0;
            if !is_free {
                STATE.store(FORBIDDEN, Relaxed);
            }
            is_free
        }
        state => state == AROUND_THE_PROGRAM,
    }
}

#[cfg(test)]
mod tests {
    use super::field;

    #[test]
    fn fields_of_a_status() {
        let status = "Name:\tapp\nSeccomp:\t2\nSeccomp_filters:\t1\n";
        assert_eq!(field(status, "Seccomp:"), Some(2));
        assert_eq!(field(status, "Seccomp_filters:"), Some(1));
        assert_eq!(field("Name:\tapp\n", "Seccomp:"), None);
    }
}
