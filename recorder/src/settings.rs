//! What the environment asks for. `ompchunk record` sets these variables; by hand they work as well.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use ompchunk_trace_format::environment::{
    AGGREGATE, BOOKKEEPING, CPUS, DIRECTORY, EXECUTIONS, LARGEST, LOOPS, MAX_SIZE, PROFILE, SAMPLE, SECONDS, SKIP,
    STACKS, STACKS_RANGE, SUFFIX, TASKS, set,
};
use ompchunk_trace_format::select::is_number;

/// What was asked for.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Where parts go.
    pub directory: PathBuf,
    /// Most bytes per part.
    pub max_size: Option<u64>,
    /// One of so many executions.
    pub sample: u64,
    /// Aggregates only.
    pub aggregate: bool,
    /// No chunks.
    pub executions: bool,
    /// Record sub-blocks.
    pub profile: bool,
    /// Time the bookkeeping.
    pub bookkeeping: bool,
    /// Record explicit tasks one by one.
    pub tasks: bool,
    /// Record on which processor chunks and such tasks begin.
    pub cpus: bool,
    /// Only the loops that one of these means; none: all.
    pub loops: Vec<String>,
    /// So many executions of each loop by a thread are left out, the first ones.
    pub skip: u64,
    /// Stacks are sampled, so often per second of a thread's CPU time.
    pub stacks: Option<u32>,
    /// Nothing is recorded after so long.
    pub time: Option<Duration>,
}

impl Settings {
    /// From the environment; the error names the variable.
    pub fn read() -> Result<Settings, String> {
        Ok(Settings {
            directory: set(DIRECTORY).map_or_else(default_directory, PathBuf::from),
            max_size: Some(number(MAX_SIZE)?.unwrap_or(LARGEST)).filter(|number| *number > 0),
            sample: number(SAMPLE)?.unwrap_or(1).max(1),
            aggregate: flag(AGGREGATE)?,
            executions: flag(EXECUTIONS)?,
            profile: profile()?,
            bookkeeping: flag(BOOKKEEPING)?,
            tasks: tasks()?,
            cpus: cpus()?,
            loops: patterns()?,
            skip: number(SKIP)?.unwrap_or(0),
            stacks: stacks()?,
            time: time()?,
        })
    }
}

fn number(name: &str) -> Result<Option<u64>, String> {
    let Some(value) = set(name) else {
        return Ok(None);
    };
    let parsed = value.to_str().and_then(|text| text.parse().ok());
    parsed.map(Some).ok_or_else(|| format!("{name}={} is not a number", value.to_string_lossy()))
}

fn flag(name: &str) -> Result<bool, String> {
    Ok(number(name)?.unwrap_or(0) != 0)
}

fn profile() -> Result<bool, String> {
    let profile = flag(PROFILE)?;
    if profile && flag(AGGREGATE)? {
        return Err(format!(
            "{PROFILE} and {AGGREGATE} exclude each other: sums do not tell which iterations took how long; leave one of \
             them away"
        ));
    }
    Ok(profile)
}

fn tasks() -> Result<bool, String> {
    let tasks = flag(TASKS)?;
    let sparse =
        [(AGGREGATE, flag(AGGREGATE)?), (EXECUTIONS, flag(EXECUTIONS)?), (SAMPLE, number(SAMPLE)?.unwrap_or(1) > 1)];
    match sparse.into_iter().find(|(_, is_set)| *is_set) {
        Some((name, _)) if tasks => Err(format!(
            "{TASKS} and {name} exclude each other: where each task is told, so is what is around it; leave one of them away"
        )),
        _ => Ok(tasks),
    }
}

fn cpus() -> Result<bool, String> {
    let cpus = flag(CPUS)?;
    for sums in [AGGREGATE, EXECUTIONS] {
        if cpus && flag(sums)? {
            return Err(format!(
                "{CPUS} and {sums} exclude each other: without chunks nothing tells what ran on which processor; leave one of \
                 them away"
            ));
        }
    }
    Ok(cpus)
}

/// Patterns, one per line.
fn patterns() -> Result<Vec<String>, String> {
    let all = set(LOOPS).unwrap_or_default();
    let all = all.to_string_lossy();
    let lines: Vec<String> = all.lines().filter(|line| !line.is_empty()).map(str::to_owned).collect();
    match lines.iter().find(|line| is_number(line)) {
        Some(number) => Err(format!(
            "{LOOPS}={number}: a number is a loop of a report, and there is none yet; name file:line or a part of a \
             file's or function's name"
        )),
        None => Ok(lines),
    }
}

fn stacks() -> Result<Option<u32>, String> {
    let Some(hertz) = number(STACKS)?.filter(|number| *number > 0) else {
        return Ok(None);
    };
    let fits = u32::try_from(hertz).ok().filter(|it| STACKS_RANGE.contains(it));
    fits.map(Some).ok_or_else(|| {
        format!(
            "{STACKS}={hertz}: stacks are sampled {} to {} times per second",
            STACKS_RANGE.start(),
            STACKS_RANGE.end()
        )
    })
}

fn time() -> Result<Option<Duration>, String> {
    let Some(value) = set(SECONDS) else {
        return Ok(None);
    };
    let value = value.to_string_lossy().into_owned();
    let seconds = value.parse().ok().and_then(|it| Duration::try_from_secs_f64(it).ok());
    seconds.map(Some).ok_or_else(|| format!("{SECONDS}={value} is not a number of seconds"))
}

fn default_directory() -> PathBuf {
    let program = std::env::args_os().next().unwrap_or_default();
    let mut name = PathBuf::from(program).file_name().map_or_else(|| OsString::from("program"), OsString::from);
    name.push(SUFFIX);
    PathBuf::from(name)
}
