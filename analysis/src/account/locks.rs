//! Which lock, critical or ordered section threads wait for, by the place in the program, and what that is of a loop.

use std::collections::BTreeMap;

use ompchunk_figures::{percent, time};
use ompchunk_trace_format::Part;
use ompchunk_trace_format::sum::mutex_name;

use super::sums::{MutexKey, Waited, Within};
use crate::context::{Context, InPart};
use crate::definition::base;
use crate::model::{LockReport, LoopReport, Note};
use crate::part::{LoopSums, PartSums};
use crate::symbols::Lines;

/// Less of the threads' time in a loop is no reason for anything.
const MATTERS: f64 = 0.02;
/// A lock that nobody else has is taken in less, in the mean.
const CONTENDED: f64 = 100e-9;

/// All that threads had to have, those waited for longest first.
pub(crate) fn locks(context: &Context<'_>) -> Vec<LockReport> {
    let mut found: BTreeMap<(String, &'static str), LockReport> = BTreeMap::new();
    let mut lines = Lines::default();
    for (at, part) in context.parts.iter().enumerate() {
        for (key, waited) in &context.sums[at].account.mutexes {
            let kind = mutex_name(key.kind);
            let place = place_of(&mut lines, part, &context.sums[at], key.code);
            let lock = found.entry((place.clone(), kind)).or_insert(LockReport {
                kind,
                place,
                count: 0,
                seconds: 0.0,
                longest_seconds: 0.0,
            });
            let longest = context.seconds(at, waited.longest as f64);
            lock.count += waited.count;
            lock.seconds += seconds(context, at, waited);
            lock.longest_seconds = lock.longest_seconds.max(longest);
        }
    }
    let mut locks: Vec<LockReport> = found.into_values().collect();
    locks.sort_by(|one, another| another.seconds.total_cmp(&one.seconds));
    locks
}

/// Thread time in which a loop's threads waited for one of these in a part; `None`: they needed none.
pub(crate) fn of_loop(context: &Context<'_>, part: usize, the_loop: &LoopSums) -> Option<f64> {
    let waits = waits_in(context, part, the_loop);
    let each = waits.map(|(_, waited)| seconds(context, part, waited));
    each.reduce(|sum, more| sum + more)
}

fn waits_in<'c>(
    context: &'c Context<'_>,
    part: usize,
    the_loop: &'c LoopSums,
) -> impl Iterator<Item = (&'c MutexKey, &'c Waited)> + Clone {
    let mutexes = context.sums[part].account.mutexes.iter();
    mutexes.filter(|(key, _)| match key.within {
        Within::Loop(number) => the_loop.numbers.contains(&number),
        _ => false,
    })
}

fn seconds(context: &Context<'_>, at: usize, waited: &Waited) -> f64 {
    let read = context.parts[at].meta().clock.read;
    context.seconds(at, waited.ticks_without_reading(read))
}

/// What to say of a loop whose threads wait for each other in its body.
pub(crate) fn contended(context: &Context<'_>, in_parts: &[InPart<'_>], the_loop: &LoopReport) -> Option<Note> {
    let waiting = the_loop.mutex_seconds?;
    let share = waiting / the_loop.busy_seconds;
    if the_loop.busy_seconds <= 0.0 || share < MATTERS {
        return None;
    }
    let waits = in_parts.iter().flat_map(|in_part| {
        let waits = waits_in(context, in_part.part, in_part.sums);
        waits.map(move |(key, waited)| (in_part.part, key, waited))
    });
    let count: u64 = waits.clone().map(|(_, _, waited)| waited.count).sum();
    let (part, most, _) = waits.max_by_key(|(_, _, waited)| waited.ticks)?;
    let place = place_of(&mut Lines::default(), context.parts[part], &context.sums[part], most.code);
    let kind = mutex_name(most.kind);
    let each = waiting / count.max(1) as f64;
    let (share, busy) = (percent(share.min(1.0)), time(the_loop.busy_seconds));
    let (code, text) = match each >= CONTENDED {
        true => (
            "contended",
            format!(
                "threads wait {share} of their time in the loop for each other: {} of {busy}, until they have the {kind} at \
                 {place} ({count} times). One thread at a time runs what it protects, and no schedule changes that: protect less, \
                 or give each thread its own sum (reduction)",
                time(waiting)
            ),
        ),
        false => (
            "locks",
            format!(
                "acquiring the {kind} at {place} takes threads {share} of their time in the loop, {} for each of {count} \
                 times: acquire it less often, or give each thread its own sum (reduction)",
                time(each)
            ),
        ),
    };
    Some(Note { code, text })
}

/// `file.c:12` if the object is still what was loaded and has lines, else `app+0x1234`.
fn place_of(lines: &mut Lines, part: &Part, sums: &PartSums, code: u64) -> String {
    let Some(place) = sums.codes.get(&code) else {
        return format!("{code:#x}");
    };
    let meta = part.meta();
    let path = std::path::Path::new(&meta.directory).join(&place.object);
    match lines.before(path, place.offset, meta.started) {
        Some((file, line)) => format!("{}:{line}", base(&file)),
        None => format!("{}+{:#x}", base(&place.object), place.offset),
    }
}
