//! What the text formats look like, of a trace of which everything is known.

mod common;

use ompchunk_export::Format;

fn snapshot(name: &str, format: Format) {
    let directory = tempfile::tempdir().expect("a directory");
    let text = common::text(&common::two_threads(directory.path()), format);
    insta::with_settings!({ omit_expression => true, prepend_module_to_snapshot => false }, {
        insta::assert_snapshot!(name, text.replace('\r', ""));
    });
}

#[test]
fn chunks_as_csv() {
    snapshot("chunks.csv", Format::Csv);
}

#[test]
fn chunks_as_json() {
    snapshot("chunks.jsonl", Format::Json);
}

#[test]
fn loops_as_csv() {
    snapshot("loops.csv", Format::LoopsCsv);
}

#[test]
fn loops_as_json() {
    snapshot("loops.jsonl", Format::LoopsJson);
}

#[test]
fn a_timeline_for_chrome() {
    snapshot("chrome.json", Format::Chrome);
}

#[test]
fn a_grain_graph() {
    snapshot("grains.graphml", Format::GraphMl);
}

#[test]
fn a_table_for_the_prototype() {
    snapshot("task-stats", Format::TaskStats);
}
