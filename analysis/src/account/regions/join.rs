//! From the threads' parts of a region to the region, and from its executions to its place in the program. A lane is one block behind the
//! others at most, so few regions wait for a part; what waits is bounded.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::lane::{Course, Owned, TeamPart, Told};

/// Executions that may wait: more than there are in a block of the usual size.
const MOST_WAITING: usize = 1 << 16;

#[derive(Debug, Default)]
pub(crate) struct Regions {
    open: HashMap<u64, Open>,
    /// By the return address of the call that begins them.
    pub(super) by_code: BTreeMap<u64, RegionSums>,
    /// Whose loops and waits are, by the same addresses, ...
    owners: BTreeMap<Owned, BTreeSet<u64>>,
    /// ... and which loops are in serial code, too.
    outside: BTreeSet<Owned>,
    /// Something is told of executions that were not begun or did not end: which region's that is nobody knows.
    pub(super) is_torn: bool,
}

/// How much of something is a region's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Owns {
    All,
    Nothing,
    /// Some of it, or not.
    Perhaps,
}

/// All executions of a region, in ticks.
#[derive(Debug, Default)]
pub(super) struct RegionSums {
    pub(super) executions: u64,
    /// From begin to end.
    pub(super) elapsed: u64,
    /// The same times the size of the team.
    pub(super) all: u64,
    /// What of that threads had that told nothing of their part.
    pub(super) missing: u64,
    /// Smallest and largest team.
    pub(super) team_size: [u32; 2],
    /// What threads told of their parts.
    pub(super) team: TeamPart,
    /// Work of each execution's busiest thread, and of the mean one.
    pub(super) busiest: u64,
    pub(super) mean: u64,
}

/// An execution that is not whole yet.
#[derive(Debug, Default)]
struct Open {
    code: Option<u64>,
    ticks: Option<u64>,
    parts: u32,
    team: TeamPart,
    /// Work of the busiest thread.
    busiest: u64,
}

impl Open {
    fn is_whole(&self) -> bool {
        self.code.is_some() && self.ticks.is_some() && self.parts >= self.team.team_size.max(1)
    }
}

impl Regions {
    /// Takes what a lane has told.
    pub(crate) fn take(&mut self, lane: &mut Course) {
        self.outside.extend(lane.outside());
        for told in lane.told() {
            let (region, open) = match &told {
                Told::Begin { region, .. } | Told::Part { region, .. } | Told::End { region, .. } => {
                    (*region, self.open.entry(*region).or_default())
                }
            };
            match told {
                Told::Begin { code, .. } => open.code = Some(code),
                Told::End { ticks, .. } => open.ticks = Some(ticks),
                Told::Part { part, .. } => {
                    open.parts += 1;
                    open.team.team_size = part.team_size;
                    open.team.add(&part);
                    open.busiest = open.busiest.max(part.work());
                }
            }
            if open.is_whole() {
                self.settle(region);
            }
        }
        if self.open.len() > MOST_WAITING {
            self.give_up();
        }
    }

    pub(crate) fn finish(&mut self) {
        self.give_up();
    }

    /// What waits has no more parts.
    fn give_up(&mut self) {
        let mut regions: Vec<u64> = self.open.keys().copied().collect();
        regions.sort_unstable();
        for region in regions {
            self.settle(region);
        }
    }

    /// Adds an execution to its place.
    fn settle(&mut self, region: u64) {
        let Some(mut open) = self.open.remove(&region) else {
            return;
        };
        let (Some(code), Some(ticks)) = (open.code, open.ticks) else {
            self.is_torn = true;
            return;
        };
        for owned in open.team.owned.drain(..) {
            self.owners.entry(owned).or_default().insert(code);
        }
        self.by_code.entry(code).or_default().add(&open, ticks);
    }

    /// A region that is begun at these addresses is the only one, and no loop runs outside of it.
    pub(super) fn is_all(&self, codes: &BTreeSet<u64>) -> bool {
        self.by_code.len() == codes.len() && !self.is_torn && self.outside.is_empty()
    }

    /// The sums of such a region.
    pub(super) fn sums(&self, codes: &BTreeSet<u64>) -> RegionSums {
        let mut sums = RegionSums::default();
        let all = codes.iter().filter_map(|code| self.by_code.get(code));
        all.for_each(|more| sums.merge(more));
        sums
    }

    /// The return addresses of the calls that begin them.
    pub(crate) fn codes(&self) -> impl Iterator<Item = u64> {
        self.by_code.keys().copied()
    }

    /// How much of what is told of a loop or a wait is the region's.
    pub(super) fn owns(&self, codes: &BTreeSet<u64>, owned: Owned) -> Owns {
        // Waits of which nothing is told but that tasks ran in them may be anywhere.
        let Some(owners) = self.owners.get(&owned) else {
            return Owns::Perhaps;
        };
        if owners.is_disjoint(codes) {
            return Owns::Nothing;
        }
        match owners.is_subset(codes) && !self.outside.contains(&owned) && !self.is_torn {
            true => Owns::All,
            false => Owns::Perhaps,
        }
    }
}

impl RegionSums {
    fn add(&mut self, open: &Open, ticks: u64) {
        let size = open.team.team_size.max(open.parts).max(1);
        let [least, most] = self.team_size;
        self.team_size = match self.executions {
            0 => [size, size],
            _ => [least.min(size), most.max(size)],
        };
        self.executions += 1;
        self.elapsed = self.elapsed.saturating_add(ticks);
        self.all = self.all.saturating_add(ticks.saturating_mul(size.into()));
        let missing = ticks.saturating_mul((size - open.parts.min(size)).into());
        self.missing = self.missing.saturating_add(missing);
        self.team.add(&open.team);
        self.busiest = self.busiest.saturating_add(open.busiest);
        self.mean = self.mean.saturating_add(open.team.work() / u64::from(size));
    }

    /// Adds those of another call that begins the same region.
    fn merge(&mut self, more: &RegionSums) {
        let [least, most] = more.team_size;
        self.team_size = match self.executions {
            0 => more.team_size,
            _ => [self.team_size[0].min(least), self.team_size[1].max(most)],
        };
        self.executions += more.executions;
        self.elapsed = self.elapsed.saturating_add(more.elapsed);
        self.all = self.all.saturating_add(more.all);
        self.missing = self.missing.saturating_add(more.missing);
        self.busiest = self.busiest.saturating_add(more.busiest);
        self.mean = self.mean.saturating_add(more.mean);
        self.team.add(&more.team);
    }
}
