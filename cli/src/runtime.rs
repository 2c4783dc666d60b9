//! Which OpenMP runtime a program gets: one that GCC built for libgomp gets a runtime that has the tools interface.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;
use ompchunk_toolchain::installation::Installation;
use ompchunk_toolchain::libgomp::{self, Served, Wish};
use ompchunk_toolchain::{preload, program};
use ompchunk_trace_format::{environment, shown};

use crate::{output, record};

/// Attaches it to a program that somebody listens to, and says so; gives why there will be nothing to listen to.
pub fn attach(command: &mut Command, wish: Option<&Wish>, installation: &Installation) -> Result<Option<String>> {
    match serving(command.get_program(), wish, installation)? {
        Served::AsLinked => {}
        Served::Other(runtime) => preload::add(command, &runtime),
        Served::Instead(runtime, module) => {
            libgomp::attach(command, &runtime);
            // Who names a runtime knows.
            if wish.is_none() {
                let moved = moved(command.get_program(), &runtime, module.as_deref());
                notice_once(&format!("{moved} (--runtime as-linked keeps libgomp)"));
            }
            let unread = libgomp::unread();
            if !unread.is_empty() {
                notice_once(&format!(
                    "{}: only libgomp reads that; OMP_WAIT_POLICY and KMP_BLOCKTIME say how long libomp's threads spin",
                    unread.join(", ")
                ));
            }
        }
        // Another runtime may be recorded in the same process.
        Served::Libgomp(unable, Some(module)) => notice_once(&format!(
            "what Python loads with libgomp ({}) is not recorded: {unable}; --runtime libomp tries it all the same",
            shown(&module)
        )),
        Served::Libgomp(unable, None) => {
            let name = shown(Path::new(command.get_program()));
            return Ok(Some(format!("{name} keeps libgomp, which has no tools interface (OMPT): {unable}")));
        }
    }
    Ok(None)
}

pub fn say_unchanged(command: &Command, installation: &Installation) {
    if let Ok(Served::Instead(_, None) | Served::Libgomp(_, None)) = serving(command.get_program(), None, installation)
    {
        notice_once(
            "GCC computes static loops' bounds in the program itself, and what it calls to deal others tells of no loop: no loop \
             that GCC compiled runs under another schedule (ompchunk cc compiles loops that can)",
        );
    }
}

pub fn instead(name: &OsStr, installation: &Installation) -> Option<PathBuf> {
    let Ok(Served::Instead(runtime, module)) = serving(name, None, installation) else { return None };
    notice_once(&moved(name, &runtime, module.as_deref()));
    Some(runtime)
}

fn moved(name: &OsStr, runtime: &Path, module: Option<&Path>) -> String {
    let (name, runtime) = (shown(Path::new(name)), runtime.display());
    let spin = libgomp::spin().map_or_else(String::new, |spin| format!(", with {spin} as threads wait on libgomp"));
    match module.map(shown) {
        None => format!("{name} was built for libgomp; it runs on {runtime} here{spin}"),
        Some(module) => {
            format!("modules of {name} were built for libgomp ({module}); they run on {runtime} here{spin}")
        }
    }
}

/// The first of several ranks says it.
pub fn notice_once(text: &str) {
    if environment::rank().is_none_or(|rank| rank.rank == 0) {
        output::notice(&text);
    }
}

/// Nothing is loaded into a program with other rights, and one that has a tool shall not get a runtime that asks for it.
fn serving(name: &OsStr, wish: Option<&Wish>, installation: &Installation) -> Result<Served> {
    let is_refused = program::find(name).is_some_and(|path| record::why_refused(&path, "").is_some());
    if is_refused { Ok(Served::AsLinked) } else { Ok(libgomp::serving(name, wish, &installation.majors())?) }
}
