//! All tests of this room in one program: each further one would link the same crates again.

mod agree;
mod common;
mod errors;
mod graphml;
mod openacc;
mod otf2;
mod otf2_any;
mod otf2_tasks;
mod parquet;
mod perfetto;
mod perfetto_stacks;
mod snapshots;
mod sub_blocks;
mod sums;
mod target;
mod tasks;
