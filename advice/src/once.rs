//! What a loop's first execution does and no other: memory is touched for the first time, code is loaded, a table is built. No schedule
//! saves that, and it must not speak for the others.

use ompchunk_analysis::profile::{Execution, Profile};

use crate::world::median;

/// A first execution takes so many times what the others with as many iterations take.
const FAR: f64 = 2.0;
/// Executions that it is compared with.
const OTHERS: usize = 2;

/// First executions of which that holds.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Once {
    /// What they take beyond others, as a share of all the loop's time.
    pub share: f64,
    /// How many.
    pub count: usize,
    /// What they take, in nanoseconds and in the mean, ...
    pub first: f64,
    /// ... and others with as many iterations.
    pub others: f64,
}

/// `None`: no first execution is another thing than those after it, as far as these tell.
#[must_use]
pub fn once(profile: &Profile) -> Option<Once> {
    let mut all = Once::default();
    for it in &profile.firsts {
        if let Some(usual) = exceeded(profile, it.trips, it.threads, it.elapsed_ns) {
            all.count += 1;
            all.first += it.elapsed_ns;
            all.others += usual;
        }
    }
    if all.count == 0 || profile.elapsed_ns <= 0.0 {
        return None;
    }
    let count = all.count as f64;
    Some(Once {
        share: ((all.first - all.others) / profile.elapsed_ns).clamp(0.0, 1.0),
        first: all.first / count,
        others: all.others / count,
        ..all
    })
}

/// It is one of them.
#[must_use]
pub fn is_once(profile: &Profile, it: &Execution) -> bool {
    let threads = it.threads.len();
    it.first && exceeded(profile, it.trips, threads, it.elapsed_ns).is_some()
}

/// What executions with as many iterations take that are not the first, if this is far more.
fn exceeded(profile: &Profile, trips: u64, threads: usize, elapsed_ns: f64) -> Option<f64> {
    let others = profile.executions.iter().filter(|it| !it.first);
    let alike = others.filter(|it| it.trips == trips && it.threads.len() == threads);
    let mut all: Vec<f64> = alike.map(|it| it.elapsed_ns).collect();
    let usual = (all.len() >= OTHERS).then(|| median(&mut all));
    usual.filter(|usual| elapsed_ns >= FAR * usual)
}

#[cfg(test)]
mod tests {
    use ompchunk_analysis::profile::{First, Thread};

    use super::*;

    fn profile(all: &[(u64, f64)]) -> Profile {
        let execution = |(at, (trips, elapsed)): (usize, &(u64, f64))| Execution {
            trips: *trips,
            elapsed_ns: *elapsed,
            threads: vec![Thread::default(); 2],
            first: at == 0,
            ..Execution::default()
        };
        Profile {
            executions: all.iter().enumerate().map(execution).collect(),
            firsts: vec![First {
                trips: all[0].0,
                threads: 2,
                elapsed_ns: all[0].1,
            }],
            elapsed_ns: all.iter().map(|it| it.1).sum(),
            ..Profile::default()
        }
    }

    #[test]
    fn a_first_one_that_takes_far_longer() {
        let it = profile(&[(10, 70.0), (10, 9.0), (10, 10.0), (10, 11.0)]);
        let found = once(&it).unwrap();
        assert_eq!((found.share, found.count), (0.6, 1));
        assert_eq!((found.first, found.others), (70.0, 10.0));
        let which: Vec<bool> = it.executions.iter().map(|one| is_once(&it, one)).collect();
        assert_eq!(which, [true, false, false, false]);
    }

    #[test]
    fn as_long_or_with_nothing_to_compare() {
        for all in [
            &[(10, 19.0), (10, 9.0), (10, 10.0), (10, 11.0)][..],
            // More iterations, or one other.
            &[(90, 700.0), (10, 9.0), (10, 10.0)],
            &[(10, 70.0), (10, 10.0)],
        ] {
            let it = profile(all);
            assert_eq!(once(&it), None, "{all:?}");
            assert!(!it.executions.iter().any(|one| is_once(&it, one)));
        }
    }
}
