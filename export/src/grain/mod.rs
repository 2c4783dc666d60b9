//! Grain graphs (Muddukrishna et al., PPoPP 2016): parallel regions as forks and joins with the chunks
//! that each thread ran in between. `model` reads the trace, `metric` computes, `graphml` and
//! `task_stats` write.

pub(crate) mod graphml;
mod metric;
mod model;
pub(crate) mod task_stats;
