//! What the recorder is told before it begins.

use std::collections::BTreeMap;
use std::path::PathBuf;

use ompchunk_trace_format::Settings;

use crate::clock::Measured;

/// Nothing is recorded of a program with another user's rights.
pub(crate) fn refuse_privileges() -> Result<(), String> {
    // SAFETY: `getauxval` has no preconditions.
    if unsafe { libc::getauxval(libc::AT_SECURE) } != 0 {
        return Err(
            "a set-user-ID program is not recorded: whoever starts it would say which files it writes, by the \
             environment, by the directory or by its name"
                .into(),
        );
    }
    Ok(())
}

/// What is needed to begin a part, also in a forked process.
pub(crate) struct Setup {
    /// Where parts go.
    pub(crate) directory: PathBuf,
    pub(crate) settings: Settings,
    pub(crate) clock: Measured,
    pub(crate) source: Source,
}

impl Setup {
    /// Of a part; `None`: no limit.
    pub(crate) fn most_bytes(&self) -> Option<u64> {
        Some(self.settings.max_size).filter(|size| *size > 0)
    }
}

/// What is known of the runtime.
#[derive(Debug, Clone, Default)]
pub struct Source {
    /// Its name and version, as it gave it.
    pub runtime: String,
    /// The OpenMP version that it states.
    pub omp_version: u32,
    /// The shim is there.
    pub shim: bool,
    /// Answers to `ompt_set_callback`.
    pub events: BTreeMap<String, i32>,
}

/// The name of the event in [`Source::events`].
pub(crate) const SUB_BLOCK: &str = "sub_block";
/// Likewise.
pub(crate) const WANTED: &str = "wanted";

impl Source {
    /// An OMPT runtime has asked for its tool.
    pub(crate) fn is_runtime(&self) -> bool {
        !self.events.is_empty()
    }

    /// Sub-blocks are told.
    pub(crate) fn profiles(&self) -> bool {
        self.events.get(SUB_BLOCK).copied().unwrap_or(0) >= ompt::raw::SET_SOMETIMES
    }
}
