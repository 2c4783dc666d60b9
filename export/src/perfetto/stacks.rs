//! Sampled stacks: below each thread's track another one, on which each sample is an instant.

use std::collections::HashSet;

use ompchunk_analysis::sampled::{self, Entry, Frame, Kind, Sampled};
use ompchunk_trace_format::stacks::StackFile;
use ompchunk_trace_format::{Error as TraceError, NOBODY, shown};

use super::schema::{TYPE_INSTANT, TracePacket, TrackDescriptor};
use super::{Perfetto, in_sequence, uuid};
use crate::notice::{Notice, Notices};
use crate::process::Process;
use crate::stack_names::wait;
use crate::timeline::{Slice, Value};

/// The track of a thread's stacks; no thread and no process has that number.
fn track(process: &Process<'_>, thread: u32) -> u64 {
    uuid(process, Some(thread)) + (1 << 32)
}

/// For people, as far as known.
fn frame_label(frame: &Frame) -> String {
    let function = frame.function.as_deref().unwrap_or("(unknown)");
    match &frame.file {
        Some(file) => format!("{function} ({file}:{})", frame.line),
        None => function.to_owned(),
    }
}

/// A process's stacks; `None`: none were recorded.
fn read(process: &Process<'_>) -> Result<Option<(StackFile, Sampled)>, TraceError> {
    let Some(file) = StackFile::beside(process.part.path())? else {
        return Ok(None);
    };
    let sampled = sampled::of(process.part, &file)?;
    Ok(Some((file, sampled)))
}

impl Perfetto {
    /// Those of a process, if some were recorded. The rest of the trace is there without them.
    pub(super) fn stacks(&mut self, process: &Process<'_>, notices: &mut Notices) {
        let (file, sampled) = match read(process) {
            Ok(Some(stacks)) => stacks,
            Ok(None) => return,
            Err(why) => {
                return notices
                    .list
                    .push(Notice::StacksUnreadable { part: shown(process.part.path()), why: why.to_string() });
            }
        };
        let missing = Notice::of_stacks(process, &file, &sampled);
        notices.list.extend(missing);
        let is_asked_for =
            |entry: &Entry| process.wanted.is_none() || entry.the_loop != NOBODY && process.wants(entry.the_loop);
        let mut tracks = HashSet::new();
        for entry in &sampled.entries {
            if self.to.has_failed() {
                break;
            }
            if !entry.sampled() || !is_asked_for(entry) {
                continue;
            }
            if tracks.insert(entry.thread) {
                self.begin_track(process, entry.thread);
            }
            self.sample(process, &sampled, entry);
        }
    }

    fn begin_track(&mut self, process: &Process<'_>, thread: u32) {
        self.packet(&TracePacket {
            track_descriptor: Some(TrackDescriptor {
                uuid: Some(track(process, thread)),
                parent_uuid: Some(uuid(process, Some(thread))),
                name: Some("stacks".into()),
                ..TrackDescriptor::default()
            }),
            ..in_sequence(process)
        });
    }

    fn sample(&mut self, process: &Process<'_>, sampled: &Sampled, entry: &Entry) {
        let stack = sampled.stacks.of(entry.user);
        let frames = stack.frames.iter().map(|frame| frame_label(sampled.frames.of(*frame)));
        let cut = stack.cut.then(|| "...".to_owned());
        let frames: Vec<String> = frames.chain(cut).collect();
        let frames = frames.join(", ");
        let leaf = sampled.leaf(entry);
        let function = leaf.and_then(|leaf| leaf.function.as_deref());
        let state = match entry.state.kind() {
            Kind::Work => "work",
            Kind::Wait => "wait",
        };
        let mut arguments = vec![("omp", Value::Text(state))];
        if let Some(leaf) = leaf
            && let Some(file) = &leaf.file
        {
            arguments.push(("file", Value::Text(file)));
            arguments.push(("line", Value::Unsigned(leaf.line.into())));
        }
        arguments.push(("stack", Value::Text(&frames)));
        let duration = process.duration(entry.ticks);
        arguments.push(("stands_for_ns", Value::Float(duration)));
        let slice = Slice {
            category: "stack",
            name: wait(entry.state).or(function).unwrap_or("(unknown)"),
            site: None,
            arguments: &arguments,
        };
        let event = self.track_event(track(process, entry.thread), TYPE_INSTANT, &slice);
        self.event(process, process.ns(entry.time), event);
    }
}
