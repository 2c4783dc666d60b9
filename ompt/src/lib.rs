//! OMPT, the tools interface of OpenMP, for Rust.
#![cfg_attr(feature = "std", doc = include_str!("../README.md"))]
#![no_std]
#![warn(missing_docs)]

#[cfg(feature = "std")]
extern crate std;

#[cfg(feature = "std")]
mod arena;
#[cfg(feature = "std")]
mod callbacks;
#[cfg(feature = "std")]
mod context;
#[cfg(feature = "std")]
mod entries;
#[cfg(feature = "std")]
mod events;
#[cfg(feature = "std")]
mod life;
#[cfg(feature = "std")]
mod loops;
pub mod raw;
pub mod sched_type;
#[cfg(feature = "std")]
mod start;
#[cfg(feature = "std")]
mod tool;

#[cfg(feature = "std")]
pub use self::{
    arena::Ref,
    context::Context,
    events::{
        Chunk, Control, Delivery, Dispatch, Endpoint, ImplicitTask, LoopEvent, Masked, Mutex, ParallelBegin,
        ParallelEnd, SubBlock, SyncRegion, TaskCreate, TaskCreation, TaskSchedule, Work,
    },
    loops::{Loop, LoopId},
    tool::{Callback, End, Exported, Life, Runtime, Start, Tool},
};
