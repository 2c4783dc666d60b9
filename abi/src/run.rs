//! What `ompchunk` tells the libraries in a program that it starts: entries `key=value` in one variable.

pub const VARIABLE: &str = "OMPCHUNK_RUN";

/// Between entries, because paths and names have none.
pub const SEPARATOR: char = '\u{1e}';

/// Where the shim writes at a program's end what it decided of loops under `balanced` and `adaptive`: the path of a JSON file, or `-`
/// for a table on standard error.
pub const DECISIONS: &str = "decisions";

/// The loops that the preloaded library may have changed which were compiled without the plugin, a line for each as
/// [`crate::stock::Named`] has it.
pub const STOCK: &str = "stock";

/// What standard error is, so that libraries that the program loads late know it again.
pub const STDERR: &str = "stderr";

/// Anything but nothing and 0 has the shim attach the tool which says where iterations moved that loops promise to the same thread.
pub const CHECK: &str = "check";

/// The value of a key, in the variable's text.
pub fn told<'a>(text: &'a [u8], key: &str) -> Option<&'a [u8]> {
    let mut entries = text.split(|byte| char::from(*byte) == SEPARATOR);
    entries.find_map(|entry| entry.strip_prefix(key.as_bytes())?.strip_prefix(b"="))
}
