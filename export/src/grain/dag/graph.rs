//! Nodes and edges, what they stand for, and a graph's longest path, parallelism and balance of siblings.

use std::collections::HashMap;

use ompchunk_trace_format::tasks::WAIT_BY_DEPENDENCES;
use ompchunk_trace_format::{At, NOBODY};

use crate::grain::metric::{Balance, Sums};
use crate::grain::region::{Grain, GrainPath};

pub(crate) type Node = u32;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum What {
    /// A region begins, or goes on behind a barrier: by its place in [`Graph::regions`].
    Fork(u32),
    /// Threads of a region meet, or tasks meet the one that waits for them; in which region.
    Join(Option<u32>),
    /// What came before a chunk, and that chunk.
    Bookkeeping(u32),
    /// A part of a chunk between points where its thread creates tasks, waits or runs something else.
    Chunk { grain: u32, fragment: u32 },
    /// The same of an explicit task.
    Task { task: u32, fragment: u32 },
    /// The same of an implicit task that has explicit ones; its region.
    Implicit(u32),
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Drawn {
    pub(crate) what: What,
    /// Where it begins.
    pub(crate) at: At,
    pub(crate) end: u64,
    /// What it took, without the recorder's own time; `None`: it has no end.
    pub(crate) ticks: Option<u64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Kind {
    Create,
    Continue,
    Sync,
    Scope,
    Depend,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Edge {
    pub(crate) from: Node,
    pub(crate) to: Node,
    pub(crate) kind: Kind,
}

#[derive(Debug, Clone, Default)]
pub(crate) struct Task {
    pub(crate) number: u64,
    pub(crate) parent: Option<u32>,
    pub(crate) code: u64,
    pub(crate) flags: u32,
    /// Explicit tasks around it, and itself.
    pub(crate) depth: u32,
    pub(crate) created_on: u32,
    /// Its number among the tasks of its creator, from 0.
    pub(crate) child_number: u32,
    /// Ticks that creating it took, where that was timed.
    pub(crate) creation: Option<u64>,
    pub(crate) creator: Option<Node>,
    pub(crate) first: Option<Node>,
    pub(crate) last: Option<Node>,
    pub(crate) fragments: u32,
    /// Ticks of all of them; `None`: it has no end.
    pub(crate) ticks: Option<u64>,
    pub(crate) meeting: u32,
    pub(crate) group: Option<u32>,
    /// The runtime's own, made to create tasks of a `taskloop`.
    pub(crate) is_creator: bool,
    /// Something comes behind it that waits for it.
    pub(crate) is_joined: bool,
    /// The region it is in, and after how many barriers.
    pub(crate) phase: (u32, u32),
}

impl Task {
    pub(crate) fn new(number: u64) -> Task {
        Task { number, depth: 1, ticks: Some(0), meeting: u32::MAX, phase: NOWHERE, ..Task::default() }
    }

    pub(crate) fn own_ticks(&self) -> Option<u64> {
        self.ticks.filter(|_| self.last.is_some())
    }

    pub(crate) fn runs(&self) -> bool {
        self.flags & WAIT_BY_DEPENDENCES == 0
    }
}

pub(crate) const NOWHERE: (u32, u32) = (u32::MAX, 0);

/// Where tasks meet the one that created them.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Meeting {
    pub(crate) tasks: u32,
    /// Ticks that this one waited there and had nothing else to run.
    pub(crate) waited: u64,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Region {
    pub(crate) id: u64,
    pub(crate) begin: u64,
    pub(crate) threads: u32,
    pub(crate) code: u64,
    pub(crate) path: GrainPath,
}

#[derive(Default)]
pub(crate) struct Graph {
    pub(crate) nodes: Vec<Drawn>,
    pub(crate) edges: Vec<Edge>,
    pub(crate) tasks: Vec<Task>,
    /// Chunks, each with its region.
    pub(crate) grains: Vec<(Grain, u64)>,
    pub(crate) regions: Vec<Region>,
    pub(crate) meetings: Vec<Meeting>,
    /// What initial tasks did first.
    pub(crate) begins: Vec<Node>,
    pub(crate) ends: Vec<Node>,
}

impl Graph {
    pub(crate) fn node(&mut self, drawn: Drawn) -> Node {
        self.nodes.push(drawn);
        (self.nodes.len() - 1) as Node
    }

    pub(crate) fn point(&mut self, what: What, now: u64) -> Node {
        let at = At { thread: NOBODY, ticks: now, ..At::default() };
        self.node(Drawn { what, at, end: now, ticks: Some(0) })
    }

    pub(crate) fn edge(&mut self, from: Node, to: Node, kind: Kind) {
        self.edges.push(Edge { from, to, kind });
    }

    /// Where a task began.
    pub(crate) fn begin(&self, task: &Task) -> Option<At> {
        Some(self.nodes[task.first? as usize].at)
    }

    /// A task's share of what its creator waited where they meet, in ticks.
    pub(crate) fn sync(&self, task: &Task) -> Option<f64> {
        let meeting = self.meetings.get(task.meeting as usize)?;
        Some(match meeting.tasks {
            // Undeferred ones wait for nobody, and nobody for them.
            0 => 0.0,
            tasks => meeting.waited as f64 / f64::from(tasks),
        })
    }

    /// What a task took, through what creating it and waiting for it took.
    pub(crate) fn parallel_benefit(&self, task: &Task) -> Option<f64> {
        let ticks = task.own_ticks()?;
        let costs = task.creation? as f64 + self.sync(task)?;
        (costs > 0.0).then(|| ticks as f64 / costs)
    }

    pub(crate) fn meeting(&mut self) -> u32 {
        self.meetings.push(Meeting::default());
        (self.meetings.len() - 1) as u32
    }
}

#[derive(Debug, Default)]
pub(crate) struct Measures {
    /// By node; for one on the longest path, the one before it there, or itself.
    pub(crate) critical: Vec<Option<Node>>,
    /// Ticks of that path, and of all nodes.
    pub(crate) span: u64,
    pub(crate) work: u64,
    /// Mean number of grains that ran while this one did.
    pub(crate) parallelism: Vec<Option<f64>>,
    siblings: Vec<Balance>,
}

impl Measures {
    pub(crate) fn siblings(&self, task: &Task) -> Balance {
        self.siblings.get(task.meeting as usize).copied().unwrap_or_default()
    }
}

pub(crate) fn measure(graph: &Graph) -> Measures {
    let (critical, span) = longest_path(graph);
    let ticks = graph.nodes.iter().filter_map(|node| node.ticks);
    Measures { critical, span, work: ticks.sum(), parallelism: parallelism(graph), siblings: siblings(graph) }
}

fn longest_path(graph: &Graph) -> (Vec<Option<Node>>, u64) {
    let count = graph.nodes.len() as Node;
    let mut edges: Vec<[Node; 2]> = graph.edges.iter().map(|edge| [edge.from, edge.to]).collect();
    edges.sort_by_key(|[from, _]| *from);
    // How many come right before each that are not on the way yet.
    let mut open = vec![0_u32; count as usize];
    edges.iter().for_each(|[_, to]| open[*to as usize] += 1);
    let mut ready: Vec<Node> = (0..count).filter(|node| open[*node as usize] == 0).collect();
    let mut path = vec![0_u64; count as usize];
    let mut before: Vec<Node> = (0..count).collect();
    let mut last = None;
    while let Some(node) = ready.pop() {
        let end = path[node as usize] + graph.nodes[node as usize].ticks.unwrap_or(0);
        if last.is_none_or(|(longest, _)| end > longest) {
            last = Some((end, node));
        }
        let place = edges.partition_point(|[from, _]| *from < node);
        for [_, next] in edges[place..].iter().take_while(|[from, _]| *from == node) {
            let after = *next as usize;
            if end >= path[after] {
                (path[after], before[after]) = (end, node);
            }
            open[after] -= 1;
            if open[after] == 0 {
                ready.push(*next);
            }
        }
    }
    let mut critical = vec![None; count as usize];
    let Some((span, mut node)) = last else { return (critical, 0) };
    loop {
        critical[node as usize] = Some(before[node as usize]);
        if before[node as usize] == node {
            return (critical, span);
        }
        node = before[node as usize];
    }
}

fn is_grain(what: What) -> bool {
    matches!(what, What::Chunk { .. } | What::Task { .. } | What::Implicit(_))
}

fn parallelism(graph: &Graph) -> Vec<Option<f64>> {
    let grains = || graph.nodes.iter().filter(|node| is_grain(node.what) && node.end > node.at.ticks);
    let mut changes: Vec<(u64, i64)> = grains().flat_map(|node| [(node.at.ticks, 1), (node.end, -1)]).collect();
    changes.sort_unstable();
    // At each change, what has run until then, added up.
    let mut sums: Vec<(u64, f64)> = Vec::with_capacity(changes.len());
    let (mut running, mut sum, mut since) = (0_i64, 0.0, 0);
    for (at, change) in changes {
        sum += running as f64 * (at - since) as f64 * f64::from(u8::from(since > 0));
        (running, since) = (running + change, at);
        match sums.last_mut() {
            Some(last) if last.0 == at => last.1 = sum,
            _ => sums.push((at, sum)),
        }
    }
    let until = |at: u64| {
        let place = sums.partition_point(|(time, _)| *time < at);
        sums.get(place).map_or(0.0, |(_, sum)| *sum)
    };
    let of = |node: &Drawn| {
        let begin = node.at.ticks;
        let lasts = is_grain(node.what) && node.end > begin && node.ticks.is_some();
        lasts.then(|| (until(node.end) - until(begin)) / (node.end - begin) as f64)
    };
    graph.nodes.iter().map(of).collect()
}

fn siblings(graph: &Graph) -> Vec<Balance> {
    let mut sums = Vec::new();
    sums.resize_with(graph.meetings.len(), Sums::default);
    for task in &graph.tasks {
        if let Some(siblings) = sums.get_mut(task.meeting as usize) {
            siblings.add(graph.begin(task).unwrap_or_default(), task.own_ticks(), 0);
        }
    }
    // Which threads run them is the runtime's choice.
    sums.iter().map(|sums| Balance { threads: None, ..sums.balance() }).collect()
}

/// Who creates tasks, and where: an explicit task, or the implicit tasks of a region between two barriers.
type Creator = (Option<u32>, (u32, u32));

/// By task. `None`: several threads create tasks there, so that their order is none of the program's; or it is not told who creates it.
pub(crate) fn paths(graph: &Graph) -> Vec<Option<GrainPath>> {
    let mut places: HashMap<Creator, Vec<u32>> = HashMap::new();
    for (index, task) in (0..).zip(&graph.tasks).filter(|(_, task)| task.runs()) {
        // Barriers count only where the implicit task creates: an explicit one meets none.
        let phase = if task.parent.is_none() { task.phase } else { (0, 0) };
        places.entry((task.parent, phase)).or_default().push(index);
    }
    let task = |index: &u32| &graph.tasks[*index as usize];
    let mut paths = vec![None; graph.tasks.len()];
    let mut places: Vec<(Creator, Vec<u32>)> = places.into_iter().collect();
    // Creators first.
    places.sort_by_key(|(place, created)| (task(&created[0]).depth, *place));
    for ((creator, (region, barriers)), mut created) in places {
        let thread = task(&created[0]).created_on;
        let is_one = creator.is_some() || created.iter().all(|of| task(of).created_on == thread);
        let around = match creator {
            Some(creator) => paths[creator as usize],
            None => graph.regions.get(region as usize).map(|region| region.path),
        };
        let Some(around) = around.filter(|_| is_one) else { continue };
        created.sort_by_key(|of| task(of).child_number);
        // Another number of tasks may divide the same work in another way, as `taskloop` does.
        let around = around.tasks(barriers, created.len());
        for (number, index) in (0..).zip(created) {
            paths[index as usize] = Some(around.task(number));
        }
    }
    paths
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grain(graph: &mut Graph, begin: u64, end: u64) -> Node {
        let at = At { ticks: begin, ..At::default() };
        graph.node(Drawn { what: What::Implicit(0), at, end, ticks: Some(end - begin) })
    }

    /// Two side by side, then one: the longer of the two and that one are the longest path.
    #[test]
    fn the_longest_path_and_what_runs_beside() {
        let mut graph = Graph::default();
        let short = grain(&mut graph, 10, 20);
        let long = grain(&mut graph, 10, 40);
        let last = grain(&mut graph, 50, 55);
        graph.edge(short, last, Kind::Sync);
        graph.edge(long, last, Kind::Sync);
        let measures = measure(&graph);
        assert_eq!((measures.span, measures.work), (35, 45));
        assert_eq!(measures.critical, [None, Some(long), Some(long)]);
        let parallelism: Vec<f64> = measures.parallelism.into_iter().flatten().collect();
        assert_eq!(parallelism[0], 2.0);
        assert!((parallelism[1] - 40.0 / 30.0).abs() < 1e-9);
        assert_eq!(parallelism[2], 1.0);
    }

    fn created(parent: Option<u32>, child_number: u32, created_on: u32, phase: (u32, u32)) -> Task {
        Task { parent, child_number, created_on, phase, depth: 1 + u32::from(parent.is_some()), ..Task::new(1) }
    }

    fn graph(tasks: Vec<Task>) -> Graph {
        let region = Region { id: 1, begin: 0, threads: 2, code: 0, path: GrainPath::root(0).region(0) };
        Graph { tasks, regions: vec![region], ..Graph::default() }
    }

    /// By one thread: two tasks before the first barrier, one of which creates one; and one behind the barrier.
    fn with_creators(before: u32, behind: u32) -> Graph {
        graph(vec![
            created(None, 0, before, (0, 0)),
            created(None, 1, before, (0, 0)),
            created(Some(0), 0, 7, (0, 0)),
            created(None, 0, behind, (0, 1)),
        ])
    }

    #[test]
    fn a_task_is_the_same_whichever_thread_creates_it() {
        let one = paths(&with_creators(0, 0));
        assert_eq!(one, paths(&with_creators(1, 0)));
        let apart: std::collections::HashSet<_> = one.iter().flatten().collect();
        assert_eq!(apart.len(), 4);
    }

    #[test]
    fn what_several_threads_create_at_the_same_time_has_no_order() {
        let both =
            graph(vec![created(None, 0, 0, (0, 0)), created(None, 0, 1, (0, 0)), created(Some(0), 0, 0, (0, 0))]);
        assert_eq!(paths(&both), [None; 3]);
    }

    #[test]
    fn other_numbers_of_tasks_are_other_tasks() {
        let mut one_more = with_creators(0, 0);
        one_more.tasks.push(created(None, 2, 0, (0, 0)));
        let (few, more) = (paths(&with_creators(0, 0)), paths(&one_more));
        assert_ne!(few[0], more[0]);
        assert_eq!(few[3], more[3]);
    }
}
