//! Whatever a trace holds, every export holds the same chunks.

use std::collections::BTreeMap;
use std::path::Path;

use ompchunk_export::{Format, Options, Table, export as export_to};
use ompchunk_trace_format::{Event, PartWriter, Trace};
use proptest::prelude::*;
use prost_reflect::{DescriptorPool, DynamicMessage};
use quick_xml::events::Event as Xml;

use crate::common;

/// A chunk: iterations and ticks. Bookkeeping takes some of them.
type Chunk = (u64, u64, bool);

/// A loop execution by each thread: which loop, its start, the chunks by thread.
#[derive(Debug, Clone)]
struct Execution {
    wide: bool,
    lower: u64,
    chunks: Vec<Vec<Chunk>>,
    barrier: bool,
    nested: bool,
}

fn execution() -> impl Strategy<Value = Execution> {
    let chunk = (1..100_u64, 40..200_u64, any::<bool>());
    let chunks = prop::collection::vec(prop::collection::vec(chunk, 0..4), 3);
    let lower = prop_oneof![Just(0), Just(u64::MAX - 100_000), 0..1_000_u64];
    (any::<bool>(), lower, chunks, any::<bool>(), any::<bool>())
        .prop_map(|(wide, lower, chunks, barrier, nested)| Execution { wide, lower, chunks, barrier, nested })
}

/// Regions of executions, by process.
fn program() -> impl Strategy<Value = Vec<Vec<Vec<Execution>>>> {
    let regions = prop::collection::vec(prop::collection::vec(execution(), 0..4), 0..4);
    prop::collection::vec(regions, 1..4)
}

/// Writes one lane of a region; returns the time at the end.
fn lane(
    part: &mut PartWriter,
    lane: u32,
    region: u64,
    executions: &[Execution],
    from: u64,
    expected: &mut Vec<(u64, u64)>,
) -> u64 {
    let mut now = from;
    let mut events = vec![(now, common::task(region, lane, 3))];
    for execution in executions {
        let the_loop = if execution.wide { 2 } else { 1 };
        let mut lower = execution.lower + u64::from(lane) * 1_000;
        now += 1;
        events.push((now, common::begin(the_loop, 5, -3)));
        for (iterations, ticks, measured) in &execution.chunks[lane as usize] {
            let create = if *measured { 7 } else { 0 };
            events.push((now, common::chunk(lower, *iterations, create)));
            expected.push((lower, *iterations));
            if execution.nested && lane == 1 {
                // A region inside, with a chunk of its own.
                let inside = 1_000_000 + region * 1_000 + events.len() as u64;
                events.extend([
                    (now + 5, common::parallel(inside)),
                    (now + 6, common::task(inside, 0, 1)),
                    (now + 7, common::begin(1, 0, 1)),
                    (now + 8, common::chunk(lower, 1, 0)),
                    (now + 20, common::end(1)),
                    (now + 20, common::task_end(inside)),
                    (now + 20, Event::ParallelEnd { parallel: inside }),
                ]);
                expected.push((lower, 1));
            }
            lower += iterations;
            now += ticks;
        }
        events.push((now, common::end(the_loop)));
        if execution.barrier {
            events.push((now, Event::SyncBegin(common::BARRIER)));
            now += 3;
            events.push((now, Event::SyncEnd(common::BARRIER)));
        }
    }
    common::write(part, lane, &events);
    now + 1
}

fn record(directory: &Path, program: &[Vec<Vec<Execution>>]) -> Vec<(u64, u64)> {
    let mut expected = Vec::new();
    for (rank, regions) in program.iter().enumerate() {
        let path = directory.join(format!("rank-{rank}.trace"));
        let meta = common::meta(100 + rank as u32, Some(rank as u64));
        let mut part = common::part(&path, &meta);
        let mut now = 0;
        for thread in 0..3 {
            let begin = [
                (0, common::thread_begin(thread)),
                (0, Event::Loop(common::definition(1, 32, "one.c"))),
                (0, Event::Loop(common::definition(2, 64, "two.c"))),
            ];
            common::write(&mut part, thread, &begin);
        }
        common::write(&mut part, 0, &[(0, common::task(0, 0, 1))]);
        for (number, executions) in regions.iter().enumerate() {
            let region = number as u64 + 1;
            common::write(&mut part, 0, &[(now, common::parallel(region))]);
            let ends: Vec<u64> =
                (0..3).map(|thread| lane(&mut part, thread, region, executions, now, &mut expected)).collect();
            let end = ends.into_iter().max().expect("three");
            for thread in 0..3 {
                common::write(&mut part, thread, &[(end, common::task_end(region))]);
            }
            common::write(&mut part, 0, &[(end, Event::ParallelEnd { parallel: region })]);
            now = end + 10;
        }
        common::write(&mut part, 0, &[(now, common::task_end(0))]);
        for thread in 0..3 {
            common::write(&mut part, thread, &[(now, Event::ThreadEnd { thread })]);
        }
        part.finish(1_000 + now).expect("finished");
        let part = ompchunk_trace_format::Part::open(&path).expect("a part");
        assert_eq!(part.check().expect("read").violations, []);
    }
    expected.sort_unstable();
    expected
}

fn export(trace: &Path, format: Format) -> String {
    let (bytes, _) = common::exported(trace, format, &Options::default());
    String::from_utf8(bytes).expect("UTF-8")
}

fn sorted(chunks: impl Iterator<Item = (u64, u64)>) -> Vec<(u64, u64)> {
    let mut chunks: Vec<(u64, u64)> = chunks.collect();
    chunks.sort_unstable();
    chunks
}

fn in_csv(text: &str) -> Vec<(u64, u64)> {
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let rows = reader.deserialize::<BTreeMap<String, String>>();
    sorted(rows.map(|row| {
        let row = row.expect("a row");
        (row["lower"].parse().expect("a number"), row["iterations"].parse().expect("a number"))
    }))
}

fn in_json(text: &str) -> Vec<(u64, u64)> {
    sorted(text.lines().map(|line| {
        let row: serde_json::Value = serde_json::from_str(line).expect("JSON");
        let number = |name: &str| row[name].as_u64().expect("a number");
        (number("lower"), number("iterations"))
    }))
}

fn in_chrome(text: &str) -> Vec<(u64, u64)> {
    let trace: serde_json::Value = serde_json::from_str(text).expect("JSON");
    let events = trace["traceEvents"].as_array().expect("an array");
    let mut depth = BTreeMap::new();
    for event in events {
        let open: &mut i64 = depth.entry((event["pid"].as_u64(), event["tid"].as_u64())).or_default();
        match event["ph"].as_str() {
            Some("B") => *open += 1,
            Some("E") => *open -= 1,
            _ => {}
        }
        assert!(*open >= 0, "an end without a begin");
    }
    assert!(depth.values().all(|open| *open == 0), "a begin without an end");
    let chunks = events.iter().filter(|event| event["cat"] == "chunk");
    sorted(chunks.map(|chunk| {
        let number = |name: &str| match &chunk["args"][name] {
            serde_json::Value::String(text) => text.parse().expect("a number"),
            other => other.as_u64().expect("a number"),
        };
        (number("lower"), number("iterations"))
    }))
}

fn in_graphml(text: &str) -> Vec<(u64, u64)> {
    let ranges = of_key(text, "v_range");
    sorted(ranges.iter().map(|range| {
        let (first, last) = range.split_once("..").expect("a range");
        let (first, last): (u64, u64) = (first.parse().expect("a number"), last.parse().expect("a number"));
        (first, last - first + 1)
    }))
}

/// How many chunks: of regions there are counts, too.
fn in_summary(text: &str) -> usize {
    let nodes = text.split("<node ").skip(1);
    let of_loops = nodes.filter(|node| node.contains("v_loop"));
    let counts = of_loops.flat_map(|node| {
        let node = node.split_once("</node>").expect("an end").0;
        of_key(&format!("<node {node}</node>"), "v_count")
    });
    counts.map(|count| count.parse::<usize>().expect("a number")).sum()
}

fn of_key(text: &str, key: &str) -> Vec<String> {
    let mut reader = quick_xml::Reader::from_str(text);
    let mut is_key = false;
    let mut values = Vec::new();
    loop {
        match reader.read_event().expect("XML") {
            Xml::Start(start) => {
                let found = start.try_get_attribute("key").expect("XML");
                is_key = found.is_some_and(|found| found.value.as_ref() == key.as_bytes());
            }
            Xml::Text(value) if is_key => {
                values.push(value.unescape().expect("XML").into_owned());
                is_key = false;
            }
            Xml::Eof => return values,
            _ => {}
        }
    }
}

/// By Perfetto's schema; `perfetto.rs` looks at everything else.
fn in_perfetto(schema: &DescriptorPool, bytes: &[u8]) -> Vec<(u64, u64)> {
    let trace = schema.get_message_by_name("perfetto.protos.Trace");
    let trace = DynamicMessage::decode(trace.expect("in the schema"), bytes).expect("a trace");
    let field = |of: &DynamicMessage, name: &str| of.get_field_by_name(name).expect("in the schema").into_owned();
    let list = |of: &DynamicMessage, name: &str| -> Vec<DynamicMessage> {
        let items = field(of, name).as_list().expect("repeated").to_vec();
        items.into_iter().filter_map(|value| value.as_message().cloned()).collect()
    };
    let inner = |of: &DynamicMessage, name: &str| field(of, name).as_message().cloned().expect("a message");
    let mut names = BTreeMap::new();
    let mut chunks = Vec::new();
    for packet in list(&trace, "packet") {
        let sequence = field(&packet, "trusted_packet_sequence_id").as_u32();
        for name in list(&inner(&packet, "interned_data"), "debug_annotation_names") {
            let key = (sequence, field(&name, "iid").as_u64());
            names.insert(key, field(&name, "name").as_str().expect("text").to_owned());
        }
        let arguments: BTreeMap<String, Option<u64>> = list(&inner(&packet, "track_event"), "debug_annotations")
            .iter()
            .map(|annotation| {
                let name = &names[&(sequence, field(annotation, "name_iid").as_u64())];
                (name.clone(), field(annotation, "uint_value").as_u64())
            })
            .collect();
        if let (Some(lower), Some(iterations)) = (arguments.get("lower"), arguments.get("iterations")) {
            chunks.push((lower.expect("a number"), iterations.expect("a number")));
        }
    }
    sorted(chunks.into_iter())
}

/// And that it hangs together as the prototype's reader demands.
fn in_task_stats(text: &str) -> Vec<(u64, u64)> {
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let rows: Vec<BTreeMap<String, String>> = reader.deserialize().map(|row| row.expect("a row")).collect();
    let mut joins: BTreeMap<&str, Vec<u64>> = BTreeMap::new();
    let mut children: BTreeMap<&str, usize> = BTreeMap::new();
    for row in &rows {
        joins.entry(&row["parent"]).or_default().push(row["joins_at"].parse().expect("a number"));
        *children.entry(&row["parent"]).or_default() += 1;
    }
    for joins in joins.values_mut() {
        joins.sort_unstable();
        joins.dedup();
        assert!((0..).zip(&*joins).all(|(number, join)| number == *join), "{joins:?}");
    }
    for row in &rows {
        let count = children.get(row["task"].as_str()).copied().unwrap_or(0);
        assert_eq!(row["num_children"], count.to_string());
        assert_eq!(row["leaf"], if count == 0 { "TRUE" } else { "FALSE" });
    }
    let parents = rows.iter().map(|row| row["task"].as_str());
    let known: Vec<&str> = parents.chain(["0"]).collect();
    assert!(joins.keys().all(|parent| known.contains(parent)));
    let chunks = rows.iter().filter_map(|row| row["metadata"].strip_prefix("chunk_"));
    sorted(chunks.map(|range| {
        let (low, high) = range.split_once('_').expect("two numbers");
        let (low, high): (u128, u128) = (low.parse().expect("a number"), high.parse().expect("a number"));
        (low as u64, (high - low) as u64)
    }))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn all_exports_hold_the_chunks_of_the_trace(program in program()) {
        let directory = tempfile::tempdir().expect("a directory");
        let expected = record(directory.path(), &program);
        let of = |format| export(directory.path(), format);
        let (bytes, _) = common::exported(directory.path(), Format::Perfetto, &Options::default());
        prop_assert_eq!(&in_perfetto(&common::perfetto_schema(), &bytes), &expected);
        prop_assert_eq!(&in_chrome(&of(Format::Chrome)), &expected);
        if expected.is_empty() {
            for format in [Format::Csv(Table::Chunks), Format::Json(Table::Chunks), Format::GraphMl, Format::GraphMlSummary, Format::TaskStats] {
                prop_assert!(common::refused(directory.path(), format));
            }
            return Ok(());
        }
        prop_assert_eq!(&in_csv(&of(Format::Csv(Table::Chunks))), &expected);
        prop_assert_eq!(&in_json(&of(Format::Json(Table::Chunks))), &expected);
        prop_assert_eq!(&in_graphml(&of(Format::GraphMl)), &expected);
        prop_assert_eq!(in_summary(&of(Format::GraphMlSummary)), expected.len());
        prop_assert_eq!(&in_task_stats(&of(Format::TaskStats)), &expected);
        let tables = directory.path().join("tables");
        let trace = Trace::open(directory.path()).expect("a trace");
        export_to(&trace, Format::Parquet, &tables, &Options::default()).expect("exported");
        let rows = common::parquet::rows(&tables, "chunks");
        let chunks = rows.iter().map(|row| {
            let number = |name: &str| common::parquet::unsigned(&row[name]);
            (number("lower"), number("iterations"))
        });
        prop_assert_eq!(&sorted(chunks), &expected);
        let loops = of(Format::Json(Table::Loops));
        let total: u64 = loops
            .lines()
            .map(|line| serde_json::from_str::<serde_json::Value>(line).expect("JSON"))
            .map(|row| row["chunks"].as_u64().expect("a number"))
            .sum();
        prop_assert_eq!(total, expected.len() as u64);
    }
}
