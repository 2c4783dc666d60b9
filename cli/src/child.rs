//! A program that we wait for. It gets the signals that we get, and we end as it ended.

use std::fs;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Command, ExitCode, ExitStatus};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicI32, Ordering};

use libc::{c_int, c_void, siginfo_t};

use crate::exec;

/// Signals that others send to make a program do something.
const PASSED_ON: [c_int; 6] = [libc::SIGINT, libc::SIGQUIT, libc::SIGTERM, libc::SIGHUP, libc::SIGUSR1, libc::SIGUSR2];

/// The program's process, or 0.
static CHILD: AtomicI32 = AtomicI32::new(0);
/// A signal that came before the program's process was known, or 0.
static EARLY: AtomicI32 = AtomicI32::new(0);

/// Of these the ones that ask a program to end.
const TO_END: [c_int; 4] = [libc::SIGINT, libc::SIGQUIT, libc::SIGTERM, libc::SIGHUP];
/// The last of them that came, or 0.
static ASKED: AtomicI32 = AtomicI32::new(0);

#[derive(Debug, thiserror::Error)]
#[error("stopped by signal {0}, before all runs were done")]
pub struct Stopped(c_int);

impl Stopped {
    pub fn end(&self) -> ExitCode {
        end_as(ExitStatus::from_raw(self.0))
    }
}

/// One of several runs: what asks us to end is no fault of the program's, and there is no next run.
pub fn run_once(command: &mut Command) -> anyhow::Result<ExitStatus> {
    let status = run(command)?.status;
    match ASKED.load(Ordering::SeqCst) {
        0 => Ok(status),
        signal => Err(Stopped(signal).into()),
    }
}

#[derive(Debug, Clone, Copy)]
pub struct Ended {
    pub pid: u32,
    pub status: ExitStatus,
}

pub fn run(command: &mut Command) -> Result<Ended, exec::Error> {
    for signal in PASSED_ON {
        handle(signal);
    }
    die_with_us(command);
    let ended = command.spawn().and_then(|mut child| {
        let pid = child.id();
        CHILD.store(pid as i32, Ordering::SeqCst);
        send(EARLY.swap(0, Ordering::SeqCst));
        if is_killed(pid) {
            for folder in FOLDERS {
                // There seldom is one.
                let _ = fs::remove_file(Path::new(folder).join(format!("{BEGINS}{pid}_{}", user())));
            }
        }
        let status = child.wait();
        CHILD.store(0, Ordering::SeqCst);
        Ok(Ended { pid, status: status? })
    });
    // What comes now is for us: what is left to do may take long.
    PASSED_ON.into_iter().for_each(handle_no_more);
    ended.map_err(|cause| exec::Error::new(command, &cause))
}

/// Waits until it has ended: did a signal end it? Its number is still its own then.
fn is_killed(pid: u32) -> bool {
    // SAFETY: all zeros is a valid value.
    let mut info: siginfo_t = unsafe { std::mem::zeroed() };
    let how = libc::WEXITED | libc::WNOWAIT;
    loop {
        // SAFETY: a plain system call, into memory for it.
        if unsafe { libc::waitid(libc::P_PID, pid, &mut info, how) } == 0 {
            return matches!(info.si_code, libc::CLD_KILLED | libc::CLD_DUMPED);
        }
        if std::io::Error::last_os_error().kind() != std::io::ErrorKind::Interrupted {
            return false;
        }
    }
}

/// `SIGKILL`, with which batch systems end a job, cannot be passed on: the program would go on, and a rank wait for ever.
fn die_with_us(command: &mut Command) {
    let us = std::process::id();
    let before = move || {
        // SAFETY: a plain system call. It lasts until the program becomes something with other rights.
        let set = unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) };
        if set == 0 && std::os::unix::process::parent_id() != us {
            return Err(std::io::ErrorKind::BrokenPipe.into());
        }
        Ok(())
    };
    // SAFETY: between fork and exec only two system calls are made.
    unsafe { command.pre_exec(before) };
}

/// A handler, not `SIG_IGN`: the program begins with the default then. What is ignored already, as under nohup, stays so.
fn handle(signal: c_int) {
    // SAFETY: all zeros is a valid value.
    let mut action: libc::sigaction = unsafe { std::mem::zeroed() };
    // SAFETY: reads the present action into memory for it.
    let known = unsafe { libc::sigaction(signal, std::ptr::null(), &mut action) } == 0;
    if !known || action.sa_sigaction == libc::SIG_IGN {
        return;
    }
    action.sa_sigaction = pass_on as extern "C" fn(c_int, *mut siginfo_t, *mut c_void) as usize;
    action.sa_flags = libc::SA_SIGINFO | libc::SA_RESTART;
    // SAFETY: the handler only does what a handler may.
    unsafe { libc::sigaction(signal, &action, null_mut()) };
}

fn handle_no_more(signal: c_int) {
    let ours = pass_on as extern "C" fn(c_int, *mut siginfo_t, *mut c_void) as usize;
    // SAFETY: all zeros is a valid value.
    let mut action: libc::sigaction = unsafe { std::mem::zeroed() };
    // SAFETY: reads the present action into memory for it; the default needs no handler.
    unsafe {
        if libc::sigaction(signal, std::ptr::null(), &mut action) == 0 && action.sa_sigaction == ours {
            libc::signal(signal, libc::SIG_DFL);
        }
    }
}

extern "C" fn pass_on(signal: c_int, info: *mut siginfo_t, _: *mut c_void) {
    // What the terminal sends goes to the program anyway; what a process sends is for us alone.
    // SAFETY: the kernel gives a handler with `SA_SIGINFO` its information.
    let sent = unsafe { (*info).si_code } <= 0;
    if TO_END.contains(&signal) {
        ASKED.store(signal, Ordering::SeqCst);
    }
    if sent && CHILD.load(Ordering::SeqCst) == 0 {
        EARLY.store(signal, Ordering::SeqCst);
    }
    if sent {
        send(signal);
    }
}

fn send(signal: c_int) {
    let child = CHILD.load(Ordering::SeqCst);
    if signal != 0 && child > 0 {
        // SAFETY: a handler may send signals; the child is not waited for yet.
        unsafe { libc::kill(child, signal) };
    }
}

pub fn end_as(status: ExitStatus) -> ExitCode {
    if let Some(signal) = status.signal() {
        let none = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
        // SAFETY: plain system calls. The core is the program's, not ours.
        unsafe {
            libc::setrlimit(libc::RLIMIT_CORE, &none);
            libc::signal(signal, libc::SIG_DFL);
            libc::raise(signal);
        }
        // As a shell says it, for a signal that is blocked.
        return ExitCode::from(128_u8.wrapping_add(signal as u8));
    }
    ExitCode::from(status.code().unwrap_or(1) as u8)
}

/// A file named so, with a process's number and user, tells copies of a runtime in one process of each other. libomp and libiomp5
/// leave it where a signal ends the process. The next process of that number takes it for its own: SIGBUS, or `OMP: Error #15`.
const BEGINS: &str = "__KMP_REGISTERED_LIB_";
/// Where runtimes keep it: as shared memory, or where there is none.
const FOLDERS: [&str; 2] = ["/dev/shm", "/tmp"];

pub fn stale_registered() -> usize {
    let folders = FOLDERS.into_iter().flat_map(fs::read_dir);
    let names = folders.flat_map(|entries| entries.flatten().map(|entry| entry.file_name()));
    names.filter(|name| name.to_str().and_then(process_of).is_some_and(is_gone)).count()
}

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
