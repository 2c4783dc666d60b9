//! The atomics of the concurrent parts: `core`'s, or loom's when the models are run.

#[cfg(not(loom))]
pub(crate) use core::sync::atomic::{AtomicI32, AtomicPtr, AtomicU32, AtomicU64, AtomicUsize, Ordering, fence};
#[cfg(loom)]
pub(crate) use loom::sync::atomic::{AtomicPtr, AtomicU32, Ordering};
#[cfg(not(loom))]
pub(crate) use std::sync::OnceLock;
