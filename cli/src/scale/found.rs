//! What came of all runs, loop by loop: the curve of each, what is said of it, and what its reader must know before.

use std::collections::{BTreeMap, BTreeSet};

use ompchunk_analysis::Identity;
use ompchunk_figures::counted;
use serde::Serialize;

use super::curve::{Curve, Measured, Unit, curve};
use super::gather::{Gathered, LoopRun, Run};
use super::sample::Amount;
use super::verdict::{Verdict, verdict};
use super::whole::{self, RunPoint};
use crate::report::units::count;

#[derive(Debug)]
pub struct Found {
    pub run: Vec<RunPoint>,
    /// All loops together; `None`: not known of all, or there is nothing to compare.
    pub together: Option<Judged>,
    /// The loops, those with most thread time first.
    pub loops: Vec<LoopFound>,
    /// The team of a loop at least follows `OMP_NUM_THREADS`.
    pub follows: bool,
}

/// A curve, and what is said of it.
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
        let together = whole::loops(&gathered.runs, processors, same).filter(|_| follows);
        let dealt = loops.iter().any(|the_loop| is_dealt(&the_loop.identity));
        Found {
            run: whole::points(&gathered.runs, processors, follows),
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
    let schedule = identity.schedule.as_deref();
    !schedule.is_some_and(|schedule| schedule.contains("static"))
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
    remarks.extend(elsewhere(runs, asked));
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
    LoopFound {
        name: first.name.clone(),
        identity: first.identity.clone(),
        share: share(runs),
        judged: Judged::from_curve(curve, is_dealt(&first.identity)),
        remarks,
    }
}

fn share(runs: &[(&Run, &LoopRun)]) -> Option<f64> {
    let all: Option<Vec<f64>> = runs.iter().map(|(_, loop_run)| loop_run.share).collect();
    all?.into_iter().reduce(f64::max)
}

/// Runs that are not in its numbers, and why.
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

/// It did not run with each team size.
fn elsewhere(runs: &[(&Run, &LoopRun)], asked: &[u32]) -> Option<String> {
    let ran: BTreeSet<u32> = runs.iter().map(|(run, _)| run.asked).collect();
    let missing: Vec<u32> = asked.iter().copied().filter(|asked| !ran.contains(asked)).collect();
    (!missing.is_empty()).then(|| format!("it did not run with OMP_NUM_THREADS={}", listed(&missing)))
}

/// Its team is not what was asked for.
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

/// It has more to do with one team than with another.
fn amounts(samples: &[Measured], unit: Unit) -> Option<String> {
    let mut by_team: BTreeMap<u32, BTreeSet<u64>> = BTreeMap::new();
    for sample in samples {
        let (Amount::Iterations(number) | Amount::Executions(number, _)) = sample.sample.amount else {
            continue;
        };
        by_team.entry(sample.sample.team).or_default().insert(number);
    }
    let words = by_team.iter().map(|(team, numbers)| {
        let (least, most) = (numbers.first().copied().unwrap_or(0), numbers.last().copied().unwrap_or(0));
        let range = match least == most {
            true => count(least),
            false => format!("{} to {}", count(least), count(most)),
        };
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

/// `2, 4`
pub fn listed(numbers: &[u32]) -> String {
    numbers.iter().map(u32::to_string).collect::<Vec<_>>().join(", ")
}
