//! The library's face: its symbols, and the layouts it shares with C headers.

mod common;

use std::process::Command;

use common::{compile, shim};
use ompchunk_rt::ompt;

#[test]
fn exports_exactly_two_functions() {
    let result = Command::new("nm")
        .args(["-D", "--defined-only"])
        .arg(shim())
        .output()
        .expect("nm: install binutils");
    let text = String::from_utf8_lossy(&result.stdout);
    let mut symbols: Vec<_> = text
        .lines()
        .filter_map(|line| line.split(' ').nth(2))
        .collect();
    symbols.sort_unstable();
    assert_eq!(symbols, [ompchunk_abi::CONNECT_SYMBOL, "ompt_start_tool"]);
}

/// What `headers.c` prints of `omp-tools.h` and `ompt-chunk.h`, against our own.
#[test]
fn layouts_and_numbers_are_those_of_the_headers() {
    use ompchunk_abi::LoopRecord;
    use std::mem::{offset_of, size_of};

    macro_rules! offsets {
        ($($field:ident)*) => {
            [$((stringify!($field), offset_of!(LoopRecord, $field) as u64)),*]
        };
    }

    let program = compile("headers", &["headers.c"], &[]);
    let result = Command::new(program).output().expect("the program starts");
    let text = String::from_utf8_lossy(&result.stdout).into_owned();
    let mut wanted: Vec<(&str, u64)> = vec![
        ("dispatch", ompt::EVENT_DISPATCH.into()),
        ("event_loop", ompt::EVENT_LOOP.into()),
        ("event_chunk", ompt::EVENT_CHUNK.into()),
        ("tool_time", ompt::EVENT_TOOL_TIME.into()),
        ("task_creation", ompt::EVENT_CREATION.into()),
        ("work", ompt::EVENT_WORK.into()),
        ("task_create", ompt::EVENT_TASK_CREATE.into()),
        ("task_schedule", ompt::EVENT_TASK_SCHEDULE.into()),
        ("work_loop_static", ompt::WORK_LOOP_STATIC.into()),
        ("work_loop_other", ompt::WORK_LOOP_OTHER.into()),
        ("task_explicit", ompt::TASK_EXPLICIT as u64),
        ("task_target", ompt::TASK_TARGET as u64),
        ("sched_static", ompt::SCHED_STATIC.into()),
        ("sched_auto", ompt::SCHED_AUTO.into()),
        ("sched_monotonic", ompt::SCHED_MONOTONIC.into()),
        ("error", ompt::SET_ERROR as u64),
        ("never", ompt::SET_NEVER as u64),
        ("sometimes", ompt::SET_SOMETIMES as u64),
        ("sometimes_paired", ompt::SET_SOMETIMES_PAIRED as u64),
        ("always", ompt::SET_ALWAYS as u64),
        ("ws_loop_chunk", ompt::DISPATCH_WS_LOOP_CHUNK.into()),
        ("distribute_chunk", ompt::DISPATCH_DISTRIBUTE_CHUNK.into()),
        ("data_size", size_of::<ompt::Data>() as u64),
        (
            "dispatch_chunk_size",
            size_of::<ompt::DispatchChunk>() as u64,
        ),
        (
            "iterations",
            offset_of!(ompt::DispatchChunk, iterations) as u64,
        ),
        ("result_size", size_of::<ompt::StartToolResult>() as u64),
        (
            "result_finalize",
            offset_of!(ompt::StartToolResult, finalize) as u64,
        ),
        (
            "result_tool_data",
            offset_of!(ompt::StartToolResult, tool_data) as u64,
        ),
        ("abi_version", ompchunk_abi::VERSION.into()),
        ("for", ompchunk_abi::CONSTRUCT_FOR.into()),
        ("distribute", ompchunk_abi::CONSTRUCT_DISTRIBUTE.into()),
        ("signed", ompchunk_abi::LOOP_SIGNED.into()),
        ("chunked", ompchunk_abi::LOOP_CHUNKED.into()),
        ("chunk_known", ompchunk_abi::LOOP_CHUNK_KNOWN.into()),
        ("start_known", ompchunk_abi::LOOP_START_KNOWN.into()),
        ("step_known", ompchunk_abi::LOOP_STEP_KNOWN.into()),
        ("start_passed", ompchunk_abi::LOOP_START_PASSED.into()),
        ("step_passed", ompchunk_abi::LOOP_STEP_PASSED.into()),
        ("dealt", ompchunk_abi::LOOP_DEALT.into()),
        ("changeable", ompchunk_abi::LOOP_CHANGEABLE.into()),
        ("no_barrier", ompchunk_abi::LOOP_NO_BARRIER.into()),
        ("last_read", ompchunk_abi::LOOP_LAST_READ.into()),
        ("loop_size", size_of::<LoopRecord>() as u64),
    ];
    wanted.extend(offsets!(
        size abi_version construct bits flags schedule chunk start step line column function file
        variable_bits
        fixed
        reserved
    ));
    let wanted: String = wanted
        .iter()
        .map(|(name, value)| format!("{name} {value}\n"))
        .collect();
    assert_eq!(text, wanted);
}
