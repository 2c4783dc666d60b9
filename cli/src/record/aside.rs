//! The trace of the run before, kept beside the new one: `app.ompchunk` becomes `app.ompchunk.1`, the next time
//! `app.ompchunk.2`, and so on. The highest number is the last run before. Nothing that is there is replaced.

use std::ffi::OsStr;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// Moves a directory, which the caller owns, to the next name; gives that. `None`: it is gone.
pub(super) fn move_aside(directory: &Path) -> io::Result<Option<PathBuf>> {
    for number in highest(directory)? + 1.. {
        let mut name = directory.as_os_str().to_owned();
        name.push(format!(".{number}"));
        let target = PathBuf::from(name);
        // One of several that come at the same time gets the name. A directory may take an empty one's place.
        match std::fs::create_dir(&target) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
            created => created?,
        }
        match std::fs::rename(directory, &target) {
            Ok(()) => return Ok(Some(target)),
            Err(error) if error.kind() == io::ErrorKind::DirectoryNotEmpty => {}
            Err(error) => {
                // It is empty, or somebody else's by now and stays.
                let _ = std::fs::remove_dir(&target);
                return match error.kind() {
                    io::ErrorKind::NotFound => Ok(None),
                    _ => Err(error),
                };
            }
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

/// The highest number that follows the name, whatever has it.
fn highest(directory: &Path) -> io::Result<u32> {
    let parent = match directory.parent() {
        Some(parent) if parent != Path::new("") => parent,
        _ => Path::new("."),
    };
    let name = directory.file_name().unwrap_or_default();
    let mut highest = 0;
    for entry in std::fs::read_dir(parent)? {
        highest = highest.max(number_after(name, &entry?.file_name()).unwrap_or(0));
    }
    Ok(highest)
}

fn number_after(name: &OsStr, of: &OsStr) -> Option<u32> {
    let digits = of.as_bytes().strip_prefix(name.as_bytes())?;
    let digits = std::str::from_utf8(digits.strip_prefix(b".")?).ok()?;
    let is_number = digits.bytes().all(|byte| byte.is_ascii_digit());
    // The very largest is not counted on from.
    digits.parse().ok().filter(|number| is_number && *number < u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_are_there_are_left() {
        let at = tempfile::tempdir().unwrap();
        let path = |name: &str| at.path().join(name);
        let is_moved_to = |name: &str| {
            std::fs::create_dir(path("a")).unwrap();
            std::fs::write(path("a").join("x"), name).unwrap();
            let moved = move_aside(&path("a")).unwrap();
            assert_eq!(moved, Some(path(name)));
            assert_eq!(std::fs::read_to_string(path(name).join("x")).unwrap(), name);
            assert!(!path("a").exists());
        };
        is_moved_to("a.1");
        is_moved_to("a.2");
        std::fs::remove_dir_all(path("a.1")).unwrap();
        is_moved_to("a.3");
        for name in ["a.x", "a.+9", "a.99999999999", "b.7", "a.4294967295"] {
            std::fs::create_dir(path(name)).unwrap();
        }
        std::fs::write(path("a.5"), "a file").unwrap();
        is_moved_to("a.6");
        assert_eq!(std::fs::read_to_string(path("a.5")).unwrap(), "a file");
        assert_eq!(move_aside(&path("a")).unwrap(), None);
        assert!(!path("a.7").exists());
    }
}
