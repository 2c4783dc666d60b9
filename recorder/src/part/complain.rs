//! What the user is told of the part's file: that it can hold no more, and what others did to it.

use std::fmt::Arguments;
use std::io::ErrorKind;

use ompchunk_guest::door;
use ompchunk_trace_format::{Reason, without_control};

use crate::part::Shared;
use crate::part::file::Fate;

impl Shared {
    pub(crate) fn complain_once(&mut self, reason: Reason, error: &std::io::Error) {
        if !self.finished && !std::mem::replace(&mut self.complained, true) {
            // A lane tells now and then how much it has lost. That something is lost the part says at once: its end may be abrupt.
            if let Some(store) = &mut self.store {
                store.count_lost(reason, 0, 0);
            }
            self.complain(reason, error);
        }
    }

    pub(crate) fn complain_of_memory(&mut self) {
        self.complain_once(Reason::Memory, &ErrorKind::OutOfMemory.into());
    }

    fn complain(&self, reason: Reason, error: &std::io::Error) {
        let path = self.store.as_ref().map(|store| store.file.path.display());
        let Some(path) = path else { return };
        match reason {
            Reason::MaxSize => print(format_args!(
                "{path} has its largest size: what follows is counted and not recorded, and the program goes \
                 on. Raise --max-size (0: no limit), or record less with --sample or --aggregate"
            )),
            Reason::Memory => print(format_args!(
                "the process has no memory left for {path} ({error}): what follows is not recorded, and only in part counted, and the \
                 program goes on. Raise its limit (ulimit -v), or record less with --sample or --aggregate"
            )),
            _ => print(format_args!(
                "{path} cannot grow: {error}. What follows is counted and not recorded, and the program goes \
                 on. Make room, choose another place with -o, or record less with --sample or --aggregate"
            )),
        }
    }

    pub(crate) fn tell_fate(&self, fate: Fate) {
        let path = self.store.as_ref().map(|store| store.file.path.display());
        let Some(path) = path else { return };
        match fate {
            Fate::Whole => {}
            Fate::Truncated => print(format_args!(
                "{path} was truncated while it was recorded: what was in it until then is missing. Record \
                 again, and leave the directory alone until the program has ended"
            )),
            Fate::Gone => print(format_args!(
                "{path} was removed or replaced while it was recorded: nothing of this process is left. Record \
                 again, and leave the directory alone until the program has ended"
            )),
        }
    }
}

/// On standard error, in one line, whatever names are in it; one that is gone is no reason to stop.
pub(crate) fn print(text: Arguments<'_>) {
    door::write_line(&without_control(&text.to_string()));
}
