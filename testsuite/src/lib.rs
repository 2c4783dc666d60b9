//! Tests of the whole, driving compilers, programs, runtimes and tools as processes.
//!
//! Each file in `tests/` is one question, which stands at its head, and a module of one program; each input in `ir/`, `run/` and `coverage/` is one or more tests
//! and carries its own expectations as directives in comments ([`directives`]). The latter two are judged by one [`judge`].
//!
//! What the machine lacks is skipped with the reason printed; where `CI` is set, a skip is a failure
//! ([`suite`]). Products come from `dist/` or from the directory in `OMPCHUNK_DIST` ([`dist`]).
//!
//! In this library [`log`] and [`oracle`] are pure: text in, verdict out.

pub mod callgrind;
pub mod check_list;
pub mod child;
pub mod coverage;
pub mod directives;
pub mod dist;
pub mod facts;
pub mod fuzz;
pub mod ir;
pub mod judge;
pub mod layout;
pub mod log;
pub mod matrix;
pub mod mutate;
pub mod oracle;
pub mod passes;
pub mod planted;
pub mod program;
pub mod records;
pub mod runtime;
pub mod schedules;
pub mod session;
pub mod suite;
pub mod target;
pub mod toolchain;
pub mod workdir;
