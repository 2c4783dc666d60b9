//! What one run tells of one loop, as far as it can be set against other runs; or why it cannot.

use ompchunk_analysis::model::LoopReport;
use ompchunk_figures::are;

/// A loop in a run, all of its executions together. Times of threads are sums over the team.
#[derive(Debug, Default, Clone, Copy, PartialEq)]
pub struct Sample {
    /// Threads of its team, as measured.
    pub team: u32,
    /// From the first thread's begin to the last one's end.
    pub seconds: f64,
    /// Useful time of the average thread, and of the busiest.
    pub average: f64,
    pub busiest: f64,
    /// Useful time of all threads.
    pub work: f64,
    /// What all of these threads have in `seconds`.
    pub thread_seconds: f64,
    /// What was taken from them of the time in chunks, as another program had the core; `None`: not known.
    pub taken: Option<f64>,
    pub amount: Amount,
}

/// By which it is known whether a loop does the same in two runs.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub enum Amount {
    /// Iterations of all of its executions.
    Iterations(u64),
    /// The chunks are not told: executions, and iterations of the shortest and of the longest.
    Executions(u64, Option<[u64; 2]>),
    /// Several loops that do not all do the same.
    #[default]
    Different,
}

/// Why a loop of a run cannot be set against others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Unfit {
    #[error("some of it is not in the trace, which is as large as max-size in OMPCHUNK_RECORD allows")]
    Lost,
    /// They have no end, or not all of their threads.
    #[error("{} of its executions {} incomplete", .0, are(*.0))]
    Incomplete(u64),
    #[error("its executions were only counted")]
    Counted,
    #[error("it ran in teams of {} to {} threads", .0[0], .0[1])]
    Teams([u32; 2]),
    #[error("no execution of it was recorded")]
    Nothing,
}

impl Sample {
    /// From a report that so many processes made.
    pub fn from_loop(loop_report: &LoopReport, processes: usize) -> Result<Sample, Unfit> {
        let team = fit(loop_report)?;
        let metrics = &loop_report.metrics;
        let useful = |share: Option<f64>| share.map(|share| share * metrics.seconds).ok_or(Unfit::Nothing);
        Ok(Sample {
            team,
            seconds: metrics.seconds,
            average: useful(metrics.parallel_efficiency)?,
            busiest: useful(metrics.communication_efficiency)?,
            work: loop_report.threads.iter().map(|thread| thread.work_seconds()).sum(),
            thread_seconds: metrics.seconds * f64::from(team) * processes as f64,
            taken: loop_report.off_core.map(|off_core| off_core.taken().max(0.0)),
            amount: if loop_report.tells_all() {
                Amount::Iterations(loop_report.iterations)
            } else {
                Amount::Executions(loop_report.executions, loop_report.trip_count)
            },
        })
    }

    /// Adds a share of another loop's sample, for what loops are together.
    pub fn add(&mut self, sample: &Sample, share: f64) {
        self.seconds += sample.seconds * share;
        self.average += sample.average * share;
        self.busiest += sample.busiest * share;
        self.work += sample.work * share;
        self.thread_seconds += sample.thread_seconds * share;
        self.taken = self.taken.zip(sample.taken).map(|(sum, taken)| sum + taken * share);
    }

    /// Nothing yet, of a team of so many, that has so much to do.
    pub fn none(team: u32, amount: Amount) -> Sample {
        Sample { team, taken: Some(0.0), amount, ..Sample::default() }
    }
}

/// The team, if all of it is there.
fn fit(loop_report: &LoopReport) -> Result<u32, Unfit> {
    if loop_report.lost.is_some() {
        return Err(Unfit::Lost);
    }
    if loop_report.incomplete_executions > 0 {
        return Err(Unfit::Incomplete(loop_report.incomplete_executions));
    }
    if loop_report.counted_executions > 0 {
        return Err(Unfit::Counted);
    }
    match loop_report.team_size {
        Some([least, most]) if least != most => Err(Unfit::Teams([least, most])),
        Some([team, _]) if loop_report.executions > 0 && loop_report.metrics.seconds > 0.0 => Ok(team.max(1)),
        _ => Err(Unfit::Nothing),
    }
}
