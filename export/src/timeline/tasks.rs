//! What has no chunks in a timeline: explicit tasks told one by one, a slice for each time that a thread runs one; and moments.

use ompchunk_trace_format::tasks::is_end;
use ompchunk_trace_format::{Event, OffCore, Scope};

use super::{Open, Sink, Slice, Timeline, Value, number};
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
            let is_around = |open: &Open| matches!(open.scope, Scope::ImplicitTask(_) | Scope::Parallel(_));
            let from = open.iter().rposition(is_around).map_or(0, |around| around + 1);
            return self.leave_inside(lane, ns, from);
        }
        if let Some(place) = open.iter().rposition(|open| open.scope == Scope::Task(next)) {
            return self.leave_inside(lane, ns, place + 1);
        }
        let label = self.constructs.label(next);
        let name = label.as_deref().map_or_else(|| "task".to_owned(), |label| format!("task of {label}"));
        let mut arguments = vec![number("task", next)];
        arguments.extend(label.as_deref().map(|label| ("at", Value::Text(label))));
        arguments.extend(self.lane(lane).cpu.map(|cpu| number("cpu", cpu)));
        self.begin(lane, ns, Scope::Task(next), &name, &arguments);
    }

    /// Ends the first task from there on with what is inside; what is waited in before it does not end.
    fn leave_inside(&mut self, lane: u32, ns: f64, from: usize) {
        let mut inside = self.lane(lane).open[from..].iter();
        if let Some(first) = inside.position(|open| matches!(open.scope, Scope::Task(_))) {
            self.end_from(lane, ns, from + first);
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
