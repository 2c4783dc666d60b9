//! The safe layer under real runtimes: stock libomp and libiomp5, with the tool of `examples/probe.rs`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use ompchunk_testkit::compilers::clang;
use ompchunk_testkit::runtimes::{self, Runtime};

use crate::common::{omp_headers, scratch};

/// Sum of the program's loops: 20 rounds, two loops of 0 to 299.
const RESULT: &str = "1794000\n";

fn source(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/c").join(name)
}

fn compile(name: &str, file: &str, flags: &[&str]) -> PathBuf {
    let path = scratch().join(name);
    let result = Command::new(clang())
        .args(["-O1", "-Wall", "-Werror"])
        .arg("-idirafter")
        .arg(&omp_headers()[0].1)
        .arg(source(file))
        .args(flags)
        .arg("-o")
        .arg(&path)
        .output()
        .expect("clang starts");
    assert!(result.status.success(), "{file}: {}", String::from_utf8_lossy(&result.stderr));
    path
}

/// The example, built with this test.
fn probe() -> PathBuf {
    let program = std::env::current_exe().expect("a test has a path");
    let profile = program.ancestors().nth(2).expect("target/<profile>");
    let path = profile.join("examples/libprobe.so");
    assert!(path.exists(), "no {}: run `cargo build -p ompt --examples`", path.display());
    path
}

/// Teams of one within regions: exact. Of several there, runtimes of LLVM's source give the team back before they tell the end of its
/// region, so the data that the end comes with may be another thread's region's (`__kmp_join_call` of `kmp_runtime.cpp`).
const FLAT: &str = "1";
const NESTED: &str = "2";

fn run(program: &Path, argument: Option<&str>, mode: &str, directory: Option<&Path>) -> Output {
    run_with(program, argument, mode, directory, FLAT)
}

fn run_with(program: &Path, argument: Option<&str>, mode: &str, directory: Option<&Path>, levels: &str) -> Output {
    let mut command = Command::new(program);
    command.args(argument).env("PROBE", mode);
    for name in ["OMP_TOOL", "LD_PRELOAD", "LD_LIBRARY_PATH", "RUST_BACKTRACE"] {
        command.env_remove(name);
    }
    if let Some(directory) = directory {
        command.env("LD_LIBRARY_PATH", directory);
    }
    // More threads than processors must not spin.
    command.env("KMP_BLOCKTIME", "0").env("OMP_MAX_ACTIVE_LEVELS", levels);
    command.env("OMP_TOOL_LIBRARIES", probe()).output().expect("the program starts")
}

/// `name=value` of the line of the probe's that begins so.
fn said(output: &Output, what: &str) -> BTreeMap<String, i64> {
    let text = String::from_utf8_lossy(&output.stderr);
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix("probe: ")?.strip_prefix(what))
        .unwrap_or_else(|| panic!("nothing of {what} in\n{text}"));
    line.split_whitespace()
        .filter_map(|field| field.split_once('='))
        .map(|(name, value)| (name.to_owned(), value.parse().expect("a number")))
        .collect()
}

fn succeeds(output: &Output, prints: &str, runtime: &str) {
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{runtime}: {:?}\n{errors}", output.status);
    assert_eq!(String::from_utf8_lossy(&output.stdout), prints, "{runtime}\n{errors}");
}

#[test]
fn values_are_there_and_go_when_their_owners_go() {
    let program = compile("values", "program.c", &["-fopenmp"]);
    for Runtime { name: runtime, directory } in runtimes::two() {
        let nested = run_with(&program, None, "", directory.as_deref(), NESTED);
        succeeds(&nested, RESULT, runtime);
        let output = run(&program, None, "", directory.as_deref());
        succeeds(&output, RESULT, runtime);
        let (threads, parallels, tasks) =
            (said(&output, "threads"), said(&output, "parallels"), said(&output, "tasks"));
        let end = said(&output, "end");
        println!("{runtime}: {threads:?} {parallels:?} {tasks:?} {end:?}");
        for (name, kind) in [("threads", &threads), ("parallels", &parallels), ("tasks", &tasks)] {
            assert_eq!(kind["missing"], 0, "{runtime}: {name}");
        }
        // 20 rounds, each with a nested region per thread, and 10 tasks; 3 implicit tasks and 1 in each nested region.
        assert_eq!((parallels["made"], parallels["alive"]), (80, 0), "{runtime}");
        assert!(tasks["made"] >= 20 * (3 + 3 + 10), "{runtime}: {tasks:?}");
        // A runtime may send the ends of its workers' last implicit tasks late or never, but not those of 320.
        assert!(tasks["alive"] <= threads["made"], "{runtime}: {tasks:?}");
        assert!(threads["made"] >= 3 && threads["alive"] <= threads["made"], "{runtime}: {threads:?}");
        assert_eq!((end["loops"], end["panics"]), (120, 0), "{runtime}");
        assert!(end["chunks"] >= 20 * (3 + 30), "{runtime}: {end:?}");
    }
}

#[test]
fn a_tool_that_panics_everywhere_does_not_harm_the_program() {
    let program = compile("panics", "program.c", &["-fopenmp"]);
    for Runtime { name: runtime, directory } in runtimes::two() {
        let nested = run_with(&program, None, "panic", directory.as_deref(), NESTED);
        succeeds(&nested, RESULT, runtime);
        let output = run(&program, None, "panic", directory.as_deref());
        succeeds(&output, RESULT, runtime);
        let end = said(&output, "end");
        assert!(end["panics"] > 120, "{runtime}: {end:?}");
        // What panicked after its value was made dropped it.
        assert_eq!(said(&output, "parallels")["alive"], 0, "{runtime}");
        assert_eq!(said(&output, "threads")["made"], 0, "{runtime}");
    }
}

#[test]
fn a_tool_that_declines_is_not_there() {
    let program = compile("declines", "program.c", &["-fopenmp"]);
    for Runtime { name: runtime, directory } in runtimes::two() {
        for mode in ["decline", "start"] {
            let output = run(&program, None, mode, directory.as_deref());
            succeeds(&output, RESULT, runtime);
            let text = String::from_utf8_lossy(&output.stderr);
            assert!(!text.contains("probe:"), "{runtime}, {mode}\n{text}");
        }
    }
}

/// Some runtimes do not finalize their tool then; the end while a thread is in a callback is in `attacks.rs`.
#[test]
fn a_program_that_exits_while_threads_run_ends_in_order() {
    let program = compile("exits", "program.c", &["-fopenmp"]);
    for Runtime { name: runtime, directory } in runtimes::two() {
        for _ in 0..5 {
            let output = run(&program, Some("exit"), "", directory.as_deref());
            succeeds(&output, "exit\n", runtime);
            let text = String::from_utf8_lossy(&output.stderr);
            assert!(!text.contains("panic") || text.contains("panics=0"), "{runtime}\n{text}");
        }
    }
}

/// A runtime that is unloaded and loaded again, under a tool that stays: each time a new life.
#[test]
fn each_life_of_a_runtime_is_told() {
    let Some(runtime) = runtimes::libiomp5() else { return };
    let host = compile("host", "host.c", &["-ldl"]);
    let (search, rpath) = (format!("-L{}", runtime.display()), format!("-Wl,-rpath,{}", runtime.display()));
    let library =
        compile("part.so", "program.c", &["-DLIBRARY", "-shared", "-fPIC", "-fopenmp=libiomp5", &search, &rpath]);
    let mut command = Command::new(host);
    command.arg(library).env("PROBE", "").env("KMP_BLOCKTIME", "0");
    command.env("OMP_MAX_ACTIVE_LEVELS", FLAT).env_remove("OMP_TOOL_LIBRARIES");
    // Blanks separate the entries of LD_PRELOAD, and the tree may stand anywhere: a name, and where to search it.
    command.env("LD_PRELOAD", "libprobe.so");
    command.env("LD_LIBRARY_PATH", probe().parent().expect("a directory"));
    let output = command.output().expect("the program starts");
    succeeds(&output, &RESULT.repeat(3), "libiomp5");
    let text = String::from_utf8_lossy(&output.stderr);
    let ends = text.matches("probe: end loops=120").count();
    assert_eq!(ends, 3, "{text}");
    assert_eq!(text.matches("probe: parallels made=80 alive=0 missing=0").count(), 3, "{text}");
}
