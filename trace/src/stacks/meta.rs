//! What a file of stacks says of itself, as JSON. Fields may be added without a new version.

use serde::{Deserialize, Serialize};

use crate::beginning::Form;
use crate::error::Error;
use crate::stacks::layout::{BLOCK_SIZES, HEAD_SIZE, MAGIC, VERSION};

/// What files of stacks are known by.
pub(super) const FORM: Form = Form {
    magic: MAGIC,
    head_size: HEAD_SIZE,
    versions: VERSION..=VERSION,
    block_sizes: BLOCK_SIZES,
    rest_of_head: "its head",
    rest_of_meta: "its metadata",
    other_version: |path, found| {
        let what = format!("its stacks are of version {found}, this program reads version {VERSION}");
        Error::not_a_trace(path, what)
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
    /// Wall-clock time of the start of the part, nanoseconds since 1970, as in the part's metadata: it tells a file of
    /// stacks that was left from another recording.
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
