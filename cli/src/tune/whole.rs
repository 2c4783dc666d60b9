//! The whole program, as it is and under the schedules that made loops faster, in turns.

use std::time::{Duration, Instant};

use anyhow::Result;
use ompchunk_trial::Sample;

use super::measure::{Measured, compared};
use super::oddity::Oddity;
use super::runs::{Recorded, Runs};

/// Fewer pairs are believed only if there is no time for more.
const FEWEST: usize = 4;
const NARROW: f64 = 0.01;

/// Runs it in pairs until the difference is known, or so long; or until a run does something that it does not do as compiled.
pub fn run(
    runs: &mut Runs<'_>,
    schedules: &str,
    limit: Duration,
    mut progress: impl FnMut(usize),
) -> Result<Result<Measured, Oddity>> {
    let begin = Instant::now();
    let (mut before, mut after) = (Vec::new(), Vec::new());
    for pair in 0.. {
        // What comes first in a pair has caches and clock rates as the one before left them.
        let order = match pair % 2 {
            0 => [false, true],
            _ => [true, false],
        };
        for (at, changed) in order.into_iter().enumerate() {
            let took = match changed {
                true => match runs.under(Recorded::Not, schedules)? {
                    Ok(took) => took,
                    Err(oddity) => return Ok(Err(oddity)),
                },
                false => runs.plain(Recorded::Not)?,
            };
            let sample = Sample { run: pair, begin: at as f64, iterations: 0, seconds: took.as_secs_f64() };
            if changed {
                after.push(sample);
            } else {
                before.push(sample);
            }
        }
        progress(pair + 1);
        let measured = compared(&before, &after);
        let narrow = measured.ratio.is_some_and(|ratio| ratio.half_width() <= NARROW);
        if pair + 1 >= FEWEST && narrow || begin.elapsed() >= limit {
            return Ok(Ok(measured));
        }
    }
    unreachable!("pairs are counted without end")
}
