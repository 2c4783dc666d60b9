//! Loops, their chunks, and the parts of these.

use ompchunk_trace_format::{At, Chunk, LoopBegin, SubBlock};

use super::lane::{Loop, Scope, Shown};
use super::location::{SCHEDULE, attribute, range};
use super::numbers::number;
use super::regions::{self, Of};
use super::writing::Writing;
use crate::row::tenths;

impl Writing<'_, '_> {
    pub(super) fn loop_begin(&mut self, at: At, begin: &LoopBegin) {
        let the_loop = begin.the_loop;
        let site = self.sites.get(the_loop);
        let variable = site.and_then(|site| site.variable(begin));
        let clause = site.map(|site| {
            let clause = regions::schedule(site.clause(begin.work));
            number(&mut self.numbers.strings, clause.to_owned())
        });
        let shown = self.shown(the_loop);
        let execution = Loop { the_loop, shown, variable };
        self.begin(at, Scope::Loop(execution), |to, time| {
            let Some(shown) = shown else { return };
            to.unsigned(attribute::COUNT, begin.count);
            if let Some(start) = begin.start {
                to.signed(attribute::START, start);
            }
            if let Some(step) = begin.step {
                to.signed(attribute::STEP, step);
            }
            to.enter(time, shown.region);
            if let Some(clause) = clause {
                to.parameter(time, SCHEDULE, clause);
            }
        });
    }

    /// The regions of a loop; `None`: the loop is not asked for.
    fn shown(&mut self, the_loop: u32) -> Option<Shown> {
        let known = self.loops.get(&the_loop).copied();
        known.or_else(|| {
            let is_selected = self.sites.selected(the_loop);
            let shown = is_selected.then(|| Shown {
                region: self.region_of(Of::Loop, the_loop),
                chunk: self.region_of(Of::Chunk, the_loop),
            })?;
            self.loops.insert(the_loop, shown);
            Some(shown)
        })
    }

    pub(super) fn region_of(&mut self, what: Of, the_loop: u32) -> u32 {
        let region = regions::of_loop(what, the_loop, self.sites.get(the_loop));
        number(&mut self.numbers.regions, region)
    }

    #[inline]
    pub(super) fn chunk(&mut self, at: At, chunk: &Chunk) {
        let index = at.lane as usize;
        let lane = self.lane_of(at).filter(|lane| lane.thread == at.thread);
        let Some(inside) = lane.and_then(|lane| lane.innermost_loop()) else {
            self.stray += 1;
            return;
        };
        self.close(index, inside + 1, at.ticks, false);
        let Some(Some(lane)) = self.lanes.get_mut(index) else {
            return;
        };
        let Scope::Loop(execution) = lane.scopes[inside] else {
            return;
        };
        let region = execution.shown.map(|shown| shown.chunk);
        lane.after = None;
        lane.push(Scope::Chunk { region, begin: at.ticks, recorder: 0 });
        let location = lane.location;
        let Some(region) = region else { return };
        self.notices.chunks += 1;
        let created = Some(chunk.create_duration).filter(|ticks| *ticks != 0);
        let created = created.map(|ticks| tenths(self.process.duration(ticks)));
        self.locations.put(location, at.ticks, |to, time| {
            range(to, chunk.lower, chunk.iterations, execution.variable);
            if let Some(ns) = created {
                to.float(attribute::CREATE_DURATION, ns);
            }
            to.enter(time, region);
        });
    }

    pub(super) fn sub_block(&mut self, at: At, piece: &SubBlock) {
        let Some(lane) = self.lane_of(at) else { return };
        // Of the innermost loop, in its chunk.
        let Some(inside) = lane.innermost_loop() else {
            return;
        };
        let chunk = lane.scopes.get(inside + 1);
        let (Scope::Loop(execution), Some(Scope::Chunk { .. })) = (lane.scopes[inside], chunk) else {
            return;
        };
        self.close(at.lane as usize, inside + 2, at.ticks, false);
        if execution.shown.is_none() {
            return;
        }
        let the_loop = execution.the_loop;
        let known = self.sub_blocks.get(&the_loop).copied();
        let region = known.unwrap_or_else(|| self.region_of(Of::SubBlock, the_loop));
        self.sub_blocks.insert(the_loop, region);
        self.begin(at, Scope::SubBlock { region }, |to, time| {
            range(to, piece.lower, piece.iterations, execution.variable);
            to.enter(time, region);
        });
    }
}
