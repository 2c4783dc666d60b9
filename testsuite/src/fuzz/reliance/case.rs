//! A program with its compiler, its runtime and its schedules.

use super::ast::Program;
use crate::fuzz::config::Config;

/// A program and how it is run.
#[derive(Debug, Clone)]
pub struct Case {
    pub program: Program,
    pub config: Config,
}
