//! `ompchunk bench`: from command line to text and JSON. Numbers are looked at for being there, never for their size.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::common::{directory, fail, majors, must_say, ompchunk, succeed};

/// A loop whose sum is printed.
const APP: &str = "#include <stdio.h>\nint main(int argc, char **argv) {\n  long sum = 0;\n\
#pragma omp parallel for schedule(static, 3) reduction(+ : sum)\n  for (int i = 0; i < 1000; i++)\n    \
sum += i;\n  printf(\"%s %ld\\n\", argc > 1 ? argv[1] : \"\", sum);\n  return 0;\n}\n";

/// Tells a program with static loops that the plugin saw from one without.
const TELLTALE: &str = "#include <stdio.h>\nextern char __start_ompchunk_loops[] __attribute__((weak));\n\
int main(void) {\n#pragma omp parallel for schedule(static, 3)\n  for (int i = 0; i < 9; i++)\n    \
__asm__ volatile(\"\");\n  ";

fn bench(arguments: &[&str], at: &Path) -> Command {
    let mut command = ompchunk(&["bench", "--time", "2"]);
    command.args(["--output", "results.json"]).args(arguments);
    command.current_dir(at);
    command
}

fn program(source: &str, flags: &[&str], run: &[&str]) -> (Command, tempfile::TempDir) {
    let directory = directory("app.c", source);
    let clang = format!("clang-{}", majors()[0]);
    let mut words = vec!["--", &clang, "-O2", "-fopenmp", "app.c"];
    words.extend(flags);
    words.push("--");
    words.extend(run);
    (bench(&words, directory.path()), directory)
}

fn results(at: &Path) -> Value {
    let text = std::fs::read_to_string(at.join("results.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

#[test]
fn a_chunk_from_end_to_end() {
    for major in majors() {
        let directory = tempfile::tempdir().unwrap();
        let at = directory.path();
        let mut command = bench(&[], at);
        let text = succeed(command.env("OMPCHUNK_CC", format!("clang-{major}")));
        must_say(&text, "ns per chunk of plain clang, and above it: body empty, ");
        must_say(&text, "ns per execution of a loop of one chunk per thread");
        must_say(&text, "all numbers: results.json");

        let results = results(at);
        assert_eq!(results["format"], "ompchunk-bench");
        assert_eq!(results["version"], 4);
        assert_eq!(results["suite"], "chunk");
        assert_eq!(results["setup"]["flags"], "-O2 -fopenmp");
        let compiler = results["setup"]["compiler"].as_str().unwrap();
        assert!(compiler.contains(&format!("version {major}")), "{compiler}");
        let cells = results["cells"].as_array().unwrap();
        let units: Vec<&str> = cells.iter().map(|cell| cell["unit"].as_str().unwrap()).collect();
        assert_eq!(units, ["chunk", "chunk", "loop"]);
        // Every variant, and the workers checked that each does what its name says.
        let names = ["plain", "plain-again", "plugin", "shim", "chunk", "recorder"];
        for cell in cells {
            let series = cell["series"].as_array().unwrap();
            assert_eq!(series.iter().map(|of| of["variant"].as_str().unwrap()).collect::<Vec<_>>(), names);
            for (place, of) in series.iter().enumerate() {
                let (ns, ratios) = (&of["blocks"]["ns"], &of["blocks"]["log_ratio"]);
                assert!(ns.as_array().unwrap().len() >= 2, "{of}");
                assert_eq!(ns.as_array().unwrap().len(), ratios.as_array().unwrap().len());
                assert!(ns.as_array().unwrap().iter().all(|ns| ns.as_f64().unwrap() > 0.0));
                for figure in ["ratio", "above_ns"] {
                    let (low, high) = (&of[figure]["low"], &of[figure]["high"]);
                    assert_eq!(low.is_number() && high.is_number(), place > 0, "{figure}: {of}");
                }
                assert!(of["ns"]["low"].as_f64().unwrap() <= of["ns"]["middle"].as_f64().unwrap(), "{of}");
            }
        }
    }
}

#[test]
fn what_is_recorded_does_not_stay() {
    let directory = tempfile::tempdir().unwrap();
    let temporary = tempfile::tempdir().unwrap();
    succeed(bench(&[], directory.path()).env("TMPDIR", temporary.path()));
    let left: Vec<_> = std::fs::read_dir(temporary.path()).unwrap().collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn any_program_in_pairs() {
    let (mut command, directory) = program(APP, &["-o", "app"], &["./app", "--quick"]);
    let text = succeed(&mut command);
    must_say(&text, "./app --quick without and with the plugin");
    let results = results(directory.path());
    assert_eq!(results["suite"], "program");
    let series = results["cells"][0]["series"].as_array().unwrap();
    let names: Vec<&str> = series.iter().map(|of| of["variant"].as_str().unwrap()).collect();
    assert_eq!(names, ["plain", "plain-again", "plugin"]);
    assert!(series.iter().all(|of| of["blocks"]["ns"].as_array().unwrap().len() >= 2));
    // Neither build is put where the user's would be.
    assert!(!directory.path().join("app").exists());
    assert!(!directory.path().join("a.out").exists());
}

/// As the README has it, on a machine like any other: with the runtime that Debian has, and whatever else runs.
#[test]
fn a_program_is_measured_wherever_it_runs() {
    let directory = directory("app.c", APP);
    let clang = format!("clang-{}", majors()[0]);
    let mut command = ompchunk(&["bench", "--quick", "--", &clang]);
    command.args(["-O2", "-fopenmp", "app.c", "--", "./app"]);
    let text = succeed(command.current_dir(directory.path()));
    assert!(
        text.contains("the result holds for this OpenMP runtime, /usr/lib/")
            && text.contains("built with its debugging paths"),
        "{text}"
    );
}

#[test]
fn a_program_that_does_something_else_with_the_plugin() {
    let prints = format!("{TELLTALE}printf(\"%d\", __start_ompchunk_loops != 0);\n}}\n");
    let (mut command, directory) = program(&prints, &[], &["./app"]);
    let (_, stderr) = fail(&mut command);
    must_say(&stderr, "(plugin, no shim): printed something else than without the plugin");
    assert!(!directory.path().join("results.json").exists());
    let ends = format!("{TELLTALE}return __start_ompchunk_loops ? 3 : 0;\n}}\n");
    let (_, stderr) = fail(&mut program(&ends, &[], &["./app"]).0);
    must_say(&stderr, "ended with exit status: 3 instead of exit status: 0");
}

#[test]
fn a_program_that_prints_the_time_is_not_compared() {
    let text = "#include <stdio.h>\n#include <time.h>\nint main(void) {\n  struct timespec t;\n  \
clock_gettime(CLOCK_MONOTONIC, &t);\n  printf(\"%ld\\n\", t.tv_nsec);\n}\n";
    let (mut command, directory) = program(text, &[], &["./app"]);
    succeed(&mut command);
    let warnings = results(directory.path())["warnings"].to_string();
    must_say(&warnings, "differs from run to run even without the plugin");
}

#[test]
fn a_program_that_does_not_compile_or_run() {
    let (_, stderr) = fail(&mut program("int main(void) { return x; }\n", &[], &["./app"]).0);
    must_say(&stderr, "the program without the plugin does not compile: app.c:1:");
    let fails = "#include <stdio.h>\nint main(void) {\n  fputs(\"oh no\\n\", stderr);\n  return 4;\n}\n";
    let (_, stderr) = fail(&mut program(fails, &[], &["./app"]).0);
    must_say(&stderr, "./app, without the plugin: exit status: 4; oh no");
    let (_, stderr) = fail(&mut program(APP, &["-c"], &["./app"]).0);
    must_say(&stderr, "with -c the compiler makes no program");
}

#[test]
fn mistakes() {
    let directory = tempfile::tempdir().unwrap();
    for (arguments, sentence) in [
        (&["--runtime", "/no/such/libiomp5.so"][..], "--runtime /no/such/libiomp5.so: No such file"),
        (&["--", "clang", "app.c"], "after -- comes how to compile the program"),
        (&["--", "gcc", "app.c", "--", "./app"], "gcc is no clang"),
        (&["--", "no-such-clang", "app.c", "--", "./app"], "no-such-clang is no compiler"),
    ] {
        let (code, stderr) = fail(&mut bench(arguments, directory.path()));
        assert_eq!(code, 1);
        assert!(stderr.contains(sentence), "{arguments:?}: {stderr}");
        must_say(&stderr, "ompchunk: next: ");
    }
    let (code, _) = fail(&mut bench(&["--record"], directory.path()));
    assert_eq!(code, 2, "without a program there is nothing to record");
}
