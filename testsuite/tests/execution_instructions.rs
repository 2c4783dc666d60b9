//! How many instructions does an execution of a loop take, with everything that it causes? Nine of ten loops in real
//! codes have one chunk per thread and execution, so this is what users meet when somebody listens.
//!
//! By callgrind, one thread, libiomp5, the whole program in two numbers of executions: the difference is theirs, whatever
//! library they are spent in, and a failure says in which. (Debian's libomp does thousands of instructions for its
//! debugging, and tells of no chunk in a team of one; `instructions.rs` holds against it in a team of two.)

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use ompchunk_testsuite::runtime::{Runtime, compile_tool};
use ompchunk_testsuite::suite::Suite;
use ompchunk_testsuite::toolchain::Llvm;
use ompchunk_testsuite::{callgrind, dist};

/// Executions in the short run, and by how many the long one has more. So many that what differs from run to run (the
/// recorder measures its clock by time) is small against them.
const FEW: u64 = 1000;
const MORE: u64 = 200_000;
/// Counts of one kind.
const ATTEMPTS: usize = 2;
/// Most looks at what seems to be too much.
const ROUNDS: usize = 3;
/// How much of what differs from run to run may come to one execution.
const NOISE: f64 = 3.0;

#[derive(Clone, Copy)]
enum Listener {
    Nobody,
    /// A tool whose dispatch callback does nothing.
    Dispatch,
    Recorder,
    /// The recorder, which the program has told to pause.
    Paused,
}

/// With the plugin, and the shim where somebody listens: instructions of an execution on libiomp5, and beyond what stock
/// clang and the runtime alone take for the same tool or, for the recorder, for one with its two callbacks that does
/// nothing. What a runtime does for any tool is not the project's, and differs from runtime to runtime.
const MOST: [(Listener, u64, u64); 4] = [
    (Listener::Nobody, 196, 6),
    (Listener::Dispatch, 450, 104),
    (Listener::Recorder, 800, 301),
    (Listener::Paused, 605, 106),
];

/// For the program, in place of a callback.
const PAUSE: &str = "pause";

pub fn trials(suite: &mut Suite) {
    callgrind::suite_on_libiomp5(suite, test);
}

fn test(llvm: &Llvm, runtime: &Runtime, dir: &Path) -> Result<()> {
    let compile = |plugin: Option<&Path>| callgrind::compile(llvm, "executions.c", plugin, &["-O2"], dir);
    let (plain, plugin) = (compile(None)?, compile(Some(&dist::plugin(llvm.major)?))?);
    let tool = &*compile_tool(&dist::testsuite().join("callgrind/tool.c"), dir)?;
    let (shim, recorder) = (&*dist::shim()?, &*dist::recorder()?);
    let count = |program: &Path, libraries: &[&Path], callback: &str| {
        Execution::count(runtime, program, libraries, callback, dir)
    };
    let mut failures = Vec::new();
    for (listener, most, most_beyond) in MOST {
        let counted = || {
            let (who, with, without) = match listener {
                Listener::Nobody => ("nobody listens", count(&plugin, &[], "")?, count(&plain, &[], "")?),
                Listener::Dispatch => (
                    "an empty dispatch callback",
                    count(&plugin, &[shim, tool], "dispatch")?,
                    count(&plain, &[tool], "dispatch")?,
                ),
                Listener::Recorder => {
                    ("the recorder", count(&plugin, &[shim, recorder], "")?, count(&plain, &[tool], "loops")?)
                }
                Listener::Paused => (
                    "the recorder, paused",
                    count(&plugin, &[shim, recorder], PAUSE)?,
                    count(&plain, &[tool], "loops")?,
                ),
            };
            let said = format!("{who}: {with}; with stock clang and the runtime alone {without}");
            println!("clang-{}, {said}", llvm.major);
            let beyond = with.total() - without.total();
            let is_more = with.total() > most as f64 + NOISE || beyond > most_beyond as f64 + NOISE;
            anyhow::Ok(is_more.then_some(said))
        };
        // A busy machine only ever adds.
        let mut too_many = counted()?;
        for _ in 1..ROUNDS {
            if too_many.is_some() {
                too_many = counted()?;
            }
        }
        failures.extend(too_many.map(|said| {
            format!(
                "at most {most} instructions per execution, and {most_beyond} more than without, are wanted. {said}"
            )
        }));
    }
    ensure!(failures.is_empty(), "{}", failures.join("\n"));
    Ok(())
}

struct Execution(BTreeMap<String, f64>);

impl Execution {
    /// The least of some: what looks at clocks and writes files takes more where the machine has other work.
    fn count(runtime: &Runtime, program: &Path, libraries: &[&Path], callback: &str, dir: &Path) -> Result<Execution> {
        let count = || Execution::count_once(runtime, program, libraries, callback, dir);
        let mut least = count()?;
        if !libraries.is_empty() {
            for _ in 1..ATTEMPTS {
                let next = count()?;
                if next.total() < least.total() {
                    least = next;
                }
            }
        }
        Ok(least)
    }

    fn count_once(
        runtime: &Runtime,
        program: &Path,
        libraries: &[&Path],
        callback: &str,
        dir: &Path,
    ) -> Result<Execution> {
        let of = |executions: u64| {
            let mut command = callgrind::listened(runtime, program, 1, libraries, callback);
            command.arg(executions.to_string());
            if callback == PAUSE {
                command.env_remove("CALLBACK").arg(PAUSE);
            }
            let trace = dir.join("trace");
            command.env("OMPCHUNK_TRACE", &trace);
            let counts = callgrind::count_by_object(&command, dir)?;
            if trace.exists() {
                std::fs::remove_dir_all(&trace).context("the trace")?;
            }
            anyhow::Ok(counts)
        };
        let (few, many) = (of(FEW)?, of(FEW + MORE)?);
        let each = |(object, many): (&String, &u64)| {
            let few = few.get(object).copied().unwrap_or(0);
            (object.clone(), (*many as f64 - few as f64) / MORE as f64)
        };
        let execution = Execution(many.iter().map(each).collect());
        ensure!(execution.total() > 20.0, "{} executions more take no instructions: {execution}", MORE);
        Ok(execution)
    }

    fn total(&self) -> f64 {
        self.0.values().sum()
    }
}

impl fmt::Display for Execution {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.1}", self.total())?;
        for (object, count) in self.0.iter().filter(|(_, count)| **count >= 0.5) {
            write!(f, ", {object} {count:.1}")?;
        }
        Ok(())
    }
}
