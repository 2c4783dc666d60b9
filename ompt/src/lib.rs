//! OMPT, the tools interface of OpenMP.
//!
//! [`raw`] has the declarations of `omp-tools.h` and of ompchunk's `ompt-chunk.h`, for `core` alone.
#![no_std]

pub mod raw;
