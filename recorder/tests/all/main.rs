//! All tests of this room in one program: each further one would link the same crates again.

mod bounds;
mod chunks;
mod common;
mod constructor;
mod ends;
mod executions;
mod faults;
mod guest;
mod harm;
mod lives;
mod many_loops;
mod memory;
mod openacc;
mod profiles;
mod raw_fork;
mod sandbox;
mod silent;
mod stacks;
mod steer;
mod sub_blocks;
mod sums_without_room;
mod target;
mod tasks;
mod tasks_each;
mod unload;
mod waits;
