//! What is said of loops: data, for text, JSON and pictures.

use ompchunk_figures::Interval;
use serde::Serialize;

use crate::costs::Measured;

/// What is said of all loops of a run.
#[derive(Debug, Clone, Serialize)]
pub struct Advice {
    pub schema: &'static str,
    pub version: u32,
    /// The loops, those that lose most first.
    pub loops: Vec<LoopAdvice>,
    /// The team that was asked for; `None`: the one that was recorded.
    pub threads: Option<usize>,
    pub run_seconds: f64,
    /// What all advice together would save of the run, as a share of it; `None`: no loop has one, or not known.
    pub gain_of_run: Option<Interval>,
    /// What dealing costs on this machine; `None`: it could not be measured.
    pub dealing: Option<Measured>,
    pub notes: Vec<String>,
}

pub const SCHEMA: &str = "ompchunk-advice";
pub const VERSION: u32 = 1;

#[derive(Debug, Clone, Default, Serialize)]
pub struct LoopAdvice {
    pub number: usize,
    /// `file.c:12`
    pub name: String,
    pub file: Option<String>,
    pub line: Option<u32>,
    /// The function as the source has it.
    pub function: Option<String>,
    /// The schedule as it is; `None`: not known, or of no kind that can be simulated.
    pub now: Option<String>,
    /// `OMPCHUNK_SCHEDULE` can change it.
    pub changeable: bool,
    /// What may rely on which thread runs which of its iterations: `free` (nothing), `group`, `bound` (something else, as the
    /// reason says) or `unknown`.
    pub promise: &'static str,
    /// Lines of all loops of the loop's group that ran, in this file: they must have the same schedule.
    pub group: Vec<u32>,
    /// Executions of which everything is there.
    pub executions: u64,
    /// The team that is simulated; `None`: nothing is.
    pub threads: Option<usize>,
    /// All executions together, as recorded; `None`: no execution is complete.
    pub seconds_now: Option<Interval>,
    /// The same with the team that was asked for, under the schedule as it is; the recorded time where none was.
    pub as_is_seconds: Option<Interval>,
    /// The schedule to write; `None`: leave it.
    pub advice: Option<String>,
    /// The same as it belongs into the source line.
    pub clause: Option<String>,
    /// Why, in a sentence.
    pub reason: String,
    /// What is advised would make of it.
    pub predicted_seconds: Option<Interval>,
    /// The same to the schedule as it is, with as many threads.
    pub predicted_ratio: Option<Interval>,
    /// What that saves of the run, as a share of it.
    pub gain_of_run: Option<Interval>,
    /// Where nothing is advised: what may be faster, though that is not certain. Only measuring it tells.
    pub possible: Option<CandidateReport>,
    /// What is advised, or may be faster, cuts chunks of the source, or may: it is right only if no iteration relies on the one before.
    pub cuts_chunks: bool,
    /// Its chunks are too short to show what their iterations cost.
    pub too_short: bool,
    /// The loop's time as a share of the run.
    pub share_of_run: Option<f64>,
    /// Nothing can be said without `ompchunk record --profile`.
    pub needs_profile: bool,
    /// What else should be known.
    pub notes: Vec<String>,
    /// All that was tried, the schedule as it is included.
    pub candidates: Vec<CandidateReport>,
    /// Blocks of equal cost, which `OMPCHUNK_SCHEDULE=…=balanced` gives and no clause does; `None`: not possible, or nothing is known of it.
    pub balanced: Option<CandidateReport>,
    /// What a loop that was compiled without the plugin can run under instead; nothing is predicted of it.
    #[serde(skip)]
    pub unpredicted: Option<String>,
}

impl LoopAdvice {
    /// Nothing is advised after all.
    pub(crate) fn takes_back(&mut self, why: &str) {
        self.advice = None;
        self.clause = None;
        self.predicted_seconds = None;
        self.predicted_ratio = None;
        self.gain_of_run = None;
        self.possible = None;
        self.cuts_chunks = false;
        self.needs_profile = false;
        self.reason = why.to_owned();
        self.notes.retain(|note| note != why);
    }
}

#[derive(Debug, Clone, Serialize)]
pub struct CandidateReport {
    /// As in the clause, without `schedule()`.
    pub schedule: String,
    /// `static`, `dynamic`, `guided` or `balanced`: for a picture of time against chunk size.
    pub kind: &'static str,
    /// Its chunk size; `None`: one block per thread.
    pub chunk: Option<u64>,
    /// All executions together.
    pub predicted_seconds: Interval,
    /// To the schedule as it is, with as many threads.
    pub predicted_ratio: Interval,
}
