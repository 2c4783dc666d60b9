//! `ompchunk cc --schedules FILE`: the schedules, and the shim that obeys them, become part of the program that is linked, so that it
//! needs no variable and nothing preloaded.

use std::ffi::OsString;
use std::io::Write;
use std::os::fd::{IntoRawFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use object::write::{Object, Symbol, SymbolSection};
use object::{Architecture, BinaryFormat, Endianness, SectionKind, SymbolFlags, SymbolKind, SymbolScope};
use ompchunk_abi::{CONNECT_SYMBOL, SCHEDULES_SYMBOL};
use ompchunk_toolchain::installation::Installation;
use ompchunk_toolchain::schedule;

/// The word, which comes before the compiler's arguments.
const OPTION: &str = "--schedules";
/// With one of these nothing is linked, or no program.
const NO_PROGRAM: [&str; 9] = ["-c", "-S", "-E", "-M", "-MM", "-fsyntax-only", "-shared", "-r", "-emit-llvm"];

/// The file that the arguments begin with, if they do, and the compiler's.
pub fn take(arguments: &[OsString]) -> (Option<PathBuf>, &[OsString]) {
    let Some(first) = arguments.first().and_then(|first| first.to_str()) else {
        return (None, arguments);
    };
    match (first.strip_prefix(OPTION).map(|rest| rest.strip_prefix('=')), &arguments[1..]) {
        (Some(Some(file)), rest) => (Some(file.into()), rest),
        (Some(None), [file, rest @ ..]) if first == OPTION => (Some(file.into()), rest),
        _ => (None, arguments),
    }
}

/// Adds both to a compiler's command that links a program.
pub fn add(command: &mut Command, path: &Path, arguments: &[OsString], installation: &Installation) -> Result<()> {
    let text = schedule::read(path)?;
    let links = !arguments.iter().any(|argument| NO_PROGRAM.iter().any(|word| argument == word));
    if !links || arguments.is_empty() {
        return Ok(());
    }
    let object = held(&object(&text)?).context("no memory for the schedules")?;
    // The compiler and its linker find it there; what becomes of it is over with them.
    command.arg("-Xlinker").arg(format!("/proc/self/fd/{}", object.into_raw_fd()));
    command.arg(format!("-Wl,-u,{CONNECT_SYMBOL}"));
    for symbol in [CONNECT_SYMBOL, SCHEDULES_SYMBOL, "ompt_start_tool"] {
        command.arg(format!("-Wl,--export-dynamic-symbol={symbol}"));
    }
    command.arg(installation.shim_archive()?).args(["-lpthread", "-ldl", "-lm"]);
    Ok(())
}

/// The object file of the text, which a zero ends.
fn object(text: &str) -> Result<Vec<u8>> {
    let processor = match std::env::consts::ARCH {
        "aarch64" => Architecture::Aarch64,
        "powerpc64" => Architecture::PowerPc64,
        _ => Architecture::X86_64,
    };
    let mut object = Object::new(BinaryFormat::Elf, processor, Endianness::Little);
    let section = object.add_section(Vec::new(), b".rodata.ompchunk".to_vec(), SectionKind::ReadOnlyData);
    let offset = object.append_section_data(section, &[text.as_bytes(), b"\0"].concat(), 1);
    object.add_symbol(Symbol {
        name: SCHEDULES_SYMBOL.into(),
        value: offset,
        size: text.len() as u64 + 1,
        kind: SymbolKind::Data,
        scope: SymbolScope::Dynamic,
        weak: false,
        section: SymbolSection::Section(section),
        flags: SymbolFlags::None,
    });
    // Without it linkers take it for code that wants a stack to run on.
    object.add_section(Vec::new(), b".note.GNU-stack".to_vec(), SectionKind::Other);
    Ok(object.write()?)
}

/// A file without a name, which programs that take our place inherit.
fn held(bytes: &[u8]) -> std::io::Result<OwnedFd> {
    let memory = rustix::fs::memfd_create("ompchunk", rustix::fs::MemfdFlags::empty())?;
    let mut file = std::fs::File::from(memory);
    file.write_all(bytes)?;
    Ok(file.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_word_comes_first() {
        let words = |text: &str| text.split(' ').map(OsString::from).collect::<Vec<_>>();
        for (given, file, rest) in [
            ("--schedules s.txt a.c -o a", Some("s.txt"), 3),
            ("--schedules=s.txt a.c", Some("s.txt"), 1),
            ("a.c --schedules s.txt", None, 3),
            ("--schedules", None, 1),
            ("--schedulesx s a.c", None, 3),
        ] {
            let given = words(given);
            let (found, left) = take(&given);
            assert_eq!((found, left.len()), (file.map(PathBuf::from), rest), "{given:?}");
        }
    }
}
