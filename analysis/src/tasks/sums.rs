//! What a part adds up of explicit tasks, all threads together, in ticks.

use std::collections::BTreeMap;

use ompchunk_trace_format::{Event, TaskRegion, Tasks};

/// A lane's or a part's, by the return address of the runtime call.
#[derive(Debug, Clone, Default)]
pub(crate) struct TaskSums {
    pub(crate) constructs: BTreeMap<u64, ConstructSums>,
    pub(crate) regions: BTreeMap<u64, RegionSums>,
}

/// See [`Tasks`]. Those that a runtime made for a `taskloop` are in none of the counts.
#[derive(Debug, Clone, Default)]
pub(crate) struct ConstructSums {
    pub(crate) flags: u32,
    pub(crate) created: u64,
    pub(crate) begun: u64,
    pub(crate) ended: u64,
    pub(crate) creation: u64,
    pub(crate) timed: u64,
    pub(crate) work: u64,
    pub(crate) queued: u64,
    pub(crate) moved: u64,
    pub(crate) moved_work: u64,
    /// Shortest and longest, once one has ended.
    pub(crate) extremes: Option<[u64; 2]>,
    pub(crate) undeferred: u64,
    pub(crate) deepest: u64,
    pub(crate) waited: u64,
    /// Tasks by what they took: powers of two.
    pub(crate) sizes: Vec<u64>,
    /// Tasks and their work, by depth from 1.
    pub(crate) depths: Vec<[u64; 2]>,
    /// Tasks that each thread created.
    pub(crate) creators: BTreeMap<u32, u64>,
}

/// See [`TaskRegion`].
#[derive(Debug, Clone, Default)]
pub(crate) struct RegionSums {
    pub(crate) team_size: u32,
    pub(crate) executions: u64,
    pub(crate) unknown: u64,
    pub(crate) work: u64,
    pub(crate) waited: u64,
    pub(crate) span: u64,
    pub(crate) elapsed: u64,
}

impl TaskSums {
    pub(crate) fn add_event(&mut self, event: &Event<'_>) {
        match event {
            Event::Tasks(tasks) => {
                let sums = self.constructs.entry(tasks.code).or_default();
                sums.add(tasks);
            }
            Event::TaskRegion(region) => {
                let sums = self.regions.entry(region.code).or_default();
                sums.add(region);
            }
            _ => {}
        }
    }

    /// Adds those of another lane.
    pub(crate) fn merge(&mut self, more: &TaskSums) {
        for (code, sums) in &more.constructs {
            self.constructs.entry(*code).or_default().merge(sums, 1.0);
        }
        for (code, sums) in &more.regions {
            self.regions.entry(*code).or_default().merge(sums);
        }
    }

    /// All addresses that it names.
    pub(crate) fn codes(&self) -> impl Iterator<Item = u64> {
        let constructs = self.constructs.keys();
        constructs.chain(self.regions.keys()).copied()
    }
}

impl ConstructSums {
    fn add(&mut self, tasks: &Tasks<'_>) {
        let programs = |count: u64| count.saturating_sub(tasks.creators);
        let depths = tasks.depths.counts().zip(tasks.depth_work.counts());
        let ended = programs(tasks.ended);
        self.merge(
            &ConstructSums {
                flags: tasks.flags,
                // Who creates and who ends one of them need not be one thread.
                created: tasks.created.wrapping_sub(tasks.creators),
                begun: tasks.begun.wrapping_sub(tasks.creators),
                ended,
                creation: tasks.creation,
                timed: tasks.timed,
                work: tasks.work,
                queued: tasks.queued,
                moved: tasks.moved,
                moved_work: tasks.moved_work,
                extremes: (ended > 0).then_some([tasks.min, tasks.max]),
                undeferred: tasks.undeferred,
                deepest: tasks.deepest,
                waited: tasks.waited,
                sizes: tasks.sizes.counts().collect(),
                depths: depths.map(|(count, work)| [count, work]).collect(),
                creators: BTreeMap::from([(tasks.thread, tasks.created)]),
            },
            1.0,
        );
    }

    /// Adds others, which a clock of `ratio` of its ticks to one of these measured.
    pub(crate) fn merge(&mut self, more: &ConstructSums, ratio: f64) {
        let ticks = |ticks: u64| match ratio == 1.0 {
            true => ticks,
            false => (ticks as f64 / ratio) as u64,
        };
        self.flags |= more.flags;
        self.created = self.created.wrapping_add(more.created);
        self.begun = self.begun.wrapping_add(more.begun);
        self.ended += more.ended;
        self.creation += ticks(more.creation);
        self.timed += more.timed;
        self.work += ticks(more.work);
        self.queued += ticks(more.queued);
        self.moved += more.moved;
        self.moved_work += ticks(more.moved_work);
        let theirs = more.extremes.map(|extremes| extremes.map(ticks));
        self.extremes = match (self.extremes, theirs) {
            (Some([least, most]), Some([min, max])) => Some([least.min(min), most.max(max)]),
            (mine, theirs) => mine.or(theirs),
        };
        self.undeferred += more.undeferred;
        self.deepest = self.deepest.max(more.deepest);
        self.waited += ticks(more.waited);
        // Clocks of one kind of machine differ by less than a power of two.
        let sizes = self.sizes.len().max(more.sizes.len());
        self.sizes.resize(sizes, 0);
        for (sum, count) in self.sizes.iter_mut().zip(&more.sizes) {
            *sum += count;
        }
        let depths = self.depths.len().max(more.depths.len());
        self.depths.resize(depths, [0; 2]);
        for (sum, [count, work]) in self.depths.iter_mut().zip(&more.depths) {
            *sum = [sum[0] + count, sum[1] + ticks(*work)];
        }
        for (thread, created) in &more.creators {
            *self.creators.entry(*thread).or_default() += created;
        }
    }
}

impl RegionSums {
    fn add(&mut self, region: &TaskRegion) {
        self.merge(&RegionSums {
            team_size: region.team_size,
            executions: region.executions,
            unknown: region.unknown,
            work: region.work,
            waited: region.waited,
            span: region.span,
            elapsed: region.elapsed,
        });
    }

    pub(crate) fn merge(&mut self, more: &RegionSums) {
        self.team_size = self.team_size.max(more.team_size);
        self.executions += more.executions;
        self.unknown += more.unknown;
        self.work += more.work;
        self.waited += more.waited;
        self.span += more.span;
        self.elapsed += more.elapsed;
    }
}
