//! The declarations of `omp-tools.h` (OpenMP 5.2, chapter 19, as LLVM has it) and of ompchunk's `ompt-chunk.h`, under Rust names.
//!
//! Types, values and signatures: nothing here allocates or needs more than `core`. Each declaration begins with the
//! C name that it stands for, and a test holds every one against the headers, and the headers against this module. What a C
//! header calls an enumeration is a number here, since a runtime may send one that is newer than this crate.
//!
//! Left out: the tracing interface of devices (`ompt_set_trace_ompt` and what belongs to it), and OMPD.

mod chunk;
mod functions;
mod loop_record;
mod types;
mod values;

pub use chunk::*;
pub use functions::*;
pub use loop_record::*;
pub use types::*;
pub use values::*;

/// Numbers, by their types, of which some are declared here.
macro_rules! constants {
    ($(
        $type:ident $(= $number:ident as $c_type:ident, $what:literal)? {
            $( $(#[$about:meta])* $c:ident: $name:ident = $value:expr; )*
        }
    )*) => { $(
        $(
            #[doc = concat!("`", stringify!($c_type), "`: ", $what, ".")]
            pub type $type = $number;
        )?
        $(
            #[doc = concat!("`", stringify!($c), "`")]
            $(#[doc = ""] #[$about])*
            pub const $name: $type = $value;
        )*
    )* };
}
use constants;

/// Types of functions.
macro_rules! signatures {
    ($( $(#[$about:meta])* $c:ident: $name:ident($($argument:ident: $type:ty),*) $(-> $result:ty)?; )*) => { $(
        #[doc = concat!("`", stringify!($c), "`")]
        $(#[doc = ""] #[$about])*
        pub type $name = unsafe extern "C" fn($($argument: $type),*) $(-> $result)?;
    )* };
}
use signatures;
