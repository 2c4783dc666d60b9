//! All tests of this room in one program: each further one would link the same crates again.

mod account;
mod between;
mod clock;
mod common;
mod costly;
mod counted;
mod curves;
mod diff;
mod exec;
mod faults;
mod hints;
mod loops;
mod missing;
mod nowait;
mod openacc;
mod regions;
mod run;
mod sampled;
mod serial;
mod sub_blocks;
mod sums;
mod task_activity;
mod task_diff;
mod task_hints;
mod tasks;
mod timelines;
