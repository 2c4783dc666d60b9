//! Exports for Perfetto, decoded by a decoder that knows nothing of the encoder: with Perfetto's own schema, by reflection.

use std::collections::HashMap;

use ompchunk_export::{Format, Options};
use prost_reflect::{DynamicMessage, ReflectMessage, Value};

use crate::common;
use crate::common::perfetto::{decode, message, messages, number};

fn text(of: &DynamicMessage, field: &str) -> String {
    let value = of.get_field_by_name(field).expect("in the schema");
    value.as_str().expect("a string").to_owned()
}

/// A slice: where, when, from when to when, what.
#[derive(Debug, PartialEq)]
struct Slice {
    thread: String,
    depth: usize,
    begin: u64,
    end: u64,
    name: String,
    location: Option<String>,
    arguments: Vec<(String, String)>,
}

type Interned = HashMap<(u64, &'static str, u64), String>;

fn intern(names: &mut Interned, sequence: u64, data: &DynamicMessage) {
    for (list, field) in [
        ("event_categories", "name"),
        ("event_names", "name"),
        ("debug_annotation_names", "name"),
        ("source_locations", "file_name"),
    ] {
        for entry in messages(data, list) {
            let mut name = text(&entry, field);
            if list == "source_locations" {
                name += &format!(":{}", number(&entry, "line_number"));
            }
            let before = names.insert((sequence, list, number(&entry, "iid")), name);
            assert_eq!(before, None, "interned twice");
        }
    }
}

fn value(of: &DynamicMessage) -> String {
    let (field, value) = of.fields().find(|(field, _)| field.name().ends_with("_value")).expect("a value");
    match value {
        Value::U64(value) => value.to_string(),
        Value::I64(value) => value.to_string(),
        Value::F64(value) => value.to_string(),
        Value::String(value) => value.clone(),
        other => panic!("{}: {other:?}", field.name()),
    }
}

/// A slice's name, location and arguments.
fn begun(names: &Interned, sequence: u64, event: &DynamicMessage) -> Slice {
    let named = |list, field: &str| names[&(sequence, list, number(event, field))].clone();
    let annotations = messages(event, "debug_annotations");
    Slice {
        thread: String::new(),
        depth: 0,
        begin: 0,
        end: 0,
        name: named("event_names", "name_iid"),
        location: event
            .has_field_by_name("source_location_iid")
            .then(|| named("source_locations", "source_location_iid")),
        arguments: annotations
            .iter()
            .map(|annotation| {
                let name = number(annotation, "name_iid");
                let name = &names[&(sequence, "debug_annotation_names", name)];
                (name.clone(), value(annotation))
            })
            .collect(),
    }
}

/// A process, or a thread of one that was described before.
fn describe(track: &DynamicMessage, processes: &mut Vec<u64>, threads: &mut HashMap<u64, String>) {
    let uuid = number(track, "uuid");
    if let Some(process) = message(track, "process") {
        processes.push(uuid);
        assert!(number(&process, "pid") > 0);
    } else {
        assert!(processes.contains(&number(track, "parent_uuid")));
        let name = message(track, "thread").map_or_else(|| text(track, "name"), |thread| text(&thread, "thread_name"));
        threads.insert(uuid, name);
    }
}

/// As a viewer would put it together; panics where the trace breaks the format's rules.
fn slices(packets: &[DynamicMessage]) -> Vec<Slice> {
    let mut names = Interned::new();
    let mut threads: HashMap<u64, String> = HashMap::new();
    let mut processes = Vec::new();
    let mut cleared = Vec::new();
    let mut open: HashMap<u64, Vec<Slice>> = HashMap::new();
    let mut last: HashMap<u64, u64> = HashMap::new();
    let mut all = Vec::new();
    for packet in packets {
        let sequence = number(packet, "trusted_packet_sequence_id");
        assert_ne!(sequence, 0);
        if number(packet, "sequence_flags") & 1 != 0 {
            cleared.push(sequence);
        }
        if let Some(data) = message(packet, "interned_data") {
            intern(&mut names, sequence, &data);
        }
        if let Some(track) = message(packet, "track_descriptor") {
            describe(&track, &mut processes, &mut threads);
        }
        let Some(event) = message(packet, "track_event") else {
            continue;
        };
        assert!(cleared.contains(&sequence), "needs incremental state");
        let track = number(&event, "track_uuid");
        let at = number(packet, "timestamp");
        let before = last.insert(track, at).unwrap_or(0);
        assert!(before <= at, "the time of a track goes back");
        let stack = open.entry(track).or_default();
        match number(&event, "type") {
            1 => {
                let thread = threads[&track].clone();
                let begun = begun(&names, sequence, &event);
                stack.push(Slice { thread, depth: stack.len(), begin: at, ..begun });
            }
            2 => {
                let mut slice = stack.pop().expect("an end has a begin");
                slice.end = at;
                all.push(slice);
            }
            other => assert_eq!(other, 3, "instants are the only other events"),
        }
    }
    assert!(open.values().all(Vec::is_empty), "a clean trace ends its slices");
    all
}

#[test]
fn slices_are_what_was_recorded() {
    let directory = tempfile::tempdir().expect("a directory");
    let trace = common::two_threads(directory.path());
    let (bytes, notices) = common::exported(&trace, Format::Perfetto, &Options::default());
    assert_eq!(notices, []);
    let all = slices(&decode(&bytes));
    let chunks: Vec<&Slice> = all.iter().filter(|slice| slice.name.starts_with("chunk")).collect();
    assert_eq!(chunks.len(), 8);
    let argument = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    assert_eq!(
        *chunks[0],
        Slice {
            thread: "initial thread 0".into(),
            depth: 4,
            begin: 65,
            end: 115,
            name: "chunk of a \"b\", <c>&.c:17:3".into(),
            location: Some("src/a \"b\", <c>&.c:17".into()),
            arguments: vec![
                argument("lower", "0"),
                argument("iterations", "4"),
                argument("first", "-8"),
                argument("last", "-2"),
                argument("create_duration_ns", "5"),
            ],
        }
    );
    let unsigned = chunks.last().expect("the worker's last");
    assert_eq!(unsigned.thread, "worker 1");
    assert_eq!(unsigned.arguments[0], argument("lower", "18446744073709551608"));
    // The chunk with a region inside lasts until its loop ends, the region lies in it.
    let around = chunks.iter().find(|slice| slice.begin == 210).expect("recorded");
    assert_eq!((around.end, around.depth), (260, 4));
    let region = all.iter().find(|slice| slice.begin == 215).expect("recorded");
    assert_eq!((region.name.as_str(), region.end, region.depth), ("parallel region", 250, 5));
}

#[test]
fn processes_that_share_a_number_have_tracks_of_their_own() {
    let directory = tempfile::tempdir().expect("a directory");
    for rank in 0..2 {
        let path = directory.path().join(format!("rank-{rank}.trace"));
        let meta = ompchunk_trace_format::Meta {
            host: format!("node{rank}"),
            // The second machine's clock says half a microsecond later.
            started: 1_000_000 + rank * 500,
            ..common::meta(42, Some(rank))
        };
        let mut part = common::part(&path, &meta);
        let events = [(0, common::thread_begin(0)), (0, common::task(0, 0, 1)), (20, common::task_end(0))];
        common::write(&mut part, 0, &events);
        part.finish(1_100).expect("finished");
    }
    let (bytes, _) = common::exported(directory.path(), Format::Perfetto, &Options::default());
    let packets = decode(&bytes);
    let tracks: Vec<DynamicMessage> = packets.iter().filter_map(|packet| message(packet, "track_descriptor")).collect();
    let pids: Vec<u64> = tracks.iter().filter_map(|track| Some(number(&message(track, "process")?, "pid"))).collect();
    assert_eq!(pids.len(), 2);
    assert_ne!(pids[0], pids[1]);
    let begins: Vec<u64> = slices(&packets).iter().map(|slice| slice.begin).collect();
    assert_eq!(begins, [0, 500]);
    let snapshot = message(&packets[0], "clock_snapshot").expect("first of all");
    assert_eq!(snapshot.descriptor().name(), "ClockSnapshot");
    let realtime = &messages(&snapshot, "clocks")[1];
    assert_eq!(number(realtime, "timestamp"), 1_000_000);
}
