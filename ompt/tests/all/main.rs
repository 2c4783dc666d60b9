//! All tests of this room in one program: each further one would link the same crates again.

#[macro_use]
mod common;

#[cfg(feature = "std")]
mod attacks;
#[cfg(feature = "std")]
mod chunks;
mod headers;
#[cfg(feature = "std")]
mod runtimes;
