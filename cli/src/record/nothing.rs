//! Why a run recorded nothing, as far as that can be known: each cause has its own sentence and its own next step.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::path::Path;

use object::Endianness;
use object::elf::{DT_NEEDED, FileHeader64, PT_INTERP};
use object::read::ReadCache;
use object::read::elf::{Dyn, FileHeader, ProgramHeader};
use ompchunk_toolchain::program;
use ompchunk_trace_format::environment;

/// Programs that start another one in another environment, with other rights, or under another root.
const ELSEWHERE: [&str; 11] = [
    "env",
    "chroot",
    "sudo",
    "su",
    "ssh",
    "docker",
    "podman",
    "apptainer",
    "singularity",
    "bwrap",
    "unshare",
];

/// Why, and what to do.
pub(super) struct Reason {
    pub(super) why: String,
    pub(super) next: String,
}

/// What a program is linked with.
#[derive(Debug, PartialEq, Eq)]
enum Linked {
    /// With these libraries.
    Dynamically(Vec<String>),
    /// With none.
    Statically,
}

/// The likeliest first: what is certain before what is possible.
pub(super) fn reason(words: &[OsString]) -> Reason {
    if environment::set("LD_PRELOAD").is_some() {
        return Reason {
            why: "no OpenMP runtime asked for the recorder, or it could not begin".into(),
            next: "without LD_PRELOAD: a tool in it is asked before the recorder".into(),
        };
    }
    let name = words.first().map(OsString::as_os_str).unwrap_or_default();
    let shown = Path::new(name).display();
    let linked = program::find(name).and_then(|path| linked(&path));
    if let Some(linked) = &linked {
        let needs = |library: &str| match linked {
            Linked::Dynamically(all) => all.iter().any(|it| it.starts_with(library)),
            Linked::Statically => false,
        };
        let has_ompt = needs("libomp.so") || needs("libomp5") || needs("libiomp5");
        if needs("libgomp.so") && !has_ompt {
            return Reason {
                why: format!(
                    "{shown} is linked with libgomp, GCC's OpenMP runtime, which has no tools interface (OMPT), and it ran no \
                     OpenACC"
                ),
                next: "compile it with ompchunk cc, c++ or fc (clang or flang, with libomp)".into(),
            };
        }
        if *linked == Linked::Statically {
            return Reason {
                why: format!("{shown} is linked statically, and no tool can be loaded into it"),
                next: "link it dynamically".into(),
            };
        }
        if has_ompt {
            return Reason {
                why: format!(
                    "no OpenMP runtime asked for the recorder, or it could not begin: {shown} is linked with one that \
                     would, but perhaps called nothing of it"
                ),
                next: general(),
            };
        }
    }
    if let Some(known) = elsewhere(name) {
        return Reason {
            why: format!(
                "no OpenMP runtime asked for the recorder: {known} may start a program without this environment \
                 (OMP_TOOL_LIBRARIES and OMPCHUNK_*), or where the recorder's files are not"
            ),
            next: format!(
                "ompchunk record within what {known} starts: {known} ... ompchunk record PROGRAM"
            ),
        };
    }
    Reason {
        why: "no OpenMP runtime asked for the recorder, or it could not begin; a process with an environment of its own, \
              or under another root directory, does not know of it"
            .into(),
        next: general(),
    }
}

fn general() -> String {
    "what the recorder said above, else ompchunk run --verbose with the same program, says why"
        .into()
}

fn elsewhere(name: &OsStr) -> Option<&'static str> {
    let name = Path::new(name).file_name()?;
    ELSEWHERE.into_iter().find(|it| name == *it)
}

/// `None` if the file is no program of this kind, as a script.
fn linked(path: &Path) -> Option<Linked> {
    let data = ReadCache::new(File::open(path).ok()?);
    let header = FileHeader64::<Endianness>::parse(&data).ok()?;
    let endian = header.endian().ok()?;
    let segments = header.program_headers(endian, &data).ok()?;
    if !segments.iter().any(|it| it.p_type(endian) == PT_INTERP) {
        return Some(Linked::Statically);
    }
    let sections = header.sections(endian, &data).ok()?;
    let (entries, strings) = sections.dynamic(endian, &data).ok()??;
    let strings = sections.strings(endian, &data, strings).ok()?;
    let names = entries
        .iter()
        .filter(|entry| entry.tag32(endian) == Some(DT_NEEDED))
        .filter_map(|entry| strings.get(entry.val32(endian)?).ok())
        .map(|name| String::from_utf8_lossy(name).into_owned());
    Some(Linked::Dynamically(names.collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_programs_are_linked_with() {
        let sh = program::find("sh".as_ref()).expect("a shell");
        let Some(Linked::Dynamically(all)) = linked(&sh) else {
            panic!("{} is linked statically", sh.display())
        };
        assert!(all.iter().any(|it| it.starts_with("libc.so")), "{all:?}");
        assert_eq!(linked(Path::new(file!())), None);
    }

    #[test]
    fn who_starts_programs_elsewhere() {
        assert_eq!(elsewhere("/usr/sbin/chroot".as_ref()), Some("chroot"));
        assert_eq!(elsewhere("environment".as_ref()), None);
    }
}
