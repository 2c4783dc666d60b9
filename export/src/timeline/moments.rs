//! What has no length in a timeline.

use ompchunk_trace_format::{Event, OffCore};

use super::{Sink, Slice, Timeline, Value, number};
use crate::name;

impl<S: Sink> Timeline<'_, '_, S> {
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
