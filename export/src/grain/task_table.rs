//! The table that the prototype of grain graphs' authors reads: its columns, its rows, and what they are numbered by.

use std::collections::{BTreeMap, HashMap};

use ompchunk_trace_format::At;
use serde::{Serialize, Serializer};

use super::dag::build;
use super::dag::graph::{Graph, Measures, Task, measure, paths};
use super::reference::Reference;
use crate::error::Error;
use crate::notice::Notices;
use crate::output::Output;
use crate::process::Process;
use crate::site::{Site, Sites};

const IDLE: &str = "idle_task";

/// What is not known is `NA` in R.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Known<T>(pub(super) Option<T>);

impl<T: Serialize> Serialize for Known<T> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match &self.0 {
            Some(value) => value.serialize(to),
            None => to.serialize_str("NA"),
        }
    }
}

pub(super) fn logical(value: bool) -> &'static str {
    if value { "TRUE" } else { "FALSE" }
}

/// The prototype's names.
#[derive(Debug, Default, Serialize)]
pub(super) struct Row<'a> {
    pub(super) task: u64,
    pub(super) parent: u64,
    pub(super) joins_at: u64,
    pub(super) cpu_id: Known<usize>,
    pub(super) child_number: u64,
    pub(super) num_children: u64,
    pub(super) num_siblings: Known<u64>,
    pub(super) exec_cycles: Known<u64>,
    pub(super) creation_cycles: Known<u64>,
    pub(super) overhead_cycles: Known<u64>,
    pub(super) work_cycles: Known<u64>,
    pub(super) tag: &'static str,
    pub(super) metadata: Known<String>,
    pub(super) outline_function: Known<u64>,
    pub(super) source_line: Known<&'a str>,
    pub(super) leaf: &'static str,
    pub(super) idle_join: Known<u64>,
    pub(super) parent_tag: Known<&'static str>,
    pub(super) parent_joins_at: Known<u64>,
    pub(super) chunk_lineage: Known<String>,
    pub(super) chunk_work_balance: Known<f64>,
    pub(super) chunk_work_cpu: Known<u64>,
    pub(super) chunk_work_cpu_balance: Known<f64>,
    pub(super) sibling_work_balance: Known<f64>,
    pub(super) sibling_scatter: Known<f64>,
    pub(super) parallel_benefit: Known<f64>,
    pub(super) work_deviation: Known<f64>,
    pub(super) work_deviation_loop: Known<f64>,
}

pub(super) struct Table<'r> {
    pub(super) to: csv::Writer<Output>,
    tasks: u64,
    workers: HashMap<(usize, u32), usize>,
    /// The idle tasks of the process, by its initial tasks.
    pub(super) roots: BTreeMap<usize, Parent>,
    idle: u64,
    pub(super) reference: &'r mut Option<Reference>,
}

/// Where executions of loops hang: an idle task, or a chunk with a region inside.
pub(super) struct Parent {
    pub(super) task: u64,
    pub(super) idle_join: Option<u64>,
    pub(super) children: u64,
    pub(super) joins: u64,
}

impl Parent {
    pub(super) fn new(task: u64, idle_join: Option<u64>) -> Parent {
        Parent { task, idle_join, children: 0, joins: 0 }
    }
}

impl<'r> Table<'r> {
    pub(super) fn new(to: Output, reference: &'r mut Option<Reference>) -> Table<'r> {
        Table {
            to: csv::WriterBuilder::new().from_writer(to),
            tasks: 0,
            workers: HashMap::new(),
            roots: BTreeMap::new(),
            idle: 0,
            reference,
        }
    }

    pub(super) fn next(&mut self) -> u64 {
        self.tasks += 1;
        self.tasks
    }

    /// The first of so many numbers, which are in a row.
    pub(super) fn reserve(&mut self, count: u64) -> u64 {
        self.tasks += count;
        self.tasks + 1 - count
    }

    /// An idle task that has so many more children, which meet it in so many places; and the first of these.
    pub(super) fn idle_parent(&mut self, children: u64, joins: u64) -> (u64, u64) {
        let first = self.roots.keys().next().copied().unwrap_or(0);
        let mut idle = self.roots.remove(&first).unwrap_or_else(|| Parent::new(self.next(), None));
        idle.children += children;
        let (task, join) = (idle.task, idle.joins);
        idle.joins += joins;
        self.roots.insert(first, idle);
        (task, join)
    }

    pub(super) fn row(&mut self, row: &Row<'_>) {
        // An output remembers its failures.
        let _ = self.to.serialize(row);
    }

    /// The processor that it began on; the thread, counted over all processes, in a part that does not tell processors.
    pub(super) fn cpu_id(&mut self, process: &Process<'_>, at: At) -> Option<usize> {
        if process.part.meta().mode.cpus {
            return at.cpu.map(|cpu| cpu as usize);
        }
        let next = self.workers.len();
        let worker = self.workers.entry((process.index, at.thread)).or_insert(next);
        Some(*worker)
    }

    pub(super) fn finish(&mut self) {
        for idle in std::mem::take(&mut self.roots).into_values() {
            let row = Row {
                child_number: self.idle,
                num_children: idle.children,
                exec_cycles: Known(Some(0)),
                overhead_cycles: Known(Some(0)),
                work_cycles: Known(Some(0)),
                ..Row::new(idle.task, IDLE, None, None)
            };
            self.idle += 1;
            self.row(&row);
        }
    }
}

impl<'a> Row<'a> {
    pub(super) fn new(task: u64, tag: &'static str, cpu_id: Option<usize>, site: Option<&'a Site>) -> Row<'a> {
        Row {
            task,
            cpu_id: Known(cpu_id),
            tag,
            outline_function: Known(site.map(|site| site.code)),
            source_line: Known(site.map(|site| site.label.as_str())),
            leaf: logical(false),
            ..Row::default()
        }
    }
}

const TASK: &str = "task";

/// Writes the tasks of a part. What the user should know of the part is told with its chunks.
pub(super) fn write(process: &Process<'_>, to: &mut Table<'_>) -> Result<(), Error> {
    let (graph, sites) = build::read(process, &mut Notices::default())?;
    // Not what a `taskwait` with dependences is told as.
    let tasks = || (0..).zip(&graph.tasks).filter(|(_, task)| task.runs());
    let (mut children, mut joins) = (HashMap::new(), BTreeMap::new());
    for (_, task) in tasks() {
        *children.entry(task.parent).or_default() += 1;
        joins.insert((task.parent, task.meeting), 0);
    }
    if joins.is_empty() {
        return Ok(());
    }
    let mut met: HashMap<Option<u32>, u64> = HashMap::new();
    for ((creator, _), join) in &mut joins {
        let next = met.entry(*creator).or_default();
        *join = *next;
        *next += 1;
    }
    let first = to.reserve(tasks().count() as u64);
    let numbers = tasks().map(|(index, _)| index).zip(first..).collect();
    let of_idle = children.get(&None).copied().unwrap_or(0);
    let idle = to.idle_parent(of_idle, met.get(&None).copied().unwrap_or(0));
    let rows = Rows { sites: &sites, measures: measure(&graph), joins, children, numbers, idle, graph: &graph };
    let paths = paths(&graph);
    for (index, task) in tasks() {
        let cpu_id = graph.begin(task).and_then(|at| to.cpu_id(process, at));
        let reference = to.reference.as_mut();
        let deviation = reference.and_then(|reference| reference.task_deviation(process, task, paths[index as usize]));
        to.row(&rows.row(index, task, cpu_id, deviation));
    }
    Ok(())
}

struct Rows<'a> {
    sites: &'a Sites<'a>,
    graph: &'a Graph,
    measures: Measures,
    /// Where the tasks of a creator meet it, from 0 in the order of the meetings: by creator and meeting.
    joins: BTreeMap<(Option<u32>, u32), u64>,
    children: HashMap<Option<u32>, u64>,
    numbers: HashMap<u32, u64>,
    /// What tasks hang from that no task created, and the first join point there.
    idle: (u64, u64),
}

impl Rows<'_> {
    fn row(&self, index: u32, task: &Task, cpu_id: Option<usize>, deviation: Option<f64>) -> Row<'_> {
        let parent = task.parent.and_then(|parent| self.numbers.get(&parent));
        let (parent, first_join) = parent.map_or(self.idle, |parent| (*parent, 0));
        let join = first_join + self.joins.get(&(task.parent, task.meeting)).copied().unwrap_or(0);
        let children = self.children.get(&Some(index)).copied().unwrap_or(0);
        let ticks = task.own_ticks();
        let sync = self.graph.sync(task);
        let code = self.sites.code(task.code);
        let meeting = self.graph.meetings.get(task.meeting as usize);
        let siblings = self.measures.siblings(task);
        Row {
            parent,
            joins_at: join,
            child_number: task.child_number.into(),
            num_children: children,
            num_siblings: Known(meeting.map(|meeting| meeting.tasks.into())),
            exec_cycles: Known(ticks),
            creation_cycles: Known(task.creation),
            overhead_cycles: Known(sync.map(|sync| sync as u64)),
            work_cycles: Known(ticks),
            outline_function: Known(Some(task.code)),
            source_line: Known(code.map(|code| code.label.as_str())),
            leaf: logical(children == 0),
            parent_tag: Known(task.parent.map(|_| TASK)),
            parent_joins_at: Known(Some(join)),
            sibling_work_balance: Known(siblings.chunks),
            sibling_scatter: Known(siblings.scatter),
            parallel_benefit: Known(self.graph.parallel_benefit(task)),
            work_deviation: Known(deviation),
            ..Row::new(self.numbers[&index], TASK, cpu_id, None)
        }
    }
}
