//! Chunks so short that dealing them may be what they take, where that was not measured.

use ompchunk_analysis::model::LoopReport;

use super::units::time;

/// Dealing a chunk takes some microseconds at most, for each thread that takes some at the same time.
const DEALING: f64 = 25e-6;
/// Recording a chunk and waiting for a line of the cache take so long at most, and so many iterations may be in one line.
const LINE: f64 = 150e-9;
const IN_LINE: u64 = 8;
/// All of a smaller share of the run could be dealing, and nobody would care.
const DEALING_MATTERS: f64 = 0.02;

pub fn may_be_dealing(the_loop: &LoopReport) -> bool {
    let schedule = the_loop.identity.schedule.as_deref().unwrap_or("");
    let is_dealt = ["dynamic", "guided", "runtime", "auto"].iter().any(|kind| schedule.contains(kind));
    let threads = the_loop.team_size.map_or(1, |[_, most]| most);
    let short = |mean: f64| mean < DEALING * f64::from(threads.max(1));
    let mean = the_loop.chunk_seconds.as_ref().map(|chunks| chunks.mean);
    is_dealt && threads > 1 && the_loop.bookkeeping_seconds.is_none() && mean.is_some_and(short)
}

/// Threads take few neighbouring iterations in turn, so briefly that recording and shared lines of the cache may be most of it.
fn may_share_lines(the_loop: &LoopReport) -> bool {
    let is_static = the_loop.identity.schedule.as_deref().is_some_and(|schedule| schedule.contains("static,"));
    let may_change = the_loop.promise.bound().is_none() && the_loop.team_size.is_some_and(|[_, most]| most > 1);
    let short = the_loop.chunk_seconds.as_ref().is_some_and(|chunks| chunks.mean < LINE);
    is_static && may_change && short && the_loop.iterations <= IN_LINE * the_loop.chunks
}

pub fn hides_work(the_loop: &LoopReport) -> bool {
    may_be_dealing(the_loop) || may_share_lines(the_loop)
}

/// Elapsed time of dealing, if it takes so long as the shortest chunk, or of chunks that may be all cache lines.
pub fn possible_dealing(the_loop: &LoopReport) -> Option<f64> {
    let chunks = the_loop.chunk_seconds.as_ref().filter(|_| hides_work(the_loop))?;
    let threads = the_loop.team_size.map_or(1, |[_, most]| most.max(1));
    let each = if may_share_lines(the_loop) { chunks.mean } else { chunks.min };
    Some(each * chunks.count as f64 / f64::from(threads))
}

pub fn may_matter(the_loop: &LoopReport) -> bool {
    hides_work(the_loop) && the_loop.run_share.is_none_or(|share| share >= DEALING_MATTERS)
}

pub fn sentence(the_loop: &LoopReport) -> String {
    let mean = time(the_loop.chunk_seconds.as_ref().map_or(0.0, |chunks| chunks.mean));
    let schedule = the_loop.identity.schedule.as_deref().unwrap_or("this schedule");
    if may_share_lines(the_loop) {
        return format!(
            "chunks of {schedule} take {mean} on average: recording them, and lines of the cache that neighbours share, may be most of that, \
             so only measuring tells whether schedule(static) is faster: ompchunk tune does"
        );
    }
    let is_most = possible_dealing(the_loop).is_some_and(|dealing| dealing > the_loop.metrics.seconds / 2.0);
    let most = if is_most { ", and may be most of the loop's time" } else { "" };
    format!(
        "chunks take {mean} on average, including dealing them under {schedule}; the cost of dealing was not measured{most}: record \
         --bookkeeping measures it, and a profile predicts what another schedule saves"
    )
}
