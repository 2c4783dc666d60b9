//! Explicit tasks, of traces made by hand: one tick is one microsecond, and so is a reading of the clock.

use ompchunk_analysis::model::TasksReport;
use ompchunk_trace_format::sum::MUTEX_IN_TASK;
use ompchunk_trace_format::tasks::{DEPTHS, SIZES};
use ompchunk_trace_format::{Code, Event, Histogram, NOBODY, SumOf, TaskRegion, Tasks};

use super::{Maker, meta, report, taken};

/// `ompt_mutex_t`
const CRITICAL: u32 = 5;
const CREATES: u64 = 0x1000;
const BEGINS: u64 = 0x2000;

/// So many tasks that one thread created, and as many that it ended, each of `each` ticks, which took `creation` ticks to create.
pub struct Made {
    pub created: u64,
    pub ended: u64,
    pub each: u64,
    pub creation: u64,
    /// How many of those that ended at each depth.
    pub depths: Vec<u64>,
    pub longest: u64,
    pub queued: u64,
    /// How many of those that ended another thread had created.
    pub moved: u64,
    pub untimed: bool,
    /// How many of those created ran at once.
    pub undeferred: u64,
}

impl Made {
    pub fn new(created: u64, ended: u64, each: u64, creation: u64, depths: &[u64]) -> Made {
        Made {
            created,
            ended,
            each,
            creation,
            depths: depths.to_vec(),
            longest: each,
            queued: 5,
            moved: 1,
            untimed: false,
            undeferred: 0,
        }
    }

    fn put(&self, maker: &mut Maker, lane: u32) {
        let bytes = |counts: &[u64], length: usize| -> Vec<u8> {
            let rest = std::iter::repeat_n(&0, length - counts.len());
            counts.iter().chain(rest).flat_map(|count| count.to_le_bytes()).collect()
        };
        let mut sizes = [0; SIZES];
        sizes[Histogram::bucket(self.each)] = self.ended;
        let work: Vec<u64> = self.depths.iter().map(|count| count * self.each).collect();
        let (sizes, depths, work) = (bytes(&sizes, SIZES), bytes(&self.depths, DEPTHS), bytes(&work, DEPTHS));
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
                timed: if self.untimed { 0 } else { self.created },
                work: self.ended * self.each,
                queued: self.queued,
                moved: self.moved,
                moved_work: self.moved * self.each,
                min: if self.ended == 0 { 0 } else { self.each },
                max: if self.ended == 0 { 0 } else { self.longest },
                undeferred: self.undeferred,
                deepest: self.depths.len() as u64,
                waited: 3,
                sizes: Histogram::from(&sizes[..]),
                depths: Histogram::from(&depths[..]),
                depth_work: Histogram::from(&work[..]),
                ..Tasks::default()
            }),
        );
    }
}

/// A run of 1,000,000 ticks in one region of `team` threads.
pub struct Run<'a> {
    /// What each thread did, from the first one on.
    pub made: &'a [Made],
    pub team: u32,
    /// What each thread works in the region, its own tasks included.
    pub work: u64,
    pub span: Option<u64>,
    /// From the region's begin to its end.
    pub elapsed: u64,
    /// The first thread was off its core for so long, and all waited for a critical section for so long.
    pub off_core: u64,
    pub locked: u64,
}

impl Run<'_> {
    pub fn tasks(&self) -> TasksReport {
        let directory = tempfile::tempdir().unwrap();
        let mut meta = meta(None);
        // As of a recorder that tells all of the account.
        meta.events.insert("mutex_acquired".into(), 5);
        meta.clock.cpu_read = Some(1.0);
        let mut maker = Maker::new(directory.path(), "pid-7", &meta);
        for lane in 0..self.team {
            self.put(&mut maker, lane);
        }
        maker.part.finish(1_000_000).unwrap();
        report(directory.path()).tasks.unwrap()
    }

    fn put(&self, maker: &mut Maker, lane: u32) {
        maker.thread(lane, 0, if lane == 0 { 1 } else { 2 });
        for (address, function) in [(CREATES, "creates"), (BEGINS, "begins")] {
            let code = Code { address, offset: address, object: b"/gone/app", function: function.as_bytes() };
            maker.put(lane, 0, &Event::Code(code));
        }
        if let Some(made) = self.made.get(lane as usize) {
            made.put(maker, lane);
        }
        let begins = u64::from(lane == 0);
        let region = TaskRegion {
            thread: lane,
            team_size: if lane == 0 { self.team } else { 0 },
            code: BEGINS,
            executions: begins,
            unknown: if self.span.is_none() { begins } else { 0 },
            work: self.work,
            waited: 2,
            span: self.span.unwrap_or(0) * begins,
            elapsed: self.elapsed * begins,
        };
        maker.put(lane, 20, &Event::TaskRegion(region));
        if lane == 0 && self.off_core > 0 {
            maker.put(lane, 999_999, &taken(self.off_core, 999_999));
        }
        if lane == 0 && self.locked > 0 {
            let of = CRITICAL | MUTEX_IN_TASK;
            maker.add(999_999, SumOf::Mutex, of, NOBODY, (1, self.locked + 1));
        }
        maker.put(lane, 1_000_000, &Event::ThreadEnd { thread: lane });
    }
}

/// Each thread works `work` ticks in the region, and its span is `span`.
pub fn run(made: &[Made], team: u32, work: u64, span: Option<u64>) -> TasksReport {
    let (off_core, locked) = (0, 0);
    Run { made, team, work, span, elapsed: 1_000_000, off_core, locked }.tasks()
}
