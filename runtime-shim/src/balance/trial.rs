//! `adaptive`: which of its ways to run a loop gets, found out while the program runs, from region to region.
//!
//! 1. The first region does not count. Then the loop runs as compiled, timed: where its threads take as long, there is nothing to gain.
//! 2. Else blocks of equal cost are learned, in a few regions.
//! 3. Then the ways take turns, round after round (`rounds`), until one is known to be faster than the loop as compiled, or none is.
//! 4. What was decided stays. It is looked at seldom, by one region's times, and tried anew where it no longer does what it did, and
//!    after more and more regions in any case.

use ompchunk_schedules::Dealt;

use super::plan::{Correction, Deal, Mode, Plan, imbalance, is_even};
use super::rounds::{OTHERS, Ratios, Verdict, ratio, slower, verdict};
use super::watch::{Found, Times};

/// A loop whose busiest thread takes less than this more than the average one has nothing to gain.
const NOTHING_TO_GAIN: f64 = 0.03;
/// So many regions in a row say so, before it is believed.
const EVEN_REGIONS: u32 = 2;
/// Corrections of blocks before the ways take turns.
const LEARNING: u32 = 4;
/// Blocks that are still so uneven then may be worse than dealing.
const UNEVEN_BLOCKS: f64 = 0.05;
/// Regions in a row in which decided blocks are uneven, before they are tried anew.
const UNEVEN_REGIONS: u32 = 16;
/// Regions from one look at what was decided to the next, at first and at most.
const PAUSES: (u64, u64) = (8, 64);
/// Regions before ways are tried anew: at first, at first where no way was known to be faster, and at most.
const FIRST_TRIAL: u64 = 256;
const FIRST_AFTER_NONE: u64 = 64;
const LAST_TRIAL: u64 = 1 << 14;

/// A dealt loop has so many chunks for each thread, ...
const CHUNKS: f64 = 32.0;
/// ... unless they would then be shorter than this, in nanoseconds. A loop that is too short for that gets them by `guided`.
const SHORTEST_CHUNK: f64 = 5_000.0;

/// A loop's trial.
pub(super) struct Trial {
    stage: Stage,
    /// Blocks of equal cost can be had.
    can_balance: bool,
    deal: Option<Deal>,
    /// Regions that were timed until something was decided first.
    regions: u32,
    /// Looks at what was decided, and trials, which become rare.
    pause: u64,
    until_trial: u64,
    next_trial: u64,
    pub(super) outcome: Option<Outcome>,
}

/// What was decided last.
#[derive(Clone, Copy)]
pub(super) struct Outcome {
    pub(super) mode: Mode,
    /// Timed regions before the first decision.
    pub(super) regions: u32,
    /// How many times something was decided.
    pub(super) decisions: u32,
    /// Of the time as compiled, between which two parts it takes now. None: nothing else was tried.
    pub(super) interval: Option<(f64, f64)>,
    /// What was tried besides the loop as compiled.
    pub(super) tried: [Option<Mode>; OTHERS],
}

enum Stage {
    Cold,
    /// It runs as compiled; so many regions in a row were even.
    AsCompiled(u32),
    /// It learns blocks of equal cost; so many corrections.
    Learn(u32),
    Rounds(Turns),
    /// So many regions in a row were uneven.
    Decided(Mode, u32),
}

/// The ways that take turns, and what they have shown.
struct Turns {
    /// Those that were there at first.
    tried: [Option<Mode>; OTHERS],
    /// Those that are not given up.
    ways: [Option<Mode>; OTHERS],
    ratios: [Option<Ratios>; OTHERS],
    rounds: usize,
    /// Which of this round's turns is on.
    turn: usize,
    /// This round's times: as compiled, then the others'.
    times: [f64; OTHERS + 1],
}

impl Trial {
    pub(super) fn new(can_balance: bool) -> Self {
        Self {
            stage: Stage::Cold,
            can_balance,
            deal: None,
            regions: 0,
            pause: PAUSES.0,
            until_trial: FIRST_TRIAL,
            next_trial: FIRST_TRIAL,
            outcome: None,
        }
    }

    /// Of a loop of which an earlier run decided that. It is looked at soon.
    pub(super) fn after_a_run(mode: Mode, can_balance: bool) -> Self {
        let stage = match mode {
            Mode::Balanced if !can_balance => Stage::Cold,
            mode => Stage::Decided(mode, 0),
        };
        Self {
            stage,
            ..Self::new(can_balance)
        }
    }

    /// A region has ended that was timed.
    pub(super) fn next(&mut self, found: &Found) -> Plan {
        let times = match found {
            Found::Nothing => return Plan::of(self.mode()),
            Found::TooShort => return self.leave(),
            Found::Times(times) => times,
        };
        if self.outcome.is_none() {
            self.regions += 1;
        }
        match &mut self.stage {
            Stage::Cold => {
                self.stage = Stage::AsCompiled(0);
                Plan::of(Mode::Source)
            }
            Stage::AsCompiled(even) if imbalance(times) <= NOTHING_TO_GAIN => {
                *even += 1;
                match *even >= EVEN_REGIONS {
                    true => self.decide(Mode::Source, None),
                    false => Plan::of(Mode::Source),
                }
            }
            Stage::AsCompiled(_) => self.begin(times),
            Stage::Learn(corrections) => {
                *corrections += 1;
                let corrections = *corrections;
                self.learn(times, corrections)
            }
            Stage::Rounds(turns) => {
                let (turned, correction) = turns.take(times);
                let plan = match turned {
                    Turned::Next(mode) => Plan::of(mode),
                    Turned::Over(mode, interval) => self.decide(mode, interval),
                };
                plan.corrected(correction)
            }
            Stage::Decided(mode, uneven) => {
                let (mode, uneven) = (*mode, *uneven);
                self.inspect(times, mode, uneven)
            }
        }
    }

    /// How it runs just now.
    pub(super) fn mode(&self) -> Mode {
        match &self.stage {
            Stage::Cold | Stage::AsCompiled(_) => Mode::Source,
            Stage::Learn(_) => Mode::Balanced,
            Stage::Rounds(turns) => turns.mode(),
            Stage::Decided(mode, _) => *mode,
        }
    }

    /// No way to run a loop that is so short can gain more than finding it costs.
    fn leave(&mut self) -> Plan {
        match self.stage {
            Stage::Decided(Mode::Source, _) => self.pausing(Mode::Source),
            Stage::Cold
            | Stage::AsCompiled(_)
            | Stage::Learn(_)
            | Stage::Rounds(_)
            | Stage::Decided(Mode::Balanced | Mode::Dealt(_), _) => self.decide(Mode::Source, None),
        }
    }

    /// As compiled it is uneven: its times are the first that blocks are learned from.
    fn begin(&mut self, times: &Times) -> Plan {
        self.deal = deal(times);
        match self.can_balance {
            true => {
                self.stage = Stage::Learn(0);
                Plan::BALANCED.corrected(Correction::Whole)
            }
            false => self.take_turns([None, self.deal.map(Mode::Dealt)]),
        }
    }

    fn learn(&mut self, times: &Times, corrections: u32) -> Plan {
        if !is_even(times) && corrections < LEARNING {
            return Plan::BALANCED.corrected(Correction::Whole);
        }
        self.try_blocks(times, self.deal)
    }

    /// Blocks that took so long, and if they are uneven that deal.
    fn try_blocks(&mut self, times: &Times, deal: Option<Deal>) -> Plan {
        let deal = deal.filter(|_| imbalance(times) > UNEVEN_BLOCKS);
        self.take_turns([Some(Mode::Balanced), deal.map(Mode::Dealt)])
    }

    fn take_turns(&mut self, ways: [Option<Mode>; OTHERS]) -> Plan {
        if ways == [None; OTHERS] {
            return self.decide(Mode::Source, None);
        }
        let turns = Turns::of(ways);
        let plan = Plan::of(turns.mode());
        self.stage = Stage::Rounds(turns);
        plan
    }

    fn decide(&mut self, mode: Mode, interval: Option<(f64, f64)>) -> Plan {
        let tried = match &self.stage {
            Stage::Rounds(turns) => turns.tried,
            Stage::Cold | Stage::AsCompiled(_) | Stage::Learn(_) | Stage::Decided(..) => {
                [None; OTHERS]
            }
        };
        let before = self.outcome;
        self.outcome = Some(Outcome {
            mode,
            regions: before.map_or(self.regions, |outcome| outcome.regions),
            decisions: before.map_or(1, |outcome| outcome.decisions.saturating_add(1)),
            interval: interval.map(|(low, high)| (ratio(low), ratio(high))),
            tried,
        });
        // The same again is asked less often.
        let is_same = before.is_some_and(|outcome| outcome.mode == mode);
        self.next_trial = match is_same {
            true => (self.next_trial * 2).min(LAST_TRIAL),
            false if interval.is_none() => FIRST_AFTER_NONE,
            false => FIRST_TRIAL,
        };
        self.until_trial = self.next_trial;
        self.pause = PAUSES.0;
        self.stage = Stage::Decided(mode, 0);
        self.pausing(mode)
    }

    fn pausing(&mut self, mode: Mode) -> Plan {
        let plan = Plan::of(mode).after(self.pause);
        self.until_trial = self.until_trial.saturating_sub(self.pause);
        self.pause = (self.pause * 2).min(PAUSES.1);
        plan
    }

    /// One region of a decided loop was timed.
    fn inspect(&mut self, times: &Times, mode: Mode, uneven: u32) -> Plan {
        let is_due = self.until_trial == 0;
        match mode {
            // As compiled it is even, or another way was not faster: that is asked again when it is due.
            Mode::Source if imbalance(times) <= NOTHING_TO_GAIN => self.pausing(mode),
            Mode::Source if is_due || self.was_decided_as_even() => self.begin(times),
            Mode::Balanced if is_due => self.try_again(times),
            Mode::Balanced => self.follow(times, uneven),
            Mode::Dealt(_) if is_due => {
                self.stage = Stage::AsCompiled(0);
                Plan::of(Mode::Source)
            }
            Mode::Source | Mode::Dealt(_) => self.pausing(mode),
        }
    }

    /// It was decided because it was even.
    fn was_decided_as_even(&self) -> bool {
        self.outcome
            .is_some_and(|outcome| outcome.tried == [None; OTHERS])
    }

    fn try_again(&mut self, times: &Times) -> Plan {
        self.try_blocks(times, deal(times).or(self.deal))
    }

    /// Decided blocks, which were uneven in so many regions just before, follow costs that change.
    fn follow(&mut self, times: &Times, uneven: u32) -> Plan {
        if is_even(times) {
            self.stage = Stage::Decided(Mode::Balanced, 0);
            return self.pausing(Mode::Balanced);
        }
        let uneven = uneven.saturating_add(1);
        self.stage = Stage::Decided(Mode::Balanced, uneven);
        self.pause = PAUSES.0;
        self.until_trial = self.until_trial.saturating_sub(1);
        if uneven == UNEVEN_REGIONS && imbalance(times) > UNEVEN_BLOCKS {
            return self.try_again(times);
        }
        Plan::BALANCED.corrected(Correction::Whole)
    }
}

/// What follows from a turn.
enum Turned {
    /// The next one is that way's.
    Next(Mode),
    /// That way is decided, which takes so much of the time as compiled.
    Over(Mode, Option<(f64, f64)>),
}

impl Turns {
    fn of(ways: [Option<Mode>; OTHERS]) -> Self {
        Self {
            tried: ways,
            ways,
            ratios: ways.map(|way| way.map(|_| Ratios::default())),
            rounds: 0,
            turn: 0,
            times: [0.0; OTHERS + 1],
        }
    }

    fn in_a_round(&self) -> usize {
        1 + self.ways.iter().flatten().count()
    }

    /// Whose turn it is, by the place in `times`. Each round begins with another one.
    fn place(&self) -> usize {
        let turn = (self.turn + self.rounds) % self.in_a_round();
        let mut others = (1..).zip(&self.ways).filter(|(_, way)| way.is_some());
        match turn.checked_sub(1) {
            None => 0,
            Some(before) => others.nth(before).map_or(0, |(place, _)| place),
        }
    }

    pub(super) fn mode(&self) -> Mode {
        match self.place() {
            0 => Mode::Source,
            place => self.ways[place - 1].unwrap_or(Mode::Source),
        }
    }

    /// One of the ways has had its turn, and took so long. What follows, and how blocks are corrected.
    fn take(&mut self, times: &Times) -> (Turned, Correction) {
        let correction = self.correction(times);
        let turned = match self.note(times) {
            Verdict::Open => Turned::Next(self.mode()),
            Verdict::Source => Turned::Over(Mode::Source, None),
            Verdict::Other(way) => Turned::Over(
                self.ways[way].unwrap_or(Mode::Source),
                self.ratios[way].and_then(|ratios| ratios.interval()),
            ),
        };
        (turned, correction)
    }

    /// Blocks that had their turn are corrected where they are uneven.
    fn correction(&self, times: &Times) -> Correction {
        if self.mode() != Mode::Balanced || is_even(times) {
            return Correction::None;
        }
        Correction::HalfWay
    }

    /// The one whose turn it was took so long.
    fn note(&mut self, times: &Times) -> Verdict {
        self.times[self.place()] = times.busiest();
        self.turn += 1;
        if self.turn < self.in_a_round() {
            return Verdict::Open;
        }
        let [source, others @ ..] = self.times;
        for (ratios, time) in self.ratios.iter_mut().zip(others) {
            if let Some(ratios) = ratios {
                ratios.add(time, source);
            }
        }
        (self.turn, self.rounds) = (0, self.rounds + 1);
        let verdict = verdict(&self.ratios);
        if let (Verdict::Open, Some(way)) = (verdict, slower(&self.ratios)) {
            (self.ways[way], self.ratios[way]) = (None, None);
        }
        verdict
    }
}

/// How the runtime would deal a loop whose iterations cost so much: chunks that take long beside dealing one, and enough of them for
/// each thread. None: the loop's iterations are not known, or too few for that.
fn deal(times: &Times) -> Option<Deal> {
    let team = times.ticks().len() as f64;
    let iterations = times.iterations as f64;
    let of_one = times.mean() * team / iterations;
    let target = (times.mean() / CHUNKS).max(SHORTEST_CHUNK);
    let chunk = (target / of_one).max(1.0);
    let enough = times.iterations > 0 && chunk * team * 2.0 <= iterations;
    enough.then_some(Deal {
        kind: match times.mean() / CHUNKS < SHORTEST_CHUNK {
            true => Dealt::Guided,
            false => Dealt::Dynamic,
        },
        chunk: chunk.min(f64::from(i32::MAX)) as u32,
    })
}

#[cfg(test)]
mod tests;
