//! How the time of a loop differs between processes, and which of them stand out: alone, or as all of a machine.
//! Other processes wait for the slowest one only if the program makes them. So this says what differs, and not what is lost.

use std::collections::BTreeMap;

use ompchunk_figures::median;
use ompchunk_trace_format::{Ending, Part};

use crate::metrics::ratio;
use crate::model::{BetweenReport, GroupReport, HostReport, LoopReport};
use crate::process::Processes;

/// Times that differ by so much may be noise.
const NOISE: f64 = 0.1;
/// So many times the usual difference stands out.
const UNUSUAL: f64 = 5.0;
/// Makes the median of the differences the deviation of a normal distribution.
const NORMAL: f64 = 1.4826;
/// Fewer processes have no usual time.
const FEWEST: usize = 3;

#[derive(Debug, Clone, Default)]
struct Process {
    first_part: usize,
    seconds: f64,
    work: f64,
    executions: u64,
    iterations: u64,
    taken: Option<f64>,
}

/// What of the parts stands in the loop's `ranks` and `threads`. `None`: one process at most runs it, or nothing was timed.
pub(crate) fn report(parts: &[&Part], processes: &Processes, report: &LoopReport) -> Option<BetweenReport> {
    let cut = cut(parts, processes);
    let whole = cut.iter().filter(|cut| !**cut).count();
    if whole < 2 {
        return None;
    }
    let compared = compared(processes, report, &cut);
    let seconds = compared.iter().map(|process| process.seconds);
    let (least, most) = (seconds.clone().min_by(f64::total_cmp)?, seconds.clone().fold(0.0, f64::max));
    let by_host = by_host(parts, &compared);
    let slow = standing_out(&compared);
    let slowest = compared.iter().find(|process| process.seconds == most)?;
    Some(BetweenReport {
        processes: compared.len(),
        of: whole,
        least_seconds: least,
        median_seconds: middle(&compared, |process| process.seconds),
        most_seconds: most,
        spread_seconds: most - seconds.sum::<f64>() / whole as f64,
        slowest: slowest.first_part,
        groups: groups(&compared, &slow, &by_host, report.tells_all()),
        hosts: hosts(&compared, &by_host),
    })
}

fn compared(processes: &Processes, report: &LoopReport, cut: &[bool]) -> Vec<Process> {
    let mut compared: BTreeMap<usize, Process> = BTreeMap::new();
    let ranks = report.ranks.iter();
    for rank in ranks.filter(|rank| !cut[processes.of[rank.part]]) {
        let process = compared.entry(processes.of[rank.part]);
        let process = process.or_insert_with(|| Process { first_part: rank.part, ..Process::default() });
        process.seconds += rank.metrics.seconds;
        process.work += rank.busy_seconds;
        process.executions += rank.executions;
    }
    for thread in &report.threads {
        let Some(process) = compared.get_mut(&thread.process) else { continue };
        process.iterations += thread.iterations;
        if let Some(off) = thread.off_core {
            *process.taken.get_or_insert(0.0) += off.taken();
        }
    }
    compared.retain(|_, process| process.seconds > 0.0);
    compared.into_values().collect()
}

/// Which recordings have no end: what is missing of them would be taken for a difference. If none has one, they are what there is.
fn cut(parts: &[&Part], processes: &Processes) -> Vec<bool> {
    let mut cut = vec![false; processes.count];
    for (at, part) in parts.iter().enumerate() {
        // One that became another program goes on there.
        let is_last = processes.next[at].is_none();
        cut[processes.of[at]] |= is_last && part.ending() != Ending::Clean;
    }
    if cut.iter().all(|cut| *cut) { vec![false; processes.count] } else { cut }
}

fn middle(all: &[Process], of: impl Fn(&Process) -> f64) -> f64 {
    median(all.iter().map(of)).unwrap_or(0.0)
}

fn standing_out(all: &[Process]) -> Vec<bool> {
    if all.len() < FEWEST {
        return vec![false; all.len()];
    }
    let usual = middle(all, |process| process.seconds);
    let apart = middle(all, |process| (process.seconds - usual).abs());
    let most = usual + (NOISE * usual).max(UNUSUAL * NORMAL * apart);
    all.iter().map(|process| process.seconds > most).collect()
}

/// The processes of each machine, by its name. Without a name it is not known which those are.
fn by_host<'a>(parts: &[&'a Part], all: &[Process]) -> BTreeMap<&'a str, Vec<usize>> {
    let mut found: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (at, process) in all.iter().enumerate() {
        found.entry(parts[process.first_part].meta().host.as_str()).or_default().push(at);
    }
    found.remove("");
    found
}

/// Groups of those that stand out: machines whose processes all do, and the rest. The slowest first.
fn groups(
    all: &[Process],
    slow: &[bool],
    by_host: &BTreeMap<&str, Vec<usize>>,
    counts_are_known: bool,
) -> Vec<GroupReport> {
    let seconds = middle(all, |process| process.seconds);
    let executions = middle(all, |process| process.executions as f64);
    let iterations = middle(all, |process| process.iterations as f64);
    let work = middle(all, |process| process.work);
    let known = all.iter().all(|process| process.taken.is_some());
    let group = |host: Option<&str>, of: &[usize]| {
        let mean = |what: &dyn Fn(&Process) -> f64| of.iter().map(|at| what(&all[*at])).sum::<f64>() / of.len() as f64;
        let to = |usual: f64, what: &dyn Fn(&Process) -> f64| ratio(mean(what), usual);
        GroupReport {
            host: host.map(str::to_owned),
            parts: of.iter().map(|at| all[*at].first_part).collect(),
            seconds: mean(&|process| process.seconds),
            ratio: to(seconds, &|process| process.seconds).unwrap_or(1.0),
            executions_ratio: to(executions, &|process| process.executions as f64),
            iterations_ratio: to(iterations, &|process| process.iterations as f64).filter(|_| counts_are_known),
            work_ratio: to(work, &|process| process.work),
            taken_share: known.then(|| {
                let (taken, work) = (mean(&|process| process.taken.unwrap_or(0.0)), mean(&|process| process.work));
                ratio(taken, work).unwrap_or(0.0)
            }),
        }
    };
    let mut found = Vec::new();
    let mut alone: Vec<usize> = (0..all.len()).filter(|at| slow[*at]).collect();
    // Where a machine has one process, nobody knows which of the two is slow.
    for (host, on_it) in by_host.iter().filter(|by_host| by_host.1.len() > 1) {
        if on_it.len() < all.len() && on_it.iter().all(|at| slow[*at]) {
            alone.retain(|at| !on_it.contains(at));
            found.push(group(Some(host), on_it));
        }
    }
    if !alone.is_empty() {
        found.push(group(None, &alone));
    }
    found.sort_by(|one, other| other.seconds.total_cmp(&one.seconds));
    found
}

/// Machines, the slowest first, where there are several and one has several processes.
fn hosts(all: &[Process], by_host: &BTreeMap<&str, Vec<usize>>) -> Vec<HostReport> {
    if by_host.len() < 2 || by_host.values().all(|on_it| on_it.len() < 2) {
        return Vec::new();
    }
    let host = |(name, on_it): (&&str, &Vec<usize>)| {
        let seconds = on_it.iter().map(|at| all[*at].seconds);
        HostReport {
            host: (*name).to_owned(),
            processes: on_it.len(),
            seconds: seconds.clone().sum::<f64>() / on_it.len() as f64,
            slowest_seconds: seconds.fold(0.0, f64::max),
            busy_seconds: on_it.iter().map(|at| all[*at].work).sum(),
        }
    };
    let mut found: Vec<HostReport> = by_host.iter().map(host).collect();
    found.sort_by(|one, other| other.seconds.total_cmp(&one.seconds));
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn processes(seconds: &[f64]) -> Vec<Process> {
        let one = |(at, seconds): (usize, &f64)| Process {
            first_part: at,
            seconds: *seconds,
            work: *seconds,
            executions: 10,
            iterations: if *seconds > 3.0 { 200 } else { 100 },
            taken: None,
        };
        seconds.iter().enumerate().map(one).collect()
    }

    fn slow(seconds: &[f64]) -> Vec<usize> {
        let all = processes(seconds);
        let found = standing_out(&all);
        (0..all.len()).filter(|at| found[*at]).collect()
    }

    #[test]
    fn what_stands_out() {
        assert_eq!(slow(&[1.0, 1.01, 1.02, 1.0, 2.0]), [4]);
        assert_eq!(slow(&[1.0, 1.0, 1.3]), [2]);
        // A slope, a step between halves, noise, and two that differ.
        for none in
            [&[1.0, 2.0, 3.0, 4.0][..], &[1.0, 1.0, 1.0, 2.0, 2.0, 2.0], &[1.0, 1.04, 1.0, 1.09], &[1.0, 9.0], &[]]
        {
            assert_eq!(slow(none), [0; 0], "{none:?}");
        }
    }

    #[test]
    fn machines_and_single_processes() {
        let all = processes(&[1.0, 1.0, 2.0, 2.1, 1.0, 4.0, 1.0, 1.0, 1.0, 1.0]);
        let slow = standing_out(&all);
        let hosts = BTreeMap::from([("a", vec![0, 1]), ("b", vec![2, 3]), ("c", vec![4, 5]), ("d", vec![6, 7, 8, 9])]);
        let found = groups(&all, &slow, &hosts, true);
        assert_eq!(found.len(), 2);
        assert_eq!((found[0].host.as_deref(), &found[0].parts[..]), (None, &[5][..]));
        assert_eq!((found[0].ratio, found[0].iterations_ratio), (4.0, Some(2.0)));
        assert_eq!(found[1].host.as_deref(), Some("b"));
        assert_eq!((found[1].parts.clone(), found[1].ratio), (vec![2, 3], 2.05));
        assert_eq!(found[1].iterations_ratio, Some(1.0));
        // Nothing is said of iterations that are not all known.
        assert_eq!(groups(&all, &slow, &hosts, false)[0].iterations_ratio, None);
        let rows = super::hosts(&all, &hosts);
        let rows: Vec<(&str, f64)> = rows.iter().map(|row| (&*row.host, row.seconds)).collect();
        assert_eq!(rows, [("c", 2.5), ("b", 2.05), ("a", 1.0), ("d", 1.0)]);
        // All on one machine, or one on each, tells nothing of machines.
        let one = BTreeMap::from([("a", (0..10).collect::<Vec<_>>())]);
        assert!(super::hosts(&all, &one).is_empty());
        assert_eq!(groups(&all, &slow, &one, true).len(), 1);
    }
}
