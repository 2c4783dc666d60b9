//! `docs/trace-format.md` and the code say the same of the kinds of records.

use std::path::Path;

use ompchunk_trace_format::layout::{self, kind};

#[test]
fn groups_end_where_it_is_documented() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/trace-format.md");
    let text = std::fs::read_to_string(path).unwrap();
    let most = format!("a group with more than {} loops", layout::MOST_GROUPED);
    assert!(text.contains(&most), "{most}");
}

const KINDS: [(&str, u8); 59] = [
    ("CHUNK", kind::CHUNK),
    ("CHUNK_LAST", kind::CHUNK_LAST),
    ("CHUNK_WIDE", kind::CHUNK_WIDE),
    ("TIME", kind::TIME),
    ("THREAD_BEGIN", kind::THREAD_BEGIN),
    ("THREAD_END", kind::THREAD_END),
    ("PARALLEL_BEGIN", kind::PARALLEL_BEGIN),
    ("PARALLEL_END", kind::PARALLEL_END),
    ("IMPLICIT_TASK_BEGIN", kind::IMPLICIT_TASK_BEGIN),
    ("IMPLICIT_TASK_END", kind::IMPLICIT_TASK_END),
    ("WORK_BEGIN", kind::WORK_BEGIN),
    ("WORK_END", kind::WORK_END),
    ("SYNC_BEGIN", kind::SYNC_BEGIN),
    ("SYNC_END", kind::SYNC_END),
    ("WAIT_BEGIN", kind::WAIT_BEGIN),
    ("WAIT_END", kind::WAIT_END),
    ("LOOP_BEGIN", kind::LOOP_BEGIN),
    ("LOOP_BEGIN_USER", kind::LOOP_BEGIN_USER),
    ("LOOP_END", kind::LOOP_END),
    ("TASK_CREATE", kind::TASK_CREATE),
    ("TASK_SCHEDULE", kind::TASK_SCHEDULE),
    ("LOST", kind::LOST),
    ("CHUNK_PAIR", kind::CHUNK_PAIR),
    ("PAUSE", kind::PAUSE),
    ("RESUME", kind::RESUME),
    ("BARRIERS", kind::BARRIERS),
    ("LEFT_OUT", kind::LEFT_OUT),
    ("OMITTED", kind::OMITTED),
    ("RECORDER", kind::RECORDER),
    ("OFF_CORE", kind::OFF_CORE),
    ("LOOP_TIMES", kind::LOOP_TIMES),
    ("REGION_BEGIN", kind::REGION_BEGIN),
    ("TASK_BEGIN", kind::TASK_BEGIN),
    ("LOOP_BEGIN_SHORT", kind::LOOP_BEGIN_SHORT),
    ("BARRIER_BEGIN", kind::BARRIER_BEGIN),
    ("BARRIER_END", kind::BARRIER_END),
    ("REGION_END", kind::REGION_END),
    ("WORK_BEGIN_SHORT", kind::WORK_BEGIN_SHORT),
    ("LOOP_DEFINITION", kind::LOOP_DEFINITION),
    ("CODE_DEFINITION", kind::CODE_DEFINITION),
    ("AGGREGATE", kind::AGGREGATE),
    ("SUM", kind::SUM),
    ("SUB_BLOCK", kind::SUB_BLOCK),
    ("ACC_SITE", kind::ACC_SITE),
    ("ACC_BEGIN", kind::ACC_BEGIN),
    ("ACC_POINT", kind::ACC_POINT),
    ("ACC_END", kind::ACC_END),
    ("TASKS", kind::TASKS),
    ("TASK_REGION", kind::TASK_REGION),
    ("TASK_CREATE_SHORT", kind::TASK_CREATE_SHORT),
    ("TASK_END", kind::TASK_END),
    ("TASK_SWITCH", kind::TASK_SWITCH),
    ("TASK_CREATION_SHORT", kind::TASK_CREATION_SHORT),
    ("TASK_CREATION", kind::TASK_CREATION),
    ("TASK_DEPENDENCE", kind::TASK_DEPENDENCE),
    ("TARGET_BEGIN", kind::TARGET_BEGIN),
    ("TARGET_POINT", kind::TARGET_POINT),
    ("TARGET_END", kind::TARGET_END),
    ("ON_CPU", kind::ON_CPU),
];

#[test]
fn kinds_are_as_documented() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/trace-format.md");
    let text = std::fs::read_to_string(path).unwrap();
    let rows: Vec<Vec<&str>> = text
        .lines()
        .filter(|line| line.starts_with("| `"))
        .map(|line| line.split('|').map(str::trim).collect())
        .collect();
    assert_eq!(rows.len(), KINDS.len());
    for ((name, number), row) in KINDS.iter().zip(&rows) {
        assert_eq!(row[1], format!("`{name}`"));
        assert_eq!(row[2], number.to_string(), "{name}");
        if *number < kind::VARIABLE {
            let units = layout::units(*number).unwrap();
            assert_eq!(row[3], units.to_string(), "{name}");
        }
    }
    let known = (1..kind::VARIABLE).filter(|number| layout::units(*number).is_some());
    assert_eq!(known.count(), KINDS.iter().filter(|(_, n)| *n < kind::VARIABLE).count());
}
