//! What `record` and `report` say where something is missing: the true cause, and a next step for it.

use std::collections::BTreeSet;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use ompchunk_testkit::traces::{Maker, definition, meta};

use crate::common::recorded::record;
use crate::common::{self, HUNDRED, clean, fail, finish, hundred, majors, must_say, ompchunk, succeed};

fn report(directory: &Path, words: &[&str]) -> Command {
    let mut command = ompchunk(&["report"]);
    command.args(words).current_dir(directory);
    command
}

fn plain(directory: &Path, source: &str, words: &[&str]) {
    let mut clang = clean(format!("clang-{}", majors()[0]));
    clang.args(["-g", source]).args(words);
    succeed(clang.current_dir(directory));
}

#[test]
fn loops_without_the_plugin_are_partly_seen() {
    let directory = common::directory("bare.c", &HUNDRED.replace("static, 1", "static, 10"));
    plain(directory.path(), "bare.c", &["-fopenmp", "-o", "bare"]);
    let (code, _, said) = finish(&mut record(directory.path(), &["./bare"]));
    assert_eq!(code, Some(0), "{said}");
    let line = said.lines().find(|line| line.contains("partly seen")).expect(&said);
    assert!(
        line.starts_with("ompchunk: 1 loop is only partly seen, as it was compiled without the plugin: bare.c:"),
        "{said}"
    );
    must_say(&said, "next: compile that program or library with ompchunk cc");
    // The runtime tells all chunks that it deals out, and the plugin all others.
    std::fs::write(directory.path().join("bare.c"), HUNDRED.replace("static, 1", "dynamic, 10")).unwrap();
    plain(directory.path(), "bare.c", &["-fopenmp", "-o", "bare"]);
    hundred(directory.path(), majors()[0], &[]);
    for program in ["./bare", "./app"] {
        let said = finish(&mut record(directory.path(), &[program])).2;
        assert!(!said.contains("partly seen"), "{said}");
    }
}

/// A library without it, in a program with it.
#[test]
fn a_library_without_the_plugin() {
    let library = "void f(void) {\n#pragma omp parallel for schedule(static, 10) num_threads(2)\n  \
                   for (int i = 0; i < 100; i++) __asm__ volatile(\"\");\n}\n";
    let directory = common::directory("part.c", library);
    plain(directory.path(), "part.c", &["-fopenmp", "-fPIC", "-shared", "-o", "libpart.so"]);
    let main = HUNDRED.replace("int main(void) {", "void f(void);\nint main(void) {\n  f();");
    std::fs::write(directory.path().join("app.c"), main).unwrap();
    common::compile(&directory, majors()[0], "-fopenmp app.c -o app ./libpart.so");
    let said = finish(&mut record(directory.path(), &["./app"])).2;
    must_say(&said, "2 loops, 100 chunks");
    must_say(&said, "plugin: part.c:2\n");
}

/// The reason is known where no tool can watch the program.
#[test]
fn why_nothing_was_recorded() {
    let directory = common::directory("gnu.c", "int main(void) { return 0; }\n");
    let directory = directory.path();
    no_runtime_with_tools(directory);
    no_call_of_the_runtime(directory);
    another_environment(directory);
}

/// What the command says of a run of which nothing was recorded.
fn nothing_of(directory: &Path, words: &[&str]) -> String {
    let (code, _, said) = finish(&mut record(directory, words));
    assert_eq!(code, Some(125), "{said}");
    assert!(said.starts_with("ompchunk: nothing was recorded: "), "{said}");
    assert_eq!(said.matches("ompchunk: next: ").count(), 1, "{said}");
    said
}

/// A library of that name is all that such a program is linked with.
fn no_runtime_with_tools(directory: &Path) {
    std::fs::write(directory.join("gomp.c"), "int GOMP_none;\n").unwrap();
    let soname = "-Wl,-soname,libgomp.so.1";
    plain(directory, "gomp.c", &["-shared", "-fPIC", soname, "-o", "libgomp.so.1"]);
    let linked = ["-Wl,--no-as-needed,-rpath,.", "./libgomp.so.1", "-o", "gnu"];
    plain(directory, "gnu.c", &linked);
    let text = nothing_of(directory, &["./gnu"]);
    must_say(&text, "./gnu is linked with libgomp");
    must_say(&text, "next: compile it with ompchunk cc");
    assert!(!text.contains("no OpenMP runtime asked"), "{text}");
    plain(directory, "gnu.c", &["-static", "-o", "static"]);
    let text = nothing_of(directory, &["./static"]);
    must_say(&text, "./static is linked statically");
}

fn no_call_of_the_runtime(directory: &Path) {
    plain(directory, "gnu.c", &["-fopenmp", "-Wl,--no-as-needed", "-o", "none"]);
    let text = nothing_of(directory, &["./none"]);
    let wanted = "./none is linked with one, but calls nothing of it: it was compiled without -fopenmp";
    must_say(&text, wanted);
    let may_call =
        "int main(int argc, char **argv) {\nif (argc > 1)\n#pragma omp parallel\n  argv[0] = 0;\n  return 0;\n}\n";
    std::fs::write(directory.join("may.c"), may_call).unwrap();
    plain(directory, "may.c", &["-fopenmp", "-o", "may"]);
    let text = nothing_of(directory, &["./may"]);
    must_say(&text, "perhaps called nothing of it in this run");
    // The same without the flag, and no runtime at all.
    plain(directory, "may.c", &["-o", "without"]);
    let text = nothing_of(directory, &["./without"]);
    let wanted = "./without is linked with none, as what is compiled without -fopenmp";
    must_say(&text, wanted);
    must_say(&text, "next: compile and link what has the loops with ompchunk cc");
}

fn another_environment(directory: &Path) {
    hundred(directory, majors()[0], &[]);
    let text = nothing_of(directory, &["env", "-i", "./app"]);
    must_say(&text, "env may start a program without this environment");
    let text = nothing_of(directory, &["sh", "-c", "env -i ./app"]);
    must_say(&text, "an environment of its own, or under another root");
}

/// Three ranks; the second one's part is damaged: in its head, or in a block.
#[test]
fn one_bad_part_of_many() {
    let in_head = 0;
    let in_first_block = 4096 + 48;
    for place in [in_head, in_first_block] {
        let directory = tempfile::tempdir().unwrap();
        let paths = three_ranks(directory.path());
        damage(&paths[1], place);
        the_report_names_it(directory.path());
        exports_are_without_it(directory.path());
        // Nothing is asked of it.
        let mut command = ompchunk(&["export", ".", "--to", "csv", "x.csv", "--rank", "0"]);
        let (code, _, said) = finish(command.current_dir(directory.path()));
        assert_eq!(code, Some(0), "{said}");
        assert_eq!(said.contains("rank-1.trace"), place == in_head, "{said}");
        damage(&paths[0], place);
        damage(&paths[2], place);
        of_nothing_there_is_nothing(directory.path());
    }
}

fn three_ranks(directory: &Path) -> Vec<PathBuf> {
    let of_rank = |rank| {
        let mut maker = Maker::new(directory, &format!("rank-{rank}"), &meta(Some(rank)));
        maker.threads(2, &[definition(0, 12, "main")]);
        let end = maker.execute(10, 1, 0, &[&[(10, 0)], &[(10, 0)]]);
        maker.finish(end + 10)
    };
    (0..3).map(of_rank).collect()
}

fn damage(path: &Path, place: usize) {
    let mut bytes = std::fs::read(path).unwrap();
    bytes[place] = 99;
    std::fs::write(path, bytes).unwrap();
}

fn the_report_names_it(directory: &Path) {
    let text = succeed(&mut report(directory, &["."]));
    must_say(&text, "2 ranks on 1 host");
    let notes: Vec<&str> = text.lines().filter(|line| line.starts_with("note: ")).collect();
    let [note] = notes[..] else { panic!("{text}") };
    assert!(note.contains("rank-1.trace") && note.contains("without that part"), "{note}");
    let (code, out, _) = finish(&mut report(directory, &[".", "--check"]));
    assert_eq!(code, Some(1));
    assert_eq!(out.matches(" events, ").count(), 2, "{out}");
    assert_eq!(out.matches("rank-1.trace is ").count(), 1, "{out}");
}

fn exports_are_without_it(directory: &Path) {
    for (format, file) in [
        ("csv", "x.csv"),
        ("csv", "loops.csv"),
        ("perfetto", "x"),
        ("graphml", "g"),
        ("task-stats", "t"),
        ("parquet", "tables"),
    ] {
        let mut command = ompchunk(&["export", ".", "--to", format, file]);
        if file == "loops.csv" {
            command.args(["--table", "loops"]);
        }
        let (code, _, said) = finish(command.current_dir(directory));
        assert_eq!(code, Some(0), "{format}: {said}");
        let of_part = said.lines().filter(|line| line.contains("rank-1.trace"));
        let lines: Vec<&str> = of_part.collect();
        assert!(matches!(lines[..], [line] if line.contains("the export is without that part (next: ")), "{lines:?}");
    }
    let rows = std::fs::read_to_string(directory.join("x.csv")).unwrap();
    let parts: BTreeSet<&str> = rows.lines().skip(1).filter_map(|line| line.split(',').next()).collect();
    assert_eq!(parts, BTreeSet::from(["rank-0", "rank-2"]), "{rows}");
    let loops = std::fs::read_to_string(directory.join("loops.csv")).unwrap();
    assert!(!loops.contains("rank-1") && loops.contains("rank-2"), "{loops}");
    assert!(!directory.join("tables/chunks/rank=1").exists());
    std::fs::remove_dir_all(directory.join("tables")).unwrap();
}

/// Neither a report nor an export, which costs no older one.
fn of_nothing_there_is_nothing(directory: &Path) {
    let (_, error) = fail(&mut report(directory, &["."]));
    must_say(&error, "ompchunk: next: ");
    let older = std::fs::read(directory.join("x.csv")).unwrap();
    let mut command = ompchunk(&["export", ".", "--to", "csv", "x.csv"]);
    let (_, error) = fail(command.current_dir(directory));
    must_say(&error, "ompchunk: next: ");
    assert_eq!(std::fs::read(directory.join("x.csv")).unwrap(), older);
}

/// A program is looked at while it runs, and after it was killed.
#[test]
fn a_trace_that_is_still_being_written() {
    let program = HUNDRED.replace("  return 0;", "  puts(\"\"); fflush(stdout); getchar();\n  return 0;");
    let directory = common::directory("app.c", &format!("#include <stdio.h>\n{program}"));
    common::compile(&directory, majors()[0], "-fopenmp app.c -o app");
    let mut child = record(directory.path(), &["./app"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut byte = [0];
    child.stdout.as_mut().unwrap().read_exact(&mut byte).unwrap();
    let text = succeed(&mut report(directory.path(), &["app.ompchunk"]));
    must_say(&text, " is still writing this part");
    let checked = succeed(&mut report(directory.path(), &["app.ompchunk", "--check"]));
    must_say(&checked, "still being written, by process ");
    for text in [&text, &checked] {
        for word in ["damaged", "out of order", "killed", "cut"] {
            assert!(!text.contains(word), "{word}: {text}");
        }
    }
    let value = crate::common::json(&mut report(directory.path(), &["app.ompchunk", "--json"]));
    assert_eq!(value["parts"][0]["growing"], true);
    assert_eq!(value["notes"][0]["code"], "growing");
    let pid = value["parts"][0]["pid"].as_i64().unwrap();
    succeed(clean("kill").args(["-9", &pid.to_string()]));
    child.wait().unwrap();
    let text = succeed(&mut report(directory.path(), &["app.ompchunk"]));
    assert!(text.contains("the trace is cut at") && !text.contains("still writing"), "{text}");
}

/// What was recorded is damaged by the time it is looked at: no sum of nothing, and no other cause.
#[test]
fn a_part_that_is_damaged_while_the_program_runs() {
    let directory = tempfile::tempdir().unwrap();
    hundred(directory.path(), majors()[0], &[]);
    let script = "./app; for part in t/*.trace; do printf damage | dd of=$part conv=notrunc status=none; done";
    let mut command = record(directory.path(), &["-o", "t", "sh", "-c", script]);
    let (code, _, said) = finish(&mut command);
    assert_eq!(code, Some(125), "{said}");
    let lines: Vec<&str> = said.lines().collect();
    let [what, next] = lines[..] else { panic!("{said}") };
    assert!(what.ends_with(".trace is not a trace: it does not begin with OMPCHTRC"), "{said}");
    assert!(next.starts_with("ompchunk: next: "), "{said}");
}

/// One of something is not called several.
#[test]
fn one_is_not_several() {
    let directory = tempfile::tempdir().unwrap();
    hundred(directory.path(), majors()[0], &[]);
    let (code, _, said) = finish(&mut record(directory.path(), &["--skip", "1", "./app"]));
    assert_eq!(code, Some(0), "{said}");
    let wanted = "ompchunk: 1 execution of 1 loop was left out at the beginning (--skip)";
    must_say(&said, wanted);
    let report = common::succeed(ompchunk(&["report", "app.ompchunk"]).current_dir(&directory));
    let wanted = "note: 1 execution of 1 loop was left out: ";
    must_say(&report, wanted);
}
