//! OMPT's header for compilers that have none of their own: only one clang of a Debian machine has it.

use std::io;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

/// A directory in `dir` with links to the `omp.h` and `omp-tools.h` of the newest LLVM that has them; without these if none has. The
/// whole directory that they come from would bring headers along that are for that clang alone.
pub fn linked(dir: &Path) -> io::Result<PathBuf> {
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
