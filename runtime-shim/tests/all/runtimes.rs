//! Several runtimes in one process, several lives of one, one as it may be next, and libraries that come and go.

use std::path::{Path, PathBuf};

use crate::common::{Attach, Run, compile, rpath, runtimes, second_runtimes_guest, shim, text, tool};

const ALL: &str = "dispatch chunk clock";
/// A loop of the program, and one of the library that was opened last.
const OWN: [&str; 4] = ["own", "25", "10", "2"];
const LOOP: [&str; 4] = ["loop", "25", "10", "2"];
const WAYS: [Attach; 2] = [Attach::ToolLibraries, Attach::Preload];

fn system_guest(flags: &[&str]) -> PathBuf {
    let own = ["-shared", "-fPIC", "-fopenmp"];
    compile("guest-omp.so", &["guest.c"], &[&own, flags].concat())
}

/// A program that opens libraries and has no OpenMP of its own.
fn host() -> PathBuf {
    compile("host", &["host.c"], &[])
}

/// One that has a loop on the system's runtime.
fn application() -> PathBuf {
    compile("application", &["host.c", "guest.c"], &["-fopenmp", "-DOWN"])
}

fn run(program: &Path, words: &[&str]) -> Run {
    Run::new(program, &runtimes()[0], words)
        // Both runtimes say that they must not be there together.
        .env("KMP_DUPLICATE_LIB_OK", "TRUE")
        .env("KMP_WARNINGS", "0")
}

#[test]
fn every_life_of_a_runtime_is_as_the_first() {
    let Some(guest) = second_runtimes_guest(&[]) else {
        return;
    };
    let life = ["open", text(&guest), "loop", "30", "1", "2", "close"];
    let words = [life, life, life, life].concat();
    let (shim, tool) = (shim(), tool("tool", ALL));
    for way in WAYS {
        let output = run(&host(), &words).attach(way, &[&shim, &tool]).output();
        output.assert_quiet();
        assert_eq!(output.count("tool finalize"), 4, "{output}");
        assert_eq!(output.count("ran"), 4 * 30, "{output}");
        output.assert_exact("tool");
    }
    let both_ways =
        run(&host(), &words).attach(Attach::Preload, &[&shim]).attach(Attach::ToolLibraries, &[&tool]).output();
    both_ways.assert_exact("tool");
    assert_eq!(both_ways.count("tool finalize"), 4, "{both_ways}");
}

/// What the environment says counts in each life.
#[test]
fn a_later_life_may_be_the_first_with_a_tool() {
    let Some(guest) = second_runtimes_guest(&[]) else {
        return;
    };
    let (shim, tool) = (shim(), tool("tool", ALL));
    let life = ["open", text(&guest), "loop", "30", "1", "2", "close"];
    let list = format!("{}:{}", text(&shim), text(&tool));
    let words =
        [&life[..], &["set", "OMP_TOOL_LIBRARIES", &list], &life, &["unset", "OMP_TOOL_LIBRARIES"], &life].concat();
    let output = run(&host(), &words).output();
    output.assert_quiet();
    assert_eq!(output.count("ran"), 90, "{output}");
    assert_eq!(output.count_of("tool chunk", "13"), 30, "{output}");
    assert_eq!(output.count("tool chunk"), 30, "{output}");
}

#[test]
fn a_tool_that_declines_a_later_life_is_named() {
    let Some(guest) = second_runtimes_guest(&[]) else {
        return;
    };
    let life = ["open", text(&guest), "loop", "30", "1", "2", "close"];
    let words = [&life[..], &["set", "TOOL_OPTIONS", "decline"], &life].concat();
    let output = run(&host(), &words).attach(Attach::ToolLibraries, &[&shim(), &tool("tool", ALL)]).output();
    assert_eq!(output.count("tool chunk"), 30, "{output}");
    output.assert_says("loaded again, and the tool that served it before declines");
}

/// The application's chunks are all there, under its own region, once; the library's loops run as without us.
#[test]
fn two_runtimes() {
    let Some(guest) = second_runtimes_guest(&[]) else {
        return;
    };
    let (shim, tool) = (shim(), tool("tool", ALL));
    let deep = ["deep", text(&guest)];
    let words = [&OWN[..], &deep, &LOOP, &["own", "9", "1", "3"]].concat();
    for way in WAYS {
        let output = run(&application(), &words).attach(way, &[&shim, &tool]).output();
        output.assert_says("two OpenMP runtimes are in this process");
        assert_eq!(output.messages.lines().count(), 1, "{output}");
        for (line, ran, told) in [("1", 3, 3), ("7", 3, 0), ("11", 9, 9)] {
            assert_eq!(output.count_of("ran", line), ran, "{output}");
            assert_eq!(output.count_of("tool chunk", line), told, "{output}");
            assert_eq!(output.count_of("tool dispatch", line), told, "{output}");
        }
        for line in output.lines("tool dispatch") {
            assert_eq!(line["valid"], "1", "{line:?}\n{output}");
        }
        assert_eq!(output.count("tool initialize"), 1, "{output}");
    }
}

/// A library that was linked with another runtime calls the program's all the same, unless it was opened to
/// prefer its own: what counts is what it is bound to.
#[test]
fn a_library_belongs_to_the_runtime_that_it_calls() {
    let Some(guest) = second_runtimes_guest(&[]) else {
        return;
    };
    let words = [&OWN[..], &["open", text(&guest)], &LOOP].concat();
    let output = run(&application(), &words).attach(Attach::ToolLibraries, &[&shim(), &tool("tool", ALL)]).output();
    output.assert_quiet();
    output.assert_exact("tool");
    assert_eq!(output.count("tool chunk"), 6, "{output}");
}

/// Two are there in private, each with code of its own: the one that comes first is served.
#[test]
fn private_runtimes() {
    let Some(guest) = second_runtimes_guest(&[]) else {
        return;
    };
    let system = system_guest(&[]);
    for (first, second) in [(&guest, &system), (&system, &guest)] {
        let (first, second) = (["deep", text(first)], ["deep", text(second)]);
        let words = [&first[..], &LOOP, &second, &LOOP].concat();
        let output = run(&host(), &words).attach(Attach::ToolLibraries, &[&shim(), &tool("tool", ALL)]).output();
        output.assert_says("two OpenMP runtimes are in this process");
        assert_eq!(output.count_of("tool chunk", "3"), 3, "{output}");
        assert_eq!(output.count_of("tool chunk", "9"), 0, "{output}");
        assert_eq!(output.count("tool chunk"), 3, "{output}");
    }
}

/// Code that ran a loop before the shim was there hears of it when a runtime brings it, and what belongs to another runtime stays as it is.
#[test]
fn no_order_of_opening_leaves_code_deaf() {
    let Some(guest) = second_runtimes_guest(&[]) else {
        return;
    };
    let (shim, tool) = (shim(), tool("tool", ALL));
    let list = format!("{}:{}", text(&shim), text(&tool));
    let attach = ["set", "OMP_TOOL_LIBRARIES", &list];
    let deep = ["deep", text(&guest)];
    let words = [&OWN[..], &attach, &deep, &LOOP, &OWN, &LOOP].concat();
    let output = run(&application(), &words).output();
    // The application's runtime had no tool, and has none now.
    output.assert_says("two OpenMP runtimes are in this process");
    for (line, told) in [("1", 0), ("10", 3), ("14", 0), ("18", 3)] {
        assert_eq!(output.count_of("ran", line), 3, "{output}");
        assert_eq!(output.count_of("tool chunk", line), told, "{output}");
    }
}

/// A library whose constructor has a parallel loop: threads of the team must not wait for the dynamic linker, which waits for the constructor.
#[test]
fn a_loop_in_a_constructor() {
    let library = system_guest(&["-DLOOP_IN_CONSTRUCTOR"]);
    let words = ["open", text(&library), "loop", "25", "10", "3"];
    let (shim, tool) = (shim(), tool("tool", ALL));
    run(&host(), &words).output().assert_quiet();
    for way in WAYS {
        let output = run(&host(), &words).attach(way, &[&shim, &tool]).output();
        output.assert_exact("tool");
        assert_eq!(output.count("tool chunk"), 6, "{output}");
    }
    // Nor may what the shim has to say.
    let late = [&["global", text(&shim)], &words[..]].concat();
    run(&host(), &late).verbose().output();
}

/// As proposed for LLVM 24, libomp sends dispatch events of serialized loops itself, and says of them that they come sometimes. Each chunk of an
/// instrumented loop is told once, the other loop's as it comes, and tools that want more than "sometimes" listen.
#[test]
fn dispatch_events_of_serialized_loops() {
    let runtime = compile("libemulated.so", &["emulated.c"], &["-shared", "-fPIC"]);
    let flags = [text(&runtime), &rpath(&runtime)];
    let program = compile("serial", &["serial.c"], &flags);
    let (shim, tool) = (shim(), tool("tool", "dispatch chunk clock"));
    for events in ["0", "1", "3"] {
        let output = Run::new(&program, &runtimes()[0], &[])
            .attach(Attach::Preload, &[&shim, &tool])
            .env("EVENTS", events)
            .output();
        output.assert_quiet();
        output.assert_exact("tool");
        assert_eq!(output.count("tool chunk"), 4, "{output}");
        let passed = output.count_of("tool dispatch", "0");
        assert_eq!(passed.to_string(), events, "{output}");
        let set = output.lines("tool set");
        let answer = set.iter().find(|line| line["event"] == "32");
        // ompt_set_sometimes_paired
        assert_eq!(answer.expect("it was registered")["result"], "4", "{output}");
    }
}
