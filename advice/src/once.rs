//! What a loop's first execution does and no other: memory is touched for the first time, code is loaded, a table is built. No schedule
//! saves that, and it must not speak for the others.

use ompchunk_analysis::profile::{Execution, Profile};
use ompchunk_figures::median;

/// A first execution takes so many times what the others with as many iterations take.
const FAR: f64 = 2.0;
const OTHERS: usize = 2;

/// First executions of which that holds, and what they take beyond others, as a share of all the loop's time.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Once {
    pub share: f64,
    pub count: usize,
    /// What they take, in nanoseconds and in the mean, ...
    pub first: f64,
    /// ... and others with as many iterations.
    pub others: f64,
}

/// `None`: no first execution is another thing than those after it, as far as these tell.
pub fn once(profile: &Profile) -> Option<Once> {
    let mut found = Once::default();
    for first in &profile.firsts {
        if let Some(usual) = exceeded(profile, first.trips, first.threads, first.elapsed_ns) {
            found.count += 1;
            found.first += first.elapsed_ns;
            found.others += usual;
        }
    }
    if found.count == 0 || profile.elapsed_ns <= 0.0 {
        return None;
    }
    let count = found.count as f64;
    Some(Once {
        share: ((found.first - found.others) / profile.elapsed_ns).clamp(0.0, 1.0),
        first: found.first / count,
        others: found.others / count,
        ..found
    })
}

pub fn is_once(profile: &Profile, execution: &Execution) -> bool {
    let threads = execution.threads.len();
    execution.first && exceeded(profile, execution.trips, threads, execution.elapsed_ns).is_some()
}

/// What executions with as many iterations take that are not the first, if this is far more.
fn exceeded(profile: &Profile, trips: u64, threads: usize, elapsed_ns: f64) -> Option<f64> {
    let others = profile.executions.iter().filter(|execution| !execution.first);
    let alike = others.filter(|execution| execution.trips == trips && execution.threads.len() == threads);
    let usual = median(alike.clone().map(|execution| execution.elapsed_ns));
    usual.filter(|usual| alike.count() >= OTHERS && elapsed_ns >= FAR * usual)
}

#[cfg(test)]
mod tests {
    use ompchunk_analysis::profile::{First, Thread};

    use super::*;

    fn profile(executions: &[(u64, f64)]) -> Profile {
        let execution = |(number, (trips, elapsed)): (usize, &(u64, f64))| Execution {
            trips: *trips,
            elapsed_ns: *elapsed,
            threads: vec![Thread::default(); 2],
            first: number == 0,
            ..Execution::default()
        };
        Profile {
            executions: executions.iter().enumerate().map(execution).collect(),
            firsts: vec![First { trips: executions[0].0, threads: 2, elapsed_ns: executions[0].1 }],
            elapsed_ns: executions.iter().map(|execution| execution.1).sum(),
            ..Profile::default()
        }
    }

    #[test]
    fn a_first_one_that_takes_far_longer() {
        let profile = profile(&[(10, 70.0), (10, 9.0), (10, 10.0), (10, 11.0)]);
        let found = once(&profile).unwrap();
        assert_eq!((found.share, found.count), (0.6, 1));
        assert_eq!((found.first, found.others), (70.0, 10.0));
        let which: Vec<bool> = profile.executions.iter().map(|execution| is_once(&profile, execution)).collect();
        assert_eq!(which, [true, false, false, false]);
    }

    #[test]
    fn as_long_or_with_nothing_to_compare() {
        for executions in [
            &[(10, 19.0), (10, 9.0), (10, 10.0), (10, 11.0)][..],
            // More iterations, or one other.
            &[(90, 700.0), (10, 9.0), (10, 10.0)],
            &[(10, 70.0), (10, 10.0)],
        ] {
            let profile = profile(executions);
            assert_eq!(once(&profile), None, "{executions:?}");
            assert!(!profile.executions.iter().any(|execution| is_once(&profile, execution)));
        }
    }
}
