//! What could hurt the OpenMP Collector API: signal handlers, storms of requests, callbacks that do everything, `fork`, hundreds
//! of threads, collectors that go.

use std::path::PathBuf;

use crate::common::{Attach, Output, Run, compile, runtimes, shim, text};

const HEADER: &str = concat!("-I", env!("CARGO_MANIFEST_DIR"), "/../examples/collector");

fn program() -> PathBuf {
    compile("collector-attacks", &["collector-attacks.c"], &["-fopenmp", HEADER, "-ldl"])
}

/// A scene on both runtimes, without a tool and with one.
fn scene(words: &[&str], check: impl Fn(&Output)) {
    let tool = compile("libcountingtool.so", &["collector-tool.c"], &["-shared", "-fPIC"]);
    let shim = shim();
    for runtime in runtimes() {
        for libraries in [&[shim.as_path()][..], &[&shim, &tool]] {
            let output = Run::new(&program(), runtime, words)
                .attach(Attach::Preload, libraries)
                .env("OMP_CANCELLATION", "true")
                // A scene is about a region that lasts while its process forks.
                .env("KMP_WARNINGS", "0")
                .output();
            output.assert_quiet();
            assert_eq!(output.count("ok"), 1, "{output}");
            check(&output);
        }
    }
}

/// STATE and CURRENT_PRID from a handler of SIGPROF, ten thousand times a second in each thread.
#[test]
fn a_profiler() {
    for name in ["profile", "profile-all"] {
        scene(&[name], |output| {
            assert_eq!(output.count("sampled"), 1, "{output}");
        });
    }
}

#[test]
fn requests_from_everywhere() {
    scene(&["storm"], |_| {});
    scene(&["starts"], |_| {});
}

#[test]
fn callbacks_that_do_everything() {
    scene(&["reentrance"], |_| {});
    scene(&["quiesce"], |_| {});
}

#[test]
fn children() {
    scene(&["forks"], |output| {
        assert_eq!(output.count("child"), 1, "{output}");
    });
}

#[test]
fn hundreds_of_threads() {
    scene(&["many"], |_| {});
}

#[test]
fn cancelled_regions() {
    scene(&["cancelled"], |_| {});
}

#[test]
fn a_collector_that_goes() {
    let own = ["-shared", "-fPIC", HEADER, "-ldl"];
    let library = compile("libcollector.so", &["collector-library.c"], &own);
    scene(&["unloaded", text(&library)], |output| {
        let lines = output.lines("collector");
        assert_eq!(lines.len(), 30, "{output}");
        for line in lines {
            // Two regions, with four tasks that begin one each.
            assert_eq!((&*line["forks"], &*line["joins"]), ("10", "10"), "{output}");
        }
    });
}
