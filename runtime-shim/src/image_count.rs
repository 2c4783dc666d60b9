//! How many images of instrumented code the shim has met. A loop record's address may be another loop's after its
//! library was unloaded, but not before an image has met the shim that was loaded since: every image does so before its
//! first loop is reported. So whoever keeps addresses keeps them as long as this number stands still.

use core::sync::atomic::{AtomicU64, Ordering};

static MET: AtomicU64 = AtomicU64::new(0);

/// An image meets the shim, for the first time or once more.
pub(crate) fn another() {
    MET.fetch_add(1, Ordering::AcqRel);
}

/// How many have.
pub(crate) fn so_far() -> u64 {
    MET.load(Ordering::Acquire)
}

/// `ompt_chunk_get_met`: where the number is, for as long as the process lasts.
pub(crate) unsafe extern "C" fn get_met() -> *const AtomicU64 {
    &raw const MET
}
