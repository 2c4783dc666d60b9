//! Explicit tasks that are told one by one: a slice for each time that a thread runs one, until it leaves it or it ends.

use ompchunk_trace_format::tasks::is_end;

use super::{Scope, Sink, Timeline, Value, number};

impl<S: Sink> Timeline<'_, '_, S> {
    /// A thread leaves a task, with a status, and goes on with another one; 0: with none.
    pub(super) fn task_switch(&mut self, lane: u32, ns: f64, prior: (u64, u32), next: u64) {
        let (prior, status) = prior;
        if prior != 0 && is_end(status) {
            self.end(lane, ns, Scope::Task(prior));
        }
        let open = &self.lane(lane).open;
        if next == 0 {
            // What is around it goes on: all tasks that are inside end here.
            let is_around = |scope: Scope| matches!(scope, Scope::ImplicitTask(_) | Scope::Parallel(_));
            let from = open.iter().rposition(|open| is_around(open.scope));
            let from = from.map_or(0, |from| from + 1);
            let inside = open[from..].iter();
            let first = inside.clone().position(|open| matches!(open.scope, Scope::Task(_)));
            if let Some(first) = first {
                self.end_from(lane, ns, from + first);
            }
            return;
        }
        let is_next = |scope: Scope| scope == Scope::Task(next);
        if let Some(place) = open.iter().rposition(|open| is_next(open.scope)) {
            self.leave_inside(lane, ns, place);
            return;
        }
        let label = self.constructs.label(next);
        let name = label.as_deref().map_or_else(|| "task".to_owned(), |label| format!("task of {label}"));
        let mut arguments = vec![number("task", next)];
        arguments.extend(label.as_deref().map(|label| ("at", Value::Text(label))));
        arguments.extend(self.lane(lane).cpu.map(|cpu| number("cpu", cpu)));
        self.begin(lane, ns, Scope::Task(next), &name, &arguments);
    }

    /// Goes on with the task there: those inside end, what it waits in does not.
    fn leave_inside(&mut self, lane: u32, ns: f64, place: usize) {
        let inside = self.lane(lane).open[place + 1..].iter();
        let is_task = |scope: Scope| matches!(scope, Scope::Task(_));
        let first = inside.clone().position(|open| is_task(open.scope));
        if let Some(first) = first {
            self.end_from(lane, ns, place + 1 + first);
        }
    }
}
