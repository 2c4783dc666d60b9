//! Broken modules that try to make the plugin crash, write invalid IR, or touch what it does not understand.
//!
//! [`seed`] compiles the test suite's sources, in the forms that LLVM's passes leave behind, to modules of one loop or few; [`mutant`] breaks them,
//! as one number says ([`mod@line`], [`calls`], [`flow`] and [`whole`] are the ways to, on IR as [`text`]); [`judge`] runs the plugin over what
//! LLVM's verifier still accepts; [`plain`] compares what runs while nobody listens, in the form
//! that `level` and `canonical` give; [`run`] does this with all
//! cores and counts. `docs/fuzzing.md` says how to use it and what it found.

pub mod calls;
mod canonical;
pub mod flow;
pub mod judge;
mod level;
pub mod line;
pub mod mutant;
pub mod plain;
pub mod run;
pub mod seed;
pub mod text;
pub mod whole;
