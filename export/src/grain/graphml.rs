//! The grain graph of all processes. That of a part with explicit tasks is `tasks_graphml`'s.

use std::collections::HashMap;

use ompchunk_trace_format::shown;
use quick_xml::Writer;

use super::metric::{self, Balance};
use super::model::{self, Context, Draw};
use super::reference::Reference;
use super::region::{Execution, Grain, Item, Region};
use super::summary;
use super::tasks_graphml;
use super::xml::{Data, Graph, Kind, Node, cpu, creation, double, long, metrics, of_chunk, of_execution};
use crate::error::Error;
use crate::format::Format;
use crate::notice::{Notice, Notices};
use crate::output::Output;
use crate::process::Process;

/// Viewers lay out that many nodes with patience.
const LARGE: u64 = 100_000;

/// Writes all processes into one graph.
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
                summary::write(process, start, &mut graph, notices)?;
            }
            (_, true) => tasks_graphml::write(process, start, &mut graph, notices)?,
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
