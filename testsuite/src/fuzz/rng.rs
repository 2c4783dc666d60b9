//! Random numbers that one number determines, on every machine and with every release of Rust.

/// splitmix64: every seed is as good as any other, so that neighbouring programs share nothing.
#[derive(Debug, Clone)]
pub struct Rng(u64);

impl Rng {
    pub fn new(seed: u64) -> Rng {
        Rng(seed)
    }

    pub fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mix(self.0)
    }

    /// One of `0..n`; 0 if `n` is 0.
    pub fn below(&mut self, n: u64) -> u64 {
        self.number() % n.max(1)
    }

    pub fn range(&mut self, low: u64, high: u64) -> u64 {
        low + self.below(high - low + 1)
    }

    pub fn chance(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }

    pub fn pick<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.below(of.len() as u64) as usize]
    }
}

/// The finaliser of splitmix64, which programs also use for the checksum of their iterations.
pub fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_means_the_same_numbers_for_ever() {
        let mut rng = Rng::new(1);
        assert_eq!(rng.number(), 0x910a_2dec_8902_5cc1);
        assert!((0..100).all(|_| rng.range(3, 5) - 3 < 3));
    }
}
