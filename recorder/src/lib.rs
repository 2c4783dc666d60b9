//! `libompchunk_trace`: an OMPT tool that records a run for `ompchunk report`.
//!
//! Events go from the callbacks (`callbacks`) to the lane of their thread (`lane`, `nesting`, `loops`, `tally`),
//! into a block in memory (`slot`), and with it to the part's file (`store`, `file`). What threads share is in
//! `shared`, reached only when a thread begins (`recorder`), a block is full or a loop is new; the end is in `finish`,
//! what happens at a `fork` in `fork`. What is left out because it was asked to: `steer`, `control`,
//! `silence`, `unwanted`. The format is the trace crate's alone.
//!
//! Explicit tasks are added up (`grains` for the account of thread time, `tasks` by construct and region).
//!
//! What OpenMP does for devices is in `target`, which stores it as OpenACC does.
//! The same library is a profiling library of OpenACC (`openacc`, `acc_prof`, `acc_lane`), with or without an OMPT runtime.
//!
//! With the shim before it, the recorder sees every chunk; without, the runtime's own events.

mod acc;
mod acc_lane;
mod acc_prof;
mod asked;
mod block;
mod budget;
mod callbacks;
mod cells;
mod changed;
mod claim;
pub mod clock;
mod complain;
mod control;
mod cpus;
mod directory;
mod ending;
mod entries;
mod epoch;
mod faults;
mod file;
mod finish;
mod fork;
mod fragments;
mod grains;
mod heard;
mod held;
mod identity;
mod in_place;
mod joint;
mod keeper;
mod lane;
mod limits;
mod lock;
mod loops;
mod losses;
mod lost;
mod measured;
mod meta;
mod mix;
mod mutex;
mod nesting;
mod objects;
mod off_core;
mod openacc;
mod own;
mod primitive;
mod quick;
mod recent;
mod recorder;
mod reference;
mod region;
mod room;
mod root;
mod sampling;
mod sandbox;
mod say;
mod scope;
mod seen;
mod setup;
mod shared;
mod silence;
mod slot;
mod stacks;
mod start;
mod starter;
mod static_block;
mod steer;
mod store;
mod storing;
mod sub_blocks;
mod sums;
mod symbols;
mod tally;
mod target;
mod tasks;
mod unit;
mod untold;
mod unwanted;
mod users;
mod work;

pub use openacc::acc_register_library;

#[global_allocator]
static MEMORY: ompchunk_guest::memory::Memory = ompchunk_guest::memory::Memory;
pub use start::ompt_start_tool;
