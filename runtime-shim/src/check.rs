//! The tool that says where another schedule moved iterations which loops promise to the same thread: `OMPCHUNK_SCHEDULE_CHECK`.
//!
//! One of the tools that come with ompchunk, below this library: `tools/` where `make` puts it, `ompchunk/tools/` where it is
//! installed.

use std::ffi::CString;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use ompchunk_schedules::{CHECK_TOOL, CHECK_VARIABLE};

use crate::object::Object;
use crate::{environment, report};

/// Where the tool is, if it is wanted and there.
pub(crate) fn wanted(shim: &Object) -> Option<CString> {
    if !environment::is_on(CHECK_VARIABLE) {
        return None;
    }
    let path = PathBuf::from(shim.path());
    // A link to it may stand anywhere.
    let library = path.canonicalize().unwrap_or(path);
    let directory = library.parent().unwrap_or(Path::new("."));
    let places = ["tools", "ompchunk/tools"].map(|below| directory.join(below).join(file()));
    let found = places.iter().find(|path| path.is_file());
    if found.is_none() {
        report::complain(format_args!(
            "{CHECK_VARIABLE}: there is neither {} nor {}, so nothing is checked. Install ompchunk as a whole, or name the tool in \
             OMP_TOOL_LIBRARIES",
            places[0].display(),
            places[1].display()
        ));
    }
    // A path holds no NUL, so none is lost.
    CString::new(found?.as_os_str().as_bytes()).ok()
}

/// The tool is there, and cannot be loaded.
pub(crate) fn say_unloadable(path: &str, cause: &str) {
    report::complain(format_args!(
        "{CHECK_VARIABLE}: cannot load {path}: {cause}. Nothing is checked; install ompchunk again, as a whole"
    ));
}

/// A tool accepted, and the check is wanted: there can be only one.
pub(crate) fn say_if_not_alone(path: &str) {
    let is_the_check = Path::new(path).file_name().is_some_and(|name| name == &*file());
    if environment::is_on(CHECK_VARIABLE) && !is_the_check {
        report::complain(format_args!(
            "{CHECK_VARIABLE}: the tool {path} gets the events, and the check needs to be alone, so nothing is checked. Run the \
             program without that tool"
        ));
    }
}

fn file() -> String {
    format!("lib{CHECK_TOOL}.so")
}
