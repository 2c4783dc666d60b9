//! What is said of each thing, whatever found it or shows it: its level, likely cause and next step.

use std::path::Path;

use ompchunk_figures::counted;
use ompchunk_toolchain::Failure;
use ompchunk_toolchain::compiler::list;
use ompchunk_toolchain::installation::Installation;
use ompchunk_toolchain::language::Language;

/// Chunks of the program that is run.
pub const CHUNKS: usize = 100;

/// How a compiler, by its name, gets on with the plugin.
pub enum CompilerState {
    Works(String, u32),
    Absent(Failure),
    /// It is none, or there is no plugin for it.
    Unfit(Failure),
    /// It does not compile the program, and says this.
    Fails(String, String),
    /// The plugin needs this, which it does not have.
    Rejects(String, String),
    /// It loads the plugin, but the plugin found no loop.
    Silent(String),
}

pub fn plugin(installation: &Installation) -> Check {
    let seen = format!("for LLVM {}, in {}", list(&installation.majors()), installation.directory.display());
    Check::new(Level::Ok, "plugin", seen)
}

pub fn shim(path: &Path) -> Check {
    Check::new(Level::Ok, "shim", path.display().to_string())
}

pub fn not_installed(error: &Failure) -> Check {
    Check::new(Level::Fail, "installation", error.to_string()).next(error.next())
}

pub fn variable(name: &str, value: &str, effect: &str) -> Check {
    Check::new(Level::Warn, "environment", format!("{name}={value}"))
        .because(effect)
        .next(format!("unset {name}, unless it is wanted"))
}

/// Files by which runtimes knew of each other in processes that are gone.
pub fn registered(stale: usize) -> Check {
    let files = counted(stale as u64, "file");
    let seen = format!("{files} __KMP_REGISTERED_LIB_* in /dev/shm or /tmp, of processes that are gone");
    Check::new(Level::Warn, "left by runtimes", seen)
        .because(
            "OpenMP programs were killed; one that gets the same process number may end by SIGBUS or by OMP: Error #15",
        )
        .next("remove them while no OpenMP program of yours runs")
}

pub fn tools(tools: &[String]) -> Check {
    if tools.is_empty() {
        return Check::new(Level::Warn, "tools", "none came with ompchunk")
            .because("ompchunk was copied in parts")
            .next("make install, or your own with ompchunk run --tool /path/to/libtool.so");
    }
    Check::new(Level::Ok, "tools", tools.join(", "))
}

pub fn no_runtime(flag: &str, says: &str) -> Check {
    let seen = format!("no program can be linked with {flag}: {says}");
    Check::new(Level::Fail, "runtime", seen)
        .because("LLVM's OpenMP runtime is not installed")
        .next("apt-get install libomp-22-dev, or libomp-19-dev where there is no LLVM 22")
}

pub fn cannot_start(says: &str) -> Check {
    let seen = format!("no compiled program can be started: {says}");
    Check::new(Level::Fail, "run", seen)
        .because("programs cannot be run from the directory for temporary files")
        .next("TMPDIR=/another/directory ompchunk doctor")
}

pub fn broken(what: &str, says: &str) -> Check {
    Check::new(Level::Fail, "run", format!("{what} does not run: {says}"))
        .because("the runtime that was linked is not found or does not fit when the program runs")
        .next("put the runtime's directory into LD_LIBRARY_PATH")
}

/// `path`: `None` if linked statically; `debug_paths`: `None` if unread; `nanoseconds`: of a static loop's two calls.
pub fn runtime(flag: &str, path: Option<&Path>, debug_paths: Option<bool>, nanoseconds: f64) -> Check {
    let place = path.map_or("linked statically".to_owned(), |path| path.display().to_string());
    let seen = format!("{place} ({flag}); a static loop's two calls take {nanoseconds:.0} ns");
    if debug_paths != Some(true) {
        return Check::new(Level::Ok, "runtime", seen);
    }
    Check::new(Level::Warn, "runtime", seen)
        .because(
            "it was built with its debugging paths, like Debian's: fine to use, but its times are not those of a release build",
        )
        .next("to measure, run on a release build, such as libiomp5 from PyPI: intel-openmp")
}

/// Chunk events of the program, by kind, of `CHUNKS`; `has_ompt`: a tool without the shim, or with it, gets anything at all.
pub fn events(flag: &str, dispatch: usize, chunk: usize, has_ompt: bool) -> Check {
    let seen = format!("{dispatch} dispatch and {chunk} chunk events of {CHUNKS} chunks ({flag})");
    if (dispatch, chunk) == (CHUNKS, CHUNKS) {
        return Check::new(Level::Ok, "OMPT", seen);
    }
    let check = Check::new(Level::Fail, "OMPT", seen);
    let verbose = "OMPCHUNK_VERBOSE=1 ompchunk run --tool chunk-print PROGRAM";
    match (has_ompt, chunk) {
        (false, _) => check
            .because("the runtime was built without OMPT")
            .next("LLVM's runtime with OMPT: apt-get install libomp-22-dev, or libomp-19-dev"),
        (true, 0) => check
            .because("the runtime has OMPT, but the shim cannot be loaded into the program")
            .next(format!("install ompchunk again, as a whole; {verbose}")),
        (true, _) => {
            check.because("another tool is in the way, or plugin and shim are of different versions").next(verbose)
        }
    }
}

/// Clocks that are read without a system call.
const QUICK_CLOCKS: [&str; 3] = ["tsc", "arch_sys_counter", "timebase"];

pub fn clock(source: Option<&str>) -> Check {
    match source {
        Some(source) if QUICK_CLOCKS.contains(&source) => Check::new(Level::Ok, "clock", source),
        Some(source) => Check::new(Level::Warn, "clock", source)
            .because("the kernel does not trust the processor's counter; reading this clock is a system call")
            .next("boot with tsc=reliable if the machine's counter is, or expect tools that time chunks to be slow"),
        None => Check::new(Level::Info, "clock", "the kernel does not report its clock source"),
    }
}

pub fn perf(paranoid: Option<i32>) -> Check {
    let Some(paranoid) = paranoid else { return Check::new(Level::Info, "perf", "the kernel has no perf events") };
    let is = format!("perf_event_paranoid is {paranoid}");
    if paranoid <= 2 {
        let seen = format!("{is}: a program's own events can be counted");
        return Check::new(Level::Ok, "perf", seen);
    }
    Check::new(Level::Info, "perf", format!("{is}: hardware counters only for root"))
        .next("for tools that read counters: sysctl kernel.perf_event_paranoid=2")
}

pub fn cores(cores: usize) -> Check {
    if cores != 1 {
        return Check::new(Level::Ok, "cores", cores.to_string());
    }
    Check::new(Level::Warn, "cores", "1")
        .because("threads take turns: chunks are complete, but times say little")
        .next("taskset or the container's limits, if the machine has more")
}

pub fn compiler(language: Language, is_chosen: bool, state: &CompilerState) -> Check {
    let is_required = is_chosen && language == Language::C;
    let bad = if is_required { Level::Fail } else { Level::Warn };
    let subject = language.to_string();
    match state {
        CompilerState::Works(name, major) => {
            let by = if is_chosen {
                format!("ompchunk {}", language.command())
            } else {
                format!("{}={name}", language.variable())
            };
            let seen = format!("{name}, LLVM {major}: loads the plugin, which instruments ({by})");
            Check::new(Level::Ok, subject, seen)
        }
        CompilerState::Absent(error) if language == Language::Fortran => {
            Check::new(Level::Info, subject, error.to_string()).next(error.next())
        }
        CompilerState::Absent(error) | CompilerState::Unfit(error) => {
            Check::new(bad, subject, error.to_string()).next(error.next())
        }
        CompilerState::Fails(name, says) => {
            Check::new(bad, subject, format!("{name} does not compile a small program: {says}"))
                .because("the compiler's installation is not complete")
                .next(format!("compile something with {name} alone"))
        }
        CompilerState::Rejects(name, says) => {
            Check::new(bad, subject, format!("{name} cannot load the plugin: {says}"))
                .because(
                    "it is linked statically and hides its LLVM from plugins, or the plugin was built for \
                          another LLVM of the same major",
                )
                .next(
                    "take a clang with shared LLVM (Debian, Ubuntu, apt.llvm.org), or build the plugin for this one: \
                       make LLVM_CONFIG=/path/to/its/llvm-config",
                )
        }
        CompilerState::Silent(name) => {
            Check::new(bad, subject, format!("{name} loads the plugin, which finds no static loop"))
                .because("this compiler's -fopenmp may mean another runtime than LLVM's")
                .next(format!("{name} -fopenmp=libomp"))
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    Ok,
    Info,
    Warn,
    Fail,
}

#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Check {
    pub level: Level,
    pub subject: String,
    pub seen: String,
    pub cause: Option<String>,
    pub next: Option<String>,
}

impl Check {
    pub fn new(level: Level, subject: impl Into<String>, seen: impl Into<String>) -> Check {
        Check { level, subject: subject.into(), seen: seen.into(), cause: None, next: None }
    }

    pub fn because(mut self, cause: impl Into<String>) -> Check {
        self.cause = Some(cause.into());
        self
    }

    pub fn next(mut self, next: impl Into<String>) -> Check {
        self.next = Some(next.into());
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rejects(language: Language, is_chosen: bool) -> Check {
        let state = CompilerState::Rejects("clang".into(), "undefined symbol: _ZN4llvm1xE".into());
        compiler(language, is_chosen, &state)
    }

    #[test]
    fn only_what_is_required_fails() {
        assert_eq!(rejects(Language::C, true).level, Level::Fail);
        assert_eq!(rejects(Language::C, false).level, Level::Warn);
        assert_eq!(rejects(Language::Cxx, true).level, Level::Warn);
        assert_eq!(cores(1).level, Level::Warn);
        assert_eq!(perf(Some(4)).level, Level::Info);
        assert_eq!(registered(3).level, Level::Warn);
    }

    #[test]
    fn every_event_counts() {
        let level = |dispatch, chunk| events("-fopenmp", dispatch, chunk, true).level;
        assert_eq!(level(100, 100), Level::Ok);
        assert_eq!(level(100, 99), Level::Fail);
        assert_eq!(level(0, 0), Level::Fail);
    }

    #[test]
    fn a_slow_runtime_is_never_wrong() {
        let path = Some(Path::new("/l/libomp.so"));
        let level = |debug_paths, nanoseconds| runtime("-fopenmp", path, debug_paths, nanoseconds).level;
        assert_eq!(level(Some(false), 1e6), Level::Ok);
        assert_eq!(level(None, 1e6), Level::Ok);
        assert_eq!(level(Some(true), 1.0), Level::Warn);
    }

    #[test]
    fn what_is_bad_comes_with_a_next_step() {
        let checks = [
            rejects(Language::C, true),
            tools(&[]),
            no_runtime("-fopenmp", "no"),
            broken("a", "b"),
            events("-fopenmp", 1, 0, false),
            variable("OMP_TOOL", "disabled", "x"),
            clock(Some("hpet")),
        ];
        for check in checks {
            assert!(check.cause.is_some() && check.next.is_some(), "{check:?}");
        }
    }
}
