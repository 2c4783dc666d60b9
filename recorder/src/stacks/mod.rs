//! Sampled stacks, for `--sample-stacks`: a timer per thread of its CPU time, so no sleeping system call of the
//! program's is interrupted; what a thread slept is told by the part. Nothing of this is there without the option.

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
