//! What a recorded run tells of its loops, without terminal or HTML: [`analyse`] gives a [`Report`], which others print.
//!
//! Blocks of a part are read in batches (`scan`), lanes count chunks and hand over parts of executions (`lane`), which are joined
//! (`join`); a part's sums (`part`) become a report in seconds (`build`), with what is missing (`notes`) and suggested (`hints`).
//! Methods of [`Analysis`] read parts again. Memory depends on the numbers of threads and loops, not on the length of the trace.

#![allow(missing_docs, reason = "a doc says what the name does not; nobody else uses this")]

#[macro_use]
mod merge;

mod account;
mod aggregates;
mod between;
mod build;
mod change;
mod curve;
mod definition;
mod diff;
mod hints;
mod histogram;
pub mod hot;
mod join;
mod lane;
mod loop_report;
mod metrics;
pub mod model;
mod notes;
mod off_core;
mod open_loop;
mod openacc;
mod openacc_report;
mod pace;
mod parallel_time;
mod part;
mod phase;
mod pictures;
mod process;
pub mod profile;
mod promise;
pub mod run;
mod run_model;
pub mod sampled;
mod scan;
mod serial;
mod share;
mod shown_executions;
mod stretches;
pub mod symbols;
mod task;
mod tasks;
mod timeline;

use ompchunk_trace_format::select::Names;
use ompchunk_trace_format::stacks::path_beside;
use ompchunk_trace_format::{Error, Part};
use rayon::prelude::*;

use crate::process::{Context, Processes};
use crate::scan::Progress;

pub use change::{Change, Load, Reason, Verdict};
pub use curve::{BINS, Cost, Curve};
pub use definition::Identity;
pub use diff::{Diff, Pair, Side, TaskPair, diff};
pub use histogram::{COARSE_ERROR, QUANTILE_ERROR};
pub use model::{LoopReport, Report};
pub use ompchunk_trace_format::Grouped;
pub use ompchunk_trace_format::name::demangle;
pub use ompchunk_trace_format::{raw, sched_type};
pub use pictures::{COLUMNS, Heat, Pictures, ROWS};
pub use promise::Promise;
pub use timeline::{Row, Span, Timeline, Which};

#[derive(Debug)]
pub struct Analysis<'p> {
    pub report: Report,
    pub skipped: Vec<(&'p Part, Error)>,
    context: Context<'p>,
}

/// Reports on the loops of parts. `progress` is told, from any thread, of bytes that were read. An error if none can be read.
pub fn analyse<'p>(parts: &[&'p Part], progress: Progress<'_>) -> Result<Analysis<'p>, Error> {
    let all: Vec<_> = parts.par_iter().map(|part| (*part, part::read(part, progress))).collect();
    let (mut parts, mut sums, mut skipped) = (Vec::new(), Vec::new(), Vec::new());
    for (part, read) in all {
        match read {
            Ok(read) => {
                parts.push(part);
                sums.push(read);
            }
            Err(error) => skipped.push((part, error)),
        }
    }
    if parts.is_empty() && !skipped.is_empty() {
        return Err(skipped.remove(0).1);
    }
    let context = Context { processes: Processes::from_parts(&parts), parts, sums };
    let mut report = build::report(&context);
    for (_, error) in &skipped {
        report.skips(error);
    }
    Ok(Analysis { report, skipped, context })
}

impl Analysis<'_> {
    /// What a loop of the report is called in the parts: each part with the part's own number of it.
    pub fn numbers(&self, the_loop: &LoopReport) -> impl Iterator<Item = (&Part, u32)> {
        let all = self.context.parts.iter().zip(&self.context.sums);
        all.flat_map(|(part, sums)| sums.numbers(&the_loop.identity).iter().map(move |number| (*part, *number)))
    }

    pub fn pictures(&self, loops: &[&LoopReport], progress: Progress<'_>) -> Result<Vec<Pictures>, Error> {
        pictures::pictures(&self.context, loops, progress)
    }

    pub fn profiles(&self, loops: &[&LoopReport], progress: Progress<'_>) -> Result<Vec<profile::Profile>, Error> {
        profile::profiles(&self.context, loops, progress)
    }

    /// How many threads ran tasks at a time, where they are told one by one, in the first of a report's regions with tasks.
    pub fn add_task_activity(&self, tasks: &mut model::TasksReport, progress: Progress<'_>) -> Result<(), Error> {
        tasks::add_activity(&self.context, &mut tasks.regions, progress)
    }

    /// Where calls of the program return to, in one of the parts: by their places in the source. Those of no part are not known.
    pub fn sites(&self, part: &Part, codes: &[u64]) -> Vec<model::Site> {
        match self.context.parts.iter().position(|known| std::ptr::eq(*known, part)) {
            Some(at) => tasks::sites(&self.context, at, codes),
            None => vec![model::Site::default(); codes.len()],
        }
    }

    pub fn has_profile(&self) -> bool {
        self.context.parts.iter().any(|part| part.meta().mode.profile)
    }

    pub fn has_stacks(&self) -> bool {
        self.context.parts.iter().any(|part| path_beside(part.path()).exists())
    }

    /// Where the time goes in some of the report's loops, and in serial code, by sampled stacks.
    pub fn hot_lines(&self, loops: &[&LoopReport]) -> Result<hot::HotLines, Error> {
        hot::lines(&self.context, loops)
    }

    /// What iterations of some of the report's loops cost. `None`: nothing tells them apart.
    pub fn curves(&self, loops: &[&LoopReport], progress: Progress<'_>) -> Result<Vec<Option<Curve>>, Error> {
        curve::curves(&self.context, loops, progress)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    Lost,
    Time,
    Imbalance,
    Efficiency,
    Barrier,
    Bookkeeping,
    Chunks,
    Longest,
    Position,
}

/// Sorts loops; of equal ones the costlier comes first.
pub fn sort(loops: &mut [LoopReport], order: Order) {
    let missing_last = |value: Option<f64>| value.unwrap_or(f64::NEG_INFINITY);
    let key = |loop_report: &LoopReport| match order {
        Order::Lost => loop_report.loses(),
        Order::Time => loop_report.cost(),
        Order::Imbalance => loop_report.metrics.imbalance_seconds,
        Order::Efficiency => {
            missing_last(loop_report.metrics.parallel_efficiency.map(|parallel_efficiency| -parallel_efficiency))
        }
        Order::Barrier => missing_last(loop_report.barrier_seconds),
        Order::Bookkeeping => missing_last(loop_report.bookkeeping_share),
        Order::Chunks => loop_report.chunks as f64,
        Order::Longest => missing_last(loop_report.chunk_seconds.as_ref().map(|chunk_seconds| chunk_seconds.max)),
        Order::Position => 0.0,
    };
    loops.sort_by(|one, other| {
        let by_position = one.identity.cmp(&other.identity);
        let then = if order == Order::Position { by_position } else { one.number.cmp(&other.number) };
        key(other).total_cmp(&key(one)).then(then)
    });
}

/// Whether a loop is meant: by its number in the report, or by what [`Names::are_meant`] takes.
pub fn is_meant(loop_report: &LoopReport, pattern: &str) -> bool {
    if pattern.parse() == Ok(loop_report.number) || loop_report.name == pattern {
        return true;
    }
    let identity = &loop_report.identity;
    let names = Names {
        file: identity.file.as_deref(),
        line: identity.line,
        column: identity.column,
        function: identity.function.as_deref(),
        symbol: identity.symbol.as_deref(),
        object: identity.object.as_deref(),
        offset: identity.offset,
    };
    names.are_meant(pattern)
}
