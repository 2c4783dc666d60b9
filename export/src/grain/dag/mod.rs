//! The grain graph of a part in which explicit tasks were recorded one by one: tasks, chunks and regions in one graph without
//! cycles.
//!
//! Data flow: events, in the order of time -> what each lane runs (`build`, with `strand`) -> nodes and edges (`graph`)

pub(crate) mod build;
pub(crate) mod graph;
pub(crate) mod measure;
mod pieces;
pub(crate) mod strand;
