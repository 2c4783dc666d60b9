//! What runtimes leave of processes that end by a signal: a file by which the copies of a runtime in one process know of each other.
//! libomp and libiomp5 name it by the process's number and its user. Where that number comes again, the runtime of a process that has
//! nothing to do with it takes the file for its own: it ends the process, by SIGBUS if the file is empty, else by `OMP: Error #15`.

use std::fs;
use std::path::Path;

const BEGINS: &str = "__KMP_REGISTERED_LIB_";
/// Where runtimes keep it: as shared memory, or where there is none.
const FOLDERS: [&str; 2] = ["/dev/shm", "/tmp"];

/// Removes that of a process of ours, which has ended and whose number nobody else has.
pub fn remove_of(pid: u32) {
    for folder in FOLDERS {
        // There seldom is one.
        let _ = fs::remove_file(Path::new(folder).join(format!("{BEGINS}{pid}_{}", user())));
    }
}

/// How many there are of processes of ours that are gone.
pub fn stale() -> usize {
    let folders = FOLDERS.into_iter().flat_map(fs::read_dir);
    let names = folders.flat_map(|entries| entries.flatten().map(|entry| entry.file_name()));
    names.filter(|name| name.to_str().and_then(process_of).is_some_and(is_gone)).count()
}

/// The process that a file of our user's is of.
fn process_of(name: &str) -> Option<i32> {
    let (pid, owner) = name.strip_prefix(BEGINS)?.split_once('_')?;
    let is_ours = owner.parse() == Ok(user());
    pid.parse().ok().filter(|pid| is_ours && *pid > 0)
}

fn is_gone(pid: i32) -> bool {
    // SAFETY: a plain system call, which sends nothing.
    let found = unsafe { libc::kill(pid, 0) };
    found != 0 && std::io::Error::last_os_error().raw_os_error() == Some(libc::ESRCH)
}

fn user() -> u32 {
    // SAFETY: a plain system call.
    unsafe { libc::getuid() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_files_of_our_user_count() {
        let ours = user();
        assert_eq!(process_of(&format!("{BEGINS}123_{ours}")), Some(123));
        assert_eq!(process_of(&format!("{BEGINS}123_{}", ours + 1)), None);
        assert_eq!(process_of(&format!("{BEGINS}0_{ours}")), None);
        assert_eq!(process_of(&format!("{BEGINS}123")), None);
        assert_eq!(process_of("sem.123_0"), None);
        assert!(!is_gone(std::process::id() as i32));
    }
}
