//! Sampled stacks of a part, in a file beside it: `X.stacks` beside `X.trace`. `docs/stack-format.md` describes the bytes.
//!
//! ```no_run
//! use ompchunk_trace_format::Trace;
//! use ompchunk_trace_format::stacks::StackFile;
//!
//! # fn main() -> Result<(), ompchunk_trace_format::Error> {
//! let trace = Trace::open("app.ompchunk".as_ref())?;
//! for part in &trace.parts {
//!     let Some(stacks) = StackFile::beside(part.path())? else { continue };
//!     stacks.for_each(|sample| {
//!         println!("thread {} at {}: {:x?}", sample.thread, sample.time, sample.frames);
//!     })?;
//! }
//! # Ok(())
//! # }
//! ```

pub mod encode;
pub mod layout;
mod read;
mod record;
mod write;

use std::path::{Path, PathBuf};

use layout::{BLOCK_SIZES, HEAD_SIZE, MAGIC, VERSION};
use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::head::Form;

pub use read::StackFile;
pub use record::{Counts, Cut, Fork, Module, Sample, Segment};
pub use write::StackWriter;

/// Where the stacks of a part are, if there are some.
pub fn path_beside(part: &Path) -> PathBuf {
    part.with_extension(layout::EXTENSION)
}

const FORM: Form = Form {
    magic: MAGIC,
    head_size: HEAD_SIZE,
    versions: VERSION..=VERSION,
    block_sizes: BLOCK_SIZES,
    rest_of_head: "its head",
    rest_of_meta: "its metadata",
    other_version: |path, found| {
        let what = format!("its stacks are of version {found}, this program reads version {VERSION}");
        Error::NotATrace(path.to_owned(), what)
    },
};

/// How stacks were sampled.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct StackMeta {
    /// Name and version of the recorder.
    pub recorder: String,
    /// The process's number.
    pub pid: u32,
    /// Wall-clock start of the part, nanoseconds since 1970, as in its metadata: stacks left from another recording differ.
    pub started: u64,
    /// Samples per second of a thread's CPU time that were asked for. The kernel's tick may allow fewer.
    pub hertz: u32,
    /// What the timers count: `thread-cpu`.
    pub clock: String,
    /// The signal's number.
    pub signal: i32,
    /// The architecture, as Rust names it: `x86_64`, `aarch64`.
    pub architecture: String,
}
