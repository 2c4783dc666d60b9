//! `ompchunk loops`, on every kind of file.

use std::path::Path;

use crate::common::{HUNDRED, clean, directory, fail, hundred, majors, must_say, ompchunk, on_terminal, succeed};

fn table(directory: &Path, file: &str) -> String {
    succeed(ompchunk(&["loops", file]).current_dir(directory))
}

#[test]
fn programs_libraries_objects_and_archives() {
    for major in majors() {
        let directory = tempfile::tempdir().unwrap();
        let at = directory.path();
        hundred(at, major, &["-g", "-ffile-prefix-map=.=/src", "-fdebug-compilation-dir=/src"]);
        let expected = "  main      schedule(static,1)      1      0     1  yes\n";
        let whole = table(at, "app");
        assert!(whole.starts_with("position "), "{whole}");
        must_say(&whole, "app.c:3:1  main");
        assert!(whole.ends_with(expected), "{whole}");

        succeed(clean("strip").arg("app").current_dir(at));
        assert_eq!(table(at, "app"), whole);

        let clang = format!("clang-{major}");
        for (output, flags) in [("app.o", &["-c"][..]), ("app.so", &["-shared", "-fPIC"])] {
            succeed(
                ompchunk(&["cc", "-fopenmp", "app.c", "-o", output])
                    .args(flags)
                    .env("OMPCHUNK_CC", &clang)
                    .current_dir(at),
            );
            assert!(table(at, output).ends_with(expected));
        }

        // With a member that has no loop, and one that is no object.
        std::fs::write(at.join("text"), "no object").unwrap();
        std::fs::write(at.join("empty.c"), "").unwrap();
        succeed(clean(&clang).args(["-c", "empty.c"]).current_dir(at));
        succeed(clean("ar").args(["rc", "app.a", "empty.o", "text", "app.o"]).current_dir(at));
        let archive = table(at, "app.a");
        assert_eq!(archive.lines().count(), 2, "{archive}");
        must_say(&archive, "\napp.o: (no line information)  main");
    }
}

#[test]
fn json_says_the_same() {
    let directory = tempfile::tempdir().unwrap();
    let app = hundred(directory.path(), majors()[0], &["-g"]);
    let value = crate::common::json(ompchunk(&["loops", "--json"]).arg(&app));
    assert_eq!(value["version"], 1);
    assert_eq!(value["loops"].as_array().unwrap().len(), 1);
    let the_loop = &value["loops"][0];
    for (key, expected) in [("line", 3), ("chunk", 1), ("start", 0), ("step", 1), ("variable_bits", 32)] {
        assert_eq!(the_loop[key], expected, "{key}");
    }
    for (key, expected) in [("function", "main"), ("construct", "for"), ("schedule", "schedule(static,1)")] {
        assert_eq!(the_loop[key], expected, "{key}");
    }
}

/// As packages of debug symbols have it: beside the program, in `.debug`, and of another build.
#[test]
fn lines_of_a_separate_debug_file() {
    let directory = directory("plain.c", HUNDRED);
    let at = directory.path();
    let clang = format!("clang-{}", majors()[0]);
    let build = |more: &str| {
        let words = format!("-g -O1 -fopenmp -Wl,--build-id {more} plain.c -o plain");
        succeed(clean(&clang).args(words.split_whitespace()).current_dir(at));
        succeed(clean("objcopy").args(["--only-keep-debug", "plain", "plain.debug"]).current_dir(at));
        succeed(clean("strip").arg("plain").current_dir(at));
        succeed(clean("objcopy").args(["--add-gnu-debuglink=plain.debug", "plain"]).current_dir(at));
    };
    let loops = || succeed(ompchunk(&["loops", "./plain"]).current_dir(at));
    build("-DBEFORE");
    must_say(&loops(), "plain.c:3");
    std::fs::create_dir(at.join(".debug")).unwrap();
    std::fs::rename(at.join("plain.debug"), at.join(".debug/plain.debug")).unwrap();
    must_say(&loops(), "plain.c:3");
    // Only a file of this build is read.
    build("-DBEFORE -O0");
    std::fs::rename(at.join(".debug/plain.debug"), at.join("plain.debug")).unwrap();
    must_say(&loops(), "plain+0x");
}

#[test]
fn what_has_no_loops_says_why() {
    let directory = directory("plain.c", HUNDRED);
    let clang = format!("clang-{}", majors()[0]);
    succeed(clean(&clang).args(["-fopenmp", "plain.c", "-o", "plain"]).current_dir(&directory));
    succeed(clean("strip").arg("plain").current_dir(&directory));
    succeed(clean(&clang).args(["-fopenmp", "-flto", "-c", "plain.c", "-o", "lto.o"]).current_dir(&directory));
    std::fs::write(directory.path().join("short"), b"\x7fELF\x02\x01\x01").unwrap();
    for (file, sentence) in [
        ("/bin/sh", "/bin/sh: it calls no OpenMP runtime"),
        ("plain.c", "neither an ELF file nor an archive"),
        ("lto.o", "LLVM bitcode"),
        ("short", "short: "),
        ("missing", "missing: No such file or directory"),
        (".", "."),
    ] {
        let (code, stderr) = fail(ompchunk(&["loops", file]).current_dir(&directory));
        assert_eq!(code, 1);
        must_say(&stderr, sentence);
        assert!(!stderr.contains("panicked"), "{stderr}");
    }
}

/// Programs without loops, or with loops that nothing can instrument, each with the plugin and without, stripped and not.
#[test]
fn what_is_said_of_other_constructs_is_true() {
    // One that does not come back, so that the plugin leaves them alone.
    let section = "#pragma omp sections\n{\n  x = y;\n#pragma omp section\n  __builtin_unreachable();\n}\n";
    let task = "#pragma omp single\n#pragma omp task\n  x = y;";
    let tasks = in_region(task);
    let sections = in_region(section);
    let both = in_region(&format!("{section}{task}"));
    let dealt = in_region("#pragma omp for schedule(dynamic)\nfor (int i = 0; i < 9; i++)\n  x = y;");
    let no_loop = "it has OpenMP code, but no worksharing loop";
    let either = "no loop of it is instrumented; whether it has any, or only sections,";
    let none = "it has worksharing loops, and none";
    let in_libraries = "may be in its libraries";
    let compile = "compile with ompchunk cc, c++ or fc";
    let if_it_was = "compile with ompchunk cc, c++ or fc; if it was, ";
    let in_part = "the plugin was there for a part of it at least: ";
    for (source, plugin, what, next) in [
        (&tasks, true, no_loop, in_libraries),
        (&tasks, false, no_loop, in_libraries),
        (&sections, true, either, if_it_was),
        (&sections, false, either, if_it_was),
        (&both, true, either, in_part),
        (&both, false, either, if_it_was),
        (&dealt, false, none, compile),
    ] {
        let place = compiled(source, plugin);
        refuses(&place, source, what, next, "by name, to balanced");
        succeed(clean("strip").arg("app").current_dir(&place));
        // Nothing shows where its function ends.
        refuses(&place, source, what, next, "may be copies of one");
    }
}

#[test]
fn sections_are_listed_as_such() {
    let sections = in_region("#pragma omp sections\n{\n  x = y;\n#pragma omp section\n  x = 1;\n}\n");
    let place = compiled(&sections, true);
    let listed = succeed(ompchunk(&["loops", "--json", "app"]).current_dir(&place));
    assert!(listed.contains("\"construct\": \"sections\""), "{listed}");
    assert!(!listed.contains("schedule("), "{listed}");
}

fn in_region(body: &str) -> String {
    format!("static int x, y;\nint main(void) {{\n#pragma omp parallel\n{{\n{body}\n}}\n  return x - y;\n}}\n")
}

/// The directory of `app`, compiled from this source.
fn compiled(source: &str, plugin: bool) -> tempfile::TempDir {
    let place = directory("app.c", source);
    succeed(
        ompchunk(&["cc", "-O1", "-fopenmp", "app.c", "-o", "app"])
            .env("OMPCHUNK_CC", format!("clang-{}", majors()[0]))
            .env("OMPCHUNK", if plugin { "" } else { "off" })
            .current_dir(&place),
    );
    place
}

/// `ompchunk loops app` fails, says what the program is, and what to do next.
fn refuses(place: &tempfile::TempDir, source: &str, what: &str, next: &str, listed: &str) {
    let output = ompchunk(&["loops", "app"]).current_dir(place).output().expect("the command runs");
    let said = String::from_utf8_lossy(&output.stderr);
    // What begins like a loop is listed where calls can be found.
    let is_listed = cfg!(target_arch = "x86_64") && what.starts_with("no loop of it");
    assert_eq!(output.status.code(), Some(i32::from(!is_listed)), "{source}{said}");
    assert_eq!(String::from_utf8_lossy(&output.stdout).contains(listed), is_listed, "{source}{said}");
    assert!(said.starts_with(&format!("ompchunk: app: {what}")), "{source}{said}");
    assert!(said.contains("\nompchunk: next: ") && said.contains(next), "{source}{said}");
}

#[test]
fn a_reader_that_goes_is_no_error() {
    let directory = tempfile::tempdir().unwrap();
    let app = hundred(directory.path(), majors()[0], &[]);
    let mut reader = clean("true").stdin(std::process::Stdio::piped()).spawn().unwrap();
    let writer = reader.stdin.take().unwrap();
    reader.wait().unwrap();
    let output = ompchunk(&["loops"]).arg(app).stdout(writer).output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert!(output.stderr.is_empty(), "{output:?}");
}

/// Names of templates are longer than any terminal: there they are cut, reasons go on in further lines, and a pipe gets all of it.
#[test]
fn tables_fit_the_terminal() {
    let name = "template <class T> struct a_template_with_a_long_name { T it; };\n";
    let source = "template <class T> void sweep(T *it, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) it[i] = {};
#pragma omp parallel for ordered schedule(static, 4)
  for (int i = 0; i < n; i++) {
#pragma omp ordered
    it[i] = {};
  }
}
int main(int n, char **) {
  static a_template_with_a_long_name<a_template_with_a_long_name<a_template_with_a_long_name<int>>> it[9];
  sweep(it, n);
}
";
    let directory = directory("app.cc", &(name.to_owned() + source));
    let words = ["c++", "-O2", "-g", "-fopenmp", "app.cc", "-o", "app"];
    succeed(ompchunk(&words).env("OMPCHUNK_CXX", format!("clang++-{}", majors()[0])).current_dir(&directory));
    let piped = table(directory.path(), "app");
    assert!(!piped.contains('…'), "{piped}");
    assert_eq!(piped.lines().count(), 3, "{piped}");
    must_say(&piped, "  sweep<...>  ");
    must_say(&piped, "no: its iterations take turns (ordered)");
    for columns in [120, 80, 60] {
        let text = on_terminal(directory.path(), columns, "loops app");
        for line in text.lines() {
            assert!(line.chars().count() <= columns, "{columns}: {line}\n{text}");
        }
        assert!(text.contains("sweep") && text.contains(".cc:3:1"), "{text}");
        let words: Vec<&str> = text.split_whitespace().collect();
        assert!(words.contains(&"(ordered)") && words.contains(&"turns"), "{text}");
    }
}
