//! `ompchunk loops`, on every kind of file.

mod common;

use std::path::Path;

use common::{HUNDRED, clean, directory, fail, hundred, majors, ompchunk, succeed};

fn table(directory: &Path, file: &str) -> String {
    succeed(ompchunk(&["loops", file]).current_dir(directory))
}

#[test]
fn programs_libraries_objects_and_archives() {
    for major in majors() {
        let directory = tempfile::tempdir().unwrap();
        let at = directory.path();
        hundred(
            at,
            major,
            &[
                "-g",
                "-ffile-prefix-map=.=/src",
                "-fdebug-compilation-dir=/src",
            ],
        );
        let expected = "  main      schedule(static,1)      1      0     1\n";
        let whole = table(at, "app");
        assert!(whole.starts_with("position "), "{whole}");
        assert!(whole.contains("app.c:3:1  main"), "{whole}");
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
        succeed(
            clean("ar")
                .args(["rc", "app.a", "empty.o", "text", "app.o"])
                .current_dir(at),
        );
        let archive = table(at, "app.a");
        assert_eq!(archive.lines().count(), 2, "{archive}");
        assert!(
            archive.contains("\napp.o: (no line information)  main"),
            "{archive}"
        );
    }
}

#[test]
fn json_says_the_same() {
    let directory = tempfile::tempdir().unwrap();
    let app = hundred(directory.path(), majors()[0], &["-g"]);
    let text = succeed(ompchunk(&["loops", "--json"]).arg(&app));
    let value: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(value["version"], 1);
    assert_eq!(value["loops"].as_array().unwrap().len(), 1);
    let the_loop = &value["loops"][0];
    for (key, expected) in [
        ("line", 3),
        ("chunk", 1),
        ("start", 0),
        ("step", 1),
        ("variable_bits", 32),
    ] {
        assert_eq!(the_loop[key], expected, "{key}");
    }
    for (key, expected) in [
        ("function", "main"),
        ("construct", "for"),
        ("schedule", "schedule(static,1)"),
    ] {
        assert_eq!(the_loop[key], expected, "{key}");
    }
}

#[test]
fn what_has_no_loops_says_why() {
    let directory = directory("plain.c", HUNDRED);
    let clang = format!("clang-{}", majors()[0]);
    succeed(
        clean(&clang)
            .args(["-fopenmp", "plain.c", "-o", "plain"])
            .current_dir(&directory),
    );
    succeed(clean("strip").arg("plain").current_dir(&directory));
    succeed(
        clean(&clang)
            .args(["-fopenmp", "-flto", "-c", "plain.c", "-o", "lto.o"])
            .current_dir(&directory),
    );
    std::fs::write(directory.path().join("short"), b"\x7fELF\x02\x01\x01").unwrap();
    for (file, says) in [
        (
            "plain",
            "there are worksharing loops in it: compile with ompchunk cc",
        ),
        ("/bin/sh", "no loop was compiled with ompchunk"),
        ("plain.c", "neither an ELF file nor an archive"),
        ("lto.o", "LLVM bitcode"),
        ("short", "short: "),
        ("missing", "missing: No such file or directory"),
        (".", "."),
    ] {
        let (code, stderr) = fail(ompchunk(&["loops", file]).current_dir(&directory));
        assert_eq!(code, 1);
        assert!(stderr.contains(says), "{stderr}");
        assert!(!stderr.contains("panicked"), "{stderr}");
    }
}

#[test]
fn a_reader_that_goes_is_no_error() {
    let directory = tempfile::tempdir().unwrap();
    let app = hundred(directory.path(), majors()[0], &[]);
    let mut reader = clean("true")
        .stdin(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let writer = reader.stdin.take().unwrap();
    reader.wait().unwrap();
    let output = ompchunk(&["loops"])
        .arg(app)
        .stdout(writer)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert!(output.stderr.is_empty(), "{output:?}");
}
