//! Perfetto's protobuf format: `TracePacket`s with `TrackEvent`s, one packet sequence per process.

mod schema;

use std::collections::HashSet;
use std::io::Write;

use indexmap::IndexSet;
use ompchunk_analysis::sampled::{self, Entry, Kind, Sampled};
use ompchunk_trace_format::stacks::StackFile;
use ompchunk_trace_format::{Error as TraceError, NOBODY, shown};
use prost::Message;
use prost::encoding::{WireType, encode_key, encode_varint};
use schema::{
    CLOCK_MONOTONIC, CLOCK_REALTIME, Clock, ClockSnapshot, DebugAnnotation, InternedData, InternedName,
    ProcessDescriptor, SEQ_INCREMENTAL_STATE_CLEARED, SEQ_NEEDS_INCREMENTAL_STATE, SourceLocation, TYPE_INSTANT,
    TYPE_SLICE_BEGIN, TYPE_SLICE_END, ThreadDescriptor, TracePacket, TracePacketDefaults, TrackDescriptor, TrackEvent,
};

use crate::error::Error;
use crate::name::{Argument, Value, wait};
use crate::notice::{Notice, Notices};
use crate::output::Output;
use crate::process::Process;
use crate::site::Site;
use crate::timeline::{self, Sink, Slice, Track};

pub(crate) fn write(processes: &[Process<'_>], to: Output, notices: &mut Notices) -> Result<(), Error> {
    let begin = |process: &&Process<'_>| process.ns(0);
    let earliest = processes.iter().min_by(|left, right| begin(left).total_cmp(&begin(right)));
    let mut perfetto = Perfetto {
        to,
        bytes: Vec::new(),
        origin: earliest.map_or(0, |process| process.part.clock().start_ns),
        interned: Interned::default(),
    };
    if let Some(process) = earliest {
        perfetto.clocks(process);
    }
    for process in processes {
        timeline::write(process, &mut perfetto, notices)?;
        perfetto.stacks(process, notices);
        if perfetto.to.has_failed() {
            break;
        }
    }
    perfetto.to.finish()
}

struct Perfetto {
    to: Output,
    bytes: Vec<u8>,
    /// `CLOCK_MONOTONIC` at the trace's beginning.
    origin: u64,
    interned: Interned,
}

/// What the current sequence has named so far, numbered from 1.
#[derive(Default)]
struct Interned {
    categories: IndexSet<String>,
    names: IndexSet<String>,
    arguments: IndexSet<String>,
    loops: IndexSet<u32>,
    /// Named since the last packet.
    new: InternedData,
}

fn number(named: &mut IndexSet<String>, new: &mut Vec<InternedName>, name: &str) -> u64 {
    if let Some(index) = named.get_index_of(name) {
        return index as u64 + 1;
    }
    named.insert(name.to_owned());
    let iid = named.len() as u64;
    new.push(InternedName { iid: Some(iid), name: Some(name.to_owned()) });
    iid
}

impl Interned {
    fn annotation(&mut self, (name, value): &Argument<'_>) -> DebugAnnotation {
        let name_iid = Some(number(&mut self.arguments, &mut self.new.debug_annotation_names, name));
        let mut annotation = DebugAnnotation { name_iid, ..DebugAnnotation::default() };
        match *value {
            Value::Unsigned(value) => annotation.uint_value = Some(value),
            Value::Signed(value) => annotation.int_value = Some(value),
            Value::Float(value) => annotation.double_value = Some(value),
            Value::Text(value) => annotation.string_value = Some(value.to_owned()),
        }
        annotation
    }

    fn location(&mut self, the_loop: u32, site: &Site) -> Option<u64> {
        if site.file.is_empty() {
            return None;
        }
        let (index, is_new) = self.loops.insert_full(the_loop);
        let iid = index as u64 + 1;
        if is_new {
            self.new.source_locations.push(SourceLocation {
                iid: Some(iid),
                file_name: Some(site.file.clone()),
                function_name: Some(site.function.clone()),
                line_number: Some(site.line),
            });
        }
        Some(iid)
    }
}

/// Numbers of a process's tracks: the process itself, and a thread.
fn uuid(process: &Process<'_>, thread: Option<u32>) -> u64 {
    let upper = (process.index as u64 + 1) << 33;
    upper | thread.map_or(0, |thread| u64::from(thread) + 1)
}

fn in_sequence(process: &Process<'_>) -> TracePacket {
    TracePacket { trusted_packet_sequence_id: Some(process.index as u32 + 1), ..TracePacket::default() }
}

impl Perfetto {
    fn packet(&mut self, packet: &TracePacket) {
        self.bytes.clear();
        // Field `packet` of `Trace`, which is nothing else.
        encode_key(1, WireType::LengthDelimited, &mut self.bytes);
        encode_varint(packet.encoded_len() as u64, &mut self.bytes);
        packet.encode_raw(&mut self.bytes);
        // An output remembers its failures.
        let _ = self.to.write_all(&self.bytes);
    }

    fn descriptor(&mut self, process: &Process<'_>, descriptor: TrackDescriptor) {
        self.packet(&TracePacket { track_descriptor: Some(descriptor), ..in_sequence(process) });
    }

    /// Lets viewers show the time of day, and put the trace beside others of the same machine.
    fn clocks(&mut self, process: &Process<'_>) {
        let clock = |id, timestamp| Clock { clock_id: Some(id), timestamp: Some(timestamp) };
        self.packet(&TracePacket {
            clock_snapshot: Some(ClockSnapshot {
                clocks: vec![clock(CLOCK_MONOTONIC, self.origin), clock(CLOCK_REALTIME, process.part.meta().started)],
                primary_trace_clock: Some(CLOCK_MONOTONIC),
            }),
            ..in_sequence(process)
        });
    }

    fn event(&mut self, process: &Process<'_>, ns: f64, event: TrackEvent) {
        let new = std::mem::take(&mut self.interned.new);
        self.packet(&TracePacket {
            timestamp: Some(self.origin.saturating_add(ns.round() as u64)),
            sequence_flags: Some(SEQ_NEEDS_INCREMENTAL_STATE),
            interned_data: (new != InternedData::default()).then_some(new),
            track_event: Some(event),
            ..in_sequence(process)
        });
    }

    fn track_event(&mut self, track: u64, r#type: i32, slice: &Slice<'_>) -> TrackEvent {
        let interned = &mut self.interned;
        let category = number(&mut interned.categories, &mut interned.new.event_categories, slice.category);
        let name = number(&mut interned.names, &mut interned.new.event_names, slice.name);
        let arguments = slice.arguments.iter();
        TrackEvent {
            category_iids: vec![category],
            debug_annotations: arguments.map(|argument| interned.annotation(argument)).collect(),
            r#type: Some(r#type),
            name_iid: Some(name),
            track_uuid: Some(track),
            source_location_iid: slice.site.and_then(|(the_loop, site)| interned.location(the_loop, site)),
        }
    }

    /// Writes the stacks of a process, if some were recorded. The rest of the trace is there without them.
    fn stacks(&mut self, process: &Process<'_>, notices: &mut Notices) {
        let read = || {
            let Some(file) = StackFile::beside(process.part.path())? else { return Ok(None) };
            let sampled = sampled::sampled(process.part, &file)?;
            Ok::<_, TraceError>(Some((file, sampled)))
        };
        let (file, sampled) = match read() {
            Ok(Some(stacks)) => stacks,
            Ok(None) => return,
            Err(why) => {
                let (part, why) = (shown(process.part.path()), why.to_string());
                return notices.list.push(Notice::StacksUnreadable { part, why });
            }
        };
        notices.list.extend(Notice::of_stacks(process, &file, &sampled));
        let mut tracks = HashSet::new();
        for entry in &sampled.entries {
            if self.to.has_failed() {
                return;
            }
            if !entry.sampled() || !process.wants_entry(entry) {
                continue;
            }
            if tracks.insert(entry.thread) {
                let descriptor = TrackDescriptor {
                    uuid: Some(track(process, entry.thread)),
                    parent_uuid: Some(uuid(process, Some(entry.thread))),
                    name: Some("stacks".into()),
                    ..TrackDescriptor::default()
                };
                self.descriptor(process, descriptor);
            }
            self.sample(process, &sampled, entry);
        }
    }

    fn sample(&mut self, process: &Process<'_>, sampled: &Sampled, entry: &Entry) {
        let stack = sampled.stacks.get(entry.user);
        let label = |number: &u32| {
            let frame = sampled.frames.get(*number);
            let function = frame.function.as_deref().unwrap_or("(unknown)");
            match &frame.file {
                Some(file) => format!("{function} ({file}:{})", frame.line),
                None => function.to_owned(),
            }
        };
        let frames = stack.frames.iter().map(label);
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
        arguments.push(("stands_for_ns", Value::Float(process.duration(entry.ticks))));
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

impl Sink for Perfetto {
    fn has_failed(&self) -> bool {
        self.to.has_failed()
    }

    fn process(&mut self, process: &Process<'_>) {
        self.interned = Interned::default();
        let meta = process.part.meta();
        let labels = [&process.name, &meta.host].into_iter().filter(|label| !label.is_empty());
        self.packet(&TracePacket {
            sequence_flags: Some(SEQ_INCREMENTAL_STATE_CLEARED),
            first_packet_on_sequence: Some(true),
            trace_packet_defaults: Some(TracePacketDefaults { timestamp_clock_id: Some(CLOCK_MONOTONIC) }),
            track_descriptor: Some(TrackDescriptor {
                uuid: Some(uuid(process, None)),
                process: Some(ProcessDescriptor {
                    pid: Some(process.pid as i32),
                    cmdline: meta.command.clone(),
                    process_name: Some(process.title()),
                    process_labels: labels.cloned().collect(),
                }),
                ..TrackDescriptor::default()
            }),
            ..in_sequence(process)
        });
    }

    fn track(&mut self, process: &Process<'_>, track: Track, name: &str) {
        let in_thread = track.thread != NOBODY;
        let descriptor = TrackDescriptor {
            uuid: Some(uuid(process, Some(track.thread))),
            parent_uuid: Some(uuid(process, None)),
            name: (!in_thread).then(|| name.to_owned()),
            thread: in_thread.then(|| ThreadDescriptor {
                pid: Some(process.pid as i32),
                tid: Some(track.tid.into()),
                thread_name: Some(name.to_owned()),
            }),
            ..TrackDescriptor::default()
        };
        self.descriptor(process, descriptor);
    }

    fn slice(&mut self, process: &Process<'_>, track: Track, ns: f64, lasts: bool, slice: &Slice<'_>) {
        let r#type = if lasts { TYPE_SLICE_BEGIN } else { TYPE_INSTANT };
        let event = self.track_event(uuid(process, Some(track.thread)), r#type, slice);
        self.event(process, ns, event);
    }

    fn end(&mut self, process: &Process<'_>, track: Track, ns: f64) {
        let track_uuid = Some(uuid(process, Some(track.thread)));
        self.event(process, ns, TrackEvent { r#type: Some(TYPE_SLICE_END), track_uuid, ..TrackEvent::default() });
    }
}

/// The track of a thread's stacks; no thread and no process has that number.
fn track(process: &Process<'_>, thread: u32) -> u64 {
    uuid(process, Some(thread)) + (1 << 32)
}
