//! `libompchunk_trace`: an OMPT tool that records a run for `ompchunk report`.
//!
//! Events go from the callbacks to their thread's lane, into a block in memory (`slot`), and with it to the part's file
//! (`store`, `file`). What threads share is in `part`. With the shim before it, the recorder sees every chunk; without,
//! the runtime's own events. It is a profiling library of OpenACC too (`openacc`), with or without an OMPT runtime.

mod callbacks;
mod cells;
pub mod clock;
mod faults;
mod lane;
mod lock;
mod loops;
mod openacc;
mod part;
mod primitive;
mod profile_choice;
mod recorder;
mod registration;
mod scope;
mod stacks;
mod steer;
mod tasks;

pub use openacc::acc_register_library;

#[global_allocator]
static MEMORY: ompchunk_guest::memory::Memory = ompchunk_guest::memory::Memory;
pub use registration::ompt_start_tool;
