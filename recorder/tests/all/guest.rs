//! What shim and recorder say, and the files that they write, do nothing to the program: no signal ends it, and no word stands in a file of its own.

use std::fs::{self, File};
use std::io::pipe;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::common::{Program, clean, majors, product};

/// What is told the command before the program. Each has something to say.
const WAYS: [&[&str]; 4] = [
    &["record", "--force", "-o", "trace"],
    &["record", "--force", "-o", "trace", "--max-size", "256K"],
    &["run", "--balance", "--verbose", "--learned", "learned"],
    &["run", "--verbose"],
];

fn command(program: &Program, way: &[&str], what: &str) -> Command {
    let mut command = clean(product("bin/ompchunk"));
    let directory = program.directory.path();
    let _ = fs::remove_file(directory.join("own"));
    command.args(way).arg(&program.path).args([what, "own"]).current_dir(directory).stdout(Stdio::null());
    if way == ["run", "--verbose"] {
        // A mistake, of which the shim speaks.
        command.env("OMPCHUNK_SCHEDULE", "nonsense");
    }
    command
}

/// Its own code, and its own file.
fn is_as_alone(command: &mut Command, directory: &Path) {
    let status = command.status().unwrap();
    assert_eq!(status.code(), Some(7), "{command:?}: {status}");
    let own = fs::read_to_string(directory.join("own")).unwrap();
    assert_eq!(own, "own\n", "{command:?}");
}

#[test]
fn descriptor_2_is_a_file_of_the_programs() {
    let program = Program::compile("guest", majors()[0]);
    let directory = program.directory.path();
    for way in WAYS {
        for what in ["daemon, early", "daemon, late"] {
            let said = File::create(directory.join("said")).unwrap();
            let mut command = command(&program, way, what);
            is_as_alone(command.stderr(said), directory);
        }
    }
}

#[test]
fn files_may_not_grow() {
    let program = Program::compile("guest", majors()[0]);
    let directory = program.directory.path();
    for way in WAYS {
        let said = File::create(directory.join("said")).unwrap();
        let mut command = command(&program, way, "small files");
        is_as_alone(command.stderr(said), directory);
    }
}

#[test]
fn nobody_reads_standard_error() {
    let program = Program::compile("guest", majors()[0]);
    let directory = program.directory.path();
    for way in WAYS {
        let (reader, writer) = pipe().unwrap();
        drop(reader);
        let mut command = command(&program, way, "nothing");
        is_as_alone(command.stderr(writer), directory);
    }
}

/// Nothing is lost where there is no reason for silence.
#[test]
fn what_is_said_arrives() {
    let program = Program::compile("guest", majors()[0]);
    let path = program.directory.path().join("said");
    let mut command = command(&program, WAYS[1], "nothing");
    command.stderr(File::create(&path).unwrap()).status().unwrap();
    let said = fs::read_to_string(&path).unwrap();
    assert!(said.contains("has its largest size"), "{said}");
}

/// What we compute is no flag of the program's threads, and no trap.
#[test]
fn arithmetic_with_fractions_is_the_programs() {
    let program = Program::compile_with("floats", majors()[0], &["-lm"]);
    let with: [&[&str]; 9] = [
        &[],
        &["--profile"],
        &["--cpus"],
        &["--sample-stacks"],
        &["--tasks"],
        &["--bookkeeping"],
        &["--aggregate"],
        &["--sample", "3"],
        &["--max-size", "256K"],
    ];
    let record = with.map(|with| [&["record", "--force", "-o", "trace"], with].concat());
    let run: [&[&str]; 3] =
        [&["run", "--balance"], &["run", "--tool", "chunk-overhead"], &["run", "--schedule", "*=balanced"]];
    for way in record.iter().map(Vec::as_slice).chain(run) {
        let mut command = clean(product("bin/ompchunk"));
        command.args(way).arg(&program.path).current_dir(program.directory.path());
        let output = command.output().unwrap();
        let said = String::from_utf8_lossy(&output.stdout);
        assert_eq!(said, "flags 0\ntrap ok\n", "{way:?}: {output:?}");
        assert!(output.status.success(), "{way:?}: {output:?}");
    }
}

/// What threads have lost they tell now and then.
#[test]
fn losses_before_an_abrupt_end_are_the_least() {
    let program = Program::compile("guest", majors()[0]);
    for what in ["abrupt", "nothing"] {
        let output = command(&program, WAYS[1], what).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        let is_least = [" MiB, at least ", "trace: at least "].map(|part| said.contains(part));
        assert_eq!(is_least, [what == "abrupt"; 2], "{said}");
        assert_eq!(output.status.code(), Some(7), "{said}");
    }
}

/// Stands before libc's clock, and is finished before the runtime and its tools are.
const FAKE: &str = r#"
#define _GNU_SOURCE
#include <dlfcn.h>
#include <time.h>
static int (*real)(clockid_t, struct timespec *);
__attribute__((constructor)) static void begin(void) { real = dlsym(RTLD_NEXT, "clock_gettime"); }
__attribute__((destructor)) static void end(void) { real = 0; }
int clock_gettime(clockid_t clock, struct timespec *now) { return real(clock, now); }
"#;

#[test]
fn a_library_before_the_clock_may_end_first() {
    let program = Program::compile("guest", majors()[0]);
    let at = program.directory.path();
    fs::write(at.join("fake.c"), FAKE).unwrap();
    let mut compile = Command::new(format!("clang-{}", majors()[0]));
    compile.args(["-shared", "-fPIC", "fake.c", "-ldl", "-o", "fake.so"]);
    assert!(compile.current_dir(at).status().unwrap().success());
    let stacks = ["record", "--force", "-o", "trace", "--tasks", "--sample-stacks"];
    for way in [WAYS[0], &stacks] {
        let mut command = command(&program, way, "nothing");
        is_as_alone(command.env("LD_PRELOAD", at.join("fake.so")), at);
    }
}

/// A file without a name is none.
#[test]
fn variables_that_are_empty_name_nothing() {
    let program = Program::compile("guest", majors()[0]);
    let way = ["run", "--schedule", "*=balanced"];
    let mut command = command(&program, &way, "nothing");
    command.env("OMPCHUNK_LEARNED", "");
    command.env("OMPCHUNK_RUN", "decisions=");
    let said = command.output().unwrap().stderr;
    assert_eq!(String::from_utf8_lossy(&said), "");
}
