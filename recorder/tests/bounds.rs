//! How large recordings become: a full one by few bytes per event, the others by loops and threads, not by time.

mod common;

use common::{Program, chunks, majors, runtimes};
use ompchunk_trace_format::Event;
use ompchunk_trace_format::layout::{BLOCK_HEAD, UNIT};

/// Bytes of records in a part's blocks.
fn used(trace: &ompchunk_trace_format::Trace) -> u64 {
    let mut units = 0;
    for part in &trace.parts {
        let bytes = std::fs::read(part.path()).unwrap();
        let head = part.head();
        for block in bytes[head.blocks_from as usize..].chunks(head.block_size) {
            let used = block[BLOCK_HEAD..].chunks(UNIT);
            units += used.filter(|unit| unit.iter().any(|it| *it != 0)).count() as u64;
        }
    }
    units * UNIT as u64
}

/// What a full recording takes where there is little but events of regions and barriers.
#[test]
fn an_event_takes_few_bytes() {
    for major in majors() {
        let program = Program::compile("tiny", major);
        for runtime in &runtimes() {
            let (trace, output) = program.recorded(runtime, &[], &["20000", "3"]);
            let told = chunks(&trace.parts[0]).len() as u64;
            assert_eq!(output.trim(), told.to_string());
            let mut others = 0;
            trace.parts[0]
                .for_each(|_, event| others += u64::from(!matches!(event, Event::Chunk(_))))
                .unwrap();
            let bytes = used(&trace) - told * UNIT as u64;
            let each = bytes as f64 / others as f64;
            println!(
                "clang-{major}, {}: {each:.1} bytes of {others} events",
                runtime.0
            );
            assert!(each <= 13.0, "{each} bytes");
        }
    }
}
