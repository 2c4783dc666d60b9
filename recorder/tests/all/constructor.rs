//! Parallel loops in constructors and destructors of a library: the dynamic linker holds its lock meanwhile, so threads
//! that wait for it while they record would wait for ever.

use std::process::Stdio;
use std::time::{Duration, Instant};

use ompchunk_trace_format::Trace;

use crate::common::{Program, all_chunks, clean, in_order, majors, product, programs, runtimes, text};

/// Chunks of `run` in constructor.c.
const CHUNKS: u64 = 51 * 400;
/// It takes a fraction of a second.
const PATIENCE: Duration = Duration::from_secs(60);

fn library(program: &Program, major: u32, plugin: bool) -> String {
    let source = programs().join("constructor.c");
    let path = program.directory.path().join("library.so");
    let mut command = clean(product("bin/ompchunk"));
    if !plugin {
        command.env("OMPCHUNK", "off");
    }
    command
        .env("OMPCHUNK_CC", format!("clang-{major}"))
        .args(["cc", "-O2", "-g", "-fopenmp", "-shared", "-fPIC", "-DLIBRARY"])
        .arg(source)
        .arg("-o")
        .arg(&path);
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", text(&output));
    path.into_os_string().into_string().unwrap()
}

#[test]
fn loops_while_a_library_is_loaded_and_closed() {
    let major = majors()[0];
    let program = Program::compile("constructor", major);
    for plugin in [true, false] {
        let library = library(&program, major, plugin);
        for runtime in &runtimes() {
            for options in [&[][..], &["--aggregate"], &["--sample", "3"], &["--loop", "constructor.c"]] {
                for before in [&[][..], &["loops before"]] {
                    let arguments: Vec<&str> = [library.as_str()].iter().chain(before).copied().collect();
                    let what = format!("{} {options:?} {before:?}, plugin: {plugin}", runtime.name);
                    let mut command = program.record(runtime, options, &arguments);
                    let command = command.stdout(Stdio::piped()).stderr(Stdio::piped());
                    let mut child = command.spawn().unwrap();
                    let until = Instant::now() + PATIENCE;
                    while child.try_wait().unwrap().is_none() {
                        if Instant::now() > until {
                            child.kill().unwrap();
                            panic!("it hangs: {what}");
                        }
                        std::thread::sleep(Duration::from_millis(5));
                    }
                    let output = child.wait_with_output().unwrap();
                    assert!(output.status.success(), "{what}: {}", text(&output));
                    assert_eq!(output.stdout, b"done\n");
                    let trace = Trace::open(&program.trace()).unwrap();
                    let part = &trace.parts[0];
                    in_order(part);
                    // Without the plugin, static loops are told by one chunk per thread.
                    if plugin {
                        let all = CHUNKS * (2 + before.len() as u64);
                        assert_eq!(all_chunks(part), all, "{what}");
                    }
                }
            }
        }
    }
}
