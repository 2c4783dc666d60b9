//! The OpenMP runtimes on which a test's program runs. Programs ask for libomp.so.5: Intel's and older ones get that name by a link.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{missing, products};

#[derive(Debug, Clone)]
pub struct Runtime {
    pub name: &'static str,
    /// Where it is called libomp.so.5; nothing: the system's.
    pub directory: Option<PathBuf>,
}

impl Runtime {
    /// Has the command's program run on it.
    pub fn serve<'c>(&self, command: &'c mut Command) -> &'c mut Command {
        match &self.directory {
            Some(directory) => command.env("LD_LIBRARY_PATH", directory),
            None => command,
        }
    }
}

pub fn system() -> Runtime {
    Runtime { name: "libomp", directory: None }
}

/// The system's, and Intel's where `OMPCHUNK_IOMP5` names its directory.
pub fn two() -> Vec<Runtime> {
    let intel = libiomp5().map(|folder| linked("libiomp5", &folder.join("libiomp5.so")));
    [system()].into_iter().chain(intel).collect()
}

/// Also the oldest one, for programs of the oldest compiler.
pub fn three() -> Vec<Runtime> {
    two().into_iter().chain(oldest()).collect()
}

/// LLVM 16's, where `OMPCHUNK_LIBOMP16` names its directory.
pub fn oldest() -> Option<Runtime> {
    Some(linked("libomp 16", &named("OMPCHUNK_LIBOMP16", "libomp.so.5")?.join("libomp.so.5")))
}

/// The directory of Intel's.
pub fn libiomp5() -> Option<PathBuf> {
    named("OMPCHUNK_IOMP5", "libiomp5.so")
}

/// The directory that a variable names, in which a library is.
fn named(variable: &str, library: &str) -> Option<PathBuf> {
    match std::env::var_os(variable).filter(|folder| !folder.is_empty()) {
        Some(folder) => {
            let folder = PathBuf::from(folder);
            let found = folder.canonicalize().unwrap_or_else(|error| panic!("{variable}: {error}"));
            assert!(found.join(library).exists(), "{variable}: no {library} in {}", folder.display());
            Some(found)
        }
        None if cfg!(target_arch = "x86_64") => {
            missing(&format!("{variable} names no directory with {library}: scripts/fetch-*.sh"));
            None
        }
        None => {
            eprintln!("left out: {library} of {variable}, which is there for x86-64 only");
            None
        }
    }
}

/// All tests that run at once share a link.
fn linked(name: &'static str, library: &Path) -> Runtime {
    let library = library.canonicalize().expect("a library");
    let directory = products::scratch().join("runtimes").join(name.replace(' ', "-"));
    let link = directory.join("libomp.so.5");
    if std::fs::read_link(&link).ok().as_ref() != Some(&library) {
        static NUMBER: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        std::fs::create_dir_all(&directory).expect("a directory for links");
        let new = directory.join(format!("new-{}-{number}", std::process::id()));
        std::os::unix::fs::symlink(&library, &new).expect("a link");
        std::fs::rename(new, link).expect("a link");
    }
    Runtime { name, directory: Some(directory) }
}
