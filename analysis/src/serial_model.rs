//! Which functions serial code is in, as data.

use serde::Serialize;

/// Where the program is outside of parallel regions, by the stacks of its first thread. Times are elapsed seconds, of several
/// processes the mean.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct SerialFunctions {
    /// Stacks that were sampled there.
    pub samples: u64,
    /// Time there on a core, the recorder's left out: what the samples stand for. `None`: it is not known when the thread was on one.
    pub seconds: Option<f64>,
    /// What of `seconds` no sample stands for: that of processes without a sample there. `None` with it.
    pub unsampled_seconds: Option<f64>,
    /// Time there off a core, in which no stack is sampled. `None` with `seconds`.
    pub off_core_seconds: Option<f64>,
    /// The functions themselves, the largest share first.
    pub functions: Vec<SerialFunction>,
    /// The outermost functions below `main`, each with all that it calls.
    pub outermost: Vec<SerialFunction>,
}

/// A function of serial code.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct SerialFunction {
    /// The function, as the source has it; `None`: no symbol is known.
    pub function: Option<String>,
    /// The source file; `None`: not known.
    pub file: Option<String>,
    /// The program or library; `None`: not known.
    pub object: Option<String>,
    /// Samples in it.
    pub samples: u64,
    /// Time that they stand for; `None`: not known.
    pub seconds: Option<f64>,
    /// Of the time of all samples.
    pub share: f64,
    /// What the share would be in 95 of 100 such recordings, if samples came at random.
    pub between: [f64; 2],
}
