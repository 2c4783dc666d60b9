//! Sampled stacks in exports for Perfetto: a track below each thread's, with an instant per sample, decoded by Perfetto's own schema.

use std::collections::HashMap;
use std::path::Path;

use ompchunk_export::{Format, Options};
use ompchunk_trace_format::NOBODY;
use ompchunk_trace_format::stacks::{Sample, StackMeta, StackWriter, path_beside};
use prost_reflect::{DynamicMessage, Value};

use crate::common;
use crate::common::perfetto::{decode, message, messages, number};

fn part_of(trace: &Path) -> std::path::PathBuf {
    let mut files = std::fs::read_dir(trace).expect("a trace");
    files.next().expect("a part").expect("a part").path()
}

/// Thread, time in ticks, CPU time.
fn sampled(trace: &Path, samples: &[(u32, u64, u64)]) {
    let to = path_beside(&part_of(trace));
    let mut writer = StackWriter::create(&to, &StackMeta::default()).expect("created");
    for (thread, time, cpu_ns) in samples {
        let sample = Sample {
            thread: *thread,
            time: *time,
            cpu_ns: *cpu_ns,
            state: 1,
            wait_id: 0,
            region: 0,
            the_loop: NOBODY,
            frames: &[0x10, 0x20],
            cut: None,
        };
        writer.sample(&sample).expect("written");
    }
    writer.finish().expect("written");
}

/// Instants by the name of the thread whose stacks they are, with what they say and when.
fn instants(bytes: &[u8]) -> Vec<(String, u64, HashMap<String, String>)> {
    let (mut names, mut threads, mut tracks) = (HashMap::new(), HashMap::new(), HashMap::new());
    let mut found = Vec::new();
    for packet in decode(bytes) {
        if let Some(data) = message(&packet, "interned_data") {
            for list in ["event_names", "debug_annotation_names"] {
                for interned in messages(&data, list) {
                    let name = interned.get_field_by_name("name").expect("in the schema");
                    let name = name.as_str().expect("a name").to_owned();
                    names.insert((list, number(&interned, "iid")), name);
                }
            }
        }
        if let Some(track) = message(&packet, "track_descriptor") {
            let uuid = number(&track, "uuid");
            let name = |of: &DynamicMessage, field: &str| {
                let name = of.get_field_by_name(field).expect("in the schema");
                name.as_str().expect("a name").to_owned()
            };
            if let Some(thread) = message(&track, "thread") {
                threads.insert(uuid, name(&thread, "thread_name"));
            } else if name(&track, "name") == "stacks" {
                let thread: &String = &threads[&number(&track, "parent_uuid")];
                assert_eq!(tracks.insert(uuid, thread.clone()), None, "declared once");
            }
        }
        let Some(event) = message(&packet, "track_event") else {
            continue;
        };
        let Some(thread) = tracks.get(&number(&event, "track_uuid")) else {
            continue;
        };
        assert_eq!(number(&event, "type"), 3, "an instant");
        let said = messages(&event, "debug_annotations").into_iter().map(|annotation| {
            let name = names[&("debug_annotation_names", number(&annotation, "name_iid"))].clone();
            let value = annotation.fields().find(|(field, _)| field.name().ends_with("_value"));
            let value = match value.expect("a value").1 {
                Value::String(value) => value.clone(),
                Value::F64(value) => value.to_string(),
                Value::U64(value) => value.to_string(),
                other => panic!("{other:?}"),
            };
            (name, value)
        });
        let mut said: HashMap<String, String> = said.collect();
        let name = names[&("event_names", number(&event, "name_iid"))].clone();
        said.insert("name".into(), name);
        found.push((thread.clone(), number(&packet, "timestamp"), said));
    }
    found
}

#[test]
fn each_sample_is_an_instant_below_its_thread() {
    let directory = tempfile::tempdir().expect("a directory");
    let trace = common::two_threads(directory.path());
    let (before, _) = common::exported(&trace, Format::Perfetto, &Options::default());
    assert_eq!(instants(&before), [], "nothing was sampled");
    let samples = [(0, 1140, 10), (0, 1240, 30), (1, 1150, 5), (1, 1390, 5)];
    sampled(&trace, &samples);
    let (bytes, notices) = common::exported(&trace, Format::Perfetto, &Options::default());
    assert_eq!(notices, []);
    let found = instants(&bytes);
    let mut threads: Vec<&str> = found.iter().map(|sample| &*sample.0).collect();
    threads.dedup();
    assert_eq!(threads.len(), 2, "{threads:?}");
    assert_eq!(found.len(), 4);
    // A nanosecond is two ticks.
    let times: Vec<u64> = found.iter().map(|sample| sample.1 - found[0].1).collect();
    assert_eq!(times, [0, 50, 5, 125]);
    for (_, _, said) in &found {
        assert_eq!(said["omp"], "work");
        assert_eq!(said["name"], "(unknown)");
        assert!(said["stands_for_ns"].parse::<f64>().expect("a number") > 0.0);
    }
    // All else is as without.
    let others = |bytes: &[u8]| {
        let is_slice =
            |packet: &DynamicMessage| message(packet, "track_event").is_some_and(|event| number(&event, "type") != 3);
        decode(bytes).iter().filter(|packet| is_slice(packet)).count()
    };
    assert_eq!(others(&before), others(&bytes));
}

#[test]
fn damaged_stacks_are_said() {
    let directory = tempfile::tempdir().expect("a directory");
    let trace = common::two_threads(directory.path());
    let (without, _) = common::exported(&trace, Format::Perfetto, &Options::default());
    sampled(&trace, &[(0, 1140, 10)]);
    let part = std::fs::read_dir(&trace).expect("a trace");
    let stacks = part
        .filter_map(|entry| Some(entry.ok()?.path()))
        .find(|path| path.extension().is_some_and(|extension| extension != "trace"))
        .expect("stacks");
    let whole = std::fs::read(&stacks).expect("read");
    let mut said = 0;
    for length in (0..whole.len()).step_by(1999) {
        std::fs::write(&stacks, &whole[..length]).expect("written");
        let (bytes, notices) = common::exported(&trace, Format::Perfetto, &Options::default());
        // A file that was cut behind the sample, as a killed program's, still has it.
        let found = instants(&bytes).len();
        assert!(found == 1 || !notices.is_empty(), "{length}: {notices:?}");
        assert!(found == 1 || decode(&bytes).len() == decode(&without).len());
        said += notices.len();
    }
    assert!(said > 0, "nothing was damaged");
}
