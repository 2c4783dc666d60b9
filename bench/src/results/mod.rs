//! What was measured: kept as it was (`run`, `file`), with the statistics of its values (`stats`). Of advice likewise (`advised`,
//! `advice`, `json`).

pub mod advice;
pub mod advised;
pub mod file;
pub mod json;
pub mod run;
pub mod stats;

pub use self::run::{Cell, Instructions, Reference, Results, Series, Setup, VariantInfo};
pub use crate::plan::case::Unit;
pub use crate::plan::variant::Role;
