//! What the dynamic linker loads into a program before its libraries.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::process::Command;

use crate::needs;

/// Where the dynamic linker takes it from: a list with colons and blanks between.
pub(crate) const PRELOAD: &str = "LD_PRELOAD";
/// Where it looks for what has no path: a list with colons and semicolons between.
const PATHS: &str = "LD_LIBRARY_PATH";

/// Puts a library behind what is preloaded already, whose first place somebody wants: what it takes for itself is seen.
pub fn add(command: &mut Command, library: &Path) {
    append(command, PRELOAD, library.as_os_str());
}

/// The same of a library that is called in place of a runtime, so it stands before one that is preloaded. It may have blanks in its path: then
/// it is found by its name. False: there is no way.
pub fn add_before_runtimes(command: &mut Command, library: &Path) -> bool {
    if !has_separators(library) {
        insert(command, library.as_os_str());
        return true;
    }
    let (Some(folder), Some(name)) = (library.parent(), library.file_name()) else { return false };
    if folder.as_os_str().as_bytes().iter().any(|byte| b":;".contains(byte)) || has_separators(Path::new(name)) {
        return false;
    }
    append(command, PATHS, folder.as_os_str());
    insert(command, name);
    true
}

fn insert(command: &mut Command, entry: &OsStr) {
    let list = variable(command, PRELOAD).unwrap_or_default();
    let entries = list.as_bytes().split_inclusive(|byte| *byte == b':' || byte.is_ascii_whitespace());
    let is_runtime = |path: &[u8]| {
        needs::has_ompt(&String::from_utf8_lossy(path.rsplit(|byte| *byte == b'/').next().unwrap_or_default()))
    };
    let before: usize = entries.take_while(|path| !is_runtime(path)).map(<[u8]>::len).sum();
    if before == list.len() {
        return append(command, PRELOAD, entry);
    }
    let (first, rest) = list.as_bytes().split_at(before);
    command.env(PRELOAD, OsStr::from_bytes(&[first, entry.as_bytes(), b":", rest].concat()));
}

pub(crate) fn has_separators(path: &Path) -> bool {
    path.as_os_str().as_bytes().iter().any(|byte| *byte == b':' || byte.is_ascii_whitespace())
}

/// A variable of the environment that a command starts with: its own, or the one that it inherits.
pub fn variable(command: &Command, name: &str) -> Option<OsString> {
    let own = command.get_envs().find(|(known, _)| *known == name);
    own.and_then(|(_, value)| value.map(OsStr::to_owned)).or_else(|| std::env::var_os(name))
}

fn append(command: &mut Command, name: &str, entry: &OsStr) {
    let mut list = variable(command, name).unwrap_or_default();
    if !list.is_empty() {
        list.push(":");
    }
    list.push(entry);
    command.env(name, list);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blanks_need_a_name() {
        let mut command = Command::new("a");
        command.env(PRELOAD, "/u/own.so").env(PATHS, "/u");
        let mut add = |path| add_before_runtimes(&mut command, Path::new(path));
        assert!(add("/l/x.so") && add("/my l/y.so") && !add("/my:l/y.so") && !add("/l/y z"));
        assert_eq!(variable(&command, PRELOAD).unwrap(), "/u/own.so:/l/x.so:y.so");
        assert_eq!(variable(&command, PATHS).unwrap(), "/u:/my l");
        command.env(PRELOAD, "/u/own.so /r/libiomp5.so:x");
        assert!(add_before_runtimes(&mut command, Path::new("/l/x.so")));
        assert_eq!(variable(&command, PRELOAD).unwrap(), "/u/own.so /l/x.so:/r/libiomp5.so:x");
    }
}
