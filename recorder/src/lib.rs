//! `libompchunk_trace`: an OMPT tool that records a run for `ompchunk report`.
//!
//! Events go from the callbacks to the lane of their thread, into a block in memory (`slot`), and with it to the part's file (`store`,
//! `file`). What threads share is in `part`, reached only when a thread begins (`recorder`), a block is full or a loop is new. The format
//! is the trace crate's alone. The same library is a profiling library of OpenACC (`openacc`), with or without an OMPT runtime.
//!
//! With the shim before it, the recorder sees every chunk; without, the runtime's own events.

mod acc_lane;
mod block;
mod budget;
mod callbacks;
mod cells;
mod claim;
pub mod clock;
mod complain;
mod core_time;
mod end_time;
mod entries;
mod epoch;
mod execution_filter;
mod faults;
mod file;
mod finish;
mod fork;
mod grains;
mod lane;
mod lane_owner;
mod lock;
mod loops;
mod meta;
mod nesting;
mod objects;
mod openacc;
mod own_time;
mod part;
mod primitive;
mod profile_choice;
mod recent_loops;
mod recorder;
mod records;
mod region;
mod room;
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
mod store;
mod sub_blocks;
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
