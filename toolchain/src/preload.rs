//! What the dynamic linker loads into a program before its libraries.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::process::Command;

/// Where the dynamic linker takes it from: a list with colons and blanks between.
pub(crate) const PRELOAD: &str = "LD_PRELOAD";
/// Where it looks for what has no path: a list with colons and semicolons between.
const PATHS: &str = "LD_LIBRARY_PATH";

/// Puts a library behind what is preloaded already, whose first place somebody wants: what it takes for itself is seen.
pub fn add(command: &mut Command, library: &Path) {
    let list = preloaded(own(command, PRELOAD), library.as_os_str());
    command.env(PRELOAD, list);
}

/// The same of a library that may have blanks in its path: then it is found by its name. False: there is no way.
pub fn add_anywhere(command: &mut Command, library: &Path) -> bool {
    if !has_separators(library) {
        add(command, library);
        return true;
    }
    let (Some(folder), Some(name)) = (library.parent(), library.file_name()) else { return false };
    if folder.as_os_str().as_bytes().iter().any(|byte| b":;".contains(byte)) || has_separators(Path::new(name)) {
        return false;
    }
    let paths = joined(own(command, PATHS).or_else(|| std::env::var_os(PATHS)), folder.as_os_str());
    command.env(PATHS, paths);
    add(command, Path::new(name));
    true
}

/// Of entries of the list.
pub(crate) fn has_separators(path: &Path) -> bool {
    path.as_os_str().as_bytes().iter().any(|byte| *byte == b':' || byte.is_ascii_whitespace())
}

/// What is preloaded with one library more.
pub(crate) fn preloaded(own: Option<OsString>, library: &OsStr) -> OsString {
    joined(own.or_else(|| std::env::var_os(PRELOAD)), library)
}

fn joined(list: Option<OsString>, entry: &OsStr) -> OsString {
    let mut list = list.unwrap_or_default();
    if !list.is_empty() {
        list.push(":");
    }
    list.push(entry);
    list
}

/// What the command's own environment says.
fn own(command: &Command, name: &str) -> Option<OsString> {
    let mut variables = command.get_envs();
    variables.find(|(known, _)| *known == name).and_then(|(_, value)| value.map(OsStr::to_owned))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blanks_need_a_name() {
        let mut command = Command::new("a");
        command.env(PRELOAD, "/u/own.so").env(PATHS, "/u");
        assert!(add_anywhere(&mut command, Path::new("/l/x.so")));
        assert!(add_anywhere(&mut command, Path::new("/my l/y.so")));
        assert!(
            !add_anywhere(&mut command, Path::new("/my:l/y.so")) && !add_anywhere(&mut command, Path::new("/l/y z"))
        );
        assert_eq!(own(&command, PRELOAD).unwrap(), "/u/own.so:/l/x.so:y.so");
        assert_eq!(own(&command, PATHS).unwrap(), "/u:/my l");
    }
}
