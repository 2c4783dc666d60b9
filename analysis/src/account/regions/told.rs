//! What a lane tells of regions.

use crate::account::{ACTIVITIES, Activity, Spent};

/// What threads work at in a region.
const WORK: [Activity; 6] =
    [Activity::Loop, Activity::Reduction, Activity::Single, Activity::Sections, Activity::OtherWork, Activity::Region];

/// Of a region, by the number of its execution.
#[derive(Debug)]
pub(super) enum Told {
    /// A thread begins it; the return address of the call.
    Begin { region: u64, code: u64 },
    /// A thread's part of it.
    Part { region: u64, part: Box<TeamPart> },
    /// It has ended, so long after its begin.
    End { region: u64, ticks: u64 },
}

/// A thread's part of a region, or several together.
#[derive(Debug, Default)]
pub(super) struct TeamPart {
    pub(super) team_size: u32,
    /// From its begin to its end.
    pub(super) ticks: u64,
    pub(super) spent: [Spent; ACTIVITIES],
    /// In regions within this one, which have accounts of their own.
    pub(super) nested: u64,
    /// What sums may be told of, as it was in the region.
    pub(super) owned: Vec<Owned>,
}

/// What a thread may have sums of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Owned {
    /// A loop, by number.
    Loop(u32),
    /// Waits, by the return address of the call.
    Wait(u64),
}

impl TeamPart {
    /// Ticks of work.
    pub(super) fn work(&self) -> u64 {
        let own = |activity: Activity| {
            let spent = self.spent[activity as usize];
            spent.ticks.saturating_sub(spent.recorder).saturating_sub(spent.off_core)
        };
        WORK.into_iter().map(own).sum()
    }

    /// Adds another's times.
    pub(super) fn add(&mut self, more: &TeamPart) {
        self.ticks = self.ticks.saturating_add(more.ticks);
        self.nested = self.nested.saturating_add(more.nested);
        for (spent, own) in self.spent.iter_mut().zip(more.spent) {
            spent.add(own);
        }
        for owned in &more.owned {
            if !self.owned.contains(owned) {
                self.owned.push(*owned);
            }
        }
    }
}
