//! `libompchunk_rt`: an OMPT tool that stands between an OpenMP runtime and the user's tool.
//!
//! The runtime asks it for a tool (`start`); it finds the real one (`search`), wraps that tool's
//! `initialize` and `finalize`, and hands it a lookup (`lookup`) whose `ompt_set_callback` and
//! `ompt_get_callback` go through the `table` of the callbacks that matter here. Instrumented code
//! connects once per linked image (`connect`) and from then on calls the `hooks`, which turn every
//! chunk of a loop into the events the tool registered. Loops that `schedules` gives another schedule
//! come through `schedule_override`, those that run in sub-blocks through `sub_block_entry`. The OpenMP Collector API is
//! in `collector`.
//!
//! # What it must not do
//!
//! Print on stdout, abort, unwind into C, start a thread, or hold a lock: the table is lock-free, so
//! that a callback may register another, a signal may strike anywhere, and `fork` leaves nothing
//! locked behind.
//!
//! # How to attach it
//!
//! - `OMP_TOOL_LIBRARIES=libompchunk_rt.so:libtool.so`
//! - `LD_PRELOAD="libompchunk_rt.so libtool.so"`
//! - linked, shared or static: see `README.md` beside this crate for the flags.
//!
//! # Exports
//!
//! `ompt_start_tool` for the runtime, `__ompchunk_connect` for instrumented code and `__omp_collector_api` for collectors,
//! nothing else.

#[global_allocator]
static MEMORY: ompchunk_guest::memory::Memory = ompchunk_guest::memory::Memory;

mod constant;
mod primitive;
mod quiet_slot;
#[doc(hidden)]
pub mod record;
mod slot;
#[doc(hidden)]
pub mod table;

// The models need the concurrent parts only, and loom's atomics cannot stand in statics.
#[cfg(all(not(loom), target_arch = "x86_64"))]
mod asking;
#[cfg(not(loom))]
mod attach;
#[cfg(not(loom))]
mod balance;
#[cfg(not(loom))]
mod begin;
#[cfg(not(loom))]
mod block_parts;
#[cfg(not(loom))]
mod bookkeeping;
#[cfg(not(loom))]
mod chain;
#[cfg(not(loom))]
mod chosen_schedule;
#[cfg(not(loom))]
mod chunk;
#[cfg(not(loom))]
mod collector;
#[cfg(not(loom))]
mod connect;
#[cfg(not(loom))]
mod consensus;
#[cfg(not(loom))]
mod creation;
#[cfg(not(loom))]
mod creation_event;
#[cfg(not(loom))]
mod dealt_counts;
#[cfg(not(loom))]
mod decision;
#[cfg(not(loom))]
mod environment;
#[cfg(not(loom))]
mod equal_blocks;
#[cfg(not(loom))]
mod group;
#[cfg(not(loom))]
mod hooks;
#[cfg(not(loom))]
mod images;
#[cfg(not(loom))]
mod init_trampolines;
#[cfg(not(loom))]
mod lookup;
#[cfg(not(loom))]
mod loop_event;
#[cfg(not(loom))]
mod numbers;
#[cfg(not(loom))]
mod object;
#[cfg(not(loom))]
mod occupancy;
#[cfg(not(loom))]
mod order_messages;
#[cfg(not(loom))]
mod outliers;
#[cfg(not(loom))]
mod place;
#[cfg(not(loom))]
mod region_cache;
#[cfg(not(loom))]
mod report;
#[cfg(not(loom))]
mod run;
#[cfg(not(loom))]
mod runtime;
#[cfg(not(loom))]
mod runtime_choice;
#[cfg(not(loom))]
mod schedule_override;
#[cfg(not(loom))]
mod schedule_turns;
#[cfg(not(loom))]
mod schedules;
#[cfg(not(loom))]
mod search;
#[cfg(not(loom))]
mod section;
#[cfg(not(loom))]
mod sizes;
#[cfg(not(loom))]
mod source;
#[cfg(not(loom))]
mod stage;
#[cfg(not(loom))]
mod start;
#[cfg(not(loom))]
mod static_steps;
#[cfg(not(loom))]
mod stride;
#[cfg(not(loom))]
mod sub_block;
#[cfg(not(loom))]
mod sub_block_entry;
#[cfg(not(loom))]
mod task;
#[cfg(not(loom))]
mod thread;
#[cfg(not(loom))]
mod thread_storage;
#[cfg(not(loom))]
mod verdict;
