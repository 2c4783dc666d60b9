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
mod meta;
mod read;
mod record;
mod write;

pub use meta::StackMeta;
pub use read::StackFile;
pub use record::{Counts, Cut, Fork, Module, Sample, Segment};
pub use write::StackWriter;

use std::path::{Path, PathBuf};

/// Where the stacks of a part are, if there are some.
#[must_use]
pub fn path_beside(part: &Path) -> PathBuf {
    part.with_extension(layout::EXTENSION)
}
