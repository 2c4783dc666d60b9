//! Which OpenMP runtime and which dynamic linker a program needs, and what the runtime is like, from their files.

use std::ffi::OsStr;
use std::fs::File;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use object::Endianness;
use object::elf::{DT_NEEDED, DT_RPATH, DT_RUNPATH, FileHeader64, SHT_DYNSYM};
use object::read::elf::{Dyn, FileHeader, ProgramHeader, SectionHeader, Sym};
use object::read::{ReadCache, StringTable};

/// Whether a library of this name is a runtime that asks for tools: LLVM's or Intel's, as wheels rename it too.
pub fn has_ompt(library: &str) -> bool {
    ["libomp.", "libomp-", "libomp5", "libiomp5"].iter().any(|name| library.starts_with(name))
}

pub fn is_libgomp(library: &str) -> bool {
    library.starts_with("libgomp.so") || library.starts_with("libgomp-")
}

/// Only builds with debugging paths trace their calls. `None` if the library cannot be read.
pub fn has_debug_paths(library: &Path) -> Option<bool> {
    holds(library, b"__kmpc_for_static_fini called T#")
}

/// Each error of libgomp begins like that, also in a program that it is a part of.
pub fn is_libgomp_inside(program: &Path) -> bool {
    holds(program, b"\nlibgomp: ").unwrap_or(false)
}

fn holds(file: &Path, text: &[u8]) -> Option<bool> {
    let bytes = std::fs::read(file).ok()?;
    Some(memchr::memmem::find(&bytes, text).is_some())
}

/// The dynamic linker that a program names, if it is glibc's: others may start the program where that one only answers.
pub fn interpreter(program: &Path) -> Option<PathBuf> {
    let data = ReadCache::new(File::open(program).ok()?);
    let header = FileHeader64::<Endianness>::parse(&data).ok()?;
    let endian = header.endian().ok()?;
    let segments = header.program_headers(endian, &data).ok()?;
    let path = segments.iter().find_map(|segment| segment.interpreter(endian, &data).ok().flatten())?;
    let path = PathBuf::from(OsStr::from_bytes(path));
    let name = path.file_name()?.as_bytes();
    (name.starts_with(b"ld-linux") || name.starts_with(b"ld64")).then_some(path)
}

/// The files that the dynamic linker loads with a program, itself first.
pub fn loaded(program: &Path) -> Vec<PathBuf> {
    let list = interpreter(program).and_then(|linker| listed(program, &linker)).unwrap_or_default();
    let paths = entries_of(&list).map(|(_, place)| place).filter(|place| place.contains('/'));
    std::iter::once(program.to_owned()).chain(paths.map(PathBuf::from)).collect()
}

pub(crate) fn listed(program: &Path, linker: &Path) -> Option<String> {
    let output = Command::new(linker).arg("--list").arg(program).stdin(Stdio::null()).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Names and places on such a list.
pub(crate) fn entries_of(list: &str) -> impl Iterator<Item = (&str, &str)> {
    list.lines().filter_map(|line| {
        let (line, _) = line.trim_start().rsplit_once(" (0x")?;
        Some(line.split_once(" => ").unwrap_or((line, line)))
    })
}

/// Where the dynamic linker may find the runtime, the likeliest first: paths, and a name. Nothing if none is clang's.
pub fn openmp(program: &Path) -> Vec<PathBuf> {
    let Some((names, folders)) = entries(program) else { return Vec::new() };
    let Some(name) = names.iter().find(|name| has_ompt(name)) else { return Vec::new() };
    let origin = program.parent().unwrap_or(Path::new(".")).display().to_string();
    let within = |folder: &str| {
        let folder = folder.replace("${ORIGIN}", &origin).replace("$ORIGIN", &origin);
        Path::new(&folder).join(name)
    };
    let folders = folders.iter().flat_map(|folder| folder.split(':'));
    let paths = folders.filter(|folder| !folder.is_empty()).map(within);
    let mut found: Vec<PathBuf> = paths.filter(|path| path.exists()).collect();
    found.push(PathBuf::from(name));
    found
}

/// The names of the libraries that a file needs. `None`: it does not tell.
pub fn libraries(file: &Path) -> Option<Vec<String>> {
    entries(file).map(|(names, _)| names)
}

/// What is wanted of the names that a file takes from others, or has for them.
pub fn symbols(file: &Path, is_undefined: bool, is_wanted: impl Fn(&str) -> bool) -> Vec<String> {
    let find = || {
        let data = ReadCache::new(File::open(file).ok()?);
        let header = FileHeader64::<Endianness>::parse(&data).ok()?;
        let endian = header.endian().ok()?;
        let sections = header.sections(endian, &data).ok()?;
        let symbols = sections.symbols(endian, &data, SHT_DYNSYM).ok()?;
        // All names at once: there are thousands, and each would be read by itself.
        let names = sections.section(symbols.string_section()).ok()?.data(endian, &data).ok()?;
        let names = StringTable::new(names, 0, names.len() as u64);
        let symbols = symbols.iter().filter(|symbol| symbol.is_undefined(endian) == is_undefined);
        let names = symbols.filter_map(|symbol| std::str::from_utf8(names.get(symbol.st_name(endian)).ok()?).ok());
        Some(names.filter(|name| is_wanted(name)).map(str::to_owned).collect())
    };
    find().unwrap_or_default()
}

/// Names of libraries, and lists of folders. Nothing else is read: a static clang has more than a hundred megabytes.
fn entries(program: &Path) -> Option<(Vec<String>, Vec<String>)> {
    let data = ReadCache::new(File::open(program).ok()?);
    let header = FileHeader64::<Endianness>::parse(&data).ok()?;
    let endian = header.endian().ok()?;
    let sections = header.sections(endian, &data).ok()?;
    let (entries, strings) = sections.dynamic(endian, &data).ok()??;
    let strings = sections.strings(endian, &data, strings).ok()?;
    let of = |tags: &[u32]| -> Vec<String> {
        let entries = entries.iter();
        let entries = entries.filter(|entry| entry.tag32(endian).is_some_and(|tag| tags.contains(&tag)));
        let texts = entries.filter_map(|entry| strings.get(entry.val32(endian)?).ok());
        texts.map(|texts| String::from_utf8_lossy(texts).into_owned()).collect()
    };
    Some((of(&[DT_NEEDED]), of(&[DT_RUNPATH, DT_RPATH])))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_tell() {
        let us = std::env::current_exe().expect("a path");
        assert!(entries(&us).is_some_and(|(names, _)| names.iter().any(|name| name.starts_with("libc."))));
        assert!(openmp(&us).is_empty());
        assert!(openmp("/nothing/here".as_ref()).is_empty());
        assert!(openmp("/".as_ref()).is_empty());
    }
}
