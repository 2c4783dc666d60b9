//! What pictures of a loop need, binned while a trace is read a second time: when the first pass has told the
//! ranges, a picture has a fixed size whatever the number of chunks.

mod lane;

use ompchunk_trace_format::{Error, Part};
use serde::Serialize;

use crate::model::LoopReport;
use crate::part::PartSums;
use crate::pictures::lane::{LanePictures, Wanted, add_counts, durations, iterations};
use crate::scan::scan;
use crate::shown_executions::{Chosen, Run, median};
use crate::timeline::{Timeline, Which};
use crate::wanted_loops::Sought;

pub use crate::pictures::lane::{COLUMNS, ROWS};

/// The pictures of one loop.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Pictures {
    /// Some executions, thread by thread: the first is the one to begin with; none where no execution is told completely.
    pub timelines: Vec<Timeline>,
    /// Chunks by iterations and duration; `None` if no chunk is told.
    pub heat: Option<Heat>,
}

/// How many chunks ran which iterations in which time.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Heat {
    /// Iterations, divided evenly into [`COLUMNS`].
    pub iterations: u64,
    /// Durations, divided evenly by their logarithm into [`ROWS`].
    pub seconds: [f64; 2],
    /// Column by column, the shortest duration first. A chunk counts in every column that it has a part of.
    pub counts: Vec<u32>,
}

/// Reads parts again for the pictures of some loops, each named with the sums of the parts that have it.
pub(crate) fn pictures(
    parts: &[&Part],
    sums: &[PartSums],
    loops: &[&LoopReport],
    progress: &(dyn Fn(u64) + Sync),
) -> Result<Vec<Pictures>, Error> {
    let mut pictures = vec![Pictures::default(); loops.len()];
    let shown: Vec<Vec<Shown>> = loops.iter().map(|the_loop| shown(the_loop, sums)).collect();
    for (number, (part, sums)) in parts.iter().zip(sums).enumerate() {
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
                let what = (number, which.clone());
                let timeline = drawn.timeline(what, frame, &sums.clock, wanted.sums, &lost);
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
    /// What one part has of it.
    fn add_heat(&mut self, the_loop: &LoopReport, counts: &[u32]) {
        let Some((low, high)) = durations(the_loop).filter(|_| !counts.is_empty()) else {
            return;
        };
        let heat = self.heat.get_or_insert_with(|| Heat {
            iterations: iterations(the_loop),
            seconds: [low, high],
            counts: vec![0; COLUMNS * ROWS],
        });
        add_counts(&mut heat.counts, counts);
    }
}

/// An execution that is shown.
struct Shown {
    part: usize,
    run: Run,
    which: Vec<Which>,
}

/// Which executions of a loop: one that is chosen twice is shown once.
fn shown(the_loop: &LoopReport, sums: &[PartSums]) -> Vec<Shown> {
    let mut parts: Vec<(usize, &Chosen)> = Vec::new();
    for (part, part_sums) in sums.iter().enumerate() {
        let here = part_sums.find(&the_loop.identity);
        parts.extend(here.map(|loop_sums| (part, &loop_sums.executions.chosen)));
    }
    let seconds = |part: usize, ticks: u64| ticks as f64 / sums[part].clock.hertz;
    let longest = |of: fn(&Chosen) -> Option<Run>| longest(&parts, of, seconds);
    let mut shown: Vec<Shown> = Vec::new();
    for (which, found) in [
        (Which::Longest, longest(|chosen| chosen.longest)),
        (Which::Median, median(&parts, seconds)),
        (Which::Uneven, most_uneven(&parts)),
    ] {
        let Some((part, run)) = found else { continue };
        let mut known = shown.iter_mut();
        match known.find(|known| known.is(part, run)) {
            Some(known) => known.which.push(which),
            None => shown.push(Shown::new(part, run, which)),
        }
    }
    if shown.is_empty() {
        let incomplete = longest(|chosen| chosen.incomplete);
        shown.extend(incomplete.map(|(part, run)| Shown::new(part, run, Which::Incomplete)));
    }
    shown
}

/// The longest of all parts' executions; the first of several that take as long.
fn longest(
    parts: &[(usize, &Chosen)],
    of: fn(&Chosen) -> Option<Run>,
    seconds: impl Fn(usize, u64) -> f64,
) -> Option<(usize, Run)> {
    let mut longest: Option<(usize, Run)> = None;
    let length = |(part, run): (usize, Run)| seconds(part, run.ticks());
    for (part, chosen) in parts {
        let Some(run) = of(chosen) else { continue };
        if longest.is_none_or(|longest| length((*part, run)) > length(longest)) {
            longest = Some((*part, run));
        }
    }
    longest
}

fn most_uneven(parts: &[(usize, &Chosen)]) -> Option<(usize, Run)> {
    let mut uneven: Vec<(f64, usize, Run)> = Vec::new();
    for (part, chosen) in parts {
        uneven.extend(chosen.uneven.map(|(balance, run)| (balance, *part, run)));
    }
    let most = uneven.into_iter().min_by(|a, b| a.0.total_cmp(&b.0));
    most.map(|(_, part, run)| (part, run))
}

impl Shown {
    fn new(part: usize, run: Run, which: Which) -> Shown {
        Shown { part, run, which: vec![which] }
    }

    fn is(&self, part: usize, run: Run) -> bool {
        (self.part, self.run) == (part, run)
    }
}
