//! Which shapes of static loops are handled, by which compiler, and are the events of each exact?
//!
//! One program of `coverage/` is one shape, and says in directives what shall become of it ([`case`]). Each is built by every compiler ([`compiler`],
//! [`build`]) and run under the oracle on every runtime ([`check`]); what was seen is a row of `docs/data/coverage.csv` ([`table`]), and
//! `docs/coverage.md` sums it up ([`page`]), so that both state what a test has seen and nothing else.
//!
//! The programs of `run/` ask the same of a few shapes in many builds; these ask it of all shapes in one.

pub mod build;
pub mod calls;
pub mod case;
pub mod check;
pub mod compiler;
pub mod emulated;
pub mod page;
pub mod remarks;
pub mod table;
