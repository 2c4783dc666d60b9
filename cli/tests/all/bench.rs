//! `ompchunk bench`: from command line to report. Numbers are looked at for being there, never for their size.

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
    let mut command = ompchunk(&["bench", "--allow-noisy", "--quick"]);
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
        let clang = format!("clang-{major}");
        let few = ["--cc", &clang, "--opt", "3", "--bodies", "flops", "--chunks", "8"];
        let mut command = bench(&few, at);
        // All with the newest compiler.
        let all = major == majors()[0];
        // Beside those that are named, the program without anything, twice.
        let variants = if all { 11 } else { 4 };
        if !all {
            command.args(["--variants", "plugin,dispatch"]);
        }
        let text = succeed(command.args(["--threads", "2", "--seed", "7"]));
        must_say(&text, "Body flops, 2 threads");
        must_say(&text, "all numbers: results.json");

        let results = results(at);
        assert_eq!(results["format"], "ompchunk-bench");
        assert_eq!(results["version"], 3);
        assert_eq!(results["setup"]["flags"], "-O3 -fopenmp");
        assert_eq!(results["setup"]["seed"], 7);
        let cells = results["cells"].as_array().unwrap();
        let units: Vec<&str> = cells.iter().map(|cell| cell["unit"].as_str().unwrap()).collect();
        assert_eq!(units, ["chunk", "loop"]);
        // Every variant, and the workers checked that each does what its name says.
        assert_eq!(cells[0]["series"].as_array().unwrap().len(), variants);
        for series in cells[0]["series"].as_array().unwrap() {
            let (ns, ratios) = (&series["ns"], &series["log_ratio"]);
            assert!(ns.as_array().unwrap().len() >= 2, "{series}");
            assert_eq!(ns.as_array().unwrap().len(), ratios.as_array().unwrap().len());
            assert!(ns.as_array().unwrap().iter().all(|ns| ns.as_f64().unwrap() > 0.0));
        }
    }
}

/// Whether a team of one is dealt chunks is the runtime's affair: libiomp5 deals them, libomp does not.
#[test]
fn a_team_of_one() {
    let directory = tempfile::tempdir().unwrap();
    let one = ["--bodies", "empty", "--chunks", "8", "--threads", "1"];
    let warning = "gives a team of one the whole loop";
    let text = succeed(&mut bench(&one, directory.path()));
    assert!(text.contains(warning) && !text.contains("Body empty"), "{text}");
    let Some(iomp5) = ompchunk_testkit::runtimes::libiomp5() else { return };
    let library = Path::new(&iomp5).join("libiomp5.so");
    let text = succeed(bench(&one, directory.path()).arg("--runtime").arg(library));
    assert!(!text.contains(warning) && text.contains("Body empty, 1 thread"), "{text}");
}

/// Costs in instructions stand beside those in nanoseconds, and multiples of what was measured in the same run.
#[test]
fn instructions_are_counted() {
    let found = Command::new("valgrind").arg("--version").output();
    if !found.is_ok_and(|output| output.status.success()) {
        let why = "skipped: valgrind is not installed (apt-get install valgrind)";
        assert!(std::env::var_os("CI").is_none(), "{why}");
        eprintln!("{why}");
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path();
    let mut command = ompchunk(&["bench", "--allow-noisy", "--time", "0.1"]);
    command.args(["--output", "results.json", "--bodies", "empty"]);
    command.args(["--chunks", "8", "--threads", "2", "--variants", "plugin,dispatch"]);
    let text = succeed(command.current_dir(at));
    must_say(&text, "Instructions, 1 thread");
    must_say(&text, "Executions of a loop, as multiples");
    let results = results(at);
    let counted = results["instructions"].as_array().unwrap();
    let of = |name: &str| {
        let found = counted.iter().find(|of| of["variant"] == name).unwrap();
        found["execution"].as_f64().unwrap()
    };
    assert_eq!(counted.len(), 3, "not A/A: {counted:?}");
    let (plain, plugin, dispatch) = (of("plain"), of("plugin"), of("dispatch"));
    assert!(plain > 100.0 && plugin > plain && dispatch > plugin + 20.0, "{counted:?}");
}

#[test]
fn reports_in_all_formats() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path();
    let few = ["--bodies", "empty", "--chunks", "1,4", "--threads", "2", "--variants", "plugin,chunk"];
    succeed(&mut bench(&few, at));
    let report = |format: &str| {
        let mut command = ompchunk(&["bench", "report", "results.json", "results.json"]);
        succeed(command.args(["--format", format]).current_dir(at))
    };
    let csv = report("csv");
    // A head; two chunk sizes and the loop in four variants, of two files.
    assert_eq!(csv.lines().count(), 1 + 2 * 3 * 4, "{csv}");
    let markdown = report("markdown");
    assert_eq!(markdown.matches("\n## ").count() + 1, 2, "{markdown}");
    must_say(&markdown, "| chunk | plain, ns per chunk | plain-again | plugin | chunk |");
    let html = report("html");
    assert!(html.starts_with("<!DOCTYPE html>") && html.ends_with("</html>\n"));
    assert_eq!(html.matches("<svg").count(), 4);
    assert!(report("terminal").contains("Bars\n"));
    let (code, stderr) = fail(&mut ompchunk(&["bench", "report", "x", "--format", "pdf"]));
    assert_eq!(code, 2);
    must_say(&stderr, "[possible values: terminal, markdown, csv, html]");
}

/// The workers checked that all extension events come with callbacks, and none without.
#[test]
fn the_thesis_from_end_to_end() {
    for major in majors().into_iter().take(1) {
        let directory = tempfile::tempdir().unwrap();
        let at = directory.path();
        let clang = format!("clang-{major}");
        let few = ["--suite", "thesis", "--cc", &clang, "--threads", "1,2"];
        let text = succeed(&mut bench(&few, at));
        for part in [
            "The thesis' evaluation, -O2 -fopenmp",
            "beside the thesis' figures",
            "callbacks, static, chunks below 16",
            "schedule(guided, chunk), 2 threads",
            "Tasks, 1 thread\n",
            "at most the thesis' 2.7 % more than plain",
        ] {
            must_say(&text, part);
        }
        let results = results(at);
        assert_eq!(results["suite"], "thesis");
        let variants = results["variants"].as_array().unwrap();
        let names: Vec<&str> = variants.iter().map(|variant| variant["name"].as_str().unwrap()).collect();
        let all = ["plain", "plain-again", "plugin", "tool", "stock-tool", "stock-callbacks", "callbacks"];
        assert_eq!(names, all);
        // Two sizes of three schedules and of tasks, with two numbers of threads.
        let cells = results["cells"].as_array().unwrap();
        assert_eq!(cells.len(), 2 * 2 * 4);
        for cell in cells {
            assert!(cell["rounds"].as_u64().unwrap() >= 1, "{cell}");
            assert_eq!(cell["series"].as_array().unwrap().len(), 7);
            for series in cell["series"].as_array().unwrap() {
                assert!(series["ns"].as_array().unwrap().len() >= 2, "{series}");
            }
        }
        let report = |format: &str| {
            let mut command = ompchunk(&["bench", "report", "results.json"]);
            succeed(command.args(["--format", format]).current_dir(at))
        };
        // From the file alone, the same.
        assert!(text.starts_with(report("terminal").trim_end()), "{text}");
        assert_eq!(report("csv").lines().count(), 1 + 16 * 7);
        assert_eq!(report("html").matches("<svg").count(), 8);
        assert!(report("markdown").contains("### `schedule(static, chunk)`, 2 threads"));
    }
}

#[test]
fn what_is_recorded_does_not_stay() {
    let directory = tempfile::tempdir().unwrap();
    let temporary = tempfile::tempdir().unwrap();
    let few = ["--bodies", "empty", "--chunks", "8", "--threads", "2"];
    let mut command = bench(&few, directory.path());
    command.args(["--variants", "recorder"]);
    let text = succeed(command.env("TMPDIR", temporary.path()));
    must_say(&text, "\n  recorder  ");
    let left: Vec<_> = std::fs::read_dir(temporary.path()).unwrap().collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn a_program_in_several_layouts() {
    let directory = directory("app.c", APP);
    let clang = format!("clang-{}", majors()[0]);
    let words = ["--layouts", "2", "--", &clang, "-O2", "-fopenmp", "app.c", "--", "./app"];
    let finished = bench(&words, directory.path()).output().unwrap();
    let stderr = String::from_utf8_lossy(&finished.stderr).into_owned();
    assert!(finished.status.success(), "{stderr}");
    for variant in ["plain", "plain-again", "plugin"] {
        let line = format!("ompchunk: {variant}, by layout: ");
        let at = stderr.find(&line).unwrap_or_else(|| panic!("{stderr}"));
        let numbers = stderr[at + line.len()..].lines().next().unwrap();
        let numbers: Vec<f64> = numbers.split(' ').map(|n| n.parse().unwrap()).collect();
        assert_eq!(numbers.len(), 2, "{stderr}");
        assert!(numbers.iter().all(|ratio| *ratio > 0.0), "{stderr}");
    }
}

#[test]
fn any_program_in_pairs() {
    let (mut command, directory) = program(APP, &["-o", "app"], &["./app", "--allow-noisy"]);
    let text = succeed(&mut command);
    must_say(&text, "./app --allow-noisy without and with the plugin");
    let results = results(directory.path());
    assert_eq!(results["suite"], "program");
    let series = results["cells"][0]["series"].as_array().unwrap();
    let names: Vec<&str> = series.iter().map(|of| of["variant"].as_str().unwrap()).collect();
    assert_eq!(names, ["plain", "plain-again", "plugin"]);
    assert!(series.iter().all(|of| of["ns"].as_array().unwrap().len() >= 2));
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
fn what_is_unknown_is_told_with_what_is_known() {
    let directory = tempfile::tempdir().unwrap();
    for (arguments, sentence) in [
        (["--suite", "chnk"], "a suite of: chunk, thesis, schedules"),
        (["--bodies", "emty"], "a body of: empty, flops, delay, call"),
        (["--variants", "plgin"], "a variant of: plain, plain-again, plugin, shim, "),
        (["--cc", "gcc"], "gcc is no clang"),
        (["--cc", "no-such-clang"], "no-such-clang is no compiler"),
        (["--runtime", "/no/such/libiomp5.so"], "--runtime /no/such/libiomp5.so: No such file"),
    ] {
        let (code, stderr) = fail(&mut bench(&arguments, directory.path()));
        assert_eq!(code, 1);
        assert!(stderr.contains(sentence), "{arguments:?}: {stderr}");
        must_say(&stderr, "ompchunk: next: ");
    }
    let (_, stderr) = fail(&mut bench(&["--", "clang", "app.c"], directory.path()));
    must_say(&stderr, "after -- comes how to compile the program");
}

#[test]
fn doubtful_conditions_stop_unless_allowed() {
    let directory = tempfile::tempdir().unwrap();
    let mut command = ompchunk(&["bench", "--quick", "--threads", "256"]);
    let (code, stderr) = fail(command.current_dir(&directory));
    assert_eq!(code, 1);
    must_say(&stderr, "256 threads on ");
    must_say(&stderr, "--allow-noisy to measure all the same");
}

#[test]
fn files_that_are_no_results() {
    let directory = tempfile::tempdir().unwrap();
    for (text, sentence) in [
        ("", "holds no results of ompchunk bench"),
        ("{\"format\":\"perf\",\"version\":1}", "its format is perf"),
        ("{\"format\":\"ompchunk-bench\",\"version\":99}", "of version 99, this ompchunk reads up to"),
    ] {
        std::fs::write(directory.path().join("f.json"), text).unwrap();
        let mut command = ompchunk(&["bench", "report", "f.json"]);
        let (code, stderr) = fail(command.current_dir(&directory));
        assert_eq!(code, 1);
        must_say(&stderr, sentence);
    }
    let (_, stderr) = fail(&mut ompchunk(&["bench", "report", "/no/such.json"]));
    must_say(&stderr, "cannot read /no/such.json: No such file");
}
