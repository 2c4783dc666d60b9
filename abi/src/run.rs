//! What `ompchunk` tells the libraries in a program that it starts: entries `key=value` in one variable.

pub const VARIABLE: &str = "OMPCHUNK_RUN";

/// Between entries, because paths and names have none.
pub const SEPARATOR: char = '\u{1e}';

/// Where the shim writes at the end what it decided under `balanced` and `adaptive`: a JSON file, or `-` for a table on stderr.
pub const DECISIONS: &str = "decisions";

/// The loops compiled without the plugin that the preloaded library may have changed: lines of [`crate::stock::Named`].
pub const STOCK: &str = "stock";

/// What standard error is, so that libraries that the program loads late know it again.
pub const STDERR: &str = "stderr";

/// Anything but nothing and 0 has the shim attach the tool which says where iterations moved that loops promise to the same thread.
pub const CHECK: &str = "check";

pub fn told<'a>(text: &'a [u8], key: &str) -> Option<&'a [u8]> {
    let mut entries = text.split(|byte| char::from(*byte) == SEPARATOR);
    entries.find_map(|entry| entry.strip_prefix(key.as_bytes())?.strip_prefix(b"="))
}
