//! How many threads run explicit tasks at a time, of traces made by hand: one tick is one microsecond, a region takes 1,000 of them, and a
//! slice is ten.

use ompchunk_analysis::model::{TaskActivity, TaskRegionReport};
use ompchunk_trace_format::{Event, Lost, NOBODY, Sync};

use crate::common::{self, Maker, meta, with};

const CREATES: u64 = 0x1000;
const BEGINS: u64 = 0x2000;
const COMPLETE: u32 = 1;
const SWITCH: u32 = 7;
/// `ompt_sync_region_taskwait`
const TASKWAIT: Sync = Sync { kind: 5, code: 0 };

/// A trace that is being made, and the regions that its report then has.
struct Made {
    directory: tempfile::TempDir,
    maker: Maker,
    team: u32,
    codes: Vec<u64>,
}

impl Made {
    fn of_tasks(team: u32) -> Made {
        Made::new(team, true)
    }

    fn new(team: u32, tasks: bool) -> Made {
        let directory = tempfile::tempdir().unwrap();
        let mut meta = meta(None);
        meta.mode.tasks = tasks;
        let mut maker = Maker::new(directory.path(), "pid-7", &meta);
        for lane in 0..team {
            maker.thread(lane, 0, if lane == 0 { 1 } else { 2 });
        }
        let codes = vec![BEGINS];
        Made { directory, maker, team, codes }
    }

    /// All threads come to a region.
    fn begin(&mut self, ticks: u64, parallel: u64, code: u64) {
        self.maker.region(0, ticks, parallel, code);
        for lane in 0..self.team {
            self.maker.task(lane, ticks, parallel, self.team);
        }
    }

    fn end(&mut self, ticks: u64, parallel: u64) {
        for lane in 0..self.team {
            let end = Event::ImplicitTaskEnd { parallel };
            self.maker.put(lane, ticks, &end);
        }
        self.maker.put(0, ticks, &Event::ParallelEnd { parallel });
    }

    fn switch(&mut self, lane: u32, ticks: u64, (prior, status): (u64, u32), next: u64) {
        let switch = Event::TaskSchedule { prior, status, next };
        self.maker.put(lane, ticks, &switch);
    }

    /// A thread runs a task, from when to when.
    fn run(&mut self, lane: u32, task: u64, (from, to): (u64, u64)) {
        self.switch(lane, from, (0, SWITCH), task);
        self.switch(lane, to, (task, COMPLETE), 0);
    }

    /// What a recording adds up, as far as a report needs it.
    fn sums(&mut self, ticks: u64) {
        self.maker.tasks(ticks, CREATES, 1, 1, [1, 1]);
        for code in self.codes.clone() {
            self.maker.task_region(ticks, code, self.team, 1, 1);
        }
    }

    fn close(&mut self, ticks: u64) {
        self.sums(ticks);
        for lane in 0..self.team {
            self.maker.put(lane, ticks, &Event::ThreadEnd { thread: lane });
        }
    }

    fn regions(mut self) -> Vec<TaskRegionReport> {
        self.close(2000);
        self.maker.finish(2000);
        seen(self.directory.path())
    }

    /// The activity of the only region.
    fn activity(self) -> TaskActivity {
        let [region] = <[_; 1]>::try_from(self.regions()).unwrap();
        assert_eq!(region.activity_missing, None);
        region.activity.unwrap()
    }

    fn missing(self) -> &'static str {
        why(self.regions())
    }
}

fn seen(path: &std::path::Path) -> Vec<TaskRegionReport> {
    with(path, |analysis| {
        let mut tasks = analysis.report.tasks.clone().unwrap();
        analysis.add_task_activity(&mut tasks, &|_| {}).unwrap();
        tasks.regions
    })
}

fn why(regions: Vec<TaskRegionReport>) -> &'static str {
    let [region] = <[_; 1]>::try_from(regions).unwrap();
    assert_eq!(region.activity, None);
    region.activity_missing.unwrap()
}

/// So many slices with so many threads, one after the other.
fn are(found: &TaskActivity, expected: &[(usize, f64)]) {
    let all = expected.iter();
    let all = all.flat_map(|(slices, busy)| std::iter::repeat_n(*busy, *slices));
    let all: Vec<f64> = all.collect();
    assert_eq!(found.slices.len(), 100);
    assert_eq!(all.len(), 100);
    for (at, (found, expected)) in found.slices.iter().zip(all).enumerate() {
        assert!((found - expected).abs() < 1e-9, "slice {at}: {found}");
    }
}

fn shares(found: &TaskActivity) -> [f64; 3] {
    [found.at_most_one_share, found.at_most_half_share, found.all_share]
}

#[test]
fn one_of_two_threads_may_idle_half_of_the_time() {
    let mut made = Made::of_tasks(2);
    made.begin(500, 1, BEGINS);
    made.run(0, 1, (500, 1500));
    made.run(1, 2, (500, 1000));
    made.end(1500, 1);
    let found = made.activity();
    are(&found, &[(50, 2.0), (50, 1.0)]);
    assert_eq!(shares(&found), [0.5, 0.5, 0.5]);
    assert_eq!((found.part, found.threads), (0, 2));
    common::near(found.seconds, 1e-3);
    common::near(found.begin_seconds, 0.5e-3);
}

#[test]
fn of_a_chain_one_thread_runs_a_task_at_a_time() {
    let mut made = Made::of_tasks(4);
    made.begin(500, 1, BEGINS);
    for task in 0..10 {
        let from = 500 + 100 * task;
        made.run(task as u32 % 4, task + 1, (from, from + 100));
    }
    made.end(1500, 1);
    let found = made.activity();
    are(&found, &[(100, 1.0)]);
    assert_eq!(shares(&found), [1.0, 1.0, 0.0]);
}

#[test]
fn a_fan_is_wide_until_its_longest_task_is_left() {
    let mut made = Made::of_tasks(4);
    made.begin(500, 1, BEGINS);
    for (lane, ticks) in [(0, 200), (1, 400), (2, 600), (3, 995)] {
        made.run(lane, u64::from(lane) + 1, (500, 500 + ticks));
    }
    made.end(1500, 1);
    let found = made.activity();
    are(&found, &[(20, 4.0), (20, 3.0), (20, 2.0), (39, 1.0), (1, 0.5)]);
    assert_eq!(shares(&found), [0.4, 0.6, 0.2]);
}

#[test]
fn an_untied_task_may_move() {
    let mut made = Made::of_tasks(2);
    made.begin(500, 1, BEGINS);
    made.switch(0, 500, (0, SWITCH), 1);
    made.switch(0, 800, (1, SWITCH), 0);
    made.switch(1, 900, (0, SWITCH), 1);
    made.switch(1, 1500, (1, COMPLETE), 0);
    made.end(1500, 1);
    are(&made.activity(), &[(30, 1.0), (10, 0.0), (60, 1.0)]);
}

#[test]
fn a_task_that_waits_does_not_count_but_what_its_thread_runs_meanwhile_does() {
    let mut made = Made::of_tasks(1);
    made.begin(500, 1, BEGINS);
    made.switch(0, 500, (0, SWITCH), 1);
    made.maker.put(0, 700, &Event::WaitBegin(TASKWAIT));
    made.switch(0, 900, (1, SWITCH), 2);
    made.switch(0, 1000, (2, COMPLETE), 1);
    made.maker.put(0, 1200, &Event::WaitEnd(TASKWAIT));
    made.switch(0, 1500, (1, COMPLETE), 0);
    made.end(1500, 1);
    let expected = [(20, 1.0), (20, 0.0), (10, 1.0), (20, 0.0), (30, 1.0)];
    are(&made.activity(), &expected);
}

/// The task begins a region of its own and runs a task there: the region around it has the slices, and its task none meanwhile.
#[test]
fn a_nested_region_is_part_of_the_one_around_it() {
    let mut made = Made::of_tasks(2);
    made.begin(500, 1, BEGINS);
    made.switch(0, 500, (0, SWITCH), 1);
    made.maker.region(0, 700, 2, BEGINS + 8);
    made.maker.task(0, 700, 2, 1);
    made.run(0, 2, (800, 900));
    let parallel = 2;
    made.maker.put(0, 1000, &Event::ImplicitTaskEnd { parallel });
    made.maker.put(0, 1000, &Event::ParallelEnd { parallel });
    made.switch(0, 1500, (1, COMPLETE), 0);
    made.end(1500, 1);
    let expected = [(20, 1.0), (10, 0.0), (10, 1.0), (10, 0.0), (50, 1.0)];
    let found = made.activity();
    are(&found, &expected);
    assert_eq!(found.threads, 2);
}

#[test]
fn the_longest_of_several_executions_is_shown() {
    let mut made = Made::of_tasks(2);
    made.begin(100, 1, BEGINS);
    made.run(0, 1, (100, 200));
    made.end(200, 1);
    // Another region, without tasks, is none of the report's.
    made.begin(200, 2, BEGINS + 8);
    made.end(400, 2);
    made.begin(500, 3, BEGINS);
    made.run(1, 2, (1000, 1500));
    made.end(1500, 3);
    are(&made.activity(), &[(50, 0.0), (50, 1.0)]);
}

#[test]
fn what_is_not_known_has_a_reason() {
    let with_one = |tasks| {
        let mut made = Made::new(1, tasks);
        made.begin(500, 1, BEGINS);
        made.run(0, 1, (500, 1500));
        made.end(1500, 1);
        made
    };
    let one_by_one = "tasks are not recorded one by one (ompchunk record --tasks)";
    assert_eq!(with_one(false).missing(), one_by_one);
    let mut lost = with_one(true);
    let event =
        Lost { reason: 2, the_loop: NOBODY, thread: 0, chunks: 0, iterations: 0, events: 1, from: 600, to: 700 };
    lost.maker.put(0, 1600, &Event::Lost(event));
    assert_eq!(lost.missing(), "not all events are recorded");
    let mut cut = with_one(true);
    cut.sums(1600);
    let Made { directory, maker, .. } = cut;
    maker.abandon();
    assert_eq!(why(seen(directory.path())), "the recording has no end");
    // The end of a task that never began, as it is told.
    let mut partial = Made::of_tasks(1);
    partial.begin(500, 1, BEGINS);
    partial.switch(0, 900, (1, COMPLETE), 0);
    partial.end(1500, 1);
    assert_eq!(partial.missing(), "not all events are recorded");
    // The execution is not told.
    let nothing = Made::of_tasks(1).missing();
    assert!(nothing.starts_with("no execution"), "{nothing}");
}

#[test]
fn another_region_at_the_same_time_is_a_reason() {
    let mut made = Made::of_tasks(1);
    made.begin(500, 1, BEGINS);
    made.end(1500, 1);
    made.maker.thread(1, 0, 1);
    made.maker.region(1, 1400, 2, BEGINS + 8);
    made.maker.put(1, 1600, &Event::ParallelEnd { parallel: 2 });
    assert_eq!(made.missing(), "another region runs at the same time");
}

#[test]
fn of_many_regions_the_first_have_slices() {
    let mut made = Made::of_tasks(1);
    made.codes = (0..25).map(|more| BEGINS + 8 * more).collect();
    for (at, code) in (0..).zip(made.codes.clone()) {
        made.begin(10 + 50 * at, at + 1, code);
        made.end(40 + 50 * at, at + 1);
    }
    let regions = made.regions();
    assert_eq!(regions.len(), 25);
    let known = regions.iter().filter(|region| region.activity.is_some());
    assert_eq!(known.count(), 20);
    let rest = regions.last().unwrap().activity_missing.unwrap();
    assert!(rest.contains("first 20 regions"), "{rest}");
}
