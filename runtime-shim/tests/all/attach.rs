//! The library's symbols, the ways to attach, and which tool the shim finds.

use std::process::Command;

use crate::common::{Attach, Run, archive, compile, driver, runtimes, says, scratch, shim, text, tool};

const LOOPS: [&str; 3] = ["static:25:10:2", "static:7:1:3", "dynamic:25:10:2"];
const ALL: &str = "dispatch chunk clock";

#[test]
fn by_tool_libraries_and_by_preload() {
    let (shim, tool) = (shim(), tool("tool", ALL));
    for runtime in runtimes() {
        for way in [Attach::ToolLibraries, Attach::Preload] {
            let output = Run::new(&driver(), runtime, &LOOPS).attach(way, &[&shim, &tool]).output();
            output.assert_exact("tool");
            output.assert_quiet();
            assert_eq!(output.count("tool finalize"), 1, "{output}");
            let verbose = Run::new(&driver(), runtime, &LOOPS).attach(way, &[&shim, &tool]).verbose().output();
            verbose.assert_says(&format!("asked by {}", says(runtime)));
            // What is not instrumented passes through: three chunks dealt out by the runtime.
            assert_eq!(verbose.count_of("tool dispatch", "0"), 3, "{verbose}");
        }
    }
}

#[test]
fn linked_as_shared_libraries() {
    let directory = scratch().join("linked");
    std::fs::create_dir_all(&directory).expect("scratch directory");
    let copy = |from: &std::path::Path, name: &str| {
        std::fs::copy(from, directory.join(name)).expect("copy of a library");
    };
    copy(&shim(), "libompchunk_rt.so");
    copy(&tool("linkedtool", ALL), "liblinkedtool.so");
    let search = format!("-L{}", directory.display());
    let rpath = format!("-Wl,-rpath,{}", directory.display());
    // The runtime before, between and after: its weak ompt_start_tool must not be taken for a tool.
    for (name, order) in [
        ("omp-last", "-lompchunk_rt -llinkedtool -fopenmp"),
        ("omp-first", "-lomp -lompchunk_rt -llinkedtool -fopenmp"),
        ("omp-between", "-lompchunk_rt -lomp -llinkedtool -fopenmp"),
    ] {
        let mut flags = vec![search.as_str(), "-Wl,--no-as-needed"];
        flags.extend(order.split(' '));
        flags.push(&rpath);
        let program = compile(name, &["driver.c"], &flags);
        for runtime in runtimes() {
            let output = Run::new(&program, runtime, &LOOPS).output();
            output.assert_exact("linkedtool");
            assert!(output.count("linkedtool chunk") > 0, "{name}\n{output}");
            let asked = output.text.matches("linkedtool asked").count();
            assert_eq!(asked, 1, "{name}\n{output}");
            let verbose = Run::new(&program, runtime, &LOOPS).verbose().output();
            verbose.assert_says("linked as a library");
        }
    }
}

#[test]
fn linked_statically() {
    let tool = tool("tool", ALL);
    let archive = archive();
    // The flags that README.md documents.
    let program = compile(
        "static",
        &["driver.c"],
        &[
            "-fopenmp",
            "-Wl,-u,__ompchunk_connect",
            "-Wl,--export-dynamic-symbol=ompt_start_tool",
            "-Wl,--export-dynamic-symbol=__ompchunk_connect",
            text(&archive),
        ],
    );
    for runtime in runtimes() {
        for way in [Attach::ToolLibraries, Attach::Preload] {
            let output = Run::new(&program, runtime, &LOOPS).attach(way, &[&tool]).verbose().output();
            output.assert_exact("tool");
            assert!(output.count("tool chunk") > 0, "{output}");
            output.assert_says("linked into the program");
        }
        // Nobody listens: the program is what it was.
        Run::new(&program, runtime, &LOOPS).output().assert_quiet();
    }
}

/// A preloaded or linked shim is asked before the runtime reads the list.
#[test]
fn preloaded_shim_takes_tools_from_the_list() {
    let (shim, first, second) = (shim(), tool("first", "decline"), tool("second", ALL));
    for runtime in runtimes() {
        for list in [vec![&first, &second], vec![&first, &second, &shim], vec![&first, &shim, &second]] {
            let list: Vec<_> = list.into_iter().map(|path| path.as_path()).collect();
            let output = Run::new(&driver(), runtime, &LOOPS)
                .attach(Attach::Preload, &[&shim])
                .attach(Attach::ToolLibraries, &list)
                .output();
            output.assert_chunks_exact("second");
            assert!(output.count("second chunk") > 0, "{output}");
            assert_eq!(output.text.matches("first asked").count(), 1, "{output}");
            output.assert_quiet();
        }
    }
}

#[test]
fn a_tool_that_declines_makes_room_for_the_next() {
    let (shim, first, second) = (shim(), tool("first", "decline"), tool("second", ALL));
    for runtime in runtimes() {
        for way in [Attach::ToolLibraries, Attach::Preload] {
            let output = Run::new(&driver(), runtime, &LOOPS).attach(way, &[&shim, &first, &second]).verbose().output();
            output.assert_chunks_exact("second");
            assert!(output.count("second chunk") > 0, "{output}");
            assert_eq!(output.text.matches("first asked").count(), 1, "{output}");
            output.assert_says("declines");
        }
    }
}

#[test]
fn the_runtime_may_name_the_shim_twice() {
    let (shim, tool) = (shim(), tool("tool", ALL));
    let copy = scratch().join("copy.so");
    std::fs::copy(&shim, &copy).expect("copy of the shim");
    for runtime in runtimes() {
        for list in [[&shim, &shim, &tool], [&shim, &copy, &tool]] {
            for way in [Attach::ToolLibraries, Attach::Preload] {
                let list = list.map(|path| path.as_path());
                let output = Run::new(&driver(), runtime, &LOOPS).attach(way, &list).output();
                output.assert_exact("tool");
                assert_eq!(output.text.matches("tool asked").count(), 1, "{output}");
                output.assert_quiet();
            }
        }
    }
}

#[test]
fn nobody_accepts() {
    let (shim, declining) = (shim(), tool("first", "decline"));
    for runtime in runtimes() {
        for way in [Attach::ToolLibraries, Attach::Preload] {
            for list in [vec![&shim], vec![&shim, &declining]] {
                let list: Vec<_> = list.into_iter().map(|path| path.as_path()).collect();
                let loops = ["static:25:10:2", "state", "control:1:0"];
                let run = || Run::new(&driver(), runtime, &loops).attach(way, &list);
                let output = run().output();
                output.assert_quiet();
                assert_eq!(output.count("ran"), 3, "{output}");
                assert_eq!(output.lines("state")[0]["listening"], "0", "{output}");
                // OMPT is off: omp_control_tool finds no tool.
                assert_eq!(output.lines("control")[0]["result"], "-2", "{output}");
                run().verbose().output().assert_says("no tool accepts");
            }
        }
    }
}

#[test]
fn a_tool_that_switches_ompt_off() {
    let (shim, tool) = (shim(), tool("tool", "init-zero dispatch"));
    for runtime in runtimes() {
        let loops = ["static:25:10:2", "state", "control:1:0"];
        let run = || Run::new(&driver(), runtime, &loops).attach(Attach::ToolLibraries, &[&shim, &tool]);
        let output = run().output();
        output.assert_quiet();
        assert_eq!(output.count("tool initialize"), 1, "{output}");
        assert_eq!(output.count("tool finalize"), 0, "{output}");
        assert_eq!(output.lines("state")[0]["listening"], "0", "{output}");
        assert_eq!(output.lines("control")[0]["result"], "-2", "{output}");
        run().verbose().output().assert_says("initialize switched OMPT off");
    }
}

#[test]
fn a_tool_without_chunk_callbacks_costs_nothing() {
    let (shim, tool) = (shim(), tool("tool", "clock"));
    for runtime in runtimes() {
        let loops = ["static:25:10:2", "state"];
        let output =
            Run::new(&driver(), runtime, &loops).attach(Attach::ToolLibraries, &[&shim, &tool]).verbose().output();
        assert_eq!(output.lines("state")[0]["listening"], "0", "{output}");
        output.assert_says("registered none of ompt_callback_dispatch and the extension events");
    }
}

#[test]
fn a_program_without_instrumented_code() {
    let (shim, tool) = (shim(), tool("tool", ALL));
    for runtime in runtimes() {
        let output = Run::new(&driver(), runtime, &["plain:25:10:2", "dynamic:25:10:2"])
            .attach(Attach::ToolLibraries, &[&shim, &tool])
            .verbose()
            .output();
        output.assert_says("-fpass-plugin=");
        // The runtime's own events pass, however few.
        assert!(output.count("tool dispatch") >= 4, "{output}");
    }
}

#[test]
fn without_shim_the_program_is_what_it_was() {
    for runtime in runtimes() {
        let output = Run::new(&driver(), runtime, &["static:25:10:2", "state"]).output();
        output.assert_quiet();
        assert_eq!(output.lines("state")[0]["listening"], "0", "{output}");
    }
}

#[test]
fn exports_exactly_three_functions() {
    let result = Command::new("nm").args(["-D", "--defined-only"]).arg(shim()).output().expect("nm: install binutils");
    let text = String::from_utf8_lossy(&result.stdout);
    let mut symbols: Vec<_> = text.lines().filter_map(|line| line.split(' ').nth(2)).collect();
    symbols.sort_unstable();
    assert_eq!(symbols, ["__omp_collector_api", ompchunk_abi::CONNECT_SYMBOL, "ompt_start_tool"]);
}
