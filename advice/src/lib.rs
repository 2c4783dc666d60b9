//! What another schedule would do to a recorded loop, and which one to write: a report and profiles come in, data goes out. Where a trace
//! does not tell what iterations cost, that is all that is said.
//!
//! What the program allows decides what is thought of (`all`, `same_line`), and whether executions tell enough (`advise`, `schedule`).
//! First executions that are another thing are left out (`once`). Of others (`look`) dealing is taken out (`dealing_time`), and the rest
//! is read in several ways (`world`, `steady`, `threads`). A team runs each under each schedule (`simulate`, `rules`) at what dealing costs
//! (`costs`, measured with the user's runtime in a process of its own: `measure`). Ratios to the schedule as it is (`ratios`) become
//! intervals (`predict`). One schedule or none is chosen (`choose`), with the reason in words (`shape`, `words`).

#![allow(missing_docs, reason = "a doc says what the name does not; nobody else uses this")]

mod advise;
mod all;
mod blocks;
mod choose;
mod costs;
mod dealing_time;
mod look;
pub mod measure;
pub mod model;
mod once;
mod predict;
mod ratios;
pub mod rules;
mod same_line;
mod schedule;
mod shape;
mod simulate;
mod steady;
mod threads;
mod words;
mod work;
mod world;

pub use advise::Question;
pub use all::{advise, are_one};
pub use costs::{BOUND, Costs, Measured, PerChunk};
pub use model::{Advice, CandidateReport, LoopAdvice};
pub use same_line::are_in_one_line;
