//! `libompchunk_rt`: an OMPT tool that stands between an OpenMP runtime and the user's tool.
//!
//! The runtime asks it for a tool (`start`); it finds the real one (`search`), wraps its `initialize` and `finalize`, and hands
//! it a `lookup` whose `ompt_set_callback` and `ompt_get_callback` go through `registered_callbacks`. Instrumented code connects once per
//! linked image (`connect`) and then calls the `hooks`, which turn every chunk of a loop into the events the tool registered.
//! Loops that `overrides` changes come through `override_entry`, those in sub-blocks through `sub_block_entry`. The OpenMP
//! Collector API is in `collector`.
//!
//! # What it must not do
//!
//! Print on stdout, abort, unwind into C, start a thread, or hold a lock: the table is lock-free, so that a callback may
//! register another, a signal may strike anywhere, and `fork` leaves nothing locked behind.
//!
//! # Exports
//!
//! `ompt_start_tool` for the runtime, `__ompchunk_connect` for instrumented code and `__omp_collector_api` for collectors,
//! nothing else.

// The models take the files that they need by themselves: loom's atomics cannot stand in statics.
#![cfg(not(loom))]

#[global_allocator]
static MEMORY: ompchunk_guest::memory::Memory = ompchunk_guest::memory::Memory;

mod balance;
mod chain;
mod collector;
mod consensus;
mod constant;
mod decision;
mod hooks;
mod images;
mod occupancy;
mod overrides;
mod primitive;
mod record;
mod registered_callbacks;
mod runtime;
mod slot;
mod start;
mod static_override;
mod sub_block;
mod task;
mod thread;
