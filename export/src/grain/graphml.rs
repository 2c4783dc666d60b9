//! The grain graph of all processes.

use std::collections::HashMap;

use quick_xml::Writer;

use super::dag::build;
use super::dag::graph::{self, Drawn, Measures, What, measure, paths};
use super::metric::{self, Balance, balances_by};
use super::model::{self, Context, Draw};
use super::reference::Reference;
use super::region::{Execution, Grain, GrainPath, Item, Region};
use super::summary;
use super::xml::{Data, Graph, Kind, Node, creation};
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
    limits: &[(&'static str, u32)],
    to: Output,
    notices: &mut Notices,
) -> Result<(), Error> {
    let mut graph = Graph {
        to: Writer::new_with_indent(to, b' ', 1),
        nodes: 0,
        roots: HashMap::new(),
        start: None,
        reference,
        limits,
    };
    graph.open();
    for process in processes {
        let start = graph.start(process, notices);
        match (format, process.part.meta().mode.tasks) {
            (Format::GraphMlSummary, _) => summary::draw::write(process, start, &mut graph, notices)?,
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
            Item::Region(id) => context.inside.get(id).map_or(from, |region| self.region(context, from, region)),
            Item::Barrier => from,
        }
    }

    fn grain(&mut self, context: &Context<'_, '_>, from: Node, grain: &Grain, region: u64, balance: Balance) -> Node {
        let process = context.process;
        let site = context.sites.get(grain.execution.0);
        let creation = creation(process, grain);
        let mut before = from;
        if creation.is_some() {
            let mut bookkeeping = Data::of_execution(grain, region, site);
            bookkeeping.known("exec_ns", creation);
            before = self.node(process, Kind::Bookkeeping, bookkeeping);
            self.edge(from, before);
        }
        let mut data = Data::of_chunk(grain, region, site);
        data.place(grain.at);
        data.put("start_ns", process.ns(grain.at.ticks));
        data.known("exec_ns", grain.ticks.map(|ticks| process.duration(ticks)));
        data.metrics(process, grain, &balance, self.reference.as_mut());
        let node = self.node(process, Kind::Chunk, data);
        self.edge(before, node);
        let regions = grain.regions.iter().filter_map(|id| context.inside.get(id));
        regions.fold(node, |from, region| self.region(context, from, region))
    }

    /// Between two barriers of the team: a fork, what each thread does, a join.
    fn region(&mut self, context: &Context<'_, '_>, from: Node, region: &Region) -> Node {
        let balances = metric::balances(region);
        let is_barrier = |item: &Item| matches!(item, Item::Barrier);
        let phases = region.tasks.iter().map(|task| task.items.split(is_barrier).collect());
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
        let mut data = Data::default();
        data.put("start_ns", process.ns(region.begin));
        data.put("threads", region.threads);
        data.long("region", region.id);
        data.known("function", context.sites.code(region.code).map(|code| &code.function));
        let fork = self.node(process, Kind::Fork, data);
        self.edge(from, fork);
        let end = |items: &&[Item]| {
            items.iter().fold(fork, |from, item| {
                let balance = match item {
                    Item::Grain(grain) => balances.get(&grain.execution).copied(),
                    _ => None,
                };
                self.draw(context, from, item, region.id, balance.unwrap_or_default())
            })
        };
        let mut last: Vec<Node> = busy.iter().map(end).collect();
        let mut data = Data::default();
        data.long("region", region.id);
        let join = self.node(process, Kind::Join, data);
        if last.is_empty() {
            last.push(fork);
        }
        last.into_iter().for_each(|from| self.edge(from, join));
        join
    }

    fn end(&mut self, process: &Process<'_>, roots: usize) {
        let mut last: Vec<Node> = (0..roots).filter_map(|root| self.roots.get(&root).copied()).collect();
        if last.is_empty() {
            last.extend(self.start);
        }
        let end = self.node(process, Kind::End, Data::default());
        last.into_iter().for_each(|from| self.edge(from, end));
    }
}

fn write_tasks(process: &Process<'_>, start: Node, to: &mut Graph<'_>, notices: &mut Notices) -> Result<(), Error> {
    let (read, sites) = build::read(process, notices)?;
    let part = Part {
        process,
        sites: &sites,
        measures: measure(&read),
        paths: paths(&read),
        balances: balances_by(read.grains.iter().map(|(grain, region)| ((*region, grain.execution), grain))),
        graph: &read,
    };
    let first = start.number + 1;
    for (number, node) in read.nodes.iter().enumerate() {
        let (kind, data) = part.node(number, node, to);
        to.node(process, kind, data);
    }
    let mut data = Data::default();
    data.put("work_ns", process.duration(part.measures.work));
    data.put("critical_path_ns", process.duration(part.measures.span));
    let end = to.node(process, Kind::End, data);
    for edge in &read.edges {
        let is_critical = part.measures.critical[edge.to as usize] == Some(edge.from);
        let [from, next] = [edge.from, edge.to].map(|node| first + u64::from(node));
        to.edge_as(from, next, edge.kind, is_critical);
    }
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

struct Part<'a> {
    process: &'a Process<'a>,
    sites: &'a Sites<'a>,
    graph: &'a graph::Graph,
    measures: Measures,
    paths: Vec<Option<GrainPath>>,
    /// Of executions of loops, by their region.
    balances: HashMap<(u64, Execution), Balance>,
}

impl Part<'_> {
    fn node(&self, number: usize, node: &Drawn, to: &mut Graph<'_>) -> (Kind, Data) {
        let (kind, mut data) = match node.what {
            What::Fork(region) => (Kind::Fork, self.fork(region)),
            What::Join(region) => (Kind::Join, self.region(region)),
            What::Bookkeeping(grain) => {
                let (grain, region) = &self.graph.grains[grain as usize];
                (Kind::Bookkeeping, Data::of_execution(grain, *region, self.sites.get(grain.execution.0)))
            }
            What::Chunk { grain, fragment } => (Kind::Chunk, self.chunk(grain, fragment, to)),
            What::Task { task, fragment } => (Kind::Task, self.task(task, fragment, node.at.thread, to)),
            What::Implicit(region) => {
                let mut data = self.region(Some(region));
                data.put("thread", node.at.thread);
                (Kind::Implicit, data)
            }
        };
        if matches!(kind, Kind::Chunk | Kind::Task) {
            data.place(node.at);
        }
        if !matches!(kind, Kind::Fork | Kind::Join) {
            data.known("exec_ns", node.ticks.map(|ticks| self.process.duration(ticks)));
            data.put("start_ns", self.process.ns(node.at.ticks));
        }
        data.known("inst_parallelism", self.measures.parallelism[number]);
        data.known("critical_path", self.measures.critical[number].map(|_| true));
        (kind, data)
    }

    fn region(&self, region: Option<u32>) -> Data {
        let mut data = Data::default();
        if let Some(region) = region.and_then(|region| self.graph.regions.get(region as usize)) {
            data.long("region", region.id);
        }
        data
    }

    fn fork(&self, region: u32) -> Data {
        let mut data = self.region(Some(region));
        let region = &self.graph.regions[region as usize];
        data.put("start_ns", self.process.ns(region.begin));
        data.put("threads", region.threads);
        data.known("function", self.sites.code(region.code).map(|code| &code.function));
        data
    }

    fn chunk(&self, grain: u32, fragment: u32, to: &mut Graph<'_>) -> Data {
        let (grain, region) = &self.graph.grains[grain as usize];
        let balance = self.balances.get(&(*region, grain.execution));
        let mut data = Data::of_chunk(grain, *region, self.sites.get(grain.execution.0));
        // Once for each chunk, as it is counted whether the reference has it.
        let reference = to.reference.as_mut().filter(|_| fragment == 0);
        data.metrics(self.process, grain, &balance.copied().unwrap_or_default(), reference);
        data.put("fragment", fragment);
        data
    }

    fn task(&self, index: u32, fragment: u32, thread: u32, to: &mut Graph<'_>) -> Data {
        let task = &self.graph.tasks[index as usize];
        let parent = task.parent;
        let parent = parent.map_or(0, |parent| self.graph.tasks[parent as usize].number);
        let mut data = self.region((task.phase.0 != u32::MAX).then_some(task.phase.0));
        data.long("task", task.number);
        data.long("parent", parent);
        data.put("child", task.child_number);
        data.put("fragment", fragment);
        data.put("depth", task.depth);
        data.put("thread", thread);
        data.put("label", format!("task {}", task.number));
        data.known("creator", task.is_creator.then_some(true));
        let code = self.sites.code(task.code);
        data.known("function", code.map(|code| &code.function));
        data.known("construct", code.map(|code| &code.label));
        let ns = |ticks: u64| self.process.duration(ticks);
        // Once for each task, as for chunks.
        let reference = to.reference.as_mut().filter(|_| fragment == 0);
        let path = self.paths[index as usize];
        let deviation = reference.and_then(|reference| reference.task_deviation(self.process, task, path));
        data.known("task_ns", task.own_ticks().map(ns));
        data.known("creation_ns", task.creation.map(ns));
        data.known("sync_ns", self.graph.sync(task).map(|sync| ns(sync as u64)));
        data.known("parallel_benefit", self.graph.parallel_benefit(task));
        data.balance(&self.measures.siblings(task));
        data.known("work_deviation", deviation);
        data
    }
}
