//! One lane's events: what its thread took for which iterations, handed over when its part of an execution ends.

use std::collections::HashMap;

use ompchunk_trace_format::{At, Chunk, Event, LoopBegin, SubBlock, Unwanted};

use crate::off_core::Off;
use crate::profile::model::{Facts, Piece};
use crate::profile::pieces::Pieces;
use crate::scan::Visit;
use crate::share::{Occurrence, Tells};
use crate::task::Tasks;

/// A thread's part of an execution of a loop that is wanted, in ticks.
#[derive(Debug, Clone, Default)]
pub(crate) struct ProfiledShare {
    pub(crate) slot: usize,
    pub(crate) region: u64,
    pub(crate) team_size: u32,
    pub(crate) occurrence: Occurrence,
    pub(crate) number: u32,
    pub(crate) thread: u32,
    pub(crate) index: u32,
    pub(crate) begin: u64,
    pub(crate) end: u64,
    pub(crate) taken: u64,
    pub(crate) trips: u64,
    pub(crate) work: u32,
    pub(crate) pieces: Pieces,
    pub(crate) chunks: u64,
    pub(crate) largest: u64,
    /// Chunks whose bookkeeping was timed, and the ticks of all of it.
    pub(crate) timed: (u64, u64),
    pub(crate) divided: bool,
    pub(crate) broken: bool,
    /// Its chunks are not told, as they cost more to tell than to run.
    pub(crate) costly: bool,
    pub(crate) nested: bool,
    /// The thread's team is within another one; of threads that have no other region it is not known.
    pub(crate) in_nested_team: bool,
}

struct Open {
    /// `None`: not wanted.
    part: Option<ProfiledShare>,
    /// All of its chunks are told, ...
    told: bool,
    /// ... or will be once one is.
    once_told: bool,
    piece: Option<Begun>,
    /// The iteration that the chunk's next sub-block begins with, and the one after the chunk.
    rest: Option<(u64, u64)>,
    off: Off,
}

pub(crate) struct LaneProfile<'a> {
    wanted: &'a HashMap<u32, usize>,
    told: HashMap<u32, Tells>,
    open: Vec<Open>,
    tasks: Tasks,
    pub(crate) parts: Vec<ProfiledShare>,
    pub(crate) facts: Vec<(usize, Facts)>,
    pub(crate) without_chunks: Vec<usize>,
}

impl<'a> LaneProfile<'a> {
    pub(crate) fn new(wanted: &'a HashMap<u32, usize>) -> LaneProfile<'a> {
        LaneProfile {
            wanted,
            told: HashMap::new(),
            open: Vec::new(),
            tasks: Tasks::default(),
            parts: Vec::new(),
            facts: Vec::new(),
            without_chunks: Vec::new(),
        }
    }

    /// The trace ends here: what is open is not complete.
    pub(crate) fn finish(&mut self) {
        while let Some(open) = self.open.pop() {
            let part = open.part.filter(|_| open.told);
            self.parts.extend(part.map(|part| ProfiledShare { broken: true, ..part }));
        }
    }

    fn chunk(&mut self, ticks: u64, chunk: &Chunk) {
        let Some(open) = self.open.last_mut() else { return };
        // Where it was timed, what led to this chunk is no part of the one before.
        let since = open.piece.map_or(0, |begun| ticks - begun.ticks.min(ticks));
        open.close(ticks - chunk.create_duration.min(since));
        if let Some(part) = &mut open.part {
            if chunk.create_duration > 0 {
                part.timed.0 += 1;
                part.timed.1 = part.timed.1.saturating_add(chunk.create_duration);
            }
            part.chunks += 1;
            part.largest = part.largest.max(chunk.iterations);
        }
        open.told |= open.once_told;
        open.rest = Some((chunk.lower, chunk.lower.saturating_add(chunk.iterations)));
        open.piece = Some(Begun { ticks, first: chunk.lower, iterations: chunk.iterations });
    }

    fn sub_block(&mut self, ticks: u64, sub_block: &SubBlock) {
        let Some(open) = self.open.last_mut() else { return };
        let fits = open.rest.is_some_and(|(next, end)| {
            sub_block.lower == next && sub_block.iterations <= end - next && sub_block.iterations > 0
        });
        let first = fits && sub_block.first;
        if first {
            // From the chunk's begin to that of its first sub-block nothing of it ran.
            open.piece = None;
        } else {
            open.close(ticks);
        }
        if let Some(part) = &mut open.part {
            part.divided = true;
            part.broken |= !fits;
        }
        if let Some((next, _)) = open.rest.as_mut().filter(|_| fits) {
            *next += sub_block.iterations;
        }
        open.piece = Some(Begun { ticks, first: sub_block.lower, iterations: sub_block.iterations });
    }

    fn begins(&mut self, at: At, begin: &LoopBegin) {
        let in_nested_team = self.tasks.all.iter().filter(|task| task.team_size > 1).count() > 1;
        let task = self.tasks.all.last_mut();
        let alone = (0, 1, Occurrence::default(), 0);
        let (region, team_size, occurrence, index) = task.map_or(alone, |task| {
            (task.region, begin.threads_of(task.team_size), task.begin_loop(begin.the_loop), task.index)
        });
        let slot = self.wanted.get(&begin.the_loop).copied();
        let tells = self.told.get(&begin.the_loop).copied().unwrap_or_default();
        let told = tells.all(begin.work) || tells.none(begin.count, team_size);
        let part = slot.map(|slot| ProfiledShare {
            slot,
            region,
            team_size,
            occurrence,
            number: begin.the_loop,
            thread: at.thread,
            index,
            begin: at.ticks,
            trips: begin.count,
            work: begin.work,
            nested: !self.open.is_empty(),
            in_nested_team,
            ..ProfiledShare::default()
        });
        self.open.push(Open { part, told, once_told: tells.once_told(), piece: None, rest: None, off: Off::default() });
    }

    fn ends(&mut self, ticks: u64) {
        let Some(mut open) = self.open.pop() else { return };
        open.close(ticks);
        if let Some(mut part) = open.part {
            part.end = ticks;
            if open.told { self.parts.push(part) } else { self.without_chunks.push(part.slot) }
        }
    }
}

/// A chunk or sub-block that runs.
#[derive(Clone, Copy)]
struct Begun {
    ticks: u64,
    first: u64,
    iterations: u64,
}

impl Open {
    fn close(&mut self, ticks: u64) {
        let off = std::mem::take(&mut self.off);
        let piece = self.piece.take();
        let Some(part) = &mut self.part else { return };
        let Some(Begun { ticks: begin, first, iterations }) = piece else {
            part.taken += off.within(ticks.saturating_sub(part.begin)).not_work();
            return;
        };
        let lasted = ticks.saturating_sub(begin);
        let taken = off.within(lasted).not_work();
        part.taken += taken;
        if iterations == 0 {
            return;
        }
        let piece = Piece { first, iterations, ns: (lasted - taken) as f64, thread: 0, readings: 1 };
        part.pieces.add(part.trips, piece);
    }
}

impl Off {
    fn not_work(&self) -> u64 {
        self.outside().saturating_add(self.taken())
    }
}

impl Visit for LaneProfile<'_> {
    fn visit(&mut self, at: At, event: &Event<'_>) {
        match event {
            Event::Chunk(chunk) => return self.chunk(at.ticks, chunk),
            Event::SubBlock(sub_block) => return self.sub_block(at.ticks, sub_block),
            _ => _ = self.tasks.follow(at, event, None),
        }
        match event {
            Event::Loop(the_loop) => {
                self.told.insert(the_loop.the_loop, Tells::by_definition(the_loop));
                if let Some(slot) = self.wanted.get(&the_loop.the_loop) {
                    self.facts.push((*slot, Facts::from_definition(the_loop)));
                }
            }
            Event::LoopBegin(begin) => self.begins(at, begin),
            Event::LoopEnd { .. } => self.ends(at.ticks),
            Event::Recorder(_) | Event::OffCore(_) => {
                for open in &mut self.open {
                    let begin = open.piece.map(|begun| begun.ticks).or(open.part.as_ref().map(|part| part.begin));
                    open.off.add_event(event, at.ticks, begin.unwrap_or(at.ticks));
                }
            }
            Event::Omitted { why: Unwanted::Costly, .. } => {
                if let Some(part) = self.open.last_mut().and_then(|open| open.part.as_mut()) {
                    part.costly = true;
                }
            }
            Event::Pause(_) => {
                for part in self.open.iter_mut().filter_map(|open| open.part.as_mut()) {
                    part.broken = true;
                }
            }
            _ => {}
        }
    }
}
