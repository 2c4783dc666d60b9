//! From events, in the order of time, to a part's graph: what each lane runs, one inside the other.

use std::collections::HashMap;

use ompchunk_trace_format::{At, Chunk, Error, LoopBegin, is_barrier};

use super::graph::{Drawn, Graph, NOWHERE, What};
use super::strand::{Group, Open, Running, Strand, Tip, Whose};
use crate::grain::follow::{Follow, FollowWaits};
use crate::grain::region::{Grain, GrainPath};
use crate::name::{TASKGROUP, TASKWAIT};
use crate::notice::Notices;
use crate::process::Process;
use crate::site::Sites;

/// It began a region.
const IN_REGION: u32 = u32::MAX;

/// The state of a part that is read.
pub(crate) struct Builder<'a, 'p> {
    pub(super) sites: Sites<'p>,
    notices: &'a mut Notices,
    pub(super) graph: Graph,
    /// What each lane runs, innermost last.
    pub(super) lanes: HashMap<u32, Vec<usize>>,
    /// Where each thread was told to be.
    pub(super) cpus: HashMap<u32, u32>,
    pub(super) strands: Vec<Strand>,
    pub(super) free: Vec<usize>,
    /// Explicit tasks by their numbers in the trace.
    pub(super) numbers: HashMap<u64, u32>,
    /// The strands of those that have begun and not ended.
    pub(super) of_tasks: HashMap<u32, usize>,
    pub(super) regions: Vec<Open>,
    ids: HashMap<u64, u32>,
    pub(super) groups: Vec<Group>,
    /// Pairs of tasks, the second of which depends on the first.
    pub(super) depends: Vec<[u32; 2]>,
    initial_tasks: usize,
    stray: u64,
}

/// Reads a part.
pub(crate) fn read<'p>(process: &'p Process<'p>, notices: &mut Notices) -> Result<(Graph, Sites<'p>), Error> {
    let mut builder = Builder {
        sites: Sites::for_process(process),
        notices,
        graph: Graph::default(),
        lanes: HashMap::new(),
        cpus: HashMap::new(),
        strands: Vec::new(),
        free: Vec::new(),
        numbers: HashMap::new(),
        of_tasks: HashMap::new(),
        regions: Vec::new(),
        ids: HashMap::new(),
        groups: Vec::new(),
        depends: Vec::new(),
        initial_tasks: 0,
        stray: 0,
    };
    process.part.merged(|at, event| {
        builder.sites.see(&event);
        builder.notices.see(&event);
        builder.event(at, &event);
    })?;
    builder.finish();
    builder.notices.part(process, &builder.sites, builder.stray);
    Ok((builder.graph, builder.sites))
}

impl Follow for Builder<'_, '_> {
    fn implicit_begin(&mut self, at: At, id: u64, threads: u32) {
        if id == 0 {
            let initial = self.initial(at);
            return self.resume(initial, at.thread, at.ticks);
        }
        let index = match self.ids.get(&id) {
            Some(index) => *index,
            // Of a region whose begin is not told.
            None => self.region(at, id, 0, Tip::Start, GrainPath::default(), usize::MAX),
        };
        let of = &mut self.graph.regions[index as usize];
        of.threads = of.threads.max(threads);
        let path = self.regions[index as usize].path;
        let tip = Tip::Phase(index, 0);
        let strand = self.strand(Strand::new(Whose::Implicit(index), tip, (index, 0), path));
        self.lanes.entry(at.lane).or_default().push(strand);
        self.resume(strand, at.thread, at.ticks);
    }

    fn implicit_end(&mut self, at: At, id: u64) {
        let region = self.ids.get(&id).copied();
        let lane = self.lanes.entry(at.lane).or_default();
        let strands = &self.strands;
        let ends = |strand: &usize| match strands[*strand].whose {
            Whose::Initial(_) => id == 0,
            Whose::Implicit(of) => Some(of) == region,
            Whose::Task(_) => false,
        };
        if let Some(depth) = lane.iter().rposition(ends) {
            self.leave(at, depth);
        }
    }

    fn region_begin(&mut self, at: At, id: u64, code: u64) {
        let top = self.top(at);
        self.stop(top, at.ticks, false);
        if !self.strands[top].behind.is_empty() {
            let join = self.join(top, at.ticks);
            self.append(top, join, at.ticks);
        }
        let path = self.path_inside(top, id);
        let of = &mut self.strands[top];
        of.waits.push(IN_REGION);
        of.waiting_since = at.ticks;
        let tip = of.tip;
        self.region(at, id, code, tip, path, top);
    }

    fn region_end(&mut self, at: At, id: u64) {
        let Some(index) = self.ids.get(&id).copied() else {
            return;
        };
        let owner = self.regions[index as usize].owner;
        let lane = self.lanes.entry(at.lane).or_default();
        let Some(depth) = lane.iter().position(|strand| *strand == owner) else {
            return;
        };
        self.leave(at, depth + 1);
        self.close_region(index, at.ticks);
        let of = &mut self.strands[owner];
        of.waits.retain(|wait| *wait != IN_REGION);
        of.waited = 0;
        self.resume(owner, at.thread, at.ticks);
    }

    fn loop_begin(&mut self, at: At, begin: &LoopBegin) {
        let top = self.top(at);
        self.stop(top, at.ticks, false);
        let site = self.sites.get(begin.the_loop);
        let of = &mut self.strands[top];
        let next = of.executions.entry(begin.the_loop).or_default();
        let number = *next;
        *next += 1;
        of.loops.push(Running {
            execution: (begin.the_loop, number),
            path: of.path.execution(site.map_or("", |site| &site.label), number),
            variable: site.and_then(|site| site.variable(begin)),
            shown: self.sites.selected(begin.the_loop),
            grain: None,
        });
        self.resume(top, at.thread, at.ticks);
    }

    fn loop_end(&mut self, at: At, the_loop: u32) {
        let top = self.top(at);
        let is_of_loop = |running: &Running| running.execution.0 == the_loop;
        let Some(from) = self.strands[top].loops.iter().rposition(is_of_loop) else {
            return;
        };
        self.stop(top, at.ticks, false);
        self.strands[top].loops.truncate(from);
        self.resume(top, at.thread, at.ticks);
    }

    fn chunk(&mut self, at: At, chunk: &Chunk) {
        let top = self.top(at);
        let since = at.ticks.saturating_sub(chunk.create_duration);
        let begun = self.strands[top].piece.map_or(since, |piece| piece.begin);
        let since = since.max(begun);
        self.stop(top, since, false);
        let region = match self.strands[top].whose {
            Whose::Implicit(region) => self.graph.regions[region as usize].id,
            _ => 0,
        };
        let Some(running) = self.strands[top].loops.last_mut() else {
            self.stray += 1;
            return self.resume(top, at.thread, at.ticks);
        };
        running.grain = None;
        if running.shown {
            let grain = Grain {
                execution: running.execution,
                thread: at.thread,
                cpu: self.cpus.get(&at.thread).copied(),
                lower: chunk.lower,
                iterations: chunk.iterations,
                variable: running.variable,
                begin: at.ticks,
                ticks: Some(0),
                creation: chunk.create_duration,
                regions: Vec::new(),
                path: running.path,
            };
            let number = self.graph.grains.len() as u32;
            running.grain = Some((number, 0));
            self.graph.grains.push((grain, region));
            self.notices.chunks += 1;
            if chunk.create_duration > 0 {
                let node = self.graph.node(Drawn {
                    what: What::Bookkeeping(number),
                    thread: at.thread,
                    cpu: None,
                    begin: since,
                    end: at.ticks,
                    ticks: Some(chunk.create_duration),
                });
                self.append(top, node, since);
            }
        }
        self.resume(top, at.thread, at.ticks);
    }

    fn recorder(&mut self, at: At, ticks: u64) {
        let top = self.top(at);
        if let Some(piece) = &mut self.strands[top].piece {
            piece.off = piece.off.saturating_add(ticks);
        }
    }

    fn pause(&mut self, at: At) {
        let top = self.top(at);
        self.stop(top, at.ticks, false);
    }

    fn go_on(&mut self, at: At) {
        let top = self.top(at);
        self.resume(top, at.thread, at.ticks);
    }

    fn on_cpu(&mut self, at: At, cpu: u32) {
        self.cpus.insert(at.thread, cpu);
    }

    fn leave(&mut self, at: At, depth: usize) {
        let lane = self.lanes.entry(at.lane).or_default();
        let from = depth.min(lane.len());
        let left: Vec<usize> = lane.drain(from..).rev().collect();
        for strand in left {
            self.stop(strand, at.ticks, false);
            match self.strands[strand].whose {
                Whose::Initial(_) => {
                    if let Tip::Node(last) = self.strands[strand].tip {
                        self.graph.ends.push(last);
                    }
                    self.free.push(strand);
                }
                Whose::Implicit(_) => {
                    self.reaches(strand);
                    self.free.push(strand);
                }
                Whose::Task(_) => {}
            }
        }
    }
}

impl FollowWaits for Builder<'_, '_> {
    fn wait(&mut self, at: At, kind: u32) {
        let top = self.top(at);
        self.stop(top, at.ticks, false);
        let of = &mut self.strands[top];
        of.waits.push(kind);
        (of.waiting_since, of.waited) = (at.ticks, 0);
    }

    fn sync_begin(&mut self, at: At, kind: u32) {
        let top = self.top(at);
        if kind == TASKGROUP {
            self.groups.push(Group::default());
            let group = (self.groups.len() - 1) as u32;
            self.strands[top].groups.push(group);
        } else if kind == TASKWAIT {
            self.wait(at, kind);
        } else if is_barrier(kind) && self.strands[top].loops.is_empty() {
            self.wait(at, kind);
            self.reaches(top);
        }
    }

    fn sync_end(&mut self, at: At, kind: u32) {
        let top = self.top(at);
        self.stop(top, at.ticks, false);
        let of = &mut self.strands[top];
        if of.waits.last() == Some(&kind) {
            of.waits.pop();
            match kind {
                TASKWAIT => {
                    let children = std::mem::take(&mut of.children);
                    let meeting = of.meeting.take();
                    self.meet(top, children, meeting, at.ticks);
                }
                TASKGROUP => {
                    let group = of.groups.pop();
                    let group = group.map(|group| std::mem::take(&mut self.groups[group as usize]));
                    let Group { members, meeting } = group.unwrap_or_default();
                    self.meet(top, members, meeting, at.ticks);
                }
                _ => self.pass_barrier(top),
            }
        }
        self.resume(top, at.thread, at.ticks);
    }
}

impl Builder<'_, '_> {
    /// What the lane runs; a thread whose beginning was lost is in an initial task.
    pub(super) fn top(&mut self, at: At) -> usize {
        if let Some(top) = self.lanes.get(&at.lane).and_then(|lane| lane.last()) {
            return *top;
        }
        self.initial(at)
    }

    fn initial(&mut self, at: At) -> usize {
        let number = self.initial_tasks;
        self.initial_tasks += 1;
        let strand = Strand::new(Whose::Initial(number), Tip::Start, NOWHERE, GrainPath::root(number));
        let strand = self.strand(strand);
        self.lanes.entry(at.lane).or_default().push(strand);
        strand
    }

    fn region(&mut self, at: At, id: u64, code: u64, entry: Tip, path: GrainPath, owner: usize) -> u32 {
        let index = self.graph.regions.len() as u32;
        self.graph.regions.push(super::graph::Region { id, begin: at.ticks, threads: 0, code, path });
        self.regions.push(Open::new(index, owner, entry, path));
        self.ids.insert(id, index);
        index
    }

    /// Where a region is that the strand begins.
    fn path_inside(&mut self, strand: usize, id: u64) -> GrainPath {
        let of = &mut self.strands[strand];
        if let Some((grain, _)) = of.loops.last().and_then(|running| running.grain) {
            let (grain, _) = &mut self.graph.grains[grain as usize];
            grain.regions.push(id);
            let chunk = grain.path.chunk(grain.lower, grain.iterations);
            return chunk.region(grain.regions.len() as u32);
        }
        let nested = match of.whose {
            Whose::Implicit(region) => &mut self.regions[region as usize].nested,
            _ => &mut of.nested,
        };
        *nested += 1;
        of.path.region(*nested)
    }

    /// Who began the region goes on behind it.
    pub(super) fn close_region(&mut self, index: u32, now: u64) {
        let entry = self.regions[index as usize].entry;
        let before = self.resolve(entry, now);
        let (first, last) = self.regions[index as usize].close(before, &mut self.graph, now);
        if before.is_none() {
            self.graph.begins.push(first);
        }
        let owner = self.regions[index as usize].owner;
        match self.strands.get_mut(owner) {
            Some(owner) => owner.tip = Tip::Node(last),
            None => self.graph.ends.push(last),
        }
    }

    fn pass_barrier(&mut self, strand: usize) {
        let of = &mut self.strands[strand];
        if let Some(meeting) = of.meeting.take() {
            self.graph.meetings[meeting as usize].waited = of.waited;
        }
        if let Whose::Implicit(region) = of.whose {
            of.phase.1 += 1;
            of.tip = Tip::Phase(region, of.phase.1);
            of.has_tasks = false;
            of.children.clear();
        }
    }
}
