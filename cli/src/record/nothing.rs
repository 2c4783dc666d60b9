//! Why a run recorded nothing: each cause has its own sentence and its own next step.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use object::Endianness;
use object::elf::{FileHeader64, PT_INTERP, SHT_DYNSYM};
use object::read::ReadCache;
use object::read::elf::{FileHeader, ProgramHeader, Sym};
use ompchunk_toolchain::installation::Installation;
use ompchunk_toolchain::libgomp::{self, Served};
use ompchunk_toolchain::needs::{has_ompt, libraries};
use ompchunk_toolchain::{needs, program};
use ompchunk_trace_format::{environment, shown};

/// Programs that start another one in another environment, with other rights, or under another root.
const ELSEWHERE: [&str; 11] =
    ["env", "chroot", "sudo", "su", "ssh", "docker", "podman", "apptainer", "singularity", "bwrap", "unshare"];

const COMPILE: &str =
    "compile and link what has the loops with ompchunk cc, c++ or fc and -fopenmp (clang or flang, with libomp)";
/// For what has loops and another runtime.
const COMPILE_INSTEAD: &str = "compile it with ompchunk cc, c++ or fc (clang or flang, with libomp)";
const GENERAL: &str =
    "what the recorder said above, else OMPCHUNK_VERBOSE=1 ompchunk run with the same program, says why";

pub struct Reason {
    pub why: String,
    pub next: String,
}

impl Reason {
    fn new(why: impl Into<String>, next: impl Into<String>) -> Reason {
        Reason { why: why.into(), next: next.into() }
    }
}

/// The likeliest first: what is certain before what is possible. `is_moved`: what needs libgomp ran on another runtime, if it can.
pub fn reason(words: &[OsString], is_moved: bool) -> Reason {
    let name = words.first().map(OsString::as_os_str).unwrap_or_default();
    let path = program::find(name);
    let shown = shown(Path::new(name));
    if let Some((why, next)) = path.as_deref().and_then(|path| refused(path, &shown)) {
        return Reason::new(why, next);
    }
    let majors = Installation::find().map_or_else(|_| Vec::new(), |found| found.majors());
    let served = libgomp::serving(name, None, &majors).unwrap_or(Served::AsLinked);
    if let Some(reason) = of_libgomp(&served, &shown, is_moved) {
        return reason;
    }
    if environment::set("LD_PRELOAD").is_some() {
        return Reason::new(
            "no OpenMP runtime asked for the recorder, or it could not begin",
            "without LD_PRELOAD: a tool in it is asked before the recorder",
        );
    }
    let linked = path.as_deref().and_then(Linked::from_path);
    let certain = linked.as_ref().and_then(|linked| of_runtime(linked, &shown));
    let inside = || {
        let why = format!(
            "{shown} has libgomp inside (libgomp.a), GCC's OpenMP runtime, which has no tools interface (OMPT): its calls of that \
             were bound when it was linked"
        );
        let reason = Reason::new(why, format!("link it with libgomp.so, or {COMPILE_INSTEAD}"));
        path.as_deref().is_some_and(needs::is_libgomp_inside).then_some(reason)
    };
    certain
        .or_else(inside)
        .or_else(|| elsewhere(name).map(of_environment))
        .or_else(|| linked.map(|linked| without_openmp(&linked, &shown)))
        .unwrap_or_else(|| {
            Reason::new(
                "no OpenMP runtime asked for the recorder, or it could not begin; a process with an environment of its own, \
                 or under another root directory, does not know of it",
                GENERAL,
            )
        })
}

fn of_libgomp(served: &Served, shown: &str, is_moved: bool) -> Option<Reason> {
    let (why, next) = match served {
        Served::AsLinked | Served::Other(_) | Served::Libgomp(_, Some(_)) => return None,
        Served::Libgomp(unable, _) => (format!("{}; {unable}", without_tools(shown)), COMPILE_INSTEAD.to_owned()),
        Served::Instead(runtime, _) if is_moved => (
            format!(
                "no OpenMP runtime asked for the recorder, or it could not begin: {shown} ran on {}, but perhaps called nothing of \
                 it in this run",
                runtime.display()
            ),
            GENERAL.to_owned(),
        ),
        Served::Instead(runtime, _) => (
            without_tools(shown),
            format!("{COMPILE_INSTEAD}, or ompchunk record without --runtime, which runs it on {}", runtime.display()),
        ),
    };
    Some(Reason::new(why, next))
}

fn without_tools(shown: &str) -> String {
    format!(
        "{shown} is linked with libgomp, GCC's OpenMP runtime, which has no tools interface (OMPT), and it ran no OpenACC"
    )
}

fn of_runtime(linked: &Linked, shown: &str) -> Option<Reason> {
    if linked.needs("libgomp.so") && !linked.has_ompt() {
        return Some(Reason::new(without_tools(shown), COMPILE_INSTEAD));
    }
    let asked = "no OpenMP runtime asked for the recorder";
    match linked {
        Linked { is_static: true, .. } => Some(Reason::new(
            format!("{shown} is linked statically, and no tool can be loaded into it"),
            "link it dynamically",
        )),
        _ if !linked.has_ompt() => None,
        Linked { calls_openmp: true, .. } => Some(Reason::new(
            format!(
                "{asked}, or it could not begin: {shown} is linked with one that would, but perhaps called nothing of it in this \
                 run"
            ),
            GENERAL,
        )),
        _ => Some(Reason::new(
            format!(
                "{asked}: {shown} is linked with one, but calls nothing of it: it was compiled without -fopenmp, or has no OpenMP \
                 in it"
            ),
            COMPILE,
        )),
    }
}

fn without_openmp(linked: &Linked, shown: &str) -> Reason {
    let asked = "no OpenMP runtime asked for the recorder";
    match linked.calls_openmp {
        true => Reason::new(format!("{asked}, or it could not begin: {shown} gets one by another library"), GENERAL),
        false => Reason::new(
            format!(
                "{asked}: {shown} is linked with none, as what is compiled without -fopenmp; a process that it starts with \
                 an environment of its own, or under another root directory, does not know of the recorder"
            ),
            format!(
                "{COMPILE}; if it loads what GCC built, as Python's modules are: ompchunk record --runtime libomp; \
                 OMP_TOOL_VERBOSE_INIT=stderr shows what a runtime tried, if there is one"
            ),
        ),
    }
}

fn of_environment(known: &str) -> Reason {
    Reason::new(
        format!(
            "no OpenMP runtime asked for the recorder: {known} may start a program without this environment \
             (OMP_TOOL_LIBRARIES and OMPCHUNK_*), or where the recorder's files are not"
        ),
        format!("ompchunk record within what {known} starts: {known} ... ompchunk record PROGRAM"),
    )
}

fn elsewhere(name: &OsStr) -> Option<&'static str> {
    let name = Path::new(name).file_name()?;
    ELSEWHERE.into_iter().find(|elsewhere| name == *elsewhere)
}

/// What begins the names of the functions that compilers call for OpenMP, and of those that programs call.
const OF_OPENMP: [&[u8]; 3] = [b"__kmpc_", b"GOMP_", b"omp_"];

#[derive(Debug, Default, PartialEq, Eq)]
struct Linked {
    is_static: bool,
    needs: Vec<String>,
    calls_openmp: bool,
}

impl Linked {
    /// `None` if the file is no program of this kind, as a script.
    fn from_path(path: &Path) -> Option<Linked> {
        let data = ReadCache::new(File::open(path).ok()?);
        let header = FileHeader64::<Endianness>::parse(&data).ok()?;
        let endian = header.endian().ok()?;
        let segments = header.program_headers(endian, &data).ok()?;
        if !segments.iter().any(|segment| segment.p_type(endian) == PT_INTERP) {
            return Some(Linked { is_static: true, ..Linked::default() });
        }
        let needs = libraries(path)?;
        let symbols = header.sections(endian, &data).ok()?.symbols(endian, &data, SHT_DYNSYM).ok()?;
        let imported = symbols.iter().filter(|symbol| symbol.is_undefined(endian));
        let mut names = imported.filter_map(|imported| symbols.symbol_name(endian, imported).ok());
        let calls_openmp = names.any(|name| OF_OPENMP.iter().any(|prefix| name.starts_with(prefix)));
        Some(Linked { is_static: false, needs, calls_openmp })
    }

    fn needs(&self, library: &str) -> bool {
        self.needs.iter().any(|need| need.starts_with(library))
    }

    fn has_ompt(&self) -> bool {
        self.needs.iter().any(|need| has_ompt(need))
    }
}

pub fn refused(path: &Path, shown: &str) -> Option<(String, String)> {
    let found = path.metadata().ok()?;
    let ours = (rustix::process::getuid().as_raw(), rustix::process::getgid().as_raw());
    if gets_rights(found.mode(), (found.uid(), found.gid()), ours) {
        return Some((
            format!(
                "{shown} runs with the rights of its owner or group (set-user-ID, set-group-ID); such programs are not recorded, \
                 since whoever starts one would decide which files it writes"
            ),
            format!("a copy without these rights: cp {shown} copy && ompchunk record ./copy"),
        ));
    }
    let own_tool = needs::symbols(path, false, |name| name == "ompt_start_tool");
    (!own_tool.is_empty()).then(|| (
        format!(
            "{shown} has an OMPT tool of its own (ompt_start_tool), and the runtime asks that one before the recorder"
        ),
        "link it without that tool".to_owned(),
    ))
}

fn gets_rights(mode: u32, (owner, group): (u32, u32), (user, users_group): (u32, u32)) -> bool {
    (mode & libc::S_ISUID != 0 && owner != user) || (mode & libc::S_ISGID != 0 && group != users_group)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_starts_programs_elsewhere() {
        assert_eq!(elsewhere("/usr/sbin/chroot".as_ref()), Some("chroot"));
        assert_eq!(elsewhere("environment".as_ref()), None);
    }

    #[test]
    fn what_programs_are_linked_with() {
        let sh = program::find("sh".as_ref()).expect("a shell");
        let linked = Linked::from_path(&sh).expect("a program");
        assert!(linked.needs("libc.so"), "{linked:?}");
        assert!(!linked.has_ompt(), "{linked:?}");
        assert!(!linked.is_static && !linked.calls_openmp, "{linked:?}");
        assert_eq!(Linked::from_path(Path::new(file!())), None);
    }

    #[test]
    fn whose_rights_a_program_has() {
        let of = |mode| gets_rights(mode, (0, 0), (1000, 1000));
        assert!(of(0o104_755) && of(0o102_755));
        assert!(!of(0o100_755));
        assert!(!gets_rights(0o104_755, (1000, 0), (1000, 1000)));
    }
}
