//! Where every second of every thread goes: a closed account. Each moment of a thread is in one [`Activity`], by the events of its
//! lane; what a recording only adds up (waiting for locks, explicit tasks), and what of it was the recorder's or off a core, is taken
//! out of the activity in which it lies. So the entries add up to threads × elapsed time, whatever the program does.

mod constructs;
mod entries;
mod region_entries;
mod regions;
mod sums;

pub(crate) use self::constructs::Course;
pub(crate) use self::entries::{account, contended, locks, of_loop};
pub(crate) use self::region_entries::regions;
pub(crate) use self::regions::{Course as RegionCourse, Regions};
pub(crate) use self::sums::{Spent, Sums};

/// What a thread is in, the first of these that it is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Activity {
    Paused,
    WaitAfterLoop,
    WaitAfterSingle,
    WaitAfterSections,
    /// At the barrier after the region's own code.
    WaitAfterRegion,
    /// In `taskwait`, or at the end of a `taskgroup`.
    WaitForTasks,
    Loop,
    Reduction,
    /// The one that runs a `single`.
    Single,
    Sections,
    OtherWork,
    /// In a parallel region, and in none of those.
    Region,
    /// In no region: a thread of the runtime's.
    Idle,
    /// In no region: the program's own thread.
    Serial,
}

pub(crate) const ACTIVITIES: usize = Activity::Serial as usize + 1;

impl Activity {
    pub(crate) const ALL: [Activity; ACTIVITIES] = {
        use Activity::*;
        [
            Paused, WaitAfterLoop, WaitAfterSingle, WaitAfterSections, WaitAfterRegion, WaitForTasks, Loop, Reduction,
            Single, Sections, OtherWork, Region, Idle, Serial,
        ]
    };

    /// Waits for others, in which a thread may run tasks.
    pub(crate) const WAITS: [Activity; 5] = {
        use Activity::*;
        [WaitAfterLoop, WaitAfterSingle, WaitAfterSections, WaitAfterRegion, WaitForTasks]
    };
}
