//! From events, in the order of time, to a part's groups: what each lane runs, one inside the other.

use std::collections::HashMap;

use ompchunk_trace_format::{At, Chunk, Ending, Error as TraceError, Event, LoopBegin, Part};

use super::groups::{Groups, INITIAL};
use super::strand::{Kept, OnPath, Owners, Path, Piece, Running, Strand, Taskgroup};
use crate::error::Error;
use crate::grain::follow::{Follow, Runs, Strands};
use crate::notice::Notices;
use crate::process::Process;
use crate::site::Sites;

pub(super) struct Open {
    pub(super) group: u32,
    /// The strand that began it; `None`: its begin is not told.
    owner: Option<usize>,
    /// The longest path to its begin, or to the end of what came before a barrier.
    paths: Vec<Path>,
}

impl Open {
    /// The longest path to what is behind so many barriers.
    pub(super) fn path(&self, barriers: usize) -> Path {
        Path::longest(self.paths.iter().take(barriers.saturating_add(1)))
    }

    pub(super) fn reach(&mut self, barriers: usize, path: Path) {
        let place = barriers + 1;
        if self.paths.len() <= place {
            self.paths.resize(place + 1, Path::default());
        }
        self.paths[place] = self.paths[place].max(path);
    }
}

#[derive(Default)]
pub(super) struct Reader<'p> {
    pub(super) sites: Sites<'p>,
    notices: Notices,
    pub(super) groups: Groups,
    pub(super) strands: Strands<Strand>,
    serials: u64,
    /// Explicit tasks that have not ended, by their numbers in the trace.
    pub(super) tasks: HashMap<u64, usize>,
    pub(super) regions: HashMap<usize, Open>,
    ids: HashMap<u64, usize>,
    pub(super) taskgroups: Vec<Taskgroup>,
    pub(super) free_taskgroups: Vec<usize>,
    /// The longest path to the end of each task with dependences, in their order.
    pub(super) ends: Vec<Kept>,
    /// Ticks of all groups.
    pub(super) work: u64,
    pub(super) span: Path,
    pub(super) owners: Owners,
    stray: u64,
}

pub(super) fn read<'p>(process: &'p Process<'p>, notices: &mut Notices) -> Result<Reader<'p>, TraceError> {
    let mut reader = Reader { sites: Sites::for_process(process), ..Reader::default() };
    process.part.merged(|at, event| {
        reader.sites.follow(event);
        reader.notices.follow(event);
        reader.event(at, event);
    })?;
    reader.notices.part(process, &reader.sites, reader.stray);
    notices.add(std::mem::take(&mut reader.notices));
    Ok(reader)
}

/// The longest chain of work (in tasks, in chunks, in creating tasks) of which no two parts can run at the same time.
#[derive(Debug, Clone, PartialEq)]
pub struct CriticalPath {
    pub seconds: f64,
    pub work_seconds: f64,
    /// Whose work is on it, in seconds. They add up to the path.
    pub parts: Vec<(OnPath, f64)>,
}

/// Reads a part once, in the order of time. `None`: it does not have all tasks.
pub fn critical_path(part: &Part) -> Result<Option<CriticalPath>, Error> {
    let mode = &part.meta().mode;
    let has_all = mode.tasks && !mode.aggregate && mode.sample <= 1;
    if !has_all || part.ending() != Ending::Clean || part.head().lost_events > 0 {
        return Ok(None);
    }
    let mut reader = Reader::default();
    let mut is_whole = true;
    part.merged_while(|at, event| {
        is_whole = !matches!(event, Event::Pause(_) | Event::Lost(_));
        reader.sites.follow(event);
        reader.event(at, event);
        is_whole
    })?;
    let seconds = |ticks: u64| part.clock().duration(ticks) / 1e9;
    Ok(is_whole.then(|| CriticalPath {
        seconds: seconds(reader.span.length),
        work_seconds: seconds(reader.work),
        parts: reader.owners.parts(&reader.span).into_iter().map(|(whose, ticks)| (whose, seconds(ticks))).collect(),
    }))
}

impl Follow for Reader<'_> {
    type Strand = Strand;

    fn strands(&mut self) -> &mut Strands<Strand> {
        &mut self.strands
    }

    fn initial_strand(&mut self) -> usize {
        self.strand(Strand::default())
    }

    fn resume(&mut self, strand: usize, at: At) {
        let of = &mut self.strands.all[strand];
        if !of.waits.go_on(at.ticks) && of.piece.is_none() {
            let group = of.place();
            of.piece = Some(Piece { begin: at.ticks, group, is_chunk: group != of.group });
            of.waits.off = 0;
        }
    }

    fn stop(&mut self, strand: usize, now: u64) {
        let of = &mut self.strands.all[strand];
        of.waits.settle(now);
        let Some(piece) = of.piece.take() else { return };
        let ticks = now.saturating_sub(piece.begin).saturating_sub(of.waits.off);
        if of.is_explicit() || of.has_tasks || piece.is_chunk {
            match of.loops.last_mut().filter(|_| piece.is_chunk) {
                Some(Running { chunk, .. }) => *chunk = chunk.map(|before| before + ticks),
                None => of.ticks += ticks,
            }
            self.groups.group(piece.group).ticks += ticks;
            self.work += ticks;
            self.advance(strand, ticks);
        }
    }

    fn left(&mut self, strand: usize) {
        if !self.strands.all[strand].is_explicit() {
            self.reach_barrier(strand);
            let meeting = std::mem::take(&mut self.strands.all[strand].meeting);
            self.meet(strand, &meeting, false);
            self.strands.free.push(strand);
        }
    }

    fn implicit_begin(&mut self, at: At, id: u64, threads: u32) {
        let region = match self.ids.get(&id) {
            Some(region) => *region,
            None => {
                let group = self.groups.region(INITIAL, 0);
                self.region(id, group, None, Path::default())
            }
        };
        let open = &self.regions[&region];
        let (group, path) = (open.group, open.path(0));
        let of = self.groups.group(group);
        of.threads = of.threads.max(threads);
        let strand = self.strand(Strand { group, region: Some(region), path, ..Strand::default() });
        self.strands.lane(at).push(strand);
        self.resume(strand, at);
    }

    fn implicit_end(&mut self, at: At, id: u64) {
        let region = self.ids.get(&id).copied();
        let regions = &self.regions;
        // The region itself may be over.
        let is_of = |of: &Strand| match (id, region) {
            (0, _) => of.region.is_none(),
            (_, Some(region)) => of.region == Some(region),
            (_, None) => of.region.is_some_and(|region| !regions.contains_key(&region)),
        };
        if let Some(depth) = self.strands.depth(at, |strand| !strand.is_explicit() && is_of(strand)) {
            self.leave(at, depth);
        }
    }

    fn region_begin(&mut self, at: At, id: u64, code: u64) {
        let top = self.stop_top(at);
        let of = &mut self.strands.all[top];
        of.waits.begin_region(at.ticks);
        let group = self.groups.region(of.place(), code);
        let path = of.path;
        self.region(id, group, Some(top), path);
    }

    fn region_end(&mut self, at: At, id: u64) {
        let Some(region) = self.ids.remove(&id) else { return };
        let owner = self.regions[&region].owner;
        let depth = self.strands.lane(at).iter().position(|strand| Some(*strand) == owner);
        let (Some(owner), Some(depth)) = (owner, depth) else { return };
        self.leave(at, depth + 1);
        let path = self.regions.remove(&region).map_or(Path::default(), |open| open.path(usize::MAX));
        let of = &mut self.strands.all[owner];
        of.path = of.path.max(path);
        of.waits.end_region();
        self.resume(owner, at);
    }

    fn loop_begin(&mut self, at: At, begin: &LoopBegin) {
        let the_loop = begin.the_loop;
        let top = self.stop_top(at);
        let shown = self.sites.selected(the_loop);
        let of = &mut self.strands.all[top];
        let group = if shown { self.groups.the_loop(of.group, the_loop) } else { of.group };
        of.loops.push(Running { the_loop, group, shown, chunk: None });
        self.resume(top, at);
    }

    fn loop_end(&mut self, at: At, the_loop: u32) {
        let top = self.top(at);
        let is_of_loop = |running: &Running| running.the_loop == the_loop;
        let Some(from) = self.strands.all[top].loops.iter().rposition(is_of_loop) else { return };
        self.stop(top, at.ticks);
        self.end_chunk(top);
        self.strands.all[top].loops.truncate(from);
        self.resume(top, at);
    }

    fn chunk(&mut self, at: At, chunk: &Chunk) {
        let top = self.top(at);
        let since = at.ticks.saturating_sub(chunk.create_duration);
        let begun = self.strands.all[top].piece.map_or(since, |piece| piece.begin);
        self.stop(top, since.max(begun));
        self.end_chunk(top);
        match self.strands.all[top].loops.last_mut() {
            Some(running) if running.shown => {
                running.chunk = Some(0);
                let group = self.groups.group(running.group);
                group.begin_chunk(at);
                self.notices.chunks += 1;
                if chunk.create_duration > 0 {
                    group.create(chunk.create_duration);
                    self.work += chunk.create_duration;
                    self.advance(top, chunk.create_duration);
                }
            }
            Some(_) => {}
            None => self.stray += 1,
        }
        self.resume(top, at);
    }

    fn open_taskgroup(&mut self, strand: usize) {
        let taskgroup = self.free_taskgroups.pop().unwrap_or_else(|| {
            self.taskgroups.push(Taskgroup::default());
            self.taskgroups.len() - 1
        });
        self.strands.all[strand].taskgroups.push(taskgroup);
    }

    fn meet_taskgroup(&mut self, strand: usize, _now: u64) {
        let of = &mut self.strands.all[strand];
        if let Some(taskgroup) = of.taskgroups.pop() {
            let ended = std::mem::take(&mut self.taskgroups[taskgroup]);
            self.free_taskgroups.push(taskgroup);
            of.path = of.path.max(ended.path);
            self.meet(strand, &ended.tasks, true);
        }
    }

    fn meet_children(&mut self, strand: usize, _now: u64) {
        let of = &mut self.strands.all[strand];
        of.path = of.path.max(of.children);
        let meeting = std::mem::take(&mut of.meeting);
        self.meet(strand, &meeting, true);
    }

    fn reach_barrier(&mut self, strand: usize) {
        let of = &self.strands.all[strand];
        let open = of.region.and_then(|region| self.regions.get_mut(&region));
        if let Some(open) = open {
            open.reach(of.phase, of.path);
        }
    }

    fn pass_barrier(&mut self, strand: usize) {
        let meeting = std::mem::take(&mut self.strands.all[strand].meeting);
        self.meet(strand, &meeting, false);
        let of = &mut self.strands.all[strand];
        let open = of.region.and_then(|region| self.regions.get(&region));
        if let Some(open) = open.filter(|_| !of.is_explicit()) {
            of.phase += 1;
            of.path = of.path.max(open.path(of.phase));
            (of.has_tasks, of.children) = (false, Path::default());
        }
    }
}

impl Reader<'_> {
    pub(super) fn strand(&mut self, mut strand: Strand) -> usize {
        self.serials += 1;
        strand.serial = self.serials;
        self.strands.add(strand)
    }

    fn advance(&mut self, strand: usize, ticks: u64) {
        let of = &mut self.strands.all[strand];
        for earlier in of.before.drain(..) {
            let end = self.ends.get(earlier as usize).map(Kept::path);
            of.path = of.path.max(end.unwrap_or_default());
        }
        of.path.add(of.owner, ticks);
        self.span = self.span.max(of.path);
    }

    fn region(&mut self, id: u64, group: u32, owner: Option<usize>, path: Path) -> usize {
        self.serials += 1;
        let region = self.serials as usize;
        self.groups.group(group).count += 1;
        self.regions.insert(region, Open { group, owner, paths: vec![path] });
        self.ids.insert(id, region);
        region
    }

    fn end_chunk(&mut self, strand: usize) {
        if let Some(running) = self.strands.all[strand].loops.last_mut()
            && let Some(ticks) = running.chunk.take()
        {
            self.groups.group(running.group).end_chunk(ticks);
        }
    }
}
