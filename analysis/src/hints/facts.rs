//! What hints need beside the report: sums over all parts, in seconds.

use std::collections::BTreeMap;

use ompchunk_trace_format::Part;

use super::terms::WORTHWHILE;
use crate::context::Context;
use crate::part::{LoopSums, PartSums};

/// More threads than cores.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Crowd {
    /// In a team.
    Team { threads: u32, processors: u32 },
    /// Of several processes of a machine together: which processors each of them may use is not recorded.
    Ranks {
        host: String,
        processes: usize,
        threads: u64,
        processors: u32,
    },
}

/// A loop's.
#[derive(Debug, Clone, Default)]
pub(crate) struct Facts {
    /// Of whose sums the report has the mean.
    pub(crate) processes: f64,
    pub(crate) crowd: Option<Crowd>,
    pub(crate) time: f64,
    /// Work of the busiest thread.
    pub(crate) busiest: f64,
    /// Time in chunks of the busiest thread, also off a core, and what the average one has less.
    pub(crate) longest: f64,
    pub(crate) behind: f64,
    /// Thread time in chunks, and what of it was taken from the threads, or may have been.
    pub(crate) thread_time: f64,
    pub(crate) taken: f64,
    /// First begin to last end of executions, added up.
    pub(crate) elapsed: f64,
    /// The first run and the mean of the others, where there are enough.
    pub(crate) first: Option<(f64, f64)>,
    /// Executions with a low balance.
    pub(crate) uneven: u64,
    pub(crate) late: f64,
    /// Regions that it comes first in: how many, the time to begin all of them, and the longest.
    pub(crate) starts: (u64, f64, f64),
}

impl Facts {
    /// Threads lost their cores to others, so much that times of runs and begins say little.
    pub(crate) fn is_disturbed(&self) -> bool {
        self.taken > 0.0 && self.taken >= WORTHWHILE * self.thread_time
    }
}

/// Runs that the first one is compared with.
const OTHERS: u64 = 2;

impl Facts {
    pub(crate) fn of(all: &[(usize, &LoopSums)], context: &Context<'_>) -> Facts {
        let (parts, sums) = (context.parts, context.sums);
        let mut facts = Facts {
            processes: context.processes.count.max(1) as f64,
            ..Facts::default()
        };
        let (mut first, mut others, mut compared) = (0.0, 0.0, 0);
        for (part, the_loop) in all {
            let executions = &the_loop.executions;
            let seconds = |ticks: f64| ticks / sums[*part].clock.hertz;
            facts.time += seconds(executions.time);
            facts.busiest += seconds(executions.busiest);
            facts.longest += seconds(executions.longest_time);
            facts.behind += seconds(executions.behind);
            facts.thread_time += seconds(executions.busy as f64);
            facts.taken += seconds(executions.taken as f64);
            facts.elapsed += seconds(executions.elapsed as f64);
            facts.uneven += executions.uneven;
            facts.late += seconds(executions.late as f64);
            let (count, start, longest) = executions.starts;
            facts.starts.0 += count;
            facts.starts.1 += seconds(start as f64);
            facts.starts.2 = facts.starts.2.max(seconds(longest as f64));
            // The first of loops that become shorter is the longest by itself.
            let alike = executions.trips.is_some_and(|(least, most)| least == most);
            if let (true, Some((_, length))) =
                (executions.count > OTHERS && alike, executions.first)
            {
                first += seconds(length as f64);
                let rest = executions.elapsed.saturating_sub(length) as f64;
                others += seconds(rest) / (executions.count - 1) as f64;
                compared += 1;
            }
            let team = executions.team.map_or(0, |(_, team)| team);
            let processors = parts[*part].meta().processors;
            if processors > 0 && team > processors {
                facts.crowd = Some(Crowd::Team {
                    threads: team,
                    processors,
                });
            }
        }
        if compared > 0 {
            let compared = f64::from(compared);
            facts.first = Some((first / compared, others / compared));
        }
        facts.crowd = facts.crowd.or_else(|| shared(all, parts, sums));
        facts
    }
}

/// Processes of one machine that run this loop's teams at the same time.
fn shared(all: &[(usize, &LoopSums)], parts: &[&Part], sums: &[PartSums]) -> Option<Crowd> {
    let mut hosts: BTreeMap<&str, Vec<(usize, u32)>> = BTreeMap::new();
    for (part, the_loop) in all {
        if let Some((_, team)) = the_loop.executions.team {
            let host = parts[*part].meta().host.as_str();
            hosts.entry(host).or_default().push((*part, team));
        }
    }
    hosts.into_iter().find_map(|(host, processes)| {
        let known = processes
            .iter()
            .map(|(part, _)| parts[*part].meta().processors);
        let processors = known.max().filter(|processor| *processor > 0)?;
        // Begins and ends of recordings, in order: an end before a begin at the same time.
        let mut moments = Vec::new();
        for (part, team) in &processes {
            let begin = parts[*part].meta().started as f64;
            let length = sums[*part].clock.since_start(sums[*part].last);
            moments.push((begin, true, *team));
            moments.push((begin + length, false, *team));
        }
        moments.sort_by(|one, other| one.0.total_cmp(&other.0).then(one.1.cmp(&other.1)));
        let (mut now, mut most) = ((0, 0), (0, 0));
        for (_, begins, team) in moments {
            match begins {
                true => now = (now.0 + u64::from(team), now.1 + 1),
                false => now = (now.0 - u64::from(team), now.1 - 1),
            }
            most = most.max(now);
        }
        let (threads, together) = most;
        (together > 1 && threads > processors.into()).then(|| Crowd::Ranks {
            host: if host.is_empty() { "one machine" } else { host }.to_owned(),
            processes: together,
            threads,
            processors,
        })
    })
}
