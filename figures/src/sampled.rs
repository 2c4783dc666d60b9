//! How far a share that was sampled may be off.

/// The quantile of the normal distribution that leaves 2.5 % above it.
const Z: f64 = 1.959_964;

/// So many samples of equal weight tell as much as these, given their weights' sum and that of the squares: samples that stand for
/// different times are worth fewer that stand for the same.
#[must_use]
pub fn worth(samples: u64, sum: f64, squares: f64) -> f64 {
    match squares > 0.0 {
        true => sum * sum / squares,
        false => samples as f64,
    }
}

/// Wilson's score interval, of 95 %.
#[must_use]
pub fn share_between(share: f64, samples: f64) -> [f64; 2] {
    let square = Z * Z / samples;
    let middle = (share + square / 2.0) / (1.0 + square);
    let half = Z / (1.0 + square) * (share * (1.0 - share) / samples + square / (4.0 * samples)).max(0.0).sqrt();
    [(middle - half).max(0.0), (middle + half).min(1.0)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_are_wilsons() {
        // Newcombe 1998, table I: 81 of 263, and 0 of 20.
        let [low, high] = share_between(81.0 / 263.0, 263.0);
        assert!((low - 0.2553).abs() < 1e-4 && (high - 0.3662).abs() < 1e-4);
        let [low, high] = share_between(0.0, 20.0);
        assert!(low == 0.0 && (high - 0.1611).abs() < 1e-4);
    }
}
