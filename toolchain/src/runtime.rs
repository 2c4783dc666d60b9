//! What an OpenMP runtime's file tells of it.

use std::path::Path;

/// Only builds with debugging paths trace their calls.
const TRACE: &[u8] = b"__kmpc_for_static_fini called T#";

/// What begins each error of libgomp, also in a program that it is a part of.
const ERROR_OF_LIBGOMP: &[u8] = b"\nlibgomp: ";

/// Whether a runtime was built with its debugging paths; `None` if the library cannot be read.
pub fn has_debug_paths(library: &Path) -> Option<bool> {
    holds(library, TRACE)
}

/// Whether GCC's runtime was linked into a program statically.
pub fn is_libgomp_inside(program: &Path) -> bool {
    holds(program, ERROR_OF_LIBGOMP).unwrap_or(false)
}

fn holds(file: &Path, text: &[u8]) -> Option<bool> {
    let bytes = std::fs::read(file).ok()?;
    let first = text[0];
    let mut rest = &bytes[..];
    while let Some(at) = rest.iter().position(|byte| *byte == first) {
        rest = &rest[at..];
        if rest.starts_with(text) {
            return Some(true);
        }
        rest = &rest[1..];
    }
    Some(false)
}
