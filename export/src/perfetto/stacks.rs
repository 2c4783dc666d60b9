//! Sampled stacks: below each thread's track another one, on which each sample is an instant.

use std::collections::HashSet;

use ompchunk_analysis::sampled::{self, Entry, Frame, Kind, Sampled, State};
use ompchunk_trace_format::NOBODY;
use ompchunk_trace_format::stacks::StackFile;

use super::schema::{TYPE_INSTANT, TracePacket, TrackDescriptor, TrackEvent};
use super::{Perfetto, sequence, uuid};
use crate::notice::{Notice, Notices};
use crate::process::Process;
use crate::timeline::Value;

/// The track of a thread's stacks; no thread and no process has that number.
fn track(process: &Process<'_>, thread: u32) -> u64 {
    uuid(process, Some(thread)) + (1 << 32)
}

/// What a thread waits for, as gprofng names it.
fn wait(state: State) -> Option<&'static str> {
    Some(match state {
        State::Serial | State::Work | State::Reduction => return None,
        State::ImplicitBarrier => "<OMP-implicit_barrier>",
        State::ExplicitBarrier => "<OMP-explicit_barrier>",
        State::TaskWait => "<OMP-task_wait>",
        State::Lock => "<OMP-lock_wait>",
        State::Critical => "<OMP-critical_section_wait>",
        State::Ordered => "<OMP-ordered_section_wait>",
        State::Atomic => "<OMP-atomic_wait>",
        State::Idle => "<OMP-idle>",
    })
}

/// For people, as far as it is known.
fn shown(frame: &Frame) -> String {
    let function = frame.function.as_deref().unwrap_or("(unknown)");
    match &frame.file {
        Some(file) => format!("{function} ({file}:{})", frame.line),
        None => function.to_owned(),
    }
}

impl Perfetto {
    /// Those of a process, if some were recorded. The rest of the trace is there without them.
    pub(super) fn stacks(&mut self, process: &Process<'_>, notices: &mut Notices) {
        let read = || {
            let Some(file) = StackFile::beside(process.part.path())? else {
                return Ok(None);
            };
            sampled::of(process.part, &file).map(|it| Some((file, it)))
        };
        let (file, sampled) = match read() {
            Ok(Some(both)) => both,
            Ok(None) => return,
            Err(why) => {
                return notices.list.push(Notice::StacksUnreadable {
                    part: process.part.path().display().to_string(),
                    why: why.to_string(),
                });
            }
        };
        let missing = Notice::of_stacks(process, &file, &sampled);
        notices.list.extend(missing);
        let is_asked_for = |it: &Entry| {
            process.wanted.is_none() || it.the_loop != NOBODY && process.wants(it.the_loop)
        };
        let mut tracks = HashSet::new();
        for entry in sampled.entries.iter().filter(|it| it.sampled()) {
            if self.to.has_failed() {
                break;
            }
            if !is_asked_for(entry) {
                continue;
            }
            if tracks.insert(entry.thread) {
                self.packet(&TracePacket {
                    trusted_packet_sequence_id: Some(sequence(process)),
                    track_descriptor: Some(TrackDescriptor {
                        uuid: Some(track(process, entry.thread)),
                        parent_uuid: Some(uuid(process, Some(entry.thread))),
                        name: Some("stacks".into()),
                        ..TrackDescriptor::default()
                    }),
                    ..TracePacket::default()
                });
            }
            self.sample(process, &sampled, entry);
        }
    }

    fn sample(&mut self, process: &Process<'_>, sampled: &Sampled, entry: &Entry) {
        let stack = sampled.stacks.of(entry.user);
        let frames = stack.frames.iter().map(|it| sampled.frames.of(*it));
        let mut all: Vec<String> = frames.map(shown).collect();
        if stack.cut {
            all.push("...".into());
        }
        let all = all.join(", ");
        let leaf = sampled.leaf(entry);
        let function = leaf.and_then(|it| it.function.as_deref());
        let name = wait(entry.state).or(function).unwrap_or("(unknown)");
        let mut arguments = vec![(
            "omp",
            Value::Text(match entry.state.kind() {
                Kind::Work => "work",
                Kind::Wait => "wait",
            }),
        )];
        if let Some((file, line)) = leaf.and_then(|it| it.file.as_deref().zip(Some(it.line))) {
            arguments.push(("file", Value::Text(file)));
            arguments.push(("line", Value::Unsigned(line.into())));
        }
        arguments.push(("stack", Value::Text(&all)));
        let duration = process.duration(entry.ticks);
        arguments.push(("stands_for_ns", Value::Float(duration)));
        let event = TrackEvent {
            category_iids: vec![self.interned.category("stack")],
            debug_annotations: arguments.iter().map(|it| self.annotation(it)).collect(),
            r#type: Some(TYPE_INSTANT),
            name_iid: Some(self.interned.name(name)),
            track_uuid: Some(track(process, entry.thread)),
            source_location_iid: None,
        };
        self.event(process, process.ns(entry.time), event);
    }
}
