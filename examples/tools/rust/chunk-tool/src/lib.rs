//! What the two example tools in Rust share: the loops that each thread is executing, the names of loops
//! and the place to write to. `schedule-check` takes from here what is known of loops.
//!
//! A tool implements [`State`], what it keeps of a thread, and is an [`ompt::Tool`] around [`All`] of them. Other threads look at
//! a thread's state only for the report at the end.

mod callbacks;
mod known;
mod running;

use std::env;
use std::fs::File;
use std::io::{self, Write};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Instant;

pub use callbacks::{All, Mine, Thread};
pub use known::Known;
pub use running::Running;

/// What an example tool keeps of one thread.
pub trait State: Default + Send + 'static {
    /// Name, for messages.
    const NAME: &'static str;
    /// Environment variable that names the file to write to.
    const OUTPUT: &'static str;

    /// The thread begins a loop; `depth` loops enclose it on this thread.
    fn begin(&mut self, running: &Running, depth: usize, now: f64);
    /// A chunk of the thread's innermost loop begins.
    fn chunk(&mut self, running: &mut Running, depth: usize, chunk: &Chunk, now: f64);
    /// A chunk event came that belongs to no loop the runtime announced.
    fn outside(&mut self);
    /// The thread ends the loop.
    fn end(&mut self, running: &Running, depth: usize, now: f64);
    /// The runtime has finished: writes what is left of all threads.
    fn report(threads: &mut [&mut Self], source: &Source<'_>) -> io::Result<()>;
}

/// Where the events came from.
#[derive(Debug, Clone, Copy)]
pub struct Source<'a> {
    /// The extension event was among them.
    pub extension: bool,
    /// The runtime's name and version, as it gave it.
    pub runtime: &'a str,
}

/// A chunk event.
#[derive(Debug, Clone, Copy)]
pub struct Chunk {
    /// First logical iteration.
    pub first: u64,
    /// Number of iterations. The runtime's own dispatch events may say 0.
    pub iterations: u64,
    /// What only the extension event says; `None` for the standard `ompt_callback_dispatch`.
    pub extension: Option<Extension>,
}

/// What `ompt_callback_chunk` adds to `ompt_callback_dispatch`.
#[derive(Debug, Clone, Copy)]
pub struct Extension {
    /// Nanoseconds spent between the chunk before and this one.
    pub bookkeeping: f64,
    /// The thread's last chunk in this execution of the loop.
    pub last: bool,
    /// The loop, if nothing was known of it before.
    pub news: Option<&'static Known>,
}

/// Nanoseconds since this function was first called.
#[must_use]
pub fn nanoseconds() -> f64 {
    static EPOCH: OnceLock<Instant> = OnceLock::new();
    // Not `as_nanos() as f64` alone: 0 stands for "no time" in the tools, so the clock begins at 1.
    EPOCH.get_or_init(Instant::now).elapsed().as_nanos() as f64 + 1.0
}

/// A file, or stderr.
pub type Output = Box<dyn Write + Send>;

/// The file that the environment variable names, else stderr; opened by the first call.
pub fn output(variable: &str) -> MutexGuard<'static, Output> {
    static OUT: OnceLock<Mutex<Output>> = OnceLock::new();
    let out = OUT.get_or_init(|| Mutex::new(open(variable)));
    out.lock().unwrap_or_else(PoisonError::into_inner)
}

fn open(variable: &str) -> Output {
    let Some(path) = env::var_os(variable).filter(|path| !path.is_empty()) else {
        return Box::new(io::stderr());
    };
    match File::create(&path) {
        Ok(file) => Box::new(file),
        Err(error) => {
            eprintln!("{variable}: cannot write {}, writing to stderr instead: {error}", path.to_string_lossy());
            Box::new(io::stderr())
        }
    }
}
