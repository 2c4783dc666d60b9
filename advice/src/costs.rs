//! What dealing costs: measured on a machine with a runtime, or bounds where nobody measured.

use serde::{Deserialize, Serialize};

use crate::schedule::{Kind, Schedule};

/// Nanoseconds of a thread per chunk.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct PerChunk {
    pub alone: f64,
    /// In a team whose threads do nothing else.
    pub together: f64,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Measured {
    pub runtime: String,
    pub threads: u32,
    /// `dynamic`, as compilers mean it: nonmonotonic.
    pub dynamic: PerChunk,
    /// The same where the loop variable has 64 bits, for which runtimes have another way.
    pub dynamic_wide: PerChunk,
    /// `monotonic:dynamic`
    pub monotonic: PerChunk,
    pub guided: PerChunk,
    /// Nanoseconds to begin a loop whose chunks the runtime deals, more than one whose chunks it does not.
    pub begin: f64,
}

#[derive(Debug, Clone, Default, PartialEq)]
pub struct Costs {
    /// The loop's variable has 64 bits.
    pub wide: bool,
    /// `None`: it could not be measured, and may be anything up to a bound.
    pub measured: Option<Measured>,
}

/// Which end of what is not known exactly.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Case {
    Best,
    Middle,
    /// Dealing costs most, and chunks share cache lines.
    Worst,
}

/// What it takes to deal a chunk, in nanoseconds.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Dealing {
    pub own: f64,
    /// The part of it in which no other thread can get a chunk.
    pub exclusive: f64,
    pub begin: f64,
    /// A share by which iterations take longer because other threads run their neighbours at the same time.
    pub beside: f64,
}

/// The most that a chunk costs where it was not measured: ten cache misses between sockets.
pub const BOUND: f64 = 1000.0;
/// At the end of a chunk two threads may write to one cache line, which no profile shows.
pub const SHARED_LINE: f64 = 100.0;
/// Iterations that write to one cache line: of 64 bytes, in elements of 8.
const PER_LINE: f64 = 8.0;
/// Where threads run such iterations at the same time and write all along, they take longer by as much as this in the worst case.
const BESIDE: f64 = 0.5;
/// A chunk takes longer to deal where caches and branch predictors are full of the loop's body than where a team does nothing else: as a
/// rule, ...
const BODY: f64 = 1.2;
/// ... and in the worst case.
const MOST_BODY: f64 = 2.0;
/// The way from chunk to chunk in the program's own code, in the best and the worst case.
const STEP: (f64, f64) = (0.3, 4.0);
/// Nanoseconds that no runtime exceeds.
const MOST: f64 = 1e7;

impl Measured {
    pub fn is_possible(&self) -> bool {
        let kinds = [self.dynamic, self.dynamic_wide, self.monotonic, self.guided];
        let mut times = kinds.iter().flat_map(|per_chunk| [per_chunk.alone, per_chunk.together]);
        let possible = |time: f64| time.is_finite() && (0.0..MOST).contains(&time);
        self.threads > 0 && possible(self.begin) && times.all(possible)
    }

    fn dealing(&self, schedule: &Schedule, wide: bool, case: Case) -> Dealing {
        let per_chunk = match (schedule.kind, schedule.monotonic) {
            (Kind::Guided, _) => self.guided,
            (Kind::Static | Kind::Dynamic, true) => self.monotonic,
            (Kind::Static | Kind::Dynamic, false) if wide => self.dynamic_wide,
            (Kind::Static | Kind::Dynamic, false) => self.dynamic,
        };
        let low = per_chunk.alone.min(per_chunk.together);
        let high = per_chunk.alone.max(per_chunk.together);
        let in_one_place = schedule.monotonic || schedule.kind == Kind::Guided;
        let threads = f64::from(self.threads.max(1));
        Dealing {
            own: case.pick([low, BODY * high, MOST_BODY * high + SHARED_LINE]),
            exclusive: case.pick([0.0, 0.0, if in_one_place { per_chunk.together / threads } else { 0.0 }]),
            begin: self.begin.max(0.0),
            // Else each thread begins with a part of its own, far from the others'.
            beside: match schedule.chunk {
                Some(chunk) if schedule.monotonic && schedule.kind == Kind::Dynamic => case.beside(chunk),
                _ => 0.0,
            },
        }
    }

    /// The less of each of two measurements of the same: others on the machine only ever make one longer.
    pub fn or_less(mut self, second: &Measured) -> Measured {
        self.dynamic = self.dynamic.or_less(second.dynamic);
        self.dynamic_wide = self.dynamic_wide.or_less(second.dynamic_wide);
        self.monotonic = self.monotonic.or_less(second.monotonic);
        self.guided = self.guided.or_less(second.guided);
        self.begin = self.begin.min(second.begin);
        self
    }
}

impl Case {
    /// What holds in this case, of what holds in the best, the middle and the worst one.
    pub fn pick(self, of_each: [f64; 3]) -> f64 {
        of_each[self as usize]
    }

    /// What iterations of so large chunks take longer beside each other.
    fn beside(self, chunk: u64) -> f64 {
        self.pick([0.0, 0.0, BESIDE * shared(chunk)])
    }
}

/// The share of a chunk's iterations that write to a cache line of another's.
pub fn shared(chunk: u64) -> f64 {
    (PER_LINE / chunk as f64).min(1.0)
}

/// `static,c`
fn in_turn(chunk: u64, case: Case) -> Dealing {
    let (low, high) = STEP;
    let own = [low, (low + high) / 2.0 + SHARED_LINE / 2.0 * shared(chunk), high + SHARED_LINE];
    Dealing { own: case.pick(own), beside: case.beside(chunk), ..Dealing::default() }
}

impl PerChunk {
    fn or_less(self, second: PerChunk) -> PerChunk {
        PerChunk { alone: self.alone.min(second.alone), together: self.together.min(second.together) }
    }
}

impl Costs {
    pub fn dealing(&self, schedule: &Schedule, case: Case) -> Dealing {
        match (schedule.kind, schedule.chunk, &self.measured) {
            (Kind::Static, None, _) => Dealing::default(),
            (Kind::Static, Some(chunk), _) => in_turn(chunk, case),
            (.., Some(measured)) => measured.dealing(schedule, self.wide, case),
            (.., None) => Dealing {
                own: case.pick([0.0, BOUND / 2.0, BOUND + SHARED_LINE]),
                begin: case.pick([0.0, BOUND / 2.0, BOUND]),
                ..Dealing::default()
            },
        }
    }

    /// What of a recorded chunk's time was dealing it, as far as that is known: the least.
    pub fn least(&self, schedule: &Schedule) -> f64 {
        self.measured.as_ref().map_or(0.0, |_| self.dealing(schedule, Case::Best).own)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_known_is_between_nothing_and_a_bound() {
        let dynamic = Schedule::with_chunk(Kind::Dynamic, 4);
        let unknown = Costs::default();
        assert_eq!(unknown.dealing(&dynamic, Case::Best).own, 0.0);
        assert_eq!(unknown.dealing(&dynamic, Case::Worst).own, BOUND + SHARED_LINE);
        assert_eq!(unknown.dealing(&Schedule::STATIC, Case::Worst), Dealing::default());
        assert_eq!(unknown.least(&dynamic), 0.0);
    }

    #[test]
    fn who_runs_neighbours_at_once() {
        let costs = Costs { wide: false, measured: Some(Measured::default()) };
        let beside = |schedule: &Schedule| costs.dealing(schedule, Case::Worst).beside;
        let dynamic = Schedule::with_chunk(Kind::Dynamic, 1);
        let in_turn = Schedule { monotonic: true, ..dynamic };
        assert_eq!((beside(&dynamic), beside(&in_turn)), (0.0, BESIDE));
        let chunks = [1, 8, 16, 800].map(|chunk| beside(&Schedule::with_chunk(Kind::Static, chunk)));
        assert_eq!(chunks, [BESIDE, BESIDE, BESIDE / 2.0, BESIDE / 100.0]);
        assert_eq!(beside(&Schedule::STATIC), 0.0);
    }

    #[test]
    fn what_was_measured() {
        let costs = Costs {
            wide: false,
            measured: Some(Measured {
                threads: 4,
                guided: PerChunk { alone: 20.0, together: 200.0 },
                ..Measured::default()
            }),
        };
        let guided = Schedule::with_chunk(Kind::Guided, 4);
        let worst = costs.dealing(&guided, Case::Worst);
        let most = 200.0 * MOST_BODY + SHARED_LINE;
        assert_eq!((worst.own, worst.exclusive, worst.beside), (most, 50.0, 0.0));
        assert_eq!(costs.dealing(&guided, Case::Middle).own, 200.0 * BODY);
        assert_eq!(costs.least(&guided), 20.0);
    }
}
