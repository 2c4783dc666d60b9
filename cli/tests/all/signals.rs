//! Ctrl-C. Whoever starts a program decides whether `SIGINT` ends it: shells ignore it for
//! what they run in the background, and so do some CI systems. The command changes nothing about that.

use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Output};

use crate::common::{clean, dist};

/// The script under the command, which `env` starts with that option.
fn output(option: &str, command: &str, script: &str) -> Output {
    let directory = tempfile::tempdir().unwrap();
    let mut env: Command = clean("env");
    env.arg(option)
        .args([env!("CARGO_BIN_EXE_ompchunk"), command, "sh", "-c", script])
        .env("OMPCHUNK_LIBDIR", dist().join("lib"))
        .current_dir(directory.path());
    env.output().expect("env of coreutils")
}

#[test]
fn an_interrupt_that_is_ignored_stays_so() {
    // To the program, then to the command, which must be neither ended nor wait for ever.
    let script = "kill -INT $$; kill -INT $PPID; sleep 0.2; echo alive; exit 4";
    let output = output("--ignore-signal=INT", "record", script);
    assert_eq!(output.status.code(), Some(4), "{output:?}");
    assert_eq!(output.stdout, b"alive\n");
}

#[test]
fn an_interrupt_that_is_not_ignored_ends_the_program() {
    let recorded = ["kill -INT $$; echo alive", "kill -INT $PPID; exec sleep 600"];
    let recorded = recorded.map(|script| ("record", script, "nothing was recorded"));
    // It is no fault of the program that somebody ends one of several runs.
    let repeated = ("scale", "kill -INT $PPID; exec sleep 600", "stopped by signal 2, before all runs");
    for (command, script, what) in recorded.into_iter().chain([repeated]) {
        let output = output("--default-signal=INT", command, script);
        assert_eq!(output.status.signal(), Some(2), "{script}: {output:?}");
        assert_eq!(output.stdout, b"", "{script}");
        // It waited for the program's end, and then said what there is.
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(said.contains(what), "{script}: {said}");
    }
}
