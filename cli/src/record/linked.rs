//! What a program's file says of OpenMP: the libraries that it needs, and whether it calls a runtime.

use std::fs::File;
use std::path::Path;

use object::Endianness;
use object::elf::{FileHeader64, PT_INTERP, SHT_DYNSYM};
use object::read::ReadCache;
use object::read::elf::{FileHeader, ProgramHeader, Sym};
use ompchunk_toolchain::needs::{has_ompt, libraries};

/// What begins the names of the functions that compilers call for OpenMP, and of those that programs call.
const OF_OPENMP: [&[u8]; 3] = [b"__kmpc_", b"GOMP_", b"omp_"];

/// A program as it is linked.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Linked {
    Dynamically {
        needs: Vec<String>,
        /// It calls some function of an OpenMP runtime.
        calls_openmp: bool,
    },
    Statically,
}

impl Linked {
    /// `None` if the file is no program of this kind, as a script.
    pub(super) fn from_path(path: &Path) -> Option<Linked> {
        let data = ReadCache::new(File::open(path).ok()?);
        let header = FileHeader64::<Endianness>::parse(&data).ok()?;
        let endian = header.endian().ok()?;
        let segments = header.program_headers(endian, &data).ok()?;
        if !segments.iter().any(|segment| segment.p_type(endian) == PT_INTERP) {
            return Some(Linked::Statically);
        }
        let needs = libraries(path)?;
        let symbols = header.sections(endian, &data).ok()?.symbols(endian, &data, SHT_DYNSYM).ok()?;
        let imported = symbols.iter().filter(|symbol| symbol.is_undefined(endian));
        let mut names = imported.filter_map(|imported| symbols.symbol_name(endian, imported).ok());
        let calls_openmp = names.any(|name| OF_OPENMP.iter().any(|prefix| name.starts_with(prefix)));
        Some(Linked::Dynamically { needs, calls_openmp })
    }

    /// Needs a library whose name begins so.
    pub(super) fn needs(&self, library: &str) -> bool {
        match self {
            Linked::Dynamically { needs, .. } => needs.iter().any(|need| need.starts_with(library)),
            Linked::Statically => false,
        }
    }

    /// Needs a runtime that asks for tools.
    pub(super) fn has_ompt(&self) -> bool {
        matches!(self, Linked::Dynamically { needs, .. } if needs.iter().any(|need| has_ompt(need)))
    }
}

#[cfg(test)]
mod tests {
    use ompchunk_toolchain::program;

    use super::*;

    #[test]
    fn what_programs_are_linked_with() {
        let sh = program::find("sh".as_ref()).expect("a shell");
        let linked = Linked::from_path(&sh).expect("a program");
        assert!(linked.needs("libc.so"), "{linked:?}");
        assert!(!linked.has_ompt(), "{linked:?}");
        assert!(matches!(linked, Linked::Dynamically { calls_openmp, .. } if !calls_openmp), "{linked:?}");
        assert_eq!(Linked::from_path(Path::new(file!())), None);
    }
}
