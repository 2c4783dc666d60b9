//! What a part consists of: regions, with what each of their threads ran.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use ompchunk_trace_format::{At, Chunk, LoopBegin, Values};

use crate::site::Sites;

/// An execution of a loop within its region: the loop, and a count from 0.
pub(crate) type Execution = (u32, u32);

pub(crate) struct Grain {
    pub(crate) execution: Execution,
    /// Where it began.
    pub(crate) at: At,
    pub(crate) lower: u64,
    pub(crate) iterations: u64,
    pub(crate) variable: Option<Values>,
    /// Ticks of its iterations: without regions inside, without bookkeeping. `None`: the chunk has no end.
    pub(crate) ticks: Option<u64>,
    /// Ticks of the bookkeeping before the chunk; 0: not measured.
    pub(crate) creation: u64,
    pub(crate) regions: Vec<u64>,
    pub(crate) path: GrainPath,
}

pub(crate) struct Begun {
    pub(crate) execution: Execution,
    path: GrainPath,
    variable: Option<Values>,
    pub(crate) shown: bool,
}

impl Begun {
    /// The `number`th of its loop in what is `around`.
    pub(crate) fn new(begin: &LoopBegin, number: u32, around: GrainPath, sites: &Sites<'_>) -> Begun {
        let site = sites.get(begin.the_loop);
        Begun {
            execution: (begin.the_loop, number),
            path: around.execution(site.map_or("", |site| &site.label), number),
            variable: site.and_then(|site| site.variable(begin)),
            shown: sites.selected(begin.the_loop),
        }
    }

    pub(crate) fn grain(&self, at: At, chunk: &Chunk, ticks: Option<u64>) -> Grain {
        Grain {
            execution: self.execution,
            at,
            lower: chunk.lower,
            iterations: chunk.iterations,
            variable: self.variable,
            ticks,
            creation: chunk.create_duration,
            regions: Vec::new(),
            path: self.path,
        }
    }
}

pub(crate) enum Item {
    Grain(Grain),
    Region(u64),
    Barrier,
}

#[derive(Default)]
pub(crate) struct Task {
    pub(crate) index: u32,
    pub(crate) items: Vec<Item>,
}

#[derive(Default)]
pub(crate) struct Region {
    pub(crate) id: u64,
    pub(crate) begin: u64,
    pub(crate) end: Option<u64>,
    pub(crate) threads: u32,
    pub(crate) code: u64,
    pub(crate) tasks: Vec<Task>,
    pub(super) open: u32,
    pub(super) path: GrainPath,
    /// Regions inside this one, not in its chunks, so far.
    pub(super) nested: u32,
}

pub(crate) type Regions = HashMap<u64, Region>;

pub(super) fn inside(item: &Item) -> Vec<u64> {
    match item {
        Item::Grain(grain) => grain.regions.clone(),
        Item::Region(id) => vec![*id],
        Item::Barrier => Vec::new(),
    }
}

pub(super) fn is_complete(item: &Item, regions: &Regions) -> bool {
    inside(item).iter().all(|id| {
        regions.get(id).is_none_or(|region| {
            let is_over = region.end.is_some() && region.open == 0;
            is_over && region.tasks.iter().flat_map(|task| &task.items).all(|item| is_complete(item, regions))
        })
    })
}

pub(super) fn forget(ids: Vec<u64>, regions: &mut Regions) {
    for id in ids {
        if let Some(region) = regions.remove(&id) {
            for item in region.tasks.iter().flat_map(|task| &task.items) {
                forget(inside(item), regions);
            }
        }
    }
}

/// Which chunk a grain is, in terms that another run has too: the way from the initial task through regions, executions and
/// chunks, each counted within the one around, hashed; not the threads. Two have the same with a probability of 2^-64.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub(crate) struct GrainPath(u64);

impl GrainPath {
    pub(crate) fn root(number: usize) -> GrainPath {
        GrainPath::default().then(&("initial task", number))
    }

    pub(crate) fn region(self, number: u32) -> GrainPath {
        self.then(&("region", number))
    }

    pub(crate) fn execution(self, position: &str, number: u32) -> GrainPath {
        self.then(&("loop", position, number))
    }

    pub(crate) fn chunk(self, lower: u64, iterations: u64) -> GrainPath {
        self.then(&("chunk", lower, iterations))
    }

    /// Explicit tasks that are created behind so many barriers, so many.
    pub(crate) fn tasks(self, barriers: u32, count: usize) -> GrainPath {
        self.then(&("tasks", barriers, count))
    }

    pub(crate) fn task(self, number: u32) -> GrainPath {
        self.then(&("task", number))
    }

    fn then(self, step: &impl Hash) -> GrainPath {
        let mut hasher = DefaultHasher::new();
        self.hash(&mut hasher);
        step.hash(&mut hasher);
        GrainPath(hasher.finish())
    }
}
