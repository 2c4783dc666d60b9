//! Explicit tasks in the prototype's table: a row each, with its creator as its parent. What implicit tasks create hangs from an
//! `idle_task`, as executions of loops do.

use std::collections::{BTreeSet, HashMap};

use super::dag::build;
use super::dag::graph::{Graph, Task};
use super::dag::measure::{Measures, measure};
use super::dag::paths::paths;
use super::path::GrainPath;
use super::task_table::{Known, Row, Table, logical};
use crate::error::Error;
use crate::notice::Notices;
use crate::process::Process;
use crate::site::Sites;

const TASK: &str = "task";

/// Writes the tasks of a part. What the user should know of the part is told with its chunks.
pub(super) fn write(process: &Process<'_>, to: &mut Table<'_>) -> Result<(), Error> {
    let (graph, sites) = build::read(process, &mut Notices::default())?;
    let count = tasks(&graph).count() as u64;
    if count == 0 {
        return Ok(());
    }
    let rows = Rows {
        sites: &sites,
        measures: measure(&graph),
        joins: joins(&graph),
        paths: paths(&graph),
        children: children(&graph),
        numbers: tasks(&graph).map(|(index, _)| index).zip(to.reserve(count)..).collect(),
        graph: &graph,
    };
    let of_idle = rows.joins.keys().filter(|(creator, _)| creator.is_none());
    let idle = to.idle_parent(rows.created_by(None), of_idle.count() as u64);
    for (index, task) in tasks(&graph) {
        let thread = rows.thread(task);
        let cpu_id = thread.and_then(|thread| to.cpu_id(process, thread, graph.cpu(task)));
        let path = rows.paths[index as usize];
        let deviation = to.task_deviation(process, task, path);
        to.row(&rows.row(index, task, idle, (cpu_id, deviation)));
    }
    Ok(())
}

/// Those that run: not what a `taskwait` with dependences is told as.
fn tasks(graph: &Graph) -> impl Iterator<Item = (u32, &Task)> {
    let all = (0..).zip(&graph.tasks);
    all.filter(|(_, task)| task.runs())
}

/// Where the tasks of a creator meet it, from 0 in the order of the meetings: by creator and meeting.
type Joins = HashMap<(Option<u32>, u32), u64>;

fn joins(graph: &Graph) -> Joins {
    let met = tasks(graph).map(|(_, task)| (task.parent, task.meeting));
    let mut last: HashMap<Option<u32>, u64> = HashMap::new();
    met.collect::<BTreeSet<_>>()
        .into_iter()
        .map(|(parent, meeting)| {
            let next = last.entry(parent).or_default();
            *next += 1;
            ((parent, meeting), *next - 1)
        })
        .collect()
}

fn children(graph: &Graph) -> HashMap<Option<u32>, u64> {
    let mut children = HashMap::new();
    for (_, task) in tasks(graph) {
        *children.entry(task.parent).or_default() += 1;
    }
    children
}

struct Rows<'a> {
    sites: &'a Sites<'a>,
    graph: &'a Graph,
    measures: Measures,
    joins: Joins,
    paths: Vec<Option<GrainPath>>,
    children: HashMap<Option<u32>, u64>,
    /// Their rows.
    numbers: HashMap<u32, u64>,
}

impl Rows<'_> {
    fn created_by(&self, creator: Option<u32>) -> u64 {
        self.children.get(&creator).copied().unwrap_or(0)
    }

    /// The thread that began it.
    fn thread(&self, task: &Task) -> Option<u32> {
        let first = task.first?;
        Some(self.graph.nodes[first as usize].thread)
    }

    /// `idle`: what tasks hang from that no task created, and the first join point there.
    fn row(
        &self,
        index: u32,
        task: &Task,
        idle: (u64, u64),
        (cpu_id, deviation): (Option<usize>, Option<f64>),
    ) -> Row<'_> {
        let parent = task.parent.and_then(|parent| self.numbers.get(&parent));
        let (parent, first_join) = parent.map_or(idle, |parent| (*parent, 0));
        let join = self.joins.get(&(task.parent, task.meeting));
        let join = first_join + join.copied().unwrap_or(0);
        let children = self.created_by(Some(index));
        let ticks = task.own_ticks();
        let sync = self.graph.sync(task);
        let code = self.sites.code(task.code);
        let meeting = self.graph.meetings.get(task.meeting as usize);
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
            sibling_work_balance: Known(self.measures.balance(task)),
            sibling_scatter: Known(self.measures.scatter(task)),
            parallel_benefit: Known(self.graph.parallel_benefit(task)),
            work_deviation: Known(deviation),
            ..Row::of(self.numbers[&index], TASK, cpu_id, None)
        }
    }
}
