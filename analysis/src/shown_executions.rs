//! Executions that a picture may show: the longest, the one with the worst balance, and one of median length. All are
//! found in the first pass, in memory that does not grow with the number of executions.

use crate::merge::Merge;
use crate::share::Share;

/// Executions are drawn by lot for the median: of no more than these it is exact, of more it is among the 41 to 59 of
/// 100 in the middle 19 times of 20.
const DRAWN: usize = 127;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Run {
    pub(crate) begin: u64,
    pub(crate) end: u64,
    pub(crate) region: u64,
}

impl Run {
    pub(crate) fn from_shares(shares: &[Share]) -> Run {
        let begin = shares.iter().map(|share| share.begin).min().unwrap_or(0);
        let end = shares.iter().map(|share| share.end).max().unwrap_or(0);
        Run { begin, end: end.max(begin), region: shares.first().map_or(0, |share| share.region) }
    }

    pub(crate) fn ticks(&self) -> u64 {
        self.end.saturating_sub(self.begin)
    }

    /// Looks random and is the same each time the trace is read: neighbours, and every second or third execution, differ.
    fn lot(&self) -> u64 {
        let mut run = self.begin ^ self.region.rotate_left(32);
        for by in [0xbf58_476d_1ce4_e5b9_u64, 0x94d0_49bb_1331_11eb] {
            run = (run ^ run >> 30).wrapping_mul(by);
        }
        run ^ run >> 31
    }
}

#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Chosen {
    pub(crate) longest: Option<Run>,
    /// With its balance: work of the average thread to that of the busiest.
    pub(crate) uneven: Option<(f64, Run)>,
    /// The executions with the lowest lots, in the order of these: a sample of all, in whatever order they come.
    drawn: Vec<(u64, Run)>,
    pub(crate) incomplete: Option<Run>,
}

impl Chosen {
    pub(crate) fn consider(&mut self, run: Run, shares: &[Share]) {
        longer(&mut self.longest, run);
        self.draw(run);
        let busiest = shares.iter().map(Share::work).max().unwrap_or(0);
        let team = shares.first().map_or(1, |share| share.team_size);
        if team < 2 || busiest == 0 {
            return;
        }
        let all: u64 = shares.iter().map(Share::work).sum();
        self.less_even((all as f64 / (busiest as f64 * f64::from(team)), run));
    }

    pub(crate) fn misses(&mut self, run: Run) {
        longer(&mut self.incomplete, run);
    }

    fn less_even(&mut self, run: (f64, Run)) {
        if self.uneven.is_none_or(|(least, _)| run.0 < least) {
            self.uneven = Some(run);
        }
    }

    #[inline]
    fn draw(&mut self, run: Run) {
        let lot = run.lot();
        let is_full = self.drawn.len() >= DRAWN;
        if is_full && self.drawn.last().is_some_and(|(most, _)| lot >= *most) {
            return;
        }
        self.drawn.insert(self.drawn.partition_point(|(run, _)| *run < lot), (lot, run));
        self.drawn.truncate(DRAWN);
    }
}

impl Merge for Chosen {
    fn take_in(&mut self, other: &Chosen) {
        other.longest.into_iter().for_each(|run| longer(&mut self.longest, run));
        other.uneven.into_iter().for_each(|uneven| self.less_even(uneven));
        other.incomplete.into_iter().for_each(|run| self.misses(run));
        other.drawn.iter().for_each(|(_, run)| self.draw(*run));
    }
}

fn longer(kept: &mut Option<Run>, run: Run) {
    if kept.is_none_or(|kept| run.ticks() > kept.ticks()) {
        *kept = Some(run);
    }
}

/// The execution of median length in several parts, with the number of its part. `seconds` converts a part's ticks.
pub(crate) fn median(parts: &[(usize, &Chosen)], seconds: impl Fn(usize, u64) -> f64) -> Option<(usize, Run)> {
    let of = |(part, run): &(usize, &'_ Chosen)| {
        let part = *part;
        run.drawn.iter().map(move |(lot, run)| (*lot, part, *run)).collect::<Vec<_>>()
    };
    let mut all: Vec<(u64, usize, Run)> = parts.iter().flat_map(of).collect();
    all.sort_unstable_by_key(|(lot, part, _)| (*lot, *part));
    all.truncate(DRAWN);
    all.sort_by(|(_, a, one), (_, b, other)| {
        let (x, y) = (seconds(*a, one.ticks()), seconds(*b, other.ticks()));
        x.total_cmp(&y).then((*a, one.begin).cmp(&(*b, other.begin)))
    });
    let (_, part, run) = all.get(all.len().saturating_sub(1) / 2)?;
    Some((*part, *run))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(number: u64, ticks: u64) -> Run {
        Run { begin: number * 1000, end: number * 1000 + ticks, region: number }
    }

    fn chosen(lengths: impl Iterator<Item = u64>) -> Chosen {
        let mut chosen = Chosen::default();
        for (number, ticks) in (0..).zip(lengths) {
            chosen.consider(run(number, ticks), &[]);
        }
        chosen
    }

    fn middle(parts: &[&Chosen]) -> Option<u64> {
        let parts: Vec<_> = parts.iter().copied().enumerate().collect();
        median(&parts, |_, ticks| ticks as f64).map(|(_, run)| run.ticks())
    }

    #[test]
    fn few_are_exact() {
        assert_eq!(middle(&[&Chosen::default()]), None);
        assert_eq!(middle(&[&chosen([5].into_iter())]), Some(5));
        assert_eq!(middle(&[&chosen([9, 1, 5].into_iter())]), Some(5));
        let other = chosen([7, 8].into_iter());
        assert_eq!(middle(&[&chosen([9, 1, 5].into_iter()), &other]), Some(7));
        assert_eq!(chosen([9, 1, 12, 5].into_iter()).longest, Some(run(2, 12)));
    }

    /// Every second run is long, which a sample of every second run would not see.
    #[test]
    fn many_are_close_and_take_no_room() {
        let all = chosen((0..20_000).map(|index| if index % 2 == 0 { 100 + index % 97 } else { 900 }));
        assert_eq!(all.drawn.len(), DRAWN);
        let long = all.drawn.iter().filter(|(_, run)| run.ticks() == 900);
        assert!((40..88).contains(&long.count()));
        let even = chosen((0..20_000).map(|index| index * 7919 % 1000));
        let found = middle(&[&even]).unwrap();
        assert!((370..630).contains(&found), "{found}");
    }

    #[test]
    fn the_order_in_which_they_come_does_not_matter() {
        let runs: Vec<Run> = (0..1000).map(|index| run(index, index * 31 % 977)).collect();
        let (mut one, mut two) = (Chosen::default(), Chosen::default());
        let mut rest = Chosen::default();
        runs.iter().for_each(|run| one.consider(*run, &[]));
        runs[..500].iter().rev().for_each(|run| two.consider(*run, &[]));
        runs[500..].iter().for_each(|run| rest.consider(*run, &[]));
        two.take_in(&rest);
        assert_eq!(one.drawn, two.drawn);
        assert_eq!(one.longest, two.longest);
    }
}
