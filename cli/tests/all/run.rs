//! `ompchunk run`: shim and tools are in place, and the program is itself.

use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::ExitStatusExt;

use crate::common::{self, dist, fail, hundred, majors, must_say, ompchunk, succeed};

#[test]
fn every_chunk_is_an_event() {
    for major in majors() {
        let directory = tempfile::tempdir().unwrap();
        let app = hundred(directory.path(), major, &[]);
        let library = dist().join("lib/tools/libchunk-print.so");
        for tool in ["chunk-print", library.to_str().unwrap()] {
            let events = directory.path().join("events");
            succeed(
                ompchunk(&["run", "--tool", tool])
                    .arg(&app)
                    .env("CHUNK_PRINT_FILE", &events)
                    .env("OMP_TOOL", "disabled"),
            );
            let events = std::fs::read_to_string(&events).unwrap();
            let count = |event: &str| events.lines().filter(|line| line.contains(event)).count();
            assert_eq!((count(" dispatch "), count(" chunk ")), (100, 100), "{events}");
        }
    }
}

#[test]
fn a_tool_beside_us_is_found_by_its_file_name() {
    let directory = tempfile::tempdir().unwrap();
    let app = hundred(directory.path(), majors()[0], &[]);
    std::fs::copy(dist().join("lib/tools/libchunk-print.so"), directory.path().join("libmine.so")).unwrap();
    let mut command = ompchunk(&["run", "-t", "libmine.so"]);
    command.arg(app).current_dir(&directory);
    let (_, _, stderr) = common::finish(&mut command);
    assert_eq!(stderr.matches(" chunk ").count(), 100, "{stderr}");
}

#[test]
fn verbose_says_who_was_found() {
    let directory = tempfile::tempdir().unwrap();
    let app = hundred(directory.path(), majors()[0], &[]);
    let (code, _, stderr) = common::finish(ompchunk(&["run", "-v", "-t", "chunk-balance", "--"]).arg(app));
    assert_eq!(code, Some(0));
    must_say(&stderr, "libchunk-balance.so, found in OMP_TOOL_LIBRARIES: accepts");
}

#[test]
fn what_was_listed_before_comes_after() {
    let show = ["--", "sh", "-c", "echo $OMP_TOOL:$OMP_TOOL_LIBRARIES"];
    let shim = dist().canonicalize().unwrap().join("lib/libompchunk_rt.so");
    let shim = shim.display();
    let list = |tools: &[&str], already: &str| {
        let mut command = ompchunk(&["run"]);
        command.args(tools).args(show).env("OMP_TOOL_LIBRARIES", already);
        succeed(&mut command)
    };
    assert_eq!(list(&[], ""), format!("enabled:{shim}\n"));
    assert_eq!(
        list(&["-t", "/bin/sh", "-t", "/bin/cat"], "mine.so:/old/libompchunk_rt.so"),
        format!("enabled:{shim}:/bin/sh:/bin/cat:mine.so\n")
    );
}

#[test]
fn the_program_is_itself() {
    let words: [&[u8]; 6] = [b"a b", b"", b"--tool", b"two\nlines", b"--", b"\xff"];
    let mut command = ompchunk(&["run", "sh", "-c", "printf '%s\\0' \"$@\"; exit 5", "sh"]);
    command.args(words.map(std::ffi::OsStr::from_bytes));
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(5));
    assert_eq!(output.stdout, [&words.join(&0)[..], b"\0"].concat());
    let killed = ompchunk(&["run", "sh", "-c", "kill -9 $$"]).status().unwrap();
    assert_eq!(killed.signal(), Some(9));
}

#[test]
fn codes_of_a_shell_for_what_cannot_run() {
    let (code, stderr) = fail(&mut ompchunk(&["run", "no-such-program"]));
    assert_eq!(code, 127);
    assert!(stderr.starts_with("ompchunk: cannot run no-such-program: "), "{stderr}");
    assert_eq!(fail(&mut ompchunk(&["run", "/"])).0, 126);
    assert_eq!(fail(&mut ompchunk(&["run"])).0, 2);
    for command in ["run", "record"] {
        let (code, stderr) = fail(&mut ompchunk(&[command, "--typo", "true"]));
        assert_eq!(code, 2);
        must_say(&stderr, "unexpected argument '--typo'");
        let (code, stderr) = fail(&mut ompchunk(&[command, "--", "--no-such", "-v"]));
        assert_eq!(code, 127);
        must_say(&stderr, "cannot run --no-such: ");
    }
}

#[test]
fn an_unknown_tool_is_named_with_those_there_are() {
    let (code, stderr) = fail(&mut ompchunk(&["run", "-t", "chunk-prince", "true"]));
    assert_eq!(code, 1);
    must_say(&stderr, "there is no tool chunk-prince");
    must_say(&stderr, "chunk-balance, ");
}
