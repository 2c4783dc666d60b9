//! A process's time in parallel regions, as its first thread spends it, and where it was not recorded. What is left of a recording's
//! length is serial.

use ompchunk_trace_format::{At, Event, PARALLEL_INVOKER_PROGRAM, PARALLEL_LEAGUE};

use crate::aggregates::Counted;

/// `ompt_task_initial`
const INITIAL: u32 = 1;

/// What a lane tells of it, in ticks.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct ParallelTime {
    /// The first thread of the lane that began in serial, if one did.
    pub(crate) thread: Option<u32>,
    /// How many regions are open, each inside the one before, and when the outermost began.
    depth: u32,
    since: u64,
    /// What was not recorded of the outermost region.
    missing: u64,
    parallel: u64,
    regions: u64,
    silent: Option<u64>,
    paused: u64,
    /// The program calls the function of the team that began last.
    by_program: bool,
    of_gcc: bool,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Times {
    /// In parallel regions, what was not recorded left out; `None` if that is not told.
    pub(crate) parallel: Option<u64>,
    /// Not recorded because it was asked for.
    pub(crate) paused: u64,
    pub(crate) thread: Option<u32>,
    /// It has regions of GCC's code, which calls the team's function itself.
    pub(crate) of_gcc: bool,
}

impl ParallelTime {
    pub(crate) fn follow(&mut self, at: At, event: &Event<'_>) {
        match event {
            Event::ImplicitTaskBegin { parallel: 0, flags, .. } if flags & INITIAL != 0 => {
                self.thread.get_or_insert(at.thread);
            }
            Event::ImplicitTaskBegin { team_size, .. } => {
                self.of_gcc |= std::mem::take(&mut self.by_program) && *team_size > 1;
            }
            Event::ParallelBegin { flags, .. } => {
                // In clang's code it calls that of leagues and of threads that are alone.
                self.by_program = flags & PARALLEL_INVOKER_PROGRAM != 0 && flags & PARALLEL_LEAGUE == 0;
                if self.depth == 0 {
                    (self.since, self.missing) = (at.ticks, 0);
                }
                self.depth += 1;
                self.regions += 1;
            }
            Event::ParallelEnd { .. } => {
                self.depth = self.depth.saturating_sub(1);
                if self.depth == 0 {
                    self.region_ends(at.ticks);
                }
            }
            Event::Pause(_) => self.silent = Some(at.ticks),
            Event::Resume => self.resume(at.ticks),
            _ => {}
        }
    }

    fn region_ends(&mut self, ticks: u64) {
        let told = self.silent.map_or(ticks, |silent| silent.max(self.since).min(ticks));
        self.parallel += told.saturating_sub(self.since).saturating_sub(self.missing);
    }

    fn resume(&mut self, ticks: u64) {
        let Some(silent) = self.silent.take() else { return };
        self.paused += ticks.saturating_sub(silent);
        if self.depth > 0 {
            self.missing += ticks.saturating_sub(silent.max(self.since));
        }
    }

    /// Of the process whose lanes these are, until `last`. `whole`: no events were lost; `told`: all regions are told.
    pub(crate) fn of_process(
        lanes: impl Iterator<Item = ParallelTime>,
        last: u64,
        whole: bool,
        told: bool,
        counted: &Counted,
    ) -> Times {
        let first = lanes.filter(|lane| lane.thread.is_some()).min_by_key(|lane| lane.thread);
        let Some(mut time) = first else { return Times::default() };
        if time.depth > 0 {
            time.region_ends(last);
        }
        time.depth = 0;
        time.resume(last);
        let regions = counted.regions;
        // Regions of several threads may be at the same time.
        let known = whole && (told || time.regions + regions.count > 0) && counted.beginners.len() <= 1;
        let parallel = known.then_some(time.parallel + regions.ticks);
        Times { parallel, paused: time.paused, thread: time.thread, of_gcc: time.of_gcc }
    }
}

#[cfg(test)]
mod tests {
    use ompchunk_trace_format::Paused;

    use super::*;

    fn times_of(events: &[(u64, Event<'_>)]) -> Times {
        let mut time = ParallelTime::default();
        for (ticks, event) in events {
            let at = At { lane: 1, ticks: *ticks, ..At::default() };
            time.follow(at, event);
        }
        ParallelTime::of_process([time].into_iter(), 100, true, true, &Counted::default())
    }

    fn task() -> Event<'static> {
        Event::ImplicitTaskBegin { parallel: 0, index: 1, team_size: 1, flags: 1 }
    }

    fn begin() -> Event<'static> {
        Event::ParallelBegin { parallel: 1, requested: 2, flags: 0, code: 0 }
    }

    #[test]
    fn regions_within_regions_count_once() {
        let end = || Event::ParallelEnd { parallel: 1 };
        let all = [(0, task()), (10, begin()), (12, begin()), (20, end()), (30, end())];
        let times = times_of(&all);
        assert_eq!((times.parallel, times.paused), (Some(20), 0));
        assert_eq!(times_of(&[(0, task()), (10, begin())]).parallel, Some(90));
        assert_eq!(times_of(&[(10, begin())]).parallel, None);
    }

    #[test]
    fn what_is_not_recorded_is_neither() {
        let end = || Event::ParallelEnd { parallel: 1 };
        let pause = || Event::Pause(Paused::ByProgram);
        let both = |events: &[(u64, Event<'_>)]| {
            let times = times_of(events);
            assert_eq!(times.thread, Some(0));
            (times.parallel, times.paused)
        };
        // Within a region; across its end; across its begin; until the end.
        let within = [(0, task()), (10, begin()), (15, pause()), (25, Event::Resume), (30, end())];
        assert_eq!(both(&within), (Some(10), 10));
        let over = [(0, task()), (10, begin()), (15, pause()), (20, end()), (25, Event::Resume)];
        assert_eq!(both(&over), (Some(5), 10));
        let into = [(0, task()), (5, pause()), (10, begin()), (25, Event::Resume), (30, end())];
        assert_eq!(both(&into), (Some(5), 20));
        let last = [(0, task()), (10, begin()), (60, pause())];
        assert_eq!(both(&last), (Some(50), 40));
    }
}
