//! What came of all runs, loop by loop: the curve of each, what is said of it, and what its reader must know before.

use std::collections::{BTreeMap, BTreeSet};

use ompchunk_analysis::Identity;
use ompchunk_figures::{Interval, counted, median_between};
use serde::Serialize;

use super::counters::Counters;
use super::curve::{BUSY, Curve, Measured, Unit, curve};
use super::gather::{Gathered, LoopRun, Run};
use super::sample::{Amount, Sample};
use super::verdict::{Verdict, verdict};
use crate::report::units::count;

pub struct Found {
    pub run: Vec<RunPoint>,
    /// All loops together; `None`: not known of all, or there is nothing to compare.
    pub together: Option<Judged>,
    /// The loops, those with most thread time first.
    pub loops: Vec<LoopFound>,
    /// The team of a loop at least follows `OMP_NUM_THREADS`.
    pub follows: bool,
}

#[derive(Debug, Serialize)]
pub struct Judged {
    #[serde(flatten)]
    pub curve: Curve,
    pub verdict: Option<Verdict>,
}

#[derive(Debug, Serialize)]
pub struct LoopFound {
    pub name: String,
    #[serde(flatten)]
    pub identity: Identity,
    /// The largest share of a run that it takes; `None`: of a run it is not known.
    #[serde(rename = "run_share")]
    pub share: Option<f64>,
    #[serde(flatten)]
    pub judged: Judged,
    /// What must be known before its numbers are believed.
    #[serde(rename = "notes")]
    pub remarks: Vec<String>,
}

impl Found {
    pub fn from_gathered(gathered: &Gathered, processors: u32) -> Found {
        let mut all: BTreeMap<&Identity, Vec<(&Run, &LoopRun)>> = BTreeMap::new();
        for run in &gathered.runs {
            for the_loop in &run.loops {
                all.entry(&the_loop.identity).or_default().push((run, the_loop));
            }
        }
        let asked = gathered.asked();
        let follows = all.values().any(|runs| !has_one_team(runs));
        let everywhere = all.values().all(|runs| runs.len() == gathered.runs.len());
        let mut loops: Vec<LoopFound> = all.into_values().map(|runs| of_loop(&runs, &asked, processors)).collect();
        loops.sort_by(|one, next| next.weight().total_cmp(&one.weight()));
        let same = everywhere && loops.iter().all(|the_loop| the_loop.judged.curve.unit == Unit::Run);
        let together = together(&gathered.runs, processors, same).filter(|_| follows);
        let dealt = loops.iter().any(|the_loop| is_dealt(&the_loop.identity));
        Found {
            run: points(&gathered.runs, processors, follows),
            together: together.map(|together| Judged::from_curve(together, dealt)),
            loops,
            follows,
        }
    }

    /// All loops together, if that is more than one.
    pub fn together_shown(&self) -> Option<&Judged> {
        self.together.as_ref().filter(|_| self.loops.len() > 1)
    }
}

impl LoopFound {
    /// Thread time that it takes with the largest team.
    fn weight(&self) -> f64 {
        let of =
            |point: &super::curve::Point| point.seconds.map_or(0.0, |second| second.middle * f64::from(point.threads));
        self.judged.curve.points.iter().map(of).fold(0.0, f64::max)
    }
}

impl Judged {
    fn from_curve(curve: Curve, dealt: bool) -> Judged {
        let losses = curve.losses.as_ref();
        Judged { verdict: losses.and_then(|losses| verdict(losses, curve.unit, dealt)), curve }
    }
}

/// The runtime deals its chunks, or may do so.
fn is_dealt(identity: &Identity) -> bool {
    !identity.schedule.as_deref().is_some_and(|schedule| schedule.contains("static"))
}

/// Its team is the same in all runs, as far as that is known.
fn has_one_team(runs: &[(&Run, &LoopRun)]) -> bool {
    let (_, first) = runs[0];
    let same =
        |loop_run: &LoopRun| loop_run.team == first.team && loop_run.team.is_some_and(|[least, most]| least == most);
    runs.iter().all(|(_, loop_run)| same(loop_run))
}

fn of_loop(runs: &[(&Run, &LoopRun)], asked: &[u32], processors: u32) -> LoopFound {
    let samples = runs.iter().filter_map(|(run, loop_run)| {
        Some(Measured { asked: run.asked, round: run.round, sample: loop_run.sample.ok()? })
    });
    let samples: Vec<Measured> = samples.collect();
    let curve = curve(&samples, processors);
    let (_, first) = runs[0];
    let mut remarks = left_out(runs);
    let ran: BTreeSet<u32> = runs.iter().map(|(run, _)| run.asked).collect();
    let missing: Vec<u32> = asked.iter().copied().filter(|asked| !ran.contains(asked)).collect();
    remarks.extend((!missing.is_empty()).then(|| format!("it did not run with OMP_NUM_THREADS={}", listed(&missing))));
    remarks.extend(teams(&samples, &curve));
    remarks.extend(amounts(&samples, curve.unit));
    let has_no_chunks = |measured: &Measured| matches!(measured.sample.amount, Amount::Executions(..));
    if !first.identity.instrumented && samples.iter().any(has_no_chunks) {
        remarks.push(
            "it was compiled without the plugin, so single chunks are not known, and all time of a thread in it counts as work: \
             compile it with ompchunk cc"
                .to_owned(),
        );
    }
    let shares: Option<Vec<f64>> = runs.iter().map(|(_, loop_run)| loop_run.share).collect();
    LoopFound {
        name: first.name.clone(),
        identity: first.identity.clone(),
        share: shares.and_then(|shares| shares.into_iter().reduce(f64::max)),
        judged: Judged::from_curve(curve, is_dealt(&first.identity)),
        remarks,
    }
}

fn left_out(runs: &[(&Run, &LoopRun)]) -> Vec<String> {
    let mut found: BTreeMap<(u32, String), u64> = BTreeMap::new();
    for (run, loop_run) in runs {
        if let Err(why) = &loop_run.sample {
            *found.entry((run.asked, why.to_string())).or_default() += 1;
        }
    }
    let words = found
        .iter()
        .map(|((asked, why), runs)| format!("OMP_NUM_THREADS={asked}: {} left out, as {why}", counted(*runs, "run")));
    words.collect()
}

fn teams(samples: &[Measured], curve: &Curve) -> Option<String> {
    const WHO: &str = "num_threads, omp_set_num_threads or a limit decides";
    let asked: BTreeSet<u32> = samples.iter().map(|sample| sample.asked).collect();
    let odd = samples.iter().filter(|sample| sample.sample.team != sample.asked);
    let odd: BTreeSet<(u32, u32)> = odd.map(|odd| (odd.asked, odd.sample.team)).collect();
    match (&curve.points[..], odd.is_empty()) {
        ([only], false) if asked.len() > 1 => Some(format!(
            "its team has {} whatever OMP_NUM_THREADS is ({WHO}), so there is nothing to compare",
            counted(only.threads.into(), "thread")
        )),
        (_, false) => {
            let words = odd.iter().map(|(asked, team)| format!("{team} with OMP_NUM_THREADS={asked}"));
            Some(format!(
                "its team size is not the one asked for ({}; {WHO}): teams are compared as measured",
                words.collect::<Vec<_>>().join(", ")
            ))
        }
        _ => None,
    }
}

fn amounts(samples: &[Measured], unit: Unit) -> Option<String> {
    let mut by_team: BTreeMap<u32, BTreeSet<u64>> = BTreeMap::new();
    for sample in samples {
        let (Amount::Iterations(number) | Amount::Executions(number, _)) = sample.sample.amount else { continue };
        by_team.entry(sample.sample.team).or_default().insert(number);
    }
    let words = by_team.iter().map(|(team, numbers)| {
        let (least, most) = (numbers.first().copied().unwrap_or(0), numbers.last().copied().unwrap_or(0));
        let range = if least == most { count(least) } else { format!("{} to {}", count(least), count(most)) };
        format!("{range} with {}", counted((*team).into(), "thread"))
    });
    let words = words.collect::<Vec<_>>().join(", ");
    match unit {
        Unit::Run => None,
        Unit::Iteration => Some(format!(
            "its number of iterations differs between runs ({words}): work is compared per iteration, and time is not compared"
        )),
        Unit::Nothing => Some(format!(
            "it does not do the same in all runs ({words} executions), and its iterations are not known: nothing is compared"
        )),
    }
}

pub fn listed(numbers: &[u32]) -> String {
    numbers.iter().map(u32::to_string).collect::<Vec<_>>().join(", ")
}

/// The program with `OMP_NUM_THREADS` of so many.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RunPoint {
    pub threads: u32,
    pub rounds: usize,
    /// There are no more threads than processors that the program may use.
    pub comparable: bool,
    /// From its start to its end, recorded.
    pub seconds: Option<Interval>,
    /// The part of that which is in no loop; `None`: not known.
    pub outside_seconds: Option<Interval>,
    /// Time with the fewest threads / with these.
    pub speedup: Option<Interval>,
    /// Speedup / how many times the fewest threads these are.
    pub efficiency: Option<Interval>,
    /// The processor's; `None`: they cannot be read.
    pub counters: Option<Counters>,
}

/// A point per team size. `follows`: teams are as large as they were asked to be; else nothing is compared.
fn points(runs: &[Run], processors: u32, follows: bool) -> Vec<RunPoint> {
    let seconds = |run: &Run| run.ran.took.as_secs_f64();
    // As if the run were a loop that does the same with each team.
    let measured = runs.iter().map(|run| {
        let sample = Sample { seconds: seconds(run), ..Sample::none(run.asked, Amount::Executions(1, None)) };
        Measured { asked: run.asked, round: run.round, sample }
    });
    let curve = curve(&measured.collect::<Vec<_>>(), processors);
    let points = curve.points.into_iter().map(|point| {
        let runs = || runs.iter().filter(|run| run.asked == point.threads);
        let outside: Option<Vec<f64>> = runs().map(|run| Some(seconds(run) - run.loop_seconds?)).collect();
        let counted: Vec<_> = runs().map(|run| run.ran.counted).collect();
        RunPoint {
            threads: point.threads,
            rounds: point.rounds,
            comparable: point.comparable,
            seconds: point.seconds,
            outside_seconds: outside.and_then(median_between),
            speedup: point.speedup.filter(|_| follows),
            efficiency: point.efficiency.filter(|_| follows),
            counters: Counters::from_runs(&counted),
        }
    });
    points.collect()
}

/// All loops together, by what `OMP_NUM_THREADS` was. `None`: of some loop it is not known. `same`: each does the same in all runs.
fn together(runs: &[Run], processors: u32, same: bool) -> Option<Curve> {
    let amount = if same { Amount::Executions(0, None) } else { Amount::Different };
    let together = |run: &Run| {
        let mut sum = Sample::none(run.asked, amount);
        for LoopRun { sample, outermost, .. } in &run.loops {
            sum.add(sample.as_ref().ok()?, *outermost);
        }
        Some(Measured { asked: run.asked, round: run.round, sample: sum })
    };
    let all: Option<Vec<Measured>> = runs.iter().map(together).collect();
    all.map(|all| curve(&all, processors))
}

pub fn notes(gathered: &Gathered, found: &Found, outputs: Vec<String>, rounds: usize, processors: u32) -> Vec<String> {
    let mut notes = [gathered.left_out.clone(), outputs].concat();
    let asked = gathered.asked();
    let crowded: Vec<u32> = asked.iter().copied().filter(|asked| *asked > processors).collect();
    if !crowded.is_empty() {
        notes.push(format!(
            "{} (*) is more threads than the {} that the program may use: threads wait for each other's cores, so this is not compared",
            listed(&crowded),
            counted(processors.into(), "processor")
        ));
    }
    if !found.follows && asked.len() > 1 && !found.loops.is_empty() {
        notes.push(
            "no loop's team follows OMP_NUM_THREADS, so all runs are alike and nothing is compared: the program says how many threads it \
             wants (num_threads, omp_set_num_threads), or a limit does (OMP_THREAD_LIMIT)"
                .to_owned(),
        );
    }
    let curves = found.loops.iter().map(|the_loop| &the_loop.judged.curve);
    let taken = curves.filter_map(|curve| curve.losses.as_ref()?.taken);
    if taken.fold(0.0, f64::max) >= BUSY {
        notes.push(
            "other programs had the cores of threads for 5 % of their time or more. For such loops nothing is ruled out, because \
             threads that seldom run at the same time do not disturb each other. Only imbalance counts as waiting, from the times \
             that threads would have taken with cores, because a thread without a core makes others wait"
                .to_owned(),
        );
    }
    if rounds < 3 {
        notes.push(
            "fewer than 3 runs with each team size may agree by chance, so there is no conclusion (--runs)".to_owned(),
        );
    }
    notes
}
