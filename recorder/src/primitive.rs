//! The atomics of what threads hand each other: `recorder/tests/loom.rs` has loom's in their place.

pub(crate) use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, AtomicU64, Ordering, fence};
