//! Which events the tool gets, and with what in them.

use crate::common::{Attach, Output, Run, compile, driver, rpath, run, runtimes, shim, text, tool};

#[test]
fn events_are_exactly_the_chunks_run() {
    let loops = [
        "static:25:10:2", "static:25:10:1", "static:0:1:2", "static:1:1:3", "static:100:1:2", "static:3:5:7",
        "orphaned:25:10", "whole:25:0:3", "whole:1:0:3", "distribute:25:4:2", "nested:5:1:2",
    ];
    for runtime in runtimes() {
        let output = run(runtime, "dispatch chunk clock", &loops);
        output.assert_exact("tool");
        output.assert_quiet();
        for line in output.lines("tool dispatch") {
            let kind = if line["loop"] == "10" { "5" } else { "3" };
            assert_eq!(line["kind"], kind, "{output}");
        }
        assert_eq!(output.count("done"), 0);
        assert!(output.text.contains("done\n"));
    }
}

/// The tool's clock ticks once per reading, so each bookkeeping takes exactly one tick.
#[test]
fn durations_come_from_the_tools_clock() {
    for runtime in runtimes() {
        let output = run(runtime, "dispatch chunk clock", &["static:25:10:2", "static:9:1:3"]);
        for line in output.lines("tool chunk") {
            assert_eq!(line["duration"], "1.0", "{output}");
        }
        let untimed = run(runtime, "dispatch chunk", &["static:25:10:2"]);
        assert_eq!(untimed.count("tool chunk"), 3, "{untimed}");
        for line in untimed.lines("tool chunk") {
            assert_eq!(line["duration"], "0.0", "{untimed}");
        }
    }
}

#[test]
fn each_callback_comes_alone_too() {
    for runtime in runtimes() {
        let dispatched = run(runtime, "dispatch", &["static:25:10:2"]);
        dispatched.assert_dispatch_exact("tool");
        assert_eq!(dispatched.count("tool chunk"), 0, "{dispatched}");
        let chunks = run(runtime, "chunk", &["static:25:10:2", "dynamic:25:10:2"]);
        chunks.assert_chunks_exact("tool");
        assert_eq!(chunks.count("tool dispatch"), 0, "{chunks}");
    }
}

#[test]
fn registration_is_answered_truthfully() {
    for runtime in runtimes() {
        let output = run(runtime, "loop dispatch chunk clock", &["static:2:1:1"]);
        let answers: Vec<_> = output
            .lines("tool set")
            .iter()
            .map(|line| ["event", "result", "got", "same"].map(|key| line[key].parse().unwrap_or(-1)))
            .collect();
        let dispatch = answers.iter().find(|answer| answer[0] == 32).expect("dispatch was set");
        assert!(dispatch[1] == 3 || dispatch[1] == 5, "{output}");
        assert_eq!(dispatch[2..], [1, 1], "{output}");
        for right in [[81, 3, 1, 1], [82, 3, 1, 1], [83, 5, 1, 1]] {
            assert!(answers.contains(&right), "{right:?}\n{output}");
        }
        // The tool's own data, and entry points we know nothing of.
        assert_eq!(output.lines("tool initialize")[0]["data"], "42", "{output}");
        assert_eq!(output.lines("tool lookup")[0]["unknown"], "0", "{output}");
    }
}

/// Begin and end on every thread of the team, also on those without a chunk, within the runtime's own
/// work events; the latter come whether the tool registers for them before or after.
#[test]
fn loop_events_lie_within_work_events() {
    for runtime in runtimes() {
        for options in ["work loop chunk", "loop late-work chunk"] {
            let output = run(runtime, options, &["static:25:10:1", "whole:1:0:1"]);
            // A team of one has one chunk on some runtimes, three on others.
            let chunks = output.count_of("tool chunk", "1");
            let right = [loop_of_events(chunks), loop_of_events(1)].concat();
            assert_eq!(events_and_endpoints(&output), right, "{output}");
            for line in output.lines("tool loop") {
                assert_eq!(line["valid"], "1", "{output}");
                assert_eq!(line["same"], "1", "not where the runtime says\n{output}");
                assert_eq!((&*line["sched"], &*line["signed"]), ("1", "1"), "{output}");
            }
            output.assert_quiet();
        }
    }
}

/// The events of a loop of so many chunks on one thread.
fn loop_of_events(chunks: usize) -> Vec<&'static str> {
    let chunks = vec!["chunk"; chunks];
    [&["work1", "loop1"], &chunks[..], &["loop2", "work2"]].concat()
}

/// Work, loop and chunk events in the order in which they came.
fn events_and_endpoints(output: &Output) -> Vec<String> {
    let lines = output.text.lines();
    let events = lines.filter_map(|line| line.strip_prefix("tool "));
    let named = events.filter_map(|event| {
        let mut words = event.split(' ');
        let name = words.next()?;
        let endpoint = words.find_map(|word| word.strip_prefix("endpoint="));
        let is_one = ["work", "loop", "chunk"].contains(&name);
        is_one.then(|| format!("{name}{}", endpoint.unwrap_or("")))
    });
    named.collect()
}

#[test]
fn threads_without_a_chunk_have_loop_events() {
    for runtime in runtimes() {
        // With and without a clock: who asks for nothing but loop events gets them.
        for options in ["loop", "loop clock", "loop chunk clock"] {
            let output = run(runtime, options, &["static:2:1:5", "distribute:3:4:2"]);
            let events = output.fields("tool loop", &["loop", "team", "thread", "endpoint"]);
            let mut right: Vec<String> = (0..5)
                .map(|thread| (1, 0, thread))
                .chain((0..2).map(|team| (2, team, 0)))
                .flat_map(|(line, team, thread)| {
                    [1, 2].map(|endpoint| format!("loop={line} team={team} thread={thread} endpoint={endpoint} "))
                })
                .collect();
            right.sort();
            assert_eq!(events, right, "{output}");
        }
    }
}

/// What the runtime says of loops that are not instrumented passes, beside instrumented ones.
#[test]
fn the_filter_drops_the_runtimes_view_of_instrumented_loops_and_nothing_else() {
    for runtime in runtimes() {
        let alone = |loops: &[&str]| {
            Run::new(&driver(), runtime, loops)
                .attach(Attach::ToolLibraries, &[&tool("tool", "dispatch chunk clock")])
                .env("TOOL_OPTIONS", "dispatch")
                .output()
                .count("tool dispatch")
        };
        let loops = ["dynamic:25:10:2", "static:25:10:2", "plain:25:10:2", "dynamic:25:10:2"];
        let output = run(runtime, "dispatch", &loops);
        output.assert_dispatch_exact("tool");
        assert_eq!(
            output.count_of("tool dispatch", "0"),
            alone(&["dynamic:25:10:2", "plain:25:10:2", "dynamic:25:10:2"]),
            "{output}"
        );
        assert!(alone(&["static:25:10:2"]) > 0, "the runtime reports nothing: nothing to drop");
    }
}

#[test]
fn several_instrumented_images_in_one_process() {
    let second = compile("libsecond.so", &["second.c"], &["-fopenmp", "-shared", "-fPIC"]);
    let flags = ["-fopenmp", text(&second), &rpath(&second)];
    let program = compile("two", &["driver.c"], &flags);
    for runtime in runtimes() {
        let output = Run::new(&program, runtime, &["static:25:10:2", "second:25:10:2"])
            .attach(Attach::ToolLibraries, &[&shim(), &tool("tool", "dispatch chunk")])
            .verbose()
            .output();
        output.assert_exact("tool");
        output.assert_says("2 instrumented module(s) connected, 4 loop execution(s) reported");
    }
}

#[test]
fn a_forked_child_goes_on() {
    // libomp starts afresh in the child; events there are its own affair, a crash is not.
    for runtime in runtimes() {
        let output = run(runtime, "dispatch chunk", &["static:25:10:2", "fork:4:2:1"]);
        assert!(output.text.contains("done\n"), "{output}");
        output.assert_quiet();
    }
}
