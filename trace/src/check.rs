//! Does a part keep the order that readers rely on? Per lane, times ascend and begins and ends nest;
//! and nothing of a parallel region lies after the region's end.

use std::collections::HashMap;
use std::fmt;

use crate::error::Error;
use crate::event::{Event, NOBODY};
use crate::part::{At, Ending, Part};

/// Violations that are kept; beyond that they are counted.
const KEPT: usize = 100;

/// What was found.
#[derive(Debug, Clone, Default)]
pub struct Checked {
    /// Events read.
    pub events: u64,
    /// The first violations.
    pub violations: Vec<Violation>,
    /// Number of all violations.
    pub count: u64,
}

/// An event that is not where it should be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    /// Lane, thread and time of the event.
    pub at: At,
    /// What is wrong.
    pub what: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "lane {}", self.at.lane)?;
        if self.at.thread != NOBODY {
            write!(to, ", thread {}", self.at.thread)?;
        }
        write!(to, ", tick {}: {}", self.at.ticks, self.what)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Scope {
    Thread(u32),
    Parallel(u64),
    ImplicitTask(u64),
    Work(u32),
    Sync(u32),
    Wait(u32),
    Loop(u32),
}

enum Step {
    Begin(Scope),
    End(Scope),
    Inside,
}

fn step(event: &Event<'_>) -> Step {
    match event {
        Event::ThreadBegin { thread, .. } => Step::Begin(Scope::Thread(*thread)),
        Event::ThreadEnd { thread } => Step::End(Scope::Thread(*thread)),
        Event::ParallelBegin { parallel, .. } => Step::Begin(Scope::Parallel(*parallel)),
        Event::ParallelEnd { parallel } => Step::End(Scope::Parallel(*parallel)),
        Event::ImplicitTaskBegin { parallel, .. } => Step::Begin(Scope::ImplicitTask(*parallel)),
        Event::ImplicitTaskEnd { parallel } => Step::End(Scope::ImplicitTask(*parallel)),
        Event::WorkBegin { work, .. } => Step::Begin(Scope::Work(*work)),
        Event::WorkEnd { work } => Step::End(Scope::Work(*work)),
        Event::SyncBegin(of) => Step::Begin(Scope::Sync(of.kind)),
        Event::SyncEnd(of) => Step::End(Scope::Sync(of.kind)),
        Event::WaitBegin(of) => Step::Begin(Scope::Wait(of.kind)),
        Event::WaitEnd(of) => Step::End(Scope::Wait(of.kind)),
        Event::LoopBegin(it) => Step::Begin(Scope::Loop(it.the_loop)),
        Event::LoopEnd { the_loop } => Step::End(Scope::Loop(*the_loop)),
        _ => Step::Inside,
    }
}

#[derive(Default)]
struct Lane {
    last: Option<At>,
    open: Vec<Scope>,
}

/// A parallel region, until it has ended and all its implicit tasks have.
#[derive(Default)]
struct Region {
    begun: bool,
    ended: Option<u64>,
    tasks: u64,
    /// The first implicit task's begin, if the region's own has not been seen.
    early: Option<At>,
}

#[derive(Default)]
struct Check {
    lanes: HashMap<u32, Lane>,
    regions: HashMap<u64, Region>,
    found: Checked,
}

impl Check {
    fn violation(&mut self, at: At, what: impl Into<String>) {
        self.found.count += 1;
        if self.found.violations.len() < KEPT {
            self.found.violations.push(Violation {
                at,
                what: what.into(),
            });
        }
    }

    fn see(&mut self, at: At, event: &Event<'_>) {
        let lane = self.lanes.entry(at.lane).or_default();
        let back = lane.last.filter(|last| last.ticks > at.ticks);
        lane.last = Some(at);
        let step = step(event);
        let mut wrong = None;
        match step {
            Step::Begin(scope) => lane.open.push(scope),
            Step::End(scope) => match lane.open.pop() {
                Some(open) if open == scope => {}
                Some(open) => {
                    wrong = Some(format!("{scope:?} ends, but {open:?} is open"));
                    // Go on from where the two agree, if anywhere.
                    match lane.open.iter().rposition(|it| *it == scope) {
                        Some(at) => lane.open.truncate(at),
                        None => lane.open.push(open),
                    }
                }
                None => wrong = Some(format!("{scope:?} ends, but nothing is open")),
            },
            Step::Inside => {
                let in_loop = matches!(lane.open.last(), Some(Scope::Loop(_)));
                if matches!(event, Event::Chunk(_)) && !in_loop {
                    wrong = Some("a chunk outside of a loop".into());
                }
            }
        }
        if let Some(last) = back {
            let ticks = last.ticks - at.ticks;
            self.violation(at, format!("the time goes back by {ticks} ticks"));
        }
        if let Some(what) = wrong {
            self.violation(at, what);
        }
        match step {
            Step::Begin(Scope::Parallel(id)) => self.begin(at, id),
            Step::End(Scope::Parallel(id)) => self.end(at, id),
            Step::Begin(Scope::ImplicitTask(id)) if id != 0 => self.begin_task(at, id),
            Step::End(Scope::ImplicitTask(id)) if id != 0 => self.end_task(at, id),
            _ => {}
        }
    }

    fn begin(&mut self, at: At, id: u64) {
        let region = self.regions.entry(id).or_default();
        let early = region.early.take();
        let again = std::mem::replace(&mut region.begun, true);
        if again {
            self.violation(at, format!("parallel region {id} begins again"));
        }
        // At the same time, either may be read first.
        if let Some(early) = early.filter(|early| early.ticks < at.ticks) {
            self.violation(
                early,
                format!("an implicit task begins before its parallel region {id}"),
            );
        }
    }

    fn end(&mut self, at: At, id: u64) {
        let region = self.regions.entry(id).or_default();
        region.ended = Some(at.ticks);
        if region.tasks == 0 {
            self.regions.remove(&id);
        }
    }

    fn begin_task(&mut self, at: At, id: u64) {
        let region = self.regions.entry(id).or_default();
        region.tasks += 1;
        if !region.begun {
            region.early.get_or_insert(at);
        }
        let late = region.ended.is_some();
        if late {
            self.violation(
                at,
                format!("an implicit task begins after the end of its parallel region {id}"),
            );
        }
    }

    fn end_task(&mut self, at: At, id: u64) {
        let Some(region) = self.regions.get_mut(&id) else {
            return;
        };
        region.tasks = region.tasks.saturating_sub(1);
        let ended = region.ended;
        if ended.is_some() && region.tasks == 0 {
            self.regions.remove(&id);
        }
        if ended.is_some_and(|end| at.ticks > end) {
            self.violation(
                at,
                format!("an implicit task ends after its parallel region {id}"),
            );
        }
    }

    /// What is open at the end: fine where the program was still at work, wrong where its region ended.
    fn finish(mut self, cut: bool, lost: bool) -> Checked {
        let mut left: Vec<(At, String)> = Vec::new();
        for lane in self.lanes.values() {
            let Some(last) = lane.last else { continue };
            for scope in &lane.open {
                let Scope::ImplicitTask(id) = scope else {
                    continue;
                };
                let ended = self.regions.get(id).and_then(|region| region.ended);
                // A cut may have taken the end of the task, but nothing lies after that of the region.
                if ended.is_some_and(|end| !(cut || lost) || last.ticks > end) {
                    left.push((
                        last,
                        format!("an implicit task of parallel region {id} never ends"),
                    ));
                }
            }
        }
        for (id, region) in &self.regions {
            // Where there was no room, the begin may be what was lost; in a part that is cut, what its thread had not
            // written yet.
            if let Some(early) = region.early.filter(|_| !(cut || lost)) {
                left.push((
                    early,
                    format!("an implicit task of parallel region {id}, which never begins"),
                ));
            }
        }
        left.sort_by_key(|(at, _)| (at.ticks, at.lane));
        for (at, what) in left {
            self.violation(at, what);
        }
        self.found
    }
}

impl Part {
    /// Checks the order of a part. Reads it in the order of time; memory grows with the number of
    /// threads, not with the trace.
    pub fn check(&self) -> Result<Checked, Error> {
        let mut check = Check::default();
        let events = self.merged(|at, event| check.see(at, &event))?;
        let cut = self.ending() != Ending::Clean;
        let mut found = check.finish(cut, self.head().lost_reason.is_some());
        found.events = events;
        Ok(found)
    }
}
