//! `balanced`: when a loop's blocks are worth a look, and when they are to be corrected.

use super::part_times::Found;
use super::plan::{Correction, Plan, is_even};

/// Corrections that are followed all the way.
const FIRST_CORRECTIONS: u32 = 6;
/// With so many the costs differ from execution to execution, and more corrections help no more often than they harm.
const MANY_CORRECTIONS: u32 = 24;
/// Most regions from one look to the next, as a power of two.
const LONGEST_PAUSE: u32 = 6;

#[derive(Default)]
pub(super) struct Steady {
    is_warm: bool,
    /// Looks that found nothing to correct, one after the other.
    even_looks: u32,
    pub(super) corrections: u32,
}

impl Steady {
    /// A region has ended that was timed.
    pub(super) fn next(&mut self, found: &Found) -> Plan {
        let times = match found {
            Found::Nothing => return Plan::BALANCED,
            Found::TooShort => return Plan::BALANCED.after(1 << LONGEST_PAUSE),
            Found::Times(times) => times,
        };
        // Memory that is touched for the first time, and code that is loaded, cost once.
        if !self.is_warm {
            self.is_warm = true;
            return Plan::BALANCED;
        }
        if is_even(times) {
            self.even_looks = self.even_looks.saturating_add(1);
            return Plan::BALANCED.after(1 << self.even_looks.min(LONGEST_PAUSE));
        }
        self.even_looks = 0;
        self.corrections = self.corrections.saturating_add(1);
        // What differs from execution to execution is followed half way, else blocks would go to and fro.
        let correction = if self.corrections > FIRST_CORRECTIONS { Correction::HalfWay } else { Correction::Whole };
        let pause = if self.corrections > MANY_CORRECTIONS { 1 << LONGEST_PAUSE } else { 0 };
        Plan::BALANCED.corrected(correction).after(pause)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::balance::part_times::Times;

    fn times(ticks: &[u64]) -> Found {
        Found::Times(Times::new(ticks))
    }

    #[test]
    fn the_first_region_does_not_count() {
        let mut steady = Steady::default();
        let uneven = times(&[10_000, 90_000]);
        assert_eq!(steady.next(&uneven).correction, Correction::None);
        assert_eq!(steady.next(&uneven).correction, Correction::Whole);
    }

    #[test]
    fn what_is_even_is_looked_at_less_and_less() {
        let mut steady = Steady::default();
        let (mut looks, mut regions) = (0, 0);
        while regions < 1000 {
            let plan = steady.next(&times(&[50_000, 50_500]));
            assert_eq!(plan.correction, Correction::None);
            looks += 1;
            regions += 1 + plan.pause;
        }
        assert!((10..30).contains(&looks), "{looks}");
        // And when the loop changes, it is followed again.
        let plan = steady.next(&times(&[10_000, 90_000]));
        assert_eq!((plan.correction, plan.pause), (Correction::Whole, 0));
    }

    #[test]
    fn what_tells_nothing_changes_nothing() {
        let mut steady = Steady::default();
        assert_eq!(steady.next(&Found::Nothing), Plan::BALANCED);
        let seldom = Plan::BALANCED.after(1 << LONGEST_PAUSE);
        assert_eq!(steady.next(&Found::TooShort), seldom);
    }

    #[test]
    fn costs_that_never_settle_are_followed_half_way_and_seldom() {
        let mut steady = Steady::default();
        let (mut corrections, mut region) = (0, 0);
        while region < 1000 {
            let odd = region % 2 * 50_000;
            let plan = steady.next(&times(&[40_000 + odd, 90_000 - odd]));
            corrections += u32::from(plan.correction != Correction::None);
            let is_half_way = plan.correction == Correction::HalfWay;
            assert_eq!(is_half_way, corrections > FIRST_CORRECTIONS);
            region += 1 + plan.pause;
        }
        assert!((MANY_CORRECTIONS..60).contains(&corrections), "{corrections}");
    }
}
