//! What the text formats look like, of a trace of which everything is known.

use ompchunk_export::{Format, Table};

use crate::common;

fn snapshot(name: &str, format: Format) {
    let directory = tempfile::tempdir().expect("a directory");
    let text = common::text(&common::two_threads(directory.path()), format);
    // A graph is read node by node.
    let text = text.replace("\n   <data", "<data").replace("\n  </", "</");
    insta::with_settings!({ omit_expression => true, prepend_module_to_snapshot => false }, {
        insta::assert_snapshot!(name, text.replace('\r', ""));
    });
}

#[test]
fn chunks_as_csv() {
    snapshot("chunks.csv", Format::Csv(Table::Chunks));
}

#[test]
fn chunks_as_json() {
    snapshot("chunks.jsonl", Format::Json(Table::Chunks));
}

#[test]
fn loops_as_csv() {
    snapshot("loops.csv", Format::Csv(Table::Loops));
}

#[test]
fn loops_as_json() {
    snapshot("loops.jsonl", Format::Json(Table::Loops));
}

#[test]
fn a_timeline_for_chrome() {
    snapshot("chrome.json", Format::Chrome);
}

/// A wait that ends within its barrier ends nothing else.
#[test]
fn a_wait_ends_before_its_barrier() {
    let directory = tempfile::tempdir().expect("a directory");
    let text = common::text(&common::two_threads(directory.path()), Format::Chrome);
    let all: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let (mut open, mut ended) = (Vec::new(), Vec::new());
    let events = all["traceEvents"].as_array().expect("events");
    for event in events.iter().filter(|event| event["tid"] == *events_of_thread_0(events)) {
        match event["ph"].as_str() {
            Some("B") => open.push(event),
            Some("E") => ended.push((open.pop().expect("begun"), &event["ts"])),
            _ => {}
        }
    }
    let end = |name: &str| {
        let found = ended.iter().find(|slice| slice.0["name"] == name);
        found.expect(name).1.as_f64().expect("a time")
    };
    let barrier = end("implicit barrier of a worksharing construct");
    assert_eq!((end("wait"), barrier), (0.199, 0.2));
}

fn events_of_thread_0(events: &[serde_json::Value]) -> &serde_json::Value {
    let first = events.iter().find(|event| event["name"] == "wait");
    &first.expect("a wait")["tid"]
}

#[test]
fn a_grain_graph() {
    snapshot("grains.graphml", Format::GraphMl);
}

#[test]
fn a_summary_of_a_grain_graph() {
    snapshot("summary.graphml", Format::GraphMlSummary);
}

#[test]
fn a_table_for_the_prototype() {
    snapshot("task-stats", Format::TaskStats);
}
