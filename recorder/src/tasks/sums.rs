//! What a lane adds up of explicit tasks: by construct that it created or ran tasks of, and by region that has some.

use ompchunk_trace_format::tasks::{DEPTHS, SIZES, depth_bucket, region, word};
use ompchunk_trace_format::{Event, Histogram, TaskRegion, Tasks};
use ompt::raw::TASK_UNDEFERRED;

use super::paths::Ended;
use super::record::{Part, Record, Team};
use crate::cells::{Cells, Durations};
use crate::lane::Lane;

const DURATIONS: Durations = [word::WORK, word::MIN, word::MAX];
const HIGH_HALF: u32 = 32;

const CONSTRUCTS: usize = 0;
const REGIONS: usize = 1;

impl Lane {
    /// `None`: there is no room.
    fn construct(&mut self, now: u64, code: u64) -> Option<Cells> {
        self.sums.of_tasks[CONSTRUCTS].find(code).or_else(|| self.begin_construct(now, code))
    }

    /// Likewise.
    fn task_region(&mut self, now: u64, code: u64) -> Option<Cells> {
        self.sums.of_tasks[REGIONS].find(code).or_else(|| self.begin_task_region(now, code))
    }

    #[cold]
    fn begin_construct(&mut self, now: u64, code: u64) -> Option<Cells> {
        let zero = Event::Tasks(Tasks {
            thread: self.holder.thread,
            code,
            sizes: Histogram::from(&[0; 8 * SIZES][..]),
            depths: Histogram::from(&[0; 8 * DEPTHS][..]),
            depth_work: Histogram::from(&[0; 8 * DEPTHS][..]),
            ..Tasks::default()
        });
        self.begin_task_sum(now, CONSTRUCTS, code, &zero)
    }

    #[cold]
    fn begin_task_region(&mut self, now: u64, code: u64) -> Option<Cells> {
        let zero = Event::TaskRegion(TaskRegion { thread: self.holder.thread, code, ..TaskRegion::default() });
        self.begin_task_sum(now, REGIONS, code, &zero)
    }

    fn begin_task_sum(&mut self, now: u64, which: usize, code: u64, zero: &Event<'_>) -> Option<Cells> {
        self.know_code(now, code as usize);
        let cells = self.in_place(zero)?;
        self.sums.of_tasks[which].put(code, cells);
        Some(cells)
    }

    pub(crate) fn count_created(&mut self, now: u64, record: &Record) {
        let flags = record.flags.get();
        let Some(mut cells) = self.construct(now, record.code.get()) else { return self.lose_events(now, 1) };
        cells.add(word::CREATED, 1);
        cells.add(word::UNDEFERRED, u64::from(flags & TASK_UNDEFERRED != 0));
        let said = cells.get(1) | u64::from(flags as u32) << HIGH_HALF;
        cells.set(1, said);
    }

    pub(crate) fn count_creation(&mut self, now: u64, code: u64, ticks: u64) {
        if let Some(mut cells) = self.construct(now, code) {
            cells.add(word::CREATION, ticks);
            cells.add(word::TIMED, 1);
        }
    }

    pub(crate) fn count_begun(&mut self, now: u64, record: &Record) {
        let queued = now.saturating_sub(record.created.get());
        let Some(mut cells) = self.construct(now, record.code.get()) else { return self.lose_events(now, 1) };
        cells.add(word::BEGUN, 1);
        cells.add(word::QUEUED, queued);
    }

    pub(crate) fn count_ended(&mut self, now: u64, record: &Record) {
        let (work, depth) = (record.work(), record.depth.get());
        let was_moved = record.thread.get() != self.holder.thread;
        let Some(mut cells) = self.construct(now, record.code.get()) else { return self.lose_events(now, 1) };
        if record.part.get() == Part::Creator {
            cells.add(word::ENDED, 1);
            cells.add(word::CREATORS, 1);
            return cells.add(word::CREATORS_WORK, work);
        }
        // The shortest is set where none has ended before.
        cells.is_fresh = cells.get(word::ENDED) == cells.get(word::CREATORS);
        cells.duration(DURATIONS, work);
        cells.add(word::ENDED, 1);
        cells.add(word::SIZE_COUNTS + Histogram::bucket(work), 1);
        cells.add(word::DEPTH_COUNTS + depth_bucket(depth), 1);
        cells.add(word::DEPTH_TICKS + depth_bucket(depth), work);
        if was_moved {
            cells.add(word::MOVED, 1);
            cells.add(word::MOVED_WORK, work);
        }
        if u64::from(depth) > cells.get(word::DEEPEST) {
            cells.set(word::DEEPEST, depth.into());
        }
        if now >= self.block.due {
            self.keep_up_at(now);
        }
    }

    pub(crate) fn count_work(&mut self, now: u64, team: &Team, ticks: u64) {
        if ticks == 0 {
            return;
        }
        if let Some(mut cells) = self.task_region(now, team.root()) {
            cells.add(region::WORK, ticks);
        }
    }

    pub(crate) fn count_waited(&mut self, now: u64, ticks: u64) {
        if self.silence.is_on {
            return;
        }
        let around = self.tasks.around();
        if let Some(code) = around.construct {
            if let Some(mut cells) = self.construct(now, code) {
                cells.add(word::WAITED, ticks);
            }
        } else if let Some(team) = around.team.filter(|team| team.has_tasks()) {
            if let Some(mut cells) = self.task_region(now, team.root()) {
                cells.add(region::WAITED, ticks);
            }
        }
    }

    pub(crate) fn count_region(&mut self, now: u64, ended: &Ended) {
        let (team, span, team_size) = (ended.team, ended.team.span(), ended.team.size());
        let Some(mut cells) = self.task_region(now, team.root()) else { return self.lose_events(now, 1) };
        cells.add(region::EXECUTIONS, 1);
        cells.add(region::ELAPSED, ended.elapsed);
        if team.is_known() {
            cells.add(region::SPAN, span)
        } else {
            cells.add(region::UNKNOWN, 1)
        }
        let said = cells.get(1);
        if u64::from(team_size) > said >> HIGH_HALF {
            let thread = said & u64::from(u32::MAX);
            cells.set(1, thread | u64::from(team_size) << HIGH_HALF);
        }
    }
}
