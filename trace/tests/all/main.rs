//! All tests of this room in one program: each further one would link the same crates again.

mod check;
mod common;
mod damage;
mod document;
mod round_trip;
mod samples;
mod slots;
mod stacks;
mod tasks;
