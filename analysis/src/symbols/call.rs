//! Calls of the program, where they stand in the source.

use std::path::{Path, PathBuf};
use std::sync::{LazyLock, Mutex, PoisonError};

use ompchunk_trace_format::Part;

use super::names::outlined;
use super::object::Lines;

/// A call, as the source has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// The source file.
    pub file: String,
    /// Its line.
    pub line: u32,
    /// The function of the user's that it is in, as the linker knows it; `None`: not known.
    pub symbol: Option<String>,
}

/// The call that returns to `offset` in an object, counted from where the object begins in the memory of the part's process. `None`: the
/// object has no lines, or was written since the recording began.
#[must_use]
pub fn call(part: &Part, object: &Path, offset: u64) -> Option<Call> {
    let meta = part.meta();
    look_up(Path::new(&meta.directory).join(object), offset, meta.started)
}

/// The same in a file that is there, of no recording.
#[must_use]
pub fn call_in(file: &Path, offset: u64) -> Option<Call> {
    look_up(file.to_owned(), offset, u64::MAX)
}

fn look_up(path: PathBuf, offset: u64, started: u64) -> Option<Call> {
    // Parts are many, and objects few.
    static LINES: LazyLock<Mutex<Lines>> = LazyLock::new(Mutex::default);
    let mut lines = LINES.lock().unwrap_or_else(PoisonError::into_inner);
    let (file, line) = lines.before(path.clone(), offset, started)?;
    let symbol = lines.function(path, offset, started);
    let of_user = |symbol: String| match outlined(&symbol) {
        Some(outlined) => outlined.of.map(str::to_owned),
        None => Some(symbol),
    };
    Some(Call { file, line, symbol: symbol.and_then(of_user) })
}
