//! Programs in `PATH`.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// Where the program is that a shell would run; `None` if there is none.
pub fn find(name: &OsStr) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    if name.as_bytes().contains(&b'/') {
        return Some(PathBuf::from(name)).filter(|path| is_executable(path));
    }
    std::env::split_paths(&path)
        .map(|directory| directory.join(name))
        .find(|path| is_executable(path))
}

fn is_executable(path: &Path) -> bool {
    path.metadata()
        .is_ok_and(|of| of.is_file() && of.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_what_a_shell_finds() {
        assert!(find("sh".as_ref()).is_some_and(|path| path.is_absolute()));
        assert_eq!(find("/bin/sh".as_ref()), Some("/bin/sh".into()));
        assert_eq!(find("no-such-program".as_ref()), None);
        assert_eq!(find("/".as_ref()), None);
    }
}
