//! Callbacks come and go while loops run.

use crate::common::{Line, run, runtimes};

#[test]
fn the_word_follows_registration() {
    let loops = [
        "state", "static:4:1:2", "state", "control:1:0", "static:4:1:2", "state", "control:2:0", "static:4:1:2",
        "state",
    ];
    for runtime in runtimes() {
        let output = run(runtime, "dispatch chunk", &loops);
        let words: Vec<_> = output.lines("state").iter().map(|line| line["listening"].clone()).collect();
        // The first is the module's own, before it asked.
        assert_eq!(words, ["3", "1", "0", "1"], "{output}");
        for line in output.lines("control") {
            assert_eq!(line["result"], "77", "the tool's own callback passes through\n{output}");
        }
        let told: Vec<_> = output.lines("tool chunk").iter().map(|line| line["loop"].clone()).collect();
        assert_eq!(told, ["2", "2", "2", "2", "8", "8", "8", "8"], "{output}");
        assert_eq!(output.count("tool dispatch"), 8, "{output}");
    }
}

#[test]
fn a_callback_unregisters_itself() {
    for runtime in runtimes() {
        let output = run(runtime, "chunk once", &["static:9:1:1", "state"]);
        assert_eq!(output.count("tool chunk"), 1, "{output}");
        assert_eq!(output.lines("state")[0]["listening"], "0", "{output}");
    }
}

#[test]
fn a_callback_registers_others() {
    for runtime in runtimes() {
        let output = run(runtime, "dispatch chunk inside", &["static:40:1:4"]);
        output.assert_dispatch_exact("tool");
        assert_eq!(output.lines("ran").len(), 40);
    }
}

/// Asked for in the event of each thread's first chunk, dispatch events come from its second one on at the latest.
#[test]
fn a_callback_registers_another_kind() {
    for runtime in runtimes() {
        let output = run(runtime, "chunk dispatch-from-chunk", &["static:9:1:2"]);
        output.assert_chunks_exact("tool");
        let events = output.lines("tool dispatch");
        let start = |event: &Line| -> u32 { event["start"].parse().expect("a number") };
        let mut starts: Vec<u32> = events.iter().map(start).collect();
        starts.retain(|start| *start > 1);
        starts.sort_unstable();
        assert_eq!(starts, [2, 3, 4, 5, 6, 7, 8], "{output}");
    }
}

/// Two threads of the tool's own change every callback as fast as they can while loops run; when
/// they stop, the registration made last counts, and events are exact again.
#[test]
fn registration_races_with_loops() {
    for runtime in runtimes() {
        let loops = ["repeat:400:1:3", "control:3:0", "control:2:0", "static:25:10:3", "state"];
        let output = run(runtime, "churn silent", &loops);
        output.assert_exact("tool");
        assert_eq!(output.lines("state")[0]["listening"], "1", "{output}");
        output.assert_quiet();
    }
}
