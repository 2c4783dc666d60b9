//! Grain graphs (Muddukrishna et al., PPoPP 2016): parallel regions as forks and joins with the chunks that each thread ran in between.
//! `model` reads the trace and makes `region`s of its events; `metric` and `scatter` compute, `threshold` judges, `graphml` and `task_stats` write, the latter rows of `task_table`, those of explicit tasks by `task_rows`. `reference` has what the
//! same chunks took in another run, found by their `path`. Where explicit tasks were recorded one by one, `dag` makes a graph of all, and
//! `tasks_graphml` writes it. `summary` makes few nodes of any part. Both `follow` what lanes run.

pub(crate) mod dag;
mod follow;
pub(crate) mod graphml;
mod metric;
mod model;
pub(crate) mod reference;
mod region;
mod summary;
pub(crate) mod task_stats;
mod task_table;
mod xml;

pub use summary::OnPath;
pub(crate) use summary::critical_path;
