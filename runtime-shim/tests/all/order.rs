//! Who is asked first, who is asked twice, who is never asked; and what launchers of tools make of it.

use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use crate::common::{self, Attach, Run, driver, runtimes, scratch, shim, text, tool};

const ALL: &str = "dispatch chunk clock";
const LOOPS: [&str; 2] = ["static:25:10:2", "static:7:1:3"];

/// A runtime that hears of no tool asks every entry of the list itself.
#[test]
fn a_tool_that_declines_is_asked_once() {
    let (shim, first, second) = (shim(), tool("first", "decline"), tool("second", "decline"));
    for runtime in runtimes() {
        for list in [vec![&shim, &first], vec![&shim, &first, &second]] {
            let list: Vec<&Path> = list.into_iter().map(PathBuf::as_path).collect();
            let loops = ["static:25:10:2", "control:1:0"];
            for preloaded in [vec![], vec![shim.as_path()]] {
                let output = Run::new(&driver(), runtime, &loops)
                    .attach(Attach::Preload, &preloaded)
                    .attach(Attach::ToolLibraries, &list)
                    .output();
                output.assert_quiet();
                let asked = output.text.matches("asked").count();
                assert_eq!(asked, list.len() - 1, "{output}");
                assert_eq!(output.count("ran"), 3, "{output}");
                assert_eq!(output.lines("control")[0]["result"], "-2", "{output}");
            }
        }
    }
}

#[test]
fn a_tool_before_the_shim_is_named() {
    let (shim, tool) = (shim(), tool("tool", ALL));
    for runtime in runtimes() {
        let run = |preload: &[&Path]| Run::new(&driver(), runtime, &LOOPS).attach(Attach::Preload, preload);
        let tool_first = run(&[&tool, &shim]).output();
        tool_first.assert_says("Put the shim first: LD_PRELOAD=");
        tool_first.assert_says(text(&tool));
        assert_eq!(tool_first.messages.lines().count(), 1, "{tool_first}");
        assert_eq!(tool_first.count("tool chunk"), 0, "{tool_first}");
        // Where no tool is wanted, none is missed.
        let disabled = run(&[&tool, &shim]).env("OMP_TOOL", "Disabled").output();
        disabled.assert_quiet();
        let shim_first = run(&[&shim, &tool]).output();
        shim_first.assert_quiet();
        shim_first.assert_chunks_exact("tool");
    }
}

/// A shim that is opened when the runtime has long looked for tools.
#[test]
fn a_shim_that_comes_too_late_says_so() {
    let program = common::compile("late", &["host.c", "guest.c"], &["-fopenmp", "-DOWN"]);
    let shim = shim();
    let own = ["own", "25", "10", "2"];
    for runtime in runtimes() {
        let words = [&own[..], &["global", text(&shim)], &own, &own].concat();
        let output = Run::new(&program, runtime, &words).output();
        output.assert_says("loaded too late");
        assert_eq!(output.messages.lines().count(), 1, "{output}");
        assert_eq!(output.count("ran"), 9, "{output}");
    }
}

/// Programs clear the variable, so that their children are spared.
#[test]
fn a_preloaded_shim_knows_that_it_was() {
    let program = common::compile("clears", &["host.c", "guest.c"], &["-fopenmp", "-DOWN"]);
    let (shim, tool) = (shim(), tool("tool", ALL));
    for runtime in runtimes() {
        let words = ["unset", "LD_PRELOAD", "own", "25", "10", "2"];
        let output = Run::new(&program, runtime, &words).attach(Attach::Preload, &[&shim, &tool]).verbose().output();
        output.assert_says("preloaded by LD_PRELOAD");
        output.assert_chunks_exact("tool");
    }
}

/// A launcher puts its tool before what is preloaded already, or names it in the list. Each line here is one of README.md's.
#[test]
fn launchers_of_tools() {
    // Launchers and LD_PRELOAD take paths apart at blanks, and the tree may stand anywhere: so by a name without.
    let plain = std::env::temp_dir().join(format!("ompchunk-launchers-{}", std::process::id()));
    symlink(scratch(), &plain).expect("a link");
    let by_plain = |path: &Path| {
        let within = path.strip_prefix(scratch());
        plain.join(within.expect("in the scratch directory"))
    };
    let directory = plain.join("launchers");
    std::fs::create_dir_all(&directory).expect("scratch directory");
    let linked_shim = directory.join("libompchunk_rt.so");
    symlink(shim(), &linked_shim).expect("a link");
    let [preloads, splits, lists] = launchers(&directory, &by_plain(&tool("tool", ALL)));
    let with_shim = script(
        &directory,
        "with-ompchunk",
        &format!("LD_PRELOAD=\"{}:$LD_PRELOAD\" exec \"$@\"", linked_shim.display()),
    );
    let program = by_plain(&driver());
    for runtime in runtimes() {
        for launcher in [&preloads, &splits, &lists] {
            let words = [&[text(&with_shim), text(&program)][..], &LOOPS].concat();
            let output = Run::new(launcher, runtime, &words).output();
            output.assert_quiet();
            output.assert_exact("tool");
            assert!(output.count("tool chunk") > 0, "{output}");
        }
        // The same launcher around a shim that was preloaded before: the tool wins, and that is said.
        let words = [&[text(&program)][..], &LOOPS].concat();
        let output = Run::new(&preloads, runtime, &words).attach(Attach::Preload, &[&linked_shim]).output();
        output.assert_says("Put the shim first");
    }
    std::fs::remove_file(plain).expect("the link");
}

fn launchers(directory: &Path, tool: &Path) -> [PathBuf; 3] {
    let tool = tool.display();
    let preload = format!("export LD_PRELOAD={tool}:$LD_PRELOAD");
    // This one takes the program's line apart at its blanks.
    let split = format!("{preload}\nwords=\"$*\"\neval set -- \"$words\"\n$words");
    let list = format!("OMP_TOOL_LIBRARIES={tool} exec \"$@\"");
    [
        script(directory, "preloads", &format!("{preload}\n\"$@\"")),
        script(directory, "splits", &split),
        script(directory, "lists", &list),
    ]
}

fn script(directory: &Path, name: &str, text: &str) -> PathBuf {
    let path = directory.join(name);
    let source = directory.join("script");
    std::fs::write(&source, format!("#!/bin/sh\n{text}\n")).expect("a script");
    // By another process: were it open for writing here, a child that another test starts meanwhile would have it open too,
    // and a file that somebody writes cannot be run.
    let mut install = std::process::Command::new("install");
    install.args(["-m", "755"]).args([&source, &path]);
    assert!(install.status().expect("install starts").success());
    path
}
