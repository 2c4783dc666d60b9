//! What is recorded of them.

use std::collections::HashMap;
use std::path::Path;

use ompchunk_testkit::runtimes;
use ompchunk_trace_format::{Event, Trace};
use serde_json::Value;

use super::{ATTACKS, MOVED, alike, gcc, plain};
use crate::common::recorded::{chunks, record, report};
use crate::common::{compile, finish, majors, must_say, ompchunk, succeed};

const CONSTRUCTS: &str = include_str!("constructs.c");

/// Chunks of each loop, in the order of the loops: first and last iteration, and the thread.
fn by_loop(directory: &Path) -> Vec<Vec<(u64, u64, u32)>> {
    let trace = Trace::open(&directory.join("t")).unwrap();
    let [part] = &trace.parts[..] else { panic!("{} parts", trace.parts.len()) };
    let (mut loops, mut open): (Vec<Vec<_>>, HashMap<u32, usize>) = Default::default();
    let mut numbers: Vec<u32> = Vec::new();
    part.for_each(|at, event| match event {
        Event::LoopBegin(begin) => {
            let known = numbers.iter().position(|number| *number == begin.the_loop);
            let place = known.unwrap_or_else(|| {
                numbers.push(begin.the_loop);
                loops.push(Vec::new());
                loops.len() - 1
            });
            open.insert(at.lane, place);
        }
        Event::Chunk(chunk) => {
            loops[open[&at.lane]].push((chunk.lower, chunk.lower + chunk.iterations - 1, at.thread));
        }
        _ => {}
    })
    .unwrap();
    for chunks in &mut loops {
        chunks.sort_unstable();
    }
    loops
}

/// Each chunk is one thread's, and who comes after another one begins a chunk.
fn agrees(chunks: &[(u64, u64, u32)], who: &str) {
    let who = who.as_bytes();
    let mut next = 0;
    for &(first, last, _) in chunks {
        assert_eq!(first, next, "{chunks:?}");
        next = last + 1;
        let ran = &who[first as usize..next as usize];
        assert!(ran.iter().all(|thread| *thread == ran[0]), "{first} to {last}: {who:?}");
    }
    assert_eq!(next, who.len() as u64);
}

fn locks(report: &Value) -> Vec<(&str, u64)> {
    let all = report["run"]["locks"].as_array().unwrap();
    let mut locks: Vec<_> =
        all.iter().map(|lock| (lock["kind"].as_str().unwrap(), lock["count"].as_u64().unwrap())).collect();
    locks.sort_unstable();
    locks
}

/// On each runtime, and however it was linked: the program's own numbers.
#[test]
fn all_that_gcc_calls_its_runtime_for() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path();
    for (flags, is_stripped) in [("-O0", false), ("-O2 -Wl,-z,now -fno-plt", false), ("-O2 -static-libgcc", true)] {
        gcc(at, CONSTRUCTS, &format!("{flags} -o app"));
        if is_stripped {
            succeed(plain(at, &["strip", "app"]).current_dir(at));
        }
        let (_, alone, _) = finish(&mut plain(at, &["./app"]));
        for runtime in runtimes::three() {
            let case = format!("{flags}, {}", runtime.name);
            let mut command = record(at, &["--force", "-o", "t", "./app"]);
            let (code, printed, said) = finish(runtime.serve(&mut command));
            assert_eq!((code, &printed), (Some(0), &alone), "{case}: {said}");
            assert_eq!(said.matches(MOVED).count(), 1, "{said}");
            let its: Vec<&str> = said.lines().filter(|line| !line.starts_with("ompchunk: ")).collect();
            let [who, tasks] = its[..] else { panic!("{case}: {said}") };
            let loops = by_loop(at);
            let counts: Vec<usize> = loops.iter().map(Vec::len).collect();
            assert_eq!((counts[0], counts[2], counts[3]), (143, 20, 3), "{case}: {counts:?}");
            agrees(&loops[1], who);
            let found: Value = serde_json::from_str(&report(at, &["--json"])).unwrap();
            let created = found["tasks"]["constructs"].as_array().unwrap().iter();
            let created: u64 = created.map(|construct| construct["created"].as_u64().unwrap()).sum();
            assert_eq!(created.to_string(), tasks, "{case}");
            let wanted = [("critical section", 1000), ("lock", 1000), ("ordered section", 20)];
            assert_eq!(locks(&found), wanted, "{case}");
            assert_eq!(found["regions"].as_array().unwrap().len(), 2, "{case}");
            assert_eq!(
                found["notes"].as_array().unwrap().iter().filter(|note| note["code"] == "gcc").count(),
                1,
                "{case}"
            );
        }
    }
}

/// GCC calls once for both, in one thread.
#[test]
fn a_region_that_is_one_loop() {
    const LOOPS: &str = "#include <unistd.h>
int main(void) {
  for (int r = 0; r < 3; r++) {
#pragma omp parallel for schedule(dynamic, 4) num_threads(2)
    for (int i = 1; i <= 60; i++) usleep(500);
  }
}
";
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path();
    gcc(at, LOOPS, "-O2 -o app");
    for runtime in runtimes::three() {
        succeed(runtime.serve(&mut record(at, &["--force", "-o", "t", "./app"])));
        let found: Value = serde_json::from_str(&report(at, &["--json"])).unwrap();
        let [the_loop] = &found["loops"].as_array().unwrap()[..] else { panic!("{}: {found}", runtime.name) };
        let team = the_loop["threads"].as_array().unwrap().len();
        assert_eq!((&the_loop["executions"], team), (&Value::from(3), 2), "{}: {the_loop}", runtime.name);
        let advice = succeed(ompchunk(&["advise", "t"]).current_dir(at));
        let is_missed = ["only a part", "complete"].iter().any(|said| advice.contains(said));
        assert!(!is_missed, "{}: {advice}", runtime.name);
    }
}

/// Threads that wait spin as long as on libgomp, unless the user says how long.
#[test]
fn threads_spin_as_before() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path();
    let says = "#include <stdio.h>\n#include <stdlib.h>\nint main(void) {\n#pragma omp parallel num_threads(2)\n  ;\n  \
                const char *time = getenv(\"KMP_BLOCKTIME\");\n  puts(time ? time : \"none\");\n}\n";
    gcc(at, says, "-o app");
    for (variable, spins) in
        [(("A", "1"), "5\n"), (("OMP_WAIT_POLICY", "passive"), "none\n"), (("GOMP_SPINCOUNT", "9"), "none\n")]
    {
        let mut command = record(at, &["--force", "-o", "t", "./app"]);
        command.env_remove("OMP_WAIT_POLICY").env_remove("KMP_BLOCKTIME");
        let (_, printed, said) = finish(command.envs([variable]));
        assert_eq!((printed.as_str(), said.contains(" with KMP_BLOCKTIME=5 ")), (spins, spins == "5\n"), "{said}");
    }
}

#[test]
fn a_library_that_needs_libgomp() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path();
    gcc(at, ATTACKS, "-DLIBRARY -shared -fPIC -o libloop.so");
    // Not linked with libgomp itself.
    gcc(at, ATTACKS, "-DLINKED -fno-openmp -L. -lloop -Wl,-rpath,$ORIGIN -o app");
    must_say(&alike(at, &["./app"], &[]), MOVED);
    assert_eq!(chunks(&at.join("t")), [(None, 10)]);
}

/// Who listens to nobody gets what it is linked with, and so do others by the user's word.
#[test]
fn who_keeps_libgomp() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path();
    gcc(at, ATTACKS, "-o app");
    let variable = ["./app", "variable", "LD_PRELOAD"];
    let run = |words: &[&str]| finish(ompchunk(&["run"]).args(words).args(variable).current_dir(at));
    let as_it_is = (Some(0), "4950\nnot set\n".to_owned(), String::new());
    assert_eq!(run(&[]), as_it_is);
    assert_eq!(run(&["--runtime", "as-linked", "--tool", "chunk-print"]), as_it_is);
    let (_, printed, said) = run(&["--tool", "chunk-print"]);
    must_say(&printed, "libomp.so");
    must_say(&said, MOVED);
    assert_eq!(said.matches("  dispatch  ").count(), 10, "{said}");
    let (_, printed, said) = run(&["--balance"]);
    must_say(&printed, "not set");
    must_say(&said, "no loop that GCC compiled runs under another schedule");
    let mut command = record(at, &["--runtime", "as-linked", "./app"]);
    let (code, _, said) = finish(&mut command);
    assert_eq!(code, Some(125), "{said}");
    must_say(&said, "nothing was recorded: ./app is linked with libgomp");
    must_say(&said, "or ompchunk record without --runtime, which runs it on ");
    // A tool that cannot be loaded does not keep it on libgomp.
    let (code, _, said) = finish(record(at, &["./app"]).env("OMP_TOOL_LIBRARIES", "/nothing/tool.so"));
    assert_eq!(code, Some(0), "{said}");
}

/// `scale` records, so its runs are alike; `tune` compares with the program as it is.
#[test]
fn the_other_commands_that_run_programs() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path();
    gcc(at, ATTACKS, "-o app");
    let (code, _, said) = finish(ompchunk(&["scale", "--threads", "1,2", "--runs", "1", "./app"]).current_dir(at));
    assert_eq!(code, Some(0), "{said}");
    must_say(&said, MOVED);
    let (code, _, said) = finish(ompchunk(&["tune", "--time", "1", "./app"]).current_dir(at));
    assert_eq!(code, Some(1), "{said}");
    must_say(&said, "./app is linked with libgomp");
}

/// A runtime by its path, and what is none.
#[test]
fn a_runtime_by_name() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path();
    gcc(at, ATTACKS, "-o app");
    let Some(intel) = runtimes::libiomp5() else { return };
    let named = |file: &str| finish(&mut record(at, &["--force", "--runtime", file, "./app"]));
    let intel = intel.join("libiomp5.so");
    std::os::unix::fs::symlink(&intel, at.join("runtime.so")).unwrap();
    let (code, printed, said) = named("runtime.so");
    assert_eq!((code, printed.as_str()), (Some(0), "4950\n"), "{said}");
    assert!(!said.contains(MOVED), "{said}");
    must_say(&said, ": 1 loop, 10 chunks");
    // What is another runtime's default stays that of a program of clang.
    compile(at, majors()[0], "-w -fopenmp source.c -o of-clang");
    for runtime in ["libomp", "runtime.so"] {
        let words = ["--force", "-o", "t", "--runtime", runtime, "./of-clang", "variable", "OMP_SCHEDULE"];
        let (code, printed, said) = finish(&mut record(at, &words));
        assert_eq!((code, printed.as_str()), (Some(0), "4950\nnot set\n"), "{said}");
        must_say(&said, ": 1 loop, 10 chunks");
    }
    for (file, why) in [
        ("/nothing/libomp.so", "the dynamic linker does not load /nothing/libomp.so"),
        ("app", "the dynamic linker does not load "),
        ("libm.so.6", "the dynamic linker does not load "),
        ("a b.so", "a b.so cannot be in LD_PRELOAD"),
    ] {
        let (code, printed, said) = named(file);
        assert_eq!((code, printed.as_str()), (Some(1), ""), "{said}");
        must_say(&said, why);
        must_say(&said, "ompchunk: next: ");
    }
}
