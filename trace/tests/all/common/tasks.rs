//! Events of explicit tasks.

use ompchunk_trace_format::{Event, Histogram, TaskRegion, Tasks};

pub fn added_up() -> [Event<'static>; 2] {
    let depths = Histogram::from(&super::COUNTS[..]);
    [
        Event::Tasks(Tasks {
            thread: 2,
            flags: 0x1000_0004,
            code: 0xabcd,
            created: 1 << 40,
            begun: 2,
            ended: 3,
            creation: 4,
            timed: 5,
            work: 6,
            queued: 7,
            moved: 8,
            moved_work: 9,
            min: 10,
            max: 11,
            undeferred: 12,
            deepest: 13,
            waited: 14,
            creators: 15,
            creators_work: 16,
            sizes: Histogram::from(&[1, 0, 0, 0, 0, 0, 0, 0][..]),
            depths,
            depth_work: depths,
        }),
        Event::TaskRegion(TaskRegion {
            thread: 2,
            team_size: 4,
            code: 0xabce,
            executions: 17,
            unknown: 18,
            work: 19,
            waited: 20,
            span: 21,
            elapsed: 22,
        }),
    ]
}

/// What is told of each task where that is asked for, in records of every length.
pub fn one_by_one() -> Vec<Event<'static>> {
    vec![
        Event::TaskCreate {
            task: u64::from(u32::MAX),
            parent: 0,
            flags: 0x0400_0004,
            create_duration: 0,
            code: 1 << 47,
        },
        Event::TaskCreate { task: 1 << 32, parent: 0, flags: 4, create_duration: 0, code: 6 },
        Event::TaskSchedule { prior: 0, status: 7, next: u64::from(u32::MAX) },
        Event::TaskSchedule { prior: u64::from(u32::MAX), status: 1, next: 0 },
        Event::TaskSchedule { prior: 1 << 32, status: 1, next: 0 },
        Event::TaskCreation { task: 3, duration: u64::from(u32::MAX) },
        Event::TaskCreation { task: 3, duration: 1 << 32 },
        Event::TaskDependence { task: 3, kind: 35, variable: u64::MAX },
        Event::OnCpu { cpu: u32::MAX },
    ]
}
