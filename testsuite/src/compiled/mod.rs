//! Compilations that several files of tests share: what one has compiled, a later one takes over.
//!
//! `schedules`, `coverage` and `run` compile many of the same programs with the same compiler and flags. What was compiled is
//! kept below `target/tmp/compiled/` under a key of all that it depends on (`key`), and taken from there only if the key
//! is the same and the file whole (`store`). What cannot be kept with certainty is compiled, as if this were not there:
//!
//! - a compilation that fails, that leaves another file behind, or whose inputs change while it runs;
//! - one whose inputs are not all known (`inputs`), or that names the folder of its product.
//!
//! `OMPCHUNK_COMPILE=anew` compiles all. `OMPCHUNK_COMPILE_LOG=file` gets a line per compilation: what was done, the key, the command.

mod inputs;
mod key;
mod store;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::process::Command;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::Result;

use crate::child::{self, Finished};
use store::Product;
pub use store::Store;

const ANEW: &str = "OMPCHUNK_COMPILE";
const LOG: &str = "OMPCHUNK_COMPILE_LOG";

/// How many were taken over, kept, and neither.
static COUNTS: [AtomicUsize; 3] = [const { AtomicUsize::new(0) }; 3];

/// What became of a compilation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Done {
    /// Another one's product was taken over.
    Taken,
    /// It was compiled, and kept for others.
    Kept,
    /// It was compiled.
    Alone,
}

/// Compiles to `to`, which `command` does not name yet, or takes over what was compiled so; whatever the end is.
pub fn finish(command: &mut Command, to: &Path) -> Result<Finished> {
    match standard() {
        Some(store) => Ok(store.compile(command, to)?.0),
        None => child::finish(command.arg("-o").arg(to)),
    }
}

/// The same, which must be a success.
pub fn succeed(command: &mut Command, to: &Path) -> Result<Finished> {
    let finished = finish(command, to)?;
    child::successful(command, finished)
}

/// How many compilations of this process were taken over, kept for others, and neither.
pub fn counts() -> [usize; 3] {
    [0, 1, 2].map(|at| COUNTS[at].load(Ordering::Relaxed))
}

/// The store of this tree, unless all shall be compiled.
fn standard() -> Option<&'static Store> {
    static STORE: OnceLock<Option<Store>> = OnceLock::new();
    let open = || match std::env::var_os(ANEW) {
        Some(how) if how == "anew" => None,
        _ => Some(Store::standard()),
    };
    STORE.get_or_init(open).as_ref()
}

impl Store {
    /// Compiles or takes over; what became of it.
    pub fn compile(&self, command: &mut Command, to: &Path) -> Result<(Finished, Done)> {
        let key = key::of(command, to);
        let product = key.as_ref().and_then(|key| self.take(key));
        if let Some(finished) = product.and_then(|product| product.put(to).ok()) {
            command.arg("-o").arg(to);
            return Ok(noted(Done::Taken, key, command, finished));
        }
        let beside = names_beside(to);
        let finished = child::finish(command.arg("-o").arg(to))?;
        let kept = key.as_ref().is_some_and(|key| {
            finished.status.success()
                && names_beside(to) == beside
                && key::of_complete(command, to).as_ref() == Some(key)
                // A full disk, or a folder of somebody else's: then the test goes on without.
                && Product::read(&finished, to)
                    .and_then(|product| self.keep(key, &product))
                    .is_ok()
        });
        let done = if kept { Done::Kept } else { Done::Alone };
        Ok(noted(done, key, command, finished))
    }
}

/// All other files in the folder of `to`.
fn names_beside(to: &Path) -> Option<BTreeSet<OsString>> {
    let entries = std::fs::read_dir(to.parent()?).ok()?;
    let names = entries.filter_map(|entry| Some(entry.ok()?.file_name()));
    Some(names.filter(|name| Some(&**name) != to.file_name()).collect())
}

fn noted(done: Done, key: Option<String>, command: &Command, end: Finished) -> (Finished, Done) {
    COUNTS[done as usize].fetch_add(1, Ordering::Relaxed);
    if let Some(path) = std::env::var_os(LOG) {
        let key = key.map_or("-".to_owned(), |key| store::name(&key));
        let line = format!("{done:?} {key} {command:?}\n");
        let log = File::options().append(true).create(true).open(path);
        // One write per line: several processes append to it.
        let written = log.and_then(|mut log| log.write_all(line.as_bytes()));
        written.expect("the log of compilations can be written");
    }
    (end, done)
}
