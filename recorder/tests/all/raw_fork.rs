//! A process that was made by the system call, behind libc's back, leaves its parent's part alone when it ends.

use ompchunk_trace_format::{Ending, Event, Trace};

use crate::common::{Program, in_order, majors, runtimes, text};

#[test]
fn a_child_that_libc_knows_nothing_of() {
    let program = Program::compile("rawfork", majors()[0]);
    for runtime in &runtimes() {
        let output = program.record(runtime, &[], &[]).output().unwrap();
        assert!(output.status.success(), "{}", text(&output));
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(said.lines().count(), 1, "{said}");
        let trace = Trace::open(&program.trace()).unwrap();
        let [part] = &trace.parts[..] else { panic!("{} parts", trace.parts.len()) };
        assert_eq!(part.ending(), Ending::Clean);
        in_order(part);
        let mut executions = 0;
        part.for_each(|_, event| executions += u64::from(matches!(event, Event::LoopBegin(_)))).unwrap();
        assert_eq!(executions, 2 * 200, "{}: {said}", runtime.name);
        assert_eq!(part.head().lost_chunks, 0);
    }
}
