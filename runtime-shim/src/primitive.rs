//! The atomics of the concurrent parts: `core`'s here, loom's where the models are run.

pub(crate) use core::sync::atomic::{AtomicI32, AtomicPtr, AtomicU32, AtomicU64, AtomicUsize, Ordering, fence};
pub(crate) use std::sync::OnceLock;
