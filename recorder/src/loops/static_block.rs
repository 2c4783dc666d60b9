//! Static loops that the plugin did not see. The runtime tells one chunk of each thread's, the first, not cut off behind the loop's last
//! iteration. Without a chunk size that is all that the thread runs; with one it may be the first of several.

use ompchunk_abi::sched_type::STATIC_CHUNKED;
use ompchunk_abi::{LOOP_CHUNK_KNOWN, LOOP_CHUNKED};
use ompchunk_trace_format::{Chunk, Event, LOOP_BLOCK_TOLD, LoopDefinition};
use ompt::raw::{TASK_INITIAL, WORK_DISTRIBUTE, WORK_LOOP_STATIC};

use crate::cells::tally::ShownSize;
use crate::lane::Lane;
use crate::scope::region::Shared;
use crate::scope::{AwaitedBlock, Running, Scope, Task};

/// All that a thread runs of a loop of `count` iterations, numbered from 0, if that is one chunk. `chunk` is its first in a team of `team`.
///
/// A thread with several chunks has its second `team` chunks behind the first, and that is one of the loop's. Without a chunk size
/// no thread has one there: of n = q * team + r iterations the threads before r have q + 1, the others q, and thread t of these begins at
/// t * q + r, so that team * q behind it is n + t * q.
///
/// Who counts from another number than 0, as flang and GCC do where the schedule comes at run time, has such a block further behind.
fn whole(chunk: &Chunk, count: u64, (thread, team): (u64, u64)) -> Option<Chunk> {
    let (size, more) = (count / team, count % team);
    let begin = thread * size + thread.min(more);
    if chunk.iterations == size + u64::from(thread < more) && chunk.lower > begin {
        return Some(Chunk { lower: begin, ..*chunk });
    }
    let behind = u128::from(chunk.lower) + u128::from(chunk.iterations) * u128::from(team);
    let is_whole = behind >= count.into() && chunk.lower < count;
    is_whole.then(|| Chunk { iterations: chunk.iterations.min(count - chunk.lower), ..*chunk })
}

/// Is the thread, by what it has begun, alone in the team that shares such a loop?
pub(crate) fn is_alone(scopes: &[Scope], work: u32) -> bool {
    place_in_team(scopes, work).is_some_and(|(_, team)| team == 1)
}

/// The thread's number among those that share it, and how many they are; or its team's.
fn place_in_team(scopes: &[Scope], work: u32) -> Option<(u64, u64)> {
    let mut tasks = scopes.iter().rev().filter_map(Scope::task);
    let is_of_league = |task: &&Task| task.flags & TASK_INITIAL as u32 != 0;
    let task = if work == WORK_DISTRIBUTE { tasks.find(is_of_league) } else { tasks.next() };
    task.map(|task| (task.index.into(), task.team_size.max(1).into()))
}

pub(crate) fn is_static(work: u32) -> bool {
    matches!(work, WORK_LOOP_STATIC | WORK_DISTRIBUTE)
}

pub(crate) fn awaited(count: u64, is_part: bool) -> AwaitedBlock {
    if is_part { AwaitedBlock::OfPart(count) } else { AwaitedBlock::Of(count) }
}

impl Lane {
    /// A loop that is known as such has begun in the short way, so inside no other of the thread's.
    #[inline(never)]
    pub(crate) fn await_block(&mut self, count: u64) {
        let is_part = self.innermost_region().is_some_and(Shared::is_distributed);
        if let Some(Scope::Loop(running)) = self.scopes.last_mut() {
            running.block = awaited(count, is_part);
        }
        self.block.limit = std::ptr::null_mut();
    }

    /// The thread's iterations may be a part of a loop of `distribute`.
    pub(crate) fn is_distributing(&self) -> bool {
        let is_one = |scope: &Scope| matches!(scope, Scope::Loop(running) if running.work == WORK_DISTRIBUTE);
        self.innermost_region().is_some_and(Shared::is_distributed) || self.scopes.iter().any(is_one)
    }

    /// Who is alone runs all of it, of which runtimes tell no chunk.
    pub(crate) fn begin_alone(&mut self, now: u64, work: u32, awaited: AwaitedBlock) {
        let AwaitedBlock::Of(count) = awaited else { return };
        if count > 0 && is_alone(&self.scopes, work) {
            self.chunk(now, &Chunk { lower: 0, iterations: count, create_duration: 0, last: false });
        }
    }

    pub(crate) fn block_of(&mut self, now: u64, chunk: &Chunk) -> Option<Chunk> {
        let Some(Scope::Loop(Running { work, .. })) = self.scopes.last() else { return None };
        let place = place_in_team(&self.scopes, *work);
        let Some(Scope::Loop(running)) = self.scopes.last_mut() else { return None };
        let (the_loop, code) = (running.the_loop, running.code);
        let awaited = std::mem::replace(&mut running.block, AwaitedBlock::Told);
        let block = match awaited {
            AwaitedBlock::Of(count) => whole(chunk, count, place?),
            // Nor is it known where the last one is cut off, if one is.
            AwaitedBlock::OfPart(count) => {
                let all = chunk.iterations.saturating_mul(place?.1);
                (all == count || chunk.iterations == 1 && all > count).then_some(*chunk)
            }
            AwaitedBlock::No | AwaitedBlock::Told => return None,
        };
        // Behind the loop's last iteration there is no chunk, whatever its size.
        if block.is_none() && matches!(awaited, AwaitedBlock::Of(count) if chunk.lower < count) {
            self.show_size(now, the_loop, code, chunk.iterations);
        }
        block
    }

    /// Says the schedule of such a loop where threads have several chunks.
    fn show_size(&mut self, now: u64, the_loop: u32, code: usize, size: u64) {
        let Some(tally) = self.sums.tallies.get_mut(the_loop as usize) else { return };
        let shown = match tally.shown {
            ShownSize::None => ShownSize::One(size),
            ShownSize::One(before) if before == size => return,
            ShownSize::One(_) => ShownSize::Several,
            ShownSize::Several => return,
        };
        tally.shown = shown;
        let (known, size) = match shown {
            ShownSize::One(size) => (LOOP_CHUNK_KNOWN, i64::try_from(size).unwrap_or(i64::MAX)),
            _ => (0, 0),
        };
        let bare = bare_definition(the_loop, code, true);
        let flags = bare.flags | LOOP_CHUNKED | known;
        self.put(now, &Event::Loop(LoopDefinition { flags, schedule: STATIC_CHUNKED, chunk: size, ..bare }));
    }
}

pub(crate) fn bare_definition(the_loop: u32, code: usize, tells_blocks: bool) -> LoopDefinition<'static> {
    let flags = if tells_blocks { LOOP_BLOCK_TOLD } else { 0 };
    LoopDefinition { the_loop, code: code as u64, flags, ..LoopDefinition::default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What runtimes give a thread first: `static`, and with a chunk size.
    fn first(count: u64, team: u64, thread: u64, size: Option<u64>) -> Chunk {
        let (lower, iterations) = match size {
            Some(size) => (thread * size, size),
            None => {
                let (small, extras) = (count / team, count % team);
                (thread * small + thread.min(extras), small + u64::from(thread < extras))
            }
        };
        Chunk { lower, iterations, create_duration: 0, last: false }
    }

    #[test]
    fn a_block_is_told_and_no_first_chunk_of_several() {
        for (count, team) in (1..40).flat_map(|count| (1..9).map(move |team| (count, team))) {
            for thread in 0..team {
                let block = first(count, team, thread, None);
                if block.iterations > 0 {
                    let from_one = Chunk { lower: block.lower + 1, ..block };
                    for told in [block, from_one] {
                        let found = whole(&told, count, (thread, team));
                        assert_eq!(found, Some(block), "static, {thread} of {team}, {count}");
                    }
                }
                for size in 1..45 {
                    let chunk = first(count, team, thread, Some(size));
                    let has_any = chunk.lower < count;
                    let has_more = chunk.lower + team * size < count;
                    let block = Chunk { iterations: size.min(count.saturating_sub(chunk.lower)), ..chunk };
                    let expected = (has_any && !has_more).then_some(block);
                    assert_eq!(
                        whole(&chunk, count, (thread, team)),
                        expected,
                        "static,{size}, {thread} of {team}, {count}"
                    );
                }
            }
        }
    }

    #[test]
    fn numbers_may_be_large() {
        let (count, team) = (u64::MAX - 1, 3);
        for thread in 0..team {
            let block = first(count, team, thread, None);
            assert_eq!(whole(&block, count, (thread, team)), Some(block));
        }
        let chunk = Chunk { lower: u64::MAX - 1, iterations: 2, create_duration: 0, last: false };
        assert_eq!(whole(&chunk, 10, (1, 2)), None);
        let all = Chunk { lower: 0, iterations: u64::MAX, ..chunk };
        assert_eq!(whole(&all, 10, (1, 2)), Some(Chunk { iterations: 10, ..all }));
    }
}
