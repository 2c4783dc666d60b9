//! The OpenMP Collector API: requests, region ids, states and events, on both runtimes; beside a tool; ways to attach.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::common::{
    Attach, Output, Run, Runtime, archive, compile, driver, rpath, runtimes, second_runtimes_guest, shim, text,
};

const HEADER: &str = concat!("-I", env!("CARGO_MANIFEST_DIR"), "/../examples/collector");

fn program(name: &str) -> PathBuf {
    compile(name, &[&format!("{name}.c")], &["-fopenmp", HEADER, "-ldl"])
}

/// A library that starts when it is loaded and says at its end what it heard.
fn library() -> PathBuf {
    let own = ["-shared", "-fPIC", HEADER, "-ldl"];
    compile("libcollector.so", &["collector-library.c"], &own)
}

fn tool() -> PathBuf {
    compile("libcountingtool.so", &["collector-tool.c"], &["-shared", "-fPIC"])
}

fn preloaded(program: &Path, runtime: &Runtime, scenes: &[&str]) -> Run {
    Run::new(program, runtime, scenes).attach(Attach::Preload, &[&shim()])
}

fn number(output: &Output, words: &str, key: &str) -> i64 {
    let lines = output.lines(words);
    assert_eq!(lines.len(), 1, "{output}");
    lines[0][key].parse().expect("a number")
}

#[test]
fn requests() {
    let program = program("collector-requests");
    for runtime in runtimes() {
        // One by one, and in one process.
        let scenes = ["order", "several", "sizes", "pages", "noise", "strangers"];
        for scene in scenes {
            let output = preloaded(&program, runtime, &[scene]).output();
            output.assert_quiet();
            assert_eq!(output.count("ok"), 1, "{output}");
        }
        let together = preloaded(&program, runtime, &scenes).output();
        together.assert_quiet();
        assert_eq!(together.count("ok"), scenes.len(), "{together}");
    }
}

/// A collector that starts after the runtime is told that it is too late, unless the shim was asked to stay or has a tool.
#[test]
fn a_late_collector() {
    let program = program("collector-requests");
    for runtime in runtimes() {
        let output = preloaded(&program, runtime, &["refused"]).output();
        output.assert_says("a collector cannot start: the OpenMP runtime has already begun");
        assert_eq!(output.messages.lines().count(), 1, "{output}");
        let refused = preloaded(&program, runtime, &["refused"]).env("OMPCHUNK_COLLECTOR", "0").output();
        refused.assert_says("OMPCHUNK_COLLECTOR=1");
        preloaded(&program, runtime, &["late"]).env("OMPCHUNK_COLLECTOR", "1").output().assert_quiet();
        let with_tool = preloaded(&program, runtime, &["late"]).attach(Attach::Preload, &[&shim(), &tool()]).output();
        with_tool.assert_quiet();
        assert!(with_tool.count("tool") > 5, "{with_tool}");
    }
}

#[test]
fn regions_and_states() {
    let program = program("collector-regions");
    for runtime in runtimes() {
        let alone = ["nested", "midway", "waits"].map(|scene| preloaded(&program, runtime, &[scene]));
        // The same with a tool behind, which writes to the data of regions.
        let with_tool = ["nested", "midway", "waits", "all"]
            .map(|scene| preloaded(&program, runtime, &[scene]).attach(Attach::Preload, &[&shim(), &tool()]));
        for run in alone.into_iter().chain(with_tool) {
            let output = run.output();
            output.assert_quiet();
            assert_eq!(output.count("ok"), 1, "{output}");
        }
    }
}

/// Three regions with four threads each: the constructs say how often each event comes.
#[test]
fn every_event_as_often_as_the_program_says() {
    let program = program("collector-regions");
    for runtime in runtimes() {
        let output = preloaded(&program, runtime, &["all"]).output();
        output.assert_quiet();
        let counts: BTreeMap<i64, i64> = output
            .lines("count")
            .iter()
            .map(|line| {
                let number = |key: &str| line[key].parse().expect("a number");
                (number("event"), number("times"))
            })
            .collect();
        let both = |begin: i64, right: i64| {
            for event in [begin, begin + 1] {
                assert_eq!(counts[&event], right, "event {event}\n{output}");
            }
        };
        assert_eq!((counts[&1], counts[&2]), (3, 3), "{output}");
        // At the region's end, after three loops and the single construct, and in a reduction. A worker that sleeps hears of
        // the last region's end when it is woken.
        assert_eq!(counts[&5], 5 * 12, "{output}");
        assert!((57..=60).contains(&counts[&6]), "{output}");
        // Three workers, made once.
        assert!((9..=12).contains(&counts[&3]), "{output}");
        assert_eq!(counts[&4], 9, "{output}");
        both(7, 12);
        // A lock, and a nestable one twice; who only tests does not wait.
        both(9, 3 * 12);
        both(11, 12);
        both(13, 3 * 8);
        both(15, 3);
        both(17, 3);
        both(19, 3 * 8);
        both(21, 12);
    }
}

/// The runtimes tell of combining where threads do it one with the next; in a critical section they tell of that.
#[test]
fn reductions() {
    let program = program("collector-regions");
    for runtime in runtimes() {
        let output = preloaded(&program, runtime, &["reduces"]).output();
        output.assert_quiet();
        let seen: Vec<i64> =
            output.lines("reduced").iter().map(|line| line["seen"].parse().expect("a number")).collect();
        assert_eq!(seen.len(), 2, "{output}");
        assert!(seen[0] == 0 && seen[1] >= 100, "{output}");
    }
}

/// The tool gets what it would get without a collector, and the collector what it would get without a tool.
#[test]
fn beside_a_tool() {
    let (program, shim, tool) = (program("collector-attacks"), shim(), tool());
    for runtime in runtimes() {
        let run = |scene: &str, libraries: &[&Path]| {
            Run::new(&program, runtime, &[scene]).attach(Attach::Preload, libraries).env("KMP_BLOCKTIME", "0")
        };
        let alone = run("plain", &[&shim, &tool]).output();
        let beside = run("burn", &[&shim, &tool]).output();
        let without = run("burn", &[&shim]).output();
        let registering = run("burn", &[&shim, &tool]).env("TOOL_REGISTERS", "1").output();
        let listed = run("burn", &[&shim]).attach(Attach::ToolLibraries, &[&tool]).output();
        let events = |output: &Output| {
            output.assert_quiet();
            output.fields("tool", &["event", "times"])
        };
        assert_eq!(events(&alone).len(), 13, "{alone}");
        for output in [&beside, &registering, &listed] {
            assert_eq!(events(&alone), events(output), "{output}");
        }
        for output in [&beside, &without, &registering, &listed] {
            output.assert_quiet();
            // 20 regions, each with four tasks that begin one.
            for key in ["forks", "joins"] {
                assert_eq!(number(output, "burnt", key), 100, "{output}");
            }
            assert_eq!(number(output, "burnt", "locks"), 80, "{output}");
        }
        assert_eq!(number(&alone, "burnt", "forks"), 0, "{alone}");
    }
}

/// A tool that registers and then does not want to be one gets nothing, and the collector all.
#[test]
fn beside_a_tool_that_switches_itself_off() {
    let program = program("collector-attacks");
    for runtime in runtimes() {
        let output = Run::new(&program, runtime, &["burn"])
            .attach(Attach::Preload, &[&shim(), &tool()])
            .env("TOOL_REFUSES", "1")
            .output();
        output.assert_quiet();
        assert_eq!(output.count("tool"), 0, "{output}");
        assert_eq!(number(&output, "burnt", "forks"), 100, "{output}");
    }
}

/// Preloaded, linked, and with the shim in the program itself.
#[test]
fn ways_to_attach() {
    let (shim, library) = (shim(), library());
    let loops = ["static:25:10:2", "static:7:1:3", "dynamic:25:10:2"];
    let linked = compile(
        "linked-collector",
        &["driver.c"],
        &["-fopenmp", "-Wl,--no-as-needed", text(&shim), text(&library), &rpath(&shim), &rpath(&library)],
    );
    let archive = archive();
    let contained = compile(
        "contained",
        &["driver.c"],
        &[
            "-fopenmp",
            "-Wl,-u,__omp_collector_api",
            "-Wl,--export-dynamic-symbol=ompt_start_tool",
            "-Wl,--export-dynamic-symbol=__omp_collector_api",
            text(&archive),
        ],
    );
    for runtime in runtimes() {
        let runs = [
            Run::new(&driver(), runtime, &loops).attach(Attach::Preload, &[&shim, &library]),
            // The collector's constructor runs first: whatever it finds must work.
            Run::new(&driver(), runtime, &loops).attach(Attach::Preload, &[&library, &shim]),
            Run::new(&linked, runtime, &loops),
            Run::new(&contained, runtime, &loops).attach(Attach::Preload, &[&library]),
        ];
        for run in runs {
            let output = run.output();
            output.assert_quiet();
            assert_eq!(number(&output, "collector", "forks"), 3, "{output}");
            assert_eq!(number(&output, "collector", "joins"), 3, "{output}");
        }
        // The runtime opens the shim when it begins: a collector that looks before finds nothing.
        let late = Run::new(&driver(), runtime, &loops)
            .attach(Attach::Preload, &[&library])
            .attach(Attach::ToolLibraries, &[&shim])
            .output();
        assert_eq!(late.messages, "no __omp_collector_api\n", "{late}");
    }
}

/// A runtime that comes and goes under one collector.
#[test]
fn lives_and_runtimes() {
    let Some(guest) = second_runtimes_guest(&[]) else {
        return;
    };
    let run = |program: &Path, words: &[&str]| {
        Run::new(program, &runtimes()[0], words)
            .env("KMP_DUPLICATE_LIB_OK", "TRUE")
            .env("KMP_WARNINGS", "0")
            .attach(Attach::Preload, &[&shim(), &library()])
            .output()
    };
    let life = ["open", text(&guest), "loop", "30", "1", "2", "close"];
    let output = run(&compile("host", &["host.c"], &[]), &[life; 3].concat());
    output.assert_quiet();
    assert_eq!(number(&output, "collector", "forks"), 3, "{output}");
    assert_eq!(number(&output, "collector", "joins"), 3, "{output}");
    // The first of two at the same time is told of.
    let application = compile("application", &["host.c", "guest.c"], &["-fopenmp", "-DOWN"]);
    let own = ["own", "25", "10", "2"];
    let words = [&own[..], &["deep", text(&guest), "loop", "25", "10", "2"]].concat();
    let of_two = run(&application, &words);
    of_two.assert_says("two OpenMP runtimes are in this process");
    assert_eq!(number(&of_two, "collector", "forks"), 1, "{of_two}");
}

/// The example of docs/collector-api.md: a line per region, whose parts are not longer than the whole.
#[test]
fn the_example() {
    for (output, rows) in regions_of_the_example() {
        let parts = |column: usize| rows.iter().map(|row| row[column]).collect::<Vec<_>>();
        assert_eq!(parts(0), [1.0, 2.0, 3.0, 4.0, 5.0, 6.0], "{output}");
        assert_eq!(parts(1), [0.0, 0.0, 0.0, 3.0, 3.0, 0.0], "{output}");
        assert_eq!(parts(2), [4.0, 3.0, 2.0, 2.0, 2.0, 1.0], "{output}");
        for row in &rows {
            let [threads, wall, work, wait] = [2, 3, 4, 5].map(|column| row[column]);
            // Rounded to a thousandth.
            assert!((work + wait - wall * threads).abs() < 0.01, "{output}");
            assert!(work >= 0.0 && wait >= 0.0, "{output}");
        }
    }
}

#[test]
#[ignore = "judges time: make test-full PART=machine"]
fn the_example_s_times() {
    for (output, rows) in regions_of_the_example() {
        let parts = |column: usize| rows.iter().map(|row| row[column]).collect::<Vec<_>>();
        let (wall, work, wait) = (parts(3), parts(4), parts(5));
        // All threads of the first region but one wait, but for the time in which they were made; who waits for the construct
        // or, having run it, for the others, is not at work.
        assert!((90.0..=3.0 * wall[0]).contains(&wait[0]), "{output}");
        assert!((250.0..=3.0 * wall[1]).contains(&wait[1]), "{output}");
        assert!(work[0] >= 50.0 && work[1] >= 150.0, "{output}");
        assert!(wait[5] < 5.0, "{output}");
        assert!((150.0..=250.0).contains(&wall[1]), "{output}");
    }
}

/// Number, parent, threads, elapsed time, work and wait of each region, with all that was said; on each runtime.
fn regions_of_the_example() -> Vec<(Output, Vec<Vec<f64>>)> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/collector/regions.c");
    let text = std::fs::read_to_string(&source).expect("the example");
    let is_code = |line: &&str| !(line.is_empty() || line.starts_with("/*") || line.starts_with(" *"));
    assert!(text.lines().filter(is_code).count() <= 100);
    let example = compile("libregions.so", &[source.to_str().unwrap()], &["-O2", "-shared", "-fPIC"]);
    let program = compile("collector-app", &["collector-app.c"], &["-fopenmp"]);
    let run = |runtime| {
        let output = Run::new(&program, runtime, &[]).attach(Attach::Preload, &[&shim(), &example]).output();
        let numbers = |line: &str| line.split_whitespace().map(|word| word.parse().ok()).collect();
        let rows = output.messages.lines().filter_map(numbers).collect();
        (output, rows)
    };
    runtimes().iter().map(run).collect()
}
