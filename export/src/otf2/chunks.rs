//! Loops, their chunks, and the parts of these.

use ompchunk_trace_format::{At, Chunk, LoopBegin, SubBlock};

use super::lane::{Loop, Scope, Shown};
use super::location::{SCHEDULE, attribute, range};
use super::regions::{self, Of};
use super::writing::Writing;

impl Writing<'_, '_> {
    pub(super) fn loop_begin(&mut self, at: At, it: &LoopBegin) {
        let site = self.sites.get(it.the_loop);
        let variable = site.and_then(|site| site.variable(it));
        let shown = self
            .sites
            .selected(it.the_loop)
            .then(|| match self.loops.get(&it.the_loop) {
                Some(shown) => *shown,
                None => {
                    let mut number = |what| {
                        let region = regions::of_loop(what, it.the_loop, site);
                        self.numbers.regions.number(&region).0
                    };
                    let shown = Shown {
                        region: number(Of::Loop),
                        chunk: number(Of::Chunk),
                    };
                    self.loops.insert(it.the_loop, shown);
                    shown
                }
            });
        let clause = site.map(|site| {
            self.numbers
                .strings
                .number(&regions::schedule(site.clause(it.work)).to_owned())
                .0
        });
        let the_loop = it.the_loop;
        let scope = Scope::Loop(Loop {
            the_loop,
            shown,
            variable,
        });
        self.begin(at, scope, |to, time| {
            let Some(shown) = shown else { return };
            to.unsigned(attribute::COUNT, it.count);
            it.start
                .into_iter()
                .for_each(|start| to.signed(attribute::START, start));
            it.step
                .into_iter()
                .for_each(|step| to.signed(attribute::STEP, step));
            to.enter(time, shown.region);
            clause
                .into_iter()
                .for_each(|clause| to.parameter(time, SCHEDULE, clause));
        });
    }

    #[inline]
    pub(super) fn chunk(&mut self, at: At, chunk: &Chunk) {
        let index = at.lane as usize;
        let lane = self.lane_of(at).filter(|it| it.thread == at.thread);
        let inside = lane.and_then(|it| {
            it.scopes
                .iter()
                .rposition(|it| matches!(it, Scope::Loop(_)))
        });
        let Some(inside) = inside else {
            self.stray += 1;
            return;
        };
        self.close(index, inside + 1, at.ticks, false);
        let Some(Some(lane)) = self.lanes.get_mut(index) else {
            return;
        };
        let Scope::Loop(of) = lane.scopes[inside] else {
            return;
        };
        let region = of.shown.map(|it| it.chunk);
        lane.after = None;
        lane.scopes.push(Scope::Chunk {
            region,
            begin: at.ticks,
            recorder: 0,
        });
        let location = lane.location;
        let Some(region) = region else { return };
        self.notices.chunks += 1;
        let create = chunk.create_duration;
        let create = (create != 0).then(|| self.process.duration(create));
        self.locations.put(location, at.ticks, |to, time| {
            range(to, chunk.lower, chunk.iterations, of.variable);
            create
                .into_iter()
                .for_each(|ns| to.float(attribute::CREATE_DURATION, (ns * 10.0).round() / 10.0));
            to.enter(time, region);
        });
    }

    pub(super) fn sub_block(&mut self, at: At, it: &SubBlock) {
        let index = at.lane as usize;
        let Some(lane) = self.lane_of(at) else { return };
        // Of the innermost loop, in its chunk.
        let Some(inside) = lane
            .scopes
            .iter()
            .rposition(|it| matches!(it, Scope::Loop(_)))
        else {
            return;
        };
        let (Scope::Loop(of), Some(Scope::Chunk { .. })) =
            (lane.scopes[inside], lane.scopes.get(inside + 1))
        else {
            return;
        };
        self.close(index, inside + 2, at.ticks, false);
        if of.shown.is_none() {
            return;
        }
        let (numbers, sites) = (&mut self.numbers, &self.sites);
        let region = *self.sub_blocks.entry(of.the_loop).or_insert_with(|| {
            let region = regions::of_loop(Of::SubBlock, of.the_loop, sites.get(of.the_loop));
            numbers.regions.number(&region).0
        });
        self.begin(at, Scope::SubBlock { region }, |to, time| {
            range(to, it.lower, it.iterations, of.variable);
            to.enter(time, region);
        });
    }
}
