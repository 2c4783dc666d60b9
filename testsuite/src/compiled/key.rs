//! All that a compilation depends on, as text: two compilations with the same text have the same product.
//!
//! It must never leave out what matters; what it has beyond that costs a compilation at most. No key is the answer wherever
//! something is not known for certain.

use std::collections::{BTreeMap, HashMap};
use std::ffi::{OsStr, OsString};
use std::fmt::Write;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;

use super::inputs;
use crate::child;

/// Variables that neither compiler nor linker nor plugin reads: the shell's, cargo's, and those of the tests. All others are part of the key.
const NOISE: [&str; 10] = ["_", "SHLVL", "PWD", "OLDPWD", "TMPDIR", "TERM", "COLUMNS", "LINES", "CI", "MAKELEVEL"];
const NOISE_PREFIXES: [&str; 6] = ["CARGO", "RUST", "INSTA_", "MAKE", "MFLAGS", "NEXTEST"];

/// Where the plugin writes more than the product.
const SIDE_FILE: &str = "OMPCHUNK_REPORT";

/// Databases of what is installed: headers, start files, linker and libraries of the system are what they were as long as the
/// database is.
const PACKAGES: [&str; 4] = [
    "/var/lib/dpkg/status",
    "/var/lib/rpm/rpmdb.sqlite",
    "/usr/lib/sysimage/rpm/rpmdb.sqlite",
    "/var/lib/pacman/local",
];
/// What is installed beside the packages.
const LOCAL: [&str; 2] = ["/usr/local/include", "/usr/local/lib"];

/// The key of `command` with its product at `to`, which it does not name yet.
pub fn of(command: &Command, to: &Path) -> Option<String> {
    text(command, &command.get_args().collect::<Vec<_>>(), to)
}

/// The same of the command that ends with `-o to`.
pub fn of_complete(command: &Command, to: &Path) -> Option<String> {
    let mut arguments: Vec<&OsStr> = command.get_args().collect();
    arguments.truncate(arguments.len().checked_sub(2)?);
    text(command, &arguments, to)
}

fn text(command: &Command, arguments: &[&OsStr], to: &Path) -> Option<String> {
    let directory = match command.get_current_dir() {
        Some(directory) => directory.to_owned(),
        None => std::env::current_dir().ok()?,
    };
    let mut text = format!("compiler {}\n", compiler(command.get_program())?);
    writeln!(text, "system {}\nin {directory:?}", system()?).ok()?;
    for (name, value) in environment(command)? {
        writeln!(text, "variable {name:?}={value:?}").ok()?;
    }
    let product = to.parent()?.to_str()?;
    for argument in arguments {
        let argument = argument.to_str()?;
        // A profile beside the product, or objects that the test has just made: who knows what is in there by now.
        if argument.contains(product) {
            return None;
        }
        writeln!(text, "argument {}", inputs::argument(argument, &directory)?).ok()?;
    }
    for (path, digest) in inputs::of(arguments, &directory)? {
        writeln!(text, "input {path:?} {digest}").ok()?;
    }
    Some(text)
}

/// What the child will see, without noise.
fn environment(command: &Command) -> Option<BTreeMap<OsString, OsString>> {
    let mut variables: BTreeMap<OsString, OsString> = std::env::vars_os().collect();
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => variables.insert(name.to_owned(), value.to_owned()),
            None => variables.remove(name),
        };
    }
    if variables.contains_key(OsStr::new(SIDE_FILE)) {
        return None;
    }
    variables.retain(|name, _| {
        let name = name.to_string_lossy();
        !NOISE.contains(&&*name) && !NOISE_PREFIXES.iter().any(|prefix| name.starts_with(prefix))
    });
    Some(variables)
}

/// Path, version and files of a compiler: it is asked once per process.
fn compiler(program: &OsStr) -> Option<String> {
    static KNOWN: Mutex<Option<HashMap<OsString, Option<String>>>> = Mutex::new(None);
    let mut known = KNOWN.lock().ok()?;
    let known = known.get_or_insert_default();
    let entry = known.entry(program.to_owned());
    entry.or_insert_with(|| identity(Path::new(program))).clone()
}

fn identity(program: &Path) -> Option<String> {
    if !program.is_absolute() {
        return None;
    }
    let version = child::finish(child::command(program).arg("--version")).ok()?;
    let file = program.canonicalize().ok()?;
    let mut text = format!("{program:?} {file:?} {:?} {}", version.stdout, stamp(&file)?);
    // LLVM itself, and the runtime that is linked, are libraries beside it.
    let mut libraries: Vec<PathBuf> = std::fs::read_dir(file.parent()?.parent()?.join("lib"))
        .ok()?
        .map(|entry| Some(entry.ok()?.path()))
        .collect::<Option<_>>()?;
    libraries.sort();
    for library in libraries {
        // A link that leads nowhere is nobody's.
        if let Some(stamp) = stamp(&library) {
            write!(text, " {library:?} {stamp}").ok()?;
        }
    }
    Some(inputs::digest(text.as_bytes()))
}

/// The packages of the system; none where nobody can say that they are the same as before.
fn system() -> Option<String> {
    let packages: Vec<String> = PACKAGES.iter().filter_map(|file| stamp(Path::new(file))).collect();
    let local = LOCAL.iter().filter_map(|file| stamp(Path::new(file)));
    (!packages.is_empty()).then(|| packages.iter().cloned().chain(local).collect::<Vec<_>>().join(" "))
}

/// Changes whenever a file is replaced or written to, or a folder's entries change.
fn stamp(path: &Path) -> Option<String> {
    let of = std::fs::metadata(path).ok()?;
    let (inode, size) = (of.ino(), of.size());
    Some(format!("{inode}:{size}:{}.{:09}", of.mtime(), of.mtime_nsec()))
}
