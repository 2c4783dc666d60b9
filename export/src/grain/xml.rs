//! Nodes and edges as GraphML. Keys `color`, `shape`, `width`, `height`, `label` and `type` are those of the authors' prototype, so that its
//! styles for yEd and Cytoscape fit.

use std::collections::HashMap;
use std::io;

use quick_xml::Writer;
use quick_xml::events::{BytesDecl, BytesEnd, BytesStart, BytesText, Event};

use super::dag::graph::Kind as EdgeKind;
use super::metric::{Balance, parallel_benefit};
use super::reference::Reference;
use super::region::Grain;
use crate::output::Output;
use crate::process::Process;
use crate::site::Site;

/// Colour of edges on the longest path.
const CRITICAL: &str = "#FF0000";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Start,
    End,
    Fork,
    Join,
    Bookkeeping,
    Chunk,
    Task,
    Implicit,
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
            Kind::Task => ("task", "#6A5ACD", "rectangle", "30"),
            Kind::Implicit => ("implicit", "#D3D3D3", "rectangle", "15"),
        }
    }
}

/// A node that something may follow.
#[derive(Debug, Clone, Copy)]
pub(super) struct Node {
    pub(super) number: u64,
    pub(super) kind: Kind,
}

pub(super) type Data = Vec<(&'static str, String)>;

pub(super) struct Graph<'r> {
    pub(super) to: Writer<Output>,
    pub(super) nodes: u64,
    /// Where each initial task of the process has got to.
    pub(super) roots: HashMap<usize, Node>,
    pub(super) start: Option<Node>,
    pub(super) reference: &'r mut Option<Reference>,
    /// A larger scatter is a problem.
    pub(super) scatter_limit: Option<u32>,
}

impl Graph<'_> {
    pub(super) fn node(&mut self, process: &Process<'_>, kind: Kind, data: &mut Data) -> Node {
        let number = self.nodes;
        self.nodes += 1;
        let (name, mut color, shape, size) = kind.looks();
        if let Some(problems) = problems(data, self.scatter_limit) {
            data.push(("problems", problems));
            color = COLOR;
        }
        data.push(("type", name.to_owned()));
        data.push(("part", process.name.clone()));
        data.extend(process.part.meta().rank.and_then(|rank| long("rank", rank)));
        let looks = [color, shape, size, size].map(str::to_owned);
        data.extend(["color", "shape", "width", "height"].into_iter().zip(looks));
        let id = format!("n{number}");
        self.element("node", &[("id", &id)], "v_", data);
        Node { number, kind }
    }

    pub(super) fn edge(&mut self, from: Node, to: Node) {
        let kind = match (from.kind, to.kind) {
            (_, Kind::Join) => EdgeKind::Sync,
            (Kind::Fork, _) => EdgeKind::Create,
            (Kind::Start | Kind::Chunk, Kind::Fork) => EdgeKind::Scope,
            _ => EdgeKind::Continue,
        };
        self.edge_as(from.number, to.number, kind, false);
    }

    pub(super) fn edge_as(&mut self, from: u64, to: u64, kind: EdgeKind, is_critical: bool) {
        let (name, color) = match kind {
            EdgeKind::Create => ("create", "#2E8B57"),
            EdgeKind::Continue => ("continue", "#000000"),
            EdgeKind::Sync => ("sync", "#FF7F50"),
            EdgeKind::Scope => ("scope", "#000000"),
            EdgeKind::Depend => ("depend", "#8B008B"),
        };
        let color = if is_critical { CRITICAL } else { color };
        let (source, target) = (format!("n{from}"), format!("n{to}"));
        let data = [("type", name.to_owned()), ("color", color.to_owned())];
        let ends = [("source", &*source), ("target", &*target)];
        self.element("edge", &ends, "e_", &data);
    }

    fn element(&mut self, name: &str, attributes: &[(&str, &str)], prefix: &str, data: &[(&'static str, String)]) {
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

    pub(super) fn open(&mut self) {
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
            let attributes = [("id", &*id), ("for", of), ("attr.name", name), ("attr.type", of_type)];
            let key = self.to.create_element("key").with_attributes(attributes);
            let _ = key.write_empty();
        }
        let mut graph = BytesStart::new("graph");
        graph.push_attribute(("id", "grains"));
        graph.push_attribute(("edgedefault", "directed"));
        self.event(Event::Start(graph));
    }

    pub(super) fn close(&mut self) {
        self.event(Event::End(BytesEnd::new("graph")));
        self.event(Event::End(BytesEnd::new("graphml")));
    }

    fn event(&mut self, event: Event<'_>) {
        // An output remembers its failures.
        let _ = self.to.write_event(event);
    }
}

pub(super) fn of_chunk(grain: &Grain, region: u64, site: Option<&Site>) -> Data {
    let mut data = of_execution(grain, region, site);
    if let Some(site) = site.filter(|site| site.instrumented) {
        data.push(("schedule", site.clause.clone()));
    }
    data.extend(range(grain));
    data
}

/// How good it is, also beside a `reference`, which counts whether it has it.
pub(super) fn metrics(
    process: &Process<'_>,
    grain: &Grain,
    balance: &Balance,
    reference: Option<&mut Reference>,
) -> Data {
    let deviation = reference.map(|reference| reference.deviation(process, grain, balance));
    let deviation = deviation.unwrap_or_default();
    let metrics = [
        ("creation_ns", creation(process, grain)),
        ("parallel_benefit", parallel_benefit(grain)),
        ("load_balance", balance.chunks),
        ("load_balance_threads", balance.threads),
        ("scatter", balance.scatter),
        ("work_deviation", deviation.chunk),
        ("work_deviation_loop", deviation.execution),
    ];
    let known = metrics.into_iter();
    known.filter_map(|(name, value)| double(name, value)).collect()
}

/// What the bookkeeping before it took, if that was timed.
pub(super) fn creation(process: &Process<'_>, grain: &Grain) -> Option<f64> {
    (grain.creation > 0).then(|| process.duration(grain.creation))
}

/// What the nodes of a chunk have in common.
pub(super) fn of_execution(grain: &Grain, region: u64, site: Option<&Site>) -> Data {
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

/// The processor that it began on, where that is told.
pub(super) fn cpu(number: Option<u32>) -> Option<(&'static str, String)> {
    number.map(|number| ("cpu", number.to_string()))
}

/// A GraphML `long` is signed; what does not fit is left out.
pub(super) fn long(name: &'static str, value: u64) -> Option<(&'static str, String)> {
    i64::try_from(value).is_ok().then(|| (name, value.to_string()))
}

pub(super) fn double(name: &'static str, value: Option<f64>) -> Option<(&'static str, String)> {
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

/// Every key: its name, whether of edges, its type.
pub(super) const KEYS: [(&str, bool, &str); 54] = [
    ("type", false, "string"),
    ("label", false, "string"),
    ("part", false, "string"),
    ("rank", false, "long"),
    ("thread", false, "long"),
    ("cpu", false, "long"),
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
    ("scatter", false, "double"),
    ("work_deviation", false, "double"),
    ("work_deviation_loop", false, "double"),
    ("task", false, "long"),
    ("parent", false, "long"),
    ("child", false, "long"),
    ("fragment", false, "long"),
    ("depth", false, "long"),
    ("creator", false, "boolean"),
    ("construct", false, "string"),
    ("task_ns", false, "double"),
    ("sync_ns", false, "double"),
    ("inst_parallelism", false, "double"),
    ("critical_path", false, "boolean"),
    ("critical_path_ns", false, "double"),
    ("work_ns", false, "double"),
    ("problems", false, "string"),
    ("count", false, "long"),
    ("unfinished", false, "long"),
    ("mean_ns", false, "double"),
    ("min_ns", false, "double"),
    ("max_ns", false, "double"),
    ("color", false, "string"),
    ("shape", false, "string"),
    ("width", false, "double"),
    ("height", false, "double"),
    ("type", true, "string"),
    ("color", true, "string"),
];

/// What grains beyond the thresholds of the authors' prototype (its `grain-problems.cfg`) are drawn in, as there.
pub(super) const COLOR: &str = "#FF0000";

enum Limit {
    AtLeast(f64),
    AtMost(f64),
}

/// Thresholds of metrics that a trace has, but for scatter's, which depends on the machine. That of instantaneous parallelism is for a median, and a node has the mean.
const LIMITS: [(&str, Limit); 4] = [
    ("parallel_benefit", Limit::AtLeast(1.0)),
    ("load_balance", Limit::AtMost(2.0)),
    ("load_balance_threads", Limit::AtMost(2.0)),
    ("work_deviation", Limit::AtMost(2.0)),
];

/// The metrics of a node that are beyond their thresholds, that of scatter among them if one is given; `None`: none is.
pub(super) fn problems(data: &[(&'static str, String)], scatter: Option<u32>) -> Option<String> {
    let of_machine = scatter.map(|most| ("scatter", Limit::AtMost(most.into())));
    let is_beyond = |name: &str, value: &str| {
        let mut limits = LIMITS.iter().chain(&of_machine);
        limits.find(|(metric, _)| *metric == name).zip(value.parse::<f64>().ok()).is_some_and(|((_, limit), value)| {
            match limit {
                Limit::AtLeast(least) => value < *least,
                Limit::AtMost(most) => value > *most,
            }
        })
    };
    let beyond = data.iter().filter(|(name, value)| is_beyond(name, value));
    let names: Vec<&str> = beyond.map(|(name, _)| *name).collect();
    (!names.is_empty()).then(|| names.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_beyond() {
        let of = |values: &[(&'static str, &str)]| {
            let data = values.iter().map(|(name, value)| (*name, (*value).to_owned()));
            problems(&data.collect::<Vec<_>>(), None)
        };
        assert_eq!(of(&[("parallel_benefit", "1"), ("load_balance", "2")]), None);
        assert_eq!(of(&[("exec_ns", "0.5"), ("label", "3")]), None);
        let two = of(&[("parallel_benefit", "0.99"), ("work_deviation", "2.01")]);
        assert_eq!(two.as_deref(), Some("parallel_benefit work_deviation"));
    }

    #[test]
    fn scatter_is_beyond_what_is_given() {
        let data = [("scatter", "8.5".to_owned())];
        assert_eq!(problems(&data, None), None);
        assert_eq!(problems(&data, Some(9)), None);
        assert_eq!(problems(&data, Some(8)).as_deref(), Some("scatter"));
        assert_eq!(problems(&[("scatter", "8".to_owned())], Some(8)), None);
    }
}
