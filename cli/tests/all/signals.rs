//! `ompchunk record` and Ctrl-C. Whoever starts a program decides whether `SIGINT` ends it: shells ignore it for
//! what they run in the background, and so do some CI systems. The command changes nothing about that.

use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Output};

use crate::common::{clean, dist};

/// The script under `ompchunk record`, which `env` starts with that option.
fn record(option: &str, script: &str) -> Output {
    let directory = tempfile::tempdir().unwrap();
    let mut command: Command = clean("env");
    command
        .arg(option)
        .args([env!("CARGO_BIN_EXE_ompchunk"), "record", "sh", "-c", script])
        .env("OMPCHUNK_LIBDIR", dist().join("lib"))
        .current_dir(directory.path());
    command.output().expect("env of coreutils")
}

#[test]
fn an_interrupt_that_is_ignored_stays_so() {
    // To the program, then to the command, which must be neither ended nor wait for ever.
    let script = "kill -INT $$; kill -INT $PPID; sleep 0.2; echo alive; exit 4";
    let output = record("--ignore-signal=INT", script);
    assert_eq!(output.status.code(), Some(4), "{output:?}");
    assert_eq!(output.stdout, b"alive\n");
}

#[test]
fn an_interrupt_that_is_not_ignored_ends_the_program() {
    for script in ["kill -INT $$; echo alive", "kill -INT $PPID; exec sleep 600"] {
        let output = record("--default-signal=INT", script);
        assert_eq!(output.status.signal(), Some(2), "{script}: {output:?}");
        assert_eq!(output.stdout, b"", "{script}");
        // It waited for the program's end, and then said what there is.
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(said.contains("nothing was recorded"), "{script}: {said}");
    }
}

/// It is no fault of a schedule that somebody ends the command.
#[test]
fn a_signal_ends_all_runs() {
    let directory = tempfile::tempdir().unwrap();
    let mut command: Command = clean(env!("CARGO_BIN_EXE_ompchunk"));
    command.args(["scale", "sh", "-c", "kill -TERM $PPID; exec sleep 600"]).env("OMPCHUNK_LIBDIR", dist().join("lib"));
    let output = command.current_dir(directory.path()).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.signal(), Some(15), "{said}");
    assert!(said.ends_with("ompchunk: stopped by signal 15, before all runs were done\n"), "{said}");
}
