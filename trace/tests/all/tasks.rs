//! A writer that changes records of tasks in place finds each number where its name says.

use ompchunk_trace_format::tasks::{DEPTHS, SIZES, depth_bucket, region, word};
use ompchunk_trace_format::{Event, Histogram, TaskRegion, Tasks};

fn words(event: &Event<'_>) -> Vec<u64> {
    let mut words = Vec::new();
    event.encode(0, &mut words);
    words
}

fn counts(first: u64, length: usize) -> Vec<u8> {
    let counts = (first..).take(length);
    counts.flat_map(u64::to_le_bytes).collect()
}

#[test]
fn of_a_construct() {
    let (sizes, depths, depth_work) = (counts(1000, SIZES), counts(2000, DEPTHS), counts(3000, DEPTHS));
    let words = words(&Event::Tasks(Tasks {
        thread: 1,
        flags: 2,
        code: 3,
        created: 4,
        begun: 5,
        ended: 6,
        creation: 7,
        timed: 8,
        work: 9,
        queued: 10,
        moved: 11,
        moved_work: 12,
        min: 13,
        max: 14,
        undeferred: 15,
        deepest: 16,
        waited: 17,
        creators: 18,
        creators_work: 19,
        sizes: Histogram::from(&sizes[..]),
        depths: Histogram::from(&depths[..]),
        depth_work: Histogram::from(&depth_work[..]),
    }));
    let named = [
        (word::CREATED, 4),
        (word::BEGUN, 5),
        (word::ENDED, 6),
        (word::CREATION, 7),
        (word::TIMED, 8),
        (word::WORK, 9),
        (word::QUEUED, 10),
        (word::MOVED, 11),
        (word::MOVED_WORK, 12),
        (word::MIN, 13),
        (word::MAX, 14),
        (word::UNDEFERRED, 15),
        (word::DEEPEST, 16),
        (word::WAITED, 17),
        (word::CREATORS, 18),
        (word::CREATORS_WORK, 19),
        (word::SIZE_COUNTS, 1000),
        (word::SIZE_COUNTS + SIZES - 1, 1063),
        (word::DEPTH_COUNTS, 2000),
        (word::DEPTH_TICKS, 3000),
        (word::DEPTH_TICKS + DEPTHS - 1, 3031),
    ];
    for (at, value) in named {
        assert_eq!(words[at], value, "word {at}");
    }
    assert_eq!(words[1], 1 | 2 << 32);
}

#[test]
fn of_a_region() {
    let words = words(&Event::TaskRegion(TaskRegion {
        thread: 1,
        team_size: 2,
        code: 3,
        executions: 4,
        unknown: 5,
        work: 6,
        waited: 7,
        span: 8,
        elapsed: 9,
    }));
    assert_eq!(words[1], 1 | 2 << 32);
    let named = [
        (region::EXECUTIONS, 4),
        (region::UNKNOWN, 5),
        (region::WORK, 6),
        (region::WAITED, 7),
        (region::SPAN, 8),
        (region::ELAPSED, 9),
    ];
    for (at, value) in named {
        assert_eq!(words[at], value, "word {at}");
    }
}

#[test]
fn depths_begin_with_1() {
    assert_eq!([1, 2, 31, 32, 33, u32::MAX].map(depth_bucket), [0, 1, 30, 31, 31, 31]);
}
