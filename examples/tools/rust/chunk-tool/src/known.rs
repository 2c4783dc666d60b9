//! What is known of a loop, kept for the report: the program may have unloaded the library by then.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use ompt::raw::LoopRecord;
use ompt::{Context, Loop};

/// A loop. Never freed; one for each loop of the program.
#[derive(Debug)]
pub struct Known {
    /// The numbers that are known of it.
    pub record: LoopRecord,
    /// The function that it stands in.
    pub function: String,
    /// The source file; empty without line information.
    pub file: String,
}

/// By the address of the record, with what tells whether another library may stand there by now.
static ALL: Mutex<Option<HashMap<usize, (u64, &'static Known)>>> = Mutex::new(None);

impl Known {
    /// The innermost instrumented loop that the calling thread is executing.
    pub fn current<T: ompt::Tool>(cx: &Context<'_, T>) -> Option<&'static Known> {
        let found = cx.current_loop()?;
        let id = found.id();
        let mut all = ALL.lock().unwrap_or_else(PoisonError::into_inner);
        let all = all.get_or_insert_with(HashMap::new);
        let before = all.get(&id.address).copied();
        if let Some((_, known)) = before.filter(|(met, _)| *met == id.met) {
            return Some(known);
        }
        let known = before
            .map(|(_, known)| known)
            .filter(|known| known.is(&found))
            .unwrap_or_else(|| Box::leak(Box::new(Known::from_loop(&found))));
        all.insert(id.address, (id.met, known));
        Some(known)
    }

    fn from_loop(found: &Loop<'_>) -> Self {
        Known { record: found.record(), function: found.function().into_owned(), file: found.file().into_owned() }
    }

    /// Whether what stands there now is the same loop.
    fn is(&self, found: &Loop<'_>) -> bool {
        let place = |record: &LoopRecord| (record.line, record.column, record.flags, record.chunk);
        place(&self.record) == place(&found.record()) && self.function == found.function() && self.file == found.file()
    }
}
