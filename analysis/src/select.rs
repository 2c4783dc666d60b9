//! Which loops, in which order.

use ompchunk_trace_format::select::Names;

use crate::model::LoopReport;

/// By what loops are sorted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// What loses most first.
    Lost,
    /// The costliest first.
    Time,
    /// The largest imbalance first.
    Imbalance,
    /// The lowest parallel efficiency first.
    Efficiency,
    /// The longest wait in barriers first.
    Barrier,
    /// The largest share of bookkeeping first.
    Bookkeeping,
    /// Most chunks first.
    Chunks,
    /// The longest chunk first.
    Longest,
    /// As in the source.
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
        key(other).total_cmp(&key(one)).then(match order {
            Order::Position => by_position,
            _ => one.number.cmp(&other.number),
        })
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
