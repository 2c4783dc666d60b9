//! The grain graph of all processes.

use std::collections::HashMap;

use ompchunk_trace_format::shown;
use quick_xml::Writer;

use super::dag::build;
use super::dag::graph::{self, Drawn, What};
use super::dag::measure::{Measures, measure, paths};
use super::metric::{self, Balance, Sums};
use super::model::{self, Context, Draw};
use super::reference::Reference;
use super::region::{Execution, Grain, GrainPath, Item, Region};
use super::summary;
use super::xml::{Data, Graph, Kind, Node, cpu, creation, double, long, metrics, of_chunk, of_execution};
use crate::error::Error;
use crate::format::Format;
use crate::notice::{Notice, Notices};
use crate::output::Output;
use crate::process::Process;
use crate::site::Sites;

/// Viewers lay out that many nodes with patience.
const LARGE: u64 = 100_000;

pub(crate) fn write(
    processes: &[Process<'_>],
    format: Format,
    reference: &mut Option<Reference>,
    scatter_limit: Option<u32>,
    to: Output,
    notices: &mut Notices,
) -> Result<(), Error> {
    let mut graph = Graph {
        to: Writer::new_with_indent(to, b' ', 1),
        nodes: 0,
        roots: HashMap::new(),
        start: None,
        reference,
        scatter_limit,
    };
    graph.open();
    for process in processes {
        graph.roots.clear();
        graph.start = None;
        if scatter_limit.is_some() && !process.part.meta().mode.cpus {
            let part = shown(process.part.path());
            notices.list.push(Notice::NoProcessors { part });
        }
        let start = graph.node(process, Kind::Start, &mut Vec::new());
        graph.start = Some(start);
        match (format, process.part.meta().mode.tasks) {
            (Format::GraphMlSummary, _) => {
                summary::draw::write(process, start, &mut graph, notices)?;
            }
            (_, true) => write_tasks(process, start, &mut graph, notices)?,
            (_, false) => {
                let roots = model::read(process, &mut graph, notices)?;
                graph.end(process, roots);
            }
        }
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
    fn draw(&mut self, context: &Context<'_, '_>, from: Node, item: &Item, region: u64, balance: Balance) -> Node {
        match item {
            Item::Grain(grain) => self.grain(context, from, grain, region, balance),
            Item::Region(id) => match context.inside.get(id) {
                Some(region) => self.region(context, from, region),
                None => from,
            },
            Item::Barrier => from,
        }
    }

    fn grain(&mut self, context: &Context<'_, '_>, from: Node, grain: &Grain, region: u64, balance: Balance) -> Node {
        let process = context.process;
        let site = context.sites.get(grain.execution.0);
        let creation = creation(process, grain);
        let mut before = from;
        if creation.is_some() {
            let mut bookkeeping = of_execution(grain, region, site);
            bookkeeping.extend(double("exec_ns", creation));
            before = self.node(process, Kind::Bookkeeping, &mut bookkeeping);
            self.edge(from, before);
        }
        let mut data = of_chunk(grain, region, site);
        let exec = grain.ticks.map(|ticks| process.duration(ticks));
        data.extend(cpu(grain.cpu));
        data.extend(double("start_ns", Some(process.ns(grain.begin))));
        data.extend(double("exec_ns", exec));
        let reference = self.reference.as_mut();
        data.extend(metrics(process, grain, &balance, reference));
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
}

/// Reads a part and writes what is behind its start.
fn write_tasks(process: &Process<'_>, start: Node, to: &mut Graph<'_>, notices: &mut Notices) -> Result<(), Error> {
    let (read, sites) = build::read(process, notices)?;
    let part = Part {
        process,
        sites: &sites,
        measures: measure(&read),
        paths: paths(&read),
        balances: balances(&read),
        graph: &read,
    };
    let first = start.number + 1;
    for (number, node) in read.nodes.iter().enumerate() {
        let mut data = part.data(number, node, to);
        to.node(process, part.kind(node), &mut data);
    }
    let mut data = vec![
        ("work_ns", process.duration(part.measures.work).to_string()),
        ("critical_path_ns", process.duration(part.measures.span).to_string()),
    ];
    let end = to.node(process, Kind::End, &mut data);
    part.edges(to, first);
    for begin in &read.begins {
        to.edge_as(start.number, first + u64::from(*begin), graph::Kind::Continue, false);
    }
    for last in &read.ends {
        to.edge_as(first + u64::from(*last), end.number, graph::Kind::Continue, false);
    }
    if read.nodes.is_empty() {
        to.edge_as(start.number, end.number, graph::Kind::Continue, false);
    }
    Ok(())
}

/// Balances of executions of loops, by their region.
type Balances = HashMap<(u64, Execution), Balance>;

fn balances(graph: &graph::Graph) -> Balances {
    let mut sums: HashMap<(u64, Execution), Sums> = HashMap::new();
    for (grain, region) in &graph.grains {
        sums.entry((*region, grain.execution)).or_default().add(grain);
    }
    let balance = |(key, sums): ((u64, Execution), Sums)| (key, sums.balance());
    sums.into_iter().map(balance).collect()
}

struct Part<'a> {
    process: &'a Process<'a>,
    sites: &'a Sites<'a>,
    graph: &'a graph::Graph,
    measures: Measures,
    paths: Vec<Option<GrainPath>>,
    balances: Balances,
}

impl Part<'_> {
    fn kind(&self, node: &Drawn) -> Kind {
        match node.what {
            What::Fork(_) => Kind::Fork,
            What::Join(_) => Kind::Join,
            What::Bookkeeping(_) => Kind::Bookkeeping,
            What::Chunk { .. } => Kind::Chunk,
            What::Task { .. } => Kind::Task,
            What::Implicit(_) => Kind::Implicit,
        }
    }

    fn data(&self, number: usize, node: &Drawn, to: &mut Graph<'_>) -> Data {
        let mut data = match node.what {
            What::Fork(region) => self.fork(region),
            What::Join(region) => self.region(region),
            What::Bookkeeping(grain) => {
                let (grain, region) = &self.graph.grains[grain as usize];
                of_execution(grain, *region, self.sites.get(grain.execution.0))
            }
            What::Chunk { grain, fragment } => self.chunk(grain, fragment, to),
            What::Task { task, fragment } => self.task(task, fragment, node.thread, to),
            What::Implicit(region) => {
                let mut data = self.region(Some(region));
                data.push(("thread", node.thread.to_string()));
                data
            }
        };
        if matches!(node.what, What::Chunk { .. } | What::Task { .. }) {
            data.extend(cpu(node.cpu));
        }
        if !matches!(node.what, What::Fork(_) | What::Join(_)) {
            let ns = node.ticks.map(|ticks| self.process.duration(ticks));
            data.extend(double("exec_ns", ns));
            data.push(("start_ns", self.process.ns(node.begin).to_string()));
        }
        data.extend(double("inst_parallelism", self.measures.parallelism[number]));
        if self.measures.critical[number].is_some() {
            data.push(("critical_path", "true".to_owned()));
        }
        data
    }

    fn region(&self, region: Option<u32>) -> Data {
        let region = region.and_then(|region| self.graph.regions.get(region as usize));
        region.and_then(|region| long("region", region.id)).into_iter().collect()
    }

    fn fork(&self, region: u32) -> Data {
        let mut data = self.region(Some(region));
        let region = &self.graph.regions[region as usize];
        data.push(("start_ns", self.process.ns(region.begin).to_string()));
        data.push(("threads", region.threads.to_string()));
        if let Some(code) = self.sites.code(region.code) {
            data.push(("function", code.function.clone()));
        }
        data
    }

    fn chunk(&self, grain: u32, fragment: u32, to: &mut Graph<'_>) -> Data {
        let (grain, region) = &self.graph.grains[grain as usize];
        let site = self.sites.get(grain.execution.0);
        let balance = self.balances.get(&(*region, grain.execution));
        let balance = balance.copied().unwrap_or_default();
        let mut data = of_chunk(grain, *region, site);
        // Once for each chunk, as it is counted whether the reference has it.
        let reference = to.reference.as_mut().filter(|_| fragment == 0);
        data.extend(metrics(self.process, grain, &balance, reference));
        data.push(("fragment", fragment.to_string()));
        data
    }

    fn task(&self, index: u32, fragment: u32, thread: u32, to: &mut Graph<'_>) -> Data {
        let task = &self.graph.tasks[index as usize];
        let parent = task.parent;
        let parent = parent.map_or(0, |parent| self.graph.tasks[parent as usize].number);
        let mut data = self.region((task.phase.0 != u32::MAX).then_some(task.phase.0));
        data.extend(long("task", task.number));
        data.extend(long("parent", parent));
        data.push(("child", task.child_number.to_string()));
        data.push(("fragment", fragment.to_string()));
        data.push(("depth", task.depth.to_string()));
        data.push(("thread", thread.to_string()));
        data.push(("label", format!("task {}", task.number)));
        if task.is_creator {
            data.push(("creator", "true".to_owned()));
        }
        if let Some(code) = self.sites.code(task.code) {
            data.push(("function", code.function.clone()));
            data.push(("construct", code.label.clone()));
        }
        let ns = |ticks: u64| self.process.duration(ticks);
        // Once for each task, as for chunks.
        let reference = to.reference.as_mut().filter(|_| fragment == 0);
        let path = self.paths[index as usize];
        let deviation = reference.and_then(|reference| reference.task_deviation(self.process, task, path));
        let sync = self.graph.sync(task);
        let benefit = self.graph.parallel_benefit(task);
        let metrics = [
            ("task_ns", task.own_ticks().map(ns)),
            ("creation_ns", task.creation.map(ns)),
            ("sync_ns", sync.map(|sync| ns(sync as u64))),
            ("parallel_benefit", benefit),
            ("load_balance", self.measures.balance(task)),
            ("scatter", self.measures.scatter(task)),
            ("work_deviation", deviation),
        ];
        let known = metrics.into_iter();
        data.extend(known.filter_map(|(name, value)| double(name, value)));
        data
    }

    fn edges(&self, to: &mut Graph<'_>, first: u64) {
        for edge in &self.graph.edges {
            let is_critical = self.measures.critical[edge.to as usize] == Some(edge.from);
            let [from, next] = [edge.from, edge.to].map(|node| first + u64::from(node));
            to.edge_as(from, next, edge.kind, is_critical);
        }
    }
}
