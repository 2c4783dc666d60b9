//! Which loops, in which order.

use crate::model::LoopReport;

/// By what loops are sorted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
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
    let key = |it: &LoopReport| match order {
        Order::Time => it.cost(),
        Order::Imbalance => it.metrics.imbalance_seconds,
        Order::Efficiency => missing_last(it.metrics.parallel_efficiency.map(|it| -it)),
        Order::Barrier => missing_last(it.barrier_seconds),
        Order::Bookkeeping => missing_last(it.bookkeeping_share),
        Order::Chunks => it.chunks as f64,
        Order::Longest => missing_last(it.chunk_seconds.as_ref().map(|it| it.max)),
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

/// Whether a loop is meant: by its number in the report, by its position (`file:line` or `file:line:column`, the file
/// with or without its directories), or by a part of its file's or function's name.
#[must_use]
pub fn is_meant(it: &LoopReport, pattern: &str) -> bool {
    if pattern.parse() == Ok(it.number) || it.name == pattern {
        return true;
    }
    let identity = &it.identity;
    if let Some((file, line, column)) = position(pattern) {
        let names = |path: &str| path == file || path.ends_with(&format!("/{file}"));
        return identity.line == Some(line)
            && (column.is_none() || identity.column == column)
            && identity.file.as_deref().is_some_and(names);
    }
    let texts = [
        &identity.function,
        &identity.symbol,
        &identity.file,
        &identity.object,
    ];
    pattern.parse::<u64>().is_err()
        && texts
            .into_iter()
            .flatten()
            .any(|text| text.contains(pattern))
}

/// A file, a line, and perhaps a column.
fn position(pattern: &str) -> Option<(&str, u32, Option<u32>)> {
    let (before, last) = pattern.rsplit_once(':')?;
    let last = last.parse().ok()?;
    let inner = before
        .rsplit_once(':')
        .and_then(|(file, line)| Some((file, line.parse().ok()?)));
    Some(match inner {
        Some((file, line)) => (file, line, Some(last)),
        None => (before, last, None),
    })
}

#[cfg(test)]
mod tests {
    use super::position;

    #[test]
    fn positions() {
        assert_eq!(position("a.c:7"), Some(("a.c", 7, None)));
        assert_eq!(position("src/a.c:7:3"), Some(("src/a.c", 7, Some(3))));
        assert_eq!(position("C:x:a.c:7"), Some(("C:x:a.c", 7, None)));
        for text in ["a.c", "7", "grid::sweep", "a.c:", "a.c:7:"] {
            assert_eq!(position(text), None, "{text}");
        }
    }
}
