//! Explicit tasks, of traces made by hand: one tick is one microsecond, and so is a reading of the clock.

mod common;

use common::{Maker, meta, near, report};
use ompchunk_analysis::model::{TaskDepth, TasksReport};
use ompchunk_trace_format::tasks::{DEPTHS, SIZES};
use ompchunk_trace_format::{Code, Event, Histogram, TaskRegion, Tasks};

const CREATES: u64 = 0x1000;
const BEGINS: u64 = 0x2000;

/// So many tasks that one thread created, and as many that it ended, each of `each` ticks, which took `creation` ticks to create.
struct Made {
    created: u64,
    ended: u64,
    each: u64,
    creation: u64,
    /// How many of those that ended at each depth.
    depths: Vec<u64>,
    longest: u64,
    queued: u64,
}

impl Made {
    fn new(created: u64, ended: u64, each: u64, creation: u64, depths: &[u64]) -> Made {
        Made {
            created,
            ended,
            each,
            creation,
            depths: depths.to_vec(),
            longest: each,
            queued: 5,
        }
    }

    fn put(&self, maker: &mut Maker, lane: u32) {
        let bytes = |counts: &[u64], length: usize| -> Vec<u8> {
            let rest = std::iter::repeat_n(&0, length - counts.len());
            counts
                .iter()
                .chain(rest)
                .flat_map(|count| count.to_le_bytes())
                .collect()
        };
        let mut sizes = [0; SIZES];
        sizes[Histogram::bucket(self.each)] = self.ended;
        let work: Vec<u64> = self.depths.iter().map(|count| count * self.each).collect();
        let (sizes, depths, work) = (
            bytes(&sizes, SIZES),
            bytes(&self.depths, DEPTHS),
            bytes(&work, DEPTHS),
        );
        maker.put(
            lane,
            10,
            &Event::Tasks(Tasks {
                thread: lane,
                flags: 4,
                code: CREATES,
                created: self.created,
                begun: self.ended,
                ended: self.ended,
                creation: self.created * (self.creation + 1),
                timed: self.created,
                work: self.ended * self.each,
                queued: self.queued,
                moved: 1,
                moved_work: self.each,
                min: if self.ended == 0 { 0 } else { self.each },
                max: if self.ended == 0 { 0 } else { self.longest },
                undeferred: 0,
                deepest: self.depths.len() as u64,
                waited: 3,
                creators: 0,
                creators_work: 0,
                sizes: Histogram::from(&sizes[..]),
                depths: Histogram::from(&depths[..]),
                depth_work: Histogram::from(&work[..]),
            }),
        );
    }
}

/// A run of 1,000,000 ticks in one region of `team` threads; each works `work` ticks in it, and its span is `span`.
fn run(made: &[Made], team: u32, work: u64, span: Option<u64>) -> TasksReport {
    let directory = tempfile::tempdir().unwrap();
    let mut meta = meta(None);
    // Of a recorder that tells all of the account.
    meta.events.insert("mutex_acquired".into(), 5);
    meta.clock.cpu_read = Some(1.0);
    let mut maker = Maker::new(directory.path(), "pid-7", &meta);
    for lane in 0..team {
        maker.thread(lane, 0, if lane == 0 { 1 } else { 2 });
        for (address, function) in [(CREATES, "creates"), (BEGINS, "begins")] {
            let code = Code {
                address,
                offset: address,
                object: b"/gone/app",
                function: function.as_bytes(),
            };
            maker.put(lane, 0, &Event::Code(code));
        }
        if let Some(made) = made.get(lane as usize) {
            made.put(&mut maker, lane);
        }
        let begins = u64::from(lane == 0);
        maker.put(
            lane,
            20,
            &Event::TaskRegion(TaskRegion {
                thread: lane,
                team_size: if lane == 0 { team } else { 0 },
                code: BEGINS,
                executions: begins,
                unknown: if span.is_none() { begins } else { 0 },
                work,
                waited: 2,
                span: span.unwrap_or(0) * begins,
                elapsed: 1_000_000 * begins,
            }),
        );
        maker.put(lane, 1_000_000, &Event::ThreadEnd { thread: lane });
    }
    maker.part.finish(1_000_000).unwrap();
    report(directory.path()).tasks.unwrap()
}

fn hint(made: &[Made], team: u32, work: u64, span: Option<u64>) -> Option<&'static str> {
    run(made, team, work, span).hint.map(|hint| hint.code)
}

#[test]
fn threads_add_up() {
    let made = [
        Made::new(30, 10, 100, 7, &[4, 6]),
        Made::new(0, 20, 400, 0, &[0, 20]),
    ];
    let found = run(&made, 2, 500_000, Some(250_000));
    let [of] = found.constructs.as_slice() else {
        panic!("{found:#?}");
    };
    assert_eq!(of.site.name, "app+0x1000");
    assert_eq!(of.site.function.as_deref(), Some("creates"));
    assert_eq!([of.created, of.begun, of.ended, of.moved], [30, 30, 30, 2]);
    near(of.work_seconds, 9e-3);
    // Without one reading of the clock in each.
    near(of.creation_seconds.unwrap(), 30.0 * 7e-6);
    near(of.queued_seconds, 10e-6);
    near(of.waiting_seconds, 6e-6);
    assert_eq!((of.creators, of.deepest), (1, 2));
    near(of.largest_creator_share, 1.0);
    let sizes = of.task_seconds.as_ref().unwrap();
    near(sizes.min, 100e-6);
    near(sizes.mean, 300e-6);
    near(sizes.max, 400e-6);
    // 64 to 127, and 256 to 511.
    let counts: Vec<u64> = sizes.histogram.iter().map(|(_, _, count)| *count).collect();
    assert_eq!(counts, [10, 20]);
    near(sizes.histogram[1].0, 256e-6);
    near(sizes.histogram[1].1, 511e-6);
    let [first, second] = of.depths.as_slice() else {
        panic!("{of:#?}");
    };
    assert_eq!((first.depth, first.tasks), (1, 4));
    let TaskDepth {
        depth,
        tasks,
        work_seconds,
    } = *second;
    assert_eq!((depth, tasks), (2, 26));
    near(work_seconds, 6.0 * 100e-6 + 20.0 * 400e-6);
    let [region] = found.regions.as_slice() else {
        panic!("{found:#?}");
    };
    assert_eq!((region.executions, region.team_size), (1, 2));
    near(region.seconds, 1.0);
    near(region.work_seconds, 1.0);
    near(region.span_seconds.unwrap(), 0.25);
    near(region.parallelism.unwrap(), 4.0);
}

#[test]
fn no_span_is_not_0() {
    let found = run(&[Made::new(1, 1, 100, 7, &[1])], 2, 500_000, None);
    assert_eq!(
        (found.regions[0].span_seconds, found.regions[0].parallelism),
        (None, None)
    );
}

#[test]
fn a_run_without_tasks_has_none() {
    let directory = tempfile::tempdir().unwrap();
    let mut maker = Maker::new(directory.path(), "pid-7", &meta(None));
    maker.thread(0, 0, 1);
    maker.part.finish(1000).unwrap();
    assert_eq!(report(directory.path()).tasks, None);
}

#[test]
fn small_deep_tasks_need_a_cutoff() {
    // A binary tree of 2^17 tasks.
    let depths: Vec<u64> = (1..17).map(|depth| 1 << depth).collect();
    let all: u64 = depths.iter().sum();
    let tree = |each| {
        [
            Made::new(all, all, each, 1, &depths),
            Made::new(0, 0, 0, 0, &[]),
        ]
    };
    // 0.3 s of work, and 1.7 s of two threads for the rest.
    let found = run(&tree(2), 2, 150_000, Some(1000)).hint.unwrap();
    assert_eq!(found.code, "cutoff");
    let expected = "create none deeper than 5, where there are 32 already";
    assert!(found.text.contains(expected), "{}", found.text);
    near(
        found.lost_seconds,
        1.7 * (all - 62) as f64 / all as f64 / 2.0,
    );
    // Those that take longer than the rest.
    assert_eq!(hint(&tree(8), 2, 540_000, Some(1000)), None);
    // Threads may be without a task.
    assert_eq!(hint(&tree(2), 2, 150_000, Some(100_000)), None);
    // Not inside each other.
    let flat = [
        Made::new(all, all, 2, 1, &[all]),
        Made::new(0, 0, 0, 0, &[]),
    ];
    assert_eq!(hint(&flat, 2, 150_000, Some(1000)), None);
}

#[test]
fn one_thread_may_create_too_slowly() {
    // It creates 100,000 tasks in 0.8 s.
    let one = |each| {
        [
            Made::new(100_000, 20_000, each, 1, &[20_000]),
            Made::new(0, 80_000, each, 0, &[80_000]),
        ]
    };
    let region = |each: u64| (800_000 + 100_000 * each) / 8;
    assert_eq!(
        hint(&one(5), 8, region(5), Some(900_000)),
        Some("one-creator")
    );
    // Seven threads are busy with what comes.
    assert_eq!(hint(&one(60), 8, region(60), Some(900_000)), None);
    // Several create them: then it is the chain, whatever that is made of.
    let two = [
        Made::new(50_000, 50_000, 5, 1, &[50_000]),
        Made::new(50_000, 50_000, 5, 1, &[50_000]),
    ];
    assert_eq!(hint(&two, 8, region(5), Some(900_000)), Some("chain"));
}

#[test]
fn small_tasks_in_a_row_should_be_larger() {
    let small = |each, queued| {
        [
            Made {
                queued,
                ..Made::new(100_000, 50_000, each, 1, &[50_000])
            },
            Made::new(0, 50_000, each, 0, &[50_000]),
        ]
    };
    // One thread works 0.8 s outside of tasks; the rest is 1.0 s. 20 tasks are ready at a time.
    let region = |each: u64| (800_000 + 100_000 * each) / 2;
    assert_eq!(
        hint(&small(2, 20_000_000), 2, region(2), None),
        Some("small-tasks")
    );
    assert_eq!(hint(&small(11, 20_000_000), 2, region(2), None), None);
    // Too few are ready to say that nobody waits for them, and too many that all do.
    assert_eq!(hint(&small(2, 4_000_000), 2, region(2), None), None);
}

#[test]
fn tasks_may_be_fewer_than_threads() {
    let few = [Made::new(3, 3, 300_000, 1, &[3])];
    assert_eq!(hint(&few, 8, 112_500, Some(300_000)), Some("few-tasks"));
    // The thread that creates it does as much itself, or nothing.
    let only = [Made::new(1, 1, 300_000, 1, &[1])];
    assert_eq!(hint(&only, 2, 300_000, Some(300_000)), None);
    assert_eq!(hint(&only, 2, 150_000, Some(300_000)), Some("few-tasks"));
    let enough = [Made::new(80, 80, 90_000, 1, &[80])];
    assert_eq!(hint(&enough, 8, 950_000, Some(90_000)), None);
}

#[test]
fn a_chain_leaves_threads_idle() {
    let chain = |longest| {
        [Made {
            longest,
            ..Made::new(100, 100, 9_900, 1, &[100])
        }]
    };
    assert_eq!(
        hint(&chain(9_900), 4, 250_000, Some(950_000)),
        Some("chain")
    );
    // One that is so long may have waited for a core.
    assert_eq!(hint(&chain(900_000), 4, 250_000, Some(950_000)), None);
    // Threads wait though many could be busy: the numbers name no cause.
    assert_eq!(hint(&chain(9_900), 4, 250_000, Some(20_000)), None);
    // A span that is not known is none.
    assert_eq!(hint(&chain(9_900), 4, 250_000, None), None);
}
