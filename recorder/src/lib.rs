//! `libompchunk_trace`: an OMPT tool that records a run for `ompchunk report`.
//!
//! Events go from the callbacks (`callbacks`) to the lane of their thread (`lane`, `nesting`, `loops`, `tally`),
//! into a block in memory (`slot`), and with it to the part's file (`store`, `file`). What threads share is in
//! `part`, reached only when a thread begins (`recorder`), a block is full or a loop is new; the end is in `finish`,
//! what happens at a `fork` in `fork`. What is left out because it was asked to: `steer`, `control`,
//! `silence`, `execution_filter`. The format is the trace crate's alone.
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
mod block;
mod budget;
mod callbacks;
mod cells;
mod claim;
pub mod clock;
mod clock_cache;
mod complain;
mod control;
mod core_time;
mod cpus;
mod end_time;
mod entries;
mod epoch;
mod execution_choice;
mod execution_filter;
mod fault_counts;
mod faults;
mod file;
mod finish;
mod fork;
mod fragments;
mod grains;
mod guard;
mod identity;
mod keeper;
mod lane;
mod lane_owner;
mod lock;
mod loops;
mod loss_counts;
mod meta;
mod mix;
mod mutex;
mod nesting;
mod objects;
mod open_records;
mod openacc;
mod own_time;
mod part;
mod primitive;
mod profile_choice;
mod recent_loops;
mod record_merge;
mod recorder;
mod region;
mod room;
mod root;
mod sampling;
mod sandbox;
mod schedule_override;
mod scope;
mod scope_sums;
mod setup;
mod short_way;
mod silence;
mod slot;
mod stacks;
mod start;
mod starter;
mod static_block;
mod steer;
mod storage_cost;
mod store;
mod sub_blocks;
mod sums;
mod symbols;
mod tally;
mod target;
mod tasks;
mod unit;
mod users;
mod work;

pub use openacc::acc_register_library;

#[global_allocator]
static MEMORY: ompchunk_guest::memory::Memory = ompchunk_guest::memory::Memory;
pub use start::ompt_start_tool;
