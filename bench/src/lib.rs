//! What `ompchunk bench` does: what ompchunk costs, measured side by side.
//!
//! A suite (`suite`) says what is to be measured: the chunk benchmark (`chunk`) its cells and variants
//! (`variant`), which it compiles (`build`) and runs in workers (`worker`, `workers`); the thesis' evaluation
//! (`thesis`) others in the same way; a program its two builds (`program`), or one build and other schedules (`schedules`), whose whole
//! runs are those of `runs`; loops under other schedules against clauses in the source (`clauses`). `measure` decides the order and when to end, `results` is the file, `report` renders it,
//! and only from the file's content. `conditions` tells what would make results doubtful.

mod build;
mod chunk;
mod clauses;
mod conditions;
mod instructions;
mod measure;
mod options;
mod program;
mod report;
mod results;
mod runs;
mod schedules;
mod stats;
mod suite;
mod thesis;
mod variant;
mod worker;
mod workers;

use std::path::PathBuf;

use anyhow::Result;

pub use self::options::Options;
pub use self::report::{Format, render};
pub use self::results::{Error as ResultsError, Results};

/// What is wrong with a measurement.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// An argument names something unknown.
    #[error("there is no {what} {name}")]
    Unknown {
        /// What kind of thing.
        what: &'static str,
        /// The name.
        name: String,
        /// The names there are.
        known: Vec<&'static str>,
    },
    /// The results would be doubtful.
    #[error("what would be measured here would mislead: {}", .0.join("; "))]
    Doubtful(Vec<String>),
    /// There is no such compiler.
    #[error("{0} is no compiler in PATH, or ompchunk itself")]
    Compiler(String),
    /// Something does not compile.
    #[error("{what} does not compile: {says}")]
    Compile {
        /// What.
        what: String,
        /// The compiler's error.
        says: String,
    },
    /// A process does not do what it shall.
    #[error("{what}: {why}")]
    Run {
        /// What was run.
        what: String,
        /// What happened.
        why: String,
    },
    /// The words after `--` are not understood.
    #[error("{0}")]
    Words(String),
    /// With `--schedule`, what comes after `--` is no program.
    #[error("{0}")]
    Compiled(String),
    /// No loop runs under another schedule.
    #[error("no loop of the program runs under another schedule{}", said(.0))]
    Unchanged(Vec<String>),
    /// The runtime is not there.
    #[error("--runtime {}: {why}", .path.display())]
    Runtime {
        /// The path.
        path: PathBuf,
        /// The system's message.
        why: String,
    },
}

impl Error {
    /// What to do about it.
    pub fn next(&self) -> String {
        match self {
            Error::Unknown { what, known, .. } => format!("a {what} of: {}", known.join(", ")),
            Error::Doubtful(_) => "remedy that, or --allow-noisy to measure all the same".into(),
            Error::Compiler(_) => "the name or path of a clang, such as clang-22".into(),
            Error::Compile { .. } => "ompchunk doctor, if it should compile".into(),
            Error::Run { .. } => "the same by hand, and ompchunk doctor".into(),
            Error::Words(_) => {
                "ompchunk bench -- clang-22 -O2 -fopenmp app.c -- ./app arguments".into()
            }
            Error::Compiled(_) => {
                "ompchunk bench --schedule 'solver.c:118=dynamic,16' -- ./app arguments".into()
            }
            Error::Unchanged(_) => {
                "`ompchunk loops PROGRAM` prints which loops there are and which can be changed; one that is not there \
                 was not compiled with ompchunk"
                    .into()
            }
            Error::Runtime { .. } => "--runtime /path/to/libiomp5.so (PyPI: intel-openmp)".into(),
        }
    }
}

/// What the shim said, behind what we say.
fn said(lines: &[String]) -> String {
    lines.iter().map(|line| format!("; {line}")).collect()
}

/// Measures what the options name.
pub fn measure(options: &Options) -> Result<Results> {
    if !options.schedules.schedules.is_empty() {
        schedules::run(options)
    } else if options.program.is_empty() {
        (suite::find(&options.suite)?.run)(options)
    } else {
        program::run(options)
    }
}
