//! `__omp_collector_api`: the OpenMP Collector API (OpenMP ARB, 2006) on top of OMPT.
//!
//! A collector, any library in the process, starts the interface, asks for states and region ids, and registers callbacks
//! for events. `requests` reads what it asks, `answers` says what a thread is doing, `events` turns OMPT's callbacks into
//! the interface's events, `listen` decides which of them the shim stands before, and `session` knows whether a
//! collector is there at all. docs/collector-api.md says what is given on which runtime.
//!
//! # What it must not do
//!
//! Stand before any callback while no collector has started; lock; allocate or change `errno` where a signal handler may
//! ask (states and region ids); write to `ompt_data_t`, which is the tool's.

pub(crate) mod codes;
pub(crate) mod events;
pub(crate) mod listen;
pub(crate) mod thread;

mod answers;
mod memory;
mod regions;
mod requests;
mod session;
