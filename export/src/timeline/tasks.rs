//! What has no chunks in a timeline: explicit tasks told one by one, a slice for each time that a thread runs one; and moments.

use ompchunk_trace_format::tasks::is_end;
use ompchunk_trace_format::{Event, OffCore};

use super::{Scope, Sink, Slice, Timeline, Value, number};
use crate::name;

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

    /// What happens at one moment.
    pub(super) fn moment(&mut self, lane: u32, ns: f64, event: &Event<'_>) {
        let took = |ticks: u64| Value::Float(self.process.duration(ticks));
        let (category, name, arguments) = match event {
            Event::TaskCreate { task, parent, .. } => {
                let arguments = vec![number("task", *task), number("parent", *parent)];
                ("task", "task create", arguments)
            }
            Event::Recorder(own) => {
                let arguments = vec![("until_now_ns", took(own.ticks))];
                ("recorder", "recorder", arguments)
            }
            Event::OffCore(off) if off.ticks != OffCore::UNKNOWN => {
                let mut arguments = vec![
                    ("ns", took(off.ticks)),
                    ("within_ns", took(off.since)),
                    number("voluntary switches", off.voluntary),
                    number("involuntary switches", off.involuntary),
                ];
                arguments.extend(off.core.map(|core| number("core", core)));
                ("core", name::off_core(off.why()), arguments)
            }
            Event::Lost(lost) => {
                let arguments = vec![number("chunks", lost.chunks), number("other events", lost.events)];
                ("recorder", "not recorded", arguments)
            }
            _ => return,
        };
        self.instant(lane, ns, &Slice::of(category, name, &arguments));
    }
}
