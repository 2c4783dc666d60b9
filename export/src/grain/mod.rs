//! Grain graphs (Muddukrishna et al., PPoPP 2016): parallel regions as forks and joins with the chunks that each thread ran in between.
//! `model` reads the trace and makes `region`s of its events; `metric` computes, `graphml` and `task_stats` write. `reference` has what the
//! same chunks took in another run, found by their `place`.

pub(crate) mod graphml;
mod metric;
mod model;
mod place;
pub(crate) mod reference;
mod region;
pub(crate) mod task_stats;
