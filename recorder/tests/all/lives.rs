//! A runtime that is unloaded and loaded again: each life is a part of the trace, or somebody says that it is not.

use std::path::Path;
use std::process::Command;

use ompchunk_trace_format::{Ending, Trace};

use crate::common::{chunks, clean, majors, product, programs, text};

fn compile(arguments: &[&str], to: &Path) {
    let source = programs().join("lives.c");
    let mut clang = Command::new(format!("clang-{}", majors()[0]));
    clang.arg("-O1").args(arguments).arg(source).arg("-o").arg(to);
    let output = clang.output().unwrap();
    assert!(output.status.success(), "{clang:?}\n{}", text(&output));
}

#[test]
fn every_life_is_recorded_or_missed_aloud() {
    let Some(runtime) = ompchunk_testkit::runtimes::libiomp5() else { return };
    let directory = tempfile::tempdir().unwrap();
    let (host, library) = (directory.path().join("host"), directory.path().join("lib.so"));
    compile(&[], &host);
    let plugin = product(&format!("lib/llvm-{}/libompchunk.so", majors()[0]));
    let (plugin, search, rpath) = (
        format!("-fpass-plugin={}", plugin.display()),
        format!("-L{}", runtime.display()),
        format!("-Wl,-rpath,{}", runtime.display()),
    );
    compile(&["-DLIBRARY", "-shared", "-fPIC", "-fopenmp=libiomp5", &plugin, &search, &rpath], &library);
    let libraries = [product("lib/libompchunk_rt.so"), product("lib/libompchunk_trace.so")];
    // Blanks separate the entries of LD_PRELOAD, and the tree may stand anywhere: names, and where to search them.
    let names = libraries.each_ref().map(|path| {
        let name = path.file_name().unwrap().to_str().unwrap();
        name.to_owned()
    });
    let paths = libraries.each_ref().map(|path| path.display().to_string());
    for (variable, list, lives) in [("OMP_TOOL_LIBRARIES", paths.join(":"), 3), ("LD_PRELOAD", names.join(":"), 1)] {
        let trace = directory.path().join(variable);
        let mut command = clean(&host);
        command.arg(&library).env(variable, &list);
        command.env("LD_LIBRARY_PATH", libraries[0].parent().unwrap());
        let output = command.env("OMPCHUNK_TRACE", &trace).output().unwrap();
        assert!(output.status.success(), "{}", text(&output));
        let said = String::from_utf8_lossy(&output.stderr);
        let missed = said.matches("an OpenMP runtime was loaded again").count();
        assert_eq!(lives + missed, 3, "{variable}: {said}");
        let trace = Trace::open(&trace).unwrap();
        assert_eq!(trace.parts.len(), lives, "{variable}");
        for part in &trace.parts {
            assert_eq!(part.ending(), Ending::Clean, "{variable}");
            assert_eq!(chunks(part).len(), 30, "{variable}");
        }
    }
}
