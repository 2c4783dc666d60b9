//! Grain graphs (Muddukrishna et al., PPoPP 2016): parallel regions as forks and joins with the chunks that each thread ran in between.
//! `model` reads the trace and makes `region`s of its events; `metric` computes, `graphml` writes by `xml`, which judges, and `task_stats`
//! rows of `task_table`. `reference` has what the same chunks took in another run, found by their paths.

pub(crate) mod dag {
    //! The graph of a part in which explicit tasks were recorded one by one: tasks, chunks and regions in one graph without cycles. Data flow:
    //! events, in the order of time -> what each lane runs (`build`, with `pieces` and `strand`) -> nodes and edges (`graph`).

    pub(crate) mod build;
    pub(crate) mod graph;
    mod pieces;
    pub(crate) mod strand;
}
mod follow;
pub(crate) mod graphml;
mod metric;
mod model;
pub(crate) mod reference;
mod region;
mod summary {
    //! A part in few nodes, however long it is. Data flow: events, in order -> what each lane runs (`read`, with `tasks` and
    //! `strand`) -> nodes with sums (`groups`) -> GraphML (`draw`). Memory grows with what is open at a time, and with constructs.

    pub(super) mod draw;
    mod groups;
    pub(crate) mod read;
    pub(crate) mod strand;
    mod tasks;
}
pub(crate) mod task_stats;
mod task_table;
mod xml;

pub use summary::read::{CriticalPath, critical_path};
pub use summary::strand::OnPath;
