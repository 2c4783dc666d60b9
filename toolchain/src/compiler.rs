//! Compilers: which one is meant, which LLVM it is made of, and its command with the plugin.
//!
//! Asked anew each time: a cache would outlive the compiler it tells of.
//!
//! The plugin is one flag before all others. What comes behind it is not looked at, but for the first argument: it may choose
//! another program. No driver from 19 on complains of the flag where nothing is compiled (linking, `-E`, assembling, `--version`):
//! it belongs to the flags that only compiling uses, and those are never "unused". Older ones are told not to.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::installation::Installation;
use crate::language::Language;
use crate::program;
use crate::version::{self, Version};

/// No compiler, or none that the plugin can be loaded into.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("found no {language} compiler: none of {} is in PATH", .tried.join(", "))]
    NotFound { language: Language, tried: Vec<String> },
    /// The variable names something that is not there.
    #[error("{}={value} names no program", .language.variable())]
    NoSuch { language: Language, value: String },
    #[error("{}={value} names ompchunk itself, not the compiler that it shall run", .language.variable())]
    Ourselves { language: Language, value: String },
    /// It does not tell its version.
    #[error("`{compiler} --version` failed: {why}")]
    NoVersion {
        compiler: String,
        /// The system's or the compiler's message.
        why: String,
    },
    #[error("{compiler} is no clang or flang (its version: {says}), but ompchunk is a plugin for these")]
    NotLlvm {
        language: Language,
        compiler: String,
        /// The first line of its version.
        says: String,
        /// Majors that plugins are installed for.
        majors: Vec<u32>,
    },
    #[error("{compiler} is of LLVM {major}, but the plugins in {} are for LLVM {}", .directory.display(), list(.majors))]
    NoPlugin {
        language: Language,
        compiler: String,
        major: u32,
        /// Majors that plugins are installed for.
        majors: Vec<u32>,
        directory: PathBuf,
        /// What tells where the compiler's own LLVM is, if that is there.
        llvm_config: Option<PathBuf>,
    },
}

impl Error {
    pub fn next(&self) -> String {
        match self {
            Error::NotFound { language, tried } => {
                let package = tried.first().map_or("clang", |name| name);
                let package = package.replace("++", "").replace("-new", "");
                format!("apt-get install {package}, or {}=/path/to/compiler", language.variable())
            }
            Error::NoSuch { language, .. } | Error::Ourselves { language, .. } => {
                format!("{}=/path/to/{}", language.variable(), language.drivers()[0])
            }
            Error::NoVersion { compiler, .. } => format!("{compiler} --version"),
            Error::NotLlvm { language, majors, .. } => {
                format!("{}, or OMPCHUNK=off to compile without the plugin", suggestion(*language, majors))
            }
            Error::NoPlugin { language, majors, major, llvm_config, .. } => format!(
                "{}, or build the plugin for LLVM {major}: make LLVM_CONFIG={}",
                suggestion(*language, majors),
                match llvm_config {
                    Some(path) => path.display().to_string(),
                    None => format!("llvm-config-{major}"),
                }
            ),
        }
    }
}

fn suggestion(language: Language, majors: &[u32]) -> String {
    let driver = language.drivers()[0];
    match majors.first() {
        Some(major) => format!("{}={driver}-{major}", language.variable()),
        None => format!("{}={driver}", language.variable()),
    }
}

/// `22, 19` as one says it.
pub fn list(majors: &[u32]) -> String {
    let words: Vec<String> = majors.iter().map(u32::to_string).collect();
    words.join(" and ")
}

/// A compiler's command: one word, or several as in `ccache clang`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Compiler {
    language: Language,
    words: Vec<OsString>,
}

impl Compiler {
    /// The compiler that is meant: what the language's variable names, else the first in `PATH` of
    /// those that a plugin is installed for, else the one without a number.
    pub fn choose(language: Language, majors: &[u32]) -> Result<Compiler, Error> {
        match std::env::var_os(language.variable()) {
            Some(value) if !value.is_empty() => Compiler::named(language, &value),
            _ => Compiler::all(language, majors)
                .into_iter()
                .next()
                .ok_or_else(|| Error::NotFound { language, tried: candidates(language, majors) }),
        }
    }

    /// Every one in `PATH` that could be meant, in the order of choice.
    pub fn all(language: Language, majors: &[u32]) -> Vec<Compiler> {
        candidates(language, majors)
            .into_iter()
            .map(OsString::from)
            .filter(|name| program::find(name).is_some())
            .map(|name| Compiler { language, words: vec![name] })
            .collect()
    }

    /// The one of that command, whatever the environment says.
    pub fn named(language: Language, value: &OsStr) -> Result<Compiler, Error> {
        let text = || value.to_string_lossy().into_owned();
        // A path may contain spaces; else it is a command with arguments.
        let words = if program::find(value).is_some() { vec![value.to_owned()] } else { split(value) };
        let first = words.first().and_then(|word| program::find(word));
        if first.is_none() {
            return Err(Error::NoSuch { language, value: text() });
        }
        // It would call itself for ever.
        let ourselves = std::env::current_exe().ok();
        let is_us = |word: &OsString| program::find(word).and_then(|path| path.canonicalize().ok()) == ourselves;
        if ourselves.is_some() && words.iter().any(is_us) {
            return Err(Error::Ourselves { language, value: text() });
        }
        Ok(Compiler { language, words })
    }

    /// Its name, as the user would type it.
    pub fn name(&self) -> String {
        self.words.join(OsStr::new(" ")).to_string_lossy().into_owned()
    }

    /// Where its program is: two names may be of one compiler.
    pub fn path(&self) -> Option<PathBuf> {
        program::find(self.words.first()?)?.canonicalize().ok()
    }

    /// A command that runs it, without arguments yet.
    pub fn command(&self) -> Command {
        let mut command = Command::new(&self.words[0]);
        command.args(&self.words[1..]);
        command
    }

    /// Asks it what it is. It must be a clang or flang.
    pub fn version(&self, majors: &[u32]) -> Result<Version, Error> {
        let failed = |why: String| Error::NoVersion { compiler: self.name(), why };
        let output = self.command().arg("--version").output().map_err(|error| failed(error.to_string()))?;
        if !output.status.success() {
            let stderr = String::from_utf8_lossy(&output.stderr);
            return Err(failed(format!("{}: {}", output.status, stderr.trim())));
        }
        let text = String::from_utf8_lossy(&output.stdout);
        let of_macros = || version::of_macros(&self.macros()?, &text);
        version::of_text(&text).or_else(of_macros).ok_or_else(|| Error::NotLlvm {
            language: self.language,
            compiler: self.name(),
            says: version::first_line(&text).to_owned(),
            majors: majors.to_owned(),
        })
    }

    /// What its preprocessor defines. `None`: it has none, or of another kind.
    fn macros(&self) -> Option<String> {
        let language = match self.language {
            Language::C => "c",
            Language::Cxx => "c++",
            Language::Fortran => return None,
        };
        let mut command = self.command();
        command.args(["-dM", "-E", "-x", language, "/dev/null"]);
        let output = command.output().ok()?;
        let macros = String::from_utf8_lossy(&output.stdout).into_owned();
        output.status.success().then_some(macros)
    }

    /// The LLVM it is made of, from its program if that tells, and where its programs are.
    fn major(&self, majors: &[u32]) -> Result<(u32, Option<PathBuf>), Error> {
        // The first of several words, as in `ccache clang`, is another program.
        let told = match self.words.len() {
            1 => self.path().and_then(|path| version::linked_major(&path)),
            _ => None,
        };
        let asked = || {
            let version = self.version(majors)?;
            Ok((version.major, version.directory))
        };
        told.map_or_else(asked, |major| Ok((major, None)))
    }

    /// Its major, and the plugin that fits it.
    pub fn plugin(&self, installation: &Installation) -> Result<(u32, PathBuf), Error> {
        let majors = installation.majors();
        let (major, programs) = self.major(&majors)?;
        let llvm_config = programs.map(|directory| directory.join("llvm-config"));
        match installation.plugin(major) {
            Some(plugin) => Ok((major, plugin)),
            None => Err(Error::NoPlugin {
                language: self.language,
                compiler: self.name(),
                major,
                majors,
                directory: installation.directory().to_owned(),
                llvm_config: llvm_config.filter(|path| path.is_file()),
            }),
        }
    }
}

fn candidates(language: Language, majors: &[u32]) -> Vec<String> {
    let drivers = language.drivers();
    let numbered = majors.iter().flat_map(|major| drivers.iter().map(move |driver| format!("{driver}-{major}")));
    let others = drivers.iter().chain(language.vendors());
    numbered.chain(others.map(|driver| (*driver).to_owned())).collect()
}

fn split(value: &OsStr) -> Vec<OsString> {
    value
        .as_bytes()
        .split(u8::is_ascii_whitespace)
        .filter(|word| !word.is_empty())
        .map(|word| OsString::from_vec(word.to_vec()))
        .collect()
}

/// The first major, of those tested, whose driver does not call the flag unused where it assembles.
const FIRST_SILENT: u32 = 19;

/// The compiler, of an LLVM major, with the plugin.
pub fn with_plugin(compiler: &Compiler, (major, plugin): (u32, &Path), arguments: &[impl AsRef<OsStr>]) -> Command {
    let mut command = compiler.command();
    if !is_internal(arguments) {
        let mut flag = OsString::from("-fpass-plugin=");
        flag.push(plugin);
        // First, where no `--` is before it.
        match major < FIRST_SILENT {
            true => command.arg("--start-no-unused-arguments").arg(flag).arg("--end-no-unused-arguments"),
            false => command.arg(flag),
        };
    }
    command.args(arguments);
    command
}

pub fn plain(compiler: &Compiler, arguments: &[impl AsRef<OsStr>]) -> Command {
    let mut command = compiler.command();
    command.args(arguments);
    command
}

/// `-cc1` and its like choose another program, and only as the first argument.
fn is_internal(arguments: &[impl AsRef<OsStr>]) -> bool {
    arguments
        .first()
        .and_then(|first| first.as_ref().to_str())
        .is_some_and(|first| first.starts_with("-cc1") || first == "-fc1")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn newest_first_and_unnumbered_last() {
        assert_eq!(
            candidates(Language::Cxx, &[22, 19]),
            ["clang++-22", "clang++-19", "clang++", "amdclang++", "icpx", "hipcc"]
        );
        let of_fortran = candidates(Language::Fortran, &[]);
        assert_eq!(of_fortran, ["flang", "flang-new", "amdflang"]);
    }

    #[test]
    fn errors_name_the_next_step() {
        let error = Error::NotLlvm {
            language: Language::C,
            compiler: "gcc".into(),
            says: "gcc 12".into(),
            majors: vec![22, 19],
        };
        assert_eq!(error.next(), "OMPCHUNK_CC=clang-22, or OMPCHUNK=off to compile without the plugin");
        let error = Error::NotFound { language: Language::Cxx, tried: vec!["clang++-22".into(), "clang++".into()] };
        assert!(error.next().starts_with("apt-get install clang-22,"));
    }

    /// What a compiler is linked with is what it says.
    #[test]
    fn compilers_tell() {
        let mut told = 0;
        for language in [Language::C, Language::Cxx, Language::Fortran] {
            for compiler in Compiler::all(language, &[22, 19, 16]) {
                let Some(major) = compiler.path().and_then(|path| version::linked_major(&path)) else {
                    continue;
                };
                told += 1;
                let version = compiler.version(&[]).expect("a clang or flang");
                assert_eq!(major, version.major, "{}", compiler.name());
            }
        }
        assert!(told > 0, "no installed compiler tells its LLVM");
    }
}
