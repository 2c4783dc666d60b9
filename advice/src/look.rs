//! How executions are looked at before anything is simulated: what dealing took of them, who came late or was slow, what they have in
//! common, and so the worlds in which a prediction has to hold.

use ompchunk_analysis::profile::Execution;

use crate::costs::Costs;
use crate::dealing_time::DealingTime;
use crate::schedule::Schedule;
use crate::steady::{Steady, steadied};
use crate::threads::{are_uneven, factors};
use crate::work::Work;
use crate::world::{Interpretation, World, arrivals, in_common, worlds};

/// A thread that takes so many times what another takes, in all executions alike, is slow; less may be gone the next time.
const SLOW: f64 = 1.3;
const SIMULATED: usize = 16;
/// More of the threads' time than this was taken from them: other programs had the machine.
pub const BUSY: f64 = 0.02;
/// What a profile is too coarse to tell is asked of the last executions, 1 of so many: each is recorded finer where the ones before
/// were too coarse.
const LEARNT: usize = 4;

#[derive(Debug)]
pub struct Look<'e> {
    pub simulated: Vec<&'e Execution>,
    pub recorded: usize,
    pub dealt: DealingTime,
    /// When each thread begins as a rule; empty where others had the machine.
    pub arrivals: Vec<f64>,
    /// What of the threads' time was taken from them.
    pub taken: f64,
    threads: Option<usize>,
    common: Vec<Execution>,
    steady: Steady,
    /// Costs jump as much within a thread's iterations as between threads.
    uneven: bool,
    /// How much slower each thread is as a rule, if some are; where executions can be compared, so that it is known of all of them.
    slower: Option<Vec<f64>>,
}

impl<'e> Look<'e> {
    /// At executions that ran under `now`.
    pub fn new(executions: &[&'e Execution], now: &Schedule, threads: Option<usize>, costs: &Costs) -> Look<'e> {
        let step = executions.len().div_ceil(SIMULATED).max(1);
        let simulated: Vec<&Execution> = executions.iter().copied().step_by(step).collect();
        let recorded = simulated.iter().map(|execution| execution.threads.len()).max().unwrap_or(1);
        let dealt = DealingTime::from_executions(&simulated, now, costs);
        let common = in_common(&simulated, dealt.least);
        let taken = taken_share(&simulated);
        let steady = steadied(&simulated);
        let shared = common.first().map(|execution| &*execution.pieces);
        let compared = steady.usual.as_deref().or(shared);
        Look {
            recorded,
            dealt,
            // On a busy machine threads come late for others' reasons.
            arrivals: if taken > BUSY { Vec::new() } else { arrivals(&simulated) },
            taken,
            threads,
            uneven: compared.is_some_and(|pieces| are_uneven(pieces, recorded)),
            slower: steady.usual.as_ref().and_then(|pieces| factors(pieces, recorded)),
            common,
            steady,
            simulated,
        }
    }

    fn interpretations(&self, execution: &Execution, per_reading: f64) -> impl Iterator<Item = World> + use<> {
        let size = self.threads.unwrap_or(execution.threads.len());
        // What jumps there is dealing.
        let is_told = !self.uneven && self.dealt.hidden.is_none();
        let usually = self.steady.usual.is_some();
        let factors = || if usually { self.slower.clone() } else { factors(&execution.pieces, self.recorded) };
        let slower = is_told.then(factors).flatten();
        let worlds = worlds(execution, size, &self.arrivals, per_reading, slower.as_deref());
        let dealing = self.dealt.timed;
        worlds.into_iter().map(move |world| World { dealing, ..world })
    }

    pub fn real(&self) -> impl Iterator<Item = World> {
        let last = self.simulated.len() - self.simulated.len().div_ceil(LEARNT);
        let per_reading = self.dealt.least;
        let both = self.simulated.iter().zip(&self.steady.executions);
        let told = both.enumerate().flat_map(move |(number, (execution, steady))| {
            // One of the last was recorded as fine as it will be.
            let is_last = number >= last;
            // These take a jump between threads for theirs.
            let of_threads = [Interpretation::Passing, Interpretation::Threads];
            let recorded = self.interpretations(execution, per_reading).filter(move |world| {
                if world.interpretation == Interpretation::Narrow {
                    is_last
                } else {
                    !of_threads.contains(&world.interpretation)
                }
            });
            let steady = self.interpretations(steady, per_reading);
            recorded.chain(steady.filter(move |world| of_threads.contains(&world.interpretation)))
        });
        let vague = self.simulated.iter().filter(|_| self.dealt.is_vague());
        told.chain(vague.filter_map(|execution| self.most_dealt(execution)))
    }

    /// All that may be dealing is.
    fn most_dealt(&self, execution: &Execution) -> Option<World> {
        let (work, dealing) = self.dealt.most_dealing(&execution.pieces);
        Some(World {
            interpretation: Interpretation::Dealt,
            work,
            measured: 0.0,
            dealing: Some(dealing),
            ..self.interpretations(execution, self.dealt.least).next()?
        })
    }

    pub fn likely(&self) -> impl Iterator<Item = World> {
        let worlds = self.common.iter().flat_map(|execution| self.interpretations(execution, 0.0));
        worlds.filter(|world| world.interpretation != Interpretation::Late)
    }

    pub fn expected(&self) -> Vec<World> {
        // Who is much slower each time will be so again, whatever it comes from; a little may be the machine's.
        let is_slow = self.slower.as_ref().is_some_and(|slower| spread(slower) >= SLOW);
        let usually = if is_slow { Interpretation::Threads } else { Interpretation::Passing };
        let expected = self.steady.executions.iter().map(|execution| {
            let mut worlds = self.interpretations(execution, self.dealt.middle);
            let of_iterations = worlds.next().map(|world| self.dealt.expected(world, &execution.pieces));
            worlds.find(|world| world.interpretation == usually).or(of_iterations)
        });
        expected.flatten().collect()
    }

    /// What iterations cost as a rule, or in the longest execution.
    pub fn typical(&self) -> Work {
        let executions = self.simulated.iter().copied();
        let longest = executions.max_by(|left, right| left.elapsed_ns.total_cmp(&right.elapsed_ns));
        match longest.filter(|_| self.dealt.is_vague()) {
            Some(execution) => self.dealt.evened(&execution.pieces),
            None => self.common.first().or(longest).map_or_else(Work::default, |one| Work::from_pieces(&one.pieces)),
        }
    }
}

pub fn spread(slower: &[f64]) -> f64 {
    let most = slower.iter().copied().fold(f64::MIN, f64::max);
    most / slower.iter().copied().fold(f64::MAX, f64::min)
}

fn taken_share(executions: &[&Execution]) -> f64 {
    let (mut taken, mut ran) = (0.0, 0.0);
    for thread in executions.iter().flat_map(|execution| &execution.threads) {
        taken += thread.taken_ns;
        ran += (thread.ends_ns - thread.arrives_ns).max(0.0);
    }
    if ran > 0.0 { (taken / ran).min(1.0) } else { 0.0 }
}
