//! Child processes: started in a clean environment, and told of in full when they fail.

use std::ffi::OsStr;
use std::io::{ErrorKind, Read};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use wait_timeout::ChildExt;

use crate::target;

/// Seconds, far beyond what any child needs; a deadlocked one must not hang the whole test run.
static DEADLINE: AtomicU64 = AtomicU64::new(120);

/// An emulator is that much slower, at least.
const EMULATED: u64 = 5;

/// For runs in which children that hang are expected: stock programs do, now and then.
pub fn set_deadline(seconds: u64) {
    DEADLINE.store(seconds, Ordering::Relaxed);
}

#[derive(Debug)]
pub struct Finished {
    pub status: ExitStatus,
    pub stdout: String,
    pub stderr: String,
}

/// A command that inherits nothing that steers OpenMP, the dynamic linker, or ompchunk.
pub fn command(program: impl AsRef<OsStr>) -> Command {
    let mut command = target::command(program.as_ref());
    command.stdin(Stdio::null());
    let steering = ["OMP_", "KMP_", "LD_", "OMPCHUNK_", "ORACLE_", "LIBOMP_"];
    for (name, _) in std::env::vars_os() {
        if steering.iter().any(|s| name.to_string_lossy().starts_with(s)) {
            command.env_remove(name);
        }
    }
    command
}

/// libomp's debug path aborts in a loop of a dynamic schedule, now and then and under load, whoever compiled it: LLVM's issues
/// 86995 and 132164. As plain clang compiles them, 5 of fewer than 16,000 runs of `sampling/program.c`, and 13 of 6,812 of
/// `schedules/attack.c tasks 2` with `schedule(dynamic, 3)` at each loop.
const STEALING: &str = "vnew.p.ub * (UT)chunk <= trip";
/// More in a row would be something else.
const ATTEMPTS: usize = 3;

/// Runs to the end, whatever the end is; fails only if the child could not be started or hung. What the runtime alone broke is begun again.
pub fn finish(command: &mut Command) -> Result<Finished> {
    let mut finished = finish_once(command)?;
    for _ in 1..ATTEMPTS {
        if finished.status.success() || !finished.stderr.contains(STEALING) {
            break;
        }
        eprintln!("{command:?}\nbegun again after libomp's own '{STEALING}'");
        finished = finish_once(command)?;
    }
    Ok(finished)
}

fn finish_once(command: &mut Command) -> Result<Finished> {
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = start(command).with_context(|| format!("cannot start {command:?}"))?;
    let stdout = drain(child.stdout.take().expect("it is piped"));
    let stderr = drain(child.stderr.take().expect("it is piped"));
    let slower = if target::current().is_some() { EMULATED } else { 1 };
    let deadline = Duration::from_secs(slower * DEADLINE.load(Ordering::Relaxed));
    let Some(status) = child.wait_timeout(deadline)? else {
        child.kill()?;
        child.wait()?;
        bail!("{command:?}\nhung and was killed after {deadline:?}");
    };
    Ok(Finished {
        status,
        stdout: stdout.join().expect("reading a pipe"),
        stderr: stderr.join().expect("reading a pipe"),
    })
}

/// Runs to the end, which must be a success.
pub fn succeed(command: &mut Command) -> Result<Finished> {
    let finished = finish(command)?;
    successful(command, finished)
}

/// What was left behind, if it ended well.
pub fn successful(command: &Command, finished: Finished) -> Result<Finished> {
    if !finished.status.success() {
        bail!(
            "{command:?}\nended with {}\n--- stdout\n{}--- stderr\n{}",
            finished.status,
            finished.stdout,
            finished.stderr
        );
    }
    Ok(finished)
}

/// A program that a test has just written is busy while a child that another thread has forked meanwhile, and that has
/// the file open until it becomes its own program, has not got that far.
fn start(command: &mut Command) -> std::io::Result<Child> {
    const PAUSE: Duration = Duration::from_millis(20);
    for _ in 0..100 {
        match command.spawn() {
            Err(error) if error.kind() == ErrorKind::ExecutableFileBusy => thread::sleep(PAUSE),
            done => return done,
        }
    }
    command.spawn()
}

/// Reads a pipe on its own thread: a child that fills one pipe must not wait for the other.
fn drain(mut pipe: impl Read + Send + 'static) -> thread::JoinHandle<String> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        // A read error ends the text; what was read is still worth showing.
        let _ = pipe.read_to_end(&mut bytes);
        String::from_utf8_lossy(&bytes).into_owned()
    })
}
