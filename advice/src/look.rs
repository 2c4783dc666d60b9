//! How executions are looked at before anything is simulated: what dealing took of them, who came late or was slow, what they have in
//! common, and so the worlds in which a prediction has to hold.

use ompchunk_analysis::profile::{Execution, Piece};

use crate::costs::Costs;
use crate::dealt::Dealt;
use crate::schedule::Schedule;
use crate::steady::{Steady, steady};
use crate::threads::{are_uneven, factors};
use crate::work::Work;
use crate::world::{Reading, World, arrivals, common, worlds};

/// A thread that takes so many times what another takes, in all executions alike, is slow; less may be gone the next time.
const SLOW: f64 = 1.3;
/// Executions that are simulated.
const SIMULATED: usize = 16;
/// More of the threads' time than this was taken from them: other programs had the machine.
pub const BUSY: f64 = 0.02;
/// What a profile is too coarse to tell is asked of the last executions, 1 of so many: each is recorded finer where the ones before
/// were too coarse.
const LEARNT: usize = 4;

/// Some executions of a loop.
#[derive(Debug)]
pub struct Look<'e> {
    /// Those that are simulated.
    pub some: Vec<&'e Execution>,
    /// Threads that ran them.
    pub recorded: usize,
    /// What dealing took.
    pub dealt: Dealt,
    /// When each thread begins as a rule; empty where others had the machine.
    pub arrivals: Vec<f64>,
    /// What of the threads' time was taken from them.
    pub taken: f64,
    /// Threads that are asked about.
    threads: Option<usize>,
    common: Vec<Execution>,
    steady: Steady,
    /// Costs jump as much within a thread's iterations as between threads.
    uneven: bool,
    /// How much slower each thread is as a rule, where executions can be compared.
    usual: Option<Option<Vec<f64>>>,
}

impl<'e> Look<'e> {
    /// At executions that ran under `now`.
    #[must_use]
    pub fn at(
        executions: &[&'e Execution],
        now: &Schedule,
        threads: Option<usize>,
        costs: &Costs,
    ) -> Look<'e> {
        let step = executions.len().div_ceil(SIMULATED).max(1);
        let sampled: Vec<&Execution> = executions.iter().copied().step_by(step).collect();
        let recorded = sampled
            .iter()
            .map(|execution| execution.threads.len())
            .max()
            .unwrap_or(1);
        let dealt = Dealt::of(&sampled, now, costs);
        let common = common(&sampled, dealt.least);
        let taken = taken(&sampled);
        let steady = steady(&sampled);
        let shared = common.first().map(|execution| &*execution.pieces);
        let looks = steady.usual.as_deref().or(shared);
        let uneven = looks.is_some_and(|pieces| are_uneven(pieces, recorded));
        Look {
            recorded,
            dealt,
            // On a busy machine threads come late for others' reasons.
            arrivals: match taken > BUSY {
                true => Vec::new(),
                false => arrivals(&sampled),
            },
            taken,
            threads,
            uneven,
            // What is usual is that of all executions.
            usual: steady
                .usual
                .as_deref()
                .map(|pieces| factors(pieces, recorded)),
            common,
            steady,
            some: sampled,
        }
    }

    /// Others had the machine.
    #[must_use]
    pub fn is_busy(&self) -> bool {
        self.taken > BUSY
    }

    /// All of an execution.
    fn readings(
        &self,
        execution: &Execution,
        per_reading: f64,
    ) -> impl Iterator<Item = World> + use<> {
        let size = self.threads.unwrap_or(execution.threads.len());
        let slow = self.slow(&execution.pieces);
        let worlds = worlds(
            execution,
            size,
            &self.arrivals,
            per_reading,
            slow.as_deref(),
        );
        let dealing = self.dealt.timed;
        worlds
            .into_iter()
            .map(move |world| World { dealing, ..world })
    }

    fn slow(&self, pieces: &[Piece]) -> Option<Vec<f64>> {
        match &self.usual {
            // What jumps there is dealing.
            _ if self.uneven || self.dealt.hidden.is_some() => None,
            Some(usual) => usual.clone(),
            None => factors(pieces, self.recorded),
        }
    }

    /// Those of each execution.
    pub fn real(&self) -> impl Iterator<Item = World> {
        let known = self.some.len() - self.some.len().div_ceil(LEARNT);
        let per_reading = self.dealt.least;
        let both = self.some.iter().zip(&self.steady.executions).enumerate();
        let told = both.flat_map(move |(number, (execution, steady))| {
            let is_told = move |world: &World| match world.reading {
                Reading::Narrow => number >= known,
                reading => !reading.is_of_threads(),
            };
            let of_iterations = self.readings(execution, per_reading).filter(is_told);
            let of_threads = self.readings(steady, per_reading);
            of_iterations.chain(of_threads.filter(|world| world.reading.is_of_threads()))
        });
        let vague = self.some.iter().filter(|_| self.dealt.is_vague());
        told.chain(vague.filter_map(move |execution| {
            let (work, dealing) = self.dealt.most_dealing(&execution.pieces);
            Some(World {
                reading: Reading::Dealt,
                work,
                measured: 0.0,
                dealing: Some(dealing),
                ..self.readings(execution, per_reading).next()?
            })
        }))
    }

    /// Those of what executions have in common.
    pub fn likely(&self) -> impl Iterator<Item = World> {
        let worlds = self
            .common
            .iter()
            .flat_map(|execution| self.readings(execution, 0.0));
        worlds.filter(|world| world.reading != Reading::Late)
    }

    /// The one that is expected, of each execution.
    #[must_use]
    pub fn expected(&self) -> Vec<World> {
        // Who is much slower each time will be so again, whatever it comes from; a little may be the machine's.
        let slowest = self.usual.iter().flatten().map(|slower| spread(slower));
        let usually = match slowest.fold(1.0, f64::max) >= SLOW {
            true => Reading::Threads,
            false => Reading::Passing,
        };
        let expected = self.steady.executions.iter().map(|execution| {
            let mut worlds = self.readings(execution, self.dealt.middle);
            let iterations = worlds
                .next()
                .map(|world| self.dealt.expected(world, &execution.pieces));
            worlds.find(|world| world.reading == usually).or(iterations)
        });
        expected.flatten().collect()
    }

    /// What iterations cost as a rule, or in the longest execution.
    #[must_use]
    pub fn typical(&self) -> Work {
        let executions = self.some.iter().copied();
        let longest = executions.max_by(|left, right| left.elapsed_ns.total_cmp(&right.elapsed_ns));
        match (longest, self.common.first()) {
            (Some(execution), _) if self.dealt.is_vague() => self.dealt.evened(&execution.pieces),
            (longest, common) => common
                .or(longest)
                .map_or_else(Work::default, |execution| Work::of(&execution.pieces)),
        }
    }
}

/// The slowest to the fastest.
#[must_use]
pub fn spread(slower: &[f64]) -> f64 {
    let most = slower.iter().copied().fold(f64::MIN, f64::max);
    most / slower.iter().copied().fold(f64::MAX, f64::min)
}

fn taken(executions: &[&Execution]) -> f64 {
    let threads = executions.iter().flat_map(|execution| &execution.threads);
    let (mut taken, mut ran) = (0.0, 0.0);
    for thread in threads {
        taken += thread.taken_ns;
        ran += (thread.ends_ns - thread.arrives_ns).max(0.0);
    }
    if ran > 0.0 {
        (taken / ran).min(1.0)
    } else {
        0.0
    }
}
