//! `enum sched_type` of libomp's `kmp.h`, as passed to `__kmpc_for_static_init_*`.

/// `schedule(static,c)`.
pub const STATIC_CHUNKED: u32 = 33;
/// `schedule(static)`.
pub const STATIC: u32 = 34;
/// `schedule(simd:static,c)`.
pub const STATIC_BALANCED_CHUNKED: u32 = 45;
/// `dist_schedule(static,c)`.
pub const DISTRIBUTE_CHUNKED: u32 = 91;
/// `dist_schedule(static)`.
pub const DISTRIBUTE: u32 = 92;

/// `schedule(monotonic: …)`.
pub const MONOTONIC: u32 = 1 << 29;
/// `schedule(nonmonotonic: …)`.
pub const NONMONOTONIC: u32 = 1 << 30;

/// The schedule without its modifier bits.
pub const fn kind(schedule: u32) -> u32 {
    schedule & !(MONOTONIC | NONMONOTONIC)
}

/// As a user writes it, with the chunk size if it is constant.
pub fn clause_with(schedule: u32, chunk: Option<i64>) -> String {
    let clause = clause(schedule);
    match chunk {
        Some(chunk) => clause.replace(",c)", &format!(",{chunk})")),
        None => clause.to_owned(),
    }
}

const fn clause(schedule: u32) -> &'static str {
    match (kind(schedule), schedule & (MONOTONIC | NONMONOTONIC)) {
        (STATIC_CHUNKED, 0) => "schedule(static,c)",
        (STATIC_CHUNKED, MONOTONIC) => "schedule(monotonic:static,c)",
        (STATIC_CHUNKED, _) => "schedule(nonmonotonic:static,c)",
        (DISTRIBUTE_CHUNKED, _) => "dist_schedule(static,c)",
        (DISTRIBUTE, _) => "dist_schedule(static)",
        (STATIC, MONOTONIC) => "schedule(monotonic:static)",
        (STATIC, NONMONOTONIC) => "schedule(nonmonotonic:static)",
        _ => "schedule(static)",
    }
}
