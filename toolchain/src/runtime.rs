//! What an OpenMP runtime's file tells of it.

use std::path::Path;

/// Only builds with debugging paths trace their calls.
const TRACE: &[u8] = b"__kmpc_for_static_fini called T#";

/// Whether a runtime was built with its debugging paths; `None` if the library cannot be read.
pub fn has_debug_paths(library: &Path) -> Option<bool> {
    let bytes = std::fs::read(library).ok()?;
    let first = TRACE[0];
    let mut rest = &bytes[..];
    while let Some(at) = rest.iter().position(|byte| *byte == first) {
        rest = &rest[at..];
        if rest.starts_with(TRACE) {
            return Some(true);
        }
        rest = &rest[1..];
    }
    Some(false)
}
