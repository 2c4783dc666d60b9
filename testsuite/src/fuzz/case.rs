//! A program with its compiler, its runtime and its schedules.

use super::config::Config;

#[derive(Debug, Clone)]
pub struct Case<P> {
    pub program: P,
    pub config: Config,
}
