//! The tasks of a `taskloop`: which construct they are of, where the runtime says that it is in the runtime.

use super::Paths;
use crate::tasks::record::Part;

impl Paths {
    /// A `taskloop` begins or ends in what runs.
    pub(crate) fn taskloop(&mut self, begins: bool, code: u64) {
        let Some(record) = self.running() else { return };
        let open = record.taskloops.get();
        if !begins {
            record.taskloops.set(open.saturating_sub(1));
            return;
        }
        record.taskloops.set(open.saturating_add(1));
        // The runtime's own code may be where it says that the construct is, and then says where its taskgroup is.
        // SAFETY: null, or a taskgroup that is not over.
        let group = unsafe { record.inner.get().as_ref() };
        let group = group.filter(|group| !group.begun.get() && group.code.get() != 0);
        let code = group.map_or(code, |group| group.code.get());
        record.taskloop.set((code, code));
    }

    /// The construct of a task that was created by that call just now.
    pub(crate) fn construct_of(&self, call: u64) -> u64 {
        let Some(record) = self.running() else {
            return call;
        };
        let (code, creates) = record.taskloop.get();
        match () {
            () if creates == call => code,
            () if record.part.get() != Part::Other && record.call.get() == call => record.code.get(),
            () => call,
        }
    }
}
