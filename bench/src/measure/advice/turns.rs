//! A candidate against the schedule as it is: both take turns within each of some processes.

use std::path::Path;

use anyhow::{Context, Result, ensure};
use ompchunk_schedules::{Pattern, Schedule};
use ompchunk_trace_format::{Trace, environment};
use ompchunk_trial::{Compared, Ran, Runs, Sample, in_turns, noise, ratio};

use super::shop::Shop;
use crate::plan::corpus::Program;
use crate::results::advice::Candidate;
use crate::results::stats::Interval;

/// Another process begins so many turns later.
const LATER: usize = 5;

/// What is measured on.
pub struct Turns<'a> {
    /// Runs it.
    pub shop: &'a Shop,
    /// The program.
    pub program: &'a Program,
    /// The same, compiled.
    pub compiled: &'a Path,
    /// A runtime's number.
    pub runtime: usize,
    /// Processes of each of the two measurements.
    pub rounds: usize,
    /// What it prints, whatever the schedule.
    pub expected: &'a str,
}

impl Turns<'_> {
    /// Measures it twice.
    pub fn measure(&self, schedule: &str, predicted: Option<Interval>) -> Result<Candidate> {
        let what = || format!("{} under {schedule}", self.program.name());
        let pattern = self.program.pattern();
        let parsed = Schedule::parse(schedule).map_err(anyhow::Error::msg).with_context(what)?;
        let ran = Ran::of(parsed).with_context(|| format!("{schedule} is what is there"))?;
        let mut runs = Runs::default();
        for round in 0..2 * self.rounds {
            let turns = format!("{pattern}={}", in_turns(schedule, 1, round * LATER));
            self.run(&turns, &mut runs).with_context(what)?;
        }
        let pattern = Pattern::parse(&pattern).map_err(anyhow::Error::msg)?;
        let Compared { source, other: changed, .. } = runs.compared(&pattern, ran);
        ensure!(!changed.is_empty(), "{}: no execution of {pattern:?} was changed", what());
        let between = |is_wanted: &dyn Fn(&Sample) -> bool| -> Result<Interval> {
            let wanted = |of: &[Sample]| of.iter().copied().filter(is_wanted).collect::<Vec<_>>();
            let found = ratio(&wanted(&source), &wanted(&changed));
            Ok(found.with_context(|| format!("{}: too few executions", what()))?.into())
        };
        Ok(Candidate {
            schedule: schedule.to_owned(),
            predicted,
            measured: between(&|sample| sample.run < self.rounds)?,
            again: between(&|sample| sample.run >= self.rounds)?,
            both: between(&|_| true)?,
            noise: noise(&source).with_context(what)?,
        })
    }

    fn run(&self, turns: &str, runs: &mut Runs) -> Result<()> {
        let trace = self.shop.path("turns");
        let options = ["--schedule".into(), turns.into()];
        let variables = [(environment::EXECUTIONS, "1")];
        let (program, compiled, runtime) = (self.program, self.compiled, self.runtime);
        let recorded = self.shop.record(program, compiled, runtime, &trace, &options, &variables);
        let printed = recorded?;
        ensure!(
            printed == self.expected,
            "printed {:?}, and {:?} with the schedule as it is: iterations were lost or ran twice",
            printed.trim(),
            self.expected.trim()
        );
        for part in &Trace::open(&trace)?.parts {
            runs.read(part)?;
        }
        Ok(())
    }
}
