//! What a part adds up of explicit tasks, all threads together, in ticks.

use std::collections::BTreeMap;

use ompchunk_trace_format::{Event, Tasks};

use crate::merge::Merge;

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
    pub(crate) extremes: Option<[u64; 2]>,
    pub(crate) undeferred: u64,
    pub(crate) deepest: u64,
    pub(crate) waited: u64,
    pub(crate) sizes: Vec<u64>,
    /// Tasks and their work, by depth from 1.
    pub(crate) depths: Vec<[u64; 2]>,
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

merge!(TaskSums: constructs, regions);
merge!(RegionSums: executions, unknown, work, waited, span, elapsed; max team_size);

impl TaskSums {
    pub(crate) fn add_event(&mut self, event: &Event<'_>) {
        match event {
            Event::Tasks(tasks) => self.constructs.entry(tasks.code).or_default().add(tasks),
            Event::TaskRegion(region) => {
                let sums = self.regions.entry(region.code).or_default();
                merge_fields!(sums, region: executions, unknown, work, waited, span, elapsed; max team_size);
            }
            _ => {}
        }
    }

    pub(crate) fn codes(&self) -> impl Iterator<Item = u64> {
        self.constructs.keys().chain(self.regions.keys()).copied()
    }
}

impl ConstructSums {
    fn add(&mut self, tasks: &Tasks<'_>) {
        // Who creates and who ends one of them need not be one thread.
        self.created = self.created.wrapping_add(tasks.created.wrapping_sub(tasks.creators));
        self.begun = self.begun.wrapping_add(tasks.begun.wrapping_sub(tasks.creators));
        let ended = tasks.ended.saturating_sub(tasks.creators);
        self.ended += ended;
        self.flags |= tasks.flags;
        merge_fields!(
            self, tasks: creation, timed, work, queued, moved, moved_work, undeferred, waited; max deepest
        );
        self.extremes.take_in(&(ended > 0).then_some([tasks.min, tasks.max]));
        self.sizes.take_in(&tasks.sizes.counts().collect());
        let depths = tasks.depths.counts().zip(tasks.depth_work.counts());
        self.depths.take_in(&depths.map(|(count, work)| [count, work]).collect());
        self.creators.entry(tasks.thread).or_default().take_in(&tasks.created);
    }

    /// As another clock measures them, of which a tick is `ratio` of these.
    pub(crate) fn by_clock(&self, ratio: f64) -> ConstructSums {
        let ticks = |ticks: u64| if ratio == 1.0 { ticks } else { (ticks as f64 / ratio) as u64 };
        ConstructSums {
            creation: ticks(self.creation),
            work: ticks(self.work),
            queued: ticks(self.queued),
            moved_work: ticks(self.moved_work),
            extremes: self.extremes.map(|extremes| extremes.map(ticks)),
            waited: ticks(self.waited),
            // Of the sizes clocks of one kind of machine differ by less than a power of two.
            depths: self.depths.iter().map(|[count, work]| [*count, ticks(*work)]).collect(),
            ..self.clone()
        }
    }
}

impl Merge for ConstructSums {
    fn take_in(&mut self, more: &ConstructSums) {
        self.created = self.created.wrapping_add(more.created);
        self.begun = self.begun.wrapping_add(more.begun);
        self.flags |= more.flags;
        merge_fields!(
            self, more: ended, creation, timed, work, queued, moved, moved_work, extremes, undeferred, waited, sizes, depths,
            creators; max deepest
        );
    }
}
