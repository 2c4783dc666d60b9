//! `enum sched_type` of libomp's `kmp.h`, as passed to `__kmpc_for_static_init_*` and
//! `__kmpc_dispatch_init_*`.

/// `schedule(static,c)`.
pub const STATIC_CHUNKED: u32 = 33;
/// `schedule(static)`.
pub const STATIC: u32 = 34;
/// `schedule(dynamic)`.
pub const DYNAMIC: u32 = 35;
/// `schedule(guided)`.
pub const GUIDED: u32 = 36;
/// `schedule(runtime)`.
pub const RUNTIME: u32 = 37;
/// `schedule(auto)`.
pub const AUTO: u32 = 38;
/// `schedule(simd:guided)`.
pub const GUIDED_SIMD: u32 = 46;
/// `schedule(simd:runtime)`.
pub const RUNTIME_SIMD: u32 = 47;
/// Added to the kinds from 33 to 38 for a loop with `ordered`.
pub const ORDERED: u32 = 32;
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

/// Is it a schedule of loops whose chunks the runtime deals?
pub const fn is_dealt(schedule: u32) -> bool {
    matches!(kind(schedule), DYNAMIC..=AUTO | GUIDED_SIMD | RUNTIME_SIMD) || is_ordered(schedule)
}

/// Does such a schedule have a chunk size? The others' call has a number in its place that means nothing.
pub const fn has_chunk(schedule: u32) -> bool {
    let kind = if is_ordered(schedule) { kind(schedule) - ORDERED } else { kind(schedule) };
    matches!(kind, STATIC_CHUNKED | DYNAMIC | GUIDED | GUIDED_SIMD)
}

/// Does it belong to a loop with `ordered`?
pub const fn is_ordered(schedule: u32) -> bool {
    matches!(kind(schedule), 65..=70)
}

/// As a user writes it, with the chunk size if it is constant.
pub fn clause_with(schedule: u32, chunk: Option<i64>) -> String {
    let clause = match kind(schedule) {
        ordered if is_ordered(ordered) => {
            format!("ordered {}", clause(schedule - ORDERED))
        }
        _ => clause(schedule).to_owned(),
    };
    match chunk {
        Some(chunk) => clause.replace(",c)", &format!(",{chunk})")),
        None => clause,
    }
}

const fn clause(schedule: u32) -> &'static str {
    match (kind(schedule), schedule & (MONOTONIC | NONMONOTONIC)) {
        (STATIC_CHUNKED, 0) => "schedule(static,c)",
        (STATIC_CHUNKED, MONOTONIC) => "schedule(monotonic:static,c)",
        (STATIC_CHUNKED, _) => "schedule(nonmonotonic:static,c)",
        // nonmonotonic is what these are if nothing is said.
        (DYNAMIC, MONOTONIC) => "schedule(monotonic:dynamic,c)",
        (DYNAMIC, _) => "schedule(dynamic,c)",
        (GUIDED, MONOTONIC) => "schedule(monotonic:guided,c)",
        (GUIDED, _) => "schedule(guided,c)",
        (GUIDED_SIMD, _) => "schedule(simd:guided,c)",
        (RUNTIME, MONOTONIC) => "schedule(monotonic:runtime)",
        (RUNTIME, _) => "schedule(runtime)",
        (RUNTIME_SIMD, _) => "schedule(simd:runtime)",
        (AUTO, _) => "schedule(auto)",
        (DISTRIBUTE_CHUNKED, _) => "dist_schedule(static,c)",
        (DISTRIBUTE, _) => "dist_schedule(static)",
        (STATIC, MONOTONIC) => "schedule(monotonic:static)",
        (STATIC, NONMONOTONIC) => "schedule(nonmonotonic:static)",
        _ => "schedule(static)",
    }
}
