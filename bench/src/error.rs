//! What can be wrong with a measurement, and what to do about it.

use std::ffi::OsString;
use std::path::PathBuf;

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("{0} is no compiler in PATH, or ompchunk itself")]
    Compiler(String),
    #[error("{what} does not compile: {says}")]
    Compile { what: String, says: String },
    /// A process does not do what it shall.
    #[error("{what}: {why}")]
    Run { what: String, why: String },
    #[error("{} cannot be run: {cause}", .program.to_string_lossy())]
    Start { program: OsString, cause: std::io::Error },
    /// The words after `--` are not understood.
    #[error("{0}")]
    Words(String),
    #[error("--runtime {}: {why}", .path.display())]
    Runtime { path: PathBuf, why: String },
}

impl Error {
    pub fn next(&self) -> String {
        match self {
            Error::Compiler(_) => "the name or path of a clang, such as clang-22".into(),
            Error::Compile { .. } => "ompchunk doctor, if it should compile".into(),
            Error::Run { .. } => "the same by hand, and ompchunk doctor".into(),
            Error::Start { program, cause } => ompchunk_toolchain::program::next(program, cause),
            Error::Words(_) => "ompchunk bench -- clang-22 -O2 -fopenmp app.c -- ./app arguments".into(),
            Error::Runtime { .. } => "--runtime /path/to/libiomp5.so (PyPI: intel-openmp)".into(),
        }
    }
}
