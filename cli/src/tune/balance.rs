//! The whole program while it balances itself, and as compiled, in turns.

use std::time::Duration;

use anyhow::Result;
use ompchunk_figures::time;

use super::measure::{self, Measured};
use super::runs::Checked;
use super::table;

/// What `ompchunk run --balance` has.
const SCHEDULES: &str = "*=adaptive";

/// Runs it in pairs for so long. Each run learns anew.
pub fn run(runs: &mut Checked<'_>, limit: Duration, progress: impl FnMut(usize)) -> Result<Measured> {
    measure::alone(runs, SCHEDULES, limit, progress)
}

/// What came of it, and how to have it.
pub fn said(measured: &Measured, command: &str) -> String {
    let before = match measured.before {
        Some(before) => format!(" ({} as compiled)", time(before.middle)),
        None => String::new(),
    };
    let found = table::found(measured, true);
    let mut text = format!("the whole program, balancing itself{before}: {found}\n");
    if measured.is_faster() {
        text += &format!("  ompchunk run --balance {command}\n");
    }
    text
}

#[cfg(test)]
mod tests {
    use ompchunk_figures::{Interval, Verdict};

    use super::*;

    #[test]
    fn only_what_is_faster_is_proposed() {
        let interval = |middle: f64| Interval { low: middle - 0.01, middle, high: middle + 0.01 };
        let of = |verdict, ratio, alarm: Option<&str>| {
            let measured = Measured {
                alarm: alarm.map(str::to_owned),
                ratio: Some(interval(ratio)),
                noise: 0.01,
                before: Some(interval(1.5)),
                of_run: None,
                executions: [4, 4],
                verdict,
                alone: None,
            };
            said(&measured, "./app 3")
        };
        assert_eq!(
            of(Verdict::Faster, 0.7, None),
            "the whole program, balancing itself (1.50 s as compiled): measured 0.700 [0.690, 0.710]: faster\n  \
             ompchunk run --balance ./app 3\n"
        );
        for (verdict, ratio, alarm) in [
            (Verdict::Slower, 1.2, None),
            (Verdict::Same, 1.0, None),
            (Verdict::Unknown, 0.98, None),
            (Verdict::Faster, 0.7, Some("odd")),
        ] {
            let text = of(verdict, ratio, alarm);
            assert_eq!((text.lines().count(), text.contains("--balance")), (1, false), "{text}");
        }
    }
}
