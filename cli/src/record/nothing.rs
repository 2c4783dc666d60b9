//! Why a run recorded nothing, as far as that can be known: each cause has its own sentence and its own next step.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use ompchunk_toolchain::installation::Installation;
use ompchunk_toolchain::libgomp::{self, Served};
use ompchunk_toolchain::{needs, program};
use ompchunk_trace_format::{environment, shown};

use super::linked::Linked;
use super::refused;

/// Programs that start another one in another environment, with other rights, or under another root.
const ELSEWHERE: [&str; 11] =
    ["env", "chroot", "sudo", "su", "ssh", "docker", "podman", "apptainer", "singularity", "bwrap", "unshare"];

/// How one compiles so that there is something to record.
const COMPILE: &str =
    "compile and link what has the loops with ompchunk cc, c++ or fc and -fopenmp (clang or flang, with libomp)";

/// The same for what has them and another runtime.
const COMPILE_INSTEAD: &str = "compile it with ompchunk cc, c++ or fc (clang or flang, with libomp)";

#[derive(Debug)]
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
    if let Some((why, next)) = path.as_deref().and_then(|path| refused::why(path, &shown)) {
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
    let inside = || path.as_deref().filter(|path| needs::is_libgomp_inside(path)).map(|_| with_libgomp_inside(&shown));
    certain
        .or_else(inside)
        .or_else(|| elsewhere(name).map(of_environment))
        .or_else(|| linked.map(|linked| without_openmp(&linked, &shown)))
        .unwrap_or_else(|| {
            Reason::new(
                "no OpenMP runtime asked for the recorder, or it could not begin; a process with an environment of its own, \
                 or under another root directory, does not know of it",
                general(),
            )
        })
}

/// What follows from what is called of libgomp; `None` if nothing is.
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
            general(),
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

fn with_libgomp_inside(shown: &str) -> Reason {
    let why = format!(
        "{shown} has libgomp inside (libgomp.a), GCC's OpenMP runtime, which has no tools interface (OMPT): its calls of that were \
         bound when it was linked"
    );
    Reason::new(why, format!("link it with libgomp.so, or {COMPILE_INSTEAD}"))
}

/// What follows from the runtime that a program is linked with; `None` if there is none.
fn of_runtime(linked: &Linked, shown: &str) -> Option<Reason> {
    if linked.needs("libgomp.so") && !linked.has_ompt() {
        return Some(Reason::new(without_tools(shown), COMPILE_INSTEAD));
    }
    match linked {
        Linked::Statically => Some(Reason::new(
            format!("{shown} is linked statically, and no tool can be loaded into it"),
            "link it dynamically",
        )),
        Linked::Dynamically { calls_openmp, .. } if linked.has_ompt() => {
            let asked = "no OpenMP runtime asked for the recorder";
            Some(match calls_openmp {
                true => Reason::new(
                    format!(
                        "{asked}, or it could not begin: {shown} is linked with one that would, but perhaps called nothing of \
                         it in this run"
                    ),
                    general(),
                ),
                false => Reason::new(
                    format!(
                        "{asked}: {shown} is linked with one, but calls nothing of it: it was compiled without -fopenmp, or \
                         has no OpenMP in it"
                    ),
                    COMPILE,
                ),
            })
        }
        Linked::Dynamically { .. } => None,
    }
}

/// The reason for a program that has no runtime: its libraries, or what it starts, may have one.
fn without_openmp(linked: &Linked, shown: &str) -> Reason {
    let asked = "no OpenMP runtime asked for the recorder";
    match linked {
        Linked::Dynamically { calls_openmp: true, .. } => {
            Reason::new(format!("{asked}, or it could not begin: {shown} gets one by another library"), general())
        }
        _ => Reason::new(
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

fn general() -> String {
    "what the recorder said above, else OMPCHUNK_VERBOSE=1 ompchunk run with the same program, says why".into()
}

fn elsewhere(name: &OsStr) -> Option<&'static str> {
    let name = Path::new(name).file_name()?;
    ELSEWHERE.into_iter().find(|elsewhere| name == *elsewhere)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_starts_programs_elsewhere() {
        assert_eq!(elsewhere("/usr/sbin/chroot".as_ref()), Some("chroot"));
        assert_eq!(elsewhere("environment".as_ref()), None);
    }
}
