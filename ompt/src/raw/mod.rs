//! The declarations of `omp-tools.h` (OpenMP 5.2, chapter 19, as LLVM has it) and of ompchunk's `ompt-chunk.h`, under Rust names. Each
//! names the C one that it stands for; a test holds the two against each other. A C enumeration is a number here, since a runtime may
//! send one that is newer than this crate. Left out: the tracing interface of devices (`ompt_set_trace_ompt` and the like), and OMPD.
//! Nothing here needs more than `core`.

mod extension;
mod functions;
mod loop_record;
mod types;
mod values;

pub use extension::*;
pub use functions::*;
pub use loop_record::*;
pub use types::*;
pub use values::*;

macro_rules! constants {
    ($(
        $type:ident $(= $number:ident as $c_type:ident, $what:literal)? {
            $( $c:ident: $name:ident = $value:expr $(, $words:literal)?; )*
        }
    )*) => { $(
        $(
            #[doc = concat!("`", stringify!($c_type), "`: ", $what, ".")]
            pub type $type = $number;
        )?
        $(
            #[doc = concat!("`", stringify!($c), "`" $(, ": ", $words, ".")?)]
            pub const $name: $type = $value;
        )*
    )* };
}
use constants;

macro_rules! signatures {
    ($( $(#[$about:meta])* $c:ident: $name:ident($($argument:ident: $type:ty),*) $(-> $result:ty)?; )*) => { $(
        #[doc = concat!("`", stringify!($c), "`")]
        $(#[doc = ""] #[$about])*
        pub type $name = unsafe extern "C" fn($($argument: $type),*) $(-> $result)?;
    )* };
}
use signatures;
