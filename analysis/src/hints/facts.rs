//! What hints need beside the report: sums over all parts, in seconds.

use std::collections::BTreeMap;

use crate::join::Executions;
use crate::model::Note;
use crate::process::{Context, InPart};

pub(crate) use ompchunk_figures::time;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Crowd {
    Team {
        threads: u32,
        processors: u32,
    },
    /// Several processes of a machine together: which processors each of them may use is not recorded.
    Ranks {
        host: String,
        processes: usize,
        threads: u64,
        processors: u32,
    },
}

#[derive(Debug, Clone, Default)]
pub(crate) struct Facts {
    /// Processes whose sums the report has the mean of.
    pub(crate) processes: f64,
    pub(crate) crowd: Option<Crowd>,
    pub(crate) time: f64,
    pub(crate) busiest: f64,
    pub(crate) longest: f64,
    pub(crate) behind: f64,
    /// Thread time in chunks, and what of it was taken from the threads, or may have been.
    pub(crate) thread_time: f64,
    pub(crate) taken: f64,
    pub(crate) elapsed: f64,
    pub(crate) first: Option<(f64, f64)>,
    pub(crate) uneven: u64,
    pub(crate) late: f64,
    pub(crate) code_before: f64,
    pub(crate) late_in_all: f64,
    pub(crate) waited_within: f64,
    /// Regions that it comes first in: how many, the time to begin all of them, and the longest.
    pub(crate) starts: (u64, f64, f64),
}

impl Facts {
    /// Threads lost their cores to others, so much that times of runs and begins say little.
    pub(crate) fn is_disturbed(&self) -> bool {
        self.taken > 0.0 && self.taken >= WORTHWHILE * self.thread_time
    }

    pub(crate) fn from_parts(in_parts: &[InPart<'_>], context: &Context<'_>) -> Facts {
        let mut facts = Facts { processes: context.processes.count.max(1) as f64, ..Facts::default() };
        for in_part in in_parts {
            facts.add(in_part.executions(), |ticks| context.seconds(in_part.part, ticks));
        }
        facts.first = first_and_others(in_parts, context);
        let team = in_parts.iter().rev().find_map(|in_part| {
            let [_, threads] = in_part.executions().team?;
            let processors = context.parts[in_part.part].meta().processors;
            (processors > 0 && threads > processors).then_some(Crowd::Team { threads, processors })
        });
        facts.crowd = team.or_else(|| shared(in_parts, context));
        facts
    }

    fn add(&mut self, executions: &Executions, seconds: impl Fn(f64) -> f64) {
        self.time += seconds(executions.times.time);
        self.busiest += seconds(executions.times.busiest);
        self.longest += seconds(executions.times.longest);
        self.behind += seconds(executions.times.behind);
        self.thread_time += seconds(executions.busy as f64);
        self.taken += seconds(executions.taken as f64);
        self.elapsed += seconds(executions.elapsed as f64);
        self.uneven += executions.uneven;
        self.late += seconds(executions.times.late as f64);
        self.code_before += seconds(executions.times.code_before as f64);
        self.late_in_all += seconds(executions.times.late_in_all as f64);
        self.waited_within += seconds(executions.times.waited_within);
        let starts = &executions.starts;
        self.starts.0 += starts.count;
        self.starts.1 += seconds(starts.ticks as f64);
        self.starts.2 = self.starts.2.max(seconds(starts.longest as f64));
    }
}

const OTHERS: u64 = 2;

/// The first run and the mean of the others: of all parts where there are enough, the mean.
fn first_and_others(in_parts: &[InPart<'_>], context: &Context<'_>) -> Option<(f64, f64)> {
    let (mut first, mut others, mut compared) = (0.0, 0.0, 0.0);
    for in_part in in_parts {
        let executions = in_part.executions();
        // The first of loops that become shorter is the longest by itself.
        let alike = executions.trips.is_some_and(|[least, most]| least == most);
        if let Some((_, length)) = executions.first
            && executions.count > OTHERS
            && alike
        {
            first += context.seconds(in_part.part, length as f64);
            let rest = executions.elapsed.saturating_sub(length) as f64;
            others += context.seconds(in_part.part, rest) / (executions.count - 1) as f64;
            compared += 1.0;
        }
    }
    (compared > 0.0).then(|| (first / compared, others / compared))
}

/// Processes of one machine that run this loop's teams at the same time.
fn shared(in_parts: &[InPart<'_>], context: &Context<'_>) -> Option<Crowd> {
    let mut hosts: BTreeMap<&str, Vec<(usize, u32)>> = BTreeMap::new();
    for in_part in in_parts {
        if let Some([_, team]) = in_part.executions().team {
            let host = context.parts[in_part.part].meta().host.as_str();
            hosts.entry(host).or_default().push((in_part.part, team));
        }
    }
    hosts.into_iter().find_map(|(host, teams)| {
        let known = teams.iter().map(|(part, _)| context.parts[*part].meta().processors);
        let processors = known.max().filter(|processors| *processors > 0)?;
        let (threads, processes) = most_together(&teams, context);
        (processes > 1 && threads > processors.into()).then(|| Crowd::Ranks {
            host: if host.is_empty() { "one machine" } else { host }.to_owned(),
            processes,
            threads,
            processors,
        })
    })
}

/// Threads and processes at the same time, at most.
fn most_together(teams: &[(usize, u32)], context: &Context<'_>) -> (u64, usize) {
    // Begins and ends of recordings, in order: an end before a begin at the same time.
    let mut moments = Vec::new();
    for (part, team) in teams {
        let begin = context.parts[*part].meta().started as f64;
        let sums = &context.sums[*part];
        moments.push((begin, true, *team));
        moments.push((begin + sums.clock.since_start(sums.last), false, *team));
    }
    moments.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let (mut now, mut most) = ((0, 0), (0, 0));
    for (_, begins, team) in moments {
        if begins {
            now = (now.0 + u64::from(team), now.1 + 1)
        } else {
            now = (now.0 - u64::from(team), now.1 - 1)
        }
        most = most.max(now);
    }
    most
}

/// From here on an efficiency is acceptable, as the POP project has it.
pub(crate) const ACCEPTABLE: f64 = 0.8;
/// Less than this of the time is not worth a change.
pub(crate) const WORTHWHILE: f64 = 0.05;

pub(crate) fn new_note(code: &'static str, text: String) -> Option<Note> {
    Some(Note { code, text })
}
