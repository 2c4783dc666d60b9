//! Where products are, and how they are run.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

pub fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("testkit/ stands in the repository").to_owned()
}

/// `dist/`, or what `OMPCHUNK_DIST` names.
pub fn dist() -> PathBuf {
    let dist = std::env::var_os("OMPCHUNK_DIST").map_or_else(|| repository().join("dist"), PathBuf::from);
    assert!(dist.join("lib/libompchunk_rt.so").is_file(), "{} has no products: run make first", dist.display());
    dist
}

pub fn product(name: &str) -> PathBuf {
    let path = dist().join(name);
    assert!(path.is_file(), "{} is missing: run make", path.display());
    path
}

/// The folder of cargo's in which tests may leave files.
pub fn scratch() -> PathBuf {
    let program = std::env::current_exe().expect("a test has a path");
    let folder = program.ancestors().nth(3).expect("target/<profile>/deps/<test>").join("tmp");
    std::fs::create_dir_all(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    folder
}

/// A command that inherits nothing that steers ompchunk, OpenMP, MPI, compilers or the dynamic linker.
pub fn clean(program: impl AsRef<OsStr>) -> Command {
    const STEER: [&str; 7] = ["OMP", "KMP_", "LD_", "CHUNK_", "SLURM_", "PMI", "OMPI_"];
    let mut command = Command::new(program);
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy();
        let steers = STEER.iter().any(|prefix| text.starts_with(prefix));
        if steers || ["CC", "CXX", "FC", "CFLAGS", "CXXFLAGS", "MAKEFLAGS"].contains(&&*text) {
            command.env_remove(name);
        }
    }
    // What is kept of the machine is not the user's.
    command.env("XDG_CACHE_HOME", scratch());
    command
}

/// What a process left behind, as text.
pub fn finish(command: &mut Command) -> (Option<i32>, String, String) {
    let Output { status, stdout, stderr } = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    (status.code(), text(stdout), text(stderr))
}

/// Runs to the end, which must be a success; gives standard output.
#[track_caller]
pub fn succeed(command: &mut Command) -> String {
    let (code, stdout, stderr) = finish(command);
    assert_eq!(code, Some(0), "{command:?}\n--- stdout\n{stdout}--- stderr\n{stderr}");
    stdout
}

/// Runs to the end, which must be a failure; gives the code and standard error.
#[track_caller]
pub fn fail(command: &mut Command) -> (i32, String) {
    let (code, stdout, stderr) = finish(command);
    let code = code.unwrap_or_else(|| panic!("{command:?} ended by a signal"));
    assert_ne!(code, 0, "{command:?} succeeded\n{stdout}{stderr}");
    (code, stderr)
}
