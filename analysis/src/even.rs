//! A table with a row per thread and a column per loop: what the rows are short of the fullest one, by column.

/// The row with the largest sum.
pub(crate) fn fullest(rows: &[Vec<f64>]) -> Option<usize> {
    let sum = |row: &Vec<f64>| row.iter().sum::<f64>();
    (0..rows.len()).max_by(|one, other| sum(&rows[*one]).total_cmp(&sum(&rows[*other])))
}

/// Where a row has less than another.
pub(crate) fn short(than: &[f64], row: &[f64]) -> Vec<f64> {
    than.iter().zip(row).map(|(most, row)| (most - row).max(0.0)).collect()
}

/// For each column its mean, and its share of what the rows are short of the fullest one: both together add up to
/// the fullest row.
pub(crate) fn even(rows: &[Vec<f64>]) -> Vec<(f64, f64)> {
    let Some(fullest) = fullest(rows).map(|at| &rows[at]) else {
        return Vec::new();
    };
    let most: f64 = fullest.iter().sum();
    let count = rows.len() as f64;
    let mut columns = vec![(0.0, 0.0); fullest.len()];
    for row in rows {
        let missing = most - row.iter().sum::<f64>();
        let short = short(fullest, row);
        let all: f64 = short.iter().sum();
        for (at, column) in columns.iter_mut().enumerate() {
            column.0 += row[at] / count;
            if all > 0.0 {
                column.1 += missing * short[at] / all / count;
            }
        }
    }
    columns
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_single_column_is_as_long_as_its_longest() {
        assert_eq!(even(&[vec![30.0], vec![10.0]]), [(20.0, 10.0)]);
    }

    /// Each loop has a slow thread, but another one: nobody waits, and nothing is lost.
    #[test]
    fn what_evens_out_is_not_lost() {
        let columns = even(&[vec![30.0, 10.0], vec![10.0, 30.0]]);
        assert_eq!(columns, [(20.0, 0.0), (20.0, 0.0)]);
    }

    /// The first loop has all of the imbalance; the second is even.
    #[test]
    fn the_cause_pays() {
        let columns = even(&[vec![30.0, 10.0], vec![10.0, 10.0]]);
        assert_eq!(columns, [(20.0, 10.0), (10.0, 0.0)]);
    }

    proptest::proptest! {
        #[test]
        fn columns_add_up_to_the_fullest_row(
            rows in proptest::collection::vec(proptest::collection::vec(0u32..1000, 3), 1..6)
        ) {
            let rows: Vec<Vec<f64>> = rows
                .into_iter()
                .map(|row| row.into_iter().map(f64::from).collect())
                .collect();
            let most = rows.iter().map(|row| row.iter().sum::<f64>()).fold(0.0, f64::max);
            let columns = even(&rows);
            let sum: f64 = columns.iter().map(|column| column.0 + column.1).sum();
            proptest::prop_assert!((sum - most).abs() < 1e-6 * (1.0 + most));
            proptest::prop_assert!(columns.iter().all(|column| column.1 >= 0.0));
        }
    }
}
