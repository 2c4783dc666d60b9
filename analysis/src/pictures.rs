//! What pictures of a loop need, binned while a trace is read a second time: when the first pass has told the
//! ranges, a picture has a fixed size whatever the number of chunks.

mod lane;

use ompchunk_trace_format::Error;
use serde::Serialize;

use crate::model::LoopReport;
use crate::part::{PartSums, Sought};
use crate::pictures::lane::{LanePictures, Wanted, add_counts, durations, iterations};
use crate::process::Context;
use crate::scan::{Progress, scan};
use crate::shown_executions::{Chosen, Run, median};
use crate::timeline::{Timeline, Which};

pub use crate::pictures::lane::{COLUMNS, ROWS};

#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Pictures {
    /// Some executions, thread by thread: the first is the one to begin with; none where no execution is told completely.
    pub timelines: Vec<Timeline>,
    /// Chunks by iterations and duration; `None` if no chunk is told.
    pub heat: Option<Heat>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Heat {
    /// Iterations, divided evenly into [`COLUMNS`].
    pub iterations: u64,
    /// Durations, divided evenly by their logarithm into [`ROWS`].
    pub seconds: [f64; 2],
    /// Column by column, the shortest duration first. A chunk counts in every column that it has a part of.
    pub counts: Vec<u32>,
}

pub(crate) fn pictures(
    context: &Context<'_>,
    loops: &[&LoopReport],
    progress: Progress<'_>,
) -> Result<Vec<Pictures>, Error> {
    let mut pictures = vec![Pictures::default(); loops.len()];
    let shown: Vec<Vec<Shown>> = loops.iter().map(|the_loop| shown(the_loop, &context.sums)).collect();
    for (number, (part, sums)) in context.parts.iter().zip(&context.sums).enumerate() {
        let sought = Sought::from_sums(sums, loops, |place, loop_sums| {
            let here = shown[place].iter().filter(|shown| shown.part == number);
            let here = here.map(|shown| (shown.run, &*shown.which));
            let wanted = || Wanted::new(loops[place], loop_sums, sums.clock.hertz, here);
            loops[place].chunks_complete.then(wanted)
        });
        let lanes = scan(part, || LanePictures::new(&sought), |_, bytes| progress(bytes))?;
        let whole_part = lanes.into_iter().fold(LanePictures::new(&sought), LanePictures::with);
        let (found, lost) = (whole_part.found, whole_part.lost);
        for (slot, found) in found.into_iter().enumerate() {
            let (wanted, place) = &sought.loops[slot];
            let of_loop = &mut pictures[*place];
            of_loop.add_heat(loops[*place], &found.heat);
            for (drawn, (frame, which)) in found.drawn.into_iter().zip(&wanted.frames) {
                let timeline = drawn.timeline((number, which.clone()), frame, &sums.clock, wanted.sums, &lost);
                of_loop.timelines.push(timeline);
            }
        }
    }
    for of_loop in &mut pictures {
        let timelines = &mut of_loop.timelines;
        timelines.sort_by_key(|timeline| timeline.which.first().copied());
    }
    Ok(pictures)
}

impl Pictures {
    fn add_heat(&mut self, the_loop: &LoopReport, counts: &[u32]) {
        let Some((low, high)) = durations(the_loop).filter(|_| !counts.is_empty()) else { return };
        let heat = self.heat.get_or_insert_with(|| Heat {
            iterations: iterations(the_loop),
            seconds: [low, high],
            counts: vec![0; COLUMNS * ROWS],
        });
        add_counts(&mut heat.counts, counts);
    }
}

struct Shown {
    part: usize,
    run: Run,
    which: Vec<Which>,
}

/// Which executions of a loop: one that is chosen twice is shown once.
fn shown(the_loop: &LoopReport, sums: &[PartSums]) -> Vec<Shown> {
    let mut parts: Vec<(usize, &Chosen)> = Vec::new();
    for (part, part_sums) in sums.iter().enumerate() {
        parts.extend(part_sums.find(&the_loop.identity).map(|loop_sums| (part, &loop_sums.executions.chosen)));
    }
    let seconds = |part: usize, ticks: u64| ticks as f64 / sums[part].clock.hertz;
    let length = |(part, run): &(usize, Run)| seconds(*part, run.ticks());
    let longest = |of: fn(&Chosen) -> Option<Run>| {
        // The first of several that take as long.
        let runs = parts.iter().rev().filter_map(|(part, chosen)| Some((*part, of(chosen)?)));
        runs.max_by(|one, other| length(one).total_cmp(&length(other)))
    };
    let uneven = parts.iter().filter_map(|(part, chosen)| Some((*part, chosen.uneven?)));
    let uneven = uneven.min_by(|(_, (one, _)), (_, (other, _))| one.total_cmp(other));
    let mut shown: Vec<Shown> = Vec::new();
    for (which, found) in [
        (Which::Longest, longest(|chosen| chosen.longest)),
        (Which::Median, median(&parts, seconds)),
        (Which::Uneven, uneven.map(|(part, (_, run))| (part, run))),
    ] {
        let Some((part, run)) = found else { continue };
        let mut known = shown.iter_mut();
        match known.find(|known| (known.part, known.run) == (part, run)) {
            Some(known) => known.which.push(which),
            None => shown.push(Shown { part, run, which: vec![which] }),
        }
    }
    if shown.is_empty() {
        let incomplete = longest(|chosen| chosen.incomplete);
        shown.extend(incomplete.map(|(part, run)| Shown { part, run, which: vec![Which::Incomplete] }));
    }
    shown
}
