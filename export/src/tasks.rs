//! Explicit tasks that are told one by one, put together: who created each, who ran it when, and for how long. The lanes of a part come
//! block by block, so that a task may end before the lane is read that created it. What is known of all is kept until the part ends.

use std::collections::{BTreeMap, HashMap, HashSet};

use indexmap::IndexSet;
use ompchunk_trace_format::tasks::{OF_CREATOR, WAIT_BY_DEPENDENCES, is_end};
use ompchunk_trace_format::{At, Error, Event};

use crate::process::Process;
use crate::site::Sites;

#[derive(Debug, Clone, Copy)]
pub(crate) struct Creation {
    pub(crate) at: At,
    /// 0: an implicit task.
    pub(crate) parent: u64,
    /// `ompt_task_flag_t`
    pub(crate) flags: u32,
    pub(crate) code: u64,
}

#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Task {
    pub(crate) creation: Option<Creation>,
    /// Ticks that creating it took; 0: not timed.
    pub(crate) creating: u64,
    pub(crate) begin: Option<At>,
    pub(crate) end: Option<At>,
    /// `ompt_task_status_t` at its end.
    pub(crate) status: u32,
    ticks: u64,
    /// How often a thread began it or went on with it.
    pub(crate) fragments: u32,
    pub(crate) dependences: u32,
    /// It ran in times that are not told.
    is_partial: bool,
    /// The runtime's own, to create tasks of a `taskloop`.
    pub(crate) is_creator: bool,
    is_taskwait: bool,
}

impl Task {
    /// Ticks in it; `None`: not known.
    pub(crate) fn running(&self) -> Option<u64> {
        let is_whole = self.end.is_some() && self.begin.is_some() && !self.is_partial;
        is_whole.then_some(self.ticks)
    }

    pub(crate) fn status(&self) -> Option<&'static str> {
        match self.status {
            1 => Some("complete"),
            3 => Some("cancel"),
            4 => Some("detach"),
            _ => None,
        }
    }

    pub(crate) fn has(&self, flag: u32) -> Option<bool> {
        self.creation.map(|creation| creation.flags & flag != 0)
    }
}

/// An implicit task, or what is outside of all, or the begin and the end of a region; and the explicit task that the thread runs in it.
#[derive(Debug, Default)]
struct Level {
    region: u64,
    /// 0: none.
    running: u64,
}

#[derive(Default)]
struct LaneTasks {
    thread: u32,
    /// The innermost last; the outermost one comes with the first use.
    levels: Vec<Level>,
    waiting: HashSet<u64>,
    /// Up to when its time is added up.
    since: u64,
    /// Ticks of the recorder's since then.
    recorder: u64,
}

impl LaneTasks {
    fn new(at: At) -> LaneTasks {
        LaneTasks { thread: at.thread, since: at.ticks, ..LaneTasks::default() }
    }

    fn running(&mut self) -> &mut u64 {
        if self.levels.is_empty() {
            self.levels.push(Level::default());
        }
        let last = self.levels.len() - 1;
        &mut self.levels[last].running
    }
}

#[derive(Default)]
pub(crate) struct EachTask {
    tasks: BTreeMap<u64, Task>,
    lanes: HashMap<u32, LaneTasks>,
}

impl EachTask {
    pub(crate) fn follow(&mut self, at: At, event: &Event<'_>) {
        match event {
            Event::TaskCreate { task, parent, flags, create_duration, code } => {
                if flags & OF_CREATOR != 0 && *parent != 0 {
                    self.task(*parent).is_creator = true;
                }
                let created = self.task(*task);
                created.is_taskwait = flags & WAIT_BY_DEPENDENCES != 0;
                created.creating = created.creating.max(*create_duration);
                created.creation = Some(Creation { at, parent: *parent, flags: *flags, code: *code });
            }
            Event::TaskCreation { task, duration } => self.task(*task).creating = *duration,
            Event::TaskDependence { task, .. } => {
                let task = self.task(*task);
                task.dependences = task.dependences.saturating_add(1);
            }
            Event::TaskSchedule { prior, status, next } => self.switch(at, (*prior, *status), *next),
            Event::WaitBegin(_) | Event::WaitEnd(_) => {
                let lane = self.settle(at);
                let running = *lane.running();
                match event {
                    Event::WaitBegin(_) => lane.waiting.insert(running),
                    _ => lane.waiting.remove(&running),
                };
            }
            // What is inside a region that a task begins is not the task's.
            Event::ParallelBegin { parallel, .. } | Event::ImplicitTaskBegin { parallel, .. } => {
                self.settle(at).levels.push(Level { region: *parallel, running: 0 });
            }
            Event::ImplicitTaskEnd { parallel } | Event::ParallelEnd { parallel } => self.leave(at, *parallel),
            Event::Recorder(own) => {
                if let Some(lane) = self.lanes.get_mut(&at.lane) {
                    lane.recorder = lane.recorder.saturating_add(own.ticks);
                }
            }
            Event::Pause(_) | Event::ThreadEnd { .. } => self.stop(at),
            _ => {}
        }
    }

    pub(crate) fn finish(self) -> impl Iterator<Item = (u64, Task)> {
        self.tasks.into_iter().filter(|(number, task)| *number != 0 && !task.is_taskwait)
    }

    fn task(&mut self, number: u64) -> &mut Task {
        self.tasks.entry(number).or_default()
    }

    /// Adds up the time since the lane's last change to the task that it runs.
    fn settle(&mut self, at: At) -> &mut LaneTasks {
        let lane = self.lanes.entry(at.lane).or_insert_with(|| LaneTasks::new(at));
        if lane.thread != at.thread {
            *lane = LaneTasks::new(at);
        }
        let running = *lane.running();
        let own = std::mem::take(&mut lane.recorder);
        let ticks = at.ticks.saturating_sub(lane.since).saturating_sub(own);
        lane.since = at.ticks;
        if running != 0 && !lane.waiting.contains(&running) {
            let task = self.tasks.entry(running).or_default();
            task.ticks = task.ticks.saturating_add(ticks);
        }
        lane
    }

    fn switch(&mut self, at: At, (prior, status): (u64, u32), next: u64) {
        let lane = self.settle(at);
        let running = std::mem::replace(lane.running(), next);
        let is_over = is_end(status);
        if is_over {
            lane.waiting.remove(&prior);
        }
        if running != prior {
            // A switch between is not told.
            self.task(running).is_partial = true;
            self.task(prior).is_partial = true;
        }
        if is_over && prior != 0 {
            let task = self.task(prior);
            (task.end, task.status) = (Some(at), status);
        }
        if next != 0 {
            let task = self.task(next);
            task.fragments = task.fragments.saturating_add(1);
            if task.begin.is_none_or(|begin| (at.ticks, at.thread) < (begin.ticks, begin.thread)) {
                task.begin = Some(at);
            }
        }
    }

    fn leave(&mut self, at: At, region: u64) {
        let lane = self.settle(at);
        // The outermost level is of no region.
        let found = lane.levels.iter().rposition(|level| level.region == region);
        let Some(from) = found.filter(|from| *from > 0) else { return };
        let left = lane.levels.split_off(from);
        self.lose(left);
    }

    /// What the lane runs from now on is not told.
    fn stop(&mut self, at: At) {
        self.settle(at);
        if let Some(lane) = self.lanes.remove(&at.lane) {
            self.lose(lane.levels);
        }
    }

    fn lose(&mut self, levels: Vec<Level>) {
        for level in levels.iter().filter(|level| level.running != 0) {
            self.task(level.running).is_partial = true;
        }
    }
}

/// Which tasks are of which construct. A task may begin in a lane before the lane is read that creates it, so this is known before.
#[derive(Debug, Default)]
pub(crate) struct Constructs {
    /// Where the code of each task, by its number, is in the codes, plus 1.
    of: Vec<u32>,
    codes: IndexSet<u64>,
    labels: Vec<Option<String>>,
}

/// Numbers of tasks have few gaps; one that is further off is of a damaged trace.
const LARGEST_GAP: usize = 1 << 24;

impl Constructs {
    /// Reads a part; nothing, if its tasks are not told one by one.
    pub(crate) fn from_process(process: &Process<'_>) -> Result<Constructs, Error> {
        let mut found = Constructs::default();
        if !process.part.meta().mode.tasks {
            return Ok(found);
        }
        let mut sites = Sites::default();
        process.part.for_each(|_, event| {
            sites.follow(event);
            if let Event::TaskCreate { task, code, .. } = event {
                found.add(*task, *code);
            }
        })?;
        let label = |code: &u64| sites.code(*code).map(|code| code.label.clone());
        found.labels = found.codes.iter().map(label).collect();
        Ok(found)
    }

    fn add(&mut self, task: u64, code: u64) {
        let number = usize::try_from(task).unwrap_or(usize::MAX);
        if number > self.of.len() + LARGEST_GAP {
            return;
        }
        let (place, _) = self.codes.insert_full(code);
        if self.of.len() <= number {
            self.of.resize(number + 1, 0);
        }
        self.of[number] = place as u32 + 1;
    }

    pub(crate) fn label(&self, task: u64) -> Option<String> {
        let place = *self.of.get(usize::try_from(task).ok()?)? as usize;
        self.labels.get(place.checked_sub(1)?)?.clone()
    }
}
