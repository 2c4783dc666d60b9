//! One lane's events: what its thread took for which iterations.

use std::collections::{BTreeMap, BTreeSet};

use ompchunk_trace_format::{At, Chunk, Event, LoopBegin, SubBlock};

use crate::curve::bins::{Bins, PartBins};
use crate::off_core::Off;
use crate::part::{LoopSums, Sought};
use crate::scan::Visit;

const MOST: usize = 4096;
const BORDERS: usize = 64;

/// What a lane found of a loop, in ticks, or all lanes in seconds.
#[derive(Debug, Clone, Default)]
pub(crate) struct Found {
    pub(crate) divided: Bins,
    pub(crate) chunks: Bins,
    pub(crate) borders: BTreeSet<u64>,
    /// Ticks or seconds per iteration by part and thread: of parts of executions that were divided, and of those that were not.
    pub(crate) densities: BTreeMap<(usize, u32), [Vec<f32>; 2]>,
    pub(crate) user: User,
}

#[derive(Debug, Default)]
struct Open {
    /// `None`: not wanted.
    slot: Option<usize>,
    thread: u32,
    chunk: Option<(u64, Chunk)>,
    piece: Option<(u64, SubBlock)>,
    /// Time off a core in the piece, or the chunk if there is none, and in the chunk's pieces before.
    off: Off,
    divided: PartBins,
    chunks: PartBins,
    /// Work in chunks, and iterations of these.
    work: u64,
    iterations: u64,
    /// Work of the chunk's pieces, those that are not used too, if it has some.
    in_pieces: Option<u64>,
    count: u64,
    lowest: u64,
    /// No execution has more iterations.
    is_longest: bool,
    paused: bool,
}

pub(crate) struct LaneCurve<'a> {
    part: usize,
    sought: &'a Sought<Wanted<'a>>,
    pub(crate) found: Vec<Found>,
    open: Vec<Open>,
    spare: Vec<(PartBins, PartBins)>,
}

impl<'a> LaneCurve<'a> {
    pub(crate) fn new(part: usize, sought: &'a Sought<Wanted<'a>>) -> LaneCurve<'a> {
        LaneCurve {
            part,
            sought,
            found: vec![Found::default(); sought.loops.len()],
            open: Vec::new(),
            spare: Vec::new(),
        }
    }

    fn begins(&mut self, thread: u32, begin: &LoopBegin) {
        let slot = self.sought.slot(begin.the_loop);
        if let Some(slot) = slot {
            let wanted = &self.sought.loops[slot].0;
            let values = wanted.sums.variable.values(begin.start, begin.step);
            let last = wanted.iterations - 1;
            let user = values.map_or(User::Differ, |value| User::Are([value.at(0), value.at(last)]));
            self.found[slot].user.merge(user);
        }
        let (divided, chunks) = self.spare.pop().unwrap_or_default();
        self.open.push(Open {
            slot,
            thread,
            divided,
            chunks,
            is_longest: slot.is_some_and(|slot| begin.count == self.sought.loops[slot].0.iterations),
            ..Open::default()
        });
    }

    fn ends(&mut self, ticks: u64) {
        let Some(mut open) = self.open.pop() else { return };
        let Some(slot) = open.slot else {
            self.spare.push((open.divided, open.chunks));
            return;
        };
        open.chunk_ends(self.sought.loops[slot].0.iterations, ticks);
        let found = &mut self.found[slot];
        let was_divided = open.divided.pieces > 0;
        found.divided.take(&mut open.divided);
        if was_divided {
            // These tell nothing more of the others' chunks.
            Bins::default().take(&mut open.chunks);
        }
        found.chunks.take(&mut open.chunks);
        if open.is_longest && open.count == 1 && found.borders.len() < BORDERS {
            found.borders.insert(open.lowest);
        }
        if open.iterations > 0 && !open.paused {
            let both = found.densities.entry((self.part, open.thread)).or_default();
            let to = &mut both[usize::from(!was_divided)];
            if to.len() < MOST {
                to.push((open.work as f64 / open.iterations as f64) as f32);
            }
        }
        self.spare.push((open.divided, open.chunks));
    }
}

impl Open {
    /// The piece ends here; `whole`: its end is the next piece's begin, or the chunk's.
    fn piece_ends(&mut self, of: u64, ticks: u64, whole: impl FnOnce(&SubBlock) -> bool) {
        let Some((begin, piece)) = self.piece.take() else { return };
        let work = self.work_since(begin, ticks);
        let is_own = is_own(work, begin, ticks);
        *self.in_pieces.get_or_insert(0) += work;
        if whole(&piece) && is_own {
            self.divided.add(of, piece.lower, piece.iterations, work as f64);
        }
    }

    fn chunk_ends(&mut self, of: u64, ticks: u64) {
        // A last piece that does not say so had others behind it that are not told.
        self.piece_ends(of, ticks, |piece| piece.last);
        let Some((begin, chunk)) = self.chunk.take() else {
            self.off = Off::default();
            return;
        };
        let work = self.in_pieces.take().unwrap_or_else(|| self.work_since(begin, ticks));
        if self.paused {
            return;
        }
        self.work += work;
        self.iterations = self.iterations.saturating_add(chunk.iterations);
        if is_own(work, begin, ticks) {
            self.chunks.add(of, chunk.lower, chunk.iterations, work as f64);
        }
    }

    fn work_since(&mut self, begin: u64, ticks: u64) -> u64 {
        let lasted = ticks.saturating_sub(begin);
        let off = std::mem::take(&mut self.off).within(lasted);
        lasted.saturating_sub(off.outside().saturating_add(off.taken()))
    }

    fn since(&self) -> Option<u64> {
        self.piece.map(|(begin, _)| begin).or(self.chunk.map(|(begin, _)| begin))
    }
}

/// Most of the time was its own. If not, what is left of it is mostly what the clocks are wrong by.
fn is_own(work: u64, begin: u64, ticks: u64) -> bool {
    work >= ticks.saturating_sub(begin) / 2
}

impl Visit for LaneCurve<'_> {
    fn visit(&mut self, at: At, event: &Event<'_>) {
        match event {
            Event::Chunk(chunk) => {
                let Some(open) = self.open.last_mut() else { return };
                let Some(slot) = open.slot else { return };
                open.chunk_ends(self.sought.loops[slot].0.iterations, at.ticks);
                open.chunk = Some((at.ticks, *chunk));
                open.count += 1;
                open.lowest = chunk.lower;
            }
            Event::SubBlock(piece) => {
                let Some(open) = self.open.last_mut() else { return };
                let Some(slot) = open.slot else { return };
                let next = piece.lower;
                open.piece_ends(self.sought.loops[slot].0.iterations, at.ticks, |piece| {
                    !piece.last && piece.lower.wrapping_add(piece.iterations) == next
                });
                open.off = Off::default();
                if open.chunk.is_some() {
                    open.piece = Some((at.ticks, *piece));
                }
            }
            Event::LoopBegin(begin) => self.begins(at.thread, begin),
            Event::LoopEnd { .. } => self.ends(at.ticks),
            Event::Pause(_) => self.open.iter_mut().for_each(|open| open.paused = true),
            Event::Recorder(_) | Event::OffCore(_) => {
                for open in &mut self.open {
                    if let Some(begin) = open.since() {
                        open.off.add_event(event, at.ticks, begin);
                    }
                }
            }
            _ => {}
        }
    }
}

pub(crate) struct Wanted<'a> {
    pub(crate) sums: &'a LoopSums,
    pub(crate) iterations: u64,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum User {
    #[default]
    NotSeen,
    Are([i128; 2]),
    Differ,
}

impl User {
    pub(crate) fn merge(&mut self, other: User) {
        *self = match (*self, other) {
            (User::NotSeen, user) | (user, User::NotSeen) => user,
            (one, other) if one == other => one,
            _ => User::Differ,
        };
    }
}
