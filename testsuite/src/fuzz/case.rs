//! A program with its compiler, its runtime and its schedules.

use super::config::Config;

/// A program and how it is run.
#[derive(Debug, Clone)]
pub struct Case<P> {
    pub program: P,
    pub config: Config,
}
