//! Which LLVM a compiler is made of, whoever builds it and whatever it is called: by what its file says, or what it says of itself.
//!
//! LLVM's own compilers say it in the first line of `--version`, and so do AMD's (`amdclang`, `hipcc`, AOCC) and HPE's. Intel's `icx` and `icpx`
//! say their own version there, and LLVM's in a macro of the preprocessor. NVIDIA's compilers are made of LLVM too, but load no plugins of
//! clang.

use std::path::{Path, PathBuf};

use crate::needs;

/// What a compiler says of itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Version {
    /// The LLVM it is made of.
    pub major: u32,
    /// The line of its `--version` that names it.
    pub line: String,
    /// Where its programs are, if it tells.
    pub directory: Option<PathBuf>,
}

/// From what `--version` prints: `Debian clang version 22.1.8 (1~deb12u1)`, `flang-new version 19.1.7`, ...
pub fn of_text(text: &str) -> Option<Version> {
    let line = text.lines().find(|line| {
        let mut words = line.split_whitespace();
        words.any(|word| word.starts_with("clang") || word.starts_with("flang"))
    })?;
    let number = line.split_once(" version ")?.1;
    let digits = number.split(|c: char| !c.is_ascii_digit()).next()?;
    Some(Version { major: digits.parse().ok()?, line: line.trim().to_owned(), directory: directory(text) })
}

/// From the preprocessor's macros, and what `--version` prints.
pub fn of_macros(macros: &str, text: &str) -> Option<Version> {
    let value = |name: &str| {
        let mut lines = macros.lines();
        lines.find_map(|line| {
            let (found, value) = line.strip_prefix("#define ")?.split_once(' ')?;
            (found == name).then(|| value.trim().to_owned())
        })
    };
    let major = value("__clang_major__")?.parse().ok()?;
    Some(Version { major, line: first_line(text).to_owned(), directory: directory(text) })
}

/// The first line that says something.
pub fn first_line(text: &str) -> &str {
    let mut lines = text.lines().map(str::trim);
    lines.find(|line| !line.is_empty()).unwrap_or("nothing")
}

fn directory(text: &str) -> Option<PathBuf> {
    let mut lines = text.lines();
    let directory = lines.find_map(|line| line.strip_prefix("InstalledDir: "))?;
    Some(PathBuf::from(directory.trim()))
}

/// The LLVM that a compiler's program is linked with, which its plugins must fit; `None` if the file does not tell, as a script, a wrapper, or
/// a compiler that is linked statically. A build asks this once for each file that it compiles, and a process for `--version` would take as
/// long as compiling a small one.
pub fn linked_major(program: &Path) -> Option<u32> {
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
