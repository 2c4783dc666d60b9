//! `ompchunk export` as a user meets it: one format, standard output, notices, errors with a next step.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use ompchunk_trace_format::{Event, LoopBegin, LoopDefinition, Meta, PartWriter, layout};

use ompchunk_testkit::traces::{Maker, definition};

use crate::common::{hundred, majors, must_say, ompchunk, succeed};

/// A trace of one thread and some chunks; without an end if `cut`.
fn trace(directory: &Path, chunks: u64, cut: bool) -> PathBuf {
    let to = directory.join("app.ompchunk");
    std::fs::create_dir(&to).unwrap();
    let path = to.join("pid-1.trace");
    let part = PartWriter::create(&path, &Meta::default(), 0).unwrap();
    let mut maker = Maker { part, path };
    let definition =
        LoopDefinition { chunk: 1, start: 0, step: 1, column: 1, code: 0, file: b"app.c", ..definition(0, 3, "main") };
    maker.threads(1, &[definition]);
    let begin = LoopBegin { the_loop: 0, work: 10, count: chunks, start: Some(0), step: Some(1) };
    maker.put(0, 1, &Event::LoopBegin(begin));
    for lower in 0..chunks {
        maker.chunk(0, 10 + lower * 5, lower, 1, 0);
    }
    let end = 10 + chunks * 5;
    maker.put(0, end, &Event::LoopEnd { the_loop: 0 });
    match cut {
        true => maker.abandon(),
        false => maker.finish(end),
    };
    to
}

fn export(arguments: &[&str], directory: &Path) -> Command {
    let mut command = ompchunk(&["export"]);
    command.args(arguments).current_dir(directory);
    command
}

/// The work of a real program is found again in its run with one thread, which the runtime deals in one chunk.
#[test]
fn a_run_with_one_thread_is_a_reference() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    hundred(directory, majors()[0], &[]);
    for (threads, to) in [("2", "app.ompchunk"), ("1", "one.ompchunk")] {
        // The program asks for two threads: the limit is stronger.
        let mut record = ompchunk(&["record", "-o", to, "./app"]);
        succeed(record.env("OMP_THREAD_LIMIT", threads).current_dir(directory));
    }
    // And one of something else.
    let other = tempfile::tempdir().unwrap();
    let other = trace(other.path(), 3, false).display().to_string();
    let none = "ompchunk: 100 of 100 chunks are of loops that the reference does not execute, or not with as many \
                iterations: it must be the same program with the same arguments\n";
    for (reference, found, said) in [("one.ompchunk", 100, ""), (&other, 0, none)] {
        let mut export = export(&["app.ompchunk", "--to", "graphml", "g", "--reference"], directory);
        let output = export.arg(reference).output().unwrap();
        assert_eq!(output.status.code(), Some(0));
        assert_eq!(String::from_utf8(output.stderr).unwrap(), said);
        let graph = std::fs::read_to_string(directory.join("g")).unwrap();
        let key = "<data key=\"v_work_deviation_loop\">";
        assert_eq!(graph.matches(key).count(), found);
    }
}

fn refused(arguments: &[&str], directory: &Path) -> String {
    let output = export(arguments, directory).output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{arguments:?}");
    assert!(output.stdout.is_empty());
    String::from_utf8(output.stderr).unwrap()
}

#[test]
fn to_a_file_and_to_standard_output() {
    let directory = tempfile::tempdir().unwrap();
    trace(directory.path(), 3, false);
    let of = |arguments: &[&str]| succeed(&mut export(arguments, directory.path()));
    let text = of(&["app.ompchunk", "--to", "csv", "-"]);
    assert_eq!(text.lines().count(), 4, "{text}");
    assert_eq!(of(&["app.ompchunk", "--to", "csv", "chunks.csv"]), "");
    let written = std::fs::read_to_string(directory.path().join("chunks.csv")).unwrap();
    assert_eq!(written, text);
    let loops = of(&["app.ompchunk", "--to", "json", "-", "--table", "loops", "--loop", "app.c:3"]);
    let row: serde_json::Value = serde_json::from_str(&loops).unwrap();
    assert_eq!(row["chunks"], 3);
    // A part alone is a trace, too.
    let json = of(&["app.ompchunk/pid-1.trace", "--to", "chrome", "-"]);
    serde_json::from_str::<serde_json::Value>(&json).unwrap();
}

/// Several directories are one run; a part that is named twice would count twice.
#[test]
fn several_traces_are_one_run() {
    let directory = tempfile::tempdir().unwrap();
    let of = |name: &str| {
        let path = directory.path().join(name);
        std::fs::create_dir(&path).unwrap();
        trace(&path, 3, false)
    };
    let (one, other) = (of("one"), of("other"));
    let (one, other) = (one.to_str().unwrap(), other.to_str().unwrap());
    let rows = |traces: &[&str]| {
        let words = [traces, &["--to", "json", "-"]].concat();
        succeed(&mut export(&words, directory.path())).lines().count()
    };
    let single = rows(&[one]);
    assert!(single > 0);
    assert_eq!(rows(&[one, other]), 2 * single);
    std::os::unix::fs::symlink(one, directory.path().join("link")).unwrap();
    let said = refused(&[one, "link", "--to", "json", "-"], directory.path());
    assert!(said.contains("is named twice") && said.contains("next: name each"), "{said}");
}

#[test]
fn a_cut_trace_is_exported_with_a_notice() {
    let directory = tempfile::tempdir().unwrap();
    trace(directory.path(), 3, true);
    let output = export(&["app.ompchunk", "--to", "json", "-"], directory.path()).output().unwrap();
    assert!(output.status.success());
    assert_eq!(output.stdout.iter().filter(|byte| **byte == b'\n').count(), 3);
    let notice = String::from_utf8(output.stderr).unwrap();
    let start = "ompchunk: app.ompchunk/pid-1.trace is cut (the recording has no end: ";
    assert!(notice.starts_with(start), "{notice}");
    assert_eq!(notice.lines().count(), 1, "{notice}");
}

#[test]
fn errors_name_the_next_step() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path();
    trace(at, 3, false);
    std::fs::create_dir(at.join("empty")).unwrap();
    std::fs::write(at.join("text"), "no trace").unwrap();
    for (arguments, first, next) in [
        (
            ["empty", "--to", "csv", "x"],
            "empty holds no trace: there is no *.trace in it",
            "name a directory that ompchunk record wrote, or one of its parts",
        ),
        (
            ["nowhere", "--to", "csv", "x"],
            "cannot read nowhere: No such file or directory (os error 2)",
            "check the path and its permissions",
        ),
        (
            ["app.ompchunk", "--to", "csv", "no/where"],
            "cannot write no/where: No such file or directory (os error 2)",
            "check the path, its permissions and the space that is left",
        ),
    ] {
        let expected = format!("ompchunk: {first}\nompchunk: next: {next}\n");
        assert_eq!(refused(&arguments, at), expected);
        assert!(!at.join("x").exists(), "nothing is created");
    }
    assert!(refused(&["text", "--to", "csv", "x"], at).starts_with("ompchunk: text is "));
    let text = refused(&["app.ompchunk", "--to", "csv", "app.ompchunk/pid-1.trace"], at);
    must_say(&text, "app.ompchunk/pid-1.trace is a trace, and what to write comes last");
}

/// What comes of it if nobody reads its standard output.
fn without_reader(mut command: Command) -> Output {
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    child.wait_with_output().unwrap()
}

#[test]
fn a_reader_that_has_enough_is_no_error() {
    let directory = tempfile::tempdir().unwrap();
    trace(directory.path(), 100_000, false);
    let output = without_reader(export(&["app.ompchunk", "--to", "chrome", "-"], directory.path()));
    assert!(output.status.success());
    assert!(output.stderr.is_empty());
}

/// Not only no error, but the end of the work: what comes later in the trace is not looked at.
#[test]
fn a_reader_that_has_enough_ends_the_reading() {
    let directory = tempfile::tempdir().unwrap();
    let part = trace(directory.path(), 200_000, false).join("pid-1.trace");
    let mut bytes = std::fs::read(&part).unwrap();
    let last = bytes.len() - layout::BLOCK_SIZE + layout::BLOCK_HEAD;
    bytes[last] = 99;
    std::fs::write(&part, bytes).unwrap();
    for format in ["csv", "json", "chrome", "perfetto"] {
        let command = || export(&["app.ompchunk", "--to", format, "-"], directory.path());
        let whole = command().output().unwrap();
        assert_eq!(whole.status.code(), Some(1), "{format}");
        let output = without_reader(command());
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && said.is_empty(), "{format}: {said}");
    }
}

#[test]
fn a_recorded_program() {
    let major = *majors().last().unwrap();
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path();
    hundred(at, major, &["-g"]);
    succeed(ompchunk(&["record", "-o", "run", "./app"]).current_dir(at));
    let text = succeed(&mut export(&["run", "--to", "csv", "-", "--loop", "main"], at));
    let mut lower: Vec<u64> = text.lines().skip(1).map(|row| row.split(',').nth(8).unwrap().parse().unwrap()).collect();
    lower.sort_unstable();
    assert_eq!(lower, (0..100).collect::<Vec<u64>>());
    let graph = succeed(&mut export(&["run", "--to", "graphml", "-"], at));
    assert_eq!(graph.matches(">chunk</data>").count(), 100);
}
