//! The languages that are compiled, each with its command, its variable and its compilers' names.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::path::Path;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
    C,
    Cxx,
    Fortran,
}

impl Language {
    pub const ALL: [Language; 3] = [Language::C, Language::Cxx, Language::Fortran];

    pub fn of_command(word: &OsStr) -> Option<Language> {
        Language::ALL.into_iter().find(|language| word == language.command())
    }

    /// The language of a program's name that is a compiler's, as build systems look for it: `ompchunk-clang`.
    pub fn of_program(path: &OsStr) -> Option<Language> {
        let name = Path::new(path).file_name()?;
        Language::ALL.into_iter().find(|language| name == &*language.program())
    }

    pub fn program(self) -> String {
        format!("ompchunk-{}", self.drivers()[0])
    }

    /// The language of a compiler's command, by its name; C of one that tells nothing.
    pub fn of_compiler(command: &OsStr) -> Language {
        let text = command.to_string_lossy();
        let name = text.rsplit('/').next().unwrap_or_default();
        if name.contains("flang") {
            Language::Fortran
        } else if name.contains("++") || ["icpx", "hipcc"].contains(&name) {
            Language::Cxx
        } else {
            Language::C
        }
    }

    pub fn command(self) -> &'static str {
        match self {
            Language::C => "cc",
            Language::Cxx => "c++",
            Language::Fortran => "fc",
        }
    }

    pub fn variable(self) -> &'static str {
        match self {
            Language::C => "OMPCHUNK_CC",
            Language::Cxx => "OMPCHUNK_CXX",
            Language::Fortran => "OMPCHUNK_FC",
        }
    }

    pub fn named(self) -> Option<OsString> {
        std::env::var_os(self.variable()).filter(|value| !value.is_empty())
    }

    pub fn drivers(self) -> &'static [&'static str] {
        match self {
            Language::C => &["clang"],
            Language::Cxx => &["clang++"],
            // Its name before LLVM 20.
            Language::Fortran => &["flang", "flang-new"],
        }
    }

    /// What others call their clang and flang: AMD's, Intel's. Intel's `ifx` loads no plugin of flang, as it is none.
    pub fn vendors(self) -> &'static [&'static str] {
        match self {
            Language::C => &["amdclang", "icx"],
            Language::Cxx => &["amdclang++", "icpx", "hipcc"],
            Language::Fortran => &["amdflang"],
        }
    }
}

impl fmt::Display for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Language::C => "C",
            Language::Cxx => "C++",
            Language::Fortran => "Fortran",
        })
    }
}
