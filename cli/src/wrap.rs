//! `ompchunk cc`, `c++` and `fc`: the compiler with one flag before the user's arguments, of which only the first is looked at. With
//! `--schedules FILE`, the schedules and the shim that obeys them become part of the program that is linked.

use std::ffi::{OsStr, OsString};
use std::io::Write;
use std::os::fd::{IntoRawFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context, Result};
use object::write::{Object, Symbol, SymbolSection};
use object::{Architecture, BinaryFormat, Endianness, SectionKind, SymbolFlags, SymbolKind, SymbolScope};
use ompchunk_abi::{CONNECT_SYMBOL, SCHEDULES_SYMBOL};
use ompchunk_toolchain::compiler::{Compiler, plain, with_plugin};
use ompchunk_toolchain::installation::Installation;
use ompchunk_toolchain::language::Language;
use ompchunk_toolchain::{Failure, schedule_option};

use crate::{exec, output};

pub fn exec(language: Language, arguments: &[OsString]) -> Result<ExitCode> {
    let (schedules, arguments) = take(arguments);
    let mut command = if is_on(std::env::var_os(VARIABLE).as_deref())? {
        let installation = Installation::find()?;
        let compiler = Compiler::choose(language, &installation.majors())?;
        let (major, plugin) = compiler.plugin(&installation)?;
        if matches!(arguments.first().and_then(|first| first.to_str()), Some("--help" | "-help" | "--help-hidden")) {
            // A line about what ompchunk adds to the help that the compiler is about to print.
            output::print(&format!(
                "ompchunk {0}: {1} with the plugin for LLVM {major} (ompchunk help {0} says more); the options are its own\n",
                language.command(),
                compiler.name()
            ))?;
        }
        let mut command = with_plugin(&compiler, (major, &plugin), arguments);
        if let Some(file) = &schedules {
            add(&mut command, file, arguments, &installation)?;
        }
        command
    } else {
        // The same compiler, even if it is one that no plugin fits or there are no plugins at all.
        let majors = Installation::find().map_or_else(|_| Vec::new(), |found| found.majors());
        plain(&Compiler::choose(language, &majors)?, arguments)
    };
    match exec::replace(&mut command)? {}
}

pub const VARIABLE: &str = "OMPCHUNK";

/// Whether the plugin is wanted, by the variable. A typing error must not silently build the other kind of program.
fn is_on(value: Option<&OsStr>) -> Result<bool, Failure> {
    let Some(value) = value else { return Ok(true) };
    match value.to_str() {
        Some("" | "on" | "1" | "yes" | "true") => Ok(true),
        Some("off" | "0" | "no" | "false") => Ok(false),
        _ => Err(Failure::new(
            format!("{VARIABLE}={} is neither on nor off", value.to_string_lossy()),
            format!("{VARIABLE}=off to compile without the plugin, or unset it"),
        )),
    }
}

const OPTION: &str = "--schedules";
/// With one of these nothing is linked, or no program.
const NO_PROGRAM: [&str; 9] = ["-c", "-S", "-E", "-M", "-MM", "-fsyntax-only", "-shared", "-r", "-emit-llvm"];

fn take(arguments: &[OsString]) -> (Option<PathBuf>, &[OsString]) {
    let Some(first) = arguments.first().and_then(|first| first.to_str()) else { return (None, arguments) };
    match (first.strip_prefix(OPTION).map(|rest| rest.strip_prefix('=')), &arguments[1..]) {
        (Some(Some(file)), rest) => (Some(file.into()), rest),
        (Some(None), [file, rest @ ..]) if first == OPTION => (Some(file.into()), rest),
        _ => (None, arguments),
    }
}

fn add(command: &mut Command, path: &Path, arguments: &[OsString], installation: &Installation) -> Result<()> {
    let text = schedule_option::read(path)?;
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
    fn on_unless_told_otherwise() {
        assert!(is_on(None).unwrap());
        assert!(is_on(Some("".as_ref())).unwrap());
        assert!(!is_on(Some("off".as_ref())).unwrap());
        assert_eq!(is_on(Some("of".as_ref())).unwrap_err().to_string(), "OMPCHUNK=of is neither on nor off");
    }

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
