//! Programs in `PATH`.

use std::ffi::OsStr;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// Where the program is that a shell would run; `None` if there is none.
pub fn find(name: &OsStr) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    if name.as_bytes().contains(&b'/') {
        return Some(PathBuf::from(name)).filter(|path| is_executable(path));
    }
    std::env::split_paths(&path).map(|directory| directory.join(name)).find(|path| is_executable(path))
}

pub fn next(name: &OsStr, cause: &io::Error) -> String {
    let shown = name.to_string_lossy();
    let is_path = name.as_bytes().contains(&b'/');
    let path = Path::new(name);
    match cause.kind() {
        io::ErrorKind::NotFound if is_path && path.exists() => {
            format!(
                "`file {shown}` says what it needs: an interpreter (of a script, the one in its first line) that is not here"
            )
        }
        io::ErrorKind::NotFound if is_path => format!("check the path: there is no file {shown}"),
        io::ErrorKind::NotFound if path.is_file() => {
            format!("./{shown}: it is in this directory, and a name without a slash is looked for in PATH alone")
        }
        io::ErrorKind::NotFound => {
            format!("check the name: PATH has no program {shown}; one elsewhere needs its path, as ./{shown}")
        }
        io::ErrorKind::PermissionDenied if path.is_dir() => {
            format!("name a program: {shown} is a directory")
        }
        io::ErrorKind::PermissionDenied => format!(
            "chmod +x {shown}, if it is a program, and check that its directory is readable and not mounted noexec"
        ),
        _ => format!(
            "`file {shown}` says whether it is a program for this machine; a script begins with a line such as #!/bin/sh"
        ),
    }
}

fn is_executable(path: &Path) -> bool {
    path.metadata().is_ok_and(|of| of.is_file() && of.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_cause_has_a_next_step() {
        let of = |name: &str, kind: io::ErrorKind| next(name.as_ref(), &kind.into());
        let (missing, denied) = (io::ErrorKind::NotFound, io::ErrorKind::PermissionDenied);
        // Tests run in the crate's directory.
        assert!(of("Cargo.toml", missing).starts_with("./Cargo.toml: it is in this directory"));
        assert!(of("no-such-program", missing).contains("PATH has no program no-such-program"));
        assert!(of("./none", missing).contains("there is no file ./none"));
        assert!(of("./Cargo.toml", missing).contains("an interpreter"));
        assert!(of("/", denied).contains("is a directory"));
        assert!(of("./Cargo.toml", denied).contains("chmod +x ./Cargo.toml"));
        assert!(of("./Cargo.toml", io::ErrorKind::Other).contains("#!/bin/sh"));
    }

    #[test]
    fn finds_what_a_shell_finds() {
        assert!(find("sh".as_ref()).is_some_and(|path| path.is_absolute()));
        assert_eq!(find("/bin/sh".as_ref()), Some("/bin/sh".into()));
        assert_eq!(find("no-such-program".as_ref()), None);
        assert_eq!(find("/".as_ref()), None);
    }
}
