//! `libompchunk_trace`: an OMPT tool that records a run for `ompchunk report`.
//!
//! Events go from the callbacks (`callbacks`) to the lane of their thread (`lane`, `scope`, `loops`, `tally`),
//! into a block in memory (`slot`), and with it to the part's file (`store`, `file`). What threads share is in
//! `recorder`, reached only when a thread begins, a block is full or a loop is new; the end is in `finish`,
//! what happens at a `fork` in `fork`. What is left out because it was asked to: `steer`, `silence`, `unwanted`. The format is the trace crate's alone.
//!
//! With the shim before it, the recorder sees every chunk; without, the runtime's own events.

mod block;
mod callbacks;
mod cells;
mod changed;
pub mod clock;
mod complain;
mod entries;
mod file;
mod finish;
mod fork;
mod joint;
mod keeper;
mod lane;
mod lock;
mod loops;
mod losses;
mod meta;
mod objects;
mod off_core;
mod own;
mod quick;
mod recorder;
mod region;
mod room;
mod say;
mod scope;
pub mod settings;
mod silence;
mod slot;
mod start;
mod steer;
mod store;
mod symbols;
mod tally;
mod untold;
mod unwanted;

pub use start::ompt_start_tool;
