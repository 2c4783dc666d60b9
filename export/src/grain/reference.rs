//! What chunks and explicit tasks took in another run of the same program, usually with one thread: for the work deviation.

use std::collections::HashMap;

use super::dag::build;
use super::dag::graph::{Task, paths};
use super::metric::Balance;
use super::model::{self, Context, Draw};
use super::region::{Grain, GrainPath, Item, Region, Regions};
use crate::error::Error;
use crate::notice::{Notice, Notices};
use crate::process::Process;

/// Processes of two runs are the same if they have the same rank, or if each is the only one.
type Rank = Option<u64>;

/// Nanoseconds of the chunks of a run.
#[derive(Debug, Default)]
pub(crate) struct Reference {
    /// `None`: several are in that place, or the chunk has no end.
    chunks: HashMap<(Rank, GrainPath), Option<f64>>,
    executions: HashMap<(Rank, GrainPath), Work>,
    tasks: HashMap<(Rank, GrainPath), Option<f64>>,
    threads: u32,
    /// Chunks that were looked up, and those of them whose execution the reference has not.
    wanted: u64,
    missing: u64,
    /// Explicit tasks that were looked up, and those of them that the reference has not.
    wanted_tasks: u64,
    missing_tasks: u64,
}

#[derive(Debug, Clone, Copy)]
struct Work {
    ns: Option<f64>,
    iterations: u64,
}

/// Time divided by the time in the reference.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Deviation {
    pub(crate) chunk: Option<f64>,
    pub(crate) execution: Option<f64>,
}

fn ratio(process: &Process<'_>, ticks: Option<u64>, reference_ns: Option<f64>) -> Option<f64> {
    let (ticks, ns) = ticks.zip(reference_ns.filter(|ns| *ns > 0.0))?;
    Some(process.duration(ticks) / ns)
}

impl Reference {
    pub(crate) fn read(processes: &[Process<'_>]) -> Result<Self, Error> {
        let mut reference = Reference::default();
        for process in processes {
            // What is wrong with the reference is told by what is missing.
            model::read(process, &mut reference, &mut Notices::default())?;
            if !process.part.meta().mode.tasks {
                continue;
            }
            let (graph, _) = build::read(process, &mut Notices::default())?;
            let rank = process.part.meta().rank;
            for (task, path) in graph.tasks.iter().zip(paths(&graph)) {
                let ns = task.own_ticks().map(|ticks| process.duration(ticks));
                reference.tasks.extend(path.map(|path| ((rank, path), ns)));
            }
        }
        Ok(reference)
    }

    /// Compares an explicit task, if it is known which of the program it is.
    pub(crate) fn task_deviation(
        &mut self,
        process: &Process<'_>,
        task: &Task,
        path: Option<GrainPath>,
    ) -> Option<f64> {
        self.wanted_tasks += 1;
        let rank = process.part.meta().rank;
        let known = path.and_then(|path| self.tasks.get(&(rank, path)).copied());
        self.missing_tasks += u64::from(known.is_none());
        ratio(process, task.own_ticks(), known?)
    }

    pub(crate) fn deviation(&mut self, process: &Process<'_>, grain: &Grain, balance: &Balance) -> Deviation {
        self.wanted += 1;
        let rank = process.part.meta().rank;
        let chunk = grain.path.chunk(grain.lower, grain.iterations);
        let chunk = self.chunks.get(&(rank, chunk)).copied();
        let same = |work: &&Work| work.iterations == balance.iterations;
        let execution = self.executions.get(&(rank, grain.path)).filter(same);
        self.missing += u64::from(chunk.is_none() && execution.is_none());
        Deviation {
            chunk: ratio(process, grain.ticks, chunk.flatten()),
            execution: ratio(process, balance.ticks, execution.and_then(|work| work.ns)),
        }
    }

    pub(crate) fn notices(&self, list: &mut Vec<Notice>) {
        if self.missing > 0 {
            list.push(Notice::NotInReference { chunks: self.missing, of: self.wanted });
        }
        if self.missing_tasks > 0 {
            list.push(Notice::TasksNotInReference { tasks: self.missing_tasks, of: self.wanted_tasks });
        }
        if self.threads > 1 {
            list.push(Notice::ParallelReference { threads: self.threads });
        }
    }

    fn grain(&mut self, process: &Process<'_>, grain: &Grain, inside: &Regions) {
        let rank = process.part.meta().rank;
        let ns = grain.ticks.map(|ticks| process.duration(ticks));
        let chunk = grain.path.chunk(grain.lower, grain.iterations);
        let several = |known: &mut Option<f64>| *known = None;
        self.chunks.entry((rank, chunk)).and_modify(several).or_insert(ns);
        let nothing = Work { ns: Some(0.0), iterations: 0 };
        let work = self.executions.entry((rank, grain.path)).or_insert(nothing);
        work.ns = work.ns.zip(ns).map(|(sum, ns)| sum + ns);
        work.iterations = work.iterations.wrapping_add(grain.iterations);
        for region in grain.regions.iter().filter_map(|id| inside.get(id)) {
            self.region(process, region, inside);
        }
    }

    fn region(&mut self, process: &Process<'_>, region: &Region, inside: &Regions) {
        self.threads = self.threads.max(region.threads);
        for item in region.tasks.iter().flat_map(|task| &task.items) {
            self.add(process, item, inside);
        }
    }

    fn add(&mut self, process: &Process<'_>, item: &Item, inside: &Regions) {
        match item {
            Item::Grain(grain) => self.grain(process, grain, inside),
            Item::Region(id) => {
                if let Some(region) = inside.get(id) {
                    self.region(process, region, inside);
                }
            }
            Item::Barrier => {}
        }
    }
}

impl Draw for Reference {
    fn item(&mut self, context: &Context<'_, '_>, _root: usize, item: Item) {
        self.add(context.process, &item, context.inside);
    }
}
