//! A program of ten thousand loops: all are recorded, told apart and reported, in memory that is in proportion.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::os::unix::process::CommandExt;
use std::process::Command;

use ompchunk_trace_format::{Event, Trace};

use crate::common::{Runtime, clean, majors, product, runtimes, text};

const LOOPS: usize = 10_000;
const FILES: usize = 20;
/// Loops of a function.
const EACH: usize = 100;
/// Iterations of each loop, each a chunk.
const ITERATIONS: usize = 4;
const THREADS: usize = 2;
const RUNS: usize = 2;
/// What recorder and report may need of a machine, as address space would be of no use: threads' stacks are in it.
const MOST_MEMORY: u64 = 400 << 20;

/// Compilers take a time that grows with the square of what is in a file, so there are several.
fn sources() -> Vec<(String, String)> {
    let line = "#pragma omp for schedule(static, 1) nowait\nfor (int i = 0; i < n; i++) ran++;\n";
    let mut main = "#include <stdio.h>\n_Thread_local long ran;\n".to_owned();
    let (mut calls, mut files) = (String::new(), Vec::new());
    for file in 0..FILES {
        let mut text = "extern _Thread_local long ran;\n".to_owned();
        for function in 0..LOOPS / FILES / EACH {
            let name = format!("f{file}_{function}");
            // Writing to a string does not fail.
            let _ = writeln!(text, "void {name}(int n) {{\n{}}}", line.repeat(EACH));
            let _ = writeln!(main, "void {name}(int n);");
            let _ = writeln!(calls, "    {name}({ITERATIONS});");
        }
        files.push((format!("file{file}.c"), text));
    }
    // Each thread counts what it runs.
    let _ = writeln!(
        main,
        "int main(void) {{\n  long all = 0;\n  for (int r = 0; r < {RUNS}; r++)\n#pragma omp parallel \
         num_threads({THREADS}) reduction(+ : all)\n  {{\n    ran = 0;\n{calls}    all += ran;\n  }}\n  \
         printf(\"%ld\\n\", all);\n}}"
    );
    files.push(("main.c".to_owned(), main));
    files
}

/// The most memory that the children of this process had, in bytes.
fn most_memory() -> u64 {
    // SAFETY: all zeros is a valid value, and the call writes to it alone.
    unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        libc::getrusage(libc::RUSAGE_CHILDREN, &mut usage);
        usage.ru_maxrss as u64 * 1024
    }
}

fn record(directory: &std::path::Path, runtime: &Runtime, options: &[&str]) -> (Trace, u64) {
    let trace = directory.join("trace");
    let mut command = clean(product("bin/ompchunk"));
    command.args(["record", "--force", "-o"]).arg(&trace);
    command.args(options).arg(directory.join("app"));
    runtime.serve(&mut command);
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", text(&output));
    let count = String::from_utf8_lossy(&output.stdout).trim().parse();
    (Trace::open(&trace).unwrap(), count.unwrap())
}

/// In a process of its own, so that the memory is not that of the compiler.
#[test]
fn ten_thousand_loops() {
    const INSIDE: &str = "MANY_LOOPS";
    let directory = match std::env::var_os(INSIDE) {
        Some(directory) => std::path::PathBuf::from(directory),
        None => {
            let directory = tempfile::tempdir().unwrap();
            let mut command = clean(product("bin/ompchunk"));
            command
                .env("OMPCHUNK_CC", format!("clang-{}", majors()[0]))
                .args(["cc", "-O0", "-g", "-fopenmp", "-o"])
                .arg(directory.path().join("app"));
            for (name, text) in sources() {
                let file = directory.path().join(name);
                std::fs::write(&file, text).unwrap();
                command.arg(file);
            }
            let output = command.output().unwrap();
            assert!(output.status.success(), "{}", text(&output));
            let mut again = Command::new(std::env::current_exe().unwrap());
            again.arg0("many_loops").args(["--exact", "many_loops::ten_thousand_loops", "--nocapture"]);
            let output = again.env(INSIDE, directory.path()).output().unwrap();
            print!("{}", text(&output));
            assert!(output.status.success());
            return;
        }
    };
    for runtime in &runtimes() {
        for options in [&[][..], &["--aggregate"], &["--max-size", "512K"]] {
            let (trace, own) = record(&directory, runtime, options);
            assert_eq!(own, (LOOPS * ITERATIONS * RUNS) as u64);
            let part = &trace.parts[0];
            let (mut chunks, mut loops) = (0, HashSet::new());
            part.for_each(|_, event| match event {
                Event::Chunk(_) => chunks += 1,
                Event::Aggregate(aggregate) => chunks += aggregate.chunks,
                Event::Loop(the_loop) => {
                    loops.insert((the_loop.line, the_loop.the_loop));
                }
                _ => {}
            })
            .unwrap();
            let lost = part.head().lost_chunks;
            assert_eq!(chunks + lost, own, "{} {options:?}: {lost} lost", runtime.name);
            if lost == 0 {
                assert_eq!(loops.len(), LOOPS, "{} {options:?}", runtime.name);
            }
            let mut report = clean(product("bin/ompchunk"));
            let output = report.args(["report", "--json"]).arg(directory.join("trace"));
            let output = output.output().unwrap();
            assert!(output.status.success(), "{}", text(&output));
            let json = String::from_utf8(output.stdout).unwrap();
            // Pretty-printed: one such line for each loop.
            let listed = json.matches("\"chunks_complete\"").count();
            assert!(listed == LOOPS || lost > 0, "{} {options:?}: {listed}", runtime.name);
            println!("{} {options:?}: {chunks} chunks, {lost} lost, {} MiB", runtime.name, most_memory() >> 20);
        }
    }
    let most = most_memory();
    assert!(most < MOST_MEMORY, "{} MiB", most >> 20);
}
