//! Clauses, from `enum sched_type` of libomp's `kmp.h` with its modifier bits.

const STATIC_CHUNKED: u32 = 33;
const STATIC: u32 = 34;
const DYNAMIC: u32 = 35;
const GUIDED: u32 = 36;
const RUNTIME: u32 = 37;
const AUTO: u32 = 38;
const STATIC_BALANCED_CHUNKED: u32 = 45;
const GUIDED_SIMD: u32 = 46;
const RUNTIME_SIMD: u32 = 47;
/// None of `kmp.h`, but of `ompt-chunk.h`: a block of equal cost for each thread.
pub const BALANCED: u32 = 62;
/// The kinds from `STATIC_CHUNKED` to `AUTO` once more, for loops with `ordered`.
const ORDERED: std::ops::RangeInclusive<u32> = 65..=70;
const DISTRIBUTE_CHUNKED: u32 = 91;
const DISTRIBUTE: u32 = 92;
const MONOTONIC: u32 = 1 << 29;
const NONMONOTONIC: u32 = 1 << 30;

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

/// As a user writes it.
#[must_use]
pub fn clause(schedule: u32, chunk: ChunkSize) -> String {
    let modifier = match (schedule & MONOTONIC != 0, schedule & NONMONOTONIC != 0) {
        (true, _) => "monotonic:",
        (false, true) => "nonmonotonic:",
        (false, false) => "",
    };
    let chunk = match chunk {
        ChunkSize::Known(chunk) => format!(",{chunk}"),
        ChunkSize::RunTime => ",c".to_owned(),
        ChunkSize::None => String::new(),
    };
    let kind = schedule & !(MONOTONIC | NONMONOTONIC);
    let (ordered, kind) = match kind {
        _ if ORDERED.contains(&kind) => ("ordered ", kind - (ORDERED.start() - STATIC_CHUNKED)),
        _ => ("", kind),
    };
    // Compilers say nonmonotonic where nothing is said, of all but static schedules.
    let explicit = if modifier == "nonmonotonic:" { "" } else { modifier };
    let clause = match kind {
        STATIC | STATIC_CHUNKED => format!("schedule({modifier}static{chunk})"),
        STATIC_BALANCED_CHUNKED => format!("schedule(simd:static{chunk})"),
        DISTRIBUTE | DISTRIBUTE_CHUNKED => format!("dist_schedule(static{chunk})"),
        DYNAMIC => format!("schedule({explicit}dynamic{chunk})"),
        GUIDED => format!("schedule({explicit}guided{chunk})"),
        RUNTIME => format!("schedule({explicit}runtime)"),
        AUTO => "schedule(auto)".to_owned(),
        // No clause of OpenMP's, so it is written as where it was asked for.
        BALANCED => "balanced".to_owned(),
        GUIDED_SIMD => format!("schedule(simd:guided{chunk})"),
        RUNTIME_SIMD => "schedule(simd:runtime)".to_owned(),
        unknown => format!("schedule kind {unknown}"),
    };
    ordered.to_owned() + &clause
}

/// What the runtime says of a loop that the plugin did not see, from `ompt_work_t`.
#[must_use]
pub fn of_work(work: u32) -> Option<&'static str> {
    match work {
        10 => Some("schedule(static)"),
        11 => Some("schedule(dynamic)"),
        12 => Some("schedule(guided)"),
        _ => None,
    }
}

/// Its construct, likewise.
#[must_use]
pub fn construct_of_work(work: u32) -> Option<&'static str> {
    match work {
        1 | 10..=13 => Some("for"),
        6 => Some("distribute"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_a_user_writes_it() {
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
