//! All tests of this room in one program: each further one would link the same crates again.

mod attach;
mod bad_input;
mod collector;
mod collector_attacks;
mod common;
mod events;
mod order;
mod registration;
mod runtimes;
