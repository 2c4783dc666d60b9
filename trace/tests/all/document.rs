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

macro_rules! kinds {
    ($($name:ident),* $(,)?) => { [$((stringify!($name), kind::$name)),*] };
}

const KINDS: [(&str, u8); 59] = kinds! {
    CHUNK, CHUNK_LAST, CHUNK_WIDE, TIME, THREAD_BEGIN, THREAD_END, PARALLEL_BEGIN, PARALLEL_END,
    IMPLICIT_TASK_BEGIN, IMPLICIT_TASK_END, WORK_BEGIN, WORK_END, SYNC_BEGIN, SYNC_END, WAIT_BEGIN, WAIT_END,
    LOOP_BEGIN, LOOP_BEGIN_USER, LOOP_END, TASK_CREATE, TASK_SCHEDULE, LOST, CHUNK_PAIR, PAUSE, RESUME, BARRIERS,
    LEFT_OUT, OMITTED, RECORDER, OFF_CORE, LOOP_TIMES, REGION_BEGIN, TASK_BEGIN, LOOP_BEGIN_SHORT, BARRIER_BEGIN,
    BARRIER_END, REGION_END, WORK_BEGIN_SHORT, LOOP_DEFINITION, CODE_DEFINITION, AGGREGATE, SUM, SUB_BLOCK,
    ACC_SITE, ACC_BEGIN, ACC_POINT, ACC_END, TASKS, TASK_REGION, TASK_CREATE_SHORT, TASK_END, TASK_SWITCH,
    TASK_CREATION_SHORT, TASK_CREATION, TASK_DEPENDENCE, TARGET_BEGIN, TARGET_POINT, TARGET_END, ON_CPU,
};

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
