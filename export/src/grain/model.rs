//! From events, in their order, to regions; an outermost one is forgotten as soon as all that is inside is complete.

use std::collections::{HashMap, VecDeque};

use ompchunk_trace_format::{At, Chunk, Error, Event, LoopBegin, NOBODY, is_barrier};

use super::region::{Begun, Grain, GrainPath, Item, Regions, Task, forget, inside, is_complete};
use crate::notice::Notices;
use crate::process::Process;
use crate::site::Sites;

pub(crate) struct Context<'a, 'p> {
    pub(crate) process: &'a Process<'p>,
    pub(crate) sites: &'a Sites<'p>,
    pub(crate) inside: &'a Regions,
}

pub(crate) trait Draw {
    /// `root` counts the initial tasks of a process.
    fn item(&mut self, context: &Context<'_, '_>, root: usize, item: Item);
    fn has_failed(&self) -> bool {
        false
    }
}

struct Running {
    begun: Begun,
    grain: Option<Grain>,
    /// Ticks that regions took since the grain's begin.
    inside: u64,
    tasks: usize,
}

#[derive(Default)]
struct Open {
    /// 0: an initial task.
    region: u64,
    root: usize,
    task: Task,
    executions: HashMap<u32, u32>,
    /// Path of an initial task; the regions have that of others.
    path: GrainPath,
    nested: u32,
}

#[derive(Default)]
struct LaneGrains {
    tasks: Vec<Open>,
    loops: Vec<Running>,
}

impl LaneGrains {
    fn running(&mut self) -> Option<&mut Running> {
        let tasks = self.tasks.len();
        self.loops.last_mut().filter(|running| running.tasks == tasks)
    }
}

pub(crate) struct Reader<'a, 'p, D> {
    process: &'p Process<'p>,
    sites: Sites<'p>,
    notices: &'a mut Notices,
    draw: &'a mut D,
    lanes: HashMap<u32, LaneGrains>,
    regions: Regions,
    /// What initial tasks did and is not drawn yet.
    roots: Vec<VecDeque<Item>>,
    stray: u64,
}

/// Hands all that a part's initial tasks did to `draw`; returns how many initial tasks there were.
pub(crate) fn read<D: Draw>(process: &Process<'_>, draw: &mut D, notices: &mut Notices) -> Result<usize, Error> {
    let mut reader = Reader {
        process,
        sites: Sites::for_process(process),
        notices,
        draw,
        lanes: HashMap::new(),
        regions: HashMap::new(),
        roots: Vec::new(),
        stray: 0,
    };
    process.part.merged_while(|at, event| {
        reader.follow(at, event);
        !reader.draw.has_failed()
    })?;
    reader.finish();
    Ok(reader.roots.len())
}

impl<D: Draw> Reader<'_, '_, D> {
    fn follow(&mut self, at: At, event: &Event<'_>) {
        self.sites.follow(event);
        self.notices.follow(event);
        match event {
            Event::Chunk(chunk) => self.chunk(at, chunk),
            Event::LoopBegin(begin) => self.loop_begin(at, begin),
            Event::LoopEnd { the_loop } => {
                let is_of_loop = |running: &Running| running.begun.execution.0 == *the_loop;
                if let Some(from) = self.lane(at).loops.iter().rposition(is_of_loop) {
                    self.end_loops(at, from, Some(at.ticks));
                }
            }
            Event::ParallelBegin { parallel, code, .. } => self.parallel_begin(at, *parallel, *code),
            Event::ParallelEnd { parallel } => self.parallel_end(at, *parallel),
            Event::ImplicitTaskBegin { parallel, index, team_size, .. } => {
                self.task_begin(at, *parallel, *index, *team_size)
            }
            Event::ImplicitTaskEnd { parallel } => self.task_end(at, *parallel),
            Event::SyncBegin(sync) if is_barrier(sync.kind) => self.barrier(at),
            Event::ThreadEnd { .. } => self.end_lane(at, Some(at.ticks)),
            _ => {}
        }
    }

    fn lane(&mut self, at: At) -> &mut LaneGrains {
        self.lanes.entry(at.lane).or_default()
    }

    /// The task that the lane is in; a thread whose beginning was lost is in an initial one.
    fn task(&mut self, at: At) -> &mut Open {
        if self.lane(at).tasks.is_empty() {
            self.task_begin(at, 0, 0, 1);
        }
        self.lane(at).tasks.last_mut().expect("just begun")
    }

    fn chunk(&mut self, at: At, chunk: &Chunk) {
        let Some(running) = self.lane(at).loops.last_mut() else {
            self.stray += 1;
            return;
        };
        let ended = running.end(Some(at.ticks), chunk.create_duration);
        running.grain = running.begun.shown.then(|| running.begun.grain(at, chunk, None));
        self.push(at, ended);
    }

    fn loop_begin(&mut self, at: At, begin: &LoopBegin) {
        let next = self.task(at).executions.entry(begin.the_loop).or_default();
        let number = *next;
        *next += 1;
        let around = self.path(at).0;
        let begun = Begun::new(begin, number, around, &self.sites);
        let running = Running { begun, grain: None, inside: 0, tasks: self.lane(at).tasks.len() };
        self.lane(at).loops.push(running);
    }

    /// A barrier inside a chunk would be one of a team within, or an error of the program.
    fn barrier(&mut self, at: At) {
        let lane = self.lane(at);
        if lane.running().is_some() {
            return;
        }
        if let Some(open) = lane.tasks.last_mut().filter(|task| task.region != 0) {
            open.task.items.push(Item::Barrier);
        }
    }

    fn end_loops(&mut self, at: At, from: usize, end: Option<u64>) {
        let ended: Vec<Running> = self.lane(at).loops.drain(from..).rev().collect();
        for mut running in ended {
            let grain = running.end(end, 0);
            self.push(at, grain);
        }
    }

    fn push(&mut self, at: At, grain: Option<Grain>) {
        let Some(grain) = grain else { return };
        self.notices.chunks += 1;
        self.item(at, Item::Grain(grain));
    }

    fn item(&mut self, at: At, item: Item) {
        let open = self.task(at);
        if open.region != 0 {
            open.task.items.push(item);
            return;
        }
        let root = open.root;
        self.roots[root].push_back(item);
        self.draw(root);
    }

    fn parallel_begin(&mut self, at: At, id: u64, code: u64) {
        // The region comes before its item: what is not here counts as complete.
        let region = self.regions.entry(id).or_default();
        (region.id, region.begin, region.code) = (id, at.ticks, code);
        let around = self.lane(at).running();
        let path = if let Some(grain) = around.and_then(|running| running.grain.as_mut()) {
            grain.regions.push(id);
            grain.path.chunk(grain.lower, grain.iterations).region(grain.regions.len() as u32)
        } else {
            self.item(at, Item::Region(id));
            let (path, nested) = self.path(at);
            *nested += 1;
            path.region(*nested)
        };
        self.regions.entry(id).or_default().path = path;
    }

    /// Where the lane's innermost task is, and how many regions began there.
    fn path(&mut self, at: At) -> (GrainPath, &mut u32) {
        match self.task(at).region {
            0 => {
                let task = self.task(at);
                (task.path, &mut task.nested)
            }
            region => {
                let region = self.regions.entry(region).or_default();
                (region.path, &mut region.nested)
            }
        }
    }

    fn parallel_end(&mut self, at: At, id: u64) {
        let region = self.regions.entry(id).or_default();
        region.end = Some(at.ticks);
        let ticks = at.ticks.saturating_sub(region.begin);
        if let Some(running) = self.lane(at).running() {
            running.inside += ticks;
        }
        self.draw_all();
    }

    fn task_begin(&mut self, at: At, id: u64, index: u32, threads: u32) {
        let root = self.roots.len();
        if id == 0 {
            self.roots.push(VecDeque::new());
        } else {
            let region = self.regions.entry(id).or_default();
            region.open += 1;
            region.threads = region.threads.max(threads);
        }
        let (task, path) = (Task { index, items: Vec::new() }, GrainPath::root(root));
        self.lane(at).tasks.push(Open { region: id, root, task, path, ..Open::default() });
    }

    fn task_end(&mut self, at: At, id: u64) {
        let is_of_region = |task: &Open| task.region == id;
        let Some(from) = self.lane(at).tasks.iter().rposition(is_of_region) else { return };
        // Where ends were lost, what is inside ends with its task.
        while self.lane(at).tasks.len() > from {
            self.end_task(at, Some(at.ticks));
        }
        self.draw_all();
    }

    fn end_task(&mut self, at: At, end: Option<u64>) {
        let tasks = self.lane(at).tasks.len();
        let loops = &self.lane(at).loops;
        let from = loops.partition_point(|running| running.tasks < tasks);
        self.end_loops(at, from, end);
        let Some(open) = self.lane(at).tasks.pop() else { return };
        if let Some(region) = self.regions.get_mut(&open.region) {
            region.open = region.open.saturating_sub(1);
            region.tasks.push(open.task);
            // In the order of the team, whoever comes first.
            region.tasks.sort_by_key(|task| task.index);
        }
    }

    fn end_lane(&mut self, at: At, end: Option<u64>) {
        while !self.lane(at).tasks.is_empty() {
            self.end_task(at, end);
        }
        self.end_loops(at, 0, end);
    }

    fn draw_all(&mut self) {
        (0..self.roots.len()).for_each(|root| self.draw(root));
    }

    fn draw(&mut self, root: usize) {
        while let Some(next) = self.roots[root].front()
            && is_complete(next, &self.regions)
            && let Some(item) = self.roots[root].pop_front()
        {
            let regions = inside(&item);
            let context = Context { process: self.process, sites: &self.sites, inside: &self.regions };
            self.draw.item(&context, root, item);
            forget(regions, &mut self.regions);
        }
    }

    fn finish(&mut self) {
        let mut lanes: Vec<u32> = self.lanes.keys().copied().collect();
        lanes.sort_unstable();
        for lane in lanes {
            self.end_lane(At { lane, thread: NOBODY, ..At::default() }, None);
        }
        for region in self.regions.values_mut() {
            region.open = 0;
            region.end = region.end.or(Some(region.begin));
        }
        self.draw_all();
        self.notices.part(self.process, &self.sites, self.stray);
    }
}

impl Running {
    /// The grain that ends here; `next` is the bookkeeping that comes at its end.
    fn end(&mut self, end: Option<u64>, next: u64) -> Option<Grain> {
        let inside = std::mem::take(&mut self.inside);
        let mut grain = self.grain.take()?;
        grain.ticks = end.map(|end| end.saturating_sub(grain.at.ticks).saturating_sub(next).saturating_sub(inside));
        Some(grain)
    }
}
