//! What another schedule would do to a recorded loop, and which one to write. No terminal and no traces here: loops come
//! as a report and as profiles of their executions, advice goes out as data.
//!
//! What the program allows of each loop decides what is thought of (`all`). Loops that rely on each other are put together to one, and those of one line get one schedule (`same_line`). Which schedule a loop ran under (`schedule`) and whether its
//! executions tell enough is asked first (`advise`). First executions that are another thing are left out (`once`). The others are looked
//! at (`look`): what dealing took of their chunks is taken out (`dealing_time`), and what is left is interpreted in several ways
//! (`world`, `steady`, `threads`). A team runs each interpretation under each schedule (`simulate`, by the runtimes'
//! `rules`) at what dealing costs (`costs`). Ratios to the schedule as it is (`ratios`) become intervals (`predict`). One schedule or
//! none is chosen (`choose`), with the reason in words (`shape`, `words`), and whether it cuts chunks of the source. What dealing costs is measured with the user's own runtime
//! (`measure`), in a process of its own.
//!
//! It must not guess: where a trace does not tell what iterations cost, that is all that is said.

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
