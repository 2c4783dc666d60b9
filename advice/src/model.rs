//! What is said of loops, for text, JSON and pictures; "For programs" in `docs/advise.md` says what the fields mean.

use ompchunk_figures::Interval;
use serde::Serialize;

use crate::costs::Measured;

#[derive(Debug, Clone, Serialize)]
pub struct Advice {
    pub schema: &'static str,
    pub version: u32,
    pub loops: Vec<LoopAdvice>,
    pub threads: Option<usize>,
    pub run_seconds: f64,
    pub gain_of_run: Option<Interval>,
    pub dealing: Option<Measured>,
    pub notes: Vec<String>,
}

pub const SCHEMA: &str = "ompchunk-advice";
pub const VERSION: u32 = 1;

#[derive(Debug, Clone, Default, Serialize)]
pub struct LoopAdvice {
    pub number: usize,
    pub name: String,
    pub file: Option<String>,
    pub line: Option<u32>,
    pub function: Option<String>,
    pub now: Option<String>,
    pub changeable: bool,
    /// What may rely on which thread runs which of its iterations: `free` (nothing), `group`, `bound` (something else, as the
    /// reason says) or `unknown`.
    pub promise: &'static str,
    /// Of those that ran, in this file: they must have the same schedule.
    pub group: Vec<u32>,
    pub executions: u64,
    pub threads: Option<usize>,
    pub seconds_now: Option<Interval>,
    pub as_is_seconds: Option<Interval>,
    pub advice: Option<String>,
    pub clause: Option<String>,
    pub reason: String,
    pub predicted_seconds: Option<Interval>,
    pub predicted_ratio: Option<Interval>,
    pub gain_of_run: Option<Interval>,
    pub possible: Option<CandidateReport>,
    /// That is right only if no iteration relies on the one before.
    pub cuts_chunks: bool,
    pub too_short: bool,
    pub share_of_run: Option<f64>,
    pub needs_profile: bool,
    pub notes: Vec<String>,
    pub candidates: Vec<CandidateReport>,
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
    pub schedule: String,
    pub kind: &'static str,
    /// `None`: one block per thread.
    pub chunk: Option<u64>,
    pub predicted_seconds: Interval,
    pub predicted_ratio: Interval,
}
