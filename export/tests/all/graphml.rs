//! Grain graphs as readers of GraphML see them: keys, types, edges, and the structure that the paper asks for.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use ompchunk_export::{Format, Notice, Options};
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

use crate::common;

#[derive(Debug, Default)]
struct Graph {
    /// Id to name and type.
    keys: HashMap<String, (String, String)>,
    nodes: BTreeMap<String, BTreeMap<String, String>>,
    edges: Vec<(String, String, String)>,
}

impl Graph {
    fn of_type(&self, wanted: &str) -> Vec<&str> {
        let nodes = self.nodes.iter();
        nodes.filter(|(_, data)| data["type"] == wanted).map(|(id, _)| id.as_str()).collect()
    }

    fn with<'g>(&'g self, wanted: &str, key: &str, value: &str) -> &'g BTreeMap<String, String> {
        let is = |data: &&BTreeMap<String, String>| {
            data["type"] == wanted && data.get(key).is_some_and(|found| found == value)
        };
        self.nodes.values().find(is).expect("such a node")
    }
}

fn attribute(of: &BytesStart<'_>, name: &str) -> String {
    let attribute = of.try_get_attribute(name).expect("XML").expect(name);
    attribute.unescape_value().expect("XML").into_owned()
}

/// Reads a graph and checks what every reader relies on.
fn read(xml: &str) -> Graph {
    let mut graph = Graph::default();
    let mut reader = Reader::from_str(xml);
    let mut data = BTreeMap::new();
    let (mut key, mut text) = (String::new(), String::new());
    let mut ends = (String::new(), String::new());
    loop {
        match reader.read_event().expect("well-formed") {
            Event::Start(start) => match start.name().as_ref() {
                b"node" => ends.0 = attribute(&start, "id"),
                b"edge" => ends = (attribute(&start, "source"), attribute(&start, "target")),
                b"data" => (key, text) = (attribute(&start, "key"), String::new()),
                b"graph" => assert_eq!(attribute(&start, "edgedefault"), "directed"),
                b"graphml" => {}
                other => panic!("{}", String::from_utf8_lossy(other)),
            },
            Event::Empty(start) => {
                assert_eq!(start.name().as_ref(), b"key");
                let of_type = attribute(&start, "attr.type");
                assert!(["string", "long", "double", "boolean"].contains(&of_type.as_str()));
                let named = (attribute(&start, "attr.name"), of_type);
                let before = graph.keys.insert(attribute(&start, "id"), named);
                assert_eq!(before, None);
            }
            Event::Text(of) => text += &of.unescape().expect("XML"),
            Event::End(end) => match end.name().as_ref() {
                b"data" => {
                    let (name, of_type) = graph.keys.get(&key).expect("a declared key");
                    match of_type.as_str() {
                        "long" => drop(text.parse::<i64>().expect("a long")),
                        "double" => assert!(text.parse::<f64>().expect("a double").is_finite()),
                        _ => {}
                    }
                    assert_eq!(data.insert(name.clone(), text.clone()), None, "{name} twice");
                }
                b"node" => {
                    let node = std::mem::take(&mut data);
                    assert!(graph.nodes.insert(ends.0.clone(), node).is_none());
                }
                b"edge" => {
                    let edge = std::mem::take(&mut data);
                    let of_type = edge["type"].clone();
                    graph.edges.push((ends.0.clone(), ends.1.clone(), of_type));
                }
                _ => {}
            },
            Event::Eof => break,
            _ => {}
        }
    }
    check(&graph);
    graph
}

/// Every edge's ends exist, there is no cycle, and each process has one source and one sink.
fn check(graph: &Graph) {
    let mut into: HashMap<&str, usize> = graph.nodes.keys().map(|id| (id.as_str(), 0)).collect();
    let mut out: HashMap<&str, Vec<&str>> = HashMap::new();
    let mut seen = BTreeSet::new();
    for (source, target, _) in &graph.edges {
        assert!(graph.nodes.contains_key(source) && graph.nodes.contains_key(target));
        assert!(seen.insert((source, target)), "an edge twice");
        *into.get_mut(target.as_str()).expect("a node") += 1;
        out.entry(source).or_default().push(target);
    }
    let is = |id: &str, of_type: &str| graph.nodes[id]["type"] == of_type;
    for id in graph.nodes.keys() {
        assert_eq!(into[id.as_str()] == 0, is(id, "start"), "{id}: {:?}", graph.nodes[id]);
        assert_eq!(!out.contains_key(id.as_str()), is(id, "end"), "{id}");
    }
    let mut ready: Vec<&str> = graph.of_type("start");
    let mut sorted = 0;
    while let Some(id) = ready.pop() {
        sorted += 1;
        for target in out.get(id).into_iter().flatten() {
            let left = into.get_mut(target).expect("a node");
            *left -= 1;
            if *left == 0 {
                ready.push(target);
            }
        }
    }
    assert_eq!(sorted, graph.nodes.len(), "a cycle");
}

#[test]
fn forks_joins_and_chunks() {
    let directory = tempfile::tempdir().expect("a directory");
    let trace = common::two_threads(directory.path());
    let graph = read(&common::text(&trace, Format::GraphMl));
    assert_eq!(graph.of_type("chunk").len(), 8);
    // Where bookkeeping was measured.
    assert_eq!(graph.of_type("bookkeeping").len(), 6);
    // The outer region has two phases, one on each side of the barrier; the inner one has one.
    assert_eq!(graph.of_type("fork").len(), 3);
    assert_eq!(graph.of_type("join").len(), 3);
    // 2 ticks are a nanosecond. From 130 to 230, 20 of them bookkeeping for the next: 80 ticks.
    let chunk = graph.with("chunk", "values", "-8..-2");
    assert_eq!(chunk["exec_ns"], "40");
    assert_eq!(chunk["creation_ns"], "5");
    assert_eq!(chunk["parallel_benefit"], "8");
    // 80, 30 and 40 ticks on one thread, 150 and 60 on the other.
    assert_eq!(chunk["load_balance"], (150.0 * 5.0 / 360.0).to_string());
    assert_eq!(chunk["load_balance_threads"], (210.0 * 2.0 / 360.0).to_string());
    // The longest of them is more than twice the mean.
    assert_eq!((chunk["problems"].as_str(), chunk["color"].as_str()), ("load_balance", "#FF0000"));
    assert_eq!((chunk["file"].as_str(), chunk["line"].as_str()), ("src/a \"b\", <c>&.c", "17"));
    // The region inside took 70 of its 100 ticks.
    let around = graph.with("chunk", "range", "0..1099511627775");
    assert_eq!(around["exec_ns"], "15");
    assert!(!around.contains_key("parallel_benefit"), "not measured");
    assert!(!around.contains_key("problems"), "{around:?}");
    assert_eq!(around["color"], "#4682B4");
    // What a long cannot hold is in the text alone.
    let unsigned = graph.with("chunk", "range", "18446744073709551608..18446744073709551615");
    assert!(!unsigned.contains_key("lower"));
}

/// Work is compared with that of the same chunk, whatever thread it ran on and whatever its numbers are.
#[test]
fn work_deviates_from_a_run_with_one_thread() {
    let directory = tempfile::tempdir().expect("a directory");
    let trace = common::two_threads(directory.path());
    let options = |reference| Options { reference: Some(reference), ..Options::default() };
    let reference = common::one_thread(directory.path());
    let (xml, notices) = common::exported(&trace, Format::GraphMl, &options(reference.clone()));
    let missing = Notice::NotInReference { chunks: 1, of: 8 };
    assert_eq!(notices, std::slice::from_ref(&missing));
    let graph = read(&String::from_utf8(xml).expect("UTF-8"));
    // Ticks here over the ten there; of the chunk with a region inside, 20 of its 30 are the region's there. The
    // first loop as a whole is not the same, since a chunk is missing there.
    for (values, chunk, whole) in [
        ("-8..-2", Some("8"), None),
        ("0..6", Some("15"), None),
        ("8..14", Some("3"), None),
        ("16..22", Some("6"), None),
        ("24..26", None, None),
        ("0..15", Some("2"), Some("2")),
        ("18446744073709551615..18446742974197923840", Some("3"), Some("3.5")),
        ("7..0", Some("4"), Some("3.5")),
    ] {
        let node = graph.with("chunk", "values", values);
        let found = ["work_deviation", "work_deviation_loop"].map(|key| node.get(key).map(String::as_str));
        assert_eq!(found, [chunk, whole], "{values}");
    }
    let (table, notices) = common::exported(&trace, Format::TaskStats, &options(reference));
    assert_eq!(notices, [missing]);
    let mut rows = csv::Reader::from_reader(&table[..]);
    let mut column = |name| rows.headers().expect("names").iter().position(|header| header == name);
    let [tag, of] = ["tag", "work_deviation"].map(|name| column(name).expect(name));
    let rows: Vec<csv::StringRecord> = rows.into_records().map(|row| row.expect("a row")).collect();
    let chunks = rows.iter().filter(|row| &row[tag] == "chunk_task");
    let mut found: Vec<&str> = chunks.map(|row| &row[of]).collect();
    found.sort_unstable();
    assert_eq!(found, ["15.0", "2.0", "3.0", "3.0", "4.0", "6.0", "8.0", "NA"]);
    // A run is its own measure, but not one of one thread.
    let (xml, notices) = common::exported(&trace, Format::GraphMl, &options(trace.clone()));
    assert_eq!(notices, [Notice::ParallelReference { threads: 2 }]);
    let graph = read(&String::from_utf8(xml).expect("UTF-8"));
    for id in graph.of_type("chunk") {
        assert_eq!(graph.nodes[id]["work_deviation"], "1");
        assert_eq!(graph.nodes[id]["work_deviation_loop"], "1");
    }
}

#[test]
fn a_cut_trace_has_a_whole_graph() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("pid-7.trace");
    let mut part = common::part(&path, &common::meta(7, None));
    let events = [
        (0, common::thread_begin(0)),
        (0, common::task(0, 0, 1)),
        (0, ompchunk_trace_format::Event::Loop(common::definition(1, 32, "a\u{1}\u{7}.c"))),
        (10, common::parallel(1)),
        (11, common::task(1, 0, 2)),
        (12, common::begin(1, 0, 1)),
        (13, common::chunk(0, 4, 5)),
        (20, common::chunk(4, 4, 5)),
    ];
    common::write(&mut part, 0, &events);
    part.abandon().expect("written");
    let (xml, notices) = common::exported(&path, Format::GraphMl, &Options::default());
    assert!(matches!(notices[..], [Notice::Cut { .. }]), "{notices:?}");
    let graph = read(&String::from_utf8(xml).expect("UTF-8"));
    let whole = graph.with("chunk", "range", "0..3");
    assert_eq!((whole["exec_ns"].as_str(), whole["file"].as_str()), ("1", "a\u{fffd}\u{fffd}.c"));
    let cut = graph.with("chunk", "range", "4..7");
    for unknown in ["exec_ns", "parallel_benefit", "load_balance", "load_balance_threads"] {
        assert!(!cut.contains_key(unknown), "{unknown}");
    }
}

#[test]
fn without_any_event_there_is_a_start_and_an_end() {
    let directory = tempfile::tempdir().expect("a directory");
    let part = |pid: u32| {
        let path = directory.path().join(format!("pid-{pid}.trace"));
        common::part(&path, &common::meta(pid, None))
    };
    part(7).finish(2_000).expect("finished");
    // Beside one with a chunk: without any there is no graph.
    let mut other = part(8);
    let events = [
        (0, common::thread_begin(0)),
        (0, common::task(0, 0, 1)),
        (0, ompchunk_trace_format::Event::Loop(common::definition(1, 32, "a.c"))),
        (1, common::begin(1, 0, 1)),
        (2, common::chunk(0, 1, 0)),
        (9, common::end(1)),
        (9, common::task_end(0)),
    ];
    common::write(&mut other, 0, &events);
    other.finish(2_000).expect("finished");
    let (xml, notices) = common::exported(directory.path(), Format::GraphMl, &Options::default());
    assert_eq!(notices, []);
    let graph = read(&String::from_utf8(xml).expect("UTF-8"));
    assert_eq!((graph.nodes.len(), graph.edges.len()), (5, 3));
}
