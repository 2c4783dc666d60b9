//! Clauses, from `enum sched_type` of libomp's `kmp.h` with its modifier bits.

use super::record::Value;

const STATIC_CHUNKED: u32 = 33;
const STATIC: u32 = 34;
const STATIC_BALANCED_CHUNKED: u32 = 45;
const DISTRIBUTE_CHUNKED: u32 = 91;
const DISTRIBUTE: u32 = 92;
const MONOTONIC: u32 = 1 << 29;
const NONMONOTONIC: u32 = 1 << 30;

/// As a user writes it.
pub fn clause(schedule: u32, chunk: Value) -> String {
    let modifier = match (schedule & MONOTONIC != 0, schedule & NONMONOTONIC != 0) {
        (true, _) => "monotonic:",
        (false, true) => "nonmonotonic:",
        (false, false) => "",
    };
    let chunk = match chunk {
        Value::Constant(chunk) => format!(",{chunk}"),
        Value::RunTime(_) => ",c".to_owned(),
        Value::None => String::new(),
    };
    match schedule & !(MONOTONIC | NONMONOTONIC) {
        STATIC | STATIC_CHUNKED => format!("schedule({modifier}static{chunk})"),
        STATIC_BALANCED_CHUNKED => format!("schedule(simd:static{chunk})"),
        DISTRIBUTE | DISTRIBUTE_CHUNKED => format!("dist_schedule(static{chunk})"),
        other => format!("schedule kind {other}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::records::record::RunTime;

    #[test]
    fn as_a_user_writes_it() {
        let run_time = Value::RunTime(RunTime::RunTime);
        assert_eq!(clause(34, Value::None), "schedule(static)");
        assert_eq!(clause(33, Value::Constant(4)), "schedule(static,4)");
        assert_eq!(
            clause(33 | MONOTONIC, run_time),
            "schedule(monotonic:static,c)"
        );
        assert_eq!(clause(92, Value::None), "dist_schedule(static)");
        assert_eq!(clause(7, Value::None), "schedule kind 7");
    }
}
