//! What else the machine did in a run, as far as its loops were hit.

use serde::Serialize;

use crate::metrics::ratio;
use crate::model::{LoopReport, Report};

/// How a run's threads lost their cores.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Load {
    /// What of the threads' time in loops was taken from them; `None`: not known of all, or there is none.
    pub taken_share: Option<f64>,
    /// They are more than the processors that their process may use: how many, and how many of these. `None`: they are not, or it is
    /// not known.
    pub crowd: Option<(u64, u32)>,
    /// Several processes have more threads than there are processors, and may share them.
    pub shares_cores: bool,
    /// Of each process it is known how many processors it may use.
    pub knows_processors: bool,
}

impl Load {
    pub(crate) fn of(report: &Report) -> Load {
        let loops = || report.loops.iter().filter(|the_loop| the_loop.busy_seconds > 0.0);
        let taken: Option<f64> = loops().map(|the_loop| the_loop.off_core.map(|off| off.taken())).sum::<Option<f64>>();
        let busy: f64 = loops().map(|the_loop| the_loop.busy_seconds).sum();
        Load {
            taken_share: taken.and_then(|taken| ratio(taken.max(0.0), busy)),
            crowd: crowd(report),
            knows_processors: report.parts.iter().all(|part| part.processors > 0),
            shares_cores: report
                .loops
                .iter()
                .any(|the_loop| the_loop.hints.iter().any(|hint| hint.code == "shared-cores")),
        }
    }
}

fn crowd(report: &Report) -> Option<(u64, u32)> {
    let known = report.parts.iter().map(|part| part.processors);
    let processors = known.filter(|processors| *processors > 0).min()?;
    let teams = report.loops.iter().filter_map(|the_loop| the_loop.team_size);
    let team = teams.map(|[_, most]| u64::from(most)).max().unwrap_or(0);
    // Several teams at a time, on the average.
    let together = report.run.crowd.map_or(0, |(threads, _)| threads.ceil() as u64);
    let threads = team.max(together);
    (threads > processors.into()).then_some((threads, processors))
}

/// What of a loop's thread time was taken from its threads; `None`: not known.
pub(crate) fn taken_share(the_loop: &LoopReport) -> Option<f64> {
    let taken = the_loop.off_core?.taken().max(0.0);
    ratio(taken, the_loop.busy_seconds)
}
