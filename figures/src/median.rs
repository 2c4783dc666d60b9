//! The middle of values, and what so many of them are below.

/// The one in the middle; of an even number, the mean of both. `None` of nothing.
#[must_use]
pub fn median(values: impl IntoIterator<Item = f64>) -> Option<f64> {
    let mut values: Vec<f64> = values.into_iter().collect();
    let last = values.len().checked_sub(1)?;
    let (below, middle, _) = values.select_nth_unstable_by(last.div_ceil(2), f64::total_cmp);
    Some(match last % 2 {
        0 => *middle,
        _ => f64::midpoint(below.iter().copied().fold(f64::NEG_INFINITY, f64::max), *middle),
    })
}

/// The value below which this share of the weight is; between two values, their mean. `None`: nothing has weight.
#[must_use]
pub fn quantile(weighted: impl IntoIterator<Item = (f64, f64)>, share: f64) -> Option<f64> {
    let mut weighted: Vec<(f64, f64)> = weighted.into_iter().filter(|(_, weight)| *weight > 0.0).collect();
    weighted.sort_by(|(left, _), (right, _)| left.total_cmp(right));
    let wanted = share * weighted.iter().map(|(_, weight)| weight).sum::<f64>();
    let mut below = 0.0;
    let at = weighted.iter().position(|(_, weight)| {
        below += weight;
        below >= wanted
    });
    let at = at.or(weighted.len().checked_sub(1))?;
    let next = weighted.get(at + 1).filter(|_| below == wanted);
    Some(next.map_or(weighted[at].0, |(next, _)| f64::midpoint(weighted[at].0, *next)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians() {
        assert_eq!(median([]), None);
        assert_eq!(median([3.0]), Some(3.0));
        assert_eq!(median([9.0, 1.0, 5.0]), Some(5.0));
        assert_eq!(median([9.0, 1.0, 5.0, 2.0]), Some(3.5));
    }

    #[test]
    fn weight_counts() {
        let weighted = [(3.0, 1.0), (1.0, 1.0), (2.0, 98.0)];
        assert_eq!(quantile(weighted, 0.5), Some(2.0));
        assert_eq!(quantile(weighted, 0.001), Some(1.0));
        assert_eq!(quantile(weighted, 1.0), Some(3.0));
        assert_eq!(quantile([(1.0, 2.0), (4.0, 2.0)], 0.5), Some(2.5));
        assert_eq!(quantile([(1.0, 2.0), (2.0, 0.0), (4.0, 2.0)], 0.5), Some(2.5));
        assert_eq!(quantile([(1.0, 0.0)], 0.5), None);
    }
}
