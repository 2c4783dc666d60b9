//! What goes wrong outside: each gives one clear line, and the program computes what it computed.

use std::path::Path;
use std::process::Stdio;

use crate::common::{Attach, Run, compile, driver, runtimes, scratch, shim, tool};

const LOOPS: [&str; 1] = ["static:25:10:2"];
const ALL: &str = "dispatch chunk clock";

#[test]
fn an_unreadable_library() {
    let (shim, tool) = (shim(), tool("tool", ALL));
    let garbage = scratch().join("garbage.so");
    std::fs::write(&garbage, "no library").expect("scratch file");
    for runtime in runtimes() {
        for library in [Path::new("/no/such/library.so"), &garbage] {
            // Before the next tool, and alone.
            for list in [vec![shim.as_path(), library, &tool], vec![&shim, library]] {
                let output = Run::new(&driver(), runtime, &LOOPS).attach(Attach::ToolLibraries, &list).output();
                output.assert_says(&format!("cannot load {}", library.display()));
                assert_eq!(output.messages.lines().count(), 1, "{output}");
                assert_eq!(output.count("ran"), 3, "{output}");
                if list.len() == 3 {
                    output.assert_chunks_exact("tool");
                }
            }
        }
    }
}

#[test]
fn a_library_that_is_no_tool() {
    let (shim, tool) = (shim(), tool("tool", ALL));
    // Linked with the runtime, so that a search by symbol finds the runtime's weak function.
    let library =
        compile("libnotool.so", &["second.c"], &["-fopenmp", "-shared", "-fPIC", "-Wl,--no-as-needed", "-lomp"]);
    for runtime in runtimes() {
        let output =
            Run::new(&driver(), runtime, &LOOPS).attach(Attach::ToolLibraries, &[&shim, &library, &tool]).output();
        output.assert_says("is no OMPT tool");
        assert_eq!(output.messages.lines().count(), 1, "{output}");
        output.assert_chunks_exact("tool");
    }
}

#[test]
fn code_of_another_abi_version() {
    let (shim, tool) = (shim(), tool("tool", ALL));
    let program = compile("future", &["driver.c"], &["-fopenmp", "-DABI_VERSION=7"]);
    for runtime in runtimes() {
        let output = Run::new(&program, runtime, &["static:25:10:3", "static:9:1:3", "state"])
            .attach(Attach::ToolLibraries, &[&shim, &tool])
            .output();
        output.assert_says("ABI version 7");
        output.assert_says("speaks version 4");
        assert_eq!(output.messages.lines().count(), 1, "{output}");
        assert_eq!(output.count("ran"), 12, "{output}");
        assert_eq!(output.count("tool chunk"), 0, "{output}");
        assert_eq!(output.lines("state")[0]["listening"], "0", "{output}");
    }
}

#[test]
fn nobody_reads_stderr() {
    let (shim, tool) = (shim(), tool("tool", ALL));
    for runtime in runtimes() {
        let run = || {
            Run::new(&driver(), runtime, &LOOPS)
                .attach(Attach::ToolLibraries, &[&shim, Path::new("/no/such/library.so"), &tool])
                .verbose()
        };
        // A pipe whose reader has gone: a write raises SIGPIPE. (Rust's own runtime ignores that signal, but not in the programs it starts.)
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        run().stderr(Stdio::from(writer)).output().assert_chunks_exact("tool");
        // Closed.
        run().close_stderr().output().assert_chunks_exact("tool");
    }
}

#[test]
fn ompt_disabled_by_the_user() {
    let (shim, tool) = (shim(), tool("tool", ALL));
    for runtime in runtimes() {
        let output = Run::new(&driver(), runtime, &["static:25:10:2", "state"])
            .attach(Attach::Preload, &[&shim, &tool])
            .env("OMP_TOOL", "disabled")
            .verbose()
            .output();
        output.assert_says("OMP_TOOL=disabled");
        assert_eq!(output.lines("state")[0]["listening"], "0", "{output}");
    }
}

#[test]
fn a_tool_without_initialize() {
    let (shim, broken, tool) = (shim(), tool("broken", "no-initialize"), tool("tool", ALL));
    for runtime in runtimes() {
        let output =
            Run::new(&driver(), runtime, &LOOPS).attach(Attach::ToolLibraries, &[&shim, &broken, &tool]).output();
        output.assert_says("offers no initialize function");
        output.assert_chunks_exact("tool");
    }
}

/// A tool that looks for another one finds the shim, or the runtime that asks the shim.
#[test]
fn a_tool_that_asks_back() {
    let (shim, tool) = (shim(), tool("tool", "ask-again dispatch chunk"));
    for runtime in runtimes() {
        let output = Run::new(&driver(), runtime, &LOOPS).attach(Attach::Preload, &[&shim, &tool]).verbose().output();
        assert_eq!(output.lines("tool asks")[0]["again"], "0", "{output}");
        output.assert_says("asked for a tool again while searching for one: declined");
        output.assert_chunks_exact("tool");
    }
}
