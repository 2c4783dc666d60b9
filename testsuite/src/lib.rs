//! Tests of the whole, driving compilers, programs, runtimes and tools as processes.
//!
//! Each file in `tests/` is one question, and a module of one program; each input in `ir/`, `run/` and `coverage/` is one or more tests
//! and carries its own expectations as directives in comments ([`directives`]). The latter two are judged by one [`judge`].
//!
//! | file | question |
//! |---|---|
//! | `tests/ir.rs` | does the plugin rewrite what it should, and nothing else? |
//! | `tests/twins.rs` | has every reason to leave a loop alone a near miss? |
//! | `tests/plain_copy.rs` | is the loop that runs while nobody listens the compiler's own? |
//! | `tests/instructions.rs` | does a chunk take the instructions that it took, and an event no more than today? |
//! | `tests/programs.rs` | does each program compute what it computed, and are the events exact, as compiled, under other schedules and in sub-blocks? |
//! | `tests/coverage.rs` | is every shape of a loop handled as the table says? |
//! | `tests/schedules_attacked.rs` | and whatever is done to the program while it does? |
//! | `tests/schedules_hostile.rs` | and whatever stands in the order? |
//! | `tests/schedules_groups.rs` | do loops that rely on each other's threads find out as one how they run? |
//! | `tests/fuzz.rs` | do random programs find what nobody thought of? |
//! | `tests/mutate.rs` | does the plugin survive modules that no compiler writes? |
//! | `tests/link.rs` | do instrumented objects and libraries work together, however linked? |
//! | `tests/dispatch.rs` | does an unmodified tool see every chunk of the program upstream's issue names? |
//! | `tests/lines.rs` | do coverage and debuggers show the lines that they show without the plugin? |
//! | `tests/remarks.rs` | does the user learn what was done with each loop? |
//! | `tests/abi.rs` | do crate, C header, IR, files on disk and exported symbols agree? |
//! | `tests/bad_input.rs` | is everything that can be wrong told in one clear line? |
//! | `tests/repo/memory_order.rs` | does each atomic have a reason? |
//! | `tests/target.rs` | is all that so on another processor? |
//! | `tests/repo/` | does the repository keep its own rules? |
//!
//! What the machine lacks is skipped with the reason printed; where `CI` is set, a skip is a failure
//! ([`suite`]). Products come from `dist/` or from the directory in `OMPCHUNK_DIST` ([`dist`]).
//!
//! In this library [`log`] and [`oracle`] are pure: text in, verdict out.

pub mod callgrind;
pub mod child;
pub mod coverage;
pub mod directives;
pub mod dist;
pub mod facts;
pub mod faults;
pub mod fuzz;
pub mod ir;
pub mod judge;
pub mod layout;
pub mod log;
pub mod matrix;
pub mod mutate;
pub mod oracle;
pub mod passes;
pub mod program;
pub mod records;
pub mod runtime;
pub mod schedules;
pub mod session;
pub mod suite;
pub mod target;
pub mod toolchain;
pub mod workdir;
