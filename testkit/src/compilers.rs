//! Compilers that are here, and the headers of OMPT for those that have none of their own: only one clang of a Debian machine has them.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use crate::products::dist;

/// Does a program of that name say its version?
pub fn is_here(program: impl AsRef<OsStr>) -> bool {
    let version = Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    version.is_ok_and(|status| status.success())
}

/// The majors that have a plugin and a compiler called `driver-MAJOR`, the newest first.
pub fn majors_of(driver: &str) -> Vec<u32> {
    let has_plugin = |major: &u32| dist().join(format!("lib/llvm-{major}/libompchunk.so")).is_file();
    (16..40).rev().filter(has_plugin).filter(|major| is_here(format!("{driver}-{major}"))).collect()
}

/// The same for clang: at least one.
pub fn majors() -> Vec<u32> {
    let majors = majors_of("clang");
    assert!(!majors.is_empty(), "no clang-MAJOR that there is a plugin for: make setup");
    majors
}

/// For what needs no plugin: `OMPCHUNK_TEST_CLANG`, else clang 22 or 19.
pub fn clang() -> &'static OsString {
    static CLANG: OnceLock<OsString> = OnceLock::new();
    CLANG.get_or_init(|| {
        let candidates = match std::env::var_os("OMPCHUNK_TEST_CLANG") {
            Some(named) => vec![named],
            None => vec!["clang-22".into(), "clang-19".into()],
        };
        let found = candidates.into_iter().find(|name| is_here(name));
        found.expect("no clang: install clang-22 and libomp-22-dev, or set OMPCHUNK_TEST_CLANG")
    })
}

/// A directory in `dir` with links to the `omp.h` and `omp-tools.h` of the newest LLVM that has them; without these if none has. The
/// whole directory that they come from would bring headers along that are for that clang alone.
pub fn omp_headers(dir: &Path) -> io::Result<PathBuf> {
    let links = dir.join("omp-headers");
    std::fs::create_dir_all(&links)?;
    let found = (16..=30)
        .rev()
        .map(|major| format!("/usr/lib/llvm-{major}/lib/clang/{major}/include"))
        .map(PathBuf::from)
        .find(|directory| directory.join("omp-tools.h").exists());
    for header in ["omp.h", "omp-tools.h"] {
        let link = found.as_ref().map(|directory| symlink(directory.join(header), links.join(header)));
        match link {
            Some(Err(error)) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
            _ => {}
        }
    }
    Ok(links)
}
