//! Does a part keep the order that readers rely on? Per lane, times ascend and begins and ends nest; nothing of a parallel region lies
//! after the region's end; sub-blocks divide their chunk, in order and without gaps. A program may call `exit` inside a region: then the
//! recorder ends what the calling thread has open, while the other threads may be in the region until the process is gone. Such an end,
//! which is no disorder, is known by what comes after it in its lane: nothing but more ends, at once.

use std::collections::HashMap;
use std::fmt;

use crate::error::Error;
use crate::event::{At, Chunk, Event, NOBODY};
use crate::iterations::SubBlock;
use crate::part::{Ending, Part};
use crate::walk::{Scope, Step};

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
    /// LaneOrder, thread and time of the event.
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

#[derive(Default)]
struct LaneOrder {
    last: Option<At>,
    open: Vec<(Scope, Covered)>,
    /// Regions whose ends may be those that the end of the recording gave them.
    closing: Vec<u64>,
    /// By a thread's end, after which nothing has come.
    is_closed: bool,
}

impl LaneOrder {
    /// Does the lane go on after ends that looked like the recording's? Those come at the time of the event before, but for regions.
    fn goes_on(&self, at: At, event: &Event<'_>, step: &Step) -> bool {
        match (step, event) {
            (Step::End(Scope::Parallel(_)), _)
            | (_, Event::Lost(_) | Event::Aggregate(_) | Event::Sum(_) | Event::Tasks(_) | Event::TaskRegion(_)) => {
                false
            }
            (Step::End(_), _) => self.last.is_none_or(|last| last.ticks != at.ticks),
            _ => true,
        }
    }

    /// Gives the regions that have ended before the end, as is known by now.
    fn pass(&mut self, at: At, event: &Event<'_>, step: &Step) -> Vec<u64> {
        let goes_on = !self.closing.is_empty() && self.goes_on(at, event, step);
        let ended = if goes_on { std::mem::take(&mut self.closing) } else { Vec::new() };
        if let Step::End(Scope::Parallel(id)) = step {
            self.closing.push(*id);
        }
        self.is_closed = matches!(step, Step::End(Scope::Thread(_)));
        self.last = Some(at);
        ended
    }

    /// Gives what is wrong with that.
    fn end(&mut self, scope: Scope) -> Option<String> {
        let Some(innermost) = self.open.pop() else {
            return Some(format!("{scope:?} ends, but nothing is open"));
        };
        let open = innermost.0;
        if open == scope {
            return None;
        }
        // Go on from where the two agree, if anywhere.
        match self.open.iter().rposition(|(around, _)| *around == scope) {
            Some(depth) => self.open.truncate(depth),
            None => self.open.push(innermost),
        }
        Some(format!("{scope:?} ends, but {open:?} is open"))
    }

    /// What is wrong with an event that neither begins nor ends anything. `lost`: there was no room for all.
    fn inside(&mut self, event: &Event<'_>, lost: bool) -> Option<String> {
        let covered = match self.open.last_mut() {
            Some((Scope::Loop(_), covered)) => Some(covered),
            _ => None,
        };
        match (event, covered) {
            (Event::Chunk(chunk), Some(covered)) => {
                *covered = Covered::begin(chunk);
                None
            }
            (Event::Chunk(_), None) => Some("a chunk outside of a loop".into()),
            (Event::SubBlock(piece), Some(covered)) => covered.wrong(piece, lost),
            (Event::SubBlock(_), None) => Some("a sub-block outside of a loop".into()),
            _ => None,
        }
    }
}

/// Until it has ended and all its implicit tasks have.
#[derive(Default)]
struct Region {
    begun: bool,
    ended: Option<u64>,
    /// Stands in a lane's `closing`.
    closing: bool,
    /// What is wrong if the end of the recording has not ended it.
    late: Vec<Violation>,
    tasks: u64,
    /// The first implicit task's begin, if the region's own has not been seen.
    early: Option<At>,
}

#[derive(Default)]
struct Check {
    lanes: HashMap<u32, LaneOrder>,
    regions: HashMap<u64, Region>,
    found: Checked,
    /// There was not room for everything.
    lost: bool,
    /// Some lane was told to be silent for a while: what its thread began then may not be told.
    paused: bool,
}

impl Check {
    fn violation(&mut self, at: At, what: impl Into<String>) {
        self.found.count += 1;
        if self.found.violations.len() < KEPT {
            self.found.violations.push(Violation { at, what: what.into() });
        }
    }

    fn visit(&mut self, at: At, event: &Event<'_>) {
        self.paused |= matches!(event, Event::Pause(_) | Event::Resume);
        let lane = self.lanes.entry(at.lane).or_default();
        let back = lane.last.filter(|last| last.ticks > at.ticks);
        let step = Step::by(event);
        let ended = lane.pass(at, event, &step);
        let wrong = match step {
            Step::Begin(scope) => {
                lane.open.push((scope, Covered::default()));
                None
            }
            Step::End(scope) => lane.end(scope),
            Step::Inside => lane.inside(event, self.lost),
        };
        self.settle_regions(&ended);
        if let Some(last) = back {
            let ticks = last.ticks - at.ticks;
            self.violation(at, format!("the time goes back by {ticks} ticks"));
        }
        if let Some(what) = wrong {
            self.violation(at, what);
        }
        match step {
            Step::Begin(Scope::Parallel(id)) => self.begin(at, id),
            Step::End(Scope::Parallel(id)) => {
                let region = self.regions.entry(id).or_default();
                (region.ended, region.closing) = (Some(at.ticks), true);
            }
            Step::Begin(Scope::ImplicitTask(id)) if id != 0 => self.begin_task(at, id),
            Step::End(Scope::ImplicitTask(id)) if id != 0 => self.end_task(at, id),
            _ => {}
        }
    }

    fn begin(&mut self, at: At, id: u64) {
        let region = self.regions.entry(id).or_default();
        let early = region.early.take();
        if std::mem::replace(&mut region.begun, true) {
            self.violation(at, format!("parallel region {id} begins again"));
        }
        // At the same time, either may be read first.
        if let Some(early) = early.filter(|early| early.ticks < at.ticks) {
            let what = format!("an implicit task begins before its parallel region {id}");
            self.violation(early, what);
        }
    }

    fn settle_regions(&mut self, regions: &[u64]) {
        for id in regions {
            let Some(region) = self.regions.get_mut(id) else { continue };
            region.closing = false;
            let late = std::mem::take(&mut region.late);
            if region.tasks == 0 {
                self.regions.remove(id);
            }
            for Violation { at, what } in late {
                self.violation(at, what);
            }
        }
    }

    /// Wrong, unless the region proves to be one that the end of the recording has ended.
    fn late(&mut self, id: u64, at: At, what: String) {
        match self.regions.get_mut(&id).filter(|region| region.closing) {
            Some(region) => region.late.push(Violation { at, what }),
            None => self.violation(at, what),
        }
    }

    fn begin_task(&mut self, at: At, id: u64) {
        let region = self.regions.entry(id).or_default();
        region.tasks += 1;
        if !region.begun {
            region.early.get_or_insert(at);
        }
        if region.ended.is_some() {
            self.late(id, at, format!("an implicit task begins after the end of its parallel region {id}"));
        }
    }

    fn end_task(&mut self, at: At, id: u64) {
        let Some(region) = self.regions.get_mut(&id) else { return };
        region.tasks = region.tasks.saturating_sub(1);
        let Some(end) = region.ended else { return };
        let is_over = region.tasks == 0 && !region.closing;
        if at.ticks > end {
            self.late(id, at, format!("an implicit task ends after its parallel region {id}"));
        }
        if is_over {
            self.regions.remove(&id);
        }
    }

    /// What is open at the end: fine where the program was still at work, wrong where its region ended. `cut`: ends may be missing.
    fn finish(mut self, cut: bool) -> Checked {
        let at_work = self.lanes.values_mut().filter(|lane| !lane.is_closed);
        let ended: Vec<u64> = at_work.flat_map(|lane| lane.closing.drain(..)).collect();
        self.settle_regions(&ended);
        let mut left = Vec::new();
        for lane in self.lanes.values() {
            let Some(last) = lane.last else { continue };
            for (scope, _) in &lane.open {
                let Scope::ImplicitTask(id) = scope else { continue };
                let region = self.regions.get(id).filter(|region| !region.closing);
                let ended = region.and_then(|region| region.ended);
                // A cut may have taken the end of the task, but nothing lies after that of the region.
                if ended.is_some_and(|end| !(cut || self.lost) || last.ticks > end) {
                    left.push((last, format!("an implicit task of parallel region {id} never ends")));
                }
            }
        }
        // Where there was no room, the begin may be what was lost; in a part that is cut, what its thread had not written yet.
        if !(cut || self.lost || self.paused) {
            left.extend(self.regions.iter().filter_map(|(id, region)| {
                let what = format!("an implicit task of parallel region {id}, which never begins");
                Some((region.early?, what))
            }));
        }
        left.sort_by_key(|(at, _)| (at.ticks, at.lane));
        for (at, what) in left {
            self.violation(at, what);
        }
        self.found
    }
}

impl Part {
    /// Checks the order of a part, in the order of time. Memory grows with the number of threads, not with the trace.
    pub fn check(&self) -> Result<Checked, Error> {
        let head = self.head();
        let mut check = Check { lost: head.lost_reason.is_some(), ..Check::default() };
        let events = self.merged(|at, event| check.visit(at, event))?;
        // A thread that was at work when the recording ended has not told what came after.
        let cut = self.ending() != Ending::Clean || head.unsettled;
        let mut found = check.finish(cut);
        found.events = events;
        Ok(found)
    }
}

/// The chunk that a loop is in, and how far its sub-blocks have come.
#[derive(Debug, Clone, Copy, Default)]
struct Covered {
    chunk: Option<(u64, u64)>,
    /// Iterations that sub-blocks have begun.
    begun: u64,
    is_complete: bool,
}

impl Covered {
    fn begin(chunk: &Chunk) -> Covered {
        Covered { chunk: Some((chunk.lower, chunk.iterations)), ..Covered::default() }
    }

    /// What is wrong with the next sub-block. `lost`: there was no room for all records, so those before may be missing.
    fn wrong(&mut self, piece: &SubBlock, lost: bool) -> Option<String> {
        let Some((lower, iterations)) = self.chunk else {
            return (!lost).then(|| "a sub-block before its loop's first chunk".to_owned());
        };
        // Numbers of iterations go round like the loop's variable.
        let begin = piece.lower.wrapping_sub(lower);
        let end = begin.checked_add(piece.iterations);
        let end = end.filter(|end| *end <= iterations);
        let begun = std::mem::replace(&mut self.begun, end.unwrap_or(iterations));
        let was_complete = std::mem::replace(&mut self.is_complete, piece.last);
        let wrong = match end {
            None => "reaches beyond its chunk".to_owned(),
            Some(_) if piece.iterations == 0 => {
                return Some("a sub-block of no iterations".to_owned());
            }
            Some(_) if was_complete => "comes after its chunk's last".to_owned(),
            Some(_) if begin < begun => "repeats iterations".to_owned(),
            Some(_) if begin > begun && !lost => format!("leaves out {}", begin - begun),
            Some(_) if piece.first != (begin == 0) => "is wrong about being the first".to_owned(),
            Some(end) if piece.last != (end == iterations) => "is wrong about being the last".to_owned(),
            Some(_) => return None,
        };
        let (count, first) = (piece.iterations, piece.lower);
        Some(format!("a sub-block of {count} iterations at {first} {wrong}"))
    }
}
