//! Finds the real tool: in the address space, then in `OMP_TOOL_LIBRARIES`, then the one that checks schedules, if wanted.
//! Never ourselves, another copy of this library, or the runtime, whose own weak `ompt_start_tool` would ask us again.

use core::ffi::{CStr, c_void};
use core::ptr;
use core::sync::atomic::{AtomicPtr, Ordering};
use std::ffi::CString;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt};
use std::path::{Path, PathBuf};

use ompchunk_abi::overrides::CHECK_TOOL;
use ompchunk_abi::run::CHECK;
use ompt::raw::StartToolFn;

use crate::images::object::{Library, Object, next_symbol, paths_after, symbol_in};
use crate::slot::{Function, from_word};
use crate::start::attach::{Attachment, CONNECT};
use crate::{start::environment, start::report};

const START_TOOL: &CStr = c"ompt_start_tool";
/// What only a runtime that compiled code calls defines: LLVM's, Intel's and AMD's.
const FORK_CALL: &CStr = c"__kmpc_fork_call";

// SAFETY: a function pointer of the C ABI.
unsafe impl Function for StartToolFn {}

/// Handle of the tool that was opened last and accepted, or null.
static TOOL: AtomicPtr<c_void> = AtomicPtr::new(ptr::null_mut());

pub(crate) struct Candidate {
    pub(crate) start: StartToolFn,
    pub(crate) path: String,
    pub(crate) place: &'static str,
}

/// One search: every library is asked at most once.
pub(crate) struct Search<'a> {
    shim: &'a Object,
    way: Attachment,
    seen: Vec<Object>,
    /// Held until the search is over: another might be loaded to the address of one that was closed, and pass for it.
    refused: Vec<Library>,
    /// A tool of the list was asked, and declined.
    declined: bool,
}

pub(crate) struct Outcome<T> {
    pub(crate) answer: Option<T>,
    /// Tools of `OMP_TOOL_LIBRARIES` were asked and declined. The runtime would ask them again.
    pub(crate) declined: bool,
}

impl<'a> Search<'a> {
    pub(crate) fn new(shim: &'a Object, way: Attachment) -> Self {
        Self { shim, way, seen: Vec::new(), refused: Vec::new(), declined: false }
    }

    /// Asks one candidate after the other until `ask` gives something.
    pub(crate) fn run<T>(mut self, mut ask: impl FnMut(&Candidate) -> Option<T>) -> Outcome<T> {
        let mut accepted = None;
        let mut ask = |candidate: &Candidate| {
            let answer = ask(candidate)?;
            accepted = Some(candidate.path.clone());
            Some(answer)
        };
        let answer = self
            .in_address_space(&mut ask)
            .or_else(|| self.in_tool_libraries(&mut ask))
            .or_else(|| self.for_check(&mut ask));
        if let Some(path) = accepted {
            say_if_check_is_not_alone(&path);
        }
        for library in self.refused {
            library.close();
        }
        Outcome { answer, declined: self.declined }
    }

    fn in_address_space<T>(&mut self, ask: &mut impl FnMut(&Candidate) -> Option<T>) -> Option<T> {
        const PLACE: &str = "in the address space";
        let next = next_symbol(START_TOOL);
        if next.is_null() {
            return None;
        }
        if let Some(answer) = self.judge(next, PLACE).and_then(|tool| ask(&tool)) {
            return Some(answer);
        }
        // The next one may have been the runtime's, which stands before the tool when the tool was linked last.
        paths_after(self.shim).iter().find_map(|path| {
            let symbol = symbol_in(path, START_TOOL)?;
            ask(&self.judge(symbol, PLACE)?)
        })
    }

    fn in_tool_libraries<T>(&mut self, ask: &mut impl FnMut(&Candidate) -> Option<T>) -> Option<T> {
        let entries = tool_libraries();
        // What got us by the list has asked the entries before us; else the runtime's own search of it is still to come.
        let by_list = self.way == Attachment::ToolLibraries;
        let ours = entries.iter().position(|entry| by_list && self.is_shim(entry));
        let first = ours.map_or(0, |ours| ours + 1);
        entries.iter().skip(first).find_map(|entry| {
            let name = entry.to_string_lossy();
            match Library::open(entry) {
                Ok(library) => self.in_library(library, &name, "in OMP_TOOL_LIBRARIES", ask),
                Err(cause) => {
                    report::complain(format_args!(
                        "cannot load {name} of OMP_TOOL_LIBRARIES: {cause}. Correct or remove that \
                         entry; the search goes on with the next"
                    ));
                    None
                }
            }
        })
    }

    fn for_check<T>(&mut self, ask: &mut impl FnMut(&Candidate) -> Option<T>) -> Option<T> {
        let path = check_tool(self.shim)?;
        let name = path.to_string_lossy();
        match Library::open(&path) {
            Ok(library) => self.in_library(library, &name, "beside this library", ask),
            Err(cause) => {
                report::complain(format_args!(
                    "{CHECK_TOOL}: cannot load {name}: {cause}. Nothing is checked; install ompchunk again, as a whole"
                ));
                None
            }
        }
    }

    fn in_library<T>(
        &mut self,
        library: Library,
        name: &str,
        place: &'static str,
        ask: &mut impl FnMut(&Candidate) -> Option<T>,
    ) -> Option<T> {
        let symbol = library.symbol(START_TOOL);
        let candidate = self.judge(symbol, place);
        let answer = candidate.as_ref().and_then(ask);
        match candidate {
            Some(_) => self.declined |= answer.is_none(),
            None => complain_if_no_tool(symbol, name, place),
        }
        match answer.is_some() {
            // Threads may still be in the tool when its runtime ends, so it stays until another begins.
            true => TOOL.store(library.handle, Ordering::Release),
            false => self.refused.push(library),
        }
        answer
    }

    /// Makes a candidate of a symbol, unless it is one that must not be asked.
    fn judge(&mut self, symbol: *mut c_void, place: &'static str) -> Option<Candidate> {
        let object = Object::at_address(symbol)?;
        let path = object.path();
        if self.seen.iter().any(|seen| seen.is(&object)) {
            return None;
        }
        self.seen.push(object.clone());
        if object.is(self.shim) {
            return None;
        }
        if object.defines(CONNECT) {
            report::explain(format_args!("{path} is another copy of this library: not asked"));
            return None;
        }
        if object.defines(FORK_CALL) {
            report::explain(format_args!("{path} is the OpenMP runtime itself: not asked"));
            return None;
        }
        // SAFETY: OMPT fixes the type of the function of this name.
        let start = unsafe { from_word::<StartToolFn>(symbol.cast()) }?;
        Some(Candidate { start, path, place })
    }

    fn is_shim(&self, entry: &CStr) -> bool {
        symbol_in(entry, CONNECT)
            .and_then(|symbol| Object::at_address(symbol))
            .is_some_and(|object| object.is(self.shim))
    }
}

/// A library without the entry point is a mistake of the user's, unless `Search::judge` has spoken.
fn complain_if_no_tool(symbol: *mut c_void, name: &str, place: &str) {
    let is_runtimes = Object::at_address(symbol).is_some_and(|object| object.defines(FORK_CALL));
    if symbol.is_null() || is_runtimes {
        report::complain(format_args!(
            "{name}, found {place}, is no OMPT tool: it does not export ompt_start_tool. Correct or \
             remove it; the search goes on with the next"
        ));
    }
}

/// Closes the tool that was opened for a runtime that is gone, as that would have done itself: what the tool knew of
/// it, addresses of its functions for example, is right no more. Where nothing else holds it, it starts anew.
pub(crate) fn close_tool() {
    let handle = TOOL.swap(ptr::null_mut(), Ordering::AcqRel);
    if !handle.is_null() {
        Library { handle }.close();
    }
}

fn tool_libraries() -> Vec<CString> {
    let list = environment::variable("OMP_TOOL_LIBRARIES").unwrap_or_default().into_vec();
    list.split(|byte| *byte == b':')
        .filter(|entry| !entry.is_empty())
        // An environment variable holds no NUL, so none is lost.
        .filter_map(|entry| CString::new(entry).ok())
        .collect()
}

// The tool that says where another schedule moved promised iterations ([`CHECK`]), below this library: in `tools/` as `make`
// puts it, or in `ompchunk/tools/` as installed.

/// Where the tool is, if it is wanted and there.
fn check_tool(shim: &Object) -> Option<CString> {
    if !is_check_wanted() {
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
            "{CHECK_TOOL}: there is neither {} nor {}, so nothing is checked. Install ompchunk as a whole, or name the tool in \
             OMP_TOOL_LIBRARIES",
            places[0].display(),
            places[1].display()
        ));
    }
    // A path holds no NUL, so none is lost.
    CString::new(found?.as_os_str().as_bytes()).ok()
}

/// A tool accepted, and the check is wanted: there can be only one.
fn say_if_check_is_not_alone(path: &str) {
    let is_the_check = Path::new(path).file_name().is_some_and(|name| name == &*file());
    if is_check_wanted() && !is_the_check {
        report::complain(format_args!(
            "{CHECK_TOOL}: the tool {path} gets the events, and the check needs to be alone, so nothing is checked. Run the \
             program without that tool"
        ));
    }
}

fn is_check_wanted() -> bool {
    environment::setting(CHECK).is_some_and(|value| value != "0")
}

fn file() -> String {
    format!("lib{CHECK_TOOL}.so")
}
