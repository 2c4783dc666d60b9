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
        let some: Vec<&Execution> = executions.iter().copied().step_by(step).collect();
        let recorded = some.iter().map(|it| it.threads.len()).max().unwrap_or(1);
        let dealt = Dealt::of(&some, now, costs);
        let common = common(&some, dealt.least);
        let taken = taken(&some);
        let steady = steady(&some);
        let shared = common.first().map(|it| &*it.pieces);
        let looks = steady.usual.as_deref().or(shared);
        let uneven = looks.is_some_and(|it| are_uneven(it, recorded));
        Look {
            recorded,
            dealt,
            // On a busy machine threads come late for others' reasons.
            arrivals: match taken > BUSY {
                true => Vec::new(),
                false => arrivals(&some),
            },
            taken,
            threads,
            uneven,
            // What is usual is that of all executions.
            usual: steady.usual.as_deref().map(|it| factors(it, recorded)),
            common,
            steady,
            some,
        }
    }

    /// Others had the machine.
    #[must_use]
    pub fn is_busy(&self) -> bool {
        self.taken > BUSY
    }

    /// All of an execution.
    fn readings(&self, it: &Execution, per_reading: f64) -> impl Iterator<Item = World> + use<> {
        let size = self.threads.unwrap_or(it.threads.len());
        let slow = self.slow(&it.pieces);
        let all = worlds(it, size, &self.arrivals, per_reading, slow.as_deref());
        let dealing = self.dealt.timed;
        all.into_iter().map(move |it| World { dealing, ..it })
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
        let told = both.flat_map(move |(at, (it, steady))| {
            let all = self.readings(it, per_reading);
            let all = all.filter(move |it| at >= known || it.reading != Reading::Narrow);
            let all = all.filter(|it| !it.reading.is_of_threads());
            let steady = self.readings(steady, per_reading);
            all.chain(steady.filter(|it| it.reading.is_of_threads()))
        });
        let vague = self.some.iter().filter(|_| self.dealt.is_vague());
        told.chain(vague.filter_map(move |it| {
            let (work, dealing) = self.dealt.most_dealing(&it.pieces);
            Some(World {
                reading: Reading::Dealt,
                work,
                measured: 0.0,
                dealing: Some(dealing),
                ..self.readings(it, per_reading).next()?
            })
        }))
    }

    /// Those of what executions have in common.
    pub fn likely(&self) -> impl Iterator<Item = World> {
        let all = self.common.iter().flat_map(|it| self.readings(it, 0.0));
        all.filter(|it| it.reading != Reading::Late)
    }

    /// The one that is expected, of each execution.
    #[must_use]
    pub fn expected(&self) -> Vec<World> {
        // Who is much slower each time will be so again, whatever it comes from; a little may be the machine's.
        let slowest = self.usual.iter().flatten().map(|it| spread(it));
        let usually = match slowest.fold(1.0, f64::max) >= SLOW {
            true => Reading::Threads,
            false => Reading::Passing,
        };
        let expected = self.steady.executions.iter().map(|it| {
            let mut all = self.readings(it, self.dealt.middle);
            let iterations = all
                .next()
                .map(|world| self.dealt.expected(world, &it.pieces));
            all.find(|it| it.reading == usually).or(iterations)
        });
        expected.flatten().collect()
    }

    /// What iterations cost as a rule, or in the longest execution.
    #[must_use]
    pub fn typical(&self) -> Work {
        let all = self.some.iter().copied();
        let longest = all.max_by(|one, other| one.elapsed_ns.total_cmp(&other.elapsed_ns));
        match (longest, self.common.first()) {
            (Some(it), _) if self.dealt.is_vague() => self.dealt.evened(&it.pieces),
            (longest, common) => common
                .or(longest)
                .map_or_else(Work::default, |it| Work::of(&it.pieces)),
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
    let threads = executions.iter().flat_map(|it| &it.threads);
    let (mut taken, mut all) = (0.0, 0.0);
    for it in threads {
        taken += it.taken_ns;
        all += (it.ends_ns - it.arrives_ns).max(0.0);
    }
    if all > 0.0 {
        (taken / all).min(1.0)
    } else {
        0.0
    }
}
