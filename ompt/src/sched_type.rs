//! Schedules as libomp numbers them: `enum sched_type` of its `kmp.h`, which programs pass to `__kmpc_for_static_init_*` and the like.

use core::fmt;

macro_rules! numbers {
    ($($name:ident = $number:expr, $what:literal;)*) => {
        $( #[doc = $what] pub const $name: u32 = $number; )*
    };
}

numbers! {
    STATIC_CHUNKED = 33, "`schedule(static,c)`.";
    STATIC = 34, "`schedule(static)`.";
    DYNAMIC = 35, "`schedule(dynamic)`.";
    GUIDED = 36, "`schedule(guided)`.";
    RUNTIME = 37, "`schedule(runtime)`.";
    AUTO = 38, "`schedule(auto)`.";
    STATIC_SIMD = 45, "`schedule(simd:static,c)`, whose chunks the runtime makes longer.";
    GUIDED_SIMD = 46, "`schedule(simd:guided)`.";
    RUNTIME_SIMD = 47, "`schedule(simd:runtime)`.";
    BALANCED = crate::raw::CHUNK_SCHED_BALANCED, "A number of `ompt-chunk.h`, not of `kmp.h`: a block of equal cost for each thread.";
    DISTRIBUTE_CHUNKED = 91, "`dist_schedule(static,c)`.";
    DISTRIBUTE = 92, "`dist_schedule(static)`.";
    MONOTONIC = 1 << 29, "`schedule(monotonic: …)`, a bit beside the number.";
    NONMONOTONIC = 1 << 30, "`schedule(nonmonotonic: …)`, a bit beside the number.";
    MODIFIERS = MONOTONIC | NONMONOTONIC, "The bits of modifiers.";
    ORDERED = 32, "A loop with `ordered` has the number of its schedule, from [`STATIC_CHUNKED`] to [`AUTO`], and this.";
}

/// The schedule without its modifiers.
pub const fn kind(schedule: u32) -> u32 {
    schedule & !MODIFIERS
}

/// Does the runtime deal its chunks?
pub const fn is_dealt(schedule: u32) -> bool {
    matches!(kind(schedule), DYNAMIC..=AUTO | GUIDED_SIMD | RUNTIME_SIMD) || is_ordered(schedule)
}

/// Does it belong to a loop with `ordered`?
pub const fn is_ordered(schedule: u32) -> bool {
    matches!(kind(schedule), 65..=70)
}

/// The schedule without its modifiers, and without `ordered`.
pub const fn kind_without_order(schedule: u32) -> u32 {
    if is_ordered(schedule) { kind(schedule) - ORDERED } else { kind(schedule) }
}

/// A schedule's chunk size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChunkSize {
    /// A constant.
    Known(i64),
    /// Only the running program knows.
    RunTime,
    /// The schedule has none.
    None,
}

impl ChunkSize {
    /// The constant.
    pub const fn known(self) -> Option<i64> {
        match self {
            ChunkSize::Known(size) => Some(size),
            ChunkSize::RunTime | ChunkSize::None => None,
        }
    }
}

/// A schedule as a user writes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Clause {
    /// Its number, with its modifiers.
    pub schedule: u32,
    /// What it says of chunks.
    pub chunk: ChunkSize,
}

impl fmt::Display for ChunkSize {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ChunkSize::Known(chunk) => write!(to, ",{chunk}"),
            ChunkSize::RunTime => to.write_str(",c"),
            ChunkSize::None => Ok(()),
        }
    }
}

impl fmt::Display for Clause {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Clause { schedule, chunk } = *self;
        let modifier = match (schedule & MONOTONIC != 0, schedule & NONMONOTONIC != 0) {
            (true, _) => "monotonic:",
            (false, true) => "nonmonotonic:",
            (false, false) => "",
        };
        // Compilers say nonmonotonic where nothing is said, of all but static schedules.
        let explicit = if modifier == "nonmonotonic:" { "" } else { modifier };
        let ordered = if is_ordered(schedule) { "ordered " } else { "" };
        match kind_without_order(schedule) {
            STATIC | STATIC_CHUNKED => write!(to, "{ordered}schedule({modifier}static{chunk})"),
            STATIC_SIMD => write!(to, "schedule(simd:static{chunk})"),
            DISTRIBUTE | DISTRIBUTE_CHUNKED => write!(to, "dist_schedule(static{chunk})"),
            DYNAMIC => write!(to, "{ordered}schedule({explicit}dynamic{chunk})"),
            GUIDED => write!(to, "{ordered}schedule({explicit}guided{chunk})"),
            RUNTIME => write!(to, "{ordered}schedule({explicit}runtime)"),
            AUTO => write!(to, "{ordered}schedule(auto)"),
            // OpenMP has no clause for it, so it is written as where it was asked for.
            BALANCED => to.write_str("balanced"),
            GUIDED_SIMD => write!(to, "schedule(simd:guided{chunk})"),
            RUNTIME_SIMD => to.write_str("schedule(simd:runtime)"),
            unknown => write!(to, "schedule kind {unknown}"),
        }
    }
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;
    use std::string::ToString;

    #[test]
    fn as_a_user_writes_it() {
        let clause = |schedule, chunk| Clause { schedule, chunk }.to_string();
        assert_eq!(clause(34, ChunkSize::None), "schedule(static)");
        assert_eq!(clause(33, ChunkSize::Known(4)), "schedule(static,4)");
        assert_eq!(clause(33 | MONOTONIC, ChunkSize::RunTime), "schedule(monotonic:static,c)");
        assert_eq!(clause(92, ChunkSize::None), "dist_schedule(static)");
        let dynamic = |schedule| clause(schedule, ChunkSize::Known(4));
        assert_eq!(dynamic(35), "schedule(dynamic,4)");
        assert_eq!(dynamic(35 | NONMONOTONIC), "schedule(dynamic,4)");
        assert_eq!(dynamic(36 | MONOTONIC), "schedule(monotonic:guided,4)");
        assert_eq!(dynamic(65), "ordered schedule(static,4)");
        assert_eq!(clause(66, ChunkSize::None), "ordered schedule(static)");
        assert_eq!(clause(69, ChunkSize::None), "ordered schedule(runtime)");
        assert_eq!(clause(38, ChunkSize::None), "schedule(auto)");
        assert_eq!(clause(62, ChunkSize::None), "balanced");
        assert_eq!(clause(7, ChunkSize::None), "schedule kind 7");
    }
}
