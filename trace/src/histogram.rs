//! Counts by powers of two.

/// Counts by powers of two, as they stand in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Histogram<'a>(pub(crate) &'a [u8]);

impl Histogram<'_> {
    /// Bucket 0 counts durations of 0 and 1 ticks, bucket k those from 2^k to 2^(k+1)-1.
    pub fn counts(&self) -> impl Iterator<Item = u64> + '_ {
        self.0.chunks_exact(8).map(|bytes| u64::from_le_bytes(bytes.try_into().expect("eight bytes")))
    }

    /// The bucket of a duration.
    #[must_use]
    pub const fn bucket(ticks: u64) -> usize {
        63 - (ticks | 1).leading_zeros() as usize
    }
}

impl<'a> From<&'a [u8]> for Histogram<'a> {
    /// Little-endian counts.
    fn from(bytes: &'a [u8]) -> Self {
        Histogram(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::Histogram;

    /// Files of all recorders have been counted like this.
    #[test]
    fn buckets_are_powers_of_two() {
        assert_eq!((Histogram::bucket(0), Histogram::bucket(1)), (0, 0));
        for bucket in 1..64 {
            let first = 1u64 << bucket;
            assert_eq!(Histogram::bucket(first), bucket);
            assert_eq!(Histogram::bucket(first - 1), bucket - 1);
        }
        assert_eq!(Histogram::bucket(u64::MAX), 63);
    }
}
