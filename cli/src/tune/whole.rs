//! The whole program, as it is and under the schedules that made loops faster, in turns.

use std::cell::RefCell;
use std::time::{Duration, Instant};

use anyhow::Result;
use ompchunk_figures::Sample;

use super::measure::{Measured, compared};
use super::oddity::Oddity;
use super::runs::{Checked, Recorded};
use crate::repeat::{Turn, take_turns};

/// Fewer pairs are believed only if there is no time for more.
const FEWEST: usize = 4;
const NARROW: f64 = 0.01;

/// Runs it in pairs until the difference is known, or so long; or until a run does something that it does not do as compiled.
pub fn run(
    runs: &mut Checked<'_>,
    schedules: &str,
    limit: Duration,
    mut progress: impl FnMut(usize),
) -> Result<Result<Measured, Oddity>> {
    let begin = Instant::now();
    let samples = RefCell::new([Vec::new(), Vec::new()]);
    let mut odd = None;
    let turn = |pair: usize, changed: bool| {
        let took = match changed {
            true => runs.under(Recorded::Not, schedules)?,
            false => Ok(runs.plain(Recorded::Not)?),
        };
        let took = match took {
            Ok(took) => took,
            Err(oddity) => {
                odd = Some(oddity);
                return Ok(Turn::EndsAll);
            }
        };
        let sample =
            Sample { run: pair, begin: begin.elapsed().as_secs_f64(), iterations: 0, seconds: took.as_secs_f64() };
        samples.borrow_mut()[usize::from(changed)].push(sample);
        Ok(Turn::Stays)
    };
    let measured = || {
        let samples = samples.borrow();
        compared(&samples[0], &samples[1])
    };
    take_turns(&[false, true], turn, |pairs| {
        progress(pairs);
        let is_narrow = measured().ratio.is_some_and(|ratio| ratio.spread() <= NARROW);
        pairs >= FEWEST && is_narrow || begin.elapsed() >= limit
    })?;
    Ok(odd.map_or_else(|| Ok(measured()), Err))
}
