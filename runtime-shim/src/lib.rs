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
//! # Exports
//!
//! `ompt_start_tool` for the runtime, `__ompchunk_connect` for instrumented code and `__omp_collector_api` for collectors,
//! nothing else.

// The models take the files that they need by themselves: loom's atomics cannot stand in statics.
#![cfg(not(loom))]

#[global_allocator]
static MEMORY: ompchunk_guest::memory::Memory = ompchunk_guest::memory::Memory;

#[cfg(target_arch = "x86_64")]
mod asking;
mod attach;
mod balance;
mod begin;
mod block_parts;
mod bookkeeping;
mod chain;
mod chosen_schedule;
mod chunk;
mod collector;
mod connect;
mod consensus;
mod constant;
mod creation;
mod dealt_counts;
mod decision;
mod environment;
mod equal_blocks;
mod group;
mod hooks;
mod images;
mod init_trampolines;
mod lookup;
mod loop_event;
mod numbers;
mod object;
mod occupancy;
mod order_messages;
mod outliers;
mod primitive;
mod record;
mod region_cache;
mod report;
mod run;
mod runtime;
mod runtime_choice;
mod schedule_override;
mod schedule_turns;
mod schedules;
mod search;
mod section;
mod sizes;
mod slot;
mod source;
mod start;
mod static_steps;
mod stride;
mod sub_block;
mod sub_block_entry;
mod table;
mod task;
mod thread;
mod thread_storage;
mod verdict;
