//! Sampled stacks, for `--sample-stacks`: a timer per thread, whose signal stores where the thread is. Nothing of this is
//! there without the option.
//!
//! Timers count a thread's CPU time, not the time that passes. So no sleeping system call of the program's is interrupted, and
//! what a thread slept is told by the part.

pub(crate) mod control;
mod handler;
mod hazard;
mod modules;
mod output;
pub(crate) mod regions;
mod registers;
mod rest;
mod signal;
pub(crate) mod thread;
