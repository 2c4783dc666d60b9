//! Runtimes as they may be next, emulated: what is proposed for LLVM 24's libomp.

use crate::common::{Attach, Run, compile, rpath, runtimes, shim, text, tool};

/// It sends dispatch events of serialized loops itself, and says of them that they come sometimes. Each chunk of an
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
