//! The declarations of `omp-tools.h` (OpenMP 5.2, chapter 19, as LLVM has it) and of ompchunk's `ompt-chunk.h`, under Rust names.
//!
//! Types, values and signatures: nothing here allocates or needs more than `core`. Each declaration begins with the
//! C name that it stands for, and a test holds every one against the headers, and the headers against this module. What a C
//! header calls an enumeration is a number here, since a runtime may send one that is newer than this crate.
//!
//! Left out: the tracing interface of devices (`ompt_set_trace_ompt` and what belongs to it), and OMPD.

mod callbacks;
mod chunk;
mod entries;
mod events;
mod flags;
mod loop_record;
mod types;
mod values;

pub use callbacks::*;
pub use chunk::*;
pub use entries::*;
pub use events::*;
pub use flags::*;
pub use loop_record::*;
pub use types::*;
pub use values::*;
