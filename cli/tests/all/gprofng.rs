//! `ompchunk export --to gprofng`: what unmodified GNU gprofng shows of recorded programs.

use std::path::Path;

use crate::common::gprofng::{
    Row, adds_up, built, compile, display, export, inclusive, named, of_report, record, says_nothing_of_note, table,
};
use crate::common::{self, lacks, majors, must_say, ompchunk, succeed};

fn close(one: f64, other: f64, what: &str) {
    // Between chunks and waits the runtime and the recorder work, and the system takes cores away.
    let most = 0.05 + 0.05 * one.max(other);
    assert!((one - other).abs() < most, "{what}: {one} and {other}");
}

/// The program, compiled by any clang, on any runtime.
fn is_as_the_source_has_it(directory: &Path, major: u32, words: &[&str]) {
    let app = compile(directory, major, words);
    let trace = record(&app, &["2", "30"]);
    let (experiment, said) = export(&trace);
    says_nothing_of_note(&said);
    let functions = table(&experiment, &["-functions"]);
    adds_up(&functions);
    let barrier = named(&functions, "<OMP-implicit_barrier>");
    close(barrier.seconds[2], of_report(&trace, "/barrier_seconds"), "barrier");
    for name in functions.iter().map(|function| &function.name) {
        assert!(!name.contains("outlined") && !name.contains("kmp"), "{name}");
    }
    let all = inclusive(&experiment, &["-functions"]);
    let step = named(&all, "step");
    // What began and ended outside of `main` no sample met.
    let rest = ["<OMP-idle>", "<not sampled>"].map(|name| {
        let function = functions.iter().find(|function| function.name == name);
        function.map_or(0.0, |function| function.seconds[0])
    });
    let main = named(&all, "main").seconds[0];
    let total = named(&all, "<Total>").seconds[0];
    close(main + rest[0] + rest[1], total, "main");
    the_loop_alone_is_as_reported(directory, &trace);
    // Threads: the second one waits.
    let threads = table(&experiment, &["-threads"]);
    adds_up(&threads);
    assert_eq!(threads.len(), 3, "{threads:?}");
    lines_are_the_sources(&experiment, step);
    calls_are_the_sources(&experiment);
    let machine = table(&experiment, &["-viewmode", "machine", "-functions"]);
    let is = |part: &str| machine.iter().any(|row: &Row| row.name.contains(part));
    assert!(is("omp_outlined") && is("kmp"), "{machine:?}");
    let region = table(&experiment, &["-indxobj", "OMP_preg"]);
    named(&region, "OpenMP Parallel Region from step, line 19 in \"waits.c\"");
    let source = display(&experiment, &["-source", "step"]);
    must_say(&source, "burn(ms * (threads - k), k);");
}

/// Also while other work takes cores away from the recorder.
fn the_loop_alone_is_as_reported(directory: &Path, trace: &Path) {
    let only = directory.join("loop.er");
    let _ = std::fs::remove_dir_all(&only);
    let mut command = ompchunk(&["export", "--loop", "waits.c", "--to", "gprofng"]);
    succeed(command.arg(trace).arg(&only));
    let beside = of_report(trace, "/off_core/beside_seconds");
    let work = of_report(trace, "/busy_seconds") + of_report(trace, "/recorder_seconds");
    let found = named(&table(&only, &["-functions"]), "<Total>").seconds;
    close(found[1] + found[2], work + beside, "work");
}

fn lines_are_the_sources(experiment: &Path, step: &Row) {
    let lines = table(experiment, &["-lines"]);
    adds_up(&lines);
    for line in 13..=15 {
        if let Some(found) = lines.iter().find(|found| found.name.starts_with(&format!("burn, line {line} "))) {
            assert_eq!(found.name, format!("burn, line {line} in \"waits.c\""));
        }
    }
    let lines = inclusive(experiment, &["-lines"]);
    let call = named(&lines, "step, line 21 in \"waits.c\"");
    // Where other work takes cores away, threads are late at the loop.
    let share = call.seconds[1] / step.seconds[1];
    assert!((0.3..1.01).contains(&share), "{lines:?}");
    named(&lines, "main, line 28 in \"waits.c\"");
}

fn calls_are_the_sources(experiment: &Path) {
    let tree = display(experiment, &["-calltree"]);
    let at = |name: &str| {
        let line = tree.lines().find(|line| line.ends_with(&format!("+-{name}")));
        line.unwrap_or_else(|| panic!("{name}: {tree}")).find("+-").unwrap()
    };
    assert!(at("main") < at("step") && at("step") < at("burn"), "{tree}");
    assert_eq!(at("burn"), at("<OMP-implicit_barrier>"), "{tree}");
}

#[test]
fn of_clang_and_libomp() {
    if lacks(&["gprofng"]) {
        return;
    }
    for major in majors().into_iter().filter(|major| [22, 19].contains(major)) {
        let directory = tempfile::tempdir().unwrap();
        is_as_the_source_has_it(directory.path(), major, &["-fopenmp"]);
    }
}

#[test]
fn of_clang_and_libiomp5() {
    if lacks(&["gprofng"]) {
        return;
    }
    let Some(iomp5) = ompchunk_testkit::runtimes::libiomp5() else { return };
    let directory = tempfile::tempdir().unwrap();
    let iomp5 = iomp5.display();
    let words = ["-fopenmp=libiomp5", &format!("-L{iomp5}"), &format!("-Wl,-rpath,{iomp5}")];
    is_as_the_source_has_it(directory.path(), majors()[0], &words);
}

/// Each process has an experiment within the first one's.
#[test]
fn of_several_processes() {
    let Some((directory, app)) = built() else { return };
    let trace = directory.path().join("two.ompchunk");
    let script = "for rank in 0 1; do PMI_RANK=$rank PMI_SIZE=2 \"$@\" & done; wait";
    let mut command = ompchunk(&["record", "--sample-stacks", "-o"]);
    command.arg(&trace).args(["sh", "-c", script, "sh"]);
    succeed(command.arg(&app).args(["2", "10"]));
    let (experiment, said) = export(&trace);
    says_nothing_of_note(&said);
    assert!(experiment.join("_f1.er/log.xml").exists());
    let list = display(&experiment, &["-experiment_list"]);
    must_say(&list, "_f1.er");
    let threads = table(&experiment, &["-threads"]);
    assert_eq!(threads.len(), 5, "{threads:?}");
    adds_up(&threads);
    let functions = table(&experiment, &["-functions"]);
    adds_up(&functions);
    // Both processes' time is in one row. What has no line in a file that has some is a row per process: little.
    let most = functions[0].seconds[0] / 5.0;
    let much = functions.iter().filter(|function| function.seconds[0] > most);
    let mut names: Vec<&str> = much.map(|much| &*much.name).collect();
    names.sort_unstable();
    let all = names.len();
    names.dedup();
    assert_eq!(names.len(), all, "{functions:?}");
    let barrier = named(&functions, "<OMP-implicit_barrier>");
    close(barrier.seconds[2], of_report(&trace, "/barrier_seconds"), "barrier");
    let one = trace.with_file_name("one.er");
    let mut command = ompchunk(&["export", "--rank", "1", "--to", "gprofng"]);
    succeed(command.arg(&trace).arg(&one));
    assert_eq!(table(&one, &["-threads"]).len(), 3);
}

#[test]
fn of_many_threads() {
    let Some((_directory, app)) = built() else { return };
    let trace = record(&app, &["300", "2", "0.05"]);
    let (experiment, said) = export(&trace);
    says_nothing_of_note(&said);
    let threads = table(&experiment, &["-threads"]);
    assert_eq!(threads.len(), 301);
    adds_up(&threads);
    adds_up(&table(&experiment, &["-functions"]));
}

/// A region of one thread only, then none.
#[test]
fn of_what_is_serial() {
    if lacks(&["gprofng"]) {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let text = "#include <omp.h>\nstatic volatile double sink;\n__attribute__((noinline)) static void work(void) {\n  \
for (long i = 0; i < 200000000; i++)\n    sink += i;\n}\nint main(void) {\n  work();\n  sink += omp_get_max_threads();\n  \
return 0;\n}\n";
    std::fs::write(directory.path().join("serial.c"), text).unwrap();
    common::compile(directory.path(), majors()[0], "-O2 -g -fopenmp serial.c -o app");
    let trace = record(&directory.path().join("app"), &[]);
    let (experiment, _) = export(&trace);
    let functions = table(&experiment, &["-functions"]);
    adds_up(&functions);
    assert_eq!(named(&functions, "<Total>").seconds[2], 0.0, "{functions:?}");
}
