//! The LLVM that a compiler's program is linked with: the one its plugins must fit.
//!
//! A build asks this once for each file that it compiles, and a process for `--version` would take as long as
//! compiling a small one.

use std::fs::File;
use std::path::Path;

use object::Endianness;
use object::elf::{DT_NEEDED, FileHeader64};
use object::read::ReadCache;
use object::read::elf::{Dyn, FileHeader};

/// Its major; `None` if the file does not tell, as a script, a wrapper, or a compiler that is linked statically.
pub fn llvm_major(program: &Path) -> Option<u32> {
    // Others than compilers are linked with LLVM as well: these must be asked what they are.
    let program = program.canonicalize().ok()?;
    if !is_driver(program.file_name()?.to_str()?) {
        return None;
    }
    // Only what is asked for is read: a static clang has more than a hundred megabytes.
    let data = ReadCache::new(File::open(program).ok()?);
    let header = FileHeader64::<Endianness>::parse(&data).ok()?;
    let endian = header.endian().ok()?;
    let sections = header.sections(endian, &data).ok()?;
    let (entries, strings) = sections.dynamic(endian, &data).ok()??;
    let strings = sections.strings(endian, &data, strings).ok()?;
    entries
        .iter()
        .filter(|entry| entry.tag32(endian) == Some(DT_NEEDED))
        .filter_map(|entry| strings.get(entry.val32(endian)?).ok())
        .find_map(|name| major_of(std::str::from_utf8(name).ok()?))
}

/// `clang`, `clang++-22`, `flang-new`, ...
fn is_driver(name: &str) -> bool {
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '-');
    ["clang", "clang++", "flang", "flang-new"].contains(&stem)
}

/// Of `libLLVM.so.22.1`, or `libLLVM-16.so.1` as it was before LLVM 18.
fn major_of(library: &str) -> Option<u32> {
    let number = library.strip_prefix("libLLVM.so.").or_else(|| library.strip_prefix("libLLVM-"))?;
    number.split('.').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

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
        assert_eq!(llvm_major(Path::new("/bin/sh")), None);
        assert_eq!(llvm_major(Path::new("/no/such/clang")), None);
    }
}
