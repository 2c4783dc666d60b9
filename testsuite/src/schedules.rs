//! Schedules at run time: which programs are tried under which, and how.
//!
//! There are far more combinations of program, compiler, level, runtime, team size and schedule than time. A hash of the
//! names picks few of each program; over all programs, all pairs of two properties occur (a test below counts them).
//! `OMPCHUNK_SCHEDULES_SEED` picks others, and `OMPCHUNK_SCHEDULES_ROUNDS` more of each program.

use std::hash::Hasher;
use std::path::Path;
use std::sync::LazyLock;

use anyhow::{Context, Result};

use crate::fuzz::rng::Rng;

pub const VARIABLE: &str = "OMPCHUNK_SCHEDULE";

/// Schedules that differ in what the runtime or the plugin do with them: each kind, chunks of one, few, all iterations and
/// the largest number, both modifiers, and some in turn.
pub const SCHEDULES: [&str; 18] = [
    "dynamic", "dynamic,4", "static,1", "static,5", "static", "guided", "guided,3", "auto", "runtime",
    "monotonic:dynamic,2", "monotonic:guided", "nonmonotonic:dynamic,3", "dynamic,2147483647", "static,2147483647",
    "balanced", "adaptive", "dynamic,3|source|static,2", "source|guided|dynamic|static",
];

/// Team sizes: of one, few, and more than there are iterations for.
pub const TEAMS: [u32; 4] = [1, 2, 3, 7];

pub const LEVELS: [&str; 4] = ["-O0", "-O2", "-O3", "-Os"];

#[derive(Debug, Clone, Copy)]
pub struct Run {
    /// One of [`SCHEDULES`].
    pub schedule: &'static str,
    /// One of [`TEAMS`].
    pub threads: u32,
    /// Which of the runtimes, modulo how many there are.
    pub runtime: usize,
}

/// What is tried with one program.
#[derive(Debug, Clone)]
pub struct Plan {
    /// Which of its compilers, modulo how many there are.
    pub compiler: usize,
    /// One of [`LEVELS`].
    pub level: &'static str,
    pub debug: bool,
    pub runs: Vec<Run>,
}

/// What is tried with the program of that name; round 0 by default, further ones on request.
pub fn plan(name: &str, seed: u64, round: u64, runs: usize) -> Plan {
    let mut hasher = Fnv(0xcbf2_9ce4_8422_2325);
    hasher.write(name.as_bytes());
    let mut rng = Rng::new(hasher.finish() ^ seed.rotate_left(32) ^ round.rotate_left(48));
    Plan {
        compiler: rng.below(1 << 20) as usize,
        level: rng.pick::<&str>(&LEVELS),
        debug: rng.chance(50),
        runs: (0..runs)
            .map(|_| Run {
                schedule: rng.pick::<&str>(&SCHEDULES),
                threads: *rng.pick(&TEAMS),
                runtime: rng.below(1 << 20) as usize,
            })
            .collect(),
    }
}

/// What is tried with it: one plan, or as many as `OMPCHUNK_SCHEDULES_ROUNDS` says.
///
/// # Panics
///
/// Where a variable is no number.
pub fn plans(name: &str, runs: usize) -> Vec<Plan> {
    let number = |variable, otherwise| number(variable, otherwise).expect("a number");
    let seed = number("OMPCHUNK_SCHEDULES_SEED", 0);
    (0..number("OMPCHUNK_SCHEDULES_ROUNDS", 1)).map(|round| plan(name, seed, round, runs)).collect()
}

pub fn number(variable: &str, otherwise: u64) -> Result<u64> {
    match std::env::var(variable) {
        Ok(text) if !text.is_empty() => text.parse().with_context(|| format!("{variable}={text}")),
        _ => Ok(otherwise),
    }
}

/// The order that means every loop of a source file, also those without a barrier; or, where only debug information would tell
/// the file, `*`, which leaves these out.
pub fn order(source: &Path, debug: bool, schedule: &str) -> String {
    let file = source.file_name().unwrap_or_default().to_string_lossy();
    // The programs ask for their thread's number in each iteration, to count what ran: a promise that nothing relies on.
    match debug {
        true => format!("!{file}={schedule}"),
        false => format!("*={schedule}"),
    }
}

/// What the shim says of such an order.
pub fn is_expected(line: &str) -> bool {
    let said = [
        "and may break a promise",
        "cuts chunks of ",
        "may cut chunks of the source",
        "and balanced and adaptive cut none",
        "'*' left out loops",
        "as monotonic: the value of its last iteration is read",
    ];
    line.contains(VARIABLE) && said.iter().any(|words| line.contains(words))
}

/// How often each iteration ran, without what it computed.
pub fn runs(output: &str) -> String {
    let report = |line: &&str| line.starts_with("loop ");
    let runs = |line: &str| line.rsplit_once(", ").map(|(runs, _)| format!("{runs}\n"));
    output.lines().filter(report).filter_map(runs).collect()
}

/// What the reports leave out, and what runtimes say of code that is not clang's.
pub fn quiet() -> Vec<(String, String)> {
    static QUIET: LazyLock<Vec<(String, String)>> = LazyLock::new(|| {
        let variables = [("REPORT_VALUES", "1"), ("KMP_WARNINGS", "false")];
        variables.map(|(name, value)| (name.to_owned(), value.to_owned())).into()
    });
    QUIET.clone()
}

/// FNV-1a: stable across Rust releases, unlike the standard hasher.
struct Fnv(u64);

impl Hasher for Fnv {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coverage::case::Case;
    use crate::program::Program;
    use std::collections::BTreeSet;

    #[test]
    fn over_all_programs_every_pair_occurs() {
        let programs = Program::all().unwrap().into_iter().map(|program| program.name);
        let cases = Case::all().unwrap().into_iter().map(|case| case.file);
        let mut pairs = BTreeSet::new();
        for name in programs.chain(cases) {
            let plan = plan(&name, 0, 0, 4);
            for run in &plan.runs {
                let properties = [
                    plan.level.to_owned(),
                    format!("runtime {}", run.runtime % 3),
                    format!("{} threads", run.threads),
                    run.schedule.to_owned(),
                ];
                for (at, first) in properties.iter().enumerate() {
                    for second in &properties[at + 1..] {
                        pairs.insert((first.clone(), second.clone()));
                    }
                }
            }
        }
        // level x runtime, x threads, x schedule; runtime x threads, x schedule; threads x schedule
        let schedules = SCHEDULES.len();
        assert_eq!(pairs.len(), 12 + 16 + 4 * schedules + 12 + 3 * schedules + 4 * schedules);
    }
}
