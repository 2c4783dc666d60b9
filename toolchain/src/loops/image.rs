//! Which sections of a file's objects hold loop records; where none does, what the objects call, and what to do.

use std::io::ErrorKind;
use std::path::Path;

use object::read::archive::ArchiveFile;
use object::{File, FileKind, Object, ObjectSection, ObjectSymbol};
use ompchunk_abi::{CONNECT_SYMBOL, LOOPS_SECTION, MODULE_SYMBOL, SCHEDULES_SYMBOL};

use super::record::{self, LoopSite};
use crate::failure::Failure;

#[derive(Debug, thiserror::Error)]
pub(crate) enum Cause {
    #[error(transparent)]
    Io(#[from] std::io::Error),
    #[error("neither an ELF file nor an archive of such")]
    NotElf,
    #[error("LLVM bitcode, as -flto makes it")]
    Bitcode,
    #[error("a thin archive: its objects are elsewhere")]
    ThinArchive,
    #[error("damaged: {0}")]
    Damaged(#[from] object::Error),
    #[error("damaged loop records: {0}")]
    Record(#[from] record::Error),
    #[error("{}", .0.what())]
    NoRecords(Calls),
}

impl Cause {
    pub(crate) fn of_file(self, path: &Path) -> Failure {
        Failure::new(format!("{}: {self}", path.display()), self.next())
    }

    fn next(&self) -> &'static str {
        match self {
            Cause::Io(cause) => match cause.kind() {
                ErrorKind::NotFound => "check the path: ompchunk loops takes a file, and looks for none in PATH",
                ErrorKind::IsADirectory => "name a file in it",
                _ => "check its permissions",
            },
            Cause::NotElf => "ompchunk loops PROGRAM, LIBRARY.so, OBJECT.o or ARCHIVE.a",
            Cause::Bitcode => "link, and list the loops of the program",
            Cause::ThinArchive => "list the loops of its objects, or of the program",
            Cause::Record(record::Error::Version(_)) => {
                "compile again with this ompchunk, or use the one that compiled it"
            }
            Cause::Damaged(_) | Cause::Record(_) => "link or copy the file again",
            Cause::NoRecords(calls) => calls.next(),
        }
    }
}

/// What is in a file, or in one object of an archive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Image {
    /// The object's name in the archive.
    pub member: Option<String>,
    /// Its loops, in the order of the file.
    pub loops: Vec<LoopSite>,
}

/// The loops of a file: at least one.
pub fn read(path: &Path) -> Result<Vec<Image>, Failure> {
    let bytes = std::fs::read(path).map_err(|error| Cause::Io(error).of_file(path))?;
    of_bytes(&bytes).map_err(|cause| cause.of_file(path))
}

/// The schedules that a program was linked with, if it was.
pub fn schedules_inside(path: &Path) -> Option<String> {
    let bytes = std::fs::read(path).ok()?;
    let file = File::parse(&*bytes).ok()?;
    let symbol = file.dynamic_symbols().find(|symbol| symbol.name_bytes() == Ok(SCHEDULES_SYMBOL.as_bytes()))?;
    let section = file.section_by_index(symbol.section_index()?).ok()?;
    let data = section.data_range(symbol.address(), symbol.size()).ok()??;
    let text = data.split(|byte| *byte == 0).next()?;
    Some(String::from_utf8_lossy(text).into_owned())
}

fn of_bytes(bytes: &[u8]) -> Result<Vec<Image>, Cause> {
    let mut calls = Calls::default();
    let mut images = Vec::new();
    for (member, bytes) in members(bytes)? {
        let file = File::parse(bytes)?;
        let mut loops = Vec::new();
        // An object has one section of the name per group.
        for section in file.sections().filter(|section| section.name_bytes() == Ok(LOOPS_SECTION.as_bytes())) {
            loops.extend(record::parse(section.data()?, file.endianness())?);
        }
        collect(&mut calls, &file);
        if !loops.is_empty() {
            images.push(Image { member, loops });
        }
    }
    if images.is_empty() {
        return Err(Cause::NoRecords(calls));
    }
    Ok(images)
}

/// An ELF file, and its name if it is in an archive.
type Member<'a> = (Option<String>, &'a [u8]);

/// The ELF files in a file: itself, or the members of an archive.
fn members(bytes: &[u8]) -> Result<Vec<Member<'_>>, Cause> {
    if bytes.starts_with(b"!<thin>\n") {
        return Err(Cause::ThinArchive);
    }
    match kind(bytes) {
        Some(FileKind::Elf64 | FileKind::Elf32) => Ok(vec![(None, bytes)]),
        Some(FileKind::Archive) => {
            let archive = ArchiveFile::parse(bytes)?;
            let mut found = Vec::new();
            let mut bitcode = false;
            for member in archive.members() {
                let member = member?;
                let data = member.data(bytes)?;
                bitcode |= is_bitcode(data);
                if matches!(kind(data), Some(FileKind::Elf64 | FileKind::Elf32)) {
                    let name = String::from_utf8_lossy(member.name()).into_owned();
                    found.push((Some(name), data));
                }
            }
            match (found.is_empty(), bitcode) {
                (false, _) => Ok(found),
                (true, true) => Err(Cause::Bitcode),
                (true, false) => Err(Cause::NotElf),
            }
        }
        _ if is_bitcode(bytes) => Err(Cause::Bitcode),
        _ => Err(Cause::NotElf),
    }
}

fn kind(bytes: &[u8]) -> Option<FileKind> {
    FileKind::parse(bytes).ok()
}

/// Bare, or in the wrapper that some targets use.
fn is_bitcode(bytes: &[u8]) -> bool {
    bytes.starts_with(b"BC\xc0\xde") || bytes.starts_with(b"\xde\xc0\x17\x0b")
}

/// What an object refers to survives `strip` where the dynamic linker needs it.
fn collect(calls: &mut Calls, file: &File<'_>) {
    for symbol in file.symbols().chain(file.dynamic_symbols()) {
        let Ok(name) = symbol.name_bytes() else { continue };
        // The shim defines the one, and only instrumented code refers to it; it defines the other itself.
        let wanted = if symbol.is_undefined() { CONNECT_SYMBOL } else { MODULE_SYMBOL };
        calls.instrumented |= name == wanted.as_bytes();
        // What the plugin's own record refers to is weak, where the program does not call it.
        if symbol.is_undefined() && !symbol.is_weak() {
            calls.add(name);
        }
    }
}

/// The runtime's functions that a file without loop records calls. Where these allow two causes, both are named.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Calls {
    /// Refers to the shim, as code does in which the plugin has found something.
    instrumented: bool,
    /// For a loop, certainly.
    loops: bool,
    /// For a loop or for `sections`, which are compiled alike.
    loops_or_sections: bool,
    /// Any other, of LLVM's runtime.
    others: bool,
    gcc: bool,
}

impl Calls {
    fn add(&mut self, name: &[u8]) {
        let is = |prefix: &str| name.starts_with(prefix.as_bytes());
        if is("__kmpc_dispatch_init_") || is("__kmpc_dist_for_static_init_") {
            self.loops = true;
        } else if is("__kmpc_for_static_init_") {
            self.loops_or_sections = true;
        } else if is("__kmpc_") {
            self.others = true;
        } else if is("GOMP_") {
            self.gcc = true;
        }
    }

    fn what(self) -> &'static str {
        match self {
            Calls { gcc: true, .. } => {
                "no loop of it is instrumented: GCC has compiled its OpenMP code, or a part of it"
            }
            Calls { loops: true, .. } => "it has worksharing loops, and none of them is instrumented",
            Calls { loops_or_sections: true, .. } => {
                "no loop of it is instrumented; whether it has any, or only sections, cannot be told, as both \
                 call the same function of the runtime"
            }
            Calls { others: true, .. } => "it has OpenMP code, but no worksharing loop",
            _ => "it calls no OpenMP runtime, as far as it has symbols that tell",
        }
    }

    fn next(self) -> &'static str {
        match self {
            Calls { gcc: true, .. } => "compile with ompchunk cc, c++ or fc, which take clang and flang",
            Calls { loops: false, loops_or_sections: false, .. } => {
                "a program's loops may be in its libraries: ompchunk loops with one of them"
            }
            // Code of other files may still lack it.
            Calls { instrumented: true, .. } => {
                "the plugin was there for a part of it at least: -Rpass-missed=ompchunk when compiling says why loops \
                 are left alone; where it says nothing of a loop, compile with ompchunk cc, c++ or fc"
            }
            _ => {
                "compile with ompchunk cc, c++ or fc; if it was, -Rpass-missed=ompchunk when compiling says why \
                 loops are left alone, and names sections"
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn says_what_it_was_given() {
        assert!(matches!(of_bytes(b"#!/bin/sh\n"), Err(Cause::NotElf)));
        assert!(matches!(of_bytes(b""), Err(Cause::NotElf)));
        assert!(matches!(of_bytes(b"BC\xc0\xde5"), Err(Cause::Bitcode)));
        assert!(matches!(of_bytes(b"!<arch>\n"), Err(Cause::NotElf)));
        assert!(matches!(of_bytes(b"!<thin>\n"), Err(Cause::ThinArchive)));
        assert!(of_bytes(b"\x7fELF\x02\x01\x01 and nothing more").is_err());
    }

    fn calls(instrumented: bool, names: &[&str]) -> Calls {
        let mut calls = Calls { instrumented, ..Calls::default() };
        names.iter().for_each(|name| calls.add(name.as_bytes()));
        calls
    }

    #[test]
    fn only_what_is_certain() {
        for (names, what) in [
            (&["__kmpc_fork_call", "__kmpc_dispatch_init_8u"][..], "has worksharing loops"),
            (&["__kmpc_dist_for_static_init_4"], "has worksharing loops"),
            (&["__kmpc_for_static_init_4", "__kmpc_fork_call"], "or only sections"),
            (&["__kmpc_omp_task"], "but no worksharing loop"),
            (&["GOMP_parallel", "__kmpc_fork_call"], "GCC has compiled"),
            (&["printf"], "calls no OpenMP runtime"),
            (&[], "calls no OpenMP runtime"),
        ] {
            for instrumented in [false, true] {
                let calls = calls(instrumented, names);
                assert!(calls.what().contains(what), "{names:?}: {}", calls.what());
                // Who used the plugin is not told to use it as if nothing had been.
                let missed = calls.next().contains("the plugin was there");
                let may_have_loops = calls.loops || calls.loops_or_sections;
                assert_eq!(missed, instrumented && may_have_loops && !calls.gcc);
            }
        }
    }
}
