//! Executions of loops in traces: how long each took, and under which schedule.
//! Reads traces that have no chunks as well ([`ompchunk_trace_format::Mode::executions`]), which disturb a program least.

use std::collections::{BTreeMap, HashMap};

use ompchunk_abi::overrides::{Learned, Order, Pattern, Place, Schedule};
use ompchunk_figures::Sample;
use ompchunk_trace_format::sched_type::{self, BALANCED, DYNAMIC, GUIDED, STATIC_CHUNKED};
use ompchunk_trace_format::{At, Clock, Error, Event, LoopBegin, LoopDefinition, Part};

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LoopPlace {
    /// The source file's path, empty if unknown.
    pub file: String,
    /// 0 if unknown, as the column.
    pub line: u32,
    pub column: u32,
    /// The function as the linker knows it.
    pub function: String,
}

impl LoopPlace {
    pub fn from_definition(definition: &LoopDefinition<'_>) -> LoopPlace {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        LoopPlace {
            file: text(definition.file),
            line: definition.line,
            column: definition.column,
            function: text(definition.function),
        }
    }

    pub fn named(&self) -> Place<'_> {
        Place { file: &self.file, line: self.line, column: self.column, function: &self.function }
    }
}

/// The schedule that ran: `enum sched_type` without modifiers, and its chunk size where there is one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DealtAs {
    kind: u32,
    chunk: Option<i64>,
}

impl DealtAs {
    /// What a schedule that was asked for runs as; `None`: as compiled.
    pub fn ordered(schedule: Schedule) -> Option<DealtAs> {
        if schedule.learned() == Some(Learned::Balanced) {
            return Some(DealtAs::new(BALANCED, None));
        }
        let (number, chunk) = schedule.for_runtime(Order::Any)?;
        Some(DealtAs::new(number, Some(chunk.into())))
    }

    fn new(number: u32, chunk: Option<i64>) -> DealtAs {
        let kind = sched_type::kind(number);
        let chunk = match kind {
            STATIC_CHUNKED => chunk,
            // A clause without a chunk size has 1.
            DYNAMIC | GUIDED => chunk.or(Some(1)),
            _ => None,
        };
        DealtAs { kind, chunk }
    }
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Execution {
    /// In which region of its process; 0: in none.
    pub region: u64,
    pub ran: DealtAs,
    pub sample: Sample,
    /// Threads of the team, where one of several had nearly all of it; 0: they shared it. `None`: the others came late.
    pub alone: Option<u32>,
}

#[derive(Debug, Default)]
pub struct Executions {
    loops: BTreeMap<LoopPlace, Vec<Execution>>,
    processes: usize,
}

/// A team's part in one loop: the region, and how many loops each thread of it had met before.
type Key = (u64, u64);

#[derive(Debug, Default, Clone, Copy)]
struct Open {
    the_loop: u32,
    iterations: u64,
    begin: u64,
    /// When the last thread began.
    last: u64,
    end: u64,
    team: u32,
    /// Threads that have not ended it yet.
    left: u32,
    /// Threads' times, added up, and the longest one.
    in_all: u64,
    longest: u64,
}

impl Open {
    /// The others find nothing left, though they come early enough: they have less than a quarter of what one has.
    fn alone(&self) -> Option<u32> {
        let others = self.in_all.saturating_sub(self.longest);
        let are_late = 2 * self.last.saturating_sub(self.begin) > self.longest;
        let is_alone = self.team > 1 && 4 * others < self.longest;
        (!are_late).then_some(if is_alone { self.team } else { 0 })
    }
}

#[derive(Default)]
struct LaneRegions {
    /// Regions, the innermost last.
    regions: Vec<Region>,
    /// Loops, likewise, and when they began; none: one that is not counted.
    loops: Vec<Option<(Key, u64)>>,
    /// Loops outside of all regions.
    alone: u64,
}

struct Region {
    number: u64,
    /// Loops that the thread has met in it.
    met: u64,
    team: u32,
}

/// Executions of a loop that are kept: the last ones.
const KEPT: usize = 50_000;
/// Executions that threads may be in at a time; what is beyond misses an end that is lost.
const MOST_OPEN: usize = 100_000;

struct Reading {
    run: usize,
    clock: Clock,
    known: HashMap<u32, (LoopPlace, DealtAs)>,
    lanes: HashMap<u32, LaneRegions>,
    open: BTreeMap<Key, Open>,
}

impl Reading {
    /// Gives the execution that ends with the event.
    fn follow(&mut self, at: At, event: &Event<'_>) -> Option<(&LoopPlace, Execution)> {
        let lane = self.lanes.entry(at.lane).or_default();
        match event {
            Event::Loop(the_loop) => {
                let known = self.known.entry(the_loop.the_loop);
                known.or_insert_with(|| {
                    let ran = DealtAs::new(the_loop.schedule, the_loop.chunk_size().known());
                    (LoopPlace::from_definition(the_loop), ran)
                });
            }
            Event::ParallelBegin { parallel, .. } => lane.enter(*parallel, None),
            Event::ImplicitTaskBegin { parallel, team_size, .. } if *parallel != 0 => {
                lane.enter(*parallel, Some(*team_size))
            }
            Event::ParallelEnd { parallel } | Event::ImplicitTaskEnd { parallel } => {
                lane.leave(*parallel);
            }
            Event::LoopBegin(begin) => self.begin(at, begin),
            Event::LoopEnd { .. } => return self.end(at),
            _ => {}
        }
        None
    }

    fn begin(&mut self, at: At, begin: &LoopBegin) {
        let lane = self.lanes.entry(at.lane).or_default();
        let (key, team) = lane.meet(at.lane);
        let execution = self.open.entry(key).or_insert(Open {
            the_loop: begin.the_loop,
            iterations: begin.count,
            begin: at.ticks,
            team,
            left: team,
            ..Open::default()
        });
        execution.begin = execution.begin.min(at.ticks);
        execution.last = execution.last.max(at.ticks);
        // Threads that disagree which loop it is do not belong together.
        let is_same = execution.the_loop == begin.the_loop;
        lane.loops.push(is_same.then_some((key, at.ticks)));
        if self.open.len() > MOST_OPEN {
            self.open.pop_first();
        }
    }

    fn end(&mut self, at: At) -> Option<(&LoopPlace, Execution)> {
        let (key, begin) = self.lanes.get_mut(&at.lane)?.loops.pop().flatten()?;
        let execution = self.open.get_mut(&key)?;
        let length = at.ticks.saturating_sub(begin);
        execution.in_all += length;
        execution.longest = execution.longest.max(length);
        execution.end = execution.end.max(at.ticks);
        execution.left = execution.left.saturating_sub(1);
        if execution.left > 0 {
            return None;
        }
        let whole = self.open.remove(&key)?;
        let (place, ran) = self.known.get(&whole.the_loop)?;
        let ticks = whole.end.saturating_sub(whole.begin);
        let sample = Sample {
            run: self.run,
            begin: self.clock.since_start(whole.begin),
            iterations: whole.iterations,
            seconds: self.clock.duration(ticks) / 1e9,
        };
        let execution = Execution { region: key.0, ran: *ran, sample, alone: whole.alone() };
        Some((place, execution))
    }
}

impl Executions {
    /// Adds the executions of a process: those of which each thread's begin and end are there.
    pub fn read(&mut self, part: &Part) -> Result<(), Error> {
        let mut reading = Reading {
            run: self.processes,
            clock: part.clock(),
            known: HashMap::new(),
            lanes: HashMap::new(),
            open: BTreeMap::new(),
        };
        part.for_each(|at, event| {
            if let Some((place, execution)) = reading.follow(at, event) {
                self.add(place, execution);
            }
        })?;
        self.processes += 1;
        Ok(())
    }

    fn add(&mut self, place: &LoopPlace, execution: Execution) {
        let all = match self.loops.get_mut(place) {
            Some(all) => all,
            None => self.loops.entry(place.clone()).or_default(),
        };
        if all.len() >= 2 * KEPT {
            all.drain(..KEPT);
        }
        all.push(execution);
    }

    /// Executions of the loops that a pattern means, as the source has them, and under another schedule.
    pub fn compared(&self, pattern: &Pattern, other: DealtAs) -> Compared {
        let mut compared = Compared::default();
        for executions in self.meant_by(std::slice::from_ref(pattern)) {
            compared.add(executions.iter().map(|execution| (execution.ran == other, execution.sample)));
        }
        compared
    }

    /// The same of loops that change together: a sample is what all of them take in a region, where they may run beside each other.
    pub fn compared_together(&self, patterns: &[Pattern], other: DealtAs) -> Compared {
        let mut regions: BTreeMap<(usize, u64), Vec<&Execution>> = BTreeMap::new();
        let meant = self.meant_by(patterns).flatten();
        for execution in meant.filter(|meant| meant.region != 0) {
            let key = (execution.sample.run, execution.region);
            regions.entry(key).or_default().push(execution);
        }
        let mut samples = Vec::new();
        for mut executions in regions.into_values() {
            executions.sort_by(|one, other| one.sample.begin.total_cmp(&other.sample.begin));
            let under = executions.iter().filter(|execution| execution.ran == other).count();
            // Else of one of them an end is lost, or the region is another loop's, too.
            if under == 0 || under == executions.len() {
                samples.push((under > 0, covered(&executions)));
            }
        }
        let mut compared = Compared::default();
        compared.add(samples.into_iter());
        compared
    }

    /// The threads of the team, where one of them has had most executions under a schedule alone.
    pub fn alone(&self, patterns: &[Pattern], under: DealtAs) -> Option<u32> {
        let ran = self.meant_by(patterns).flatten().filter(|execution| execution.ran == under);
        let mut found: Vec<u32> = ran.filter_map(|execution| execution.alone).collect();
        found.sort_unstable();
        // Executions that were shared come first.
        found.get(found.len() / 3).copied().filter(|team| *team > 0)
    }

    fn meant_by(&self, patterns: &[Pattern]) -> impl Iterator<Item = &Vec<Execution>> {
        let all = self.loops.iter();
        let meant = all.filter(|(place, _)| patterns.iter().any(|pattern| pattern.means(place.named())));
        meant.map(|(_, executions)| executions)
    }
}

/// From executions in the order of their begins, at least one: the time in which one of them ran.
fn covered(executions: &[&Execution]) -> Sample {
    let first = executions[0].sample;
    let (mut seconds, mut until) = (0.0, first.begin);
    for sample in executions.iter().map(|execution| execution.sample) {
        let end = sample.begin + sample.seconds * 1e9;
        seconds += (end - until.max(sample.begin)).max(0.0) / 1e9;
        until = until.max(end);
    }
    let iterations = executions.iter().map(|execution| execution.sample.iterations);
    Sample { iterations: iterations.fold(0, u64::saturating_add), seconds, ..first }
}

impl LaneRegions {
    /// A team's first thread is in its region before its implicit task begins, which says how many they are.
    fn enter(&mut self, number: u64, team: Option<u32>) {
        match self.regions.last_mut() {
            Some(region) if region.number == number => region.team = team.unwrap_or(region.team),
            _ => self.regions.push(Region { number, met: 0, team: team.unwrap_or(1) }),
        }
    }

    fn leave(&mut self, region: u64) {
        if let Some(at) = self.regions.iter().rposition(|known| known.number == region) {
            self.regions.truncate(at);
        }
    }

    /// Which loop the thread has met, and how many do so with it.
    fn meet(&mut self, number: u32) -> (Key, u32) {
        match self.regions.last_mut() {
            Some(region) => {
                region.met += 1;
                ((region.number, region.met), region.team)
            }
            // Each thread for itself: regions are numbered from 1, and lanes have 32 bits.
            None => {
                self.alone += 1;
                ((0, u64::from(number) << 32 | self.alone & 0xffff_ffff), 1)
            }
        }
    }
}

#[cfg(test)]
mod tests;

/// Executions under two schedules.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Compared {
    pub source: Vec<Sample>,
    /// Under the other schedule.
    pub other: Vec<Sample>,
    /// Executions that are no samples, since the one before in the process ran under the other schedule: it leaves data in the
    /// caches of threads that do not need them.
    pub after_a_change: usize,
}

impl Compared {
    /// Adds executions of one loop, whether they ran under the other schedule.
    pub fn add(&mut self, executions: impl Iterator<Item = (bool, Sample)>) {
        let mut executions: Vec<(bool, Sample)> = executions.collect();
        executions.sort_by(|(_, one), (_, other)| one.in_time(other));
        let mut before = None;
        for (is_other, sample) in executions {
            match (before, is_other) {
                (Some((run, was_other)), _) if run == sample.run && was_other != is_other => {
                    self.after_a_change += 1;
                }
                (_, true) => self.other.push(sample),
                (_, false) => self.source.push(sample),
            }
            before = Some((sample.run, is_other));
        }
    }
}
