//! The grain graph as GraphML. Keys `color`, `shape`, `width`, `height`, `label` and `type` are those of
//! the authors' prototype, so that its styles for yEd and Cytoscape fit.

use std::collections::HashMap;
use std::io;

use quick_xml::Writer;
use quick_xml::events::{BytesDecl, BytesEnd, BytesStart, BytesText, Event};

use super::metric::{self, Balance};
use super::model::{self, Context, Draw};
use super::reference::Reference;
use super::region::{Execution, Grain, Item, Region};
use crate::error::Error;
use crate::notice::{Notice, Notices};
use crate::output::Output;
use crate::process::Process;
use crate::site::Site;

/// Viewers lay out that many nodes with patience.
const LARGE: u64 = 100_000;

/// Every key: its name, whether of edges, its type.
const KEYS: [(&str, bool, &str); 33] = [
    ("type", false, "string"),
    ("label", false, "string"),
    ("part", false, "string"),
    ("rank", false, "long"),
    ("thread", false, "long"),
    ("region", false, "long"),
    ("threads", false, "long"),
    ("loop", false, "long"),
    ("execution", false, "long"),
    ("file", false, "string"),
    ("line", false, "long"),
    ("function", false, "string"),
    ("schedule", false, "string"),
    ("range", false, "string"),
    ("lower", false, "long"),
    ("iterations", false, "long"),
    ("values", false, "string"),
    ("first", false, "long"),
    ("last", false, "long"),
    ("start_ns", false, "double"),
    ("exec_ns", false, "double"),
    ("creation_ns", false, "double"),
    ("parallel_benefit", false, "double"),
    ("load_balance", false, "double"),
    ("load_balance_threads", false, "double"),
    ("work_deviation", false, "double"),
    ("work_deviation_loop", false, "double"),
    ("color", false, "string"),
    ("shape", false, "string"),
    ("width", false, "double"),
    ("height", false, "double"),
    ("type", true, "string"),
    ("color", true, "string"),
];

/// Writes all processes into one graph.
pub(crate) fn write(
    processes: &[Process<'_>],
    reference: &mut Option<Reference>,
    to: Output,
    notices: &mut Notices,
) -> Result<(), Error> {
    let mut graph = Graph {
        to: Writer::new_with_indent(to, b' ', 1),
        nodes: 0,
        roots: HashMap::new(),
        start: None,
        reference,
    };
    graph.open();
    for process in processes {
        graph.roots.clear();
        graph.start = None;
        let start = graph.node(process, Kind::Start, &mut Vec::new());
        graph.start = Some(start);
        let roots = model::read(process, &mut graph, notices)?;
        graph.end(process, roots);
        if graph.to.get_ref().has_failed() {
            break;
        }
    }
    graph.close();
    if graph.nodes > LARGE {
        notices.list.push(Notice::LargeGraph { nodes: graph.nodes });
    }
    graph.to.into_inner().finish()
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Start,
    End,
    Fork,
    Join,
    Bookkeeping,
    Chunk,
}

impl Kind {
    /// Type, color, shape, size.
    fn looks(self) -> (&'static str, &'static str, &'static str, &'static str) {
        match self {
            Kind::Start => ("start", "#DEB887", "rectangle", "15"),
            Kind::End => ("end", "#DEB887", "rectangle", "15"),
            Kind::Fork => ("fork", "#2E8B57", "circle", "10"),
            Kind::Join => ("join", "#FF7F50", "circle", "10"),
            Kind::Bookkeeping => ("bookkeeping", "#C0C0C0", "rectangle", "10"),
            Kind::Chunk => ("chunk", "#4682B4", "rectangle", "30"),
        }
    }
}

/// A node that something may follow.
#[derive(Debug, Clone, Copy)]
struct Node {
    number: u64,
    kind: Kind,
}

type Data = Vec<(&'static str, String)>;

struct Graph<'r> {
    to: Writer<Output>,
    nodes: u64,
    /// Where each initial task of the process has got to.
    roots: HashMap<usize, Node>,
    start: Option<Node>,
    reference: &'r mut Option<Reference>,
}

impl Draw for Graph<'_> {
    fn has_failed(&self) -> bool {
        self.to.get_ref().has_failed()
    }

    fn item(&mut self, context: &Context<'_, '_>, root: usize, item: Item) {
        if let Some(from) = self.roots.get(&root).copied().or(self.start) {
            let to = self.draw(context, from, &item, 0, Balance::default());
            self.roots.insert(root, to);
        }
    }
}

impl Graph<'_> {
    fn draw(
        &mut self,
        context: &Context<'_, '_>,
        from: Node,
        item: &Item,
        region: u64,
        balance: Balance,
    ) -> Node {
        match item {
            Item::Grain(grain) => self.grain(context, from, grain, region, balance),
            Item::Region(id) => match context.inside.get(id) {
                Some(region) => self.region(context, from, region),
                None => from,
            },
            Item::Barrier => from,
        }
    }

    fn grain(
        &mut self,
        context: &Context<'_, '_>,
        from: Node,
        grain: &Grain,
        region: u64,
        balance: Balance,
    ) -> Node {
        let process = context.process;
        let site = context.sites.get(grain.execution.0);
        let mut data = of_execution(grain, region, site);
        let creation = (grain.creation > 0).then(|| process.duration(grain.creation));
        let mut before = from;
        if creation.is_some() {
            let mut bookkeeping = data.clone();
            bookkeeping.extend(double("exec_ns", creation));
            before = self.node(process, Kind::Bookkeeping, &mut bookkeeping);
            self.edge(from, before);
        }
        if let Some(site) = site.filter(|site| site.instrumented) {
            data.push(("schedule", site.clause.clone()));
        }
        data.extend(range(grain));
        let ns = |ticks| process.duration(ticks);
        let reference = self.reference.as_mut();
        let deviation = reference.map(|reference| reference.deviation(process, grain, &balance));
        let deviation = deviation.unwrap_or_default();
        let metrics = [
            ("start_ns", Some(process.ns(grain.begin))),
            ("exec_ns", grain.ticks.map(ns)),
            ("creation_ns", creation),
            ("parallel_benefit", metric::parallel_benefit(grain)),
            ("load_balance", balance.chunks),
            ("load_balance_threads", balance.threads),
            ("work_deviation", deviation.chunk),
            ("work_deviation_loop", deviation.execution),
        ];
        data.extend(
            metrics
                .into_iter()
                .filter_map(|(name, value)| double(name, value)),
        );
        let node = self.node(process, Kind::Chunk, &mut data);
        self.edge(before, node);
        let regions = grain.regions.iter().filter_map(|id| context.inside.get(id));
        regions.fold(node, |from, region| self.region(context, from, region))
    }

    /// Between two barriers of the team: a fork, what each thread does, a join.
    fn region(&mut self, context: &Context<'_, '_>, from: Node, region: &Region) -> Node {
        let balances = metric::balances(region);
        let is_barrier = |item: &Item| matches!(item, Item::Barrier);
        let tasks = region.tasks.iter();
        let phases = tasks.map(|task| task.items.split(is_barrier).collect());
        let phases: Vec<Vec<&[Item]>> = phases.collect();
        let most = phases.iter().map(Vec::len).max().unwrap_or(0);
        let mut drawn = None;
        for phase in 0..most {
            let threads = phases.iter().filter_map(|task| task.get(phase));
            let busy: Vec<&[Item]> = threads.copied().filter(|items| !items.is_empty()).collect();
            if !busy.is_empty() {
                let before = drawn.unwrap_or(from);
                drawn = Some(self.phase(context, before, region, &busy, &balances));
            }
        }
        drawn.unwrap_or_else(|| self.phase(context, from, region, &[], &balances))
    }

    fn phase(
        &mut self,
        context: &Context<'_, '_>,
        from: Node,
        region: &Region,
        busy: &[&[Item]],
        balances: &HashMap<Execution, Balance>,
    ) -> Node {
        let process = context.process;
        let mut data: Data = vec![("start_ns", process.ns(region.begin).to_string())];
        data.push(("threads", region.threads.to_string()));
        data.extend(long("region", region.id));
        if let Some(code) = context.sites.code(region.code) {
            data.push(("function", code.function.clone()));
        }
        let fork = self.node(process, Kind::Fork, &mut data);
        self.edge(from, fork);
        let mut last = Vec::new();
        for items in busy {
            let end = items.iter().fold(fork, |from, item| {
                let balance = match item {
                    Item::Grain(grain) => balances.get(&grain.execution).copied(),
                    _ => None,
                };
                self.draw(context, from, item, region.id, balance.unwrap_or_default())
            });
            last.push(end);
        }
        let mut data = Data::new();
        data.extend(long("region", region.id));
        let join = self.node(process, Kind::Join, &mut data);
        if last.is_empty() {
            last.push(fork);
        }
        last.into_iter().for_each(|from| self.edge(from, join));
        join
    }

    fn end(&mut self, process: &Process<'_>, roots: usize) {
        let drawn = (0..roots).filter_map(|root| self.roots.get(&root).copied());
        let mut last: Vec<Node> = drawn.collect();
        if last.is_empty() {
            last.extend(self.start);
        }
        let end = self.node(process, Kind::End, &mut Vec::new());
        last.into_iter().for_each(|from| self.edge(from, end));
    }

    fn node(&mut self, process: &Process<'_>, kind: Kind, data: &mut Data) -> Node {
        let number = self.nodes;
        self.nodes += 1;
        let (name, color, shape, size) = kind.looks();
        data.push(("type", name.to_owned()));
        data.push(("part", process.name.clone()));
        data.extend(process.part.meta().rank.and_then(|rank| long("rank", rank)));
        let looks = [color, shape, size, size].map(str::to_owned);
        data.extend(["color", "shape", "width", "height"].into_iter().zip(looks));
        let id = format!("n{number}");
        self.element("node", &[("id", &id)], "v_", data);
        Node { number, kind }
    }

    fn edge(&mut self, from: Node, to: Node) {
        let (kind, color) = match (from.kind, to.kind) {
            (_, Kind::Join) => ("sync", "#FF7F50"),
            (Kind::Fork, _) => ("create", "#2E8B57"),
            (Kind::Start | Kind::Chunk, Kind::Fork) => ("scope", "#000000"),
            _ => ("continue", "#000000"),
        };
        let (source, target) = (format!("n{}", from.number), format!("n{}", to.number));
        let data = [("type", kind.to_owned()), ("color", color.to_owned())];
        let ends = [("source", &*source), ("target", &*target)];
        self.element("edge", &ends, "e_", &data);
    }

    fn element(
        &mut self,
        name: &str,
        attributes: &[(&str, &str)],
        prefix: &str,
        data: &[(&'static str, String)],
    ) {
        let element = self.to.create_element(name);
        let element = element.with_attributes(attributes.iter().copied());
        // An output remembers its failures.
        let _ = element.write_inner_content(|to| {
            for (key, value) in data {
                let key = format!("{prefix}{key}");
                let element = to.create_element("data").with_attribute(("key", &*key));
                element.write_text_content(BytesText::new(&allowed(value)))?;
            }
            Ok::<(), io::Error>(())
        });
    }

    fn open(&mut self) {
        self.event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)));
        let mut graphml = BytesStart::new("graphml");
        graphml.push_attribute(("xmlns", "http://graphml.graphdrawing.org/xmlns"));
        graphml.push_attribute(("xmlns:xsi", "http://www.w3.org/2001/XMLSchema-instance"));
        graphml.push_attribute((
            "xsi:schemaLocation",
            "http://graphml.graphdrawing.org/xmlns http://graphml.graphdrawing.org/xmlns/1.0/graphml.xsd",
        ));
        self.event(Event::Start(graphml));
        for (name, of_edges, of_type) in KEYS {
            let (prefix, of) = [("v_", "node"), ("e_", "edge")][usize::from(of_edges)];
            let id = format!("{prefix}{name}");
            let attributes = [
                ("id", &*id),
                ("for", of),
                ("attr.name", name),
                ("attr.type", of_type),
            ];
            let key = self.to.create_element("key").with_attributes(attributes);
            let _ = key.write_empty();
        }
        let mut graph = BytesStart::new("graph");
        graph.push_attribute(("id", "grains"));
        graph.push_attribute(("edgedefault", "directed"));
        self.event(Event::Start(graph));
    }

    fn close(&mut self) {
        self.event(Event::End(BytesEnd::new("graph")));
        self.event(Event::End(BytesEnd::new("graphml")));
    }

    fn event(&mut self, event: Event<'_>) {
        // An output remembers its failures.
        let _ = self.to.write_event(event);
    }
}

/// What the nodes of a chunk have in common.
fn of_execution(grain: &Grain, region: u64, site: Option<&Site>) -> Data {
    let mut data: Data = vec![
        ("thread", grain.thread.to_string()),
        ("loop", grain.execution.0.to_string()),
        ("execution", grain.execution.1.to_string()),
    ];
    data.extend(long("region", region));
    if let Some(site) = site {
        data.push(("function", site.function.clone()));
        if !site.file.is_empty() {
            data.push(("file", site.file.clone()));
            data.push(("line", site.line.to_string()));
        }
    }
    data
}

/// A chunk's iterations, and the user's values.
fn range(grain: &Grain) -> Data {
    let last = grain.lower.wrapping_add(grain.iterations.saturating_sub(1));
    let range = format!("{}..{last}", grain.lower);
    let mut data = Data::new();
    data.extend(long("lower", grain.lower));
    data.extend(long("iterations", grain.iterations));
    if let Some(variable) = grain.variable {
        let (first, last) = variable.range(grain.lower, grain.iterations);
        data.push(("values", format!("{first}..{last}")));
        if i64::try_from(first).is_ok() && i64::try_from(last).is_ok() {
            data.push(("first", first.to_string()));
            data.push(("last", last.to_string()));
        }
    }
    data.push(("label", range.clone()));
    data.push(("range", range));
    data
}

/// A GraphML `long` is signed; what does not fit is left out.
fn long(name: &'static str, value: u64) -> Option<(&'static str, String)> {
    i64::try_from(value)
        .is_ok()
        .then(|| (name, value.to_string()))
}

fn double(name: &'static str, value: Option<f64>) -> Option<(&'static str, String)> {
    value.map(|value| (name, value.to_string()))
}

/// XML has no way to write most control characters.
fn allowed(text: &str) -> String {
    text.chars()
        .map(|c| match c {
            '\t' | '\n' | '\r' => c,
            '\0'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => '\u{fffd}',
            c => c,
        })
        .collect()
}
