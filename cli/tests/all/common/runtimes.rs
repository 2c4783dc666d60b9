//! The runtimes on which a test's program runs.

use std::path::Path;
use std::process::Command;

use tempfile::TempDir;

/// A runtime.
pub struct Runtime {
    pub name: &'static str,
    /// Where it is called libomp.so.5; nothing: the system's.
    links: Option<TempDir>,
}

impl Runtime {
    /// Has the command's program run on it.
    pub fn serve<'c>(&self, command: &'c mut Command) -> &'c mut Command {
        match &self.links {
            Some(links) => command.env("LD_LIBRARY_PATH", links.path()),
            None => command,
        }
    }
}

/// The system's, and Intel's.
pub fn two() -> Vec<Runtime> {
    with(&[INTEL])
}

/// Also the oldest one, for programs of the oldest compiler.
pub fn three() -> Vec<Runtime> {
    with(&[INTEL, OLDEST])
}

/// The name, and where the library is: in the folder that a variable names.
type Other = (&'static str, &'static str, &'static str);
const INTEL: Other = ("libiomp5", "OMPCHUNK_IOMP5", "libiomp5.so");
const OLDEST: Other = ("libomp 16", "OMPCHUNK_LIBOMP16", "libomp.so.5");

fn with(others: &[Other]) -> Vec<Runtime> {
    let system = Runtime { name: "libomp", links: None };
    let mut runtimes = vec![system];
    for (name, variable, library) in others {
        let Some(folder) = std::env::var_os(variable) else {
            let why = format!("skipped in part: {variable} names no directory with {library}");
            // These are there for x86-64 only.
            let wanted = std::env::var_os("CI").is_some() && cfg!(target_arch = "x86_64");
            assert!(!wanted, "{why}");
            eprintln!("{why}");
            continue;
        };
        let links = tempfile::tempdir().unwrap();
        let library = Path::new(&folder).join(library).canonicalize().unwrap();
        std::os::unix::fs::symlink(library, links.path().join("libomp.so.5")).unwrap();
        runtimes.push(Runtime { name, links: Some(links) });
    }
    runtimes
}
