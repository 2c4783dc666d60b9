//! `adaptive`: which of its ways to run a loop gets, found out while the program runs, from region to region.
//!
//! 1. The first region does not count. Then the loop runs as compiled, timed: where its threads take as long, there is nothing to gain, but
//!    for loops that are dealt short chunks.
//! 2. Else blocks of equal cost are learned, in a few regions.
//! 3. Then the ways take turns, round after round (`rounds`), until one is known to be faster than the loop as compiled, or none is: the
//!    blocks, and where they stay uneven, or cannot be had, a dealt schedule and `static` chunks.
//! 4. What was decided stays. It is looked at seldom, by one region's times, and tried anew where it no longer does what it did, and
//!    after more and more regions in any case. A trial that finds nothing certain leaves it as it is, if its times were shorter.

mod chunks;
mod ways;

use self::chunks::{deal, has_short_chunks, static_chunk};
use self::ways::{Turned, Ways};
use super::part_times::{Found, Times};
use super::plan::{Can, Correction, Mode, Plan, imbalance, is_even, is_uneven_for_blocks};
use super::rounds::{OTHERS, ratio};

/// A loop whose busiest thread takes less than this more than the average one has nothing to gain.
const NOTHING_TO_GAIN: f64 = 0.03;
/// So many regions in a row say so, before it is believed.
const EVEN_REGIONS: u32 = 2;
/// Corrections of blocks before the ways take turns.
const LEARNING: u32 = 4;
/// Corrections are in vain that leave so much of the imbalance.
const IN_VAIN: f64 = 0.5;
/// Regions in a row in which decided blocks are uneven, before they are tried anew.
const UNEVEN_REGIONS: u32 = 16;
/// Regions from one look at what was decided to the next, at first and at most.
const PAUSES: (u64, u64) = (8, 64);
/// Where blocks become uneven again and again, there are so many looks from one time to the next, but none after fewer regions than this.
const LOOKS_PER_CHANGE: u64 = 10;
const SHORTEST_PAUSE: u64 = 3;
/// After so many of the longest pauses in which they stay even, that doubles.
const STEADY_PAUSES: u64 = 40;
/// Regions before ways are tried anew: at first, at first where a way is likely faster, and where none is, and at most.
const FIRST_TRIAL: u64 = 256;
const FIRST_AFTER_LIKELY: u64 = 128;
const FIRST_AFTER_NONE: u64 = 64;
const LAST_TRIAL: u64 = 1 << 14;

pub(super) struct Trial {
    stage: Stage,
    can: Can,
    /// How chunks of the loop would be dealt, and their size under `static`.
    deal: Option<Mode>,
    chunked: Option<Mode>,
    /// Regions that were timed until something was decided first.
    regions: u32,
    /// Looks at what was decided, and trials, which become rare.
    pause: u64,
    /// The longest pause, and for how many regions decided blocks have been even.
    longest_pause: u64,
    even_for: u64,
    until_trial: u64,
    next_trial: u64,
    pub(super) outcome: Option<Outcome>,
}

#[derive(Clone, Copy)]
pub(super) struct Outcome {
    pub(super) mode: Mode,
    /// Timed regions before the first decision.
    pub(super) regions: u32,
    pub(super) decisions: u32,
    /// Between which two parts of the time as compiled it takes now. None: nothing else was tried.
    pub(super) interval: Option<(f64, f64)>,
    /// What was tried besides the loop as compiled.
    pub(super) tried: [Option<Mode>; OTHERS],
}

#[expect(
    clippy::large_enum_variant,
    reason = "one for each loop; memory that is asked for while a program runs may be missing"
)]
enum Stage {
    Cold,
    /// An earlier run decided that.
    ColdDecided(Mode),
    /// It runs as compiled; so many regions in a row were even.
    AsCompiled(u32),
    Learn(Learning),
    Rounds(Ways),
    /// So many regions in a row were uneven.
    Decided(Mode, u32),
}

impl Trial {
    pub(super) fn new(can: Can) -> Self {
        Self {
            stage: Stage::Cold,
            can,
            deal: None,
            chunked: None,
            regions: 0,
            pause: PAUSES.0,
            longest_pause: PAUSES.1,
            even_for: 0,
            until_trial: FIRST_TRIAL,
            next_trial: FIRST_TRIAL,
            outcome: None,
        }
    }

    /// A loop for which an earlier run decided on `mode`. It is looked at soon.
    pub(super) fn after_a_run(mode: Mode, can: Can) -> Self {
        let stage = match mode.keeping(can.whole) {
            Mode::Balanced if !can.balance => Stage::Cold,
            Mode::Dealt(..) if !can.deal => Stage::Cold,
            Mode::StaticChunked(_) if !can.chunks => Stage::Cold,
            mode => Stage::ColdDecided(mode),
        };
        Self { stage, ..Self::new(can) }
    }

    /// A region has ended that was timed.
    pub(super) fn next(&mut self, found: &Found) -> Plan {
        let times = match found {
            Found::Nothing => return Plan::from_mode(self.mode()),
            Found::TooShort => return self.leave(),
            Found::Times(times) => times,
        };
        if self.outcome.is_none() {
            self.regions += 1;
        }
        match &mut self.stage {
            Stage::Cold => {
                self.stage = Stage::AsCompiled(0);
                Plan::from_mode(Mode::Source)
            }
            Stage::ColdDecided(mode) => {
                let mode = *mode;
                self.stage = Stage::Decided(mode, 0);
                Plan::from_mode(mode)
            }
            Stage::AsCompiled(even) if has_nothing_to_gain(times) => {
                *even += 1;
                if *even >= EVEN_REGIONS { self.decide(Mode::Source, None) } else { Plan::from_mode(Mode::Source) }
            }
            Stage::AsCompiled(_) => self.begin(times),
            Stage::Learn(learning) => {
                let learning = learning.after(times);
                self.learn(times, learning)
            }
            Stage::Rounds(ways) => {
                let (turned, correction) = ways.take(times, self.can.whole);
                let plan = match turned {
                    Turned::Next(mode) => Plan::from_mode(mode),
                    Turned::Over(Mode::Source, _) => self.nothing_certain(),
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

    pub(super) fn mode(&self) -> Mode {
        match &self.stage {
            Stage::Cold | Stage::AsCompiled(_) => Mode::Source,
            Stage::Learn(_) => Mode::Balanced,
            Stage::Rounds(ways) => ways.mode(),
            Stage::ColdDecided(mode) | Stage::Decided(mode, _) => *mode,
        }
    }

    /// No way to run a loop that is so short can gain more than finding it costs.
    fn leave(&mut self) -> Plan {
        match self.stage {
            Stage::Decided(Mode::Source, _) => self.pausing(Mode::Source),
            _ => self.decide(Mode::Source, None),
        }
    }

    /// As compiled it is uneven: its times are the first that blocks are learned from.
    fn begin(&mut self, times: &Times) -> Plan {
        self.note_chunks(times);
        if self.can.balance {
            self.stage = Stage::Learn(Learning { corrections: 0, as_compiled: imbalance(times), corrected: 0.0 });
            return Plan::BALANCED.corrected(Correction::Whole);
        }
        self.take_turns(if imbalance(times) <= NOTHING_TO_GAIN {
            Ways::of_even(self.chunks())
        } else {
            Ways::from_modes(self.chunks())
        })
    }

    fn learn(&mut self, times: &Times, learning: Learning) -> Plan {
        self.stage = Stage::Learn(learning);
        if !is_even(times) && learning.corrections < LEARNING {
            return Plan::BALANCED.corrected(Correction::Whole);
        }
        if learning.is_in_vain() && self.chunks() != [None; OTHERS] {
            self.take_turns(Ways::after_blocks(self.chunks()))
        } else {
            self.try_blocks(times)
        }
    }

    fn chunks(&self) -> [Option<Mode>; OTHERS] {
        [None, self.deal, self.chunked]
    }

    /// Blocks that took so long, and if they are uneven chunks.
    fn try_blocks(&mut self, times: &Times) -> Plan {
        let blocks = Some(Mode::Balanced);
        self.take_turns(Ways::from_modes(if is_uneven_for_blocks(times) {
            [blocks, self.deal, self.chunked]
        } else {
            [blocks, None, None]
        }))
    }

    /// Which chunks would do, of a loop whose threads took so long.
    fn note_chunks(&mut self, times: &Times) {
        let whole = self.can.whole;
        if self.can.deal {
            self.deal = deal(times, whole).or(self.deal);
        }
        if !self.can.chunks {
            return;
        }
        self.chunked = static_chunk(times, whole)
            // A loop that can have blocks is static, so that is how it is compiled.
            .filter(|chunked| !(self.can.balance && whole > 1 && *chunked == Mode::StaticChunked(whole)))
            .or(self.chunked);
    }

    fn take_turns(&mut self, ways: Ways) -> Plan {
        if ways.tried == [None; OTHERS] {
            return self.decide(Mode::Source, None);
        }
        let plan = Plan::from_mode(ways.mode());
        self.stage = Stage::Rounds(ways);
        plan
    }

    /// The ways that took turns have not shown that any is faster.
    fn nothing_certain(&mut self) -> Plan {
        let Stage::Rounds(ways) = &self.stage else { return self.decide(Mode::Source, None) };
        // Blocks were even when chunks were left out, and are not: with random costs that is chance.
        if ways.blocks_seemed_even() {
            return if self.chunks() == [None; OTHERS] {
                self.decide(Mode::Source, None)
            } else {
                self.take_turns(Ways::after_blocks(self.chunks()))
            };
        }
        let before = self.outcome.and_then(|outcome| ways.still(outcome.mode));
        let (mode, interval) = before.unwrap_or((Mode::Source, None));
        self.decide(mode, interval)
    }

    pub(super) fn tries(&self) -> [Option<Mode>; OTHERS] {
        if let Stage::Rounds(ways) = &self.stage { ways.tried } else { [None; OTHERS] }
    }

    fn decide(&mut self, mode: Mode, interval: Option<(f64, f64)>) -> Plan {
        let tried = self.tries();
        let was_even = matches!(&self.stage, Stage::Rounds(ways) if ways.are_of_even());
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
            false => match interval {
                None if !was_even => FIRST_AFTER_NONE,
                Some((_, high)) if high >= 0.0 => FIRST_AFTER_LIKELY,
                None | Some(_) => FIRST_TRIAL,
            },
        };
        self.until_trial = self.next_trial;
        (self.pause, self.longest_pause, self.even_for) = (PAUSES.0, PAUSES.1, 0);
        self.stage = Stage::Decided(mode, 0);
        self.pausing(mode)
    }

    fn pausing(&mut self, mode: Mode) -> Plan {
        let plan = Plan::from_mode(mode).after(self.pause);
        self.until_trial = self.until_trial.saturating_sub(self.pause);
        self.even_for += self.pause;
        self.pause = (self.pause * 2).min(self.longest_pause);
        plan
    }

    fn inspect(&mut self, times: &Times, mode: Mode, uneven: u32) -> Plan {
        let is_due = self.until_trial == 0;
        // It was decided because it was even.
        let was_even = self.outcome.is_some_and(|outcome| outcome.tried == [None; OTHERS]);
        match mode {
            // As compiled it is even, or another way was not faster: that is asked again when it is due.
            Mode::Source if has_nothing_to_gain(times) => self.pausing(mode),
            Mode::Source if is_due || was_even => self.begin(times),
            Mode::Balanced if is_due => self.try_again(times),
            Mode::Balanced => self.follow(times, uneven),
            Mode::Dealt(..) | Mode::StaticChunked(_) if is_due => {
                self.stage = Stage::AsCompiled(0);
                Plan::from_mode(Mode::Source)
            }
            Mode::Source | Mode::Dealt(..) | Mode::StaticChunked(_) => self.pausing(mode),
        }
    }

    fn try_again(&mut self, times: &Times) -> Plan {
        self.note_chunks(times);
        self.try_blocks(times)
    }

    /// Decided blocks, which were uneven in so many regions just before, follow costs that change.
    fn follow(&mut self, times: &Times, uneven: u32) -> Plan {
        if is_even(times) {
            self.stage = Stage::Decided(Mode::Balanced, 0);
            if self.even_for >= STEADY_PAUSES * self.longest_pause {
                (self.longest_pause, self.even_for) = ((2 * self.longest_pause).min(PAUSES.1), 0);
            }
            return self.pausing(Mode::Balanced);
        }
        if uneven == 0 {
            let often = (self.even_for / LOOKS_PER_CHANGE).clamp(SHORTEST_PAUSE, PAUSES.1);
            (self.longest_pause, self.even_for) = (often, 0);
        }
        let uneven = uneven.saturating_add(1);
        self.stage = Stage::Decided(Mode::Balanced, uneven);
        self.pause = PAUSES.0.min(self.longest_pause);
        self.until_trial = self.until_trial.saturating_sub(1);
        if uneven == UNEVEN_REGIONS && is_uneven_for_blocks(times) {
            return self.try_again(times);
        }
        Plan::BALANCED.corrected(Correction::Whole)
    }
}

#[derive(Clone, Copy)]
struct Learning {
    corrections: u32,
    /// Imbalance of the loop as compiled, and the sum of that of its blocks but for the first ones.
    as_compiled: f64,
    corrected: f64,
}

impl Learning {
    fn after(self, times: &Times) -> Self {
        let counts = self.corrections > 0;
        Self {
            corrections: self.corrections + 1,
            corrected: self.corrected + if counts { imbalance(times) } else { 0.0 },
            ..self
        }
    }

    /// All corrections have made its blocks hardly more even than they were, as where costs are random.
    fn is_in_vain(self) -> bool {
        let mean = self.corrected / f64::from(LEARNING - 1);
        self.corrections == LEARNING && mean > IN_VAIN * self.as_compiled
    }
}

/// As compiled its threads take as long, and the runtime deals it no short chunks.
fn has_nothing_to_gain(times: &Times) -> bool {
    imbalance(times) <= NOTHING_TO_GAIN && !has_short_chunks(times)
}

#[cfg(test)]
mod tests;
