//! The compiler plugin: finds worksharing loops, gives each a second, reporting way to run,
//! and leaves everything else exactly as it was.
//!
//! Per function, `find` reads the IR, [`instrumentation_plan`] decides from plain facts what to do, and `emit` alone changes the IR.
//! `entry` is the way in from LLVM and the place where panics end.
//!
//! Without an `llvmNN` feature only what needs no LLVM is built, and tested everywhere: [`instrumentation_plan`] and [`reason`].

pub mod instrumentation_plan;
pub mod reason;

#[cfg(feature = "llvm")]
mod emit;
#[cfg(feature = "llvm")]
mod entry;
#[cfg(feature = "llvm")]
mod facts;
#[cfg(feature = "llvm")]
mod ffi;
#[cfg(feature = "llvm")]
mod find;
#[cfg(feature = "llvm")]
// LLVM 23 has new questions in the place of two about branches, which older ones do not know.
#[allow(deprecated)]
mod llvm;
#[cfg(feature = "llvm")]
mod promises;
#[cfg(feature = "llvm")]
mod remark;
#[cfg(feature = "llvm")]
mod report;

#[cfg(feature = "llvm")]
use ompchunk_abi::sched_type;
