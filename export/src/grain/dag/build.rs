//! From events, in the order of time, to a part's graph: what each lane runs, one inside the other.

use std::collections::HashMap;

use ompchunk_trace_format::{At, Chunk, Error, LoopBegin};

use super::graph::{Drawn, Graph, NOWHERE, What};
use super::strand::{Group, Open, Piece, Running, Strand, Tip, Whose};
use crate::grain::follow::{Follow, Strands};
use crate::grain::region::{Begun, GrainPath};
use crate::notice::Notices;
use crate::process::Process;
use crate::site::Sites;

#[derive(Default)]
pub(crate) struct Builder<'p> {
    pub(super) sites: Sites<'p>,
    notices: Notices,
    pub(super) graph: Graph,
    pub(super) strands: Strands<Strand>,
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

pub(crate) fn read<'p>(process: &'p Process<'p>, notices: &mut Notices) -> Result<(Graph, Sites<'p>), Error> {
    let mut builder = Builder { sites: Sites::for_process(process), ..Builder::default() };
    process.part.merged(|at, event| {
        builder.sites.follow(event);
        builder.notices.follow(event);
        builder.event(at, event);
    })?;
    builder.finish();
    builder.notices.part(process, &builder.sites, builder.stray);
    notices.add(builder.notices);
    Ok((builder.graph, builder.sites))
}

impl Follow for Builder<'_> {
    type Strand = Strand;

    fn strands(&mut self) -> &mut Strands<Strand> {
        &mut self.strands
    }

    fn initial_strand(&mut self) -> usize {
        let number = self.initial_tasks;
        self.initial_tasks += 1;
        self.strands.add(Strand { phase: NOWHERE, path: GrainPath::root(number), ..Strand::default() })
    }

    fn resume(&mut self, strand: usize, at: At) {
        let of = &mut self.strands.all[strand];
        if of.waits.go_on(at.ticks) || of.piece.is_some() {
            return;
        }
        let in_chunk = of.loops.last().and_then(|running| running.grain);
        let what = match (in_chunk, of.whose) {
            (Some((grain, fragment)), _) => What::Chunk { grain, fragment },
            (None, Whose::Task(task)) => What::Task { task, fragment: self.graph.tasks[task as usize].fragments },
            (None, Whose::Implicit(region)) => What::Implicit(region),
            (None, Whose::Initial) => What::Implicit(NOWHERE.0),
        };
        of.piece = Some(Piece { what, at });
        of.waits.off = 0;
    }

    fn stop(&mut self, strand: usize, now: u64) {
        self.halt(strand, now, false);
    }

    fn left(&mut self, strand: usize) {
        match self.strands.all[strand].whose {
            Whose::Initial => {
                if let Tip::Node(last) = self.strands.all[strand].tip {
                    self.graph.ends.push(last);
                }
            }
            Whose::Implicit(_) => self.reach_barrier(strand),
            Whose::Task(_) => return,
        }
        self.strands.free.push(strand);
    }

    fn implicit_begin(&mut self, at: At, id: u64, threads: u32) {
        let index = match self.ids.get(&id) {
            Some(index) => *index,
            // A region whose begin is not told.
            None => self.region(at, id, 0, Tip::Start, GrainPath::default(), usize::MAX),
        };
        let of = &mut self.graph.regions[index as usize];
        of.threads = of.threads.max(threads);
        let (whose, tip, path) = (Whose::Implicit(index), Tip::Phase(index, 0), of.path);
        let strand = self.strands.add(Strand { whose, tip, phase: (index, 0), path, ..Strand::default() });
        self.strands.lane(at).push(strand);
        self.resume(strand, at);
    }

    fn implicit_end(&mut self, at: At, id: u64) {
        let region = self.ids.get(&id).copied();
        let ends = |strand: &Strand| match strand.whose {
            Whose::Initial => id == 0,
            Whose::Implicit(of) => Some(of) == region,
            Whose::Task(_) => false,
        };
        if let Some(depth) = self.strands.depth(at, ends) {
            self.leave(at, depth);
        }
    }

    fn region_begin(&mut self, at: At, id: u64, code: u64) {
        let top = self.stop_top(at);
        if !self.strands.all[top].behind.is_empty() {
            let join = self.join(top, at.ticks);
            self.append(top, join, at.ticks);
        }
        let path = self.path_inside(top, id);
        let of = &mut self.strands.all[top];
        of.waits.begin_region(at.ticks);
        let tip = of.tip;
        self.region(at, id, code, tip, path, top);
    }

    fn region_end(&mut self, at: At, id: u64) {
        let Some(index) = self.ids.get(&id).copied() else { return };
        let owner = self.regions[index as usize].owner;
        let Some(depth) = self.strands.lane(at).iter().position(|strand| *strand == owner) else { return };
        self.leave(at, depth + 1);
        self.close_region(index, at.ticks);
        self.strands.all[owner].waits.end_region();
        self.resume(owner, at);
    }

    fn loop_begin(&mut self, at: At, begin: &LoopBegin) {
        let top = self.stop_top(at);
        let of = &mut self.strands.all[top];
        let next = of.executions.entry(begin.the_loop).or_default();
        let begun = Begun::new(begin, *next, of.path, &self.sites);
        *next += 1;
        of.loops.push(Running { begun, grain: None });
        self.resume(top, at);
    }

    fn loop_end(&mut self, at: At, the_loop: u32) {
        let top = self.top(at);
        let is_of_loop = |running: &Running| running.begun.execution.0 == the_loop;
        let Some(from) = self.strands.all[top].loops.iter().rposition(is_of_loop) else { return };
        self.stop(top, at.ticks);
        self.strands.all[top].loops.truncate(from);
        self.resume(top, at);
    }

    fn chunk(&mut self, at: At, chunk: &Chunk) {
        let top = self.top(at);
        let since = at.ticks.saturating_sub(chunk.create_duration);
        let begun = self.strands.all[top].piece.map_or(since, |piece| piece.at.ticks);
        let since = since.max(begun);
        self.stop(top, since);
        let region = match self.strands.all[top].whose {
            Whose::Implicit(region) => self.graph.regions[region as usize].id,
            _ => 0,
        };
        let Some(running) = self.strands.all[top].loops.last_mut() else {
            self.stray += 1;
            return self.resume(top, at);
        };
        running.grain = None;
        if running.begun.shown {
            let grain = running.begun.grain(at, chunk, Some(0));
            let number = self.graph.grains.len() as u32;
            running.grain = Some((number, 0));
            self.graph.grains.push((grain, region));
            self.notices.chunks += 1;
            if chunk.create_duration > 0 {
                let (what, ticks) = (What::Bookkeeping(number), Some(chunk.create_duration));
                let node = self.graph.node(Drawn { what, at: At { ticks: since, ..at }, end: at.ticks, ticks });
                self.append(top, node, since);
            }
        }
        self.resume(top, at);
    }

    fn open_taskgroup(&mut self, strand: usize) {
        self.groups.push(Group::default());
        let group = (self.groups.len() - 1) as u32;
        self.strands.all[strand].groups.push(group);
    }

    fn meet_taskgroup(&mut self, strand: usize, now: u64) {
        let group = self.strands.all[strand].groups.pop();
        let group = group.map(|group| std::mem::take(&mut self.groups[group as usize]));
        let Group { members, meeting } = group.unwrap_or_default();
        self.meet(strand, members, meeting, now);
    }

    fn meet_children(&mut self, strand: usize, now: u64) {
        let of = &mut self.strands.all[strand];
        let (children, meeting) = (std::mem::take(&mut of.children), of.meeting.take());
        self.meet(strand, children, meeting, now);
    }

    fn reach_barrier(&mut self, strand: usize) {
        let of = &self.strands.all[strand];
        let (Whose::Implicit(region), Tip::Node(last)) = (of.whose, of.tip) else { return };
        let phase = of.phase.1;
        self.regions[region as usize].reaches(phase, last, &mut self.graph);
        for earlier in std::mem::take(&mut self.strands.all[strand].behind) {
            self.regions[region as usize].reaches(phase, earlier, &mut self.graph);
        }
    }

    fn pass_barrier(&mut self, strand: usize) {
        let of = &mut self.strands.all[strand];
        if let Some(meeting) = of.meeting.take() {
            self.graph.meetings[meeting as usize].waited = of.waits.waited;
        }
        if let Whose::Implicit(region) = of.whose {
            of.phase.1 += 1;
            of.tip = Tip::Phase(region, of.phase.1);
            of.has_tasks = false;
            of.children.clear();
        }
    }
}

impl Builder<'_> {
    fn region(&mut self, at: At, id: u64, code: u64, entry: Tip, path: GrainPath, owner: usize) -> u32 {
        let index = self.graph.regions.len() as u32;
        self.graph.regions.push(super::graph::Region { id, begin: at.ticks, threads: 0, code, path });
        self.regions.push(Open { index, owner, entry, ..Open::default() });
        self.ids.insert(id, index);
        index
    }

    fn path_inside(&mut self, strand: usize, id: u64) -> GrainPath {
        let of = &mut self.strands.all[strand];
        if let Some((grain, _)) = of.loops.last().and_then(|running| running.grain) {
            let (grain, _) = &mut self.graph.grains[grain as usize];
            grain.regions.push(id);
            return grain.path.chunk(grain.lower, grain.iterations).region(grain.regions.len() as u32);
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
        match self.strands.all.get_mut(owner) {
            Some(owner) => owner.tip = Tip::Node(last),
            None => self.graph.ends.push(last),
        }
    }
}
