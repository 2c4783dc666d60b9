//! Nodes and edges as GraphML. Keys `color`, `shape`, `width`, `height`, `label` and `type` are those of the authors' prototype, so that its
//! styles for yEd and Cytoscape fit.

use std::collections::HashMap;
use std::io;

use ompchunk_trace_format::At;
use quick_xml::Writer;
use quick_xml::events::{BytesDecl, BytesEnd, BytesStart, BytesText, Event};

use super::dag::graph::Kind as EdgeKind;
use super::metric::{Balance, parallel_benefit};
use super::reference::Reference;
use super::region::Grain;
use crate::notice::{Notice, Notices};
use crate::output::Output;
use crate::process::Process;
use crate::site::Site;

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

#[derive(Debug, Clone, Copy)]
pub(super) struct Node {
    pub(super) number: u64,
    pub(super) kind: Kind,
}

#[derive(Default)]
pub(super) struct Data(Vec<(&'static str, String)>);

impl Data {
    pub(super) fn put(&mut self, name: &'static str, value: impl ToString) {
        self.0.push((name, value.to_string()));
    }

    pub(super) fn known(&mut self, name: &'static str, value: Option<impl ToString>) {
        self.0.extend(value.map(|value| (name, value.to_string())));
    }

    /// A GraphML `long` is signed; what does not fit is left out.
    pub(super) fn long(&mut self, name: &'static str, value: u64) {
        self.known(name, i64::try_from(value).ok());
    }

    /// Where it began, as far as that was recorded.
    pub(super) fn place(&mut self, at: At) {
        self.known("cpu", at.cpu);
    }

    pub(super) fn balance(&mut self, balance: &Balance) {
        self.known("load_balance", balance.chunks);
        self.known("load_balance_threads", balance.threads);
        self.known("scatter", balance.scatter);
    }

    pub(super) fn site(&mut self, site: &Site) {
        self.put("function", &site.function);
        if !site.file.is_empty() {
            self.put("file", &site.file);
            self.put("line", site.line);
        }
    }

    pub(super) fn of_execution(grain: &Grain, region: u64, site: Option<&Site>) -> Data {
        let mut data = Data::default();
        data.put("thread", grain.at.thread);
        data.put("loop", grain.execution.0);
        data.put("execution", grain.execution.1);
        data.long("region", region);
        if let Some(site) = site {
            data.site(site);
        }
        data
    }

    pub(super) fn of_chunk(grain: &Grain, region: u64, site: Option<&Site>) -> Data {
        let mut data = Data::of_execution(grain, region, site);
        data.known("schedule", site.filter(|site| site.instrumented).map(|site| &site.clause));
        data.long("lower", grain.lower);
        data.long("iterations", grain.iterations);
        if let Some(variable) = grain.variable {
            let (first, last) = variable.range(grain.lower, grain.iterations);
            data.put("values", format!("{first}..{last}"));
            if i64::try_from(first).is_ok() && i64::try_from(last).is_ok() {
                data.put("first", first);
                data.put("last", last);
            }
        }
        let last = grain.lower.wrapping_add(grain.iterations.saturating_sub(1));
        let range = format!("{}..{last}", grain.lower);
        data.put("label", &range);
        data.put("range", range);
        data
    }

    /// How good a chunk is, also beside a `reference`, which counts whether it has it.
    pub(super) fn metrics(
        &mut self,
        process: &Process<'_>,
        grain: &Grain,
        balance: &Balance,
        reference: Option<&mut Reference>,
    ) {
        let deviation = reference.map(|reference| reference.deviation(process, grain, balance));
        let deviation = deviation.unwrap_or_default();
        self.known("creation_ns", creation(process, grain));
        self.known("parallel_benefit", parallel_benefit(grain));
        self.balance(balance);
        self.known("work_deviation", deviation.chunk);
        self.known("work_deviation_loop", deviation.execution);
    }
}

pub(super) fn creation(process: &Process<'_>, grain: &Grain) -> Option<f64> {
    (grain.creation > 0).then(|| process.duration(grain.creation))
}

pub(super) struct Graph<'r> {
    pub(super) to: Writer<Output>,
    pub(super) nodes: u64,
    pub(super) roots: HashMap<usize, Node>,
    pub(super) start: Option<Node>,
    pub(super) reference: &'r mut Option<Reference>,
    /// Further metrics, which are problems above this.
    pub(super) limits: &'r [(&'static str, u32)],
}

impl Graph<'_> {
    /// The first node of a process.
    pub(super) fn start(&mut self, process: &Process<'_>, notices: &mut Notices) -> Node {
        self.roots.clear();
        let needs_processors = self.limits.iter().any(|(metric, _)| *metric == "scatter");
        if needs_processors && !process.part.meta().mode.cpus {
            notices.list.push(Notice::lacks(
                process,
                "does not say on which processors chunks and tasks began (ompchunk record --cpus): it has no scatter for --scatter-limit",
            ));
        }
        let start = self.node(process, Kind::Start, Data::default());
        self.start = Some(start);
        start
    }

    pub(super) fn node(&mut self, process: &Process<'_>, kind: Kind, mut data: Data) -> Node {
        let number = self.nodes;
        self.nodes += 1;
        let (name, mut color, shape, size) = kind.looks();
        if let Some(problems) = problems(&data.0, self.limits) {
            data.put("problems", problems);
            color = COLOR;
        }
        data.put("type", name);
        data.put("part", &process.name);
        if let Some(rank) = process.part.meta().rank {
            data.long("rank", rank);
        }
        for (key, look) in ["color", "shape", "width", "height"].into_iter().zip([color, shape, size, size]) {
            data.put(key, look);
        }
        let id = format!("n{number}");
        self.element("node", &[("id", &id)], "v_", &data.0);
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
        let element = self.to.create_element(name).with_attributes(attributes.iter().copied());
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
        let schema = "http://graphml.graphdrawing.org/xmlns http://graphml.graphdrawing.org/xmlns/1.0/graphml.xsd";
        self.event(Event::Start(BytesStart::new("graphml").with_attributes([
            ("xmlns", "http://graphml.graphdrawing.org/xmlns"),
            ("xmlns:xsi", "http://www.w3.org/2001/XMLSchema-instance"),
            ("xsi:schemaLocation", schema),
        ])));
        for (id, of_type) in KEYS.iter().filter_map(|key| key.split_once(' ')) {
            let (of, name) = match id.strip_prefix("e_") {
                Some(name) => ("edge", name),
                None => ("node", id.trim_start_matches("v_")),
            };
            let attributes = [("id", id), ("for", of), ("attr.name", name), ("attr.type", of_type)];
            let _ = self.to.create_element("key").with_attributes(attributes).write_empty();
        }
        let graph = BytesStart::new("graph").with_attributes([("id", "grains"), ("edgedefault", "directed")]);
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

/// XML has no way to write most control characters.
fn allowed(text: &str) -> String {
    let is_control = |c: char| matches!(c, '\0'..='\u{1f}' | '\u{fffe}' | '\u{ffff}');
    text.replace(|c| is_control(c) && !matches!(c, '\t' | '\n' | '\r'), "\u{fffd}")
}

/// Every key, of nodes (`v_`) and of edges, and its type.
const KEYS: [&str; 54] = [
    "v_type string", "v_label string", "v_part string", "v_rank long", "v_thread long", "v_cpu long", "v_region long",
    "v_threads long", "v_loop long", "v_execution long", "v_file string", "v_line long", "v_function string",
    "v_schedule string", "v_range string", "v_lower long", "v_iterations long", "v_values string", "v_first long",
    "v_last long", "v_start_ns double", "v_exec_ns double", "v_creation_ns double", "v_parallel_benefit double",
    "v_load_balance double", "v_load_balance_threads double", "v_scatter double", "v_work_deviation double",
    "v_work_deviation_loop double", "v_task long", "v_parent long", "v_child long", "v_fragment long", "v_depth long",
    "v_creator boolean", "v_construct string", "v_task_ns double", "v_sync_ns double", "v_inst_parallelism double",
    "v_critical_path boolean", "v_critical_path_ns double", "v_work_ns double", "v_problems string", "v_count long",
    "v_unfinished long", "v_mean_ns double", "v_min_ns double", "v_max_ns double", "v_color string", "v_shape string",
    "v_width double", "v_height double", "e_type string", "e_color string",
];

/// What grains beyond the thresholds of the authors' prototype (its `grain-problems.cfg`) are drawn in, as there.
const COLOR: &str = "#FF0000";

enum Limit {
    AtLeast(f64),
    AtMost(f64),
}

/// Thresholds of metrics that a trace has, but for those that depend on the machine. That of instantaneous parallelism is for a median, and a node has the mean.
const LIMITS: [(&str, Limit); 4] = [
    ("parallel_benefit", Limit::AtLeast(1.0)),
    ("load_balance", Limit::AtMost(2.0)),
    ("load_balance_threads", Limit::AtMost(2.0)),
    ("work_deviation", Limit::AtMost(2.0)),
];

/// The metrics of a node that are beyond their thresholds, or above `further` ones; `None`: none is.
fn problems(data: &[(&'static str, String)], further: &[(&'static str, u32)]) -> Option<String> {
    let is_beyond = |name: &str, value: &str| {
        let further = further.iter().map(|(metric, most)| (*metric, Limit::AtMost((*most).into())));
        let mut limits = LIMITS.into_iter().chain(further);
        limits.find(|(metric, _)| *metric == name).zip(value.parse::<f64>().ok()).is_some_and(|((_, limit), value)| {
            match limit {
                Limit::AtLeast(least) => value < least,
                Limit::AtMost(most) => value > most,
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
            problems(&data.collect::<Vec<_>>(), &[])
        };
        assert_eq!(of(&[("parallel_benefit", "1"), ("load_balance", "2")]), None);
        assert_eq!(of(&[("exec_ns", "0.5"), ("label", "3")]), None);
        let two = of(&[("parallel_benefit", "0.99"), ("work_deviation", "2.01")]);
        assert_eq!(two.as_deref(), Some("parallel_benefit work_deviation"));
    }

    #[test]
    fn scatter_is_beyond_what_is_given() {
        let data = [("scatter", "8.5".to_owned())];
        assert_eq!(problems(&data, &[]), None);
        assert_eq!(problems(&data, &[("scatter", 9)]), None);
        assert_eq!(problems(&data, &[("scatter", 8)]).as_deref(), Some("scatter"));
        assert_eq!(problems(&[("scatter", "8".to_owned())], &[("scatter", 8)]), None);
    }
}
