//! Programs that GCC built for its runtime, libgomp, which has no tools interface: on LLVM's, which has the functions that
//! GCC's code calls, but for a few. The dynamic linker is asked which function would be whose, so all that it goes by counts:
//! paths, versions, what is preloaded, and names that somebody else defines.

use std::collections::{BTreeSet, HashMap};
use std::ffi::{OsStr, OsString};
use std::fmt::{self, Display, Formatter};
use std::fs::File;
use std::io::{Read, Seek};
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use rustix::fs::MemfdFlags;

use crate::failure::Failure;
use crate::loops::{is_right_upwards_alone, may_count_down};
use crate::preload::{self, PRELOAD, has_separators};
use crate::{needs, program, python};

/// What libgomp takes from the environment, and libomp too. Nothing else that begins with `GOMP_` says anything to libomp.
const READ_BY_BOTH: [&str; 2] = ["GOMP_CPU_AFFINITY", "GOMP_STACKSIZE"];

/// What begins the versions of libgomp's functions.
const VERSIONS: [&str; 4] = ["GOMP_", "OMP_", "GOACC_", "OACC_"];

/// What libomp has only by name (`kmp_gsupport.cpp`): it does nothing for `target` and `teams`, ends the program at a `scan` and a
/// conditional `lastprivate`, and at `depend(sink)` if there is no iteration, and knows no `detach`. Unsigned loops of 64 bits that count
/// down it leaves without an iteration.
const BY_NAME: [&str; 11] = [
    "GOMP_loop_ordered_start", "GOMP_loop_start", "GOMP_loop_ull_ordered_start", "GOMP_loop_ull_start",
    "GOMP_sections2_start", "GOMP_target", "GOMP_target_data", "GOMP_target_end_data", "GOMP_target_update",
    "GOMP_teams", "omp_fulfill_event",
];
const DOACROSS: [&str; 2] = ["GOMP_loop_doacross_", "GOMP_loop_ull_doacross_"];

/// The stacks of libomp's threads are this large, unless it is told otherwise; those of libgomp's as large as the first one may grow.
const STACK: u64 = 4 << 20;

/// `--runtime`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wish {
    /// The one that the program is linked with, whatever that is.
    AsLinked,
    /// LLVM's, also where nothing tells that the program needs one: it may load what does.
    Libomp,
    File(PathBuf),
}

impl From<OsString> for Wish {
    fn from(word: OsString) -> Wish {
        match word.to_str() {
            Some("as-linked") => Wish::AsLinked,
            Some("libomp") => Wish::Libomp,
            _ => Wish::File(word.into()),
        }
    }
}

#[derive(Debug)]
pub enum Served {
    /// By what it is linked with, if it is with any.
    AsLinked,
    /// By this one, in place of libgomp; of Python, also the file of a module that needs that.
    Instead(PathBuf, Option<PathBuf>),
    /// By this one, in place of another one that has the tools interface.
    Other(PathBuf),
    /// By libgomp, since no other can; likewise.
    Libgomp(Unable, Option<PathBuf>),
}

#[derive(Debug)]
pub enum Unable {
    None,
    /// The file is, or needs, another runtime that would be in its process.
    Beside(PathBuf),
    Lacking {
        runtime: PathBuf,
        /// Which ones, after the file whose function is called: two runtimes would be in one program. If that file is the
        /// runtime, it has it by name only.
        functions: BTreeSet<(String, String)>,
    },
}

impl Display for Unable {
    fn fmt(&self, to: &mut Formatter<'_>) -> fmt::Result {
        let (runtime, functions) = match self {
            Unable::Lacking { runtime, functions } => (runtime, functions),
            Unable::Beside(file) => return write!(to, "{} has a runtime of its own", file.display()),
            Unable::None => return to.write_str("there is no libomp here that could serve it"),
        };
        let files: BTreeSet<&str> = functions.iter().map(|(file, _)| file.as_str()).collect();
        let shown = runtime.display().to_string();
        let of_each = files.into_iter().map(|file| {
            let of_file = functions.iter().filter(|(of, _)| of == file);
            let names = of_file.map(|(_, name)| name.as_str()).collect::<Vec<_>>().join(", ");
            if file == file_name(&shown) {
                format!("does only a part of {names}")
            } else {
                format!("cannot take its calls of {names}, which go to {file}")
            }
        });
        write!(to, "{shown} {}", of_each.collect::<Vec<_>>().join(", and "))
    }
}

/// By which runtime a program shall be served; `majors` are those of LLVM here. It is an error if one that the user named cannot be had.
pub fn serving(name: &OsStr, wish: Option<&Wish>, majors: &[u32]) -> Result<Served, Failure> {
    let named = match wish {
        Some(Wish::AsLinked) => return Ok(Served::AsLinked),
        Some(Wish::File(file)) => Some(usable(file)?),
        Some(Wish::Libomp) | None => None,
    };
    let found = program::find(name).and_then(|path| std::path::absolute(path).ok());
    let own = |path: PathBuf| needs::interpreter(&path).map(|linker| (path, linker));
    let modules = found.as_deref().filter(|_| wish.is_none()).and_then(python::modules);
    let module = modules.as_ref().map(|modules| modules.of_libgomp[0].clone());
    if let Some(beside) = modules.as_ref().and_then(|modules| modules.of_others.first()) {
        return Ok(Served::Libgomp(Unable::Beside(beside.clone()), module));
    }
    let asked = match (found.and_then(own), wish) {
        (Some((path, linker)), None) if needs_libgomp_alone(&path, &linker) => Some((path, linker)),
        (_, None) if modules.is_none() => None,
        // A script: what is loaded into this process is loaded into others too.
        (found, _) => found.or_else(|| std::env::current_exe().ok().and_then(own)),
    };
    let Some((path, linker)) = asked else { return Ok(Served::AsLinked) };
    let candidates = match &named {
        Some(file) => vec![file.clone()],
        None => candidates(majors),
    };
    // While the dynamic linker does its work.
    let (usual, mut first, calls) = std::thread::scope(|scope| {
        let calls = scope.spawn(|| {
            let mut by_files = ByFiles::default();
            modules.as_ref().map(|modules| modules.calls(|file, name| by_files.does_all(file, name)))
        });
        let usual = traced(&path, &linker, None);
        let first = candidates.first().and_then(|first| traced(&path, &linker, Some(first)));
        (usual, first, calls.join().unwrap_or_else(|panic| resume_unwind(panic)))
    });
    let mut unable = Unable::None;
    for (at, candidate) in candidates.into_iter().enumerate() {
        let traced = if at == 0 { first.take() } else { traced(&path, &linker, Some(&candidate)) };
        let both = usual.as_ref().zip(traced);
        let Some(mut bound) = both.and_then(|(usual, traced)| Bound::with(&candidate, &path, usual, &traced)) else {
            continue;
        };
        if let Some(calls) = &calls {
            let there: BTreeSet<String> = python::functions(&bound.runtime, false).into_iter().collect();
            let lacking = calls.iter().filter(|(_, name, is_done)| !is_done || !there.contains(name));
            bound.lacking.extend(lacking.map(|(file, name, _)| (file.clone(), name.clone())));
        }
        if bound.lacking.is_empty() {
            // One that is linked with libgomp and calls nothing of it may load what does; the user knows.
            // Where it was found cannot always be said in the list; the dynamic linker finds it there by its name.
            let runtime = if has_separators(&bound.runtime) { candidate } else { bound.runtime };
            return Ok(match bound.is_called || wish.is_some() || module.is_some() {
                true if bound.has_ompt => Served::Other(runtime),
                true => Served::Instead(runtime, module),
                false => Served::AsLinked,
            });
        }
        // The first one's: the system's.
        if let Unable::None = unable {
            unable = Unable::Lacking { runtime: bound.runtime, functions: bound.lacking };
        }
    }
    match (unable, wish, named) {
        (Unable::None, Some(_), Some(file)) => Err(Failure::new(
            format!("--runtime: the dynamic linker does not load {} into this program", file.display()),
            "name a libomp.so.5 or libiomp5.so for the same machine",
        )),
        (unable, Some(_), _) => {
            Err(Failure::new(format!("--runtime: {unable}"), "--runtime as-linked runs it with what it is linked with"))
        }
        (unable, None, _) => Ok(Served::Libgomp(unable, module)),
    }
}

/// Milliseconds that waiting threads spin: libgomp tests 300,000 times, which takes 3 to 13; libomp's default is 200.
const SPIN: &str = "5";

/// What is said of it; `None`: the user has said it.
pub fn spin() -> Option<String> {
    let is_said = is_any_set(&["OMP_WAIT_POLICY", "KMP_BLOCKTIME", "KMP_LIBRARY", "GOMP_SPINCOUNT"]);
    (!is_said).then(|| format!("KMP_BLOCKTIME={SPIN}"))
}

fn is_any_set(names: &[&str]) -> bool {
    names.iter().any(|name| std::env::var_os(name).is_some())
}

/// In place of libgomp, whose defaults are others: threads' stacks and spinning, `schedule(runtime)`, fewer warnings.
pub fn attach(command: &mut Command, runtime: &Path) {
    preload::add(command, runtime);
    if spin().is_some() {
        command.env("KMP_BLOCKTIME", SPIN);
    }
    let stack = rustix::process::getrlimit(rustix::process::Resource::Stack).current;
    let larger = stack.filter(|stack| *stack > STACK);
    if let Some(stack) = larger.filter(|_| !is_any_set(&["OMP_STACKSIZE", "KMP_STACKSIZE", "GOMP_STACKSIZE"])) {
        command.env("KMP_STACKSIZE", format!("{stack}B"));
    }
    // With places libomp's teams have a thread for each processor of these, and libgomp's for each that the process may use.
    if is_any_set(&["OMP_PLACES", "OMP_PROC_BIND", "GOMP_CPU_AFFINITY"]) && !is_any_set(&["OMP_NUM_THREADS"]) {
        let processors = rustix::thread::sched_getaffinity(None).map(|allowed| allowed.count().to_string());
        command.envs(processors.map(|processors| ("OMP_NUM_THREADS", processors)));
    }
    for (name, value) in [("OMP_SCHEDULE", "dynamic,1"), ("KMP_WARNINGS", "0")] {
        if !is_any_set(&[name]) {
            command.env(name, value);
        }
    }
}

/// The variables that say something to libgomp only.
pub fn unread() -> Vec<String> {
    let names = std::env::vars_os().filter_map(|(name, _)| name.into_string().ok());
    let mut unread: Vec<_> =
        names.filter(|name| name.starts_with("GOMP_") && !READ_BY_BOTH.contains(&name.as_str())).collect();
    unread.sort();
    unread
}

fn usable(file: &Path) -> Result<PathBuf, Failure> {
    let path = std::path::absolute(file).unwrap_or_else(|_| file.to_owned());
    if !has_separators(&path) {
        return Ok(path);
    }
    Err(Failure::new(
        format!("--runtime: {} cannot be in {PRELOAD}: colons and blanks separate its entries", path.display()),
        "make a link to it whose path has neither",
    ))
}

/// What the system finds by itself comes first: it is what programs of clang get here.
fn candidates(majors: &[u32]) -> Vec<PathBuf> {
    let of_major = |major| PathBuf::from(format!("/usr/lib/llvm-{major}/lib/libomp.so.5"));
    let usual = ["libomp.so.5", "libomp.so"].map(PathBuf::from);
    usual.into_iter().chain(majors.iter().map(of_major)).collect()
}

/// A runtime that has the tools interface would be asked for it whatever else is there.
fn needs_libgomp_alone(program: &Path, linker: &Path) -> bool {
    let Some(text) = needs::listed(program, linker) else { return false };
    let mut has_libgomp = false;
    let has_tools = names(&text).any(|name| {
        has_libgomp |= needs::is_libgomp(name);
        needs::has_ompt(name)
    });
    has_libgomp && !has_tools
}

/// What files want of a runtime's functions; whether they may have loops that count down and that libomp gets wrong then.
#[derive(Default)]
struct ByFiles(HashMap<PathBuf, bool>);

impl ByFiles {
    /// Does libomp do all for which a file calls a function that it has?
    fn does_all(&mut self, file: &Path, symbol: &str) -> bool {
        let mut counts_down = || *self.0.entry(file.to_owned()).or_insert_with_key(|file| may_count_down(file));
        let is_by_name = BY_NAME.contains(&symbol) || DOACROSS.iter().any(|doacross| symbol.starts_with(doacross));
        !(is_by_name || is_right_upwards_alone(symbol) && counts_down())
    }
}

/// What a program would call with a runtime preloaded.
struct Bound {
    runtime: PathBuf,
    is_called: bool,
    /// Without it there is another one with the tools interface.
    has_ompt: bool,
    lacking: BTreeSet<(String, String)>,
}

impl Bound {
    /// `None` if the runtime is not there, or cannot be loaded. What is traced without it, and with it.
    fn with(runtime: &Path, program: &Path, usual: &Traced, with: &Traced) -> Option<Bound> {
        let (_, place) = needs::entries_of(&with.loaded).find(|(name, _)| Path::new(name) == runtime)?;
        let bound = Bound::compare(program, place, &usual.bindings, &with.bindings);
        Some(Bound { has_ompt: names(&usual.loaded).any(needs::has_ompt), ..bound })
    }

    fn compare(program: &Path, runtime: &str, before: &str, after: &str) -> Bound {
        // A program may have any name.
        let is_runtime = |file: &str| {
            let name = file_name(file);
            file == runtime || (Path::new(file) != program && (needs::is_libgomp(name) || needs::has_ompt(name)))
        };
        let before = before.lines().filter_map(Binding::parse);
        let before: HashMap<_, _> = before.map(|binding| ((binding.from, binding.symbol), binding.to)).collect();
        let mut by_files = ByFiles::default();
        let mut bound = Bound { runtime: runtime.into(), is_called: false, has_ompt: false, lacking: BTreeSet::new() };
        for binding in after.lines().filter_map(Binding::parse).filter(|binding| !is_runtime(binding.from)) {
            let symbol = binding.symbol;
            let by_name = !by_files.does_all(Path::new(binding.from), symbol);
            let of_libgomp = VERSIONS.iter().any(|version| binding.version.starts_with(version));
            // What somebody else defined until now stays that one's.
            let own = before.get(&(binding.from, symbol)).filter(|to| !is_runtime(to));
            let file = match own {
                Some(own) if binding.to == runtime || of_libgomp => own,
                _ if binding.to == runtime && !by_name => {
                    bound.is_called = true;
                    continue;
                }
                _ if is_runtime(binding.to) => binding.to,
                _ => continue,
            };
            bound.lacking.insert((file_name(file).to_owned(), symbol.to_owned()));
        }
        bound
    }
}

/// What the dynamic linker says that a program loads, and which function would be whose, with a runtime preloaded or without.
fn traced(program: &Path, linker: &Path, runtime: Option<&Path>) -> Option<Traced> {
    let mut command = Command::new(linker);
    let switches = [("LD_TRACE_LOADED_OBJECTS", "1"), ("LD_WARN", "1"), ("LD_BIND_NOW", "1"), ("LD_DEBUG", "bindings")];
    command.arg(program).envs(switches).env_remove("LD_DEBUG_OUTPUT");
    if let Some(runtime) = runtime {
        preload::add(&mut command, runtime);
    }
    // It writes a line in four pieces, of thousands: into memory, as each would wake who reads a pipe.
    let mut bindings = File::from(rustix::fs::memfd_create("bindings", MemfdFlags::CLOEXEC).ok()?);
    let output = command.stderr(bindings.try_clone().ok()?).stdin(Stdio::null()).output().ok()?;
    let mut stderr = Vec::new();
    bindings.rewind().ok()?;
    bindings.read_to_end(&mut stderr).ok()?;
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    output.status.success().then(|| Traced { loaded: text(output.stdout), bindings: text(stderr) })
}

struct Traced {
    loaded: String,
    bindings: String,
}

/// A line of the dynamic linker: `binding file A [0] to B [0]: normal symbol 'S' [V]`
struct Binding<'l> {
    from: &'l str,
    to: &'l str,
    symbol: &'l str,
    version: &'l str,
}

impl<'l> Binding<'l> {
    fn parse(line: &'l str) -> Option<Self> {
        let (files, symbol) = line.rsplit_once(" symbol `")?;
        let (files, _) = files.rsplit_once(" [")?;
        let (from, to) = files.rsplit_once(" [0] to ")?;
        // After a line break in a path there is the rest of it.
        let from = from.split_once("binding file ").map_or(from, |(_, from)| from);
        let (symbol, version) = symbol.split_once('\'')?;
        Some(Binding { from, to, symbol, version: version.trim_matches([' ', '[', ']']) })
    }
}

fn names(list: &str) -> impl Iterator<Item = &str> {
    list.lines().filter_map(|line| line.split_whitespace().next()).map(file_name)
}

pub(crate) fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_the_dynamic_linker() {
        let torn = Binding::parse("b [0] to /l/libgomp.so.1 [0]: normal symbol `GOMP_parallel' [GOMP_4.0]").unwrap();
        assert_eq!((torn.from, torn.symbol), ("b", "GOMP_parallel"));
        let line = "  77:\tbinding file ./a b [0] to /l/libgomp.so.1 [0]: normal symbol `GOMP_parallel' [GOMP_4.0]";
        let binding = Binding::parse(line).unwrap();
        assert_eq!((binding.from, binding.to), ("./a b", "/l/libgomp.so.1"));
        assert_eq!((binding.symbol, binding.version), ("GOMP_parallel", "GOMP_4.0"));
        let without = Binding::parse("1: binding file a [0] to b [0]: protected symbol `f'").unwrap();
        assert_eq!((without.symbol, without.version), ("f", ""));
        assert!(Binding::parse("\tlibc.so.6 => /lib/libc.so.6 (0x0)").is_none());
    }

    fn compared(before: &[(&str, &str, &str)], after: &[(&str, &str, &str)]) -> (bool, String) {
        let lines = |all: &[(&str, &str, &str)]| {
            let line = |(from, to, symbol): &(&str, &str, &str)| {
                format!(" 7:\tbinding file {from} [0] to {to} [0]: normal symbol `{symbol}' [GOMP_1.0]\n")
            };
            all.iter().map(line).collect::<String>()
        };
        let program = Path::new("/b/libgomp-test");
        let bound = Bound::compare(program, "/l/libomp.so.5", &lines(before), &lines(after));
        let unable = Unable::Lacking { runtime: bound.runtime, functions: bound.lacking };
        (bound.is_called, unable.to_string())
    }

    #[test]
    fn whose_functions_are_called() {
        let (app, gomp, omp) = ("/b/libgomp-test", "/l/libgomp-e985.so.1", "/l/libomp.so.5");
        let nothing = "/l/libomp.so.5 ";
        let own = (gomp, gomp, "acc_init");
        assert_eq!(compared(&[own], &[own]), (false, nothing.into()));
        let (before, after) = ((app, gomp, "GOMP_parallel"), (app, omp, "GOMP_parallel"));
        assert_eq!(compared(&[before, own], &[after, own]), (true, nothing.into()));
        let stub = (app, "./libown.so", "omp_get_wtime");
        let missing = (app, gomp, "GOMP_teams4");
        let by_name = (app, omp, "GOMP_loop_ull_doacross_guided_start");
        let part = "/l/libomp.so.5 cannot take its calls of GOMP_teams4, which go to libgomp-e985.so.1, and does only a part of \
                    GOMP_loop_ull_doacross_guided_start, and cannot take its calls of omp_get_wtime, which go to libown.so";
        // As a library does that is linked: the runtime would come before it.
        let taken = (app, omp, "omp_get_wtime");
        assert_eq!(compared(&[before, stub, missing], &[after, taken, missing, by_name]), (true, part.into()));
        // As one does that is preloaded itself.
        assert_eq!(compared(&[before, stub, missing], &[after, stub, missing, by_name]), (true, part.into()));
    }

    #[test]
    fn what_needs_no_libgomp_is_left_alone() {
        assert!(matches!(serving("sh".as_ref(), None, &[]), Ok(Served::AsLinked)));
        assert!(matches!(serving("/nothing".as_ref(), None, &[]), Ok(Served::AsLinked)));
        let blank = Wish::from(OsString::from("/a b/libomp.so"));
        let why = |wish| serving("sh".as_ref(), Some(wish), &[]).unwrap_err().to_string();
        assert!(why(&blank).contains("colons and blanks separate"));
        let none = Wish::from(OsString::from("/nothing/libomp.so"));
        assert!(why(&none).contains("the dynamic linker does not load"));
        assert!(matches!(serving("sh".as_ref(), Some(&OsString::from("as-linked").into()), &[]), Ok(Served::AsLinked)));
    }
}
