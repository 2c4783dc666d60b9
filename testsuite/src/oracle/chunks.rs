//! One thread's part of one execution of a loop: its events against its iterations.

use super::execution::Execution;
use super::expected::Expected;
use super::violation::Verdict;
use super::violation::{Violation, What};
use super::{loop_events, variable};
use crate::log::{Chunk, Datum, Dispatch, Entry, Iteration, Variable};

/// `ompt_dispatch_ws_loop_chunk`.
const LOOP_CHUNK: u64 = 3;
/// `ompt_dispatch_distribute_chunk`.
const DISTRIBUTE_CHUNK: u64 = 5;
/// `ompt_dispatch_section`.
const SECTION: u64 = 2;

/// The oracle's clock advances by 1 per reading and by this much per other entry of the log, so a
/// duration that contains anything but bookkeeping is longer.
const TICKS_PER_ENTRY: f64 = 1000.0;

/// Events, and what ran after them until the next event.
#[derive(Default)]
struct Segment {
    dispatches: Vec<Dispatch>,
    chunks: Vec<Chunk>,
    variable: Option<Variable>,
    iterations: Vec<Iteration>,
}

/// Judges one execution and counts what it ran.
pub fn judge(execution: &Execution, expected: &Expected, verdict: &mut Verdict) {
    let the_loop = execution.the_loop();
    let violations = &mut verdict.violations;
    let mut wrong = |what| violations.push(Violation { thread: execution.thread, the_loop, what });
    loop_events::judge(execution, expected, &mut wrong);
    if !execution.is_loop && !execution.is_told_sections() {
        judge_no_loop(execution, &mut wrong);
        verdict.runtimes_own += execution.dispatches();
        return;
    }
    let dealt = expected.is_dealt(the_loop);
    let cancelled = the_loop.is_some_and(|l| expected.cancelled.contains(&l));
    // Runtimes say nothing of the end of a loop that is cancelled between chunks which they deal.
    if execution.unended && !(dealt && cancelled) {
        let task = execution.task.value;
        wrong(What::Unbalanced(format!("task {task} ended inside a construct")));
    }
    let segments = segments(execution);
    for (number, segment) in segments.iter().enumerate() {
        let is_final = number + 1 == segments.len();
        judge_data(execution, segment, &mut wrong);
        judge_kind(execution, segment, &mut wrong);
        judge_range(segment, cancelled && is_final, &mut wrong);
        if let Some(the_loop) = the_loop {
            variable::judge(the_loop, segment.variable, &segment.iterations, expected, &mut wrong);
        }
        judge_counts(segment, expected, &mut wrong);
        for chunk in &segment.chunks {
            // Whether a cancelled thread would have had another chunk, its log cannot tell.
            if !(cancelled && is_final) {
                judge_last(chunk, execution, segment, dealt, is_final, &mut wrong);
            }
            judge_duration(chunk.duration, expected.clock, &mut wrong);
        }
    }
    // Chunks that the runtime deals may be stolen, in any order.
    if !dealt || the_loop.is_some_and(|l| expected.monotonic.contains(&l)) {
        judge_order(&segments, &mut wrong);
    }
    if dealt {
        verdict.runtimes_own += execution.dispatches();
    }
    verdict.chunks += segments.len() as u64;
}

/// The flag of the last chunk: of a static loop's thread, or of a loop that the runtime deals.
fn judge_last(
    chunk: &Chunk,
    execution: &Execution,
    segment: &Segment,
    dealt: bool,
    is_final: bool,
    wrong: &mut impl FnMut(What),
) {
    let should_be = match segment.iterations.first() {
        Some(first) if dealt => {
            let last = execution.within.map_or(first.trip - 1, |(_, upper)| upper);
            u64::from(chunk.upper == last)
        }
        _ => u64::from(is_final),
    };
    if chunk.is_last != should_be {
        wrong(What::LastFlag { chunk: *chunk, should_be });
    }
}

/// Each segment runs behind the one before it.
fn judge_order(segments: &[Segment], wrong: &mut impl FnMut(What)) {
    for pair in segments.windows(2) {
        let (before, after) = (pair[0].iterations.last(), pair[1].iterations.first());
        let (Some(before), Some(after)) = (before, after) else {
            continue;
        };
        if after.index <= before.index {
            wrong(What::OutOfOrder { lower: after.index, after: before.index });
        }
    }
}

/// Splits where an event follows an iteration.
fn segments(execution: &Execution) -> Vec<Segment> {
    let mut segments: Vec<Segment> = Vec::new();
    for entry in &execution.entries {
        let is_event = !matches!(entry, Entry::Iteration(_));
        let begins = segments.last().is_none_or(|s| is_event && !s.iterations.is_empty());
        if begins {
            segments.push(Segment::default());
        }
        let segment = segments.last_mut().expect("one was pushed");
        match *entry {
            Entry::Dispatch(dispatch) => segment.dispatches.push(dispatch),
            Entry::Chunk(chunk) => segment.chunks.push(chunk),
            Entry::Variable(variable) => segment.variable = Some(variable),
            Entry::Iteration(iteration) => segment.iterations.push(iteration),
            _ => unreachable!("executions hold nothing else"),
        }
    }
    segments
}

/// `single` and the like, and `sections` that are left alone: no chunk is ever reported there.
fn judge_no_loop(execution: &Execution, wrong: &mut impl FnMut(What)) {
    if execution.unended {
        wrong(What::Unbalanced("a construct never ends".into()));
    }
    for entry in &execution.entries {
        match entry {
            Entry::Chunk(_) => wrong(What::Uninvited(format!("{entry:?}"))),
            Entry::Dispatch(dispatch) if dispatch.kind != SECTION => wrong(What::Kind(dispatch.kind)),
            _ => {}
        }
    }
}

fn judge_kind(execution: &Execution, segment: &Segment, wrong: &mut impl FnMut(What)) {
    let right = if execution.is_told_sections() {
        SECTION
    } else if execution.distribute && !execution.fused {
        DISTRIBUTE_CHUNK
    } else {
        LOOP_CHUNK
    };
    for dispatch in segment.dispatches.iter().filter(|d| d.kind != right) {
        wrong(What::Kind(dispatch.kind));
    }
}

fn judge_data(execution: &Execution, segment: &Segment, wrong: &mut impl FnMut(What)) {
    let mut same = |name: &str, found: Datum, right: Datum| {
        // What distribute names is compared with what the runtime names, which on libiomp5 is the datum of a task that it has told nobody of.
        let equal = match execution.distribute {
            true => found.value == right.value,
            false => found == right && found.value != 0,
        };
        if !equal || found.address == 0 {
            let what = format!("{name} data are {found:?}, the implicit task has {right:?}");
            wrong(What::Data(what));
        }
    };
    for chunk in &segment.chunks {
        same("chunk event: task", chunk.task, execution.task);
    }
    for dispatch in &segment.dispatches {
        same("dispatch event: task", dispatch.task, execution.task);
        same("dispatch event: parallel", dispatch.parallel, execution.parallel);
    }
}

/// What was announced is what ran.
fn judge_range(segment: &Segment, may_stop: bool, wrong: &mut impl FnMut(What)) {
    let ran: Vec<u64> = segment.iterations.iter().map(|i| i.index).collect();
    let announced = segment.chunks.iter().map(|c| (c.lower, c.upper)).chain(
        // An empty range becomes one that nothing can have run.
        segment.dispatches.iter().map(|d| (d.start, d.start.wrapping_add(d.iterations).wrapping_sub(1))),
    );
    for (lower, upper) in announced {
        if ran.is_empty() {
            wrong(What::NothingRan(format!("the event for {lower} to {upper}")));
            continue;
        }
        let in_order = ran.iter().copied().eq((lower..).take(ran.len()));
        let ended = ran.last() == Some(&upper) || (may_stop && ran.last() < Some(&upper));
        if !in_order || !ended {
            wrong(What::NotWhatRan { announced: (lower, upper), ran: ran.clone() });
        }
    }
    let ([dispatch], [chunk]) = (&segment.dispatches[..], &segment.chunks[..]) else {
        return;
    };
    let length = chunk.upper.wrapping_sub(chunk.lower).wrapping_add(1);
    if (dispatch.start, dispatch.iterations) != (chunk.lower, length) {
        wrong(What::Disagree(*dispatch, *chunk));
    }
}

/// One event of each kind that was asked for, none of the other.
fn judge_counts(segment: &Segment, expected: &Expected, wrong: &mut impl FnMut(What)) {
    let counts =
        [("dispatch", segment.dispatches.len(), expected.dispatch), ("chunk", segment.chunks.len(), expected.chunk)];
    for (name, count, asked) in counts {
        if count > 1 {
            wrong(What::Several(format!("{count} {name} events")));
        }
        if let (0, true, Some(first)) = (count, asked, segment.iterations.first()) {
            wrong(What::Unannounced { first: first.index, missing: name });
        }
    }
}

fn judge_duration(duration: f64, clock: bool, wrong: &mut impl FnMut(What)) {
    let right = match clock {
        // One reading at each end: at least one tick lies between them.
        true => duration > 0.0 && duration < TICKS_PER_ENTRY,
        false => duration == 0.0,
    };
    if !right {
        wrong(What::Duration(duration));
    }
}
