//! Compilers: which is meant, of which LLVM, and its command with the plugin. Asked anew each
//! time: a cache would outlive what it tells of.
//!
//! The plugin is one flag before all others. Only the first argument behind it counts: it may choose another program.
//! No driver from 19 on calls the flag unused where nothing is compiled (as for `-E`); older ones are told not to.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::failure::Failure;
use crate::installation::Installation;
use crate::language::Language;
use crate::{needs, program};

fn not_found(language: Language, majors: &[u32]) -> Failure {
    let tried = candidates(language, majors);
    let package = tried[0].replace("++", "").replace("-new", "");
    Failure::new(
        format!("found no {language} compiler: none of {} is in PATH", tried.join(", ")),
        format!("apt-get install {package}, or {}=/path/to/compiler", language.variable()),
    )
}

fn no_llvm(language: Language, compiler: &str, says: &str, majors: &[u32]) -> Failure {
    let says = first_line(says);
    Failure::new(
        format!("{compiler} is no clang or flang (its version: {says}), but ompchunk is a plugin for these"),
        format!("{}, or OMPCHUNK=off to compile without the plugin", suggestion(language, majors)),
    )
}

fn suggestion(language: Language, majors: &[u32]) -> String {
    let driver = language.drivers()[0];
    let number = majors.first().map_or_else(String::new, |major| format!("-{major}"));
    format!("{}={driver}{number}", language.variable())
}

pub fn list(majors: &[u32]) -> String {
    majors.iter().map(u32::to_string).collect::<Vec<_>>().join(" and ")
}

/// A compiler's command: one word, or several as in `ccache clang`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Compiler {
    language: Language,
    words: Vec<OsString>,
}

impl Compiler {
    /// What the variable names, else the first in `PATH` of those with a plugin, else the one without a number.
    pub fn choose(language: Language, majors: &[u32]) -> Result<Compiler, Failure> {
        match language.named() {
            Some(value) => Compiler::named(language, &value),
            None => Compiler::all(language, majors).into_iter().next().ok_or_else(|| not_found(language, majors)),
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

    pub fn named(language: Language, value: &OsStr) -> Result<Compiler, Failure> {
        let variable = language.variable();
        let mistaken = |what: &str| {
            let next = format!("{variable}=/path/to/{}", language.drivers()[0]);
            Err(Failure::new(format!("{variable}={} names {what}", value.to_string_lossy()), next))
        };
        // A path may contain spaces; else it is a command with arguments.
        let words = if program::find(value).is_some() { vec![value.to_owned()] } else { split(value) };
        if words.first().and_then(|word| program::find(word)).is_none() {
            return mistaken("no program");
        }
        // It would call itself for ever.
        let ourselves = std::env::current_exe().ok();
        let is_us = |word: &OsString| program::find(word).and_then(|path| path.canonicalize().ok()) == ourselves;
        if ourselves.is_some() && words.iter().any(is_us) {
            return mistaken("ompchunk itself, not the compiler that it shall run");
        }
        Ok(Compiler { language, words })
    }

    pub fn name(&self) -> String {
        self.words.join(OsStr::new(" ")).to_string_lossy().into_owned()
    }

    /// Where its program is: two names may be of one compiler.
    pub fn path(&self) -> Option<PathBuf> {
        program::find(self.words.first()?)?.canonicalize().ok()
    }

    pub fn command(&self) -> Command {
        let mut command = Command::new(&self.words[0]);
        command.args(&self.words[1..]);
        command
    }

    /// Asks it what it is. It must be a clang or flang.
    pub fn version(&self, majors: &[u32]) -> Result<Version, Failure> {
        let failed = |why: String| {
            let asked = format!("{} --version", self.name());
            Failure::new(format!("`{asked}` failed: {why}"), asked)
        };
        let output = self.command().arg("--version").output().map_err(|error| failed(error.to_string()))?;
        if !output.status.success() {
            let stderr = String::from_utf8_lossy(&output.stderr);
            return Err(failed(format!("{}: {}", output.status, stderr.trim())));
        }
        let text = String::from_utf8_lossy(&output.stdout);
        let of_macros = || of_macros(&self.macros()?, &text);
        of_text(&text).or_else(of_macros).ok_or_else(|| no_llvm(self.language, &self.name(), &text, majors))
    }

    /// What its preprocessor defines. `None`: it has none, or of another kind.
    fn macros(&self) -> Option<String> {
        let language = match self.language {
            Language::C => "c",
            Language::Cxx => "c++",
            Language::Fortran => return None,
        };
        let output = self.command().args(["-dM", "-E", "-x", language, "/dev/null"]).output().ok()?;
        let macros = String::from_utf8_lossy(&output.stdout).into_owned();
        output.status.success().then_some(macros)
    }

    /// The LLVM it is made of, from its program if that tells, and where its programs are.
    fn major(&self, majors: &[u32]) -> Result<(u32, Option<PathBuf>), Failure> {
        // The first of several words, as in `ccache clang`, is another program.
        let program = self.path().filter(|_| self.words.len() == 1);
        match program.and_then(|path| linked_major(&path)) {
            Some(major) => Ok((major, None)),
            None => self.version(majors).map(|version| (version.major, version.directory)),
        }
    }

    pub fn plugin(&self, installation: &Installation) -> Result<(u32, PathBuf), Failure> {
        let majors = installation.majors();
        let (major, programs) = self.major(&majors)?;
        if let Some(plugin) = installation.plugin(major) {
            return Ok((major, plugin));
        }
        let (name, directory, has) = (self.name(), installation.directory.display(), list(&majors));
        // Of the compiler's own LLVM, if that is there.
        let llvm_config = programs.map(|directory| directory.join("llvm-config")).filter(|path| path.is_file());
        let llvm_config = llvm_config.unwrap_or_else(|| format!("llvm-config-{major}").into());
        let (suggestion, llvm_config) = (suggestion(self.language, &majors), llvm_config.display());
        Err(Failure::new(
            format!("{name} is of LLVM {major}, but the plugins in {directory} are for LLVM {has}"),
            format!("{suggestion}, or build the plugin for LLVM {major}: make LLVM_CONFIG={llvm_config}"),
        ))
    }
}

fn candidates(language: Language, majors: &[u32]) -> Vec<String> {
    let drivers = language.drivers();
    let numbered = majors.iter().flat_map(|major| drivers.iter().map(move |driver| format!("{driver}-{major}")));
    numbered.chain(drivers.iter().chain(language.vendors()).map(|driver| (*driver).to_owned())).collect()
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

pub fn with_plugin(compiler: &Compiler, (major, plugin): (u32, &Path), arguments: &[impl AsRef<OsStr>]) -> Command {
    let mut command = compiler.command();
    // `-cc1` and its like choose another program, and only as the first argument.
    let first = arguments.first().and_then(|first| first.as_ref().to_str());
    if !first.is_some_and(|first| first.starts_with("-cc1") || first == "-fc1") {
        let mut flag = OsString::from("-fpass-plugin=");
        flag.push(plugin);
        // First, where no `--` is before it.
        if major < FIRST_SILENT {
            command.arg("--start-no-unused-arguments").arg(flag).arg("--end-no-unused-arguments")
        } else {
            command.arg(flag)
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

/// Which LLVM a compiler is made of: LLVM's own, AMD's and HPE's say it in the first line of `--version`, Intel's `icx`
/// and `icpx` in a macro of the preprocessor. NVIDIA's load no plugins of clang.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Version {
    pub major: u32,
    /// The line of its `--version` that names it.
    pub line: String,
    /// Where its programs are, if it tells.
    pub directory: Option<PathBuf>,
}

/// From what `--version` prints: `Debian clang version 22.1.8 (1~deb12u1)`, `flang-new version 19.1.7`, ...
fn of_text(text: &str) -> Option<Version> {
    let is_name = |word: &str| word.starts_with("clang") || word.starts_with("flang");
    let line = text.lines().find(|line| line.split_whitespace().any(is_name))?;
    let number = line.split_once(" version ")?.1;
    let digits = number.split(|c: char| !c.is_ascii_digit()).next()?;
    Some(Version { major: digits.parse().ok()?, line: line.trim().to_owned(), directory: directory(text) })
}

fn of_macros(macros: &str, text: &str) -> Option<Version> {
    let value = |name: &str| {
        macros.lines().find_map(|line| {
            let (found, value) = line.strip_prefix("#define ")?.split_once(' ')?;
            (found == name).then(|| value.trim().to_owned())
        })
    };
    let major = value("__clang_major__")?.parse().ok()?;
    Some(Version { major, line: first_line(text).to_owned(), directory: directory(text) })
}

fn first_line(text: &str) -> &str {
    text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or("nothing")
}

fn directory(text: &str) -> Option<PathBuf> {
    let directory = text.lines().find_map(|line| line.strip_prefix("InstalledDir: "))?;
    Some(PathBuf::from(directory.trim()))
}

/// `None` if the file does not tell, as a script, a wrapper, or a compiler that is linked statically. A build asks this
/// for each file that it compiles, and a process for `--version` would take as long as compiling a small one.
fn linked_major(program: &Path) -> Option<u32> {
    // Others than compilers are linked with LLVM as well: these must be asked what they are.
    let program = program.canonicalize().ok()?;
    if !is_driver(program.file_name()?.to_str()?) {
        return None;
    }
    needs::libraries(&program)?.iter().find_map(|name| major_of(name))
}

/// `clang`, `clang++-22`, `flang-new`, ...
fn is_driver(name: &str) -> bool {
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '-');
    ["clang", "clang++", "flang", "flang-new"].contains(&stem)
}

/// The major of `libLLVM.so.22.1`, or of `libLLVM-16.so.1` as it was before LLVM 18.
fn major_of(library: &str) -> Option<u32> {
    let number = library.strip_prefix("libLLVM.so.").or_else(|| library.strip_prefix("libLLVM-"))?;
    number.split('.').next()?.parse().ok()
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
        let error = no_llvm(Language::C, "gcc", "gcc 12", &[22, 19]);
        assert_eq!(error.next(), "OMPCHUNK_CC=clang-22, or OMPCHUNK=off to compile without the plugin");
        let error = not_found(Language::Cxx, &[22]);
        assert!(error.next().starts_with("apt-get install clang-22,"));
    }

    /// What a compiler is linked with is what it says.
    #[test]
    fn compilers_tell() {
        let mut told = 0;
        for language in [Language::C, Language::Cxx, Language::Fortran] {
            for compiler in Compiler::all(language, &[22, 19, 16]) {
                let Some(major) = compiler.path().and_then(|path| linked_major(&path)) else { continue };
                told += 1;
                let version = compiler.version(&[]).expect("a clang or flang");
                assert_eq!(major, version.major, "{}", compiler.name());
            }
        }
        assert!(told > 0, "no installed compiler tells its LLVM");
    }

    #[test]
    fn majors_of_all_who_tell_them() {
        let major = |text| of_text(text).map(|version| version.major);
        assert_eq!(major("Debian clang version 22.1.8 (1~deb12u1)\nTarget: x"), Some(22));
        assert_eq!(major("clang version 24.0.0git (https://x abc)"), Some(24));
        assert_eq!(major("flang-new version 19.1.7"), Some(19));
        assert_eq!(major("AMD clang version 17.0.0 (CLANG: AOCC_5.0.0)"), Some(17));
        assert_eq!(major("Cray clang version 18.0.1  (d3b0e2b)"), Some(18));
        assert_eq!(major("gcc (Debian 12.2.0-14) 12.2.0\nCopyright"), None);
        assert_eq!(major(""), None);
    }

    /// `hipcc` says its own version first.
    #[test]
    fn the_line_that_names_the_compiler() {
        let text = "HIP version: 7.0.51831\nAMD clang version 20.0.0git (https://x roc-7.0.2 25385 0dda)\n\
                    Target: x86_64-unknown-linux-gnu\nThread model: posix\nInstalledDir: /opt/rocm-7.0.2/lib/llvm/bin\n";
        let version = of_text(text).unwrap();
        assert_eq!(version.major, 20);
        assert!(version.line.starts_with("AMD clang"), "{}", version.line);
        let directory = Path::new("/opt/rocm-7.0.2/lib/llvm/bin");
        assert_eq!(version.directory.as_deref(), Some(directory));
    }

    #[test]
    fn intels_major_is_a_macro() {
        let text = "Intel(R) oneAPI DPC++/C++ Compiler 2025.0.0 (2025.0.0.20241008)\nTarget: x86_64-unknown-linux-gnu\n\
                    InstalledDir: /opt/intel/oneapi/compiler/2025.0/bin/compiler\n";
        assert_eq!(of_text(text), None);
        let macros = "#define __clang__ 1\n#define __clang_major__ 19\n#define __INTEL_LLVM_COMPILER 20250000\n";
        let version = of_macros(macros, text).unwrap();
        assert_eq!((version.major, &*version.line), (19, text.lines().next().unwrap()));
        assert_eq!(of_macros("#define __GNUC__ 12\n", "gcc 12"), None);
    }

    #[test]
    fn what_begins_with_an_empty_line() {
        assert_eq!(first_line("\nnvc 24.9-0 64-bit target\n"), "nvc 24.9-0 64-bit target");
        assert_eq!(first_line("\n\n"), "nothing");
    }

    #[test]
    fn library_names() {
        assert_eq!(major_of("libLLVM.so.22.1"), Some(22));
        assert_eq!(major_of("libLLVM-16.so.1"), Some(16));
        assert_eq!(major_of("libLLVM.so"), None);
        assert_eq!(major_of("libLLVM-16git.so"), None);
        assert_eq!(major_of("libclang-cpp.so.22.1"), None);
    }

    #[test]
    fn driver_names() {
        for name in ["clang", "clang-22", "clang++-19", "flang-new", "flang-22"] {
            assert!(is_driver(name), "{name}");
        }
        for name in ["clang-tidy-22", "clangd", "opt-22", "ccache", "22", ""] {
            assert!(!is_driver(name), "{name}");
        }
    }

    #[test]
    fn others_do_not_tell() {
        assert_eq!(linked_major(Path::new("/bin/sh")), None);
        assert_eq!(linked_major(Path::new("/no/such/clang")), None);
    }
}
