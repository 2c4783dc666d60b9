//! `ompchunk record` where a trace is already: the run before is kept, no running one is touched, nothing else either.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use ompchunk_trace_format::Trace;

use crate::common::recorded::record;
use crate::common::{self, clean, dist, fail, finish, majors, must_say, ompchunk, recorded, succeed};

/// A loop of 100 chunks; then it waits until its input ends, if there is an argument.
const PROGRAM: &str = "#include <stdio.h>\nint main(int argc, char **argv) {\n\
#pragma omp parallel for schedule(static, 1) num_threads(2)\n  \
for (int i = 0; i < 100; i++)\n    __asm__ volatile(\"\");\n  \
if (argc > 1) {\n    puts(\"waits\");\n    fflush(stdout);\n    getchar();\n  }\n  return 0;\n}\n";

fn compiled() -> tempfile::TempDir {
    common::built(PROGRAM, majors()[0])
}

/// One whole run; its part.
fn part(directory: &Path) -> PathBuf {
    let trace = Trace::open(directory).unwrap();
    let [part] = &trace.parts[..] else { panic!("{}: {} parts", directory.display(), trace.parts.len()) };
    let chunks = recorded::chunks(directory);
    assert_eq!(chunks[0].1, 100, "{}", directory.display());
    PathBuf::from(part.path().file_name().unwrap())
}

/// Files and their contents, below a directory.
fn everything(directory: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => found.extend(everything(&path)),
            false => found.push((path.clone(), fs::read(path).unwrap())),
        }
    }
    found.sort();
    found
}

#[test]
fn the_run_before_is_kept() {
    let at = compiled();
    let path = |name: &str| at.path().join(name);
    let mut parts = Vec::new();
    for number in 0..4 {
        let (code, _, said) = finish(&mut record(at.path(), &["./app"]));
        assert_eq!(code, Some(0), "{said}");
        let moved = format!("ompchunk: the run before is now app.ompchunk.{number}\n");
        assert_eq!(said.ends_with(&moved), number > 0, "{said}");
        parts.push(part(&path("app.ompchunk")));
        for (before, number) in parts[..number].iter().zip(1..) {
            assert_eq!(&part(&path(&format!("app.ompchunk.{number}"))), before);
        }
    }
    // A report of both is what they are kept for.
    let both = ["report", "app.ompchunk", "--diff", "app.ompchunk.3"];
    succeed(ompchunk(&both).current_dir(&at));
    // With --force it is replaced as ever.
    succeed(&mut record(at.path(), &["--force", "./app"]));
    assert!(!path("app.ompchunk.4").exists());
    assert_ne!(part(&path("app.ompchunk")), parts[3]);
}

#[test]
fn what_cannot_start_moves_nothing() {
    let at = compiled();
    succeed(&mut record(at.path(), &["./app"]));
    fs::remove_file(at.path().join("app")).unwrap();
    let before = everything(at.path());
    assert_eq!(fail(&mut record(at.path(), &["./app"])).0, 127);
    assert_eq!(everything(at.path()), before);
    assert!(!at.path().join("app.ompchunk.1").exists());
}

/// Directories of such names that are no traces.
#[test]
fn what_is_not_ours_stays() {
    let at = compiled();
    let path = |name: &str| at.path().join(name);
    let refused = |wanted: &str| {
        let before = everything(at.path());
        let (code, said) = fail(&mut record(at.path(), &["./app"]));
        assert_eq!(code, 1);
        must_say(&said, wanted);
        assert_eq!(everything(at.path()), before);
    };
    fs::create_dir(path("app.ompchunk")).unwrap();
    fs::write(path("app.ompchunk/letter"), "Dear reader").unwrap();
    refused("app.ompchunk is not empty, and what is in it is no trace");
    // Only called as a part is.
    fs::rename(path("app.ompchunk/letter"), path("app.ompchunk/my.trace")).unwrap();
    refused("app.ompchunk is not empty, and what is in it is no trace");
    fs::remove_dir_all(path("app.ompchunk")).unwrap();
    // Somebody's link.
    succeed(&mut record(at.path(), &["-o", "elsewhere", "./app"]));
    std::os::unix::fs::symlink("elsewhere", path("app.ompchunk")).unwrap();
    refused("app.ompchunk holds the trace of an earlier run");
    fs::remove_file(path("app.ompchunk")).unwrap();
    // The next name is taken, by an empty directory and by a file.
    fs::create_dir(path("app.ompchunk.1")).unwrap();
    fs::write(path("app.ompchunk.2"), "Yours").unwrap();
    for _ in 0..2 {
        succeed(&mut record(at.path(), &["./app"]));
    }
    assert_eq!(fs::read_dir(path("app.ompchunk.1")).unwrap().count(), 0);
    assert_eq!(fs::read(path("app.ompchunk.2")).unwrap(), b"Yours");
    part(&path("app.ompchunk.3"));
    // Ranks cannot know whether others have begun.
    let mut rank = record(at.path(), &["./app"]);
    rank.env("PMI_RANK", "0").env("PMI_SIZE", "2");
    let before = everything(at.path());
    let (_, said) = fail(&mut rank);
    must_say(&said, "holds the trace of an earlier run");
    assert_eq!(everything(at.path()), before);
}

/// A program that has run its loop and waits.
fn waiting(command: &mut Command) -> Child {
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut byte = [0];
    std::io::Read::read_exact(child.stdout.as_mut().unwrap(), &mut byte).unwrap();
    child
}

#[test]
fn a_running_recording_is_left_alone() {
    let at = compiled();
    let refused = |options: &[&str]| {
        let (code, said) = fail(&mut record(at.path(), options));
        assert_eq!(code, 1);
        must_say(&said, "app.ompchunk is being written by another run");
        must_say(&said, "ompchunk: next: -o ");
    };
    let all_are_refused = || {
        refused(&["./app"]);
        refused(&["--force", "./app"]);
        refused(&["--force", "-o", "app.ompchunk", "./app"]);
    };
    let mut first = waiting(&mut record(at.path(), &["./app", "wait"]));
    all_are_refused();
    // A rank is not of that run either.
    let mut rank = record(at.path(), &["./app"]);
    let (_, said) = fail(rank.env("PMI_RANK", "0").env("PMI_SIZE", "2"));
    must_say(&said, "is being written by another run");
    drop(first.stdin.take());
    assert!(first.wait().unwrap().success());
    let trace = at.path().join("app.ompchunk");
    let name = part(&trace);
    succeed(&mut record(at.path(), &["./app"]));
    assert_eq!(part(&at.path().join("app.ompchunk.1")), name);
    fs::remove_dir_all(&trace).unwrap();

    // Without the command there is no lock, but a process.
    let library = |name: &str| dist().canonicalize().unwrap().join("lib").join(name);
    let tools = [library("libompchunk_rt.so"), library("libompchunk_trace.so")];
    let by_hand = || {
        let mut command = clean(at.path().join("app"));
        command
            .arg("wait")
            .env("OMP_TOOL_LIBRARIES", std::env::join_paths(&tools).unwrap())
            .env("OMPCHUNK_TRACE", &trace)
            .current_dir(&at);
        command
    };
    let mut first = waiting(&mut by_hand());
    all_are_refused();
    // A killed process is not waited for, even if nobody has asked how it ended.
    first.kill().unwrap();
    let stat = format!("/proc/{}/stat", first.id());
    while !fs::read_to_string(&stat).unwrap().contains(") Z ") {
        std::thread::sleep(Duration::from_millis(10));
    }
    succeed(&mut record(at.path(), &["./app"]));
    first.wait().unwrap();
    part(&at.path().join("app.ompchunk.2"));
    part(&trace);
}

/// Each of several that come at the same time records a whole run or is told that another runs; all that was recorded is there.
#[test]
fn many_at_once() {
    let at = compiled();
    let mut recorded = 0;
    for _ in 0..5 {
        let start = || record(at.path(), &["./app"]).stderr(Stdio::piped()).spawn().unwrap();
        let all: Vec<Child> = (0..6).map(|_| start()).collect();
        for child in all {
            let output = child.wait_with_output().unwrap();
            let said = String::from_utf8(output.stderr).unwrap();
            match output.status.code() {
                Some(0) => recorded += 1,
                Some(1) if said.contains("is being written by another run") => {}
                other => panic!("{other:?}: {said}"),
            }
        }
        assert!(recorded > 0);
        let traces = fs::read_dir(at.path()).unwrap().filter_map(|entry| {
            let path = entry.unwrap().path();
            path.is_dir().then_some(path)
        });
        let mut parts: Vec<PathBuf> = traces.map(|trace| part(&trace)).collect();
        parts.sort();
        parts.dedup();
        assert_eq!(parts.len(), recorded);
    }
}
