//! The table of explicit tasks: a file is there only where they were recorded one by one.

use std::path::Path;

use ompchunk_trace_format::{At, Event};

use super::open::Open;
use super::tables::{TASKS, task};
use crate::error::Error;
use crate::process::Process;
use crate::site::Sites;
use crate::tasks::EachTask;

/// Those of a part.
pub(super) struct TasksOfPart<'p> {
    process: &'p Process<'p>,
    directory: &'p Path,
    /// `None`: they were not recorded one by one.
    each: Option<EachTask>,
}

impl<'p> TasksOfPart<'p> {
    pub(super) fn new(process: &'p Process<'p>, directory: &'p Path) -> TasksOfPart<'p> {
        let is_told = process.part.meta().mode.tasks;
        TasksOfPart { process, directory, each: is_told.then(EachTask::default) }
    }

    #[inline]
    pub(super) fn see(&mut self, at: At, event: &Event<'_>) {
        if let Some(each) = &mut self.each {
            each.see(at, event);
        }
    }

    /// `None`: there was none.
    pub(super) fn finish(self, sites: &Sites<'_>) -> Result<Option<Open>, Error> {
        let tasks = self.each.into_iter().flat_map(EachTask::finish);
        let mut tasks = tasks.peekable();
        if tasks.peek().is_none() {
            return Ok(None);
        }
        let mut to = Open::new(self.directory, "tasks", self.process, TASKS)?;
        for (number, known) in tasks {
            let code = known.creation.and_then(|made| sites.code(made.code));
            to.put(|table| task(table, self.process, code, number, &known));
            if to.has_failed() {
                break;
            }
        }
        Ok(Some(to))
    }
}
