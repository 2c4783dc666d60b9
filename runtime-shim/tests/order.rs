//! Who is asked first, who is asked twice, who is never asked; and what launchers of tools make of it.

mod common;

use std::path::{Path, PathBuf};

use common::{Attach, Run, driver, runtimes, scratch, shim, tool};

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
        let run = |preload: &[&Path]| {
            Run::new(&driver(), runtime, &LOOPS).attach(Attach::Preload, preload)
        };
        let output = run(&[&tool, &shim]).output();
        output.assert_says("Put the shim first: LD_PRELOAD=");
        output.assert_says(tool.to_str().expect("UTF-8"));
        assert_eq!(output.messages.lines().count(), 1, "{output}");
        assert_eq!(output.count("tool chunk"), 0, "{output}");
        // Where no tool is wanted, none is missed.
        let disabled = run(&[&tool, &shim]).env("OMP_TOOL", "Disabled").output();
        disabled.assert_quiet();
        let output = run(&[&shim, &tool]).output();
        output.assert_quiet();
        output.assert_chunks_exact("tool");
    }
}

/// A shim that is opened when the runtime has long looked for tools.
#[test]
fn a_shim_that_comes_too_late_says_so() {
    let program = common::compile("late", &["host.c", "guest.c"], &["-fopenmp", "-DOWN"]);
    let shim = shim();
    let shim = shim.to_str().expect("UTF-8");
    let own = ["own", "25", "10", "2"];
    for runtime in runtimes() {
        let words = [&own[..], &["global", shim], &own, &own].concat();
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
        let output = Run::new(&program, runtime, &words)
            .attach(Attach::Preload, &[&shim, &tool])
            .verbose()
            .output();
        output.assert_says("preloaded by LD_PRELOAD");
        output.assert_chunks_exact("tool");
    }
}

/// A launcher puts its tool before what is preloaded already, or names it in the list. Each line here is one of
/// README.md's.
#[test]
fn launchers_of_tools() {
    // Launchers and LD_PRELOAD take paths apart at blanks, and the tree may stand anywhere: so by a name without.
    let plain = std::env::temp_dir().join(format!("ompchunk-launchers-{}", std::process::id()));
    std::os::unix::fs::symlink(scratch(), &plain).expect("a link");
    let by_plain = |path: &Path| {
        plain.join(
            path.strip_prefix(scratch())
                .expect("in the scratch directory"),
        )
    };
    let directory = plain.join("launchers");
    std::fs::create_dir_all(&directory).expect("scratch directory");
    let linked_shim = directory.join("libompchunk_rt.so");
    std::os::unix::fs::symlink(shim(), &linked_shim).expect("a link");
    let (shim, tool) = (linked_shim, by_plain(&tool("tool", ALL)));
    let script = |name: &str, text: &str| {
        let path = directory.join(name);
        let source = directory.join("script");
        std::fs::write(&source, format!("#!/bin/sh\n{text}\n")).expect("a script");
        // By another process: were it open for writing here, a child that another test starts meanwhile would have it open too,
        // and a file that somebody writes cannot be run.
        let mut install = std::process::Command::new("install");
        install.args(["-m", "755"]).args([&source, &path]);
        assert!(install.status().expect("install starts").success());
        path
    };
    let tool = tool.display();
    let launchers = [
        script(
            "preloads",
            &format!("export LD_PRELOAD={tool}:$LD_PRELOAD\n\"$@\""),
        ),
        // This one takes the program's line apart at its blanks.
        script(
            "splits",
            &format!(
                "export LD_PRELOAD={tool}:$LD_PRELOAD\nwords=\"$*\"\neval set -- \"$words\"\n$words"
            ),
        ),
        script("lists", &format!("OMP_TOOL_LIBRARIES={tool} exec \"$@\"")),
    ];
    let with_shim = script(
        "with-ompchunk",
        &format!("LD_PRELOAD=\"{}:$LD_PRELOAD\" exec \"$@\"", shim.display()),
    );
    for runtime in runtimes() {
        for launcher in &launchers {
            let program = by_plain(&driver());
            let words = [with_shim.as_path(), &program].map(|path| path.to_str().expect("UTF-8"));
            let output = Run::new(launcher, runtime, &[&words[..], &LOOPS].concat()).output();
            output.assert_quiet();
            output.assert_dispatch_exact("tool");
            output.assert_chunks_exact("tool");
            assert!(output.count("tool chunk") > 0, "{output}");
        }
        // The same launcher around a shim that was preloaded before: the tool wins, and that is said.
        let program = by_plain(&driver());
        let words = [&[program.to_str().expect("UTF-8")][..], &LOOPS].concat();
        let output = Run::new(&launchers[0], runtime, &words)
            .attach(Attach::Preload, &[&shim])
            .output();
        output.assert_says("Put the shim first");
    }
    std::fs::remove_file(plain).expect("the link");
}
