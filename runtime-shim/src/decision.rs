//! What is decided once in a process, for all its threads: whether loops run under other schedules than their own.

use crate::primitive::OnceLock;
use crate::registered_callbacks::RegisteredCallbacks;

/// What was decided, once it was.
pub(crate) struct Once<T>(pub(crate) OnceLock<Option<T>>);

impl<T> Once<T> {
    /// As `read` says, once. `callbacks`' word is set before the value is published: who finds it may lead other threads there.
    pub(crate) fn decide(&self, callbacks: &RegisteredCallbacks, read: impl FnOnce() -> Option<T>) {
        self.0.get_or_init(|| {
            let read = read();
            if read.is_some() {
                callbacks.change_schedules();
            }
            read
        });
    }

    /// From now on there is nothing, unless something was decided before. `late` says so.
    pub(crate) fn settle(&self, late: impl FnOnce()) {
        self.0.get_or_init(|| {
            late();
            None
        });
    }

    #[inline]
    pub(crate) fn get(&self) -> Option<&T> {
        self.0.get().and_then(Option::as_ref)
    }
}
