//! What the machine and the environment are like. Reads, and runs nothing.

use std::thread::available_parallelism;

use super::finding::Finding;
use crate::{registered, wrap};

const CLOCK: &str = "/sys/devices/system/clocksource/clocksource0/current_clocksource";
const PERF: &str = "/proc/sys/kernel/perf_event_paranoid";

/// Clock, performance counters, cores, what processes left.
pub fn findings() -> Vec<Finding> {
    let word = |path| {
        let text = std::fs::read_to_string(path).ok()?;
        Some(text.trim().to_owned())
    };
    let mut found = vec![
        Finding::Clock(word(CLOCK)),
        Finding::Perf(word(PERF).and_then(|level| level.parse().ok())),
        Finding::Cores(available_parallelism().map_or(1, usize::from)),
    ];
    let stale = registered::stale();
    found.extend((stale > 0).then_some(Finding::Registered(stale)));
    found
}

/// Variables that make the commands or the programs do something else than usual.
pub fn variables() -> Vec<Finding> {
    let mut found = Vec::new();
    let mut note = |name, effect, matters: fn(&str) -> bool| {
        if let Some(value) = std::env::var_os(name) {
            let value = value.to_string_lossy().into_owned();
            if matters(&value) {
                found.push(Finding::Variable { name, value, effect });
            }
        }
    };
    note(wrap::VARIABLE, "off compiles without the plugin", |value| !value.is_empty());
    note("OMP_TOOL", "runtimes ask no tool, unless ompchunk run starts the program", |value| value == "disabled");
    note("LD_PRELOAD", "a preloaded tool or runtime comes before those that ompchunk run names", |value| {
        value.contains("omp")
    });
    found
}
