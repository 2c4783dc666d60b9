//! Random programs that try to prove ompchunk wrong.
//!
//! [`generate`] makes a program, an [`ast`], from a number; [`config`] draws a compiler, flags and a
//! runtime; [`judge`] builds and runs it without and with ompchunk and asks the oracle; [`shrink`]
//! makes what failed small; [`run`] does this with all cores and counts. The programs of [`reliance`] rely on which thread runs which
//! iteration. [`crate::mutate`] does to modules what
//! no compiler would, and asks only that the plugin survives and leaves valid IR behind.
//! `docs/fuzzing.md` says how to use it and what it found.

pub mod ast;
pub mod build;
pub mod config;
pub mod dims;
pub mod generate;
pub mod judge;
pub mod print_c;
pub mod print_fortran;
pub mod reliance;
pub mod rng;
pub mod run;
pub mod shrink;
pub mod subject;
