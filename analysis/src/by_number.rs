//! A hash of the small numbers that a part gives its loops: multiplying is enough, and nobody chooses them to collide in more
//! than a few places.

use std::hash::{BuildHasherDefault, Hasher};

/// A map by such numbers.
pub(crate) type ByNumber<T> = std::collections::HashMap<u32, T, BuildHasherDefault<Mix>>;

/// The hasher.
#[derive(Debug, Default)]
pub(crate) struct Mix(u64);

impl Hasher for Mix {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u32((*byte).into());
        }
    }

    fn write_u32(&mut self, value: u32) {
        let mixed = (self.0 ^ u64::from(value)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = mixed ^ mixed >> 32;
    }
}
