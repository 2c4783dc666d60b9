//! What goes wrong before anything was done says what to do: words in the wrong place, names that are not there, places that cannot be written.

use std::path::Path;

use crate::common::{directory, fail, hundred, majors, must_say, ompchunk, script, traces};

/// The code, and the one line of advice.
fn advised(directory: &Path, words: &[&str]) -> (i32, String) {
    let (code, said) = fail(ompchunk(words).current_dir(directory));
    let mut next = said.lines().filter_map(|line| line.strip_prefix("ompchunk: next: "));
    let (Some(first), None) = (next.next(), next.next()) else { panic!("{words:?}: {said}") };
    (code, first.to_owned())
}

#[test]
fn programs_that_cannot_be_run() {
    let directory = directory("text", "no program");
    let at = directory.path();
    script(at, "gccp", "#!/bin/sh\n");
    script(at, "orphan", "#!/no/such/interpreter\n");
    for (program, code, wanted) in [
        ("gccp", 127, "./gccp: it is in this directory"),
        ("no-such-program", 127, "PATH has no program no-such-program"),
        ("./none", 127, "there is no file ./none"),
        ("./orphan", 127, "an interpreter"),
        ("./text", 126, "chmod +x ./text"),
        ("/", 126, "/ is a directory"),
    ] {
        for command in ["run", "record", "tune", "scale"] {
            let (found, next) = advised(at, &[command, program]);
            assert_eq!(found, code, "{command} {program}: {next}");
            assert!(next.contains(wanted), "{command} {program}: {next}");
        }
    }
}

/// An option's value that is optional needs an equals sign.
#[test]
fn a_rate_that_is_taken_for_the_program() {
    let directory = tempfile::tempdir().unwrap();
    let words = ["record", "--sample-stacks", "200", "./app"];
    let (code, next) = advised(directory.path(), &words);
    assert_eq!(code, 127);
    assert!(next.starts_with("ompchunk record --sample-stacks=200 ./app: "), "{next}");
    let (_, next) = advised(directory.path(), &["record", "200", "./app"]);
    must_say(&next, "PATH has no program 200");
}

#[test]
fn places_that_cannot_be_written() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path();
    traces::small(at, "app.ompchunk", 2, 300);
    std::fs::create_dir(at.join("folder")).unwrap();
    for (words, wanted) in [
        (&["report", "app.ompchunk", "--html", "none/a.html"][..], "mkdir -p none, or"),
        (&["report", "app.ompchunk", "--html", "folder"], "name a file"),
        (&["report", "app.ompchunk", "--html", "/proc/a.html"], "that you may write to"),
        (&["man", "/proc/man"], "that you may write to"),
        // Before the program runs: it need not even be there.
        (&["tune", "-o", "none/schedules.txt", "./app"], "mkdir -p none, or"),
    ] {
        let (code, next) = advised(at, words);
        assert_eq!(code, 1);
        assert!(next.contains(wanted), "{words:?}: {next}");
    }
}

#[test]
fn files_without_loops() {
    let directory = tempfile::tempdir().unwrap();
    hundred(directory.path(), majors()[0], &[]);
    let whole = std::fs::read(directory.path().join("app")).unwrap();
    std::fs::write(directory.path().join("cut"), &whole[..whole.len() / 2]).unwrap();
    for (file, wanted) in
        [("missing", "check the path"), (".", "name a file in it"), ("cut", "link or copy the file again")]
    {
        let (code, next) = advised(directory.path(), &["loops", file]);
        assert_eq!(code, 1);
        assert!(next.contains(wanted), "{file}: {next}");
    }
}

/// The trace stands where the name of the output does; nothing is written over it.
#[test]
fn a_trace_where_the_output_belongs() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path();
    traces::small(at, "app.ompchunk", 2, 300);
    for words in [["export", "--to=csv", "app.ompchunk"], ["export", "app.ompchunk", "--csv"]] {
        let (code, next) = advised(at, &words);
        assert_eq!(code, 1);
        assert!(next.starts_with("ompchunk export TRACE --to csv FILE"), "{next}");
    }
    traces::small(at, "other.ompchunk", 2, 300);
    for last in ["app.ompchunk", "app.ompchunk/pid-7.trace"] {
        let (code, next) = advised(at, &["export", "--to", "csv", "other.ompchunk", last]);
        assert_eq!(code, 1);
        assert!(next.starts_with(&format!("ompchunk export {last} --to csv FILE")), "{next}");
    }
}
