//! What one part tells: its loops with their sums, and what it does not hold.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use ompchunk_trace_format::{Clock, Ending, Error, Part, Variable};

use crate::aggregates::{Counted, LoopCounted};
use crate::definition::{CodePlace, Definition, Identity};
use crate::histogram::Durations;
use crate::join::{Executions, Join};
use crate::lane::{LaneSums, Told};
use crate::merge::Merge;
use crate::model::LoopReport;
use crate::open_loop::{LaneLoop, LeftOut, Loss, Worst, lowest};
use crate::openacc::Operations;
use crate::parallel_time::{ParallelTime, Times};
use crate::promise::Promise;
use crate::scan::{Progress, scan};
use crate::share::{Sums, sums_of};
use crate::tasks::TaskSums;
use crate::{account, symbols};

/// So much is joined of each lane in its turn.
const IN_TURN: usize = 64;

#[derive(Debug)]
pub(crate) struct PartSums {
    pub(crate) loops: Vec<LoopSums>,
    pub(crate) threads: u64,
    pub(crate) chunks: u64,
    pub(crate) stray: u64,
    pub(crate) events: u64,
    pub(crate) recorder: Option<u64>,
    pub(crate) knows_cores: bool,
    pub(crate) lost_elsewhere: Loss,
    pub(crate) counted: Counted,
    pub(crate) openacc: Operations,
    pub(crate) tasks: TaskSums,
    pub(crate) account: account::Sums,
    /// The part of that outside of regions, by the thread that `times` are of.
    pub(crate) serial: account::Spent,
    pub(crate) regions: account::Regions,
    pub(crate) codes: HashMap<u64, CodePlace>,
    pub(crate) clock: Clock,
    pub(crate) times: Times,
    pub(crate) last: u64,
}

impl PartSums {
    pub(crate) fn find(&self, identity: &Identity) -> Option<&LoopSums> {
        self.loops.iter().find(|the_loop| the_loop.identity == *identity)
    }

    pub(crate) fn numbers(&self, identity: &Identity) -> &[u32] {
        self.find(identity).map_or(&[], |found| &found.numbers)
    }
}

/// A loop in one part. Times are in ticks of the part's clock.
#[derive(Debug, Clone, Default)]
pub(crate) struct LoopSums {
    /// The part's own numbers of it: inlined copies of one loop have several.
    pub(crate) numbers: Vec<u32>,
    pub(crate) identity: Identity,
    pub(crate) variable: Variable,
    pub(crate) promise: Promise,
    pub(crate) executions: Executions,
    pub(crate) durations: Durations,
    pub(crate) extremes: Option<[u64; 2]>,
    pub(crate) worst: Worst,
    pub(crate) lowest: Option<i64>,
    pub(crate) threads: Vec<(u32, Sums)>,
    pub(crate) lost: Loss,
    pub(crate) partial_aggregates: u64,
    pub(crate) left_out: LeftOut,
    pub(crate) counted: LoopCounted,
}

#[derive(Default)]
struct Names {
    definitions: HashMap<u32, Definition>,
    places: HashMap<u64, CodePlace>,
}

impl Names {
    fn take(&mut self, lane: &mut LaneSums) {
        for (address, place) in lane.out.places.drain(..) {
            self.places.entry(address).or_insert(place);
        }
        for definition in lane.out.definitions.drain(..) {
            // A lane that lost something may have half of it.
            let known = self.definitions.get(&definition.the_loop);
            if known.is_none_or(|known| definition.tells_more_than(known)) {
                self.definitions.insert(definition.the_loop, definition);
            }
        }
    }
}

pub(crate) fn read(part: &Part, progress: Progress<'_>) -> Result<PartSums, Error> {
    let join = Join::new(is_lossy(part));
    let mut gathered = Gathered { join, names: Names::default(), regions: account::Regions::default() };
    let mut lanes = scan(part, LaneSums::default, |lanes, bytes| {
        gathered.take(lanes);
        progress(bytes);
    })?;
    lanes.iter_mut().for_each(LaneSums::finish);
    gathered.take(&mut lanes);
    gathered.join.finish();
    let mut sums = gathered.sums(part, &mut lanes);
    sums.loops = gathered.loops(lanes, &sums.counted, part);
    Ok(sums)
}

struct Gathered {
    join: Join,
    names: Names,
    regions: account::Regions,
}

pub(crate) fn is_lossy(part: &Part) -> bool {
    part.head().lost_chunks + part.head().lost_events > 0 || part.ending() != Ending::Clean
}

impl Gathered {
    fn take(&mut self, lanes: &mut [LaneSums]) {
        for lane in &mut *lanes {
            self.names.take(lane);
            self.regions.take(&mut lane.regions);
        }
        // In turn, so that what one thread tells need not wait long for the others.
        let mut queues: Vec<_> = lanes.iter_mut().map(|lane| lane.out.told.drain(..)).collect();
        while !queues.is_empty() {
            for told in queues.iter_mut().flat_map(|queue| queue.by_ref().take(IN_TURN)) {
                match told {
                    Told::Share(share) => self.join.add(&share),
                    Told::Leave(leave) => self.join.leave(leave),
                }
            }
            queues.retain(|queue| queue.len() > 0);
        }
    }

    fn sums(&mut self, part: &Part, lanes: &mut [LaneSums]) -> PartSums {
        let last = last_moment(part, lanes);
        let account = self.close_accounts(lanes, last);
        let (mut counted, mut openacc) = (Counted::default(), Operations::default());
        let (mut tasks, mut lost_elsewhere) = (TaskSums::default(), Loss::default());
        for lane in &*lanes {
            counted.take_in(&lane.counted);
            openacc.take_in(&lane.openacc);
            tasks.take_in(&lane.added_tasks);
            lost_elsewhere.take_in(&lane.lost);
        }
        let times = times_of(part, lanes, last, &counted);
        let total = |of: fn(&LaneSums) -> u64| lanes.iter().map(of).fold(0, u64::saturating_add);
        let threads: HashSet<u32> = lanes.iter().flat_map(|lane| &lane.threads).copied().collect();
        let clock = &part.meta().clock;
        PartSums {
            serial: serial_of(lanes, &times),
            times,
            loops: Vec::new(),
            threads: threads.len() as u64,
            chunks: total(|lane| lane.chunks),
            stray: total(|lane| lane.stray),
            events: total(|lane| lane.events),
            recorder: clock.own_least.map(|_| total(|lane| lane.recorder)),
            knows_cores: clock.cpu_read.is_some() && !lanes.iter().any(|lane| lane.lost_sight),
            lost_elsewhere,
            clock: part.clock(),
            last,
            counted,
            codes: codes_of(&account, &self.regions, &tasks, openacc.codes(), &self.names),
            openacc,
            tasks,
            regions: std::mem::take(&mut self.regions),
            account,
        }
    }

    /// What is open goes on until the end.
    fn close_accounts(&mut self, lanes: &mut [LaneSums], last: u64) -> account::Sums {
        let mut account = account::Sums::default();
        for lane in lanes {
            lane.account.finish(last);
            account.take_in(&lane.account.sums);
            lane.regions.finish(last);
            self.regions.take(&mut lane.regions);
        }
        self.regions.finish();
        account
    }

    /// Inlined copies of a loop have numbers of their own, and are one here.
    fn loops(mut self, lanes: Vec<LaneSums>, counted: &Counted, part: &Part) -> Vec<LoopSums> {
        // Before anything is taken out of the join: lanes name the same loops.
        let numbers = lanes.iter().flat_map(|lane| &lane.loops);
        let known: HashMap<u32, LoopSums> =
            numbers.map(|lane_loop| (lane_loop.number, self.identify(lane_loop.number, part))).collect();
        let mut loops: Vec<LoopSums> = Vec::new();
        let mut slots: HashMap<&Identity, usize> = HashMap::new();
        for lane_loop in lanes.into_iter().flat_map(|lane| lane.loops) {
            let number = lane_loop.number;
            let known = &known[&number];
            let slot = *slots.entry(&known.identity).or_insert_with(|| {
                loops.push(known.clone());
                loops.len() - 1
            });
            let sums = &mut loops[slot];
            // Inlined copies may stand where less is known of what follows.
            sums.promise = std::mem::take(&mut sums.promise).or_stricter(&known.promise);
            if !sums.numbers.contains(&number) {
                sums.numbers.push(number);
                if let Some(counted) = counted.loops.get(&number) {
                    sums.counted.take_in(counted);
                }
                let executions = self.join.loops.remove(&number);
                sums.executions.take_in(&executions.unwrap_or_default());
            }
            sums.add(&lane_loop);
        }
        for sums in &mut loops {
            sums.threads.sort_unstable_by_key(|(thread, _)| *thread);
        }
        loops
    }

    fn identify(&self, number: u32, part: &Part) -> LoopSums {
        let Some(definition) = self.names.definitions.get(&number) else {
            // Only in a part of which the definition was lost.
            let identity =
                Identity { offset: Some(number.into()), construct: "unknown".to_owned(), ..Identity::default() };
            return LoopSums { identity, ..LoopSums::default() };
        };
        let place = self.names.places.get(&definition.code);
        let mut identity = definition.identity(place);
        if !definition.instrumented {
            let executions = self.join.loops.get(&number);
            identity.runs_as(executions.map_or(0, |executions| executions.work));
            let call_at = |place: &CodePlace| symbols::call(part, Path::new(&place.object), place.offset);
            if let Some(call) = definition.place(place).and_then(call_at) {
                identity.is_at(call);
            }
        }
        let (variable, promise) = (definition.variable, definition.promise.clone());
        LoopSums { identity, variable, promise, ..LoopSums::default() }
    }
}

fn last_moment(part: &Part, lanes: &[LaneSums]) -> u64 {
    if part.head().ended {
        return part.head().end.0;
    }
    lanes.iter().map(|lane| lane.last.max(lane.counted.last)).max().unwrap_or(0)
}

fn times_of(part: &Part, lanes: &[LaneSums], last: u64, counted: &Counted) -> Times {
    let whole = part.head().lost_events == 0;
    let mode = &part.meta().mode;
    let told = !mode.aggregate && mode.sample <= 1;
    ParallelTime::of_process(lanes.iter().map(|lane| lane.parallel_time), last, whole, told, counted)
}

fn serial_of(lanes: &[LaneSums], times: &Times) -> account::Spent {
    let first = times.thread.and_then(|first| lanes.iter().find(|lane| lane.parallel_time.thread == Some(first)));
    first.map_or_else(account::Spent::default, |lane| lane.account.sums.spent(account::Activity::Serial))
}

/// The addresses that the account names, with what is there.
fn codes_of(
    account: &account::Sums,
    regions: &account::Regions,
    tasks: &TaskSums,
    of_operations: impl Iterator<Item = u64>,
    names: &Names,
) -> HashMap<u64, CodePlace> {
    let codes = account.mutexes.keys().map(|key| key.code);
    let codes = codes.chain(regions.codes()).chain(tasks.codes()).chain(of_operations);
    codes.filter_map(|code| Some((code, names.places.get(&code)?.clone()))).collect()
}

impl LoopSums {
    /// Nothing of it is told, as it was asked for.
    pub(crate) fn is_left_out(&self) -> bool {
        let nothing = self.threads.is_empty() && self.executions == Executions::default();
        nothing && self.lost.chunks == 0 && self.left_out != LeftOut::default()
    }

    pub(crate) fn chunks(&self) -> u64 {
        self.threads.iter().map(|(_, sums)| sums.chunks).sum()
    }

    fn add(&mut self, lane_loop: &LaneLoop) {
        self.durations.merge(&lane_loop.durations, 1.0);
        merge_fields!(self, lane_loop: extremes, lost, partial_aggregates);
        self.lowest = lowest(self.lowest, lane_loop.lowest);
        for long in lane_loop.worst.kept() {
            if self.worst.wants(long.duration) {
                self.worst.add(*long);
            }
        }
        for (thread, sums) in &lane_loop.threads {
            sums_of(&mut self.threads, *thread).take_in(sums);
        }
        let (most, left_out) = (&mut self.left_out, lane_loop.left_out);
        merge_fields!(most, left_out: ; max unnamed, skipped);
    }
}

/// The loops of a list for which a part is read again, under the part's own numbers of them.
pub(crate) struct Sought<W> {
    /// What is wanted of each, and its place in the list.
    pub(crate) loops: Vec<(W, usize)>,
    pub(crate) slots: HashMap<u32, usize>,
}

impl<W> Sought<W> {
    /// `wanted` is given the place in the list; `None`: the part is not read for it.
    pub(crate) fn from_sums<'a>(
        sums: &'a PartSums,
        list: &[&LoopReport],
        wanted: impl Fn(usize, &'a LoopSums) -> Option<W>,
    ) -> Sought<W> {
        let mut sought = Sought { loops: Vec::new(), slots: HashMap::new() };
        for (place, the_loop) in list.iter().enumerate() {
            let Some(loop_sums) = sums.find(&the_loop.identity) else { continue };
            if let Some(wanted) = wanted(place, loop_sums) {
                let slot = sought.loops.len();
                sought.slots.extend(loop_sums.numbers.iter().map(|number| (*number, slot)));
                sought.loops.push((wanted, place));
            }
        }
        sought
    }

    pub(crate) fn slot(&self, number: u32) -> Option<usize> {
        self.slots.get(&number).copied()
    }
}
