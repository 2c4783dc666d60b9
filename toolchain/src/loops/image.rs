//! Files: which sections of which objects in them hold loop records, and where none does, what the objects call; and why no loops can be read,
//! with what to do about it.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use object::read::archive::ArchiveFile;
use object::{File, FileKind, Object, ObjectSection, ObjectSymbol};
use ompchunk_abi::{CONNECT_SYMBOL, LOOPS_SECTION, MODULE_SYMBOL, SCHEDULES_SYMBOL};

use super::calls::Calls;
use super::record::{self, LoopSite};

/// No loops can be read from a file.
#[derive(Debug, thiserror::Error)]
#[error("{}: {cause}", .path.display())]
pub struct Error {
    path: PathBuf,
    cause: Cause,
}

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

impl Error {
    pub(crate) fn new(path: &Path, cause: impl Into<Cause>) -> Error {
        Error { path: path.to_owned(), cause: cause.into() }
    }

    pub fn next(&self) -> String {
        let text = match &self.cause {
            Cause::Io(cause) => match cause.kind() {
                ErrorKind::NotFound => "check the path: ompchunk loops takes a file, and looks for none in PATH",
                ErrorKind::IsADirectory => "name a file in it",
                _ => "check its permissions",
            },
            Cause::Damaged(_) => "link or copy the file again",
            Cause::NotElf => "ompchunk loops PROGRAM, LIBRARY.so, OBJECT.o or ARCHIVE.a",
            Cause::Bitcode => "link, and list the loops of the program",
            Cause::ThinArchive => "list the loops of its objects, or of the program",
            Cause::Record(record::Error::Version(_)) => {
                "compile again with this ompchunk, or use the one that compiled it"
            }
            Cause::Record(_) => "link or copy the file again",
            Cause::NoRecords(calls) => calls.next(),
        };
        text.to_owned()
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
pub fn read(path: &Path) -> Result<Vec<Image>, Error> {
    let bytes = std::fs::read(path).map_err(|error| Error::new(path, error))?;
    of_bytes(&bytes).map_err(|cause| Error::new(path, cause))
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
        let loops = loops(&file)?;
        see(&mut calls, &file);
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

/// Loops of all sections of the name: an object has one per group.
fn loops(file: &File<'_>) -> Result<Vec<LoopSite>, Cause> {
    let mut loops = Vec::new();
    for section in file.sections() {
        if section.name_bytes() == Ok(LOOPS_SECTION.as_bytes()) {
            loops.extend(record::parse(section.data()?, file.endianness())?);
        }
    }
    Ok(loops)
}

/// What an object refers to survives `strip` where the dynamic linker needs it.
fn see(calls: &mut Calls, file: &File<'_>) {
    for symbol in file.symbols().chain(file.dynamic_symbols()) {
        let Ok(name) = symbol.name_bytes() else {
            continue;
        };
        // The shim defines the one, and only instrumented code refers to it; it defines the other itself.
        let instrumented = match symbol.is_undefined() {
            true => name == CONNECT_SYMBOL.as_bytes(),
            false => name == MODULE_SYMBOL.as_bytes(),
        };
        calls.instrumented |= instrumented;
        // What the plugin's own record refers to is weak, where the program does not call it.
        if symbol.is_undefined() && !symbol.is_weak() {
            calls.see(name);
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
}
